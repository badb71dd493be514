#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbactl as scripts and people meet it: test_hbactl.py BIN

Exit status, what is said of bad input, forms of output, and what happens where output cannot go.
"""
import json
import os
import re
import subprocess
import unittest

from machines import GOLDEN, HBACTL, Scratch, beside, captures, cases, hbactl, in_namespace, namespaces_work, run

FINE, BELOW = "spi-fusion-u320-fine", "spi-fusion-one-at-half-rate"
HIDDEN = "iscsi-session-over-1g-nic"            # its only link cannot be judged
NOTHING_TO_SAY = "sata-6g-drives-on-3g-ports-ok"
CAPPED = "sata-libata-force-3g"


class ExitStatus(unittest.TestCase):
    def expect(self, status, *words):
        p = hbactl(*words)
        self.assertEqual(p.returncode, status, "%s\n%s%s" % (words, p.stdout[-500:], p.stderr))
        return p

    def test_status(self):
        self.expect(0, *captures(FINE))
        self.expect(0, *captures(FINE), "status")
        self.expect(1, *captures(BELOW))
        self.expect(1, *captures(BELOW), "--json")
        self.expect(3, *captures(HIDDEN))
        self.expect(0, *captures(CAPPED))

    def test_strict(self):
        self.expect(0, "--strict", *captures(NOTHING_TO_SAY))
        self.expect(3, "--strict", *captures(FINE))  # its bus carries less than its disks together: info
        self.expect(1, "--strict", *captures(BELOW))
        self.expect(3, "--strict", *captures(CAPPED))

    def test_other_verbs_say_whether_it_was_done(self):
        for verb in (["report"], ["report", "--json"], ["list", "links"], ["show", "sdc"], ["capture", "-"]):
            self.expect(0, *captures(BELOW), *verb)
        self.expect(1, *captures(BELOW), "show", "sdzz")

    def test_nothing_examined(self):
        self.expect(3, "--capture", "/nonexistent/1.json")
        self.expect(3, "--sysfs-root", "/nonexistent")
        self.expect(1, "--capture", "/nonexistent/1.json", "report")

    def test_usage(self):
        for words in (["frobnicate"], ["list"], ["list", "planets"], ["show"], ["status", "x"], ["--frobnicate"],
                      ["--json=yaml"], ["--capture"], ["--patience", "0"], ["--patience", "soon"],
                      ["--capture", "a", "--sysfs-root", "b"]):
            with self.subTest(words=words):
                p = self.expect(64, *words)
                self.assertEqual(p.stdout, "")
                self.assertNotEqual(p.stderr, "")
        self.assertIn("frobnicate", hbactl("frobnicate").stderr)
        self.assertIn("usage: hbactl show NAME", hbactl("show").stderr)
        self.assertRegex(hbactl("--frobnicate").stderr, r"^[^\n]*--frobnicate[^\n]*\nhbactl: see hbactl --help\n$")

    def test_help_and_version(self):
        p = self.expect(0, "--help")
        for verb in ("status", "list", "show", "report", "capture"):
            self.assertIn("\n  " + verb, p.stdout)
        self.assertEqual(self.expect(0, "help").stdout, p.stdout)
        self.assertRegex(self.expect(0, "--version").stdout, r"^hbactl \d+\.\d+\.\d+\n$")
        self.assertEqual(hbactl("--json=yaml").stderr, "hbactl: --json=yaml: pretty, short or off\n")


class Users(Scratch):
    """Who is hit: what rides on a disk is named with it and with the finding, and is not given away."""

    CASE = "spi-slow-half-of-a-mirror"

    def capture(self, change):
        with open(captures(self.CASE)[1], encoding="utf-8") as file:
            capture = json.load(file)
        change(capture)
        return self.file("1.json", json.dumps(capture))

    def users(self, *words):
        return {device["hctl"]: device.get("used_by") for device in json.loads(hbactl(*words, "report", "--json").stdout)["devices"]}

    def test_named_with_the_finding(self):
        users = self.users(*captures(self.CASE))
        findings = json.loads(hbactl(*captures(self.CASE), "report", "--json").stdout)["findings"]
        self.assertEqual([f["used_by"] for f in findings if f["code"] == "rate-below-expected"], [users["0:0:2:0"]])
        for verb in ("show", "explain"):
            self.assertIn(users["0:0:2:0"][0], hbactl(*captures(self.CASE), verb, "sdc").stdout)

    def test_said_when_written(self):
        path = os.path.join(self.dir, "scrubbed.json")
        p = hbactl(*captures(FINE), "capture", path)
        self.assertEqual((p.returncode, p.stdout, p.stderr), (0, "", "hbactl: %s: wrote 2 hosts, 10 devices; identities replaced\n" % path))
        def expose(capture):
            capture["taken"]["scrubbed"] = False
        p = hbactl("--capture", self.capture(expose), "--no-scrub", "capture", path)
        self.assertTrue(p.stderr.endswith("; serial numbers, WWNs and names are in it\n"), p.stderr)
        self.assertEqual(hbactl(*captures(FINE), "capture", "-").stderr, "")

    def test_a_map_that_holds_itself(self):
        def hold(capture):
            capture["dirs"]["/sys/devices/virtual/block/dm-0/holders"] = {"dm-0": {"link": "../../dm-0"}}
        self.assertEqual(self.users("--capture", self.capture(hold)), self.users(*captures(self.CASE)))

    def test_scrubbed(self):
        def expose(capture):
            capture["taken"]["scrubbed"] = False
            capture["dirs"]["/proc/1"]["mountinfo"] = ("22 1 0:21 / /net rw - nfs server.example:/export rw,addr=192.0.2.7\n"
                "36 1 253:0 /private /srv/maildir\\040box rw,noatime shared:1 - ext4 /dev/mapper/customers-maildir rw\n"
                "37 1 0:40 /sub /home rw - btrfs /dev/sdd rw,subvolid=5\nnonsense\n")
        scrubbed = os.path.join(self.dir, "scrubbed.json")
        self.assertEqual(hbactl("--capture", self.capture(expose), "capture", scrubbed).returncode, 0)
        with open(scrubbed, encoding="utf-8") as file:
            text = file.read()
        for secret in ("customers", "maildir", "subvolid", "server.example", "private", "noatime"):
            self.assertFalse(secret in text, secret)
        users = self.users("--capture", scrubbed)
        self.assertRegex(users["0:0:2:0"][0], r"^sdc > sdc1 > md0 \(raid1\) > \w+-\w+ \(LVM\), mounted on /srv/\S+")
        self.assertEqual(users["0:0:2:0"][1], "sdc > sdc2, swap")
        self.assertEqual(users["0:0:3:0"][0], "sdd, mounted on /home")


class BadCaptures(Scratch):
    """What is wrong is said with the file, the place in it and the reason; no report is made of it."""

    def expect(self, path, *texts):
        p = hbactl("--capture", path, "report", "--json")
        self.assertEqual(p.returncode, 1)
        self.assertEqual(p.stdout, "")
        for text in (path, *texts):
            self.assertIn(text, p.stderr)

    def test_missing(self):
        self.expect(os.path.join(self.dir, "no.json"), "No such file")

    def test_directory(self):
        self.expect(self.dir, "Is a directory")

    def test_empty(self):
        self.expect(self.file("1.json", ""))

    def test_no_json(self):
        self.expect(self.file("1.json", '{ "hbad-capture": 1, "dirs": { oops } }'), "dirs", "byte")

    def test_no_capture(self):
        self.expect(self.file("1.json", '{"name": "x"}'), "hbad-capture")
        self.expect(self.file("2.json", "[]"))

    def test_another_version(self):
        self.expect(self.file("1.json", '{"hbad-capture": 2}'), "hbad-capture", "version")

    def test_bad_member(self):
        self.expect(self.file("1.json", '{"hbad-capture": 1, "dirs": {"/sys/class/x": {"period": {"hex": "3g"}}}}'),
                    "dirs", "/sys/class/x", "period", "hex")
        self.expect(self.file("2.json", '{"hbad-capture": 1, "commands": [{"device": "sda", "cdb": "12 00"}]}'), "commands", "device")

    def test_history_is_named_too(self):
        bad = self.file("1.json", "{")
        p = hbactl("--capture", bad, *captures(FINE))
        self.assertEqual(p.returncode, 3)
        self.assertIn(bad, p.stderr)

    def test_one_object_that_breaks_off(self):
        with open(os.path.join(GOLDEN, BELOW, "1.json"), encoding="utf-8") as file:
            whole = file.read()
        self.expect(self.file("1.json", whole[:whole.index('"commands"')]), "breaks off", "byte")

    def test_stream_that_breaks_off_is_used(self):
        with open(os.path.join(GOLDEN, BELOW, "1.json"), encoding="utf-8") as file:
            whole = file.read()
        path = self.file("1.json", whole + '\0{"hbad-capture": 1, "dirs": {')
        p = hbactl("--capture", path, "report", "--json")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        report = json.loads(p.stdout)
        self.assertEqual((report["summary"]["links"], report["summary"]["unexamined"]), (10, 1))
        self.assertRegex(report["notes"][0], re.escape(path) + ".*breaks off")
        p = hbactl("--capture", path, "capture", self.file("2.json", ""))
        self.assertEqual(p.returncode, 1, "what is written is not the whole machine")
        self.assertIn("breaks off", p.stderr)

    def test_nothing_is_lost_behind_a_break(self):
        whole = captures("sas-shelf-unplugged-one-finding")
        with open(whole[1], encoding="utf-8") as file:
            machine = json.load(file)
        del machine["dirs"]["/sys/class/sas_expander"]
        machine["dirs"] = {d: v for d, v in machine["dirs"].items() if "expander" not in d}
        path = self.file("2.json", json.dumps(machine) + '\0{"hbad-capture": 1, "dirs": {')
        report = json.loads(hbactl("--capture", whole[1], "--capture", path, "report", "--json").stdout)
        self.assertNotIn("link-lost", [f["code"] for f in report["findings"]])
        self.assertIn("earlier captures are not used", report["notes"][1])


    def test_what_follows_the_end_is_told(self):
        path = self.file("1.json", '{"hbad-capture": 1}\0{"hbad-capture": 1, "end": true}\0{"hbad-capture": 1}')
        p = hbactl("--capture", path)
        self.assertEqual(p.returncode, 3)
        self.assertIn(path, p.stderr)
        self.assertIn("not used", p.stderr)

    def test_a_file_without_a_word(self):
        with open(os.path.join(GOLDEN, BELOW, "1.json"), encoding="utf-8") as file:
            machine = json.load(file)
        next(d for d in machine["dirs"].values() if "period" in d)["period"] = "\n"
        p = hbactl("--capture", self.file("1.json", json.dumps(machine)))
        self.assertIn("Not seen (malformed: there is nothing in it): spi_transport", p.stdout)


class BadTreesAndFiles(Scratch):
    def test_trees(self):
        self.file("sys", "")
        for root, why in ((self.dir, "Not a directory"), (self.dir + "/none", "No such file"), (GOLDEN, "No such file")):
            with self.subTest(root=root):
                p = hbactl("--sysfs-root", root)
                self.assertEqual((p.returncode, p.stdout), (3, ""))
                self.assertIn(root + "/sys: " + why, p.stderr)
        os.unlink(os.path.join(self.dir, "sys"))
        os.mkdir(os.path.join(self.dir, "sys"))
        p = hbactl("--sysfs-root", self.dir)
        self.assertEqual(p.returncode, 3, "an adapter that is not seen may be one that failed")
        self.assertIn("No SCSI host was found.", p.stdout)

    def test_hosts_that_cannot_be_listed(self):
        os.makedirs(os.path.join(self.dir, "sys", "class"))
        self.file("sys/class/scsi_host", "")
        p = hbactl("--sysfs-root", self.dir)
        self.assertEqual(p.returncode, 3)
        self.assertIn("Nothing could be examined.", p.stdout)
        self.assertIn("the SCSI hosts cannot be listed: Not a directory", p.stdout)

    def test_configurations(self):
        fifo = os.path.join(self.dir, "fifo")
        os.mkfifo(fifo)
        for path, why in ((fifo, "not a regular file"), ("/dev/zero", "not a regular file"), (self.dir, "Is a directory"),
                          (self.dir + "/none", "No such file")):
            with self.subTest(path=path):
                p = hbactl("--config", path, *captures(FINE))
                self.assertEqual((p.returncode, p.stdout), (3, ""))
                self.assertIn("%s: %s" % (path, why), p.stderr)
        p = run("bash", "-c", '"$@" --config <(echo [link \\"*\\"]; echo ignore=yes)', "bash", HBACTL, *captures(BELOW))
        self.assertEqual((p.returncode, p.stderr), (0, ""))

    def test_texts_command_no_terminal(self):
        with open(os.path.join(GOLDEN, BELOW, "1.json"), encoding="utf-8") as file:
            text = file.read()
        path = self.file("1.json", text.replace("ioc0: LSI53C1030", "ioc0: LSI53C1030\\u001b]0;title\\u0007").replace(
            "ST3146807LC", "ST31\\u001b[2JLC"))
        for verb in ([], ["list", "hosts"], ["list", "devices"], ["show", "sda"], ["explain", "sdc"]):
            self.assertNotIn("\033", hbactl("--capture", path, *verb).stdout)


class Forms(Scratch):
    def test_json(self):
        forms = {form: hbactl(*captures(BELOW), "--json=" + form).stdout for form in ("short", "pretty", "off")}
        self.assertEqual(forms["short"].count("\n"), 1)
        self.assertGreater(forms["pretty"].count("\n"), 100)
        self.assertEqual(json.loads(forms["short"]), json.loads(forms["pretty"]))
        self.assertTrue(forms["off"].startswith("host0"))
        self.assertEqual(hbactl(*captures(BELOW), "-j").stdout, forms["short"])
        self.assertEqual(hbactl(*captures(BELOW), "--json").stdout, forms["pretty"])

    def test_standard_input(self):
        with open(os.path.join(GOLDEN, BELOW, "1.json"), "rb") as file:
            p = subprocess.run([HBACTL, "--capture", "-", "--json=short"], stdin=file, stdout=subprocess.PIPE)
        self.assertEqual(p.stdout.decode(), hbactl(*captures(BELOW), "--json=short").stdout)

    def test_earlier_captures_are_history(self):
        case = "sas-shelf-unplugged-one-finding"
        names = captures(case)
        self.assertGreater(len(names), 2)
        down = [link["state"] for link in json.loads(hbactl(*names, "report", "--json").stdout)["links"]].count("down")
        alone = [link["state"] for link in json.loads(hbactl(*names[-2:], "report", "--json").stdout)["links"]].count("down")
        self.assertGreater(down, 0)
        self.assertEqual(alone, 0)

    def test_c_locale_is_ascii_and_80_columns_are_enough(self):
        for case in cases():
            for words in ([], ["list", "hosts"], ["list", "links"], ["list", "devices"], ["list", "findings"]):
                with self.subTest(case=case, words=words):
                    out = hbactl(*beside(case), *words, env={"COLUMNS": "80"}, cwd=GOLDEN).stdout
                    self.assertTrue(out.isascii())
                    self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertTrue(hbactl("--help").stdout.isascii())

    def test_verdicts_and_devices_survive_narrow_screens(self):
        for columns, slow in (("80", "|- target0:0:2  SEAGATE ST3146807LC   sdc  Ultra160  BELOW  expected Ultra320"),
                              ("40", "|- target0:0:2  sdc  Ultra160  BELOW")):
            out = hbactl(*beside(BELOW), env={"COLUMNS": columns}, cwd=GOLDEN).stdout.splitlines()
            self.assertIn(slow, out)
            self.assertLessEqual(max(map(len, out[:12])), int(columns))
        out = hbactl(*beside("pcie-x4-of-x8"), env={"COLUMNS": "40"}, cwd=GOLDEN).stdout
        self.assertEqual(out.splitlines()[0], "host0  PCI 8.0 GT/s x4  BELOW")
        out = hbactl(*beside("mixed-large-two-faults"), env={"COLUMNS": "80"}, cwd=GOLDEN).stdout
        self.assertRegex(out, r"phy-1:0:17 +sdar +6.0 Gb/s +BELOW  expected 12.0 Gb/s\n")
        out = hbactl(*beside(BELOW), "list", "findings", env={"COLUMNS": "40"}, cwd=GOLDEN).stdout
        self.assertIn("warning   target0:0:2 (SEAGATE\n          ST3146807LC) runs at Ultra160;\n          both ends", out)

    def test_a_list_of_nothing_is_one_line(self):
        self.assertEqual(hbactl(*captures(NOTHING_TO_SAY), "list", "findings").stdout, "0 findings.\n")
        # What nobody can judge is not well for having no finding.
        said = hbactl(*captures("spi-driver-without-class-and-proc-mpt"), "findings").stdout
        self.assertRegex(said, r"(?s)\A0 findings\.\n1 cannot be judged: target0:0:1\.\n")
        self.assertEqual(hbactl(*captures("spi-driver-without-class-and-proc-mpt"), "findings", "--no-legend").stdout, "")
        for options in ([], ["--json"]):
            self.assertEqual(hbactl(*captures(BELOW), *options, "findings").stdout,
                             hbactl(*captures(BELOW), *options, "list", "findings").stdout)

    def test_utf8_locale_draws_lines(self):
        out = hbactl(*beside(BELOW), env={"LC_ALL": "C.UTF-8", "COLUMNS": "80"}, cwd=GOLDEN).stdout
        self.assertIn("├─ target0:0:0", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    @unittest.skipUnless(os.path.exists("/dev/pts/ptmx"), "no pseudo terminals here")
    def test_colour_is_for_terminals_that_want_it(self):
        def on_terminal(**env):
            command = "%s %s %s" % (HBACTL, *captures(BELOW))
            return run("script", "-qec", command, os.path.join(self.dir, "typescript"), env={"TERM": "xterm", **env}).stdout
        self.assertNotIn("\033", hbactl(*captures(BELOW), env={"TERM": "xterm"}).stdout)
        out = on_terminal()
        self.assertIn("\033[1;31m", out)
        self.assertEqual([line for line in out.splitlines() if line.count("\033[0m") * 2 != line.count("\033")], [])
        self.assertNotIn("\033", on_terminal(NO_COLOR="1"))
        self.assertNotIn("\033", on_terminal(TERM="dumb"))

    def test_no_legend(self):
        out = hbactl(*captures(BELOW), "--no-legend").stdout
        self.assertEqual([line for line in out.splitlines() if not line.startswith(("host", "|-", "`-", "|  ", "   "))], [])
        self.assertNotIn("DEVICE", hbactl(*captures(BELOW), "--no-legend", "list", "devices").stdout)


class WhereOutputCannotGo(Scratch):
    VERBS = ([], ["--json"], ["report"], ["list", "links"], ["show", "sdc"], ["capture"], ["capture", "-"])

    def test_full_device(self):
        for verb in self.VERBS:
            with self.subTest(verb=verb), open("/dev/full", "w", encoding="ascii") as full:
                p = run(HBACTL, *captures(FINE), *verb, stdout=full)
                self.assertEqual(p.returncode, 1)
                self.assertIn("No space left", p.stderr)

    def test_closed(self):
        for verb in self.VERBS:
            with self.subTest(verb=verb):
                p = run("sh", "-c", 'exec "$@" >&-', "sh", HBACTL, *captures(FINE), *verb)
                self.assertEqual(p.returncode, 1)
                self.assertIn("Bad file descriptor", p.stderr)

    def test_plugin_is_unknown(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            self.assertEqual(run(HBACTL, *captures(FINE), "check", stdout=full).returncode, 3)
        self.assertEqual(run("sh", "-c", 'exec "$@" >&-', "sh", HBACTL, *captures(FINE), "check").returncode, 3)

    def test_reader_went_away(self):
        p = run("sh", "-c", '"$@" | head -1', "sh", HBACTL, *captures("mixed-large-two-faults"), "--json")
        self.assertEqual((p.stdout, p.stderr), ("{\n", ""))


class Capture(Scratch):
    def report(self, *words):
        return json.loads(hbactl(*words, "report", "--json").stdout)

    def test_what_is_captured_from_a_capture_says_the_same(self):
        for case in (BELOW, "mixed-large-two-faults", "raid-controllers-hide-links"):
            with self.subTest(case=case):
                path = os.path.join(self.dir, case)
                p = hbactl(*captures(case), "--no-scrub", "capture", path)
                self.assertEqual((p.returncode, p.stdout), (0, ""))
                self.assertRegex(p.stderr, r"^hbactl: [^\n]*: wrote \d+ hosts?, \d+ devices?; identities replaced\n$")
                self.assertEqual(self.report("--capture", path), self.report(*captures(case)))
                self.assertEqual(os.listdir(self.dir), [case])
                os.unlink(path)

    def test_no_such_folder(self):
        p = hbactl(*captures(BELOW), "capture", self.dir + "/no/capture.json")
        self.assertEqual(p.returncode, 1)
        self.assertIn("no/capture.json", p.stderr)

    def test_one_at_a_time(self):
        p = hbactl(*captures("sas-shelf-unplugged-one-finding"), "capture", os.path.join(self.dir, "new"))
        self.assertEqual((p.returncode, os.listdir(self.dir)), (64, []))

    def test_into_what_is_no_file(self):
        fifo, link, target, dangling = (os.path.join(self.dir, name) for name in ("fifo", "link", "target", "dangling"))
        os.mkfifo(fifo)
        self.file("target", "old")
        os.chmod(target, 0o600)
        os.symlink("target", link)
        os.symlink("nowhere", dangling)
        reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE)
        self.assertEqual(hbactl(*captures(BELOW), "capture", fifo).returncode, 0)
        self.assertIn(b'"hbad-capture"', reader.communicate(timeout=60)[0])
        for path in (link, dangling):
            self.assertEqual(hbactl(*captures(BELOW), "capture", path).returncode, 0)
            self.assertTrue(os.path.islink(path))
            self.assertEqual(len(self.report("--capture", path)["links"]), 10)
        self.assertEqual(os.stat(target).st_mode & 0o777, 0o600)
        self.assertTrue(os.path.exists(os.path.join(self.dir, "nowhere")))
        self.assertEqual(sorted(os.listdir(self.dir)), ["dangling", "fifo", "link", "nowhere", "target"])

    def test_full_disk_leaves_no_half_file(self):
        if not namespaces_work():
            self.skipTest("no mount namespace: not root here")
        before = "mount -t tmpfs -o size=64k none %s; echo old >%s/old" % (self.dir, self.dir)
        after = 'for name in new old; do "$@" %s/$name; echo $?; done; ls %s; cat %s/old' % (self.dir, self.dir, self.dir)
        p = run(*in_namespace(before, "sh", "-c", after, "sh", HBACTL, *captures("mixed-large-two-faults"), "capture"))
        self.assertEqual(p.stdout, "1\n1\nold\nold\n")
        self.assertIn("No space left", p.stderr)
        self.assertIn(self.dir + "/new", p.stderr)


if __name__ == "__main__":
    unittest.main()
