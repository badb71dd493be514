#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbad and its watcher on a copied tree whose files change: test_watcher.py PROGRAMS

Who reads what is seen by the kernel's own account of it (inotify).
"""
import ctypes
import json
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time

import daemon
from daemon import OURS

sys.path.insert(1, os.path.join(daemon.TOP, "tests/ctl"))
sys.argv.insert(1, daemon.PROGRAMS)
from machines import COLLECT, load, write_tree  # noqa: E402 (takes its argument away)

SAS = "sas-two-expanders-healthy"    # one adapter; phys of it and of expanders, all at 12 Gb/s
SPI = "spi-fusion-one-at-half-rate"  # two adapters of one host and five links each
FIRST = "/sys/devices/pci0000:00/0000:00:0a.0/0000:02:04.0/"
SECOND = "/sys/devices/pci0000:00/0000:00:0a.0/0000:02:04.1/"
ROUND_S = 0.1
TIMES = ("[daemon]\nwatch = 100ms\ncounters = {counters}\ncostly_reads = {costly}\npatience = {patience}\nsettle = 10ms\n"
         "quarantine = 100ms\nclear_after = 1ms\n")
IN_OPEN, IN_NONBLOCK = 0x20, os.O_NONBLOCK


class Opens:
    """Counts how often files are opened."""

    def __init__(self, paths):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(IN_NONBLOCK)
        self.names = {libc.inotify_add_watch(self.fd, p.encode(), IN_OPEN): p for p in paths}
        self.counts = dict.fromkeys(paths, 0)

    def take(self):
        """So far, of each."""
        try:
            while True:
                data = os.read(self.fd, 1 << 16)
                while data:
                    wd, _, _, length = struct.unpack_from("iIII", data)
                    self.counts[self.names[wd]] += 1
                    data = data[16 + length:]
        except BlockingIOError:
            return dict(self.counts)

    def total(self):
        return sum(self.take().values())

    def close(self):
        os.close(self.fd)


class Machine(daemon.Test):
    """A tree that is watched."""

    def watched_by(self):
        return []

    def setUp(self):
        # Thousands of files that are made and replaced: in memory, where that can be.
        self.dir = tempfile.mkdtemp(prefix="hbad-watcher-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.addCleanup(shutil.rmtree, self.dir)
        self.root = os.path.join(self.dir, "root")
        self.programs = tempfile.mkdtemp(prefix="hbad-watcher-")  # and memory may be closed to programs
        self.addCleanup(shutil.rmtree, self.programs)

    def find(self, name, below="/sys/devices"):
        """Files of that name, sorted, as they are in the tree."""
        return sorted(os.path.join(d, name) for d, _, names in os.walk(self.root + below) if name in names)

    @staticmethod
    def read(path):
        with open(path, encoding="ascii") as file:
            return file.read()

    @staticmethod
    def put(path, text):
        """Replaces a file: nobody sees half of it."""
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(text)
        os.rename(path + ".new", path)

    def machine(self, case, counters="200ms", costly=1000000, patience="20s"):
        """hbad on the case's tree, when it has been read and is watched. Runs of its collectors are counted."""
        write_tree(load(case), self.root)
        collector = os.path.join(self.programs, "collector")
        with open(collector, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\ncase "$*" in *--watch*) ;; *) echo x >>%s/runs\n'
                       'while [ -e %s/hold ]; do sleep 0.05; done ;; esac\nexec %s "$@"\n' % (self.dir, self.dir, COLLECT))
        os.chmod(collector, stat.S_IRWXU)
        d = self.start(config=TIMES.format(counters=counters, costly=costly, patience=patience),
                       arguments=["--sysfs-root", self.root, "--collector", collector, *self.watched_by()]).ready()
        self.wait(d, lambda s: s["watcher"]["rounds"] > 5 and s["watcher"]["unwatched"] == 0)
        return d

    def runs(self):
        return len(self.read(os.path.join(self.dir, "runs")).split())

    def status(self, d):
        return d.ask(OURS + "GetStatus")["parameters"]

    def wait(self, d, condition):
        """Until the status is so. Returns it."""
        deadline = time.monotonic() + daemon.PATIENCE
        while True:
            status = self.status(d)
            if condition(status):
                return status
            self.assertLess(time.monotonic(), deadline, status)
            time.sleep(0.01)

    def rounds(self, d, n):
        """Waits for so many rounds."""
        end = self.status(d)["watcher"]["rounds"] + n
        return self.wait(d, lambda s: s["watcher"]["rounds"] >= end)

    def report_when(self, d, condition):
        deadline = time.monotonic() + daemon.PATIENCE
        while True:
            report = d.ask(OURS + "GetReport")["parameters"]["report"]
            if condition(report):
                return report
            self.assertLess(time.monotonic(), deadline, report["summary"])
            time.sleep(0.01)

    def fast_phy(self):
        return [p for p in self.find("negotiated_linkrate") if "12.0" in self.read(p)][0]

    def links(self, d, name):
        return [x for x in d.ask(OURS + "GetReport")["parameters"]["report"]["links"] if x["kernel_name"] == name]

    def child(self, d):
        """The watcher's pid."""
        with open("/proc/%d/task/%d/children" % (d.process.pid, d.process.pid), encoding="ascii") as file:
            for pid in file.read().split():
                try:
                    if b"--watch" in open("/proc/%s/cmdline" % pid, "rb").read():
                        return int(pid)
                except FileNotFoundError:
                    pass
        return None


class Watcher(Machine):
    # -- what changes

    def test_rate_falls_and_comes_back(self):
        d = self.machine(SAS)
        phy, runs = self.fast_phy(), self.runs()
        client = d.client()
        client.call(OURS + "Monitor", more=True)
        while "machine" not in client.message()["parameters"]:
            pass
        self.put(phy, "6.0 Gbit\n")
        name = os.path.basename(os.path.dirname(phy))
        self.report_when(d, lambda r: r["summary"]["below"])
        self.assertEqual(self.links(d, name)[0]["actual"]["label"], "6.0 Gb/s")
        told = client.message()["parameters"]
        self.assertEqual([x["actual"]["label"] for x in told["links"] if x["kernel_name"] == name], ["6.0 Gb/s"])
        entry = dict(d.journal.entry())
        self.assertEqual(entry["HBAD_CHANGE"], "raised")
        self.wait(d, lambda _: self.runs() > runs)  # the adapter is read anew
        self.put(phy, "12.0 Gbit\n")
        self.report_when(d, lambda r: not r["summary"]["below"])
        client.close()

    def test_counters_grow(self):
        d = self.machine(SAS)
        count = os.path.join(os.path.dirname(self.fast_phy()), "invalid_dword_count")
        name, runs = os.path.basename(os.path.dirname(count)), self.runs()
        self.put(count, "3\n")
        self.report_when(d, lambda r: any(x["kernel_name"] == name and x["counters"].get("invalid_dword_count") == 3 for x in r["links"]))
        self.rounds(d, 5)
        self.assertEqual(self.runs(), runs)  # and nothing is asked for it

    def test_a_mode_that_costs_to_read(self):
        d = self.machine(SPI)
        period, runs = [p for p in self.find("period") if self.read(p).startswith("6.25")][0], self.runs()
        name = os.path.basename(os.path.dirname(period))
        self.put(period, "12.5\n")
        self.report_when(d, lambda r: any(x["kernel_name"] == name and x["actual"]["label"] == "Ultra160" for x in r["links"]))
        self.wait(d, lambda _: self.runs() > runs)  # the adapter is read anew

    def test_nothing_is_judged_by_halves(self):
        """What devices said before a change, and what the driver says since, are not of one time."""
        d = self.machine(SAS)
        runs, hold = self.runs(), os.path.join(self.dir, "hold")
        self.put(hold, "")
        self.put(self.fast_phy(), "6.0 Gbit\n")
        self.wait(d, lambda _: self.runs() > runs)
        self.rounds(d, 3)
        report = d.ask(OURS + "GetReport")["parameters"]["report"]
        self.assertEqual((report["summary"]["below"], report["summary"]["unknown"]), (0, 0))
        os.unlink(hold)
        self.report_when(d, lambda r: r["summary"]["below"])

    def test_what_cannot_be_read_anew_is_judged(self):
        d = self.machine(SAS, patience="1s")
        runs = self.runs()
        self.put(os.path.join(self.dir, "hold"), "")
        self.put(self.fast_phy(), "6.0 Gbit\n")
        self.wait(d, lambda _: self.runs() > runs)
        self.report_when(d, lambda r: r["summary"]["below"])
        os.unlink(os.path.join(self.dir, "hold"))

    def test_what_vanishes_is_looked_for(self):
        d = self.machine(SPI)
        before = len(self.report_when(d, lambda r: True)["devices"])
        gone = [p for p in self.find("state", SECOND) if "1:0:" in os.path.basename(os.path.dirname(p))][-1]
        hctl = os.path.basename(os.path.dirname(gone))
        os.unlink(self.root + "/sys/bus/scsi/devices/" + hctl)
        shutil.rmtree(os.path.dirname(gone))
        self.report_when(d, lambda r: len(r["devices"]) == before - 1)

    def test_storm(self):
        d = self.machine(SAS, counters="1min")
        phy, runs = self.fast_phy(), self.runs()
        for n in range(500):
            self.put(phy, "6.0 Gbit\n" if n % 2 == 0 else "3.0 Gbit\n")
            time.sleep(0.004)
        self.report_when(d, lambda r: r["summary"]["below"])
        self.put(phy, "12.0 Gbit\n")
        self.report_when(d, lambda r: not r["summary"]["below"])
        self.assertLessEqual(self.runs() - runs, 4)  # not once a change
        raised = [e for e in d.journal.entries() if ("HBAD_CHANGE", "raised") in e]
        self.assertLess(len(raised), 20)

    def test_told_again(self):
        d = self.machine(SAS)
        with open(d.config, "w", encoding="ascii") as file:
            file.write("[daemon]\nwatch = 1h\ncounters = 1h\n")
        self.assertEqual(d.ask(OURS + "Reload")["parameters"]["warnings"], [])
        time.sleep(3 * ROUND_S)
        rounds = self.status(d)["watcher"]["rounds"]
        time.sleep(5 * ROUND_S)
        self.assertEqual(self.status(d)["watcher"]["rounds"], rounds)

    # -- what it costs

    def test_nothing_happens(self):
        d = self.machine(SAS)
        phys = self.find("negotiated_linkrate")
        self.rounds(d, 10)
        file, runs = d.file("run/report.json"), self.runs()
        inode, taken = os.stat(file).st_ino, d.report()["taken"]
        opens = Opens(phys)
        self.addCleanup(opens.close)
        deadline = time.monotonic() + daemon.PATIENCE
        while d.report()["taken"] == taken:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.rounds(d, 10)
        self.assertEqual(os.stat(file).st_ino, inode)  # not written anew: nothing was judged
        self.assertEqual(self.runs(), runs)
        self.assertGreater(opens.total(), 0)
        self.assertEqual(d.ask(OURS + "GetReport")["parameters"]["report"]["summary"], d.report()["summary"])
        self.assertEqual(dict(d.report(), taken=""), dict(d.ask(OURS + "GetReport")["parameters"]["report"], taken=""))

    def test_costly_reads_are_bounded(self):
        per_s, at_once = 20, 8
        d = self.machine(SAS, counters="10ms", costly=60 * per_s)
        files = self.find("invalid_dword_count") + self.find("loss_of_dword_sync_count") + \
            self.find("running_disparity_error_count") + self.find("phy_reset_problem_count")
        opens, began = Opens(files), time.monotonic()
        self.addCleanup(opens.close)
        counts = []
        while time.monotonic() < began + 4:
            time.sleep(0.1)
            counts.append((time.monotonic(), opens.total()))
        self.assertGreater(counts[-1][1], per_s)  # it reads
        for t, n in counts:
            for u, k in counts:
                if u > t:
                    self.assertLessEqual(k - n, per_s * (u - t) + 2 * at_once)
        self.assertLessEqual(max(opens.take().values()), counts[-1][1] // len(files) + 1)  # each in its turn

    def test_none_where_none_are_allowed(self):
        d = self.machine(SAS, costly=0)
        opens = Opens(self.find("invalid_dword_count") + self.find("current_link_speed"))
        self.addCleanup(opens.close)
        self.rounds(d, 10)
        self.assertEqual((opens.total(), self.status(d)["watcher"]["costly"]), (0, 0))

    def test_what_pauses_or_wakes_is_left_alone(self):
        d = self.machine(SPI)
        opens = Opens(self.find("signalling"))
        self.addCleanup(opens.close)
        self.assertTrue(opens.counts)
        self.rounds(d, 10)
        self.assertEqual(opens.total(), 0)
        d.stop()
        shutil.rmtree(self.root)
        d = self.machine(SAS)
        functions = self.find("current_link_speed")
        for function in functions:
            os.makedirs(os.path.join(os.path.dirname(function), "power"), exist_ok=True)
            self.put(os.path.join(os.path.dirname(function), "power/runtime_status"), "suspended\n")
        self.rounds(d, 5)
        opens = Opens(functions)
        self.addCleanup(opens.close)
        asleep = self.status(d)["watcher"]["asleep"]
        self.wait(d, lambda s: s["watcher"]["asleep"] > asleep + len(functions))
        self.assertEqual(opens.total(), 0)

    # -- what hangs, and ends

    def test_killed(self):
        d = self.machine(SAS)
        pid = self.child(d)
        os.kill(pid, signal.SIGKILL)
        self.wait(d, lambda s: s["watcher"]["state"] == "failed" or self.child(d) not in (None, pid))
        self.wait(d, lambda s: s["watcher"]["state"] != "failed" and s["watcher"]["unwatched"] == 0 and
                  self.child(d) not in (None, pid))
        self.put(self.fast_phy(), "6.0 Gbit\n")
        self.report_when(d, lambda r: r["summary"]["below"])

    def test_stopped(self):
        """One that is alive and says nothing is left behind; at no adapter, no adapter pays for it."""
        d = self.machine(SAS, patience="500ms")
        pid = self.child(d)
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        self.wait(d, lambda s: s["watcher"]["stuck"] == 1)
        self.put(self.fast_phy(), "6.0 Gbit\n")
        if self.status(d)["adapters"][0]["state"] != "hanging":
            self.report_when(d, lambda r: r["summary"]["below"])
            self.wait(d, lambda _: self.child(d) is not None)

    def test_one_adapter_hangs(self):
        d = self.machine(SPI, patience="500ms")
        path = self.find("state", SECOND)[-1]
        text, fifo = self.read(path), os.path.join(self.dir, "fifo")
        os.mkfifo(fifo)
        os.link(fifo, path + ".new")
        os.rename(path + ".new", path)
        status = self.wait(d, lambda s: s["watcher"]["stuck"] == 1 and s["adapters"][1 - (s["adapters"][0]["path"] == FIRST) or 1])
        by_path = {a["path"]: a for a in status["adapters"]}
        self.assertEqual((by_path[FIRST]["stuck"], by_path[SECOND]["stuck"]), (0, 1))
        self.assertEqual(by_path[SECOND]["state"], "hanging")
        self.assertRegex(" ".join(by_path[SECOND]["notes"]), "has not answered the watcher")
        report = self.report_when(d, lambda r: r["notes"])
        self.assertRegex(" ".join(report["notes"]), "has not answered the watcher")
        # The other one is watched on, and no second watcher goes where the first one hangs.
        offline = [p for p in self.find("state", FIRST) if "0:0:0:0/" in p][0]
        self.put(offline, "offline\n")
        self.report_when(d, lambda r: any(f["code"] == "device-stuck" for f in r["findings"]))
        self.rounds(d, 10)
        self.assertEqual(self.status(d)["watcher"]["stuck"], 1)
        self.assertEqual(self.status(d)["watcher"]["unwatched"], 1)
        # What was found of it is over, whatever hangs elsewhere.
        self.put(offline, "running\n")
        while not {("HBAD_CODE", "device-stuck"), ("HBAD_CHANGE", "cleared")} <= set(d.journal.entry()):
            self.assertEqual(self.status(d)["watcher"]["unwatched"], 1)
        # It answers: then it is read, and watched again.
        self.put(path, text)
        os.close(os.open(fifo, os.O_WRONLY))
        self.wait(d, lambda s: s["watcher"]["unwatched"] == 0 and all(a["stuck"] == 0 for a in s["adapters"]))
        self.report_when(d, lambda r: not r["notes"])

    def test_captures_are_not_watched(self):
        d = self.start(days=daemon.golden(SPI)).ready()
        self.assertIsNone(self.status(d)["watcher"])


class BySocket(Machine):
    """The same where systemd starts watchers: a connection each."""

    def watched_by(self):
        listener = socket.socket(socket.AF_UNIX)
        path = os.path.join(self.programs, "watch")
        listener.bind(path)
        listener.listen()
        self.addCleanup(listener.close)
        threading.Thread(target=self.serve, args=(listener,), daemon=True).start()
        return ["--watch-socket", path]

    def serve(self, listener):
        self.started = []
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                self.started.append(subprocess.Popen([COLLECT, "--watch", "--sysfs-root", self.root], stdin=connection,
                                                     stdout=connection))

    def end(self, d):
        """Each ends when nobody listens to it."""
        super().end(d)
        for process in self.started:
            self.assertEqual(process.wait(daemon.PATIENCE), 0)

    test_rate_falls_and_comes_back = Watcher.test_rate_falls_and_comes_back
    test_one_adapter_hangs = Watcher.test_one_adapter_hangs

    def test_what_is_older_than_a_reading(self):
        """What a watcher sent before it has looked at what was just read does not take its place."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.dir + "/liar")
        listener.listen()
        self.addCleanup(listener.close)
        self.started = []
        write_tree(load(SAS), self.root)
        d = self.start(config=TIMES.format(counters="1h", costly=0, patience="20s"),
                       arguments=["--sysfs-root", self.root, "--watch-socket", self.dir + "/liar"]).ready()
        watcher = daemon.Client.__new__(daemon.Client)
        watcher.socket, watcher.buffer = listener.accept()[0], b""
        phys = [os.path.dirname(p)[len(self.root):] for p in self.find("invalid_dword_count")]
        at = lambda what: watcher.call("io.hbad.watch.At", {"below": below, "at": what})

        def change(phy, value):
            at("counters")
            watcher.send(json.dumps({"hbad-capture": 1, "dirs": {phy: {"invalid_dword_count": value + "\n"}}}).encode() + b"\0")

        def round_ends():
            numbers = dict.fromkeys(("files", "reads", "costly", "asleep", "cpu_us", "took_us", "behind_us"), 0)
            watcher.call("io.hbad.watch.Round", dict(numbers, counters=True))

        while True:  # what is to be done, and how often
            told = watcher.message()
            if told["method"] == "io.hbad.watch.Adapter":
                break
        below = told["parameters"]["below"]
        at("walk")
        change(phys[0], "123451")
        round_ends()
        self.report_when(d, lambda r: "123451" in json.dumps(r))
        d.ask(OURS + "Refresh")
        self.assertEqual(watcher.message()["method"], "io.hbad.watch.Adapter")
        change(phys[0], "123452")
        at("walk")
        change(phys[1], "123453")
        round_ends()
        self.assertNotIn("123452", json.dumps(self.report_when(d, lambda r: "123453" in json.dumps(r))))

    def test_nobody_at_the_socket(self):
        self.started = []
        write_tree(load(SPI), self.root)
        d = self.start(config=TIMES.format(counters="1h", costly=0, patience="20s"),
                       arguments=["--sysfs-root", self.root, "--watch-socket", self.dir + "/none"]).ready()
        self.assertEqual(self.wait(d, lambda s: s["watcher"]["state"] == "failed")["watcher"]["why"], "No such file or directory")
        self.assertEqual(self.report_when(d, lambda r: True)["notes"], [])


if __name__ == "__main__":
    daemon.main()
