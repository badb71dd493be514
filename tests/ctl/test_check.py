#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbactl check, as monitoring systems read it: test_check.py BIN

Its words are held by unit tests (answer, output); here are whole machines, the two formats to the letter, and what goes wrong.
"""
import json
import os
import re
import socket
import subprocess
import time
import unittest

from machines import Scratch, captures, cases, hbactl, load

BELOW, WIDE = "spi-fusion-one-at-half-rate", "sas-wide-port-one-lane-missing"
NUMBER = r"'[ _.:\-A-Za-z0-9]+'=\d+(?:s|c)?;[\d.@~:\-]*;[\d.@~:\-]*;0;\d*"
NAGIOS = re.compile(r"HBAD (OK|WARNING|CRITICAL|UNKNOWN) - [^|\n]+(?: \| %s(?: %s)*)?((?:\n[^|\n]+)*)\n" % (NUMBER, NUMBER))
METRIC = r"[_A-Za-z0-9]+=\d+;[\d.]*;[\d.]*;0;\d*"
CHECKMK = re.compile(r'([0-3]) "HBA links(?: [ _.:/\-A-Za-z0-9]+)?" (?:-|%s(?:\|%s)*) [^\n|]+\n' % (METRIC, METRIC))
STATES = ["OK", "WARNING", "CRITICAL", "UNKNOWN"]
HOSTILE = b"'\"|\n\\<s>" + b"$(touch x)`z`|\";"  # eight bytes, and sixteen


def check(*words, **more):
    return hbactl("check", *words, **more)


class Formats(Scratch):
    def assert_whole(self, p, is_checkmk=False):
        self.assertEqual(p.stderr, "")
        match = (CHECKMK if is_checkmk else NAGIOS).fullmatch(p.stdout)
        self.assertIsNotNone(match, p.stdout)
        self.assertEqual(p.returncode, int(match[1]) if is_checkmk else STATES.index(match[1]), p.stdout)
        self.assertLess(len(p.stdout.encode()), 8192)

    def test_all_machines(self):
        """Both formats of every machine, and the same exit status as that of status."""
        for case in cases():
            with self.subTest(case=case):
                p = check(*captures(case))
                self.assert_whole(p)
                self.assertEqual(p.returncode, hbactl(*captures(case)).returncode)
                self.assertFalse(p.stdout.startswith("HBAD OK") and "none of which can be judged" in p.stdout, p.stdout)
                self.assert_whole(check("-v", "--format=checkmk", *captures(case)), True)

    def test_names(self):
        for words in (["sdc"], ["host0"], ["sdc", "target0:0:1"], ["sda;x|y"], ["-v", "0:0:2:0"]):
            for form in ("nagios", "checkmk"):
                self.assert_whole(check(*words, "--format", form, *captures(BELOW)), form == "checkmk")
        p = check("sdc", *captures(BELOW))
        self.assertEqual(p.returncode, 1)
        self.assertIn(" 'target0:0:2 bytes_per_second'=160000000;;;0;320000000\n", p.stdout)
        self.assertIn("\ntarget0:0:2: Ultra160, expected Ultra320, BELOW\n", p.stdout)
        self.assertEqual(check("sda", *captures(BELOW)).returncode, 0)

    def test_hops(self):
        """Of a disk, the port of its expander and the adapter's slot are judged, too."""
        p = check("sdas", *captures("mixed-large-two-faults"))
        self.assertEqual(p.returncode, 1)
        self.assertIn("HBAD WARNING - 1 warning: port-1:0 (expander-1:0 LSI SAS3x40) runs at 3 x 12.0 Gb/s; ", p.stdout)
        self.assertIn("\nphy-1:0:18: 12.0 Gb/s, expected 12.0 Gb/s, ok\nport-1:0: 3 x 12.0 Gb/s, expected 4 x 12.0 Gb/s, BELOW\n"
                      "0000:82:00.0: 8.0 GT/s x8, expected 8.0 GT/s x8, ok\n", p.stdout)
        self.assertIn(" 'links'=3;;;0; ", p.stdout)
        self.assertEqual(check("phy-1:0:18", *captures("mixed-large-two-faults")).returncode, 0)  # a link is itself
        self.assertEqual(check("sda", *captures("pcie-x4-of-x8")).returncode, 1)
        self.assertEqual(check("sda", *captures("mixed-large-two-faults")).returncode, 0)
        p = check("sda", *captures("raid-controllers-hide-links"))  # its slot is well
        self.assertEqual((p.returncode, p.stdout.split(" | ")[0]),
                         (3, "HBAD UNKNOWN - 2 links, none below its expected mode, 1 cannot be judged"))

    def test_no_link_is_shown(self):
        """Disks whose way is in no list of the kernel are not well: nobody knows."""
        for case, what, status, said in (("sata-3g-port-ok-1.5-fallback-below", "ata_link", 3, "none of which can be judged"),
                                         (WIDE, "sas_", 0, "1 cannot be judged")):  # its slot is well
            with open(captures(case)[1], encoding="utf-8") as file:
                capture = json.load(file)
            capture["dirs"] = {path: values for path, values in capture["dirs"].items() if "/" + what not in path}
            path = self.file("unseen.json", json.dumps(capture))
            p = check("--capture", path)
            self.assertEqual(p.returncode, status, p.stdout)
            self.assertIn(said, p.stdout.split("|")[0])
            self.assertEqual(hbactl("--capture", path, "list", "devices", "--json").returncode, 0)
            self.assertEqual(check("sda", "--capture", path).returncode, 3)

    def test_names_of_nothing(self):
        p = check("nobody", *captures(BELOW))
        self.assertEqual((p.returncode, p.stdout.split(" | ")[0]), (3, "HBAD UNKNOWN - nothing here is called nobody"))
        self.assertIn(" 'phy-0:0:1 invalid_dword_count'=0c;;;0; ", check("host0", *captures(WIDE)).stdout)

    def test_numbers_as_another_reads_them(self):
        for words in ([], ["host0"]):
            p = check("-w", "1:3", "-c", "@5:", *words, *captures(WIDE))
            perl = "use Monitoring::Plugin::Performance; local $/; my ($line) = split /\\n/, <STDIN>; $line =~ s/.*?\\| //;" \
                   "printf \"%s=%s %s %s\\n\", $_->label, $_->value, $_->uom // '', $_->threshold->warning // ''" \
                   " for Monitoring::Plugin::Performance->parse_perfstring($line);"
            read = subprocess.run(["perl", "-e", perl], input=p.stdout, encoding="utf-8", stdout=subprocess.PIPE, check=True).stdout
            line = p.stdout.split("\n", 1)[0].split(" | ")[1]
            ours = re.findall(r"'([^']+)'=(\d+)(\w*);([^;]*);", line)
            self.assertEqual(read.splitlines(), ["%s=%s %s %s" % number for number in ours])
            self.assertGreaterEqual(len(ours), 10)

    def test_all_hosts(self):
        """With as many numbers as there may be."""
        for case in cases():
            report = json.loads(hbactl("list", "hosts", "--json=short", *captures(case)).stdout)
            p = check("-v", *captures(case), *(h["kernel_name"] for h in report[:8]))
            self.assert_whole(p)

    def test_hostile_device(self):
        """What calls itself so harms no line: vendor and model in what it answers to INQUIRY (SPC-4 6.4.2)."""
        capture = load(BELOW)
        for entries in capture["dirs"].values():
            if "inquiry" in entries:
                entries["inquiry"]["hex"] = entries["inquiry"]["hex"][:16] + HOSTILE.hex() + entries["inquiry"]["hex"][64:]
                entries.pop("vendor"), entries.pop("model")
        path = self.file("hostile.json", json.dumps(capture))
        self.assertIn("$(touch x)", hbactl("--capture", path).stdout)
        for words in ([], ["sdc"], ["-v"]):
            for form in ("nagios", "checkmk"):
                p = check("--format", form, *words, "--capture", path)
                self.assert_whole(p, form == "checkmk")
                self.assertEqual(p.returncode, 1)
                self.assertIn("touch x", p.stdout)
                for what in ("$(", "`", "<s", "\"|", "\";"):
                    self.assertNotIn(what, p.stdout)


class Ranges(unittest.TestCase):
    def test_judge(self):
        for words, status in ((["-w", "0"], 1), (["-w", "1", "-c", "3"], 0), (["-c", "0"], 2), (["-w", "0", "-c", "0"], 2),
                              (["--number", "links", "-w", "10:"], 0), (["--number", "links", "-c", "11:"], 2),
                              (["--number=warning", "-w", "@1:2"], 1), (["--number", "links"], 1)):
            self.assertEqual(check(*words, *captures(BELOW)).returncode, status, words)
        p = check("-w", "0", "-c", "~:3", *captures(BELOW))
        self.assertIn(" 'below'=1;0;~:3;0;10 ", p.stdout)
        self.assertTrue(p.stdout.startswith("HBAD WARNING - below is 1 (warning 0): 10 links, 1 below its expected mode | "), p.stdout)


class Wrong(Scratch):
    def test_usage(self):
        for words in (["--frobnicate"], ["-w", "x"], ["-c", "2:1"], ["--number", "planets"], ["--format", "xml"], ["-t", "0"],
                      ["-t"], ["--max-age", "soon"], ["--json"], ["--sweep"], ["--daemon", "--direct"]):
            for order in (["check", *words], [*words[:-1], words[-1], "check"] if words != ["-t"] else ["check", "-t"]):
                p = hbactl(*order)
                self.assertEqual((p.returncode, p.stdout), (3, "HBAD UNKNOWN - the command line is wrong: hbactl --help\n"), order)
                self.assertTrue(p.stderr.strip(), order)
        for words in (["status", "-w", "1"], ["-v", "list", "links"], ["bench", "check", "--format", "nagios"]):
            self.assertEqual(hbactl(*words).returncode, 64, words)

    def test_nothing_to_look_at(self):
        p = check("--socket", os.path.join(self.dir, "none"))
        self.assertEqual((p.returncode, p.stdout), (3, "HBAD UNKNOWN - hbad is not running (%s/none)\n" % self.dir))
        p = check("--socket", os.path.join(self.dir, "none"), "--format", "checkmk", "sdc")
        self.assertEqual((p.returncode, p.stdout), (3, '3 "HBA links sdc" - hbad is not running (%s/none)\n' % self.dir))
        p = check("--capture", os.path.join(self.dir, "none"))
        self.assertEqual((p.returncode, p.stdout), (3, "HBAD UNKNOWN - nothing could be looked at\n"))
        p = check("--capture", self.file("empty.json", '{"format": "hbad.capture/1"}'))
        self.assertEqual(p.returncode, 3)

    def test_time_limit(self):
        path = os.path.join(self.dir, "silent")
        with socket.socket(socket.AF_UNIX) as silent:
            silent.bind(path)
            silent.listen()
            begin = time.monotonic()
            p = check("--socket", path, "-t", "1")
            self.assertEqual((p.returncode, p.stdout, p.stderr), (3, "HBAD UNKNOWN - no answer within 1 s\n", ""))
            self.assertGreater(time.monotonic() - begin, 0.9)
            p = check("--socket", path, "-t", "1", "--format", "checkmk")
            self.assertEqual((p.returncode, p.stdout), (3, '3 "HBA links" - no answer within 1 s\n'))
            p = check("--socket", path, "--patience", "1")
            self.assertEqual((p.returncode, p.stdout), (3, "HBAD UNKNOWN - hbad does not answer (%s)\n" % path))


if __name__ == "__main__":
    unittest.main()
