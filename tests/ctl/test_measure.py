#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbad-collect --measure from outside: test_measure.py BIN

What is refused is seen on trees that lie over /sys in a mount namespace, in which no device has a node; what is read, on
a file that a loop device shows as the disk of such a tree. Where neither is permitted (no root), these are skipped.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from machines import COLLECT, in_namespace, load, namespaces_work, run, write_tree

DISK_BYTES = 8 << 20


def objects(stream):
    """The objects of a capture stream, each ended by a NUL."""
    parts = stream.split("\0")
    assert parts.pop() == "", "something behind the last NUL"
    return [json.loads(part) for part in parts]


def results(parts):
    return [m for part in parts for m in part.get("measures", [])]


def device_dir(root, hctl):
    """The directory of a device in a tree."""
    link = os.path.join(root, "sys/bus/scsi/devices", hctl)
    return os.path.normpath(os.path.join(root, "sys/bus/scsi/devices", os.readlink(link)))


class Tree(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="hbad-measure-")
        self.addCleanup(shutil.rmtree, self.root)

    def put(self, hctl, name, text):
        path = os.path.join(device_dir(self.root, hctl), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)


class WithoutMachine(Tree):
    def test_usage(self):
        good = ["--measure=read-media", "--device=0:0:0:0"]
        for words in (["--measure=read-media"], ["--device=0:0:0:0"], ["--measure=read", *good[1:]], [*good, "--depth=0"],
                      [*good, "--depth=33"], [*good, "--block=0"], [*good, "--block=16777217"], [*good, "--block=1,x"],
                      [*good, "--device=0:0:0:0"], [*good, "--device=sda"], [*good, "--bytes=0"], [*good, "--seconds=0"],
                      [*good, "--seconds=x"], [*good, "--patience=0"], [*good, "--memory=warm"], [*good, "--random=x"], ["--alone"], ["--memory=cold"]):
            with self.subTest(words=words):
                self.assertEqual(run(COLLECT, *words).returncode, 64)

    def test_as_many_probes_as_an_adapter_has_devices(self):
        write_tree(load("spi-fusion-one-at-half-rate"), self.root)
        p = run(COLLECT, "--sysfs-root", self.root, *("--probe=9:0:%d:0" % i for i in range(1000)))
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertEqual({m["error"] for m in results(objects(p.stdout))}, {"ENODEV"})

    def test_help_names_every_method(self):
        text = run(COLLECT, "--help").stdout
        for what in "read-buffer", "read-cached", "read-media":
            for way in "sg", "sg-direct", "sg-mmap", "bsg":
                self.assertIn(" %s/%s " % (what, way), text)

    def test_a_copied_tree_is_never_measured(self):
        write_tree(load("spi-fusion-one-at-half-rate"), self.root)
        p = run(COLLECT, "--sysfs-root", self.root, "--measure=read-media", "--device=0:0:0:0")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertEqual([m["error"] for m in results(objects(p.stdout))], ["EOPNOTSUPP"])


class Machine(Tree):
    def configuration(self, text):
        path = os.path.join(self.root, "conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def measure(self, case, *words, before=""):
        """The objects of a run on the machine of a case, which has only the nodes that `before` makes."""
        if case:
            write_tree(load(case), self.root)
        script = "mount --bind %s/sys /sys && mount -t tmpfs none /dev\n%s" % (self.root, before)
        if not [word for word in words if word.startswith("--config=")]:
            words = (*words, "--config=" + self.configuration(""))
        p = run(*in_namespace(script, COLLECT, *words))
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        parts = objects(p.stdout)
        self.assertEqual(parts[-1], {"hbad-capture": 1, "end": True})
        return parts


@unittest.skipUnless(namespaces_work(), "no mount namespace here: not root, or not permitted")
class Refusals(Machine):
    def refusal(self, *words, case=None):
        (m,) = results(self.measure(case, *words))
        self.assertEqual((m["bytes"], m["us"]), (0, 0))
        return m["error"], m["disturbed"]

    def test_unknown_device(self):
        error, why = self.refusal("--measure=read-media", "--device=7:0:0:0", case="spi-fusion-one-at-half-rate")
        self.assertEqual((error, why), ("ENODEV", "there is no such device"))

    def test_what_is_no_disk(self):
        for case in "spi-mixed-speeds-on-29160-ok", "spi-scanner-async", "sas-volume-and-virtual-enclosure":
            never = [os.path.basename(d) for d, e in load(case)["dirs"].items()
                     if os.path.basename(d).count(":") == 3 and e.get("type", "0\n") not in ("0\n", "14\n", "20\n")]
            self.assertTrue(never)
            with self.subTest(case=case):
                shutil.rmtree(self.root)
                os.mkdir(self.root)
                devices = ["--device=" + d for d in never]
                found = results(self.measure(case, "--measure=read-buffer,read-media/block-direct", "--force", *devices))
                self.assertEqual(len(found), 2 * len(never))
                self.assertEqual({m["error"] for m in found}, {"EPERM"})

    def test_bridge(self):
        case = "usb-superspeed-disk-at-480"
        (hctl,) = [os.path.basename(d) for d in load(case)["dirs"] if os.path.basename(d).count(":") == 3 and "/host" in d
                   and "type" in load(case)["dirs"][d]]
        error, why = self.refusal("--measure=read-media/block-direct", "--device=" + hctl, "--force", case=case)
        self.assertEqual(error, "EPERM")
        self.assertIn("USB", why)

    def test_sleeper(self):
        write_tree(load("spi-fusion-one-at-half-rate"), self.root)
        self.put("0:0:1:0", "power/runtime_status", "suspended\n")
        words = "--measure=read-media/block-direct", "--device=0:0:1:0"
        self.assertEqual(self.refusal(*words), ("EBUSY", "it sleeps, and a command would wake it"))
        self.assertEqual(self.refusal(*words, "--force")[0], "ENOENT")     # its node is not there

    def test_rotating_disks_are_asked_whether_they_sleep(self):
        write_tree(load("spi-fusion-one-at-half-rate"), self.root)
        kinds = {"0:0:0:0": 0x00, "0:0:1:0": 0x14, "1:0:1:0": 0x0c}   # a disk, one with zones, no disk
        for hctl, kind in kinds.items():
            path = os.path.join(device_dir(self.root, hctl), "inquiry")
            if os.path.exists(path):
                os.unlink(path)
            self.put(hctl, "type", "%d\n" % kind)
        parts = self.measure(None, "--measure=read-media", *("--device=" + hctl for hctl in kinds))
        asked = [part["at"]["device"] for part in parts if part.get("at", {}).get("cdb", "")[:2] == "03"]
        self.assertEqual(asked, ["0:0:0:0", "0:0:1:0"])

    def test_two_paths(self):
        write_tree(load("spi-fusion-one-at-half-rate"), self.root)
        for hctl in "0:0:0:0", "0:0:1:0":
            self.put(hctl, "wwid", "naa.5000c50000000001\n")
        words = "--measure=read-media", "--device=0:0:0:0"
        self.assertEqual(self.refusal(*words)[0], "EPERM")
        self.put("0:0:0:0", "access_state", "active/optimized\n")
        self.assertEqual(self.refusal(*words)[0], "ENOENT")

    def test_what_the_administrator_forbids(self):
        write_tree(load("spi-fusion-one-at-half-rate"), self.root)
        words = "--measure=read-media/block-direct", "--device=0:0:0:0", "--force"
        for text, allowed in (("[probe]\ntier = sysfs\n", False), ("[probe]\ntier = identify\n", False),
                              ("[device \"0:0:0:0\"]\ntier = sysfs\n", False), ("[device \"0:0:1:0\"]\ntier = sysfs\n", True),
                              ("[probe]\ntier = sysfs\n[device \"0:0:0:0\"]\ntier = read\n", True)):
            with self.subTest(text=text):
                error, why = self.refusal(*words, "--config=" + self.configuration(text))
                self.assertEqual(error, "ENOENT" if allowed else "EPERM", why)

    def test_cells(self):
        words = ["--measure=read-buffer,read-media/bsg", "--block=512,4096,8192", "--depth=1,4", "--device=0:0:0:0",
                 "--device=1:0:1:0"]
        for alone in False, True:
            parts = self.measure("spi-fusion-one-at-half-rate" if not alone else None, *words, *(["--alone"] if alone else []))
            at = [part["at"] for part in parts if part.get("at", {}).get("method")]
            cells = 2 * 3 * 2 * (2 if alone else 1)
            self.assertEqual({a["cells"] for a in at}, {cells})
            self.assertEqual(sorted({a["cell"] for a in at}), list(range(1, cells + 1)))
            self.assertEqual(len([part for part in parts if "measures" in part]), cells)
            found = [(m["method"], m["block"], m["depth"], m["device"]) for m in results(parts)]
            self.assertEqual(len(found), len(set(found)))
            self.assertEqual(set(found), {(method, block, depth, device) for method in ("read-buffer/sg", "read-media/bsg")
                                          for block in (512, 4096, 8192) for depth in (1, 4)
                                          for device in ("0:0:0:0", "1:0:1:0")})
            self.assertEqual({a["cdb"][:2] for a in at}, {"3c", "28"})


@unittest.skipUnless(namespaces_work(), "no mount namespace here: not root, or not permitted")
class Loop(Machine):
    """A disk whose block node is a loop device."""

    @classmethod
    def setUpClass(cls):
        cls.file = tempfile.NamedTemporaryFile(prefix="hbad-measure-", dir=".")
        cls.addClassCleanup(cls.file.close)
        cls.file.write(os.urandom(DISK_BYTES))
        cls.file.flush()
        p = subprocess.run(["losetup", "--find", "--show", "--read-only", cls.file.name], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, encoding="ascii") if shutil.which("losetup") else None
        if not p or p.returncode:
            raise unittest.SkipTest("no loop devices here")
        cls.loop = p.stdout.strip()
        cls.addClassCleanup(subprocess.run, ["losetup", "--detach", cls.loop], check=True)

    def setUp(self):
        super().setUp()
        write_tree(load("spi-fusion-one-at-half-rate"), self.root)
        number = os.stat(self.loop).st_rdev
        self.put("0:0:0:0", "block/sda/dev", "%d:%d\n" % (os.major(number), os.minor(number)))
        self.node = "mknod /dev/sda b %d %d" % (os.major(number), os.minor(number))

    def measured(self, *words):
        return results(self.measure(None, "--device=0:0:0:0", *words, before=self.node))

    def test_block_layer(self):
        found = self.measured("--measure=read-media/block-direct,read-media/block-buffered,read-cached/block-direct",
                              "--block=4096,65536", "--depth=1,4", "--bytes=2097152")
        self.assertEqual(len(found), 12)
        for m in found:
            with self.subTest(m=m):
                self.assertNotIn("error", m)
                self.assertEqual((m["bytes"], m["commands"]), (2097152, 2097152 // m["block"]))
                self.assertGreater(m["us"], 0)
                self.assertLessEqual(m["min_us"], m["median_us"])
                self.assertLessEqual(m["median_us"], m["max_us"])
                self.assertEqual(m["cpu_us"], m.get("user_us", 0) + m.get("system_us", 0))

    def test_patterns_and_memory(self):
        (m,) = self.measured("--measure=read-media/block-direct", "--random=3", "--memory=cold", "--bytes=1048576")
        self.assertEqual((m["pattern"], m["memory"], m["bytes"]), ("random", "cold", 1048576))

    def test_time(self):
        parts = self.measure(None, "--device=0:0:0:0", "--measure=read-media/block-direct", "--seconds=2.3", before=self.node)
        (m,) = results(parts)
        self.assertTrue(2200000 < m["us"] < 5000000, m)
        moved = [part["at"]["bytes"] for part in parts if part.get("at", {}).get("method")]
        self.assertEqual(moved[0], 0)
        self.assertIn(len(moved), (3, 4))
        self.assertEqual(sorted(set(moved)), moved)

    def count_on(self, name, text, *words):
        """A result while a counter, whose text is made of a number, counts on."""
        path = os.path.join(device_dir(self.root, "0:0:0:0"), name)
        enough = threading.Event()

        def go_on(number=0):
            while not enough.wait(0.05):
                number += 1
                self.put("0:0:0:0", name + ".new", text(number))
                os.replace(path + ".new", path)

        self.put("0:0:0:0", name, text(0))
        thread = threading.Thread(target=go_on)
        thread.start()
        try:
            (m,) = self.measured("--seconds=1", *words)
        finally:
            enough.set()
            thread.join()
        return m

    def test_others_at_work(self):
        words = "--measure=read-media/block-direct", "--bytes=1048576"
        for field in 2, 6:      # sectors read, sectors written
            with self.subTest(field=field):
                m = self.count_on("block/sda/stat", lambda n, at=field: " ".join(str(n << 30 if i == at else 0) for i in range(17)) + "\n",
                                  "--measure=read-media/block-direct", "--block=512")
                self.assertRegex(m["disturbed"], "^others read or wrote [0-9]+ KiB meanwhile$")
                self.assertNotIn("error", m)
        self.put("0:0:0:0", "block/sda/stat", "7 0 800 1 0 0 0 0 0 1 1\n")
        self.assertNotIn("disturbed", self.measured(*words)[0])
        os.unlink(os.path.join(device_dir(self.root, "0:0:0:0"), "block/sda/stat"))
        self.assertNotIn("disturbed", self.measured(*words)[0])

    def test_too_much_at_once(self):
        (m,) = self.measured("--measure=read-media/block-direct", "--block=%d" % (2 * DISK_BYTES), "--bytes=1")
        self.assertEqual(m["error"], "EMSGSIZE")

    def test_another_disk_has_the_node(self):
        self.put("0:0:0:0", "block/sda/dev", "8:0\n")
        (m,) = self.measured("--measure=read-media/block-direct")
        self.assertEqual((m["error"], m["bytes"]), ("ENODEV", 0))

    def test_writing_nothing(self):
        with open(self.file.name, "rb") as file:
            before = file.read()
        self.measured("--measure=read-media/block-direct", "--bytes=1048576")
        with open(self.file.name, "rb") as file:
            self.assertEqual(file.read(), before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
