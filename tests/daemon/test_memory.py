#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hbad remembers: over a restart, over kill -9, over disks that fail: test_memory.py PROGRAMS"""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import daemon
from daemon import OURS, SERVICE, PATIENCE, golden

FLAPPING, BELOW = "sata-link-flapping", "spi-fusion-one-at-half-rate"
SHELF = "sas-shelf-unplugged-one-finding"
GROWING = "sas-phy-errors-growing"
QUICK = "[daemon]\nclear_after = 1ms\n"
NOBODY = 65534
MINUTE_US = 60 * 1000000


class Memory(daemon.Test):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hbad-state-")
        self.addCleanup(self.folder.cleanup)
        self.state = self.folder.name
        self.database = os.path.join(self.state, "history.sqlite")

    def run_on(self, days, looks=None, **named):
        """hbad with that memory, that has seen so many of the days (None: all)."""
        d = self.start(days, arguments=["--state-dir", self.state], **named).ready()
        for _ in range((len(days) if looks is None else looks) - 1):
            d.ask(OURS + "Refresh")
        return d

    def stop(self, d, how=signal.SIGTERM):
        """Ends it, and waits for the writer, which ends by itself when it has written what it was given."""
        writer = self.writer_of(d)
        status = d.stop(how)
        self.assertEqual(status, 0 if how == signal.SIGTERM else -how, "\n".join(d.said))
        self.wait_for("the writer ends", lambda: not writer or not self.runs(writer))

    @staticmethod
    def runs(pid):
        try:
            with open("/proc/%d/stat" % pid, encoding="ascii") as file:
                return file.read().rpartition(")")[2].split()[0] != "Z"
        except FileNotFoundError:
            return False

    def wait_for(self, what, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    @staticmethod
    def writer_of(d):
        with open("/proc/%d/task/%d/children" % (d.process.pid, d.process.pid), encoding="ascii") as file:
            for pid in file.read().split():
                with open("/proc/%s/comm" % pid, encoding="ascii") as comm:
                    if comm.read().strip() == "hbad-writer":
                        return int(pid)
        return None

    def memory(self, d):
        return d.ask(OURS + "GetStatus")["parameters"]["history"]

    def wait_for_state(self, d, state):
        self.wait_for(state, lambda: self.memory(d)["state"] == state)

    def wait_until_written(self, d):
        self.wait_for("all is written", lambda: self.memory(d)["waiting"] == 0)

    def finding(self, d, code):
        found = [f for f in d.report()["findings"] if f["code"] == code]
        self.assertEqual(len(found), 1, [f["code"] for f in d.report()["findings"]])
        return found[0]

    def acknowledge(self, d, name, reason="cable is ordered", **more):
        return d.ask(OURS + "Acknowledge", dict(more, name=name, reason=reason))

    def history(self, d, name, **more):
        answer = d.ask(OURS + "History", dict(more, name=name))
        self.assertNotIn("error", answer)
        return answer["parameters"]["objects"]

    def later(self, captures, start):
        """The captures as if each had been taken ten minutes after the one before it, from that time on."""
        made = []
        for n, path in enumerate(captures):
            with open(path, encoding="utf-8") as file:
                capture = json.load(file)
            ago = capture["taken"]["wall_us"] - (start + n * 10 * MINUTE_US)
            capture["taken"]["wall_us"] -= ago
            capture["taken"]["mono_us"] -= ago
            path = os.path.join(self.state, "day-%d-%d.json" % (start, n))
            with open(path, "w", encoding="utf-8") as file:
                json.dump(capture, file)
            made.append(path)
        return made


def wall(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["taken"]["wall_us"]


class Restart(Memory):
    def test_nothing_is_raised_again(self):
        """What was found is found again, since when it was, without another word; and so it goes on."""
        days = golden(FLAPPING)
        first = self.run_on(days)
        before = self.finding(first, "link-flapping")
        self.assertTrue(first.journal.entries())
        self.stop(first)
        second = self.run_on(days[-1:])
        after = self.finding(second, "link-flapping")
        self.assertEqual([after[k] for k in ("since", "summary", "severity")],
                         [before[k] for k in ("since", "summary", "severity")])
        self.assertEqual(second.journal.entries(), [])
        self.assertEqual(self.memory(second)["state"], "well")

    def test_without_memory_it_is_lost(self):
        """The test above is none without this one."""
        second = self.start(golden(FLAPPING)[-1:]).ready()
        self.assertEqual([f["code"] for f in second.report()["findings"]], [])
        self.assertIsNone(self.memory(second))

    def test_flapping_goes_on_counting(self):
        """Half of the changes before a restart, half after."""
        days = golden(FLAPPING)
        self.stop(self.run_on(days[:3]))
        second = self.run_on(days[3:])
        self.assertEqual(self.finding(second, "link-flapping")["since"], "2026-03-02T10:10:00Z")

    def test_growth_goes_on(self):
        """Counters of before a restart are compared with those of after."""
        days = golden(GROWING)
        whole = self.start(days).ready()
        for _ in days[1:]:
            whole.ask(OURS + "Refresh")
        self.stop(self.run_on(days[:-1]))
        second = self.run_on(days[-1:])
        self.assertEqual(self.finding(second, "errors-growing")["evidence"],
                         self.finding(whole, "errors-growing")["evidence"])
        counters = [c for o in self.history(second, self.finding(second, "errors-growing")["names"][0])
                    for c in o["counters"]]
        self.assertTrue(any(c["grown"] for c in counters), counters)

    def test_gone_while_nobody_looked(self):
        """What is over after a restart is told so, after its time; and stays over at the next."""
        days = golden(FLAPPING)
        well = self.later(days[:1] * 4, wall(days[-1]) + 180 * MINUTE_US)
        first = self.run_on(days)
        first.journal.entries()
        self.stop(first)
        second = self.run_on(well, 1, config=QUICK)
        changes = []
        for _ in range(3):
            second.ask(OURS + "Refresh")
            changes += [dict(e) for e in second.journal.entries()]
        self.assertEqual([(e["HBAD_CODE"], e["HBAD_CHANGE"]) for e in changes], [("link-flapping", "cleared")])
        remembered = [f for o in self.history(second, "sdb") for f in o["findings"]]
        self.assertEqual(len(remembered), 1)
        self.assertIsNotNone(remembered[0]["until"])
        self.stop(second)
        third = self.run_on(well[-1:], config=QUICK)
        third.ask(OURS + "Refresh")
        self.assertEqual(third.journal.entries(), [])

    def test_reads_its_own_past_only(self):
        """The history of an object is what the captures say, from when to when."""
        d = self.run_on(golden(FLAPPING))
        device, link = self.history(d, "sdb")
        self.assertEqual([(c["since"][11:16], (c["until"] or "")[11:16], c["state"],
                           (c["actual"] or {}).get("label")) for c in link["changes"]],
                         [("10:00", "10:10", "up", "6.0 Gb/s"), ("10:10", "10:20", "up", "3.0 Gb/s"),
                          ("10:20", "10:30", "down", None), ("10:30", "10:40", "up", "6.0 Gb/s"),
                          ("10:40", "10:50", "up", "1.5 Gb/s"), ("10:50", "", "up", "6.0 Gb/s")])
        self.assertEqual([c["kind"] for c in device["changes"]], ["device", "device"])
        since = self.history(d, "sdb", since=wall(golden(FLAPPING)[4]) // 1000000 + 1)[1]["changes"]
        self.assertEqual([c["actual"]["label"] for c in since], ["1.5 Gb/s", "6.0 Gb/s"])
        newest = self.history(d, "sdb", most=1)[1]
        self.assertEqual(len(newest["changes"]), 1)
        self.assertTrue(newest["is_cut"])
        self.assert_error(d.ask(OURS + "History", {"name": "nothing"}), OURS + "NoSuchObject", {"name": "nothing"})
        for wrong in ("since", "most", "columns"):
            self.assert_error(d.ask(OURS + "History", {"name": "sdb", wrong: -1}), SERVICE + "InvalidParameter",
                              {"parameter": wrong})


    def test_gone_goes_by_its_name(self):
        """What findings call gone is found by that name, and a device with its link; also after a restart."""
        first = self.run_on(golden(SHELF))
        port = self.history(first, "port-0:1")
        self.assertEqual([(o["name"], o["id"][-16:], o["changes"][0]["until"][11:16]) for o in port],
                         [("port-0:1", "500304800000b07f", "10:20")])
        self.assertEqual([o["changes"][0]["kind"] for o in self.history(first, "0:0:7:0")], ["device", "link"])
        self.stop(first)
        second = self.run_on(golden(SHELF)[1:])
        self.assertEqual(self.history(second, "port-0:1")[0]["changes"], port[0]["changes"])


class Acknowledged(Memory):
    def test_is_quiet_and_survives(self):
        days = golden(FLAPPING)
        first = self.run_on(days)
        first.journal.entries()
        answer = self.acknowledge(first, "sdb")["parameters"]
        self.assertEqual([(f["code"], f["is_quiet"]) for f in answer["findings"]], [("link-flapping", True)])
        self.assertIs(answer["is_kept"], True)
        changed = [dict(e) for e in first.journal.entries()]
        self.assertEqual([(e["HBAD_CHANGE"], e["HBAD_SEVERITY"]) for e in changed], [("changed", "info")])
        self.assertEqual(first.report()["summary"]["worst"], "info")
        self.stop(first)
        second = self.run_on(days[-1:])
        found = self.finding(second, "link-flapping")
        self.assertEqual(found["severity"], "info")
        self.assertEqual(found["acknowledged"]["reason"], "cable is ordered")
        self.assertEqual(found["acknowledged"]["by"], "root" if os.getuid() == 0 else found["acknowledged"]["by"])
        self.assertEqual(second.journal.entries(), [])

    def test_kill_9(self):
        """What was answered as kept is kept, whatever comes right after."""
        days = golden(FLAPPING)
        first = daemon.Daemon(days, arguments=["--state-dir", self.state]).ready()
        for _ in days[1:]:
            first.ask(OURS + "Refresh")
        self.assertIs(self.acknowledge(first, "sdb")["parameters"]["is_kept"], True)
        self.stop(first, signal.SIGKILL)
        second = self.run_on(days[-1:])
        self.assertEqual(self.finding(second, "link-flapping")["acknowledged"]["reason"], "cable is ordered")
        self.assertEqual(second.journal.entries(), [])

    def test_taken_back(self):
        days = golden(FLAPPING)
        first = self.run_on(days)
        self.assert_error(first.ask(OURS + "Acknowledge", {"name": "sdb"}), OURS + "NoSuchFinding", {"name": "sdb"})
        self.acknowledge(first, "sdb")
        answer = first.ask(OURS + "Acknowledge", {"name": "sdb", "reason": None})["parameters"]
        self.assertIs(answer["is_kept"], True)
        self.assertEqual(self.finding(first, "link-flapping")["severity"], "warning")
        self.stop(first)
        self.assertNotIn("acknowledged", self.finding(self.run_on(days[-1:]), "link-flapping"))

    def test_time(self):
        """Until a time of the report's clock; and after a restart beyond it, too."""
        days = golden(FLAPPING)
        more = self.later(days[-1:] * 3, wall(days[-1]) + 10 * MINUTE_US)
        d = self.run_on(days + more, len(days))
        until = (wall(days[-1]) + 15 * MINUTE_US) // 1000000
        self.assert_error(self.acknowledge(d, "sdb", until=until - 3600), SERVICE + "InvalidParameter",
                          {"parameter": "until"})
        self.acknowledge(d, "sdb", until=until)
        severities = []
        for _ in more:
            severities.append(self.finding(d, "link-flapping")["severity"])
            d.ask(OURS + "Refresh")
        severities.append(self.finding(d, "link-flapping")["severity"])
        self.assertEqual(severities, ["info", "info", "warning", "warning"])
        self.stop(d)
        self.assertEqual(self.finding(self.run_on(more[-1:]), "link-flapping")["severity"], "warning")

    def test_ends_with_its_finding(self):
        """One that is over and comes back is news again."""
        below, well = golden(FLAPPING)[1:2], golden(FLAPPING)[:1]
        days = self.later(well + below * 2 + well * 3 + below * 2, wall(golden(FLAPPING)[0]))
        d = self.run_on(days, 3, config=QUICK + "[thresholds]\nflapping_changes = 100\n")
        code = d.report()["findings"][0]["code"]
        self.acknowledge(d, "sdb")
        self.assertEqual(self.finding(d, code)["severity"], "info")
        d.journal.entries()
        for _ in range(3):
            d.ask(OURS + "Refresh")
            time.sleep(0.02)
        self.assertEqual([dict(e)["HBAD_CHANGE"] for e in d.journal.entries()], ["cleared"])
        for _ in range(2):
            d.ask(OURS + "Refresh")
        found = self.finding(d, code)
        self.assertEqual(found["severity"], "warning")
        self.assertNotIn("acknowledged", found)
        self.assertEqual(self.history(d, "sdb")[1]["acknowledgements"], [])

    def test_of_a_loss_and_of_a_hang(self):
        """A disk may have been taken out on purpose; one that hangs is told as loudly as ever, with who knows of it."""
        for case, codes, is_quiet in (("fc-port-of-target-gone", ("link-lost", "path-lost"), True), ("device-times-out", ("device-stuck",), False)):
            with self.subTest(case):
                d = self.run_on(golden(case))
                found = [f for f in d.report()["findings"] if f["code"] in codes][0]
                answer = self.acknowledge(d, found["names"][0], code=found["code"])["parameters"]
                self.assertEqual([f["is_quiet"] for f in answer["findings"]], [is_quiet])
                after = [f for f in d.report()["findings"] if f["subjects"] == found["subjects"] and f["code"] == found["code"]][0]
                self.assertEqual(after["severity"], "info" if is_quiet else found["severity"])
                self.assertEqual(after["acknowledged"]["reason"], "cable is ordered")

    def test_arguments(self):
        d = self.run_on(golden(BELOW))
        for wrong, more in (("reason", {"reason": ""}), ("reason", {"reason": "x" * 1001}), ("reason", {"reason": "two\nlines"}), ("until", {"until": -1}),
                            ("until", {"until": 1 << 62}), ("until", {"until": 1 << 40, "reason": None})):
            self.assert_error(d.ask(OURS + "Acknowledge", dict({"name": "sdb", "reason": "x"}, **more)),
                              SERVICE + "InvalidParameter", {"parameter": wrong})
        self.assert_error(self.acknowledge(d, "nothing"), OURS + "NoSuchFinding", {"name": "nothing"})
        self.assert_error(self.acknowledge(d, "sdb", code="link-lost"), OURS + "NoSuchFinding", {"name": "sdb"})

    @unittest.skipIf(os.getuid() != 0, "for root, who can be somebody else")
    def test_not_by_everybody(self):
        d = self.run_on(golden(FLAPPING))
        os.chmod(d.dir.name, 0o755)
        asked = subprocess.run(
            [os.path.join(daemon.PROGRAMS, "hbactl"), "--socket", d.path, "ack", "sdb", "--reason", "x"],
            user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, check=False, cwd="/", encoding="utf-8")
        self.assertEqual(asked.returncode, 1)
        self.assertIn("only root and members of the group hbad", asked.stderr)
        self.assertNotIn("acknowledged", self.finding(d, "link-flapping"))


class Trouble(Memory):
    def test_off(self):
        """Without a directory: it holds as long as hbad does, and that is said."""
        d = self.start(golden(FLAPPING)).ready()
        for _ in golden(FLAPPING)[1:]:
            d.ask(OURS + "Refresh")
        self.assertIs(self.acknowledge(d, "sdb")["parameters"]["is_kept"], False)
        self.assertEqual(self.finding(d, "link-flapping")["severity"], "info")
        answer = d.ask(OURS + "History", {"name": "sdb"})
        self.assertEqual(answer["error"], OURS + "NoHistory")
        self.assertIn("state directory", answer["parameters"]["reason"])

    def check_goes_on(self, d):
        """Monitoring is as ever, and nothing is said to be kept."""
        d.ready()
        for _ in golden(FLAPPING)[1:]:
            d.ask(OURS + "Refresh")
        self.assertEqual(self.finding(d, "link-flapping")["severity"], "warning")
        self.assertIs(self.acknowledge(d, "sdb")["parameters"]["is_kept"], False)
        self.assertEqual(self.finding(d, "link-flapping")["severity"], "info")
        self.assertEqual(d.ask(OURS + "History", {"name": "sdb"})["error"], OURS + "NoHistory")
        self.wait_for_state(d, "failing")
        self.assertTrue(d.says("monitoring goes on"))

    def test_no_directory(self):
        d = self.start(golden(FLAPPING), arguments=["--state-dir", os.path.join(self.state, "none")])
        self.check_goes_on(d)
        self.assertIn("No such file", self.memory(d)["why"])
        p = subprocess.run([os.path.join(daemon.PROGRAMS, "hbactl"), "--socket", d.path, "check"], stdout=subprocess.PIPE, check=False,
                           encoding="utf-8", timeout=PATIENCE)
        self.assertEqual(p.returncode, 3)  # what is lost since then would pass for well
        self.assertTrue(p.stdout.startswith("HBAD UNKNOWN - what was before cannot be read: No such file or directory | "), p.stdout)

    def test_no_room(self):
        """A file system of 32 KiB, which is less than an empty database."""
        mount = ["unshare", "--mount", "--propagation", "private", "sh", "-c",
                 "mount -t tmpfs -o size=32k none '%s' && exec \"$@\"" % self.state, "sh"]
        if subprocess.run([*mount, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("file systems cannot be mounted here")
        self.check_goes_on(self.start(golden(FLAPPING), arguments=["--state-dir", self.state], before=mount))

    def test_damaged(self):
        """What is no database is moved aside, that is said, and a new one is kept."""
        with open(self.database, "wb") as file:
            file.write(b"what is this" * 1000)
        d = self.run_on(golden(FLAPPING))
        self.assertTrue(d.says("was moved to"))
        self.assertEqual(len([n for n in os.listdir(self.state) if ".damaged-" in n]), 1)
        self.assertIs(self.acknowledge(d, "sdb")["parameters"]["is_kept"], True)
        self.assertEqual(self.memory(d)["state"], "well")

    def check_is_there(self, d):
        """What is found, and who knows of it, is kept by now, whatever became of the database."""
        self.wait_for_state(d, "well")
        self.wait_until_written(d)
        self.stop(d)
        second = self.run_on(golden(BELOW))
        self.assertEqual(self.finding(second, "rate-below-expected")["acknowledged"]["reason"], "cable is ordered")
        self.assertEqual(second.journal.entries(), [])

    def test_taken_away(self):
        """What is put into a file that nobody finds any more is not kept: a new one is begun, and all that holds put in again."""
        d = self.run_on(golden(BELOW))
        self.assertIs(self.acknowledge(d, "sdc")["parameters"]["is_kept"], True)
        for name in os.listdir(self.state):
            os.unlink(os.path.join(self.state, name))
        self.assertIs(self.acknowledge(d, "sdc")["parameters"]["is_kept"], True)
        self.assertTrue(d.says("was taken away"))
        self.check_is_there(d)

    def test_directory_comes_back(self):
        d = self.run_on(golden(BELOW))
        os.rename(self.state, self.state + ".away")
        self.addCleanup(shutil.rmtree, self.state + ".away")
        self.assertIs(self.acknowledge(d, "sdc")["parameters"]["is_kept"], False)
        os.mkdir(self.state)
        d.ask(OURS + "History", {"name": "sdc"})
        self.check_is_there(d)

    def test_damaged_meanwhile(self):
        d = self.run_on(golden(BELOW))
        self.assertIs(self.acknowledge(d, "sdc")["parameters"]["is_kept"], True)
        os.kill(self.writer_of(d), signal.SIGKILL)
        with open(self.database, "wb") as file:
            file.write(b"what is this" * 1000)
        if os.path.exists(self.database + "-wal"):
            os.unlink(self.database + "-wal")  # all that is in it would be there again
        d.ask(OURS + "History", {"name": "sdc"})
        self.assertTrue(d.says("was moved to"))
        self.check_is_there(d)

    def test_many_ask(self):
        """Of those who only want to know some are sent away, and who has something kept does not wait behind them."""
        d = self.run_on(golden(BELOW))
        d.ask(OURS + "History", {"name": "sdc"})
        writer = self.writer_of(d)
        os.kill(writer, signal.SIGSTOP)
        clients = [d.client() for _ in range(200)]
        for client in clients:
            client.call(OURS + "History", {"name": "sdc"})
        while d.ask(OURS + "History", {"name": "sdc"}).get("error") != OURS + "NoHistory":
            pass
        os.kill(writer, signal.SIGCONT)
        self.assertIs(self.acknowledge(d, "sdc")["parameters"]["is_kept"], True)
        answers = [client.message() for client in clients]
        self.assertEqual({a.get("error") for a in answers}, {None, OURS + "NoHistory"})
        self.assertGreater(sum("error" in a for a in answers), 100)
        for client in clients:
            client.close()

    def test_of_a_newer_version(self):
        self.stop(self.run_on(golden(FLAPPING)))
        with sqlite3.connect(self.database) as db:
            db.execute("PRAGMA user_version = 1000")
        db.close()
        d = self.run_on(golden(FLAPPING))
        self.assertTrue(d.says("was written by a newer version"))
        self.assertEqual(self.memory(d)["state"], "well")

    def test_writer_is_killed(self):
        """Nothing of what it was given is lost, and there is a new one."""
        days = golden(FLAPPING)
        d = self.run_on(days, 3)
        self.wait_until_written(d)
        os.kill(self.writer_of(d), signal.SIGKILL)
        for _ in days[3:]:
            d.ask(OURS + "Refresh")
        self.wait_until_written(d)
        self.assertEqual(len(self.history(d, "sdb")[1]["changes"]), len(days))

    def test_writer_hangs(self):
        """As at a disk that hangs: everything else is answered at once, and this within its bound."""
        days = golden(FLAPPING)
        d = self.run_on(days, 3)
        self.wait_until_written(d)
        writer = self.writer_of(d)
        os.kill(writer, signal.SIGSTOP)
        started = time.monotonic()
        for _ in days[3:]:
            d.ask(OURS + "Refresh")
        answer = d.ask(OURS + "History", {"name": "sdb"})
        self.assertEqual(answer["error"], OURS + "NoHistory")
        self.assertIn("does not answer", answer["parameters"]["reason"])
        self.assertIs(self.acknowledge(d, "sdb")["parameters"]["is_kept"], False)
        self.assertLess(time.monotonic() - started, 30)
        os.kill(writer, signal.SIGCONT)
        self.wait_until_written(d)
        self.assertEqual(len(self.history(d, "sdb")[1]["changes"]), len(days))
        self.stop(d)
        self.assertIn("acknowledged", self.finding(self.run_on(days[-1:]), "link-flapping"))

    def test_ends_at_once_while_it_hangs(self):
        d = self.run_on(golden(FLAPPING), 2)
        self.wait_until_written(d)
        writer = self.writer_of(d)
        os.kill(writer, signal.SIGSTOP)
        client = d.client()
        client.call(OURS + "History", {"name": "sdb"})
        started = time.monotonic()
        d.process.send_signal(signal.SIGTERM)
        d.process.wait(PATIENCE)
        self.assertLess(time.monotonic() - started, 2)
        os.kill(writer, signal.SIGCONT)

    def test_first_report_does_not_wait_for_ever(self):
        """Somebody has the database: the first report comes without it, and what was before is taken in late."""
        days = golden(FLAPPING)
        first = self.run_on(days)
        self.acknowledge(first, "sdb")
        self.stop(first)
        db = sqlite3.connect(self.database, isolation_level=None)
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        second = self.start(days[-1:], arguments=["--state-dir", self.state])
        started = time.monotonic()
        second.ready()
        self.assertLess(time.monotonic() - started, 20)
        self.assertEqual(second.report()["findings"], [])
        self.assertEqual(self.memory(second)["state"], "starting")
        db.close()
        self.wait_for("it is taken in", lambda: second.report()["findings"])
        self.assertEqual(self.finding(second, "link-flapping")["acknowledged"]["reason"], "cable is ordered")
        self.assertEqual(second.journal.entries(), [])

    def test_client_goes_meanwhile(self):
        d = self.run_on(golden(FLAPPING), 2)
        self.wait_until_written(d)
        writer = self.writer_of(d)
        os.kill(writer, signal.SIGSTOP)
        for _ in range(20):
            client = d.client()
            client.call(OURS + "History", {"name": "sdb"})
            client.close()
        os.kill(writer, signal.SIGCONT)
        self.assertEqual(len(self.history(d, "sdb")), 2)

    def test_limits_take_effect(self):
        """Other limits have a writer of their own, and the same have none. (What they do: tests/history/test_writer.c.)"""
        d = self.run_on(golden(FLAPPING), 2)
        self.wait_until_written(d)
        first = self.writer_of(d)
        d.write("hbad.conf", "[history]\nkeep = 1d\n")
        self.assertNotIn("error", d.ask(OURS + "Reload"))
        d.ask(OURS + "Refresh")
        self.wait_until_written(d)
        self.assertNotEqual(self.writer_of(d), first)
        second = self.writer_of(d)
        self.assertNotIn("error", d.ask(OURS + "Reload"))  # the same again
        d.ask(OURS + "Refresh")
        self.wait_until_written(d)
        self.assertEqual(self.writer_of(d), second)


class Printed(Memory):
    def hbactl(self, d, *words):
        return subprocess.run([os.path.join(daemon.PROGRAMS, "hbactl"), "--socket", d.path, *words],
                              capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE,
                              env=dict(os.environ, LC_ALL="C", TZ="UTC"))

    def test_history(self):
        d = self.run_on(golden(FLAPPING))
        text = self.hbactl(d, "history", "sdb").stdout
        self.assertRegex(text, r"(?m)^2026-03-02 10:10 UTC  2026-03-02 10:20 UTC  up +3\.0 Gb/s +300\.0 MB/s  Samsung")
        self.assertRegex(text, r"(?m)^2026-03-02 10:10 UTC  now +warning +link-flapping: link2 ")
        parsed = json.loads(self.hbactl(d, "history", "sdb", "--json=short").stdout)
        self.assertEqual(parsed, self.history(d, "sdb"))
        short = self.hbactl(d, "history", "/dev/sdb", "--since", "2026-03-02 10:45").stdout
        self.assertNotIn("3.0 Gb/s", short)
        for words, status in ((["nothing"], 1), (["sdb", "--since", "soon"], 64), (["sdb", "--reason", "x"], 64),
                              (["sdb", "--since", "2999-01-01"], 64)):
            self.assertEqual(self.hbactl(d, "history", *words).returncode, status)

    def test_sparkline(self):
        d = self.run_on(golden(GROWING))
        name = self.finding(d, "errors-growing")["names"][0]
        self.assertRegex(self.hbactl(d, "history", name).stdout, r"(?m)^[a-z_ ]+ +\d+( or more)? .*  [0-9]{24} +\d+$")

    def test_ack(self):
        d = self.run_on(golden(FLAPPING))
        done = self.hbactl(d, "ack", "sdb", "--reason", "cable is ordered", "--until", "3650d")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, "^acknowledged: link-flapping: link2 ")
        self.assertRegex(self.hbactl(d, "list", "findings").stdout,
                         r"info +link-flapping .*\(acknowledged by \S+ until 20\d\d-.* UTC: cable is ordered\)")
        self.assertIn("cable is ordered", self.hbactl(d, "history", "sdb").stdout)
        self.assertEqual(self.hbactl(d, "status").returncode, 0)
        done = self.hbactl(d, "ack", "sdb", "--withdraw")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.hbactl(d, "status").returncode, 1)
        for words, status in ((["sdb", "--withdraw"], 1), (["sdb"], 64), (["sdb", "--reason", "x", "--withdraw"], 64),
                              (["sdb", "--reason", "x", "--until", "yesterday"], 64), (["sdb", "--since", "2h"], 64),
                              (["sdb", "--reason", "x", "--code", "link-lots"], 64)):
            self.assertEqual(self.hbactl(d, "ack", *words).returncode, status, words)

    def test_service(self):
        d = self.run_on(golden(FLAPPING))
        self.wait_until_written(d)
        self.assertRegex(self.hbactl(d, "status", "--service").stdout,
                         r"(?m)^The history: well, \d+ records written, 0 waiting, 0 left out\.$")
        self.assertIn("No history is kept.", self.hbactl(self.start(golden(BELOW)).ready(), "status", "--service").stdout)


if __name__ == "__main__":
    daemon.main()
