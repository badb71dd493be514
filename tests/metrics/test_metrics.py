#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbactl metrics: test_metrics.py PROGRAMS [--update]

Each golden case's metrics are well formed and say what its report says; those of some are the text beside this file.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from prometheus import parse

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "..", "golden")
PROGRAMS = sys.argv.pop(1)
UPDATE = "--update" in sys.argv
PROMTOOL = shutil.which(os.environ.get("PROMTOOL", "promtool"))
# Lanes and expanders; counters of many kinds, some of which are not there; reads that were timed.
TEXTS = ["sas-wide-port-one-lane-missing", "fc-8g-at-maximum-odd-counters", "clock-one-left-behind"]
HOSTILE = 'A"b\\c {x="1"} \x1b[31m'


def hbactl(captures, *words):
    arguments = [a for c in captures for a in ("--capture", c)]
    run = subprocess.run([os.path.join(PROGRAMS, "hbactl"), *arguments, *words], stdout=subprocess.PIPE, check=False,
                         env=dict(os.environ, LC_ALL="C"))
    return run.stdout.decode()


def captures_of(case):
    names = sorted((n for n in os.listdir(os.path.join(GOLDEN, case)) if n[:-5].isdigit()), key=lambda n: int(n[:-5]))
    return [os.path.join(GOLDEN, case, n) for n in names]


def cases():
    return sorted(os.path.basename(os.path.dirname(p)) for p in glob.glob(os.path.join(GOLDEN, "*/expect.json")))


class Metrics(unittest.TestCase):
    maxDiff = None

    def check_objects(self, families, report):
        for kind, label in (("host", "host"), ("link", "link"), ("device", "device")):
            ids = sorted({o["id"] for o in report[kind + "s"]})
            family = families.get("hba_%s_info" % kind)
            self.assertEqual(sorted({s[label] for s in family.labels()} if family else []), ids)

    def check_links(self, families, report):
        rates, expected = (families.get("hba_link_%srate_bytes_per_second" % x) for x in ("", "expected_"))
        of = lambda family: {dict(k)["link"]: v for k, v in family.samples.items()} if family else {}
        for link in report["links"]:
            same = {k: link[k] for k in ("host",) if link[k]}
            for name, word in (("state", link["state"]), ("verdict", link["verdict"])):
                family = families["hba_link_" + name]
                mine = {dict(k)[name]: v for k, v in family.samples.items() if dict(k)["link"] == link["id"]}
                self.assertEqual([w for w, v in mine.items() if v], [word])
                self.assertEqual(family.value(link=link["id"], **same, **{name: word}), 1)
            for family, mode in ((rates, link["actual"] if link["state"] == "up" and link["verdict"] != "none" else None),
                                 (expected, link["expected"])):
                want = mode and mode["mb_per_s"] and round(mode["mb_per_s"] * 1e6)
                self.assertEqual(of(family).get(link["id"]), want or None)

    def check_counters(self, families, report):
        found = sum(len(f.samples) for f in families.values() if f.type == "counter" and any("link" in s for s in f.labels()))
        self.assertEqual(found, sum(len(link["counters"]) for link in report["links"]))

    def check_findings(self, families, report):
        count = families["hba_findings"]
        self.assertEqual(sum(count.samples.values()), len(report["findings"]))
        for finding in report["findings"]:
            self.assertGreaterEqual(count.value(code=finding["code"], severity=finding["severity"]), 1)
        about = families.get("hba_finding_info")
        self.assertEqual({(s["code"], s.get("subject")) for s in about.labels()} if about else set(),
                         {(f["code"], (f["subjects"] or [None])[0]) for f in report["findings"]})

    def test_all_cases(self):
        for case in cases():
            with self.subTest(case):
                captures = captures_of(case)
                families = parse(hbactl(captures, "metrics"))
                report = json.loads(hbactl(captures, "report", "--json=short"))
                self.check_objects(families, report)
                self.check_links(families, report)
                self.check_counters(families, report)
                self.check_findings(families, report)
                self.assertEqual({n for n in families if not n.startswith("hba_")}, set())

    def test_texts(self):
        for case in TEXTS:
            path, text = os.path.join(HERE, case + ".prom"), hbactl(captures_of(case), "metrics")
            if UPDATE:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(text, file.read())

    def test_volumes(self):
        """Each is a device by itself: one that is offline is not lost behind one that runs."""
        with open(captures_of("sas-volume-and-virtual-enclosure")[0], encoding="utf-8") as file:
            capture = json.load(file)
        devices = capture["dirs"]["/sys/bus/scsi/devices"]
        devices["0:1:1:0"] = {"link": devices["0:1:0:0"]["link"].replace("0:1:0", "0:1:1")}
        for path, values in list(capture["dirs"].items()):
            if "/target0:1:0" in path:
                another = path.replace("0:1:0", "0:1:1").replace("sdb", "sdc")
                capture["dirs"][another] = dict(values, state="offline\n") if "state" in values else values
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "1.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(capture, file)
            families = parse(hbactl([path], "metrics"))
        self.assertEqual(sorted(families["hba_device_running"].samples.values()), [0, 1, 1, 1])
        self.assertEqual(len({s["device"] for s in families["hba_device_info"].labels()}), 4)

    def test_hostile_strings(self):
        """What a device says of itself ends in one label, as it is, or with ? for what may not be there."""
        with open(captures_of("spi-fusion-one-at-half-rate")[0], encoding="utf-8") as file:
            capture = json.load(file)
        n = 0
        for values in capture["dirs"].values():
            if isinstance(values.get("model"), str) and "vendor" in values:
                values["model"] = HOSTILE + "\n"
                values["vendor"] = {"hex": (b"\xff\xfe" + "ü".encode() + b"\n").hex()}
                values.pop("inquiry", None)
                n += 1
        self.assertGreater(n, 0)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "1.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(capture, file)
            families = parse(hbactl([path], "metrics"))
        labels = families["hba_device_info"].labels()
        self.assertEqual(len(labels), n)
        self.assertEqual({s["model"].replace("\x1b", "?") for s in labels}, {HOSTILE.replace("\x1b", "?")})

    @unittest.skipUnless(PROMTOOL, "no promtool here: Debian's package prometheus has it, or PROMTOOL says where it is")
    def test_promtool(self):
        for case in cases():
            with self.subTest(case):
                run = subprocess.run([PROMTOOL, "check", "metrics"], input=hbactl(captures_of(case), "metrics").encode(),
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                self.assertEqual((run.returncode, run.stdout), (0, b""))

    def test_no_json(self):
        run = subprocess.run([os.path.join(PROGRAMS, "hbactl"), "--json", "metrics"], stderr=subprocess.PIPE, check=False)
        self.assertEqual(run.returncode, 64)


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "--update"], verbosity=1)
