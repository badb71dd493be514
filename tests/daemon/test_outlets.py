#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hbad says to those who watch many machines: test_outlets.py PROGRAMS"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import daemon
from daemon import OURS, SERVICE, golden

sys.path.insert(1, os.path.join(daemon.TOP, "tests/metrics"))
from prometheus import parse  # noqa: E402

BELOW = "spi-fusion-one-at-half-rate"


def hbactl(*words):
    return subprocess.run([os.path.join(daemon.PROGRAMS, "hbactl"), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, encoding="utf-8", env=dict(os.environ, LC_ALL="C"))


class Metrics(daemon.Test):
    def file(self, d):
        # Written behind the report, and before anything that waits for the end of a look is answered.
        d.ask(OURS + "GetStatus")
        with open(d.file("run/metrics.prom"), encoding="utf-8") as file:
            return file.read()

    def test_file(self):
        days = golden("sata-link-flapping")
        d = self.start(days).ready()
        for day in range(len(days)):
            text = self.file(d)
            families = parse(text)
            of_report = hbactl(*(w for c in days[day:day + 1] for w in ("--capture", c)), "--config", d.config, "metrics").stdout
            names = {n for n in families if n.startswith("hba_")}
            self.assertLessEqual(names, set(parse(of_report)) | {"hba_finding_info"})
            self.assertEqual(families["hba_report_timestamp_seconds"].value(),
                             parse(of_report)["hba_report_timestamp_seconds"].value())
            self.assertEqual(os.stat(d.file("run/metrics.prom")).st_mode & 0o7777, 0o644)
            d.ask(OURS + "Refresh")
        self.assertEqual(sorted(os.listdir(d.file("run"))), ["metrics.prom", "report.json"])

    def test_of_hbad_itself(self):
        d = self.start(golden(BELOW)).ready()
        families = parse(self.file(d))
        self.assertGreater(families["hbad_resident_memory_bytes"].value(), 1 << 20)
        self.assertEqual(families["hbad_build_info"].labels(), [{"version": hbactl("--version").stdout.split()[1]}])
        self.assertEqual({s["of"] for s in families["hbad_cpu_seconds_total"].labels()}, {"hbad", "children"})
        for name in ("hbad_adapter_stuck_processes", "hbad_adapter_quarantined"):
            self.assertEqual(list(families[name].samples.values()), [0])
        self.assertGreater(families["hbad_start_timestamp_seconds"].value(), 1.6e9)

    def test_a_configuration_that_is_not_used(self):
        for text, is_refused in (("", 0), ("[daemon]\nno_such_key = 1\n", 0), ("[link \"sda\"]\nignore = perhaps\n", 1)):
            d = self.start(golden(BELOW), config=text).ready()
            self.assertEqual(parse(self.file(d))["hbad_configuration_refused"].value(), is_refused, text)
            with open(d.config, "w", encoding="ascii") as file:
                file.write("[link\n")
            d.ask(OURS + "Reload")
            deadline = time.monotonic() + daemon.PATIENCE
            while not parse(self.file(d))["hbad_configuration_refused"].value():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)

    def test_verb(self):
        """hbactl prints the daemon's: what is of the report is as in the file, what is of hbad is of now."""
        d = self.start(golden(BELOW)).ready()
        run = hbactl("--socket", d.path, "--daemon", "metrics")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        told, written = parse(run.stdout), parse(self.file(d))
        self.assertEqual(set(told), set(written))
        for name, family in told.items():
            if name.startswith("hba_"):
                self.assertEqual(family.samples, written[name].samples)
        self.assertEqual(told["hbad_clients"].value(), 1)


    def test_acknowledged(self):
        """A loss that somebody knows of is info, and it is said that somebody does."""
        days = golden("sas-shelf-unplugged-one-finding")
        d = self.start(days).ready()
        for _ in days[1:]:
            d.ask(OURS + "Refresh")
        lost = lambda: [s for s in parse(self.file(d))["hba_finding_info"].labels() if s["code"] == "link-lost"]
        before, = lost()
        self.assertNotIn("acknowledged", before)
        self.assertNotIn("error", d.ask(OURS + "Acknowledge", {"name": before["name"], "reason": "it is being moved"}))
        self.assertEqual(lost(), [dict(before, acknowledged="yes", severity="info")])

    def ask(self, d):
        return parse(hbactl("--socket", d.path, "--daemon", "metrics").stdout)

    def test_of_the_memory(self):
        with tempfile.TemporaryDirectory(prefix="hbad-state-") as folder:
            d = self.start(golden(BELOW), arguments=["--state-dir", folder]).ready()
            deadline = time.monotonic() + daemon.PATIENCE
            while not (families := self.ask(d))["hbad_history_records_total"].value():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            self.assertEqual(families["hbad_history_lost_records_total"].value(), 0)
            self.assertIn("hbad_history_waiting_records", families)
        self.assertNotIn("hbad_history_records_total", self.ask(self.start(golden(BELOW)).ready()))

    def test_of_the_watcher(self):
        """It watches this machine, whatever that has."""
        families = self.ask(self.start().ready())
        for name in ("running", "rounds_total", "reads_total", "costly_reads_total", "cpu_seconds_total", "stuck_processes"):
            self.assertIn("hbad_watcher_" + name, families)
        self.assertNotIn("hbad_watcher_running", self.ask(self.start(golden(BELOW)).ready()))


class Check(daemon.Test):
    """A monitoring plugin, which tests/ctl/test_check.py has more of."""

    def test_same_as_direct(self):
        d = self.start(golden(BELOW)).ready()
        of_capture = [word for path in golden(BELOW) for word in ("--capture", path)]
        for words in ([], ["sdc"], ["-v", "host0", "target0:0:1"], ["-w", "0", "-c", "5"], ["--number=links", "-c", "11:"],
                      ["--format=checkmk"], ["--strict"], ["nobody"]):
            there, here = hbactl("--socket", d.path, "check", *words), hbactl(*of_capture, "check", *words)
            self.assertEqual((there.returncode, there.stderr), (here.returncode, here.stderr), words)
            self.assertEqual(re.sub(r" 'age'=0s;;;0;|[|]age=0;;;0;", "", there.stdout), here.stdout, words)
            self.assertNotEqual(there.stdout, here.stdout, words)  # it has an age

    def test_a_loss_that_is_acknowledged(self):
        """It is known how such a link is, and alarms nowhere, by its name as little as among all."""
        days = golden("fc-linkdown-stale-speed")
        d = self.start(days).ready()
        for _ in days[1:] * 2:  # it is told when it was seen twice
            d.ask(OURS + "Refresh")
        self.assertEqual(hbactl("--socket", d.path, "check", "host0").returncode, 2)
        self.assertIn("parameters", d.ask(OURS + "Acknowledge", {"name": "host0", "reason": "it is out for repair"}))
        for words in ([], ["host0"]):
            p = hbactl("--socket", d.path, "check", *words)
            self.assertEqual(p.returncode, 0, p.stdout)
            self.assertIn(", 1 down", p.stdout)

    def test_old_report(self):
        """Of this machine, whatever that has: nobody looks again for a day."""
        d = self.start(config="[daemon]\nwatch = 1d\ncounters = 1d\n").ready()
        deadline = time.monotonic() + daemon.PATIENCE
        while not (p := hbactl("--socket", d.path, "check", "--max-age", "1")).stdout.startswith("HBAD UNKNOWN - the report is "):
            self.assertLess(time.monotonic(), deadline, p.stdout)
            time.sleep(0.1)
        self.assertEqual(p.returncode, 3)
        self.assertRegex(p.stdout, r"is \d+ s old, of 20\d\d-.* UTC; then: ")
        self.assertNotIn(" s old", hbactl("--socket", d.path, "check").stdout)

    def test_arguments(self):
        d = self.start(golden(BELOW)).ready()
        answer = d.ask(OURS + "Check", {"names": ["sdc"], "critical": "0"})["parameters"]
        self.assertEqual(answer["status"], 2)
        self.assertTrue("".join(answer["text"]).startswith("HBAD CRITICAL - below is 1 (critical 0): 1 link"), answer)
        for name, value in (("number", "planets"), ("warning", "x"), ("critical", ""), ("format", "xml"), ("max_age", -1),
                            ("max_age", 1 << 40), ("names", ["a"] * 65)):
            self.assert_error(d.ask(OURS + "Check", {"names": [], name: value}), SERVICE + "InvalidParameter", {"parameter": name})


class Entries(daemon.Test):
    """The journal, when much happens at once, or again and again."""
    QUICK = "[daemon]\nclear_after = 1ms\n"

    def put(self, days):
        """Captures as files, a minute after one another, or so many as each says."""
        folder = tempfile.TemporaryDirectory(prefix="hbad-days-")
        self.addCleanup(folder.cleanup)
        paths, us = [], 60 * 10**6
        begin = dict(days[0][0]["taken"])
        minutes = 0
        for capture, after in days:
            minutes += after
            capture["taken"].update(wall_us=begin["wall_us"] + minutes * us, mono_us=begin["mono_us"] + minutes * us)
            paths.append(os.path.join(folder.name, "%d.json" % len(paths)))
            with open(paths[-1], "w", encoding="utf-8") as file:
                json.dump(capture, file)
        return paths

    def entries(self, d, looks):
        found = d.journal.entries()
        for _ in range(looks):
            d.ask(OURS + "Refresh")
            found += d.journal.entries()
        return found

    def shelf(self, rate):
        """A machine whose five faster disks behind an expander run at that rate, by the word of the HBA alone."""
        with open(golden("sas-two-expanders-healthy")[0], encoding="utf-8") as file:
            capture = json.load(file)
        capture["commands"] = []
        for path, values in capture["dirs"].items():
            if re.search(r"/sas_phy/phy-11:0:(4|8|11|12|14)$", path):
                values["negotiated_linkrate"] = rate + "\n"
        return capture

    def test_many_at_once(self):
        """Five links of one host fall: one entry with the names of all, each is in the report, and one entry when they are well again."""
        days = [(self.shelf("12.0 Gbit"), 0), *[(self.shelf("6.0 Gbit"), 10) for _ in range(2)],
                *[(self.shelf("12.0 Gbit"), 10) for _ in range(3)]]
        d = self.start(self.put(days), config=self.QUICK).ready()
        d.journal.entries()
        entries = self.entries(d, 2)
        report = d.report()
        fallen = [f for f in report["findings"] if f["severity"] == "warning"]
        self.assertEqual(len(fallen), 5)
        self.assertEqual(len({f["code"] for f in fallen}), 1)
        mine = [e for e in entries if dict(e)["HBAD_CODE"] == fallen[0]["code"]]
        self.assertEqual(len(mine), 1)
        fields = dict(mine[0])
        self.assertRegex(fields["MESSAGE"], "^5 links of host11 at once: .*: phy-11:0:4, phy-11:0:8, phy-11:0:11 and 2 more$")
        self.assertEqual((fields["HBAD_COUNT"], fields["HBAD_HOST"], fields["PRIORITY"], fields["HBAD_CHANGE"]),
                         ("5", "host11", "4", "raised"))
        of = lambda entry, name: [v for k, v in entry if k == name]
        self.assertEqual(of(mine[0], "HBAD_SUBJECT"), [s for f in fallen for s in f["subjects"]])
        self.assertEqual(of(mine[0], "HBAD_NAME"), [s for f in fallen for s in f["names"]])
        self.assertEqual(fields["HBAD_SUBJECTS"].split(" "), of(mine[0], "HBAD_SUBJECT"))
        over = [e for e in self.entries(d, 3) if dict(e)["HBAD_CODE"] == fallen[0]["code"]]
        self.assertEqual([dict(e)["HBAD_CHANGE"] for e in over], ["cleared"])
        self.assertRegex(dict(over[0])["MESSAGE"], "^over: 5 links of host11 at once: ")
        self.assertEqual(of(over[0], "HBAD_SUBJECT"), of(mine[0], "HBAD_SUBJECT"))

    def test_twenty_falls(self):
        """A link that falls and rises twenty times: what it is first, that it flaps, and that this is over; not forty entries."""
        load = lambda n: json.load(open(golden("sata-link-flapping")[n], encoding="utf-8"))
        days = [(load(0), 0)] + [(load(n), 1) for _ in range(20) for n in (1, 0)] + [(load(0), 30) for _ in range(6)]
        d = self.start(self.put(days), config=self.QUICK).ready()
        entries = self.entries(d, 40)
        report = d.report()
        self.assertEqual([f["code"] for f in report["findings"]].count("link-flapping"), 1)
        told = [(dict(e)["HBAD_CODE"], dict(e)["HBAD_CHANGE"]) for e in entries + self.entries(d, 7)]
        self.assertEqual([c for c in told if c[0] == "link-flapping"], [("link-flapping", "raised"), ("link-flapping", "cleared")])
        self.assertLessEqual(len(told), 4, told)


class SystemdService(daemon.Test):
    """The interface that systemd's own services have."""
    NAME = "io.systemd.service."

    def test_interface(self):
        d = self.start(golden(BELOW)).ready()
        text = d.ask(SERVICE + "GetInterfaceDescription", {"interface": self.NAME[:-1]})["parameters"]["description"]
        with open(os.path.join(daemon.TOP, "daemon/io.systemd.service.varlink"), encoding="utf-8") as file:
            self.assertEqual(text, file.read())
        with open(os.path.join(daemon.TOP, "daemon/service.c"), encoding="utf-8") as file:
            table = re.search(r"METHODS\[\] = \{(.*?)\n\};", file.read(), re.S)[1]
        self.assertEqual(re.findall(r"^method (\w+)", text, re.M), re.findall(r'"([A-Z]\w+)"', table))

    def test_log_level(self):
        d = self.start(golden(BELOW), journal=False).ready()
        self.assertEqual(d.ask(self.NAME + "Ping"), {"parameters": {}})
        self.assertEqual(d.ask(self.NAME + "GetLogLevel"), {"parameters": {"level": 6}})
        for level in (-1, 8, 1 << 40):
            self.assert_error(d.ask(self.NAME + "SetLogLevel", {"level": level}), SERVICE + "InvalidParameter",
                              {"parameter": "level"})
        self.assert_error(d.ask(self.NAME + "SetLogLevel"), SERVICE + "InvalidParameter", {"parameter": "level"})
        d.write("hbad.conf", "[daemon]\nno_such_key = 1\n")
        said = lambda: sum("no_such_key" in line for line in d.said)
        d.ask(OURS + "Reload")
        self.assertTrue(d.says("no_such_key"))
        self.assertEqual(d.ask(self.NAME + "SetLogLevel", {"level": 3}), {"parameters": {}})  # what is wrong, and no warnings
        d.ask(OURS + "Reload")
        d.write("hbad.conf", "[daemon]\ninterval = soon\n")
        d.ask(OURS + "Reload")
        self.assertTrue(d.says("interval: must be"), d.said)
        self.assertEqual(said(), 1)
        self.assertEqual(d.ask(self.NAME + "GetLogLevel"), {"parameters": {"level": 3}})


class Supervision(daemon.Test):
    """What the service manager is told."""

    def test_watchdog(self):
        """Told again and again, in a third of the time that it gives."""
        d = self.start(golden(BELOW), environment={"WATCHDOG_USEC": "300000"}).ready()
        for _ in range(5):
            self.assertEqual(d.notified("WATCHDOG="), "WATCHDOG=1")
        d = self.start(golden(BELOW), environment={"WATCHDOG_USEC": "300000", "WATCHDOG_PID": "1"}).ready()
        d.notify.settimeout(1)
        with self.assertRaises(TimeoutError):
            d.notified("WATCHDOG=")  # it is for another process

    def test_reload_says_so(self):
        d = self.start(golden(BELOW)).ready()
        d.write("hbad.conf", "[daemon]\ninterval = soon\n")
        run = hbactl("--socket", d.path, "reload")
        self.assertEqual(run.returncode, 1)
        self.assertIn("hbad.conf:2: interval: must be", run.stderr)
        self.assertRegex(d.notified("RELOADING=1"), "^RELOADING=1\nMONOTONIC_USEC=[0-9]+$")
        self.assertEqual(d.notified("READY=1"), "READY=1")
        d.write("hbad.conf", "")
        run = hbactl("--socket", d.path, "reload")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        d.notified("RELOADING=1")
        d.notified("READY=1")


if __name__ == "__main__":
    daemon.main()
