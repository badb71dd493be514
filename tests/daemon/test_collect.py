#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbad with collectors that hang, fail and lie: test_collect.py PROGRAMS

It watches the machine that it runs on, so it gets a /sys of its own: a tree of two adapters, in a mount namespace. Where
that is not permitted (no root), this is skipped.
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

CASE = "spi-fusion-one-at-half-rate"  # two adapters of one host and five links each
SECOND = "/sys/devices/pci0000:00/0000:00:0a.0/0000:02:04.1/"
LINKS_EACH = 5
HANGS_AT = "1:0:2:0"
# What it is about to ask, and then nothing; the pid is kept, to end it.
HANG = ('printf \'{"hbad-capture": 1, "at": {"device": "%s", "cdb": "5a 00 19 03 00 00 00 02 00 00"}}\\0\'\n'
        'echo $$ >>$pid; exec sleep 300\n' % HANGS_AT)
# All that the real one sends of the second adapter but its end.
ALL_BUT_THE_END = "$real \"$@\" | tr '\\0' '\\n' | grep -v '\"end\"' | tr '\\n' '\\0'\n"
QUICK = "[daemon]\npatience = 2s\nquarantine = 100ms\nsettle = 10ms\nclear_after = 1ms\ninterval = "


# Sends events as udevd does to who listens (libudev's own format, src/libsystemd/sd-device/device-monitor.c), within the
# network namespace that it runs in: action and path of each on a line of standard input, then how often.
EVENTS = """
import socket, struct, sys

def murmur2(data, m=0x5bd1e995, h=0):  # by which the kernel filters subsystems for libudev
    h ^= len(data)
    while len(data) >= 4:
        k = struct.unpack("I", data[:4])[0] * m & 0xffffffff
        h, data = (h * m & 0xffffffff) ^ ((k ^ k >> 24) * m & 0xffffffff), data[4:]
    if data:
        h = (h ^ int.from_bytes(data, "little")) * m & 0xffffffff
    h = (h ^ h >> 13) * m & 0xffffffff
    return h ^ h >> 15

s = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 15)  # NETLINK_KOBJECT_UEVENT
s.bind((0, 0))
for line in sys.stdin:
    action, path, times = line.split()
    p = b"".join(b"%s=%s\\0" % x for x in ((b"ACTION", action.encode()), (b"DEVPATH", path.encode()), (b"SUBSYSTEM", b"scsi"),
                                          (b"SEQNUM", b"1")))
    header = b"libudev\\0" + struct.pack("!I", 0xfeedcafe) + struct.pack("III", 40, 40, len(p)) + struct.pack("!I", murmur2(b"scsi")) + bytes(12)
    for _ in range(int(times)):
        s.sendto(header + p, (0, 2))
"""


@unittest.skipUnless(namespaces_work(), "no mount namespace here: not root, or not permitted")
class Machine(daemon.Test):
    LAST_WORDS = ".*no luck"  # what it says on its standard error goes into the report

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="hbad-machine-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.root = os.path.join(self.dir, "root")
        write_tree(load(CASE), self.root)
        self.addCleanup(self.stop_hanging)

    def collector(self, script):
        """One that does the script for the second adapter, and is the real one for the first."""
        path = os.path.join(self.dir, "collector")
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nreal=%s\npid=%s/pid\nfor word; do\n  if [ \"$word\" = --below=%s ]; then\n%s\n  fi\ndone\n"
                       "exec $real \"$@\"\n" % (COLLECT, self.dir, SECOND, script))
        os.chmod(path + ".new", stat.S_IRWXU)
        os.rename(path + ".new", path)
        return path

    def collected_by(self, collector):
        return ["--collector", collector]

    def machine(self, script=":", interval="1h", before=()):
        return self.start(config=QUICK + interval + "\n", arguments=self.collected_by(self.collector(script)),
                          before=[*before, *in_namespace("mount --bind %s/sys /sys" % self.root)])

    def status(self, d):
        """Of the first and the second adapter."""
        adapters = d.ask(OURS + "GetStatus")["parameters"]["adapters"]
        return sorted(adapters, key=lambda a: a["path"])

    def wait(self, d, condition):
        """Until the status of both adapters is so. Returns it."""
        deadline = time.monotonic() + daemon.PATIENCE
        while True:
            status = self.status(d)
            if len(status) == 2 and condition(*status):
                return status
            self.assertLess(time.monotonic(), deadline, status)
            time.sleep(0.02)

    def report(self, d):
        return d.ask(OURS + "GetReport")["parameters"]["report"]

    def assert_first_is_whole(self, report):
        links = [x for x in report["links"] if x["kernel_name"].startswith("target0:")]
        self.assertEqual([link["state"] for link in links], ["up"] * LINKS_EACH)

    def test_whole(self):
        d = self.machine().ready()
        report = self.report(d)
        self.assertEqual(report["notes"], [])
        self.assertEqual(report["summary"]["links"], 2 * LINKS_EACH)
        out = subprocess.run(in_namespace("mount --bind %s/sys /sys" % self.root, os.path.join(daemon.PROGRAMS, "hbactl"),
                                          "--config", d.config, "--json=short"), stdout=subprocess.PIPE, check=False).stdout
        want = json.loads(out)
        for r in report, want:
            del r["taken"]
            for finding in r["findings"]:
                del finding["since"]
        self.assertEqual(report, want)
        for adapter in self.status(d):
            self.assertEqual((adapter["state"], adapter["stuck"], adapter["notes"]), ("waiting", 0, []))
            self.assertGreater(adapter["next_read"], adapter["last_read"] - 2)

    def test_device_that_hangs(self):
        """Said, and not asked again until it answers; the others are seen all the time. Then all is well by itself."""
        once = "case \"$*\" in *--unasked*|*--after*) exec $real \"$@\";; esac\n"
        d = self.machine(once + ALL_BUT_THE_END + HANG).ready()
        _, second = self.wait(d, lambda a, b: b["state"] == "quarantine")
        self.assertEqual(second["stuck"], 1)
        report = self.report(d)
        self.assertEqual(report["summary"]["links"], 2 * LINKS_EACH)
        self.assertTrue(any(HANGS_AT in note for note in report["notes"]), report["notes"])
        self.assertEqual(report["summary"]["unexamined"], 1)
        for _ in range(5):
            d.ask(OURS + "Refresh")
            self.assertEqual(len(self.hanging()), 1)
            report = self.report(d)
            self.assertEqual(report["summary"]["links"], 2 * LINKS_EACH)
            self.assertTrue(any(HANGS_AT in note for note in report["notes"]), report["notes"])
            self.assertTrue(any("not asked" in note for note in report["notes"]), report["notes"])
            gaps = [g for g in report["gaps"] if g["quality"] == "timed out"]
            self.assertEqual([(g["what"], g["example"]) for g in gaps], [("SCSI commands", HANGS_AT)])
            self.assert_first_is_whole(report)
        self.collector(":")
        self.stop_hanging()
        self.wait(d, lambda a, b: b["state"] == "waiting" and not b["notes"])
        report = self.report(d)
        self.assertNotIn("unexamined", report["summary"])
        self.assertEqual(report["notes"], [])

    def test_every_device_hangs(self):
        """Three are waited for, then none is asked; each costs one process."""
        d = self.machine("case \"$*\" in *--unasked*) exec $real \"$@\";;\n*--after=1:0:0:0*) at=1:0:1:0;; "
                         "*--after=1:0:1:0*) at=1:0:2:0;; *) at=1:0:0:0;; esac\n" + ALL_BUT_THE_END +
                         'printf \'{"hbad-capture": 1, "at": {"device": "%s", "cdb": "12 00 00 00 24 00"}}\\0\' $at\n'
                         'echo $$ >>$pid; exec sleep 300\n').ready()
        self.wait(d, lambda a, b: b["stuck"] == 3 and b["state"] == "quarantine")
        d.ask(OURS + "Refresh")
        self.assertEqual(len(self.hanging()), 3)
        self.assert_first_is_whole(self.report(d))

    def test_adapter_that_hangs(self):
        """It gets no second process, and the first adapter is read every round."""
        d = self.machine("echo $$ >>$pid; exec sleep 300", interval="100ms").ready()
        self.wait(d, lambda a, b: b["state"] == "hanging")
        rounds = d.ask(OURS + "GetStatus")["parameters"]["rounds"]
        deadline = time.monotonic() + daemon.PATIENCE
        while d.ask(OURS + "GetStatus")["parameters"]["rounds"] < rounds + 5:
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(len(self.hanging()), 1)
        self.assert_first_is_whole(self.report(d))
        self.assertEqual(self.report(d)["summary"]["links"], LINKS_EACH)
        self.collector(":")
        self.stop_hanging()
        self.wait(d, lambda a, b: b["state"] != "hanging" and not b["notes"] and b["last_read"])
        d.ask(OURS + "Refresh")
        self.assertEqual(self.report(d)["summary"]["links"], 2 * LINKS_EACH)

    def test_first_report_waits_for_all(self):
        """But for what hangs: that is said."""
        d = self.machine("sleep 0.5; exec $real \"$@\"").ready()
        self.assertEqual(self.report(d)["summary"]["links"], 2 * LINKS_EACH)
        d = self.machine("echo $$ >>$pid; exec sleep 300").ready()
        report = self.report(d)
        self.assert_first_is_whole(report)
        self.assertEqual(report["summary"]["unexamined"], 1)
        self.assertRegex("\n".join(report["notes"]), "host1.* has not (been read|answered)")

    def test_first_look_takes_long(self):
        """More time is asked for; after six times the patience what is known is the first report, whatever goes on."""
        os.unlink(self.root + "/sys/class/scsi_host/host0")
        d = self.start(config="[daemon]\npatience = 1s\ninterval = 1h\n", arguments=self.collected_by(self.collector(
            'echo $$ >>$pid; while sleep 0.1; do printf \'{"hbad-capture": 1, "at": {"device": "1:0:0:0", "cdb": "00"}}\\0\'; done')),
                       before=in_namespace("mount --bind %s/sys /sys" % self.root))
        text = d.notified("EXTEND_TIMEOUT_USEC=")
        self.assertGreaterEqual(int(re.search(r"EXTEND_TIMEOUT_USEC=(\d+)", text)[1]), 20000000)
        self.assertIn("\nSTATUS=Looking at all adapters: 0 of ", text)
        self.assertEqual(d.ask(OURS + "GetReport")["error"], OURS + "NotReady")
        d.ready()
        self.assertRegex("\n".join(self.report(d)["notes"]), "host1 has not been read yet")

    def test_ends_while_all_hangs(self):
        d = self.machine("echo $$ >>$pid; exec sleep 300")
        deadline = time.monotonic() + daemon.PATIENCE
        while not self.hanging():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        client = d.client()
        answer = client.ask(OURS + "GetReport")  # nothing has been read of the second one yet, and that keeps nobody waiting
        self.assertTrue("report" in answer["parameters"] or answer["error"] == OURS + "NotReady")
        client.close()
        begin = time.monotonic()
        d.process.send_signal(signal.SIGTERM)
        d.process.wait(daemon.PATIENCE)
        self.assertLess(time.monotonic() - begin, 10)

    def test_what_fails_costs_what_was_known_nothing(self):
        """A round that brings nothing leaves the last one that did, and says so."""
        d = self.machine().ready()
        for script, said in (("echo no luck >&2; exit 5", "ended early" + self.LAST_WORDS), ("$real \"$@\" | head -c 3000; exit 0", "ended early"),
                             ("while printf 'garbage\\0'; do :; done", "no capture"), ("printf '\\0'", "no capture"),
                             ("printf '{\"hbad-capture\": 1, \"end\": true}\\0'; exit 0", "sent nothing"),
                             ("exit 0", "ended early")):
            with self.subTest(script):
                self.collector(script)
                d.ask(OURS + "Refresh")
                report = self.report(d)
                self.assertEqual(report["summary"]["links"], 2 * LINKS_EACH)
                self.assertEqual(report["summary"]["unexamined"], 1)
                self.assertRegex("\n".join(report["notes"]), said)
                self.collector(":")
                d.ask(OURS + "Refresh")
                self.assertEqual(self.report(d)["notes"], [])

    def test_what_fails_does_not_keep_others_from_being_remembered(self):
        d = self.machine().ready()
        self.collector("exit 5")
        period = [os.path.join(dir, "period") for dir, _, files in os.walk(self.root + "/sys/devices") if "period" in files and "target0:0:0" in dir][0]
        for text in ("12.5", "6.25", "12.5"):
            with open(period, "w", encoding="ascii") as file:
                file.write(text + "\n")
            d.ask(OURS + "Refresh")
        report = self.report(d)
        self.assertEqual(report["summary"]["unexamined"], 1)
        self.assertIn(("link-flapping", ["target0:0:0", "sda"]), [(f["code"], f["names"]) for f in report["findings"]])

    def test_adapter_that_goes_and_comes(self):
        """What only the other one has seen of it in passing does not bring it back."""
        d = self.machine().ready()
        link = os.path.join(self.root + "/sys/class/scsi_host/host1")
        target = os.readlink(link)
        os.unlink(link)
        d.ask(OURS + "Refresh")
        self.assertEqual(len(self.status(d)), 1)
        self.assertEqual([h["kernel_name"] for h in self.report(d)["hosts"]], ["host0"])
        os.symlink(target, link)
        d.ask(OURS + "Refresh")
        self.assertEqual(len(self.status(d)), 2)
        self.assertEqual([h["kernel_name"] for h in self.report(d)["hosts"]], ["host0", "host1"])

    def send_events(self, d, *events):
        subprocess.run(["nsenter", "--target", str(d.process.pid), "--net", sys.executable, "-c", EVENTS],
                       input="".join("%s %s %d\n" % e for e in events), text=True, check=True)

    def test_events(self):
        """What happens is looked at, once it is over, whatever comes of it; a storm is a few looks, and ends with the truth."""
        d = self.machine("echo . >>%s/looks" % self.dir, before=["unshare", "--net"]).ready()
        looks = lambda: os.path.getsize(self.dir + "/looks") // 2
        host1, before = SECOND[len("/sys"):] + "host1", looks()
        self.send_events(d, ("change", host1 + "/target1:0:0/1:0:0:0/block/sdf", 5))  # says nothing
        link = os.path.join(self.root + "/sys/class/scsi_host/host1")
        target = os.readlink(link)
        os.unlink(link)
        self.send_events(d, ("remove", host1 + "/target1:0:0/1:0:0:0", 3000), ("remove", host1, 1))
        self.wait_for(lambda: len(self.status(d)) == 1)
        d.ask(OURS + "Refresh")
        self.assertEqual([h["kernel_name"] for h in self.report(d)["hosts"]], ["host0"])
        os.symlink(target, link)
        self.send_events(d, ("add", host1 + "/target1:0:0", 3000), ("add", host1, 1))
        self.wait(d, lambda a, b: b["last_read"] is not None)
        d.ask(OURS + "Refresh")
        self.assertEqual(self.report(d)["summary"]["links"], 2 * LINKS_EACH)
        self.assertLess(looks() - before, 100)  # of six thousand events; how many there are depends on how fast all this is

    def wait_for(self, condition):
        deadline = time.monotonic() + daemon.PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_that_is_not_there(self):
        run = subprocess.run([os.path.join(daemon.PROGRAMS, "hbad"), "--collector", "/nonexistent"], stderr=subprocess.PIPE,
                             timeout=daemon.PATIENCE, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"/nonexistent", run.stderr)

    def test_no_adapter(self):
        shutil.rmtree(self.root + "/sys/class/scsi_host")
        d = self.machine().ready()
        self.assertEqual(self.report(d)["summary"]["hosts"], 0)


class MachineBySocket(Machine):
    """The same where systemd starts collectors: a connection each, the request comes by it."""
    LAST_WORDS = ""  # they go to the journal

    def collected_by(self, collector):
        listener = socket.socket(socket.AF_UNIX)
        path = tempfile.mktemp(dir=self.dir)
        listener.bind(path)
        listener.listen()
        self.addCleanup(listener.close)
        threading.Thread(target=self.serve, args=(listener, collector), daemon=True).start()
        return ["--collect-socket", path]

    def serve(self, listener, collector):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve_one, args=(connection, collector), daemon=True).start()

    def serve_one(self, connection, collector):
        """The real one is told by the connection; the other one by its command line."""
        with connection:
            request = b""
            while not request.endswith(b"\0"):
                request = connection.recv(1 << 16, socket.MSG_PEEK)
            asked = json.loads(request[:-1])["parameters"]
            command = [COLLECT, "--serve"]
            if asked["below"] == SECOND:
                connection.recv(len(request))
                command = [collector, "--below=" + SECOND, *("--after=" + asked[k] for k in asked if k == "after"),
                           *["--unasked"] * asked["unasked"]]
            subprocess.run(in_namespace("mount --bind %s/sys /sys" % self.root, *command), stdin=connection,
                           stdout=connection, stderr=subprocess.DEVNULL, check=False)

    def test_nobody_at_the_socket(self):
        d = self.start(config=QUICK + "1h\n", arguments=["--collect-socket", self.dir + "/none"],
                       before=in_namespace("mount --bind %s/sys /sys" % self.root)).ready()
        self.assertRegex("\n".join(self.report(d)["notes"]), "cannot be started: No such file")


class Serve(daemon.Test):
    """What hbad-collect takes at a socket, and what not."""

    def ask(self, request):
        ours, its = socket.socketpair()
        with its, subprocess.Popen([COLLECT, "--serve"], stdin=its, stdout=its, stderr=subprocess.PIPE) as process:
            its.close()
            with ours:
                ours.settimeout(daemon.PATIENCE)
                ours.sendall(request)
                ours.shutdown(socket.SHUT_WR)
                answer = b""
                try:
                    while data := ours.recv(1 << 16):
                        answer += data
                except ConnectionResetError:
                    pass  # it did not want to hear the end
            said = process.stderr.read().decode()
        return process.returncode, answer, said

    def test_refused(self):
        call = '{"method":"io.hbad.collect.Adapter","parameters":{%s}}\0'
        for request, said in (("", "No data"), ("\0", "breaks off"), ("{}\0", "no method"), (call % "", "parameter"),
                              ('{"method":"io.hbad.collect.Other"}\0', "no such method"),
                              (call % '"below":"/etc/"', "no directory of devices"),
                              (call % '"below":"/sys/devices/../../etc/"', "no directory of devices"),
                              (call % '"below":"/sys/devices/x"', "no directory of devices"),
                              (call % '"below":"/sys/devices/x/","after":"--config=/etc/shadow"', "after is no H:C:T:L"),
                              (call % '"below":"/sys/devices/x/","config":"/etc/shadow"', "parameter"),
                              (call % ('"below":"/sys/devices/%s/"' % ("x" * 40000)), "too long")):
            with self.subTest(request[:80]):
                status, answer, why = self.ask(request.encode())
                self.assertEqual((status, answer), (1, b""))
                self.assertIn(said, why)

    def test_who_asked_has_gone(self):
        """That is no failure of the collector, and no line in the journal."""
        ours, its = socket.socketpair()
        ours.sendall(b'{"method":"io.hbad.collect.Adapter","parameters":{"below":"/sys/devices/x/","unasked":true}}\0')
        ours.close()
        with its:
            p = subprocess.run([COLLECT, "--serve"], stdin=its, stdout=its, stderr=subprocess.PIPE, timeout=daemon.PATIENCE, check=False)
        self.assertEqual((p.returncode, p.stderr), (0, b""))

    def test_probes_are_refused(self):
        call = '{"method":"io.hbad.collect.Probe","parameters":{"below":"/sys/devices/x/"%s}}\0'
        for more, said in (("", "no devices"), (',"devices":["sda"]', "no H:C:T:L"), (',"devices":"0:0:0:0"', "parameter"),
                           (',"devices":["0:0:0:0","0:0:0:0"]', "twice"), (',"devices":["0:0:0:0"],"await":1000', "await"),
                           (',"devices":["0:0:0:0"],"after":"0:0:0:0"', "parameter"),
                           (',"devices":[%s]' % ",".join('"0:0:0:%d"' % i for i in range(257)), "too many")):
            with self.subTest(more[:80]):
                status, answer, why = self.ask((call % more).encode())
                self.assertEqual((status, answer), (1, b""))
                self.assertIn(said, why)

    def test_a_probe_of_what_is_not_there(self):
        status, answer, why = self.ask(b'{"method":"io.hbad.collect.Probe","parameters":{"below":"/sys/devices/x/",'
                                       b'"devices":["999:0:0:0"],"named":["999:0:0:1"]}}\0')
        self.assertEqual((status, why), (0, ""))
        parts = [json.loads(part) for part in answer.split(b"\0")[:-1]]
        found = {m["device"]: m["error"] for part in parts for m in part.get("measures", [])}
        self.assertEqual(found, {"999:0:0:0": "ENODEV", "999:0:0:1": "ENODEV"})
        self.assertTrue(parts[-1]["end"])

    def test_an_adapter_that_is_not_there(self):
        status, answer, why = self.ask(b'{"method":"io.hbad.collect.Adapter","parameters":'
                                       b'{"below":"/sys/devices/no/such/adapter/","unasked":true}}\0')
        self.assertEqual((status, why), (0, ""))
        self.assertIn(b'"end"', answer)


if __name__ == "__main__":
    daemon.main()
