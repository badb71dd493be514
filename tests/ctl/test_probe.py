#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbad-collect --probe from outside: test_probe.py BIN

Who is refused, and why, is seen on copied trees, and on trees that lie over /sys in a mount namespace, in which no device
has a node: nothing can be sent. Where that is not permitted (no root), the latter are skipped.
"""
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import unittest

from machines import COLLECT, HBACTL, in_namespace, load, namespaces_work, run, write_tree

SPI, SATA, FABRIC = "spi-fusion-u320-fine", "sata-libata-force-3g", "fc-one-port-8g-sibling-16g"


def objects(stream):
    """The objects of a capture stream, each ended by a NUL."""
    parts = stream.split("\0")
    assert parts.pop() == "", "something behind the last NUL"
    return [json.loads(part) for part in parts]


def results(parts):
    return {m["device"]: m for part in parts for m in part.get("measures", [])}


class Probe(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="hbad-probe-")
        self.addCleanup(shutil.rmtree, self.root)

    def config(self, text):
        path = os.path.join(self.root, "hbad.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return "--config=" + path

    def put(self, hctl, name, text):
        devices = os.path.join(self.root, "sys/bus/scsi/devices")
        path = os.path.join(os.path.normpath(os.path.join(devices, os.readlink(os.path.join(devices, hctl)))), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)


class Trees(Probe):
    def probe(self, case, *words):
        if not os.path.exists(os.path.join(self.root, "sys")):
            write_tree(load(case), self.root)
        p = run(COLLECT, "--sysfs-root", self.root, *words)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        parts = objects(p.stdout)
        self.assertEqual(parts[-1], {"hbad-capture": 1, "end": True})
        return results(parts)

    def test_usage(self):
        for words in (["--probe=sda"], ["--probe=0:0:0:0", "--probe=0:0:0:0"], ["--probe", "--measure=read-media", "--device=0:0:0:0"],
                      ["--seen=0:0:0:0=5"], ["--probe", "--seen=0:0:0:0"], ["--probe", "--seen=sda=5"], ["--probe", "--seen=0:0:0:0=x"],
                      ["--probe", "--depth=2"], ["--select=0:0:0:0"], ["--await=5"], ["--probe", "--await=91"], ["--probe", "--await=-1"], ["--probe=0:0:0:0", "--select=0:0:0:0"]):
            with self.subTest(words=words):
                self.assertEqual(run(COLLECT, *words).returncode, 64)

    def test_everybody_gets_an_answer(self):
        found = self.probe(SPI, "--probe")
        self.assertEqual(len(found), 10)
        self.assertEqual(found["0:0:6:0"]["disturbed"], "it is no disk")
        self.assertEqual(found["0:0:0:0"]["error"], "EOPNOTSUPP")      # would be read, but this is no machine

    def test_named_ones_alone(self):
        found = self.probe(SPI, "--probe=0:0:1:0", "--probe=7:0:0:0")
        self.assertEqual(set(found), {"0:0:1:0", "7:0:0:0"})
        self.assertEqual((found["7:0:0:0"]["error"], found["7:0:0:0"]["disturbed"]), ("ENODEV", "there is no such device"))

    def test_whom_nobody_named(self):
        found = self.probe(SATA, "--probe", "--select=2:0:0:0", "--select=7:0:0:0", "--force")
        self.assertEqual(set(found), {"2:0:0:0", "7:0:0:0"})
        self.assertIn("whether it sleeps", found["2:0:0:0"]["disturbed"])      # force wakes those that are named
        self.assertEqual(found["7:0:0:0"]["error"], "ENODEV")

    def test_below(self):
        whole = set(self.probe(SPI, "--probe"))
        hosts = [d for d in load(SPI)["dirs"] if d.endswith("/host1")]
        part = set(self.probe(SPI, "--probe", "--below=%s/" % hosts[0]))
        self.assertEqual(part, {d for d in whole if d.startswith("1:")})

    def test_who_may_sleep_unseen(self):
        found = self.probe(SATA, "--probe", "--seen=0:0:0:0=119.5", "--seen=1:0:0:0=121")
        self.assertEqual(found["0:0:0:0"]["error"], "EOPNOTSUPP")
        self.assertIn("whether it sleeps", found["1:0:0:0"]["disturbed"])
        self.assertIn("whether it sleeps", self.probe(SATA, "--probe=2:0:0:0")["2:0:0:0"]["disturbed"])
        self.assertEqual(self.probe(SATA, "--probe=2:0:0:0", "--force")["2:0:0:0"]["error"], "EOPNOTSUPP")
        self.assertIn("whether it sleeps", self.probe(SATA, "--probe", "--force")["2:0:0:0"]["disturbed"])

    def test_arrays(self):
        found = self.probe(FABRIC, "--probe")
        self.assertTrue(found)
        self.assertEqual({m["error"] for m in found.values()}, {"EPERM"})

    def test_what_is_forbidden(self):
        config = self.config('[device "sdb"]\ntier = identify\n')
        found = self.probe(SPI, "--probe", config)
        self.assertIn("hbad.conf:2 (tier = identify)", found["0:0:1:0"]["disturbed"])
        self.assertEqual(found["0:0:0:0"]["error"], "EOPNOTSUPP")
        found = self.probe(SPI, "--probe=0:0:1:0", "--force", config)      # not for him who insists
        self.assertIn("no reads of it are allowed", found["0:0:1:0"]["disturbed"])

    def test_a_configuration_that_cannot_be_read_forbids_all(self):
        write_tree(load(SPI), self.root)
        p = run(COLLECT, "--sysfs-root", self.root, "--probe", "--config=%s/none" % self.root)
        self.assertIn("no device is sent a command", p.stderr)
        found = results(objects(p.stdout))
        self.assertEqual({m["error"] for m in found.values()}, {"EPERM"})


@unittest.skipUnless(namespaces_work(), "no mount namespace here: not root, or not permitted")
class Machine(Probe):
    def probe(self, *words):
        script = "mount --bind %s/sys /sys && mount -t tmpfs none /dev\n" % self.root
        p = run(*in_namespace(script, COLLECT, *words))
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        return objects(p.stdout)

    def idle(self, *hctls):
        for hctl in hctls:
            self.put(hctl, "iorequest_cnt", "0x10\n")
            self.put(hctl, "iodone_cnt", "0x10\n")

    def machine(self):
        write_tree(load(SPI), self.root)
        self.idle("0:0:0:0", "0:0:1:0", "0:0:2:0", "0:0:3:0", "0:0:6:0")

    def one(self, *words):
        (m,) = results(self.probe("--probe=0:0:0:0", *words)).values()
        self.assertEqual((m["bytes"], m["us"]), (0, 0))
        return m["error"], m["disturbed"]

    def test_a_quiet_bus_is_asked(self):
        self.machine()
        parts = self.probe("--probe=0:0:0:0")
        self.assertEqual(parts[0]["at"]["device"], "0:0:0:0")
        (m,) = results(parts).values()
        self.assertNotIn(m["error"], ("EPERM", "EBUSY"))       # its node is not there

    def test_a_neighbour_at_work(self):
        self.machine()
        self.put("0:0:3:0", "block/sdd/inflight", "       1        2\n")
        self.assertEqual(self.one(), ("EBUSY", "3 requests of 0:0:3:0 are under way"))

    def test_another_bus_is_nobody_s_neighbour(self):
        self.machine()
        self.idle("1:0:0:0")
        self.put("1:0:0:0", "block/sde/inflight", "       1        2\n")
        self.assertNotEqual(self.one()[0], "EBUSY")

    def test_a_neighbour_that_cannot_be_watched(self):
        self.machine()
        for name in "iorequest_cnt", "iodone_cnt", "block/sdd/stat":
            self.put("0:0:3:0", name, "?\n")
        self.assertEqual(self.one(), ("EBUSY", "it cannot be told whether 0:0:3:0 is used"))

    def test_no_host_at_all(self):
        p = run(*in_namespace("mount -t tmpfs none /sys && mkdir /sys/class\n", HBACTL, "probe"))
        self.assertEqual((p.returncode, p.stdout), (1, ""))
        self.assertEqual(p.stderr, "hbactl: No SCSI host was found.\n")

    def test_a_use_is_waited_for(self):
        """Of disks whose sleep nothing tells: the one that is used meanwhile is read, the other is left alone."""
        write_tree(load(SATA), self.root)
        self.idle("0:0:0:0", "1:0:0:0")
        stat = "  100 0 %d 50 0 0 0 0 0 50 50\n"
        for hctl, node in ("0:0:0:0", "sda"), ("1:0:0:0", "sdb"):
            self.put(hctl, "block/%s/stat" % node, stat % 800)
        used = threading.Timer(1, self.put, ("1:0:0:0", "block/sdb/stat", stat % 808))
        used.start()
        begin = time.monotonic()
        found = results(self.probe("--probe", "--await=4", "--select=0:0:0:0", "--select=1:0:0:0"))
        used.join()
        self.assertGreaterEqual(time.monotonic() - begin, 4)
        self.assertEqual(found["0:0:0:0"]["error"], "EPERM")
        self.assertRegex(found["0:0:0:0"]["disturbed"], "cannot be told whether it sleeps: nobody was seen to use it within [0-9]+ s")
        self.assertNotIn(found["1:0:0:0"]["error"], ("EPERM", "EBUSY"))       # its node is not there
        begin = time.monotonic()
        self.probe("--probe", "--await=60", "--select=2:0:0:0", "--select=0:0:0:0", "--seen=0:0:0:0=1", "--seen=2:0:0:0=1")
        self.assertLess(time.monotonic() - begin, 50)     # nobody is waited for

    def test_sleepers(self):
        self.machine()
        self.put("0:0:0:0", "power/runtime_status", "suspended\n")
        self.assertEqual(self.one(), ("EPERM", "it sleeps, and a read would wake it"))
        self.put("0:0:0:0", "power/runtime_status", "active\n")
        self.put("0:0:0:0", "../power/runtime_status", "suspending\n")
        self.assertEqual(self.one()[0], "EPERM")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
