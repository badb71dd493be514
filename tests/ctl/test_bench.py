#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbactl bench and probe: tables of captures, and collectors that measure, refuse, break off and hang: test_bench.py BIN

With HBAD_REGENERATE set, the expected outputs in bench/ are written instead of compared.
"""
import csv
import io
import json
import os
import pty
import re
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

from machines import COLLECT, HBACTL, TESTS, Scratch, hbactl, in_namespace, load, namespaces_work, run, write_tree

CASE = "spi-fusion-one-at-half-rate"        # sda, sdb, sdd at Ultra320, sdc at Ultra160
EXPECTED = os.path.join(TESTS, "ctl", "bench")
KIB = 1024
PATIENCE_S = 4                               # more than a busy machine takes to start Python


def read(device, method, block, mb_per_s, cpu=5, **more):
    total = int(mb_per_s * 1000000)
    commands = max(1, total // block)
    entry = {"device": device, "method": method, "block": block, "bytes": total, "us": 1000000, "cpu_us": cpu * 10000, "depth": 1,
             "commands": commands, "user_us": cpu * 2000, "system_us": cpu * 8000, "min_us": 900000 // commands,
             "median_us": 1000000 // commands, "p95_us": 1500000 // commands, "p99_us": 2000000 // commands,
             "max_us": 3000000 // commands}
    entry.update(more)
    return entry


def refused(device, method, block, error, why, **more):
    return {"device": device, "method": method, "block": block, "bytes": 0, "us": 0, "error": error, "disturbed": why, **more}


def of_2002():
    """The pattern of the mail: dd through the page cache, sg_dd, sgm_dd; and what can go wrong."""
    for k in range(1, 9):
        block = KIB << k
        yield read("0:0:1:0", "read-media/block-buffered", block, min(51, 1 + block / 1300), 45)
        yield read("0:0:1:0", "read-media/sg", block, min(77, 1 + block / 700), 30)
        yield read("0:0:1:0", "read-media/sg-mmap", block, min(85.4, 1 + block / 650), 6)
    yield read("0:0:1:0", "read-media/sg", 64 * KIB, 84, disturbed="3 commands of 0:0:0:0 came between")
    yield refused("0:0:1:0", "read-buffer/sg", 64 * KIB, "EOPNOTSUPP", "it does not know READ BUFFER")
    yield refused("0:0:1:0", "read-buffer/sg", 128 * KIB, "EOPNOTSUPP", "it does not know READ BUFFER")
    yield read("0:0:1:0", "read-media/sg", 512 * KIB, 0.001, error="EIO", errors=1, sense="70 00 03 00 00 00 00 0a 00 00 00 00 11 00")
    yield read("0:0:1:0", "read-media/sg", 4 * KIB, 0.5, 1, pattern="random", median_us=7900, p99_us=14100)
    yield read("0:0:1:0", "read-media/sg-direct", 64 * KIB, 70, 30, direct=0, memory="cold")


def of_1998():
    """One disk at 1 KiB and 4 KiB, four at 512 bytes and 8 KiB: at last they fill their bus."""
    disks = ["0:0:%d:0" % i for i in range(4)]
    for block, rate in ((KIB, 3), (4 * KIB, 11.9)):
        yield read(disks[0], "read-media/sg", block, rate, 9)
    for block, rate in ((512, 1.6), (8 * KIB, 84)):
        for disk in disks:
            yield read(disk, "read-media/sg", block, rate, 9)
    for block, rates in ((512, (1.6,) * 4), (8 * KIB, (75, 76, 77, 78))):
        for disk, rate in zip(disks, rates):
            yield read(disk, "read-media/sg", block, rate, 9, together=4, idle_permille=650)


class Captured(Scratch):
    """Tables of what a capture holds."""

    def with_measures(self, measures, change=None):
        machine = load(CASE)
        machine["measures"] = list(measures)
        text = json.dumps(machine)
        return self.file("bench.json", change(text) if change else text)

    def check(self, name, out):
        path = os.path.join(EXPECTED, name)
        out = out.replace("\r\n", "\n")          # that lines of CSV end with both is a test of its own
        if os.environ.get("HBAD_REGENERATE"):
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(out)
        with open(path, encoding="utf-8", newline="") as file:
            self.assertEqual(out, file.read(), "%s differs" % path)

    def bench(self, path, *words, columns="80", utf8=False):
        env = {"COLUMNS": columns, "LC_ALL": "C.UTF-8" if utf8 else "C"}
        p = subprocess.run([HBACTL, "--capture", path, "bench", *words], env={**os.environ, **env}, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False)
        return p.returncode, p.stdout.decode("utf-8"), p.stderr.decode("utf-8")

    def test_texts(self):
        capture = self.with_measures(of_2002())
        for name, words, more in (("2002-80.txt", [], {}), ("2002-100.txt", [], {"columns": "100"}),
                                  ("2002-utf8.txt", [], {"columns": "120", "utf8": True}), ("2002-chart.txt", ["--chart"], {}),
                                  ("2002.csv", ["--csv"], {}), ("2002.json", ["--json"], {})):
            with self.subTest(name=name):
                status, out, err = self.bench(capture, "sdb", *words, **more)
                self.assertEqual((status, err), (0, ""))
                self.check(name, out)

    def test_texts_of_captures_stay_on_their_line(self):
        capture = self.with_measures([read("0:0:1:0", "\033[8mread-media\nsdb is well", 4096, 5),
                                      read("0:0:1:0", "read-media/sg", 4096, 5, disturbed="x\n\033[31msdb is well")])
        for words in ["bench", "sdb"], ["show", "sdb"]:
            out = hbactl("--capture", capture, *words, env={"COLUMNS": "200"}).stdout
            self.assertNotIn("\033", out)
            self.assertIn("x??[31msdb is well", out)
            self.assertNotRegex(out, r"(?m)^sdb is well|^.\[31m")

    def test_what_the_system_denied_has_its_name(self):
        for error, said in (("EACCES", "refused: its node cannot be opened, EACCES."), ("EBUSY", "refused: its node cannot be opened.")):
            out = self.bench(self.with_measures([refused("0:0:1:0", "read-buffer/sg", 512, error, "its node cannot be opened")]))[1]
            self.assertIn("read-buffer/sg, 512: " + said, out)

    def test_one_bus(self):
        capture = self.with_measures(of_1998())
        status, out, _ = self.bench(capture)
        self.assertEqual(status, 0)
        self.check("1998-80.txt", out)
        self.assertIn("Together: the bus of host0 carries 306.0 of 320.0 MB/s; 4 devices could deliver 336.0.", " ".join(out.split()))
        together = json.loads(self.bench(capture, "--json")[1])["together"]
        self.assertEqual([(t["mb_per_s"], t["limit"], t["best"], t["hop"]) for t in together],
                         [(6.4, "nothing", False, "host0"), (306.0, "hop", True, "host0")])

    def test_a_share_is_nothing_without_the_others(self):
        out = self.bench(self.with_measures(of_1998()), "sda", "sdb")[1]
        self.assertNotIn("Together", out)

    def test_lines_fit(self):
        capture = self.with_measures(list(of_2002()) + list(of_1998()))
        for columns in (80, 100, 132):
            for words in ([], ["--chart"]):
                for line in self.bench(capture, *words, columns=str(columns), utf8=True)[1].split("\n"):
                    self.assertLessEqual(len(line), columns, line)

    def test_no_zero_for_what_failed(self):
        rows = list(csv.DictReader(io.StringIO(self.bench(self.with_measures(of_2002()), "--csv")[1], newline="")))
        self.assertEqual(len(rows), 30)
        for row in rows:
            if row["error"] == "EOPNOTSUPP":
                self.assertEqual((row["rate_MB/s"], row["commands/s"], row["cpu_percent"], row["bytes"]), ("", "", "", ""))
        self.assertEqual([row["disturbed"] for row in rows if row["disturbed"].startswith("3")], ["3 commands of 0:0:0:0 came between"])
        self.assertEqual({row["link_MB/s"] for row in rows}, {"320.000"})

    def test_no_zero_for_a_latency_that_is_not_known(self):
        for median, p99, said in ((11000, 0, "11.00/-"), (0, 22000, "-/22.00"), (0, 0, ""), (11000, 22000, "11.00/22.00")):
            capture = self.with_measures([read("0:0:1:0", "read-media/sg", 64 * KIB, 40, median_us=median, p99_us=p99)])
            row = re.search(r"(?m)^.*read-media/sg .*$", self.bench(capture, "sdb", columns="120")[1])[0].split()
            self.assertEqual([word for word in row if "/" in word], ["read-media/sg"] + [said] * bool(said))

    def test_csv_is_strict(self):
        self.assertEqual(self.bench(self.with_measures(of_2002()), "--csv")[1].count("\r\n"), 31)
        capture = self.with_measures([refused("0:0:1:0", "read-buffer/sg", 512, "EBUSY", 'said "no", twice,\nand more')])
        status, out, _ = self.bench(capture, "--csv")
        self.assertEqual(status, 1)
        self.assertTrue(out.endswith(',EBUSY,"said ""no"", twice,\nand more"\r\n'), out)
        german = subprocess.run([HBACTL, "--capture", self.with_measures(of_2002()), "bench", "--csv"], stdout=subprocess.PIPE,
                                env={**os.environ, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}, check=False).stdout
        self.assertNotIn(b"85,4", german)

    def test_json_is_valid(self):
        schemas = {}
        for name in ("report", "bench"):
            with open(os.path.join(TESTS, "..", "lib", "output", name + ".schema.json"), encoding="utf-8") as file:
                schemas[name] = json.load(file)
        text = json.dumps(schemas["bench"]).replace("urn:hbad:report:1#/$defs/timed", "#/$defs/timed")
        bench = json.loads(text)
        for name in ("timed", "id", "count", "text"):
            bench["$defs"][name] = schemas["report"]["$defs"][name]
        jsonschema.Draft202012Validator.check_schema(bench)
        for measures in (of_1998(), of_2002(), []):
            capture = self.with_measures(measures)
            jsonschema.validate(json.loads(self.bench(capture, "--json")[1]), bench)
            jsonschema.validate(json.loads(hbactl("--capture", capture, "report", "--json").stdout), schemas["report"])

    def test_a_report_lists_them(self):
        capture = self.with_measures(of_2002())
        report = json.loads(hbactl("--capture", capture, "report", "--json").stdout)
        self.assertEqual(len(report["measures"]), 30)
        best = max((m for m in report["measures"] if "error" not in m and "disturbed" not in m), key=lambda m: m["mb_per_s"])
        self.assertEqual((best["method"], best["mb_per_s"], best["cpu_percent"], best["p99_us"]), ("read-media/sg-mmap", 85.4, 6.0, 1534))
        out = hbactl("--capture", capture, "show", "sdb").stdout
        self.assertIn("measured: read-media/block-buffered, 2K: 2.6 MB/s, 45.0 % of a processor; too weak: ", out)
        self.assertIn("read-media/sg, 512K: failed: EIO (sense 70 00 03", out)
        out = hbactl("--capture", capture, "explain", "sdb").stdout
        self.assertIn("\nWhat was measured:\n  read-media/block-buffered, 2K: 2.6 MB/s", out)
        self.assertIn("\n  and 10 more: bench shows all\n", out)

    def test_what_is_in_use_is_said(self):
        machine = load("spi-slow-half-of-a-mirror")
        machine["measures"] = [read("0:0:3:0", "read-media/sg", 64 * KIB, 30)]
        out = self.bench(self.file("used.json", json.dumps(machine)))[1]
        self.assertRegex(out, r"\nIn use: .*mounted on /home.*\n(        .*\n)*It was only read\.\n")

    def test_what_it_proves(self):
        """Of the link that claims 160 MB/s: too fast for it, about right, and a rate that nothing raises."""
        for rate, proves in ((300, "contradicting"), (150, "consistent")):
            capture = self.with_measures([read("0:0:2:0", "read-cached/sg", 64 * KIB, rate)])
            report = json.loads(hbactl("--capture", capture, "report", "--json").stdout)
            self.assertEqual([m["proves"] for m in report["measures"]], [proves])
            self.assertIn("%d.0 MB/s, 5.0 %% of a processor; %s: " % (rate, proves), hbactl("--capture", capture, "show", "sdc").stdout)
        capture = self.with_measures([read("0:0:2:0", what + "/sg", block * KIB, 90)
                                      for what in ("read-buffer", "read-cached") for block in (64, 128)])
        self.assertIn("By the clock, reads end at 90.0 MB/s, from the device's buffer as from its cache", self.bench(capture, columns="200")[1])
        self.assertIn("claims", json.loads(self.bench(capture, "--json")[1])["devices"][0]["plateau"])

    def compare(self, before, after, *words):
        """Of two captures, which differ in their measures only."""
        paths = []
        for name, measures in (("before.json", before), ("after.json", after)):
            machine = load(CASE)
            machine["measures"] = list(measures)
            paths.append(self.file(name, json.dumps(machine)))
        return run(HBACTL, "compare", *paths, *words, env={"COLUMNS": "80"})

    def test_compare(self):
        before = [read("0:0:1:0", "read-media/sg", 64 * KIB, 80, 30), read("0:0:1:0", "read-media/sg-mmap", 64 * KIB, 84, 6)]
        for rates, status, same in (((76, 84), 0, [True, True]), ((75.9, 84), 1, [False, True]), ((80, 88.3), 1, [True, False])):
            with self.subTest(rates=rates):
                after = [read("0:0:1:0", "read-media/sg", 64 * KIB, rates[0], 30), read("0:0:1:0", "read-media/sg-mmap", 64 * KIB, rates[1], 6)]
                p = self.compare(before, after)
                self.assertEqual(p.returncode, status, p.stdout)
                self.assertTrue(p.stdout.endswith("\n%d difference%s; a rate counts (*) where it changed by more than 5 %%.\n" % (status, "" if status else "s")), p.stdout)
                self.assertRegex(p.stdout, r"(?m)^0:0:1:0 +read-media/sg +64K +1 +80\.0 +%.1f +%s +%s3\.75/%.2f$"
                                 % (rates[0], re.escape("%+.1f" % ((rates[0] - 80) / 0.8)), "" if same[0] else r"\* +", 300 / rates[0]))
                self.assertEqual(len(re.findall(r"(?m)^0:.* \* ", p.stdout)), same.count(False))
                pairs = json.loads(self.compare(before, after, "--json").stdout)
                self.assertEqual([(pair["kind"], pair["same"], pair["after_mb_per_s"]) for pair in pairs],
                                 [("rate", same[i], rates[i]) for i in range(2)])

    def test_compare_like_with_like(self):
        """The fastest that counts of each cell; what the other has not is left out."""
        def of(rate, **more):
            return read("0:0:1:0", "read-media/sg", 64 * KIB, rate, **more)
        for other in ({"pattern": "random"}, {"memory": "cold"}, {"together": 2}, {"depth": 2}, {"disturbed": "x"}, {"error": "EIO"}):
            with self.subTest(other=other):
                p = self.compare([of(80)], [of(40, **other)])
                self.assertEqual((p.returncode, p.stdout), (0, "0 differences.\n"))
                self.assertEqual(self.compare([of(80, **other), of(40)], [of(40), of(39)]).returncode, 0)

    def test_hostile_names(self):
        """A disk that calls itself by escape sequences moves no cursor."""
        def rename(name):
            model = b"ST3146807LC     "
            return lambda text: text.replace(model.hex(), name.ljust(len(model)).hex())
        capture = self.with_measures(of_2002(), rename(b'\x1b[2J\x1b]0;\x07,"x'))
        for words in ([], ["--csv"], ["--json"], ["--chart"]):
            status, out, _ = self.bench(capture, "sdb", *words, utf8=True)
            self.assertEqual(status, 0)
            self.assertNotIn("\033", out)
            self.assertNotIn("\007", out)
        rows = list(csv.reader(io.StringIO(self.bench(capture, "sdb", "--csv")[1], newline="")))
        self.assertEqual({len(row) for row in rows}, {32})
        self.assertEqual({row[3] for row in rows[1:]}, {'?[2J?]0;?,"x'})
        hostile = self.with_measures([refused("0:0:1:0", "read-buffer/sg", 512, "EBUSY", "\033[2J\u202egone")])
        for words in ([], ["--csv"]):
            out = self.bench(hostile, *words, utf8=True)[1]
            self.assertIn("gone", out)
            self.assertNotIn("\033", out)
            self.assertNotIn("\u202e", out)
        formula = self.with_measures(of_2002(), rename(b"=1+1,x"))
        rows = list(csv.DictReader(io.StringIO(self.bench(formula, "sdb", "--csv")[1], newline="")))
        self.assertEqual({row["model"] for row in rows}, {"'=1+1,x"})

    def test_nothing_there(self):
        capture = self.with_measures([])
        status, out, err = self.bench(capture)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("nothing was measured here", err)
        self.assertEqual(self.bench(capture, "sdb")[0], 1)
        self.assertEqual(self.bench(capture, "sdzz")[0], 1)

    def test_usage(self):
        for words in (["--method", "read-slowly"], ["--method", ""], ["--block", "1000"], ["--block", "0"], ["--block", "1T"], ["--block", "17M"],
                      ["--block", "99999999999999999999999K"], ["--depth", "0"], ["--depth", "33"], ["--seconds", "0"],
                      ["--seconds", "x"], ["--bytes", "-1"], ["--memory", "warm"], ["--csv", "--json"],
                      ["--random", "--method", "read-buffer"], ["--sysfs-root", "/"]):
            with self.subTest(words=words):
                p = hbactl("bench", "sda", *words)
                self.assertEqual((p.returncode, p.stdout), (64, ""), p.stderr)
        self.assertEqual(hbactl("bench").returncode, 64)
        for words in (["--save", "x"], ["--method", "read-media"], ["--block", "4K"], ["--depth", "1"], ["--sweep"], ["--random"], ["--seeks"],
                      ["--bytes", "1M"], ["--seconds", "1"], ["--memory", "hot"], ["--force"]):
            for where in (["--capture", self.with_measures(of_2002())], ["--sysfs-root", self.dir]):
                p = hbactl(*where, "bench", "sdb", *words)
                self.assertEqual((p.returncode, p.stdout), (64, ""), words)
                self.assertIn("is for measuring", p.stderr)
        self.assertEqual(hbactl("status", "--sweep").returncode, 64)
        self.assertEqual(hbactl("probe", "--capture", "x").returncode, 64)


@unittest.skipUnless(namespaces_work(), "no mount namespace here: not root, or not permitted")
class Machine(unittest.TestCase):
    """hbactl on a machine of ours, whose collector measures as a script says."""

    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp(prefix="hbad-tree-")
        cls.addClassCleanup(shutil.rmtree, cls.root)
        write_tree(load(CASE), cls.root)

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="hbad-bench-")
        self.addCleanup(shutil.rmtree, self.dir)
        shutil.copy(HBACTL, self.dir)
        self.log = os.path.join(self.dir, "log")

    def collector(self, script):
        with open(os.path.join(TESTS, "ctl", "fake_measure.py"), encoding="utf-8") as file:
            before = file.read()
        body = os.path.join(self.dir, "body.py")
        with open(body, "w", encoding="utf-8") as file:
            file.write(before + "\n\n" + script)
        path = os.path.join(self.dir, "hbad-collect")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec %s %s %s %s \"$@\"\n" % (sys.executable, body, COLLECT, self.log))
        os.chmod(path, stat.S_IRWXU)

    def command(self, *words):
        return in_namespace("mount --bind %s/sys /sys" % self.root, os.path.join(self.dir, "hbactl"), "--patience",
                            str(PATIENCE_S), *words)

    def hbactl(self, *words):
        return run(*self.command(*words))

    def runs(self):
        with open(self.log, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def stop_hanging(self):
        with open(os.path.join(self.dir, "pid"), encoding="ascii") as file:
            for pid in file.read().split():
                os.kill(int(pid), signal.SIGKILL)

    HANG = "open(%r, 'a').write('%%d\\n' %% os.getpid()); time.sleep(300)"

    def hang(self):
        self.addCleanup(self.stop_hanging)
        return self.HANG % os.path.join(self.dir, "pid")

    # ---- bench ----

    def test_one_device(self):
        self.collector("well(lambda d: 85)")
        p = self.hbactl("bench", "sdb")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertEqual(self.runs(), [["--measure=read-buffer/sg,read-cached/sg,read-media/sg", "--block=1048576", "--depth=1",
                                        "--seconds=2.000", "--patience=3", "--device=0:0:1:0"]])
        self.assertRegex(p.stdout, r"(?m)^\* +read-buffer/sg +1M +1 +85\.0 ")
        self.assertNotIn("Together", p.stdout)

    def test_arguments(self):
        self.collector("well(lambda d: 85)")
        for words, expected in (
                (["--method", "read-buffer,read-media/sg-mmap", "--block", "512,64K", "--depth", "1,32", "--bytes", "16M",
                  "--seconds", "0.25", "--memory", "cold", "--force"],
                 ["--measure=read-buffer/sg,read-media/sg-mmap", "--block=512,65536", "--depth=1,32", "--bytes=16777216",
                  "--seconds=0.250", "--memory=cold", "--force"]),
                (["--bytes", "1M"], ["--measure=read-buffer/sg,read-cached/sg,read-media/sg", "--block=1048576", "--depth=1",
                                     "--bytes=1048576"]),
                (["--config", "/dev/null"], ["--measure=read-buffer/sg,read-cached/sg,read-media/sg", "--block=1048576", "--depth=1",
                                             "--seconds=2.000", "--config=/dev/null"]),
                (["--random"], ["--measure=read-media/sg", "--block=4096", "--depth=1", "--seconds=2.000", "--random"])):
            with self.subTest(words=words):
                self.assertEqual(self.hbactl("bench", "sdb", *words).returncode, 0)
                config = [expected.pop()] if expected[-1].startswith("--config") else []
                self.assertEqual(self.runs()[-1], [*expected, "--patience=3", *config, "--device=0:0:1:0"])

    def test_what_the_collector_takes(self):
        """An hour of patience, and lists of 32."""
        self.collector("well(lambda d: 85)")
        self.assertEqual(self.hbactl("--patience", "86400", "bench", "sdb").returncode, 0)
        self.assertIn("--patience=3600", self.runs()[-1])
        self.assertEqual(self.hbactl("bench", "sdb", "--depth", ",".join("1" * 32)).returncode, 0)
        p = self.hbactl("bench", "sdb", "--depth", ",".join("1" * 33))
        self.assertEqual(p.returncode, 64)
        self.assertRegex(p.stderr, "^hbactl: --depth 1,.*: more than 32\n$")

    def test_sweep(self):
        self.collector("well(lambda d: 85)")
        p = self.hbactl("bench", "sdb", "--sweep", "--csv")
        rows = list(csv.DictReader(io.StringIO(p.stdout, newline="")))
        self.assertEqual(sorted({int(row["block_bytes"]) for row in rows}), [512 << k for k in range(14)])
        self.assertEqual(len(rows), 14 * 6)
        self.assertIn("--seconds=1.000", self.runs()[0])

    def test_seeks(self):
        """Sequential and seek columns by one command."""
        self.collector("well(lambda d: 0.5 if random else 60)")
        p = self.hbactl("bench", "sdb", "--seeks", "--method", "read-media/block-buffered,read-buffer/sg", "--block", "128K")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual([run[:2] for run in self.runs()],
                         [["--measure=read-media/block-buffered,read-buffer/sg", "--block=131072"],
                          ["--measure=read-media/block-buffered", "--block=4096"]])
        self.assertRegex(p.stdout, r"(?m)^ +read-media/block-buffered random +4K +1 +0\.5 ")

    def test_each_alone_then_together(self):
        self.collector("well(lambda d: 76 if len(devices) > 1 else 85)")
        p = self.hbactl("bench", "sda", "sdb", "sdc", "sdd", "--method", "read-media/sg", "--block", "64K")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertEqual([[word for word in run if word.startswith("--device")] for run in self.runs()],
                         [["--device=0:0:%d:0" % i] for i in range(4)] + [["--device=0:0:%d:0" % i for i in range(4)]])
        self.assertIn("the bus of host0 carries 304.0 of 320.0 MB/s; 4 devices could deliver 340.0", " ".join(p.stdout.split()))

    def test_names(self):
        self.collector("well(lambda d: 85)")
        for name, devices in (("0:0:2:0", 1), ("target0:0:2", 1), ("/dev/sg2", 1), ("host0", 4), ("02:04.0", 4)):
            with self.subTest(name=name):
                if os.path.exists(self.log):
                    os.unlink(self.log)
                p = self.hbactl("bench", name)
                self.assertEqual(p.returncode, 0, p.stderr)
                self.assertEqual(len(self.runs()), devices + (devices > 1))
        for name in ("sdzz", "target0:0:6"):
            p = self.hbactl("bench", name)
            self.assertEqual((p.returncode, p.stdout), (1, ""))
            self.assertIn(name, p.stderr)

    def test_refused(self):
        """One is asleep: the others are measured all the same, and together without it."""
        self.collector("refused = '0:0:1:0'\n"
                       "if refused in devices: send(measures=[{'device': refused, 'method': m, 'block': b, 'bytes': 0, 'us': 0, "
                       "'error': 'EBUSY', 'disturbed': 'it is asleep'} for m in methods for b in blocks]); end()\n"
                       "else: well(lambda d: 85)")
        p = self.hbactl("bench", "sda", "sdb", "sdd", "--block", "64K,128K")
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn("read-buffer/sg, 64K and 5 more: refused: it is asleep.\nNothing was measured that counts.\n", p.stdout)
        self.assertEqual([word for word in self.runs()[-1] if word.startswith("--device")], ["--device=0:0:0:0", "--device=0:0:3:0"])
        self.assertIn("Together: 2 devices", p.stdout)

    def test_hangs(self):
        """Given up; the cell it was at has a result that says so, and the next device is measured."""
        self.collector("if devices == ['0:0:0:0']:\n"
                       "    measured('0:0:0:0', 'read-buffer/sg', 1048576, 85)\n"
                       "    at('0:0:0:0', 'read-cached/sg', 1048576, 2, 3)\n"
                       "    %s\nwell(lambda d: 85)" % self.hang())
        start = time.monotonic()
        p = self.hbactl("bench", "sda", "sdb")
        self.assertLess(time.monotonic() - start, 45)
        self.assertEqual(p.returncode, 1)
        self.assertRegex(p.stderr, r"^hbactl: device 0:0:0:0 has not answered for %d s and is not waited for any longer\n$" % PATIENCE_S)
        self.assertIn("read-cached/sg, 1M: failed: no answer for %d s" % PATIENCE_S, " ".join(p.stdout.split()))
        self.assertRegex(p.stdout, r"0:0:1:0  sdb[^\n]*\n[^\n]*\n\* +read-buffer/sg +1M +1 +85\.0 ")

    def test_moves_on(self):
        """One that says something from time to time is not given up."""
        self.collector("for i in range(5):\n    at(devices[0], methods[0], blocks[0], moved=i)\n    time.sleep(1)\nwell(lambda d: 85)")
        self.assertEqual(self.hbactl("bench", "sda").returncode, 0)

    def test_breaks_off(self):
        self.collector("measured(devices[0], methods[0], blocks[0], 85)\nsys.stderr.write('no luck today\\n')\nos.kill(os.getpid(), 9)")
        p = self.hbactl("bench", "sda")
        self.assertEqual(p.returncode, 1)
        self.assertEqual(p.stderr, "hbactl: hbad-collect for sda ended early (signal 9); what it sent is used. It said: no luck today\n")
        self.assertIn(" 85.0 ", p.stdout)

    def test_sends_garbage(self):
        for garbage in ("garbage", "{}", '{\"hbad-capture\": 1, \"measures\": 7}'):
            for times in ("", "while True: "):
                with self.subTest(garbage=garbage, times=times):
                    self.collector("%ssys.stdout.write('%s\\0')\n" % (times, garbage))
                    p = self.hbactl("bench", "sda")
                    self.assertEqual(p.returncode, 1)
                    self.assertRegex(p.stderr, "sda sent what is no capture")

    def test_says_nothing(self):
        self.collector("end()")
        p = self.hbactl("bench", "sda")
        self.assertEqual(p.returncode, 1)
        self.assertIn("Nothing was measured that counts.", p.stdout)

    def test_usage_of_the_collector(self):
        self.collector("sys.exit('hbad-collect: no such option')")
        self.assertIn("(status 1); what it sent is used. It said: hbad-collect: no such option", self.hbactl("bench", "sda").stderr)

    def test_saved(self):
        self.collector("well(lambda d: 85)")
        plain, scrubbed = (os.path.join(self.dir, name) for name in ("plain", "scrubbed"))
        shown = self.hbactl("bench", "sda", "sdb", "--save", scrubbed)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("scrubbed: wrote 2 hosts, 10 devices", shown.stderr)
        self.assertEqual(self.hbactl("bench", "sda", "--save", plain, "--no-scrub").returncode, 0)
        with open(scrubbed, encoding="utf-8") as file:
            capture = json.load(file)
        self.assertEqual(len(capture["measures"]), 12)
        self.assertTrue(capture["taken"]["scrubbed"])
        with open(plain, encoding="utf-8") as file:
            self.assertFalse(json.load(file)["taken"]["scrubbed"])
        again = hbactl("--capture", scrubbed, "bench", "sda", "sdb")
        self.assertEqual((again.returncode, again.stdout), (0, shown.stdout))

    def test_where_nothing_can_be_saved_nothing_is_measured(self):
        self.collector("well(lambda d: 85)")
        for path, why in (("/nonexistent/file", "No such file or directory"), ("", "No such file or directory"), (self.dir, "Is a directory"),
                          (self.log + "/", "No such file or directory"), (os.path.join(self.dir, "hbactl", "file"), "Not a directory")):
            p = self.hbactl("bench", "sda", "--save", path)
            self.assertEqual((p.returncode, p.stdout, p.stderr), (1, "", "hbactl: %s: %s\n" % (path, why)))
            self.assertFalse(os.path.exists(self.log))

    def on_terminal(self, *words):
        """What standard error gets of a terminal of its own."""
        outer, inner = pty.openpty()
        p = subprocess.Popen(self.command(*words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=inner)
        os.close(inner)
        said = b""
        while select.select([outer], [], [], 30)[0]:
            try:
                part = os.read(outer, 4096)
            except OSError:                 # the other end is closed
                break
            said += part
        os.close(outer)
        return p.wait(), said.decode()

    def test_progress(self):
        self.collector("well(lambda d: 85)")
        status, said = self.on_terminal("bench", "sda", "sdb")
        self.assertEqual(status, 0)
        self.assertIn("\r[....................]   0 %, 18 s left, sda read-buffer/sg\033[K", said)
        self.assertRegex(said, r"\r\[####\.+\]  22 %, 1[34] s left, sda read-media/sg\x1b\[K")
        self.assertRegex(said, r"2 devices read-media/sg\x1b\[K\r\x1b\[K$")

    def test_progress_that_cannot_be(self):
        """Whoever counts cells so has no bar, and nothing else is wrong."""
        for cell, cells in ((1, 0), (3, 2), (1, 2 ** 61), (2 ** 62, 2 ** 62)):
            with self.subTest(cells=cells):
                self.collector("at('0:0:1:0', 'read-media/sg', 1048576, %d, %d)\nwell(lambda d: 85)" % (cell, cells))
                status, said = self.on_terminal("bench", "sdb", "--method", "read-media")
                self.assertEqual(status, 0)
                self.assertEqual(said, "\r[....................]   0 %, 2 s left, sdb read-media/sg\033[K\r\033[K")

    # ---- probe ----

    PROBE = ("hosts = {w.split('=')[1].rstrip('/')[-1]: w for w in words if w.startswith('--below')}\n"
             "mine = [d for d in devices if d] or ['%s:0:%d:0' % (h, i) for h in hosts for i in range(4)]\n"
             "for d in mine:\n"
             "    at(d, 'read-buffer/sg', 65536, 1, len(mine))\n"
             "    if d == '0:0:1:0': send(measures=[{'device': d, 'method': 'read-buffer/sg', 'block': 65536, 'bytes': 0, 'us': 0, "
             "'error': 'EBUSY', 'disturbed': 'it is asleep'}])\n"
             "    else: measured(d, 'read-buffer/sg', 65536, 152)\n"
             "end()")

    def test_probe_all(self):
        self.collector(self.PROBE)
        p = self.hbactl("probe")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertEqual([[word.partition("=")[0] for word in run] for run in self.runs()], [["--below", "--probe"]] * 2)
        self.assertRegex(p.stdout, r"(?m)^0:0:1:0 +sdb +refused +it is asleep$")
        self.assertRegex(p.stdout, r"(?m)^0:0:2:0 +sdc +152\.0 +160\.0 +read-buffer/sg, 64K")

    def test_probe_of_a_host(self):
        self.collector(self.PROBE)
        self.hbactl("probe", "host0", "sdb")
        words = [word for run in self.runs() for word in run[1:]]
        self.assertEqual([word for word in words if word.startswith("--probe")], ["--probe=0:0:1:0"])
        self.assertIn("--select=0:0:2:0", words)      # what hangs on a host is not named by the host's name

    def test_probe_named(self):
        self.collector(self.PROBE)
        p = self.hbactl("probe", "sdb", "sdc", "--force", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual([run[1:] for run in self.runs()], [["--probe=0:0:1:0", "--probe=0:0:2:0", "--force"]])
        devices = json.loads(p.stdout)["devices"]
        self.assertEqual([d["hctl"] for d in devices], ["0:0:1:0", "0:0:2:0"])
        self.assertEqual(devices[0]["measures"][0]["disturbed"], "it is asleep")
        self.assertEqual(devices[1]["measures"][0]["mb_per_s"], 152.0)

    def test_probe_none(self):
        self.collector(self.PROBE)
        p = self.hbactl("probe", "sdb")
        self.assertEqual((p.returncode, p.stderr), (1, "hbactl: nothing could be probed\n"))
        self.assertIn("it is asleep", p.stdout)

    def test_probe_one_adapter_hangs(self):
        self.collector("if any(w.endswith('.1/') for w in words):\n    at('1:0:0:0', 'read-buffer/sg', 65536)\n    %s\n%s"
                       % (self.hang(), self.PROBE))
        p = self.hbactl("probe")
        self.assertEqual(p.returncode, 0)
        self.assertIn("device 1:0:0:0 has not answered for %d s" % PATIENCE_S, p.stderr)
        self.assertRegex(p.stdout, r"(?m)^0:0:2:0 +sdc +152\.0 ")
        self.assertRegex(p.stdout, r"(?m)^1:0:0:0 .*no answer for %d s" % PATIENCE_S)

    def test_commands_no_terminal(self):
        self.collector("send(measures=[{'device': devices[0], 'method': 'read-buffer/sg', 'block': 512, 'bytes': 0, 'us': 0, "
                       "'error': 'EIO', 'disturbed': '\\033[2Jx'}])\nsys.exit('\\033]0;title\\007')")
        p = self.hbactl("bench", "sda")
        self.assertNotIn("\033", p.stdout + p.stderr)


if __name__ == "__main__":
    unittest.main()
