#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbad probes links: test_probes.py PROGRAMS

It runs on a tree of two adapters over /sys, as in test_collect.py, with a collector that reads adapters as the real one does, and
answers for probes what the test says. Intervals are fractions of a second here.
"""
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import daemon
from daemon import OURS

sys.path.insert(1, os.path.join(daemon.TOP, "tests/ctl"))
sys.argv.insert(1, daemon.PROGRAMS)
from machines import COLLECT, in_namespace, load, namespaces_work, write_tree  # noqa: E402 (takes its argument away)

CASE = "spi-fusion-one-at-half-rate"  # two adapters of one host, and four disks and a processor each
ADAPTERS = ["/sys/devices/pci0000:00/0000:00:0a.0/0000:02:04.%d/" % i for i in (0, 1)]
DISKS = ["%d:0:%d:0" % (h, t) for h in (0, 1) for t in range(4)]
READ = 4 << 20

# The collector: what it was asked, and when, goes into a file; then it says of each device what the file of that name says, or
# that it was read well.
COLLECTOR = r"""#!/bin/sh
case "$*" in *--probe*) ;; *) exec %(real)s "$@";; esac
echo "$(date +%%s%%N) $*" >>%(dir)s/asked
part() { printf '{"hbad-capture": 1, %%s}\0' "$1"; }
for word; do
  case "$word" in --select=*|--probe=*) ;; *) continue;; esac
  device=${word#*=}
  part "\"at\": {\"device\": \"$device\", \"cdb\": \"\", \"method\": \"read-buffer/sg\", \"block\": 65536, \"depth\": 1, \"cell\": 1, \"cells\": 1}"
  if [ -e "%(dir)s/do.$device" ]; then . "%(dir)s/do.$device"; continue; fi
  part "\"measures\": [{\"device\": \"$device\", \"method\": \"read-buffer/sg\", \"block\": 65536, \"bytes\": 4194304, \"us\": 50000,
    \"depth\": 1, \"commands\": 64, \"median_us\": 700, \"wall_us\": $(date +%%s%%N | cut -c1-16)}]"
done
part '"end": true'
"""


def fails(error, why="", bytes_read=0, us=5000):
    """What a collector does that gets no result."""
    disturbed = ', \\"disturbed\\": \\"%s\\"' % why if why else ""
    error = ', \\"error\\": \\"%s\\"' % error if error else ""
    return ('part "\\"measures\\": [{\\"device\\": \\"$device\\", \\"method\\": \\"read-buffer/sg\\", \\"block\\": 65536, \\"bytes\\": %d, '
            '\\"us\\": %d, \\"depth\\": 1%s%s}]"\n' % (bytes_read, us, error, disturbed))


@unittest.skipUnless(namespaces_work(), "no mount namespace here: not root, or not permitted")
class Probes(daemon.Test):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="hbad-probes-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.addCleanup(self.stop_hanging)
        self.root = os.path.join(self.dir, "root")
        write_tree(load(CASE), self.root)
        for name in DISKS:
            self.put(name, "queue/rotational", "0\n")  # those that rotate are not read more than hourly
        self.collector = os.path.join(self.dir, "collector")
        with open(self.collector, "w", encoding="ascii") as file:
            file.write(COLLECTOR % {"real": COLLECT, "dir": self.dir})
        os.chmod(self.collector, stat.S_IRWXU)

    def put(self, hctl, name, text):
        block = os.path.join(self.root, "sys/bus/scsi/devices", hctl, "block")
        with open(os.path.join(block, os.listdir(block)[0], name), "w", encoding="ascii") as file:
            file.write(text)

    def do(self, hctl, script):
        """What the collector does of that device from now on; None: reads it well."""
        path = os.path.join(self.dir, "do." + hctl)
        if script is None:
            os.unlink(path)
            return
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(script)
        os.rename(path + ".new", path)

    def hang(self, hctl):
        self.do(hctl, "echo $$ >>%s/pid; exec sleep 300\n" % self.dir)

    def asked(self):
        """Runs so far: when, and the words."""
        try:
            with open(os.path.join(self.dir, "asked"), encoding="ascii") as file:
                return [(int(line.split()[0]) / 1e9, line.split()[1:]) for line in file]
        except FileNotFoundError:
            return []

    @staticmethod
    def devices(words):
        return [w.partition("=")[2] for w in words if w.startswith(("--select=", "--probe="))]

    def times(self, hctl):
        """When it was read."""
        return [when for when, words in self.asked() if hctl in self.devices(words)]

    def collected_by(self):
        return ["--collector", self.collector]

    def machine(self, probe="interval = 1h", more="", arguments=()):
        quick = "[daemon]\npatience = 2s\nquarantine = 100ms\nsettle = 10ms\nclear_after = 1ms\ninterval = 1h\n"
        self.began = time.time()
        return self.start(config=quick + "[probe]\n" + probe + "\n" + more, arguments=[*self.collected_by(), *arguments],
                          before=in_namespace("mount --bind %s/sys /sys" % self.root)).ready()

    def wait_for(self, condition, what=""):
        deadline = time.monotonic() + daemon.PATIENCE
        while not (found := condition()):
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)
        return found

    def probes(self, d):
        return d.ask(OURS + "GetStatus")["parameters"]["probes"]

    def states(self, d):
        adapters = d.ask(OURS + "GetStatus")["parameters"]["adapters"]
        return [a["state"] for a in sorted(adapters, key=lambda a: a["path"])]

    def clocks(self, d):
        """What the clock says of each link that has such a witness."""
        report = d.ask(OURS + "GetReport")["parameters"]["report"]
        return {link["kernel_name"]: w["mb_per_s"] for link in report["links"] for w in link["witnesses"] if w["who"] == "clock"}

    def skipped(self, d):
        return {s["why"]: (s["devices"], s["example"]) for s in self.probes(d)["skipped"]}

    def probe(self, d, *names, **more):
        return d.ask(OURS + "Probe", dict(names=list(names), **more))

    # ---- by and by ----

    def test_all_are_read(self):
        """Not before the interval is over, each link once an interval, and what came of it is in the report."""
        d = self.machine("interval = 2s")
        self.assertEqual(self.probes(d)["devices"], len(DISKS))
        self.assertIsNone(self.probes(d)["last"])
        self.assertAlmostEqual(self.probes(d)["next"], time.time() + 2, delta=3)
        self.assertEqual(self.skipped(d), {"it is no disk": (2, "0:0:6:0")})
        self.wait_for(lambda: all(len(self.times(x)) >= 2 for x in DISKS), self.asked)
        for x in DISKS:
            first, second = self.times(x)[:2]
            # Less what it takes to start a collector, which is the one time more than the other.
            self.assertGreaterEqual(first - self.began, 1.5)
            self.assertGreaterEqual(second - first, 1.5)
        for _, words in self.asked():
            self.assertEqual(len({name[0] for name in self.devices(words)}), 1)  # one adapter a run
            self.assertNotIn("--force", words)
            self.assertIn("--await=0", words)
        self.wait_for(lambda: len(self.clocks(d)) == len(DISKS))
        self.assertEqual(set(self.clocks(d).values()), {83.886})
        self.assertAlmostEqual(self.probes(d)["last"], time.time(), delta=4)
        self.assertEqual(self.states(d), ["waiting", "waiting"])

    def test_results_are_kept(self):
        """Over looks at the adapter; but not where the link is in another mode now."""
        d = self.machine()
        self.assertEqual(self.probe(d, "0:0:0:0", "1:0:0:0")["parameters"]["read"], 2)
        self.wait_for(lambda: len(self.clocks(d)) == 2)
        for _ in range(3):
            d.ask(OURS + "Refresh")
            self.assertEqual(set(self.clocks(d)), {"target0:0:0", "target1:0:0"})
        for target in "target0:0:0", "target1:0:0":
            period = os.path.join(self.root, "sys/class/spi_transport", target, "period")
            with open(period, encoding="ascii") as file:
                before = file.read()
            with open(period, "w", encoding="ascii") as file:
                file.write("50.0\n" if before.strip() != "50.0" else "25.0\n")
            d.ask(OURS + "Refresh")
            self.assertNotIn(target, self.clocks(d))

    def test_over_a_restart(self):
        """What the memory knows of: when the next is due, and what was read today."""
        kept = ["--state-dir", os.path.join(self.dir, "state")]
        os.mkdir(kept[1])
        d = self.machine("interval = 1h\nper_day = 5M", arguments=kept)
        self.assertEqual(self.probe(d, "0:0:0:0")["parameters"]["read"], 1)
        d.ask(OURS + "Refresh")
        last = self.probes(d)["last"]
        self.end(d)
        d = self.machine("interval = 1h\nper_day = 5M", arguments=kept)
        self.wait_for(lambda: self.probes(d)["last"], self.probes(d))
        self.assertAlmostEqual(self.probes(d)["last"], last, delta=60)
        if time.time() % 86400 > 300:
            self.assertEqual(self.probe(d, "0:0:0:0")["parameters"]["read"], 0)  # today's bytes are spent
        self.assertEqual(self.probe(d, "0:0:1:0")["parameters"]["read"], 1)

    def test_one_that_has_become_slow(self):
        """Is told of after two probes that are far enough apart, and not after several looks at one."""
        d = self.machine(more="[thresholds]\nread_below_apart = 3s\n")
        findings = lambda: [f["code"] for f in d.ask(OURS + "GetReport")["parameters"]["report"]["findings"]
                            if "0:0:0:0" in f["names"] or "sda" in f["names"]]
        fast, slow = (fails("", bytes_read=READ, us=us) for us in (50000, 500000))

        def read():
            self.assertEqual(self.probe(d, "0:0:0:0")["parameters"]["read"], 1)
            d.ask(OURS + "Refresh")
            return time.monotonic()

        self.do("0:0:0:0", fast)
        read()
        self.do("0:0:0:0", slow)
        first = read()
        while time.monotonic() < first + 4:
            d.ask(OURS + "Refresh")
            self.assertEqual(findings(), [])
            time.sleep(0.5)
        read()
        self.wait_for(lambda: "read-below-link" in findings(), findings)
        self.do("0:0:0:0", fast)
        read()
        self.wait_for(lambda: findings() == [], findings)

    def test_a_day_s_bytes(self):
        d = self.machine("interval = 100ms\nbytes = 4M\nper_day = 13M\nlongest = 1s")
        if time.time() % 86400 > 86390:
            self.skipTest("the day ends")
        why = "all that may be read of it in a day (per_day) was read"
        self.wait_for(lambda: why in self.skipped(d) and self.skipped(d)[why][0] == len(DISKS), self.asked)
        time.sleep(0.5)
        for x in DISKS:
            self.assertEqual(len(self.times(x)), 3)  # of 4 MiB, with a read before them that counts
        self.assertGreater(self.probes(d)["next"], time.time() // 86400 * 86400 + 86399)
        answer = self.probe(d, "0:0:0:0")["parameters"]
        self.assertEqual(answer["read"], 0)
        self.assertIn("per_day", answer["result"]["devices"][0]["measures"][0]["disturbed"])
        self.assertEqual(len(self.times("0:0:0:0")), 3)

    def test_who_is_busy_is_tried_again(self):
        """Sooner; and who fails later."""
        self.do("0:0:0:0", fails("EBUSY", "3 requests of 0:0:0:0 are under way"))
        self.do("0:0:1:0", fails("EIO"))
        d = self.machine("interval = 3s")
        self.wait_for(lambda: len(self.times("0:0:0:0")) >= 4 and self.times("0:0:1:0"), self.asked)
        times = self.times("0:0:0:0")
        self.assertLess(times[1] - times[0], 2)
        self.assertGreater(times[3] - times[2], times[1] - times[0])
        skipped = self.skipped(d)
        self.assertEqual(skipped["3 requests of 0:0:0:0 are under way"], (1, "0:0:0:0"))
        self.assertEqual(skipped["EIO"], (1, "0:0:1:0"))
        self.do("0:0:0:0", None)
        self.wait_for(lambda: "3 requests of 0:0:0:0 are under way" not in self.skipped(d))
        self.assertEqual(len(self.times("0:0:1:0")), 1)
        self.wait_for(lambda: "target0:0:0" in self.clocks(d))
        self.assertNotIn("target0:0:1", self.clocks(d))

    def test_what_is_forbidden(self):
        d = self.machine("interval = 100ms", "[device \"0:*\"]\ntier = identify\n")
        self.assertEqual(self.probes(d)["devices"], 4)
        self.wait_for(lambda: len(self.asked()) > 5)
        for _, words in self.asked():
            self.assertTrue(all(name.startswith("1:") for name in self.devices(words)), words)
            self.assertIn("--config=" + d.config, words + ["--config=" + d.config] * bool(self.by_socket))
        self.assertTrue(any("tier = identify" in why for why in self.skipped(d)))
        d.write("hbad.conf", "[probe]\ntier = sysfs\n")
        d.ask(OURS + "Reload")
        self.wait_for(lambda: self.probes(d)["devices"] == 0)
        self.assertIsNone(self.probes(d)["next"])

    by_socket = False

    def test_status(self):
        """As people see it."""
        self.do("0:0:1:0", fails("EIO"))
        d = self.machine()

        def service():
            return subprocess.run([os.path.join(daemon.PROGRAMS, "hbactl"), "--socket", d.path, "status", "--service"], check=True,
                                  stdout=subprocess.PIPE, encoding="utf-8", env=dict(os.environ, LC_ALL="C", TZ="UTC")).stdout

        self.assertRegex(service(), r"(?m)^It probes 8 devices: there is no result yet, the next one is due 20[-0-9: ]+ UTC\.$")
        self.assertIn("  without 2, 0:0:6:0 among them: it is no disk\n", service())
        self.probe(d, "0:0:0:0", "0:0:1:0")
        self.assertRegex(service(), r"(?m)^It probes 8 devices: the last result is of 20[-0-9: ]+ UTC, the next")
        self.assertIn("  without 0:0:1:0: EIO\n", service())

    # ---- what goes wrong ----

    def test_one_that_hangs(self):
        """It costs one process, its adapter is left alone, the other one goes on; then all is well by itself."""
        self.hang("1:0:1:0")
        d = self.machine("interval = 300ms")
        self.wait_for(lambda: self.states(d) == ["waiting", "quarantine"], self.asked)
        notes = lambda: d.ask(OURS + "GetReport")["parameters"]["report"]["notes"]
        self.wait_for(lambda: any("1:0:1:0 has not answered" in note for note in notes()), notes)
        n = len(self.times("0:0:0:0"))
        self.wait_for(lambda: len(self.times("0:0:0:0")) > n + 2)
        self.assertEqual(len(self.hanging()), 1)
        self.assertRegex("\n".join(self.skipped(d)), "device 1:0:1:0 has not answered for [0-9]+ s")
        answer = self.probe(d, "1:0:2:0")["parameters"]
        self.assertIn("left alone", answer["result"]["devices"][0]["measures"][0]["disturbed"])
        d.ask(OURS + "Refresh")
        self.assertEqual(len(self.hanging()), 1)
        before = len(self.times("1:0:2:0"))
        self.do("1:0:1:0", None)
        self.stop_hanging()
        self.wait_for(lambda: len(self.times("1:0:2:0")) > before + 1)
        self.assertEqual(self.states(d), ["waiting", "waiting"])
        self.wait_for(lambda: not notes(), notes)

    def test_ends_while_one_hangs(self):
        self.hang("0:0:0:0")
        d = self.machine("interval = 100ms")
        self.wait_for(self.hanging)
        begin = time.monotonic()
        d.process.send_signal(signal.SIGTERM)
        d.process.wait(daemon.PATIENCE)
        self.assertLess(time.monotonic() - begin, 10)

    def test_a_collector_that_lies(self):
        """What it says of others, without end, or what is no capture, is no result."""
        d = self.machine()
        for script, error in (("device=0:0:1:0; " + fails("", bytes_read=READ), None), ("part 'nonsense'", None), ("exit 3", None),
                              ("printf '\\0'; exit 0", None), (fails("EIO"), "EIO")):
            with self.subTest(script):
                self.do("0:0:0:0", script)
                answer = self.probe(d, "0:0:0:0")["parameters"]
                self.assertEqual(answer["read"], 0)
                (device,) = answer["result"]["devices"]
                self.assertEqual([c.get("error") for c in device["measures"]], [error] if error else [])
                if not error:
                    self.assertIn("nothing was said of it", "".join(answer["text"]))
        self.assertEqual(self.clocks(d), {})
        self.do("0:0:0:0", None)
        self.assertEqual(self.probe(d, "0:0:0:0")["parameters"]["read"], 1)

    def test_an_adapter_goes_while_it_is_read(self):
        self.hang("1:0:0:0")
        d = self.machine()
        client = d.client()
        client.call(OURS + "Probe", {"names": ["1:0:0:0"]})
        self.wait_for(self.hanging)
        os.unlink(os.path.join(self.root + "/sys/class/scsi_host/host1"))
        d.ask(OURS + "Refresh")
        answer = client.message()["parameters"]
        self.assertEqual((answer["read"], answer["notes"]), (0, ["its adapter is gone"]))
        client.close()
        self.assertEqual(self.probe(d, "0:0:0:0")["parameters"]["read"], 1)

    def test_the_real_one(self):
        """It is told all that it must know; there are no nodes of the disks of this tree."""
        self.collected_by = lambda: ["--collector", COLLECT]
        d = self.machine()
        for force in False, True:
            (device,) = self.probe(d, "0:0:0:0", force=force)["parameters"]["result"]["devices"]
            (read,) = device["measures"]
            self.assertNotIn(read["error"], ("EPERM", "EBUSY", "EINVAL"))
            self.assertEqual(read["bytes"], 0)
        self.put("0:0:3:0", "inflight", "       1        2\n")
        (device,) = self.probe(d, "0:0:0:0")["parameters"]["result"]["devices"]
        self.assertEqual(device["measures"][0]["disturbed"], "3 requests of 0:0:3:0 are under way")

    # ---- on request ----

    def test_on_request(self):
        d = self.machine()
        answer = self.probe(d, "sda", "host1", columns=200)["parameters"]
        self.assertEqual((answer["read"], answer["notes"]), (5, []))
        self.assertEqual([x["hctl"] for x in answer["result"]["devices"]], ["0:0:0:0"] + DISKS[4:])
        cell = answer["result"]["devices"][0]["measures"][0]
        self.assertEqual((cell["method"], cell["bytes"], cell["mb_per_s"]), ("read-buffer/sg", READ, 83.886))
        text = "".join(answer["text"])
        self.assertRegex(text, r"0:0:0:0 +sda +83\.9 +320\.0 +read-buffer")
        (_, first), (_, second) = self.asked()
        self.assertIn("--probe=0:0:0:0", first)
        self.assertEqual({w for w in second if w.startswith("--select=")}, {"--select=" + x for x in DISKS[4:]})
        self.assertEqual(len(self.clocks_when(d, 5)), 5)
        answer = self.probe(d, "sda", force=True)["parameters"]
        self.assertIn("--force", self.asked()[-1][1])

    def clocks_when(self, d, n):
        self.wait_for(lambda: len(self.clocks(d)) == n)
        return self.clocks(d)

    def test_all(self):
        d = self.machine()
        for x in "0:0:6:0", "1:0:6:0":
            self.do(x, fails("EPERM", "it is no disk"))
        answer = self.probe(d)["parameters"]
        self.assertEqual(answer["read"], len(DISKS))
        self.assertIn("it is no disk", "".join(answer["text"]))

    def test_errors(self):
        d = self.machine()
        self.assert_error(self.probe(d, "sda", "nobody"), OURS + "NoSuchObject", {"name": "nobody"})
        self.assert_error(self.probe(d, columns=-1), "org.varlink.service.InvalidParameter", {"parameter": "columns"})
        self.assert_error(self.probe(d, *["sda"] * 257), "org.varlink.service.InvalidParameter", {"parameter": "names"})
        self.assert_error(d.ask(OURS + "Probe", {"names": "sda"}), "org.varlink.service.InvalidParameter", {"parameter": "names"})
        self.assertEqual(self.asked(), [])
        d = self.start(daemon.golden(CASE)).ready()
        self.assertEqual(self.probe(d)["error"], OURS + "NothingToProbe")
        self.assertIsNone(self.probes(d))

    def test_only_root_may(self):
        d = self.machine()
        os.chmod(d.dir.name, 0o755)
        p = subprocess.run([os.path.join(daemon.PROGRAMS, "hbactl"), "--socket", d.path, "probe", "sda"], user=65534, group=65534,
                           extra_groups=[], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, encoding="utf-8")
        self.assertEqual((p.returncode, p.stdout, p.stderr),
                         (1, "", "hbactl: only root and members of the group hbad may have hbad do that\n"))
        self.assertEqual(self.asked(), [])

    def test_progress(self):
        """With more, each device is told as it is done."""
        d = self.machine()
        client = d.client()
        client.call(OURS + "Probe", {"names": ["host0"]}, more=True)
        for n in range(1, 5):
            message = client.message()
            self.assertTrue(message["continues"])
            self.assertEqual(message["parameters"], {"device": "0:0:%d:0" % (n - 1), "done": n, "of": 4})
        message = client.message()
        self.assertNotIn("continues", message)
        self.assertEqual(message["parameters"]["read"], 4)
        client.close()

    def test_are_remembered_and_drawn(self):
        """How fast it was, and how long one read took, over a restart."""
        kept = ["--state-dir", os.path.join(self.dir, "state")]
        os.mkdir(kept[1])
        d = self.machine(arguments=kept)
        for _ in range(2):
            self.assertEqual(self.probe(d, "sda")["parameters"]["read"], 1)
        self.end(d)
        d = self.machine(arguments=kept)
        objects = d.ask(OURS + "History", {"name": "sda"})["parameters"]["objects"]
        probe = [p for o in objects for p in o["probes"]]
        self.assertEqual([(p["method"], p["times"], p["mb_per_s"], p["median_us"]) for p in probe], [("read-buffer/sg", 1, 83.886, 700)] * 2)
        page = "".join(d.ask(OURS + "GetPage", {})["parameters"]["page"])
        self.assertTrue("read-buffer/sg, blocks of 64 KiB: one read takes" in page)

    def test_two_ask_for_the_same(self):
        """One run answers both; who wants more than it gives gets another."""
        self.do("0:0:0:0", "while ! [ -e %s/go ]; do sleep 0.05; done\n" % self.dir + COLLECTOR_READS)
        d = self.machine()
        clients = [d.client() for _ in range(3)]
        clients[0].call(OURS + "Probe", {"names": ["0:0:0:0"]})
        self.wait_for(self.asked)
        clients[1].call(OURS + "Probe", {"names": ["0:0:0:0"]})
        clients[2].call(OURS + "Probe", {"names": ["0:0:0:0"], "force": True})
        self.wait_for(lambda: d.ask(OURS + "GetStatus")["parameters"]["clients"] >= 4)
        time.sleep(0.2)
        with open(self.dir + "/go", "w", encoding="ascii"):
            pass
        answers = [c.message()["parameters"] for c in clients]
        self.assertEqual([a["read"] for a in answers], [1, 1, 1])
        self.assertEqual(answers[0], answers[1])
        self.assertEqual([("--force" in words) for _, words in self.asked()], [False, True])
        for c in clients:
            c.close()

    def test_who_asks_and_goes(self):
        d = self.machine()
        self.do("0:0:0:0", "while ! [ -e %s/go ]; do sleep 0.05; done\n" % self.dir + COLLECTOR_READS)
        client = d.client()
        client.call(OURS + "Probe", {"names": ["host0"]}, more=True)
        self.wait_for(self.asked)
        client.close()
        many = [d.client() for _ in range(17)]
        for c in many:
            c.call(OURS + "Probe", {"names": ["1:0:0:0"]})
        with open(self.dir + "/go", "w", encoding="ascii"):
            pass
        answers = [c.message() for c in many]
        self.assertTrue(any(a.get("error") == OURS + "Busy" for a in answers))
        self.assertGreaterEqual(sum(a["parameters"].get("read", 0) for a in answers), 15)
        self.assertEqual(len(self.times("1:0:0:0")), 1)
        for c in many:
            c.close()
        self.assertEqual(len(self.clocks_when(d, 5)), 5)  # what was begun is used

    def test_hbactl(self):
        """Says of the daemon's probe what it says of its own."""
        d = self.machine()
        beside = os.path.join(self.dir, "bin")
        os.mkdir(beside)
        shutil.copy(os.path.join(daemon.PROGRAMS, "hbactl"), beside)
        os.symlink(self.collector, os.path.join(beside, "hbad-collect"))
        self.do("0:0:1:0", fails("EBUSY", "3 requests of 0:0:1:0 are under way"))

        def hbactl(*words):
            command = in_namespace("mount --bind %s/sys /sys" % self.root, os.path.join(beside, "hbactl"), "probe", *words)
            p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, encoding="utf-8",
                               timeout=daemon.PATIENCE, env=dict(os.environ, LC_ALL="C"))
            return p.returncode, re.sub(r'("wall_us": ?)[0-9]+', r"\1 0", p.stdout), p.stderr

        asks, direct = ["--socket", d.path], ["--direct", "--config", d.config]
        for words in (["host0"], ["sda", "sdb"], ["--json=short", "sda", "1:0:0:0"], ["--json=pretty", "sdb"], ["--force", "sda"]):
            with self.subTest(words):
                before = len(self.asked())
                got, want = hbactl(*asks, *words), hbactl(*direct, *words)
                by_daemon, by_itself = self.asked()[before:before + (len(self.asked()) - before) // 2], self.asked()[-1:]
                self.assertEqual(got, want)
                self.assertTrue(any("--await=0" in w for _, w in by_daemon))
                self.assertFalse(any("--await=0" in w for _, w in by_itself))
        status, out, err = hbactl(*asks, "nobody")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("nothing here is called nobody", err)
        status, out, err = hbactl("--socket", self.dir + "/none", "--daemon", "sda")
        self.assertEqual((status, out), (1, ""))
        before = len(self.asked())
        self.assertEqual(hbactl("--socket", self.dir + "/none", "sda")[0], 0)  # without a daemon by itself
        self.assertEqual(len(self.asked()), before + 1)


COLLECTOR_READS = fails("", bytes_read=READ)


class ProbesBySocket(Probes):
    """The same where systemd starts collectors."""
    by_socket = True

    def collected_by(self):
        listener = socket.socket(socket.AF_UNIX)
        path = tempfile.mktemp(dir=self.dir)
        listener.bind(path)
        listener.listen()
        self.addCleanup(listener.close)
        threading.Thread(target=self.serve, args=(listener,), daemon=True).start()
        return ["--collect-socket", path]

    def serve(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve_one, args=(connection,), daemon=True).start()

    def serve_one(self, connection):
        """The real one is told by the connection; ours by its command line."""
        with connection:
            request = b""
            while not request.endswith(b"\0"):
                request = connection.recv(1 << 16, socket.MSG_PEEK)
            call = json.loads(request[:-1])
            asked, command = call["parameters"], [COLLECT, "--serve"]
            if call["method"] == "io.hbad.collect.Probe":
                connection.recv(len(request))
                command = [self.collector, "--below=" + asked["below"], "--probe", "--await=%d" % asked["await"],
                           *("--probe=" + x for x in asked["named"]), *("--select=" + x for x in asked["devices"]),
                           *["--force"] * asked["forced"]]
            subprocess.run(in_namespace("mount --bind %s/sys /sys" % self.root, *command), stdin=connection,
                           stdout=connection, stderr=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    daemon.main()
