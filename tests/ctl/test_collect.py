#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbad-collect, and hbactl with a collector that misbehaves: test_collect.py BIN

hbactl asks the machine that it runs on, so its tests need a /sys of their own: they run in a mount namespace where a
tree of two adapters lies over /sys. Where that is not permitted (no root), they are skipped.
"""
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from machines import BIN, COLLECT, HBACTL, TESTS, hbactl, in_namespace, load, namespaces_work, run, write_tree

CASE = "spi-fusion-one-at-half-rate"         # two adapters of one host each
FIRST, SECOND = ("/sys/devices/pci0000:00/0000:00:0a.0/0000:02:04.%d/" % n for n in (0, 1))
LINKS_EACH = 5
PATIENCE_S, BOUND_S = 2, 30


class OnTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp(prefix="hbad-tree-")
        cls.addClassCleanup(shutil.rmtree, cls.root)
        write_tree(load(CASE), cls.root)

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="hbad-collect-")
        self.addCleanup(shutil.rmtree, self.dir)


def objects(stream):
    """The objects of a capture stream, each ended by a NUL."""
    parts = stream.split("\0")
    assert parts.pop() == "", "something behind the last NUL"
    return [json.loads(part) for part in parts]


class Collector(OnTree):
    def test_stream(self):
        p = run(COLLECT, "--sysfs-root", self.root)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        parts = objects(p.stdout)
        self.assertEqual(parts[-1], {"hbad-capture": 1, "end": True})
        self.assertEqual([part["hbad-capture"] for part in parts], [1] * len(parts))
        self.assertEqual([part for part in parts[:-1] if "end" in part], [])
        devices = 10
        self.assertGreater(len(parts), devices)

    def test_stream_says_what_the_tree_says(self):
        path = os.path.join(self.dir, "stream")
        with open(path, "w", encoding="utf-8") as file:
            run(COLLECT, "--sysfs-root", self.root, stdout=file)
        replayed, direct = (json.loads(hbactl(*words, "report", "--json").stdout)
                            for words in (["--capture", path], ["--sysfs-root", self.root]))
        for report in replayed, direct:
            del report["taken"]
            for finding in report["findings"]:
                del finding["since"]
        self.assertEqual(replayed, direct)
        self.assertEqual(replayed["summary"]["links"], 2 * LINKS_EACH)

    def test_large_tree(self):
        large = os.path.join(self.dir, "large")
        subprocess.run([sys.executable, os.path.join(TESTS, "bench/generate.py"), "tree", large, "--luns", "200",
                        "--luns-per-target", "4"], check=True)
        p = run(COLLECT, "--sysfs-root", large, "--level=identity")
        self.assertEqual(p.returncode, 0, p.stderr)
        addresses = {name for part in objects(p.stdout) for path in part.get("dirs", {}) for name in [os.path.basename(path)]
                     if name.count(":") == 3 and name[0].isdigit()}
        self.assertEqual(len(addresses), 200)

    def test_one_adapter(self):
        p = run(COLLECT, "--sysfs-root", self.root, "--below=" + SECOND)
        directories = [path for part in objects(p.stdout) for path in part.get("dirs", {})]
        self.assertTrue([path for path in directories if path.startswith(SECOND)])
        self.assertFalse([path for path in directories if path.startswith(FIRST)])

    def test_reader_went_away(self):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "w") as closed:
            p = run(COLLECT, "--sysfs-root", self.root, stdout=closed)
        self.assertEqual(p.returncode, 1)
        self.assertIn("Broken pipe", p.stderr)

    def test_full_device(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            p = run(COLLECT, "--sysfs-root", self.root, stdout=full)
        self.assertEqual(p.returncode, 1)
        self.assertIn("No space left", p.stderr)

    def test_usage(self):
        for words in (["--level=everything"], ["--frobnicate"], ["word"]):
            self.assertEqual(run(COLLECT, *words).returncode, 64)
        self.assertEqual(run(COLLECT, "--help").returncode, 0)
        p = run(COLLECT, "--sysfs-root", "/nonexistent")
        self.assertEqual(p.returncode, 1)
        self.assertIn("/nonexistent", p.stderr)


@unittest.skipUnless(namespaces_work(), "no mount namespace here: not root, or not permitted")
class Machine(OnTree):
    """hbactl on a machine whose second adapter's collector is a script of ours."""

    def setUp(self):
        super().setUp()
        self.bin = os.path.join(self.dir, "bin")
        os.mkdir(self.bin)
        shutil.copy(HBACTL, self.bin)

    def collector(self, script):
        """Installs one that does the script for the second adapter, and is the real one for the first."""
        path = os.path.join(self.bin, "hbad-collect")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nreal=%s\npid=%s/pid\nfor word; do\n  if [ \"$word\" = --below=%s ]; then\n%s\n  fi\ndone\n"
                       "exec $real \"$@\"\n" % (COLLECT, self.dir, SECOND, script))
        os.chmod(path, stat.S_IRWXU)

    def hbactl(self, *words, verb=("report", "--json")):
        """Report of hbactl in its namespace, what it printed to standard error, and how long it took."""
        before = "mount --bind %s/sys /sys" % self.root
        start = time.monotonic()
        p = run(*in_namespace(before, os.path.join(self.bin, "hbactl"), "--direct", "--patience", str(PATIENCE_S), *words, *verb))
        took = time.monotonic() - start
        self.assertLess(took, BOUND_S)
        return p, took

    def report(self):
        p, _ = self.hbactl()
        self.assertEqual(p.returncode, 0, p.stderr)
        report = json.loads(p.stdout)
        first = [link for link in report["links"] if link["kernel_name"].startswith("target0:")]
        self.assertEqual([link["state"] for link in first], ["up"] * LINKS_EACH, "the first adapter is seen in full")
        return report

    def only_note(self, report):
        self.assertEqual(len(report["notes"]), 1, report["notes"])
        return report["notes"][0]

    def test_both_are_seen(self):
        shutil.copy(COLLECT, self.bin)
        report = self.report()
        self.assertEqual(report["summary"]["links"], 2 * LINKS_EACH)
        self.assertEqual(report["notes"], [])
        direct = json.loads(hbactl("--sysfs-root", self.root, "report", "--json").stdout)
        self.assertEqual([link["actual"] for link in report["links"]], [link["actual"] for link in direct["links"]])

    def stop_hanging(self):
        with open(os.path.join(self.dir, "pid"), encoding="ascii") as file:
            for pid in file.read().split():
                os.kill(int(pid), signal.SIGKILL)

    def test_adapter_that_hangs(self):
        self.collector("echo $$ >$pid; exec sleep 300")
        self.addCleanup(self.stop_hanging)
        note = self.only_note(self.report())
        self.assertRegex(note, r"^adapter .*(host1|0000:02:04\.1).* has not answered for %d s" % PATIENCE_S)

    def test_device_that_hangs(self):
        # All that the real one sends, but for answers to commands and the end; then what it is about to ask. The real
        # one goes on behind that device.
        self.collector("case \"$*\" in *--after=1:0:2:0*) exec $real \"$@\";; esac\n"
                       "$real \"$@\" | tr '\\0' '\\n' | grep -v '\"end\"' | sed 's/\"commands\".*/\"no\":1}/' | tr '\\n' '\\0'\n"
                       "printf '{\"hbad-capture\": 1, \"at\": {\"device\": \"1:0:2:0\", \"cdb\": \"%s\"}}\\0'\n"
                       "echo $$ >$pid; exec sleep 300" % "5a 00 19 03 00 00 00 02 00 00")
        self.addCleanup(self.stop_hanging)
        report = self.report()
        self.assertEqual(report["summary"]["links"], 2 * LINKS_EACH)
        self.assertRegex(self.only_note(report), r"^device 1:0:2:0 has not answered for %d s" % PATIENCE_S)
        gaps = [gap for gap in report["gaps"] if gap["quality"] == "timed out"]
        self.assertEqual([(gap["what"], gap["example"], gap["count"]) for gap in gaps], [("SCSI commands", "1:0:2:0", 1)])

    def test_all_devices_hang(self):
        # One after the other, until the rest is not asked at all.
        self.collector("case \"$*\" in *--unasked*) exec $real \"$@\";;\n"
                       "*--after=1:0:0:0*) at=1:0:1:0;; *--after=1:0:1:0*) at=1:0:2:0;; *) at=1:0:0:0;; esac\n"
                       "$real \"$@\" | tr '\\0' '\\n' | grep -v '\"end\"' | tr '\\n' '\\0'\n"
                       "printf '{\"hbad-capture\": 1, \"at\": {\"device\": \"%%s\", \"cdb\": \"%s\"}}\\0' $at\n"
                       "echo $$ >>$pid; exec sleep 300" % "5a 00 19 03 00 00 00 02 00 00")
        self.addCleanup(self.stop_hanging)
        notes = self.report()["notes"]
        self.assertEqual([note.split()[1] for note in notes], ["1:0:0:0", "1:0:1:0", "1:0:2:0", "devices"], notes)
        self.assertRegex(notes[3], r"^3 devices of .* have not answered; those behind them are not asked")

    def test_killed_within_an_object(self):
        self.collector("$real \"$@\" | head -c -100; kill -KILL $$")
        note = self.only_note(self.report())
        self.assertRegex(note, r"host1|0000:02:04\.1")
        self.assertIn("signal 9", note)

    def test_fails_at_once(self):
        self.collector("echo 'no luck today' >&2; exit 5")
        self.assertRegex(self.only_note(self.report()), r"\(status 5\).*no luck today")

    def test_closes_its_output_and_hangs(self):
        self.collector("echo $$ >$pid; exec sleep 300 >&-")
        self.addCleanup(self.stop_hanging)
        self.assertIn("still running", self.only_note(self.report()))

    def test_ends_within_an_object(self):
        self.collector("$real \"$@\" | head -c 3000; exit 0")
        self.assertIn("ended early", self.only_note(self.report()))

    def test_says_nothing_and_ends(self):
        self.collector("exit 0")
        self.assertIn("ended early", self.only_note(self.report()))

    def test_sends_garbage(self):
        for garbage in ("garbage", "{}", '{"hbad-capture": 1, "dirs": []}'):
            for times in ("exit 0", "done"):
                with self.subTest(garbage=garbage, times=times):
                    self.collector("while printf '%s\\0'; do %s; done" % (garbage, times.replace("done", ":")))
                    self.assertRegex(self.only_note(self.report()), r"host1 sent what is no capture")

    def test_sends_one_object_without_end(self):
        self.collector("exec tr '\\0' x </dev/zero")
        self.assertRegex(self.only_note(self.report()), r"host1 sends without end")

    def test_sends_nothing_but_blanks(self):
        self.collector("while :; do printf ' '; sleep 0.3; done")
        self.assertRegex(self.only_note(self.report()), r"host1 has not answered")

    def test_leaves_its_stream_to_another(self):
        self.collector("sleep 300 & echo $! >$pid; exit 5")
        self.addCleanup(self.stop_hanging)
        self.assertRegex(self.only_note(self.report()), r"host1 ended early \(status 5\)")

    def test_hangs_after_its_end(self):
        self.collector('echo $$ >$pid; $real "$@"; exec sleep 300')
        self.addCleanup(self.stop_hanging)
        self.assertEqual(self.report()["notes"], [])

    def test_sends_nothing(self):
        self.collector("printf '{\"hbad-capture\": 1, \"end\": true}\\0'; exit 0")
        self.assertRegex(self.only_note(self.report()), r"host1.* sent nothing of it")

    def test_commands_no_terminal(self):
        self.collector("printf '\\033]0;title\\007\\n' >&2; exit 1")
        p, _ = self.hbactl(verb=("list", "links"))
        self.assertIn("?]0;title?", p.stderr)
        self.assertNotIn("\033", p.stderr + p.stdout)

    def test_is_said_by_every_verb(self):
        self.collector("exit 1")
        for words, status in ((["status"], 1), (["status", "--json"], 1), (["list", "links"], 1), (["list", "hosts", "--json"], 1),
                              (["show", "host0"], 1), (["explain", "host0"], 1), (["capture"], 1)):
            with self.subTest(words=words):
                p, _ = self.hbactl(verb=words)
                self.assertEqual(p.returncode, status, p.stderr)
                self.assertIn("host1 ended early", p.stdout + p.stderr)
        self.assertEqual(self.report()["summary"]["unexamined"], 1)

    def test_is_not_there(self):
        p, _ = self.hbactl()
        self.assertEqual(p.returncode, 1)
        self.assertIn("hbad-collect: No such file", p.stderr)

    def test_cannot_be_run(self):
        self.collector("")
        with open(os.path.join(self.bin, "hbad-collect"), "w", encoding="ascii") as file:
            file.write("no program\n")
        notes = json.loads(self.hbactl()[0].stdout)["notes"]
        self.assertEqual(len(notes), 2)
        self.assertIn("Exec format error", notes[0])


if __name__ == "__main__":
    unittest.main()
