#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hbad tells of what changes: subscribers, journal, service manager, configuration: test_watch.py PROGRAMS"""
import json
import os
import signal
import socket
import subprocess
import time

import daemon
from daemon import OURS, SERVICE, golden

FLAPPING = "sata-link-flapping"
QUICK = "[daemon]\nclear_after = 1ms\n"


class Subscriber:
    """A client that keeps what it is told, as a display would."""

    def __init__(self, d):
        self.client = d.client()
        self.client.call(OURS + "Monitor", more=True)
        self.hosts, self.machine, self.told = {}, None, []
        self.update()

    def update(self):
        """Takes replies up to the one that ends the state, or a change. Returns which hosts it was about."""
        about = []
        while True:
            reply = self.client.message()
            assert reply["continues"] is True, reply
            told = reply["parameters"]
            if "machine" in told:
                self.machine = told["machine"]
                return about
            if "removed" in told:
                about.append(told["removed"])
                del self.hosts[told["removed"]]
            else:
                about.append(told["host"]["id"])
                self.hosts[told["host"]["id"]] = told

    def matches(self, report):
        by_id = lambda objects: {o["id"]: o for o in objects}
        links = [link for told in self.hosts.values() for link in told["links"]] + self.machine["links"]
        devices = [device for told in self.hosts.values() for device in told["devices"]]
        return (by_id(t["host"] for t in self.hosts.values()) == by_id(report["hosts"])
                and by_id(links) == by_id(report["links"]) and by_id(devices) == by_id(report["devices"])
                and all(self.machine[k] == report[k] for k in ("summary", "findings", "gaps", "notes")))


class Monitor(daemon.Test):
    def test_state_then_changes(self):
        """After each change a subscriber knows what the report says, and is told of what changed only."""
        days = golden(FLAPPING)
        d = self.start(days).ready()
        s = Subscriber(d)
        for _ in days[1:]:
            d.ask(OURS + "Refresh")
            about = s.update()
            self.assertTrue(s.matches(d.report()))
            self.assertLessEqual(len(about), 1)
        d.ask(OURS + "Refresh")  # nothing new: nothing is told
        late = Subscriber(d)
        self.assertEqual(late.hosts, s.hosts)
        self.assertEqual(late.machine, s.machine)
        self.assertIn("link-flapping", [f["code"] for f in s.machine["findings"]])

    def test_hosts_come_and_go(self):
        """Two adapters by themselves are one machine; and one that is not there the next day is told to be gone."""
        first, second = golden("spi-fusion-one-at-half-rate")[-1], golden("sata-libata-force-3g")[-1]
        d = self.start({"a": [first, second], "b": [first]}).ready()
        s = Subscriber(d)
        before = set(s.hosts)
        d.ask(OURS + "Refresh")
        self.assertTrue(set(s.update()))
        self.assertTrue(s.matches(d.report()))
        self.assertNotEqual(set(s.hosts), before)

    def test_stays_when_one_side_is_closed(self):
        d = self.start(golden(FLAPPING)).ready()
        s = Subscriber(d)
        s.client.socket.shutdown(socket.SHUT_WR)
        d.ask(OURS + "Refresh")
        s.update()
        s.client.close()
        self.wait_for_subscribers(d, 0)

    def wait_for_subscribers(self, d, n):
        deadline = time.monotonic() + daemon.PATIENCE
        while d.ask(OURS + "GetStatus")["parameters"]["subscribers"] != n:
            self.assertLess(time.monotonic(), deadline)

    def test_one_more_call_waits(self):
        """While a call streams, no other of that connection is answered; other connections are."""
        d = self.start(golden(FLAPPING)).ready()
        s = Subscriber(d)
        s.client.call(SERVICE + "GetInfo")
        d.ask(OURS + "Refresh")
        s.update()
        self.assertIn("vendor", d.ask(SERVICE + "GetInfo")["parameters"])

    def test_oneway_error_is_nothing(self):
        d = self.start(golden(FLAPPING)).ready()
        client = d.client()
        client.call(OURS + "Monitor", oneway=True)  # needs more, and may not say so
        self.assertIn("vendor", client.ask(SERVICE + "GetInfo")["parameters"])
        client.close()

    def test_slow_reader(self):
        """A subscriber that does not read is told how much it missed, and let go; nobody else notices."""
        day = [golden(FLAPPING)[0], golden(FLAPPING)[1]]
        d = self.start(day * 700).ready()
        slow, s = Subscriber(d), Subscriber(d)
        for _ in range(1399):
            d.ask(OURS + "Refresh")
            s.update()
        self.assertTrue(s.matches(d.report()))
        self.wait_for_subscribers(d, 1)
        last = None
        while True:
            message = slow.client.message()
            if message is None:
                break
            last = message
        self.assertEqual(last["error"], OURS + "Overrun")
        self.assertGreater(last["parameters"]["dropped"], 0)


class Journal(daemon.Test):
    def test_a_link_that_flaps(self):
        """New, confirmed, over: one entry each, with what was found in fields."""
        days = golden(FLAPPING)
        d = self.start([days[0], *days, days[0]], config=QUICK).ready()
        entries = []
        for _ in range(len(days) + 6):
            d.ask(OURS + "Refresh")
            entries += d.journal.entries()
        for entry in entries:
            self.check(entry)
        told = [(dict(e)["HBAD_CODE"], dict(e)["HBAD_CHANGE"]) for e in entries]
        self.assertEqual(told.count(("link-flapping", "raised")), 1)
        self.assertLessEqual(len(told), 4)

    def check(self, entry):
        fields = dict(entry)
        code = json.loads(subprocess.run([os.path.join(daemon.PROGRAMS, "hbactl"), "explain", fields["HBAD_CODE"],
                                          "--json=short"], stdout=subprocess.PIPE, check=True).stdout)
        self.assertEqual(fields["MESSAGE_ID"], code["message_id"])
        self.assertEqual(fields["SYSLOG_IDENTIFIER"], "hbad")
        self.assertIn(fields["HBAD_CHANGE"], ("raised", "changed", "cleared"))
        if fields["HBAD_CHANGE"] == "cleared":
            self.assertEqual(fields["PRIORITY"], "5")
            self.assertTrue(fields["MESSAGE"].startswith("over: "))
        self.assertEqual([v for k, v in entry if k == "HBAD_SUBJECT"], fields["HBAD_SUBJECTS"].split(" "))
        self.assertEqual([v for k, v in entry if k == "HBAD_NAME"], fields["HBAD_NAMES"].split(" "))

    def test_found_and_over(self):
        """What is over can be searched for by the same names."""
        days = golden("spi-fusion-one-at-half-rate")[-1:] + golden("sata-libata-force-3g")[-1:] * 2
        d = self.start(days, config=QUICK).ready()
        raised = d.journal.entry()
        for _ in range(3):
            d.ask(OURS + "Refresh")
        over = [e for e in d.journal.entries() if dict(e)["HBAD_CHANGE"] == "cleared"]
        self.check(over[0])
        self.assertEqual([v for k, v in over[0] if k == "HBAD_NAME"], [v for k, v in raised if k == "HBAD_NAME"])

    def test_found_at_start_is_told_at_once(self):
        d = self.start(golden("spi-fusion-one-at-half-rate")).ready()
        entry = d.journal.entry()
        self.check(entry)
        fields = dict(entry)
        self.assertEqual((fields["HBAD_CODE"], fields["HBAD_CHANGE"], fields["PRIORITY"]),
                         ("rate-below-expected", "raised", "4"))
        self.assertIn("Ultra160", fields["MESSAGE"])

    def test_journal_that_does_not_read(self):
        """A stopped journald silences nobody, and is told when it goes on."""
        days = golden("sata-libata-force-3g")[-1:] + golden("spi-fusion-one-at-half-rate")[-1:]
        d = self.start(days * 300, config=QUICK).ready()
        for _ in range(599):
            d.ask(OURS + "Refresh")
        self.assertIn("report", d.ask(OURS + "GetReport")["parameters"])
        first = d.journal.entries()
        self.assertGreater(len(first), 0)

    def test_no_journal(self):
        """Then what would be in it is said to who started it."""
        d = self.start(golden("spi-fusion-one-at-half-rate"), journal=False).ready()
        self.assertIn("report", d.ask(OURS + "GetReport")["parameters"])
        self.assertTrue(d.says("rate-below-expected: target0:0:2 "), d.said)


class Service(daemon.Test):
    def test_service_manager_that_does_not_read(self):
        d = self.start(golden(FLAPPING)).ready()
        for _ in range(40):
            d.ask(OURS + "Refresh")
        self.assertIn("report", d.ask(OURS + "GetReport")["parameters"])

    def test_notifications(self):
        d = self.start(golden("spi-fusion-one-at-half-rate"))
        self.assertIn("2 hosts, 10 links: 1 below", d.notified("STATUS="))
        d.ready()
        d.process.send_signal(signal.SIGHUP)
        self.assertIn("MONOTONIC_USEC=", d.notified("RELOADING=1"))
        d.notified("READY=1")
        d.process.send_signal(signal.SIGTERM)
        d.notified("STOPPING=1")

    def test_ends_at_once(self):
        d = self.start(golden(FLAPPING)).ready()
        clients = [d.client() for _ in range(20)]
        for client in clients:
            client.call(OURS + "Monitor", more=True)
        begin = time.monotonic()
        self.assertEqual(d.stop(), 0)
        self.assertLess(time.monotonic() - begin, 10)  # a second where nothing else runs
        for client in clients:
            while client.message():
                pass
            client.close()

    def test_socket_of_one_that_was_killed(self):
        d = self.start(golden(FLAPPING)).ready()
        second = subprocess.run([os.path.join(daemon.PROGRAMS, "hbad"), "--socket", d.path, "--captures",
                                 d.file("captures"), "--config", d.config], stderr=subprocess.PIPE, check=False)
        self.assertEqual(second.returncode, 1)  # it is in use
        self.assertIn(b"in use", second.stderr)
        self.assertIn("vendor", d.ask(SERVICE + "GetInfo")["parameters"])
        left = socket.socket(socket.AF_UNIX)
        left.bind(d.file("left"))
        left.close()
        third = subprocess.Popen([os.path.join(daemon.PROGRAMS, "hbad"), "--socket", d.file("left"), "--captures",
                                  d.file("captures"), "--config", d.config])
        deadline = time.monotonic() + daemon.PATIENCE
        while True:
            try:
                client = daemon.Client(d.file("left"))
                break
            except (ConnectionRefusedError, FileNotFoundError):
                self.assertLess(time.monotonic(), deadline)
        self.assertIn("vendor", client.ask(SERVICE + "GetInfo")["parameters"])
        client.close()
        third.terminate()
        self.assertEqual(third.wait(daemon.PATIENCE), 0)
        self.assertFalse(os.path.exists(d.file("left")))

    def test_socket_activation(self):
        """As systemd passes it: descriptor 3, LISTEN_PID, LISTEN_FDS."""
        d = self.start(golden(FLAPPING)).ready()
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(d.file("passed"))
        listener.listen()
        code = "import os, sys; os.environ['LISTEN_PID'] = str(os.getpid()); os.dup2(%d, 3); os.execv(sys.argv[1], sys.argv[1:])"
        process = subprocess.Popen(["/usr/bin/python3", "-c", code % listener.fileno(),
                                    os.path.join(daemon.PROGRAMS, "hbad"), "--captures", d.file("captures"), "--config",
                                    d.config], env=dict(os.environ, LISTEN_FDS="1"), pass_fds=[listener.fileno()])
        client = daemon.Client(d.file("passed"))
        self.assertIn("vendor", client.ask(SERVICE + "GetInfo")["parameters"])
        client.close()
        listener.close()
        process.terminate()
        self.assertEqual(process.wait(daemon.PATIENCE), 0)
        self.assertTrue(os.path.exists(d.file("passed")))  # it is not ours to remove

    def test_usage(self):
        hbad = os.path.join(daemon.PROGRAMS, "hbad")
        for words, status in ((["--help"], 0), (["--version"], 0), (["--no-such"], 64), (["word"], 64),
                              (["--captures", "/nonexistent"], 1)):
            run = subprocess.run([hbad, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual(run.returncode, status, (words, run))
            if status == 64:  # one line what, one line where to look
                self.assertRegex(run.stderr, rb"\A.*(no-such|word).*\nhbad: see hbad --help\n\Z")

    def test_nobody_can_ask(self):
        hbad = os.path.join(daemon.PROGRAMS, "hbad")
        with subprocess.Popen([hbad, "--captures", os.path.join(daemon.GOLDEN, "sata-link-flapping")],
                              stderr=subprocess.PIPE) as process:
            self.assertEqual(process.stderr.readline(),
                             b"hbad: nobody can ask: systemd passes no socket, and no --socket is given\n")
            process.terminate()
            self.assertEqual(process.wait(daemon.PATIENCE), 0)


class Configuration(daemon.Test):
    IGNORED = '[link "target0:0:2"]\nignore = yes\n'

    def severities(self, d):
        return [f["severity"] for f in d.ask(OURS + "GetReport")["parameters"]["report"]["findings"]]

    def test_reload(self):
        d = self.start(golden("spi-fusion-one-at-half-rate")).ready()
        s = Subscriber(d)
        before = self.severities(d)
        d.write("hbad.conf", self.IGNORED + "[daemon]\nno_such_key = 1\n")
        answer = d.ask(OURS + "Reload")
        self.assertEqual(answer, {"parameters": {"warnings": [
            {"file": d.config, "line": 4, "is_warning": True, "text": "unknown key no_such_key in [daemon]"}]}})
        s.update()
        after = self.severities(d)
        self.assertEqual(before.count("warning") - 1, after.count("warning"))
        self.assertEqual([f["severity"] for f in s.machine["findings"]], after)

    def test_wrong_one_leaves_the_old_one(self):
        d = self.start(golden("spi-fusion-one-at-half-rate"), config=self.IGNORED).ready()
        before = self.severities(d)
        d.write("hbad.conf", "[daemon]\ninterval = soon\n")
        answer = d.ask(OURS + "Reload")
        self.assertEqual(answer["error"], OURS + "InvalidConfiguration")
        self.assertEqual([(m["file"], m["line"]) for m in answer["parameters"]["messages"]], [(d.config, 2)])
        self.assertEqual(self.severities(d), before)
        os.unlink(d.config)
        answer = d.ask(OURS + "Reload")
        self.assertEqual([(m["file"], m["line"]) for m in answer["parameters"]["messages"]], [(d.config, 0)])
        d.process.send_signal(signal.SIGHUP)
        d.notified("RELOADING=1")
        d.notified("READY=1")
        self.assertEqual(self.severities(d), before)

    def test_wrong_one_at_start_is_not_used(self):
        d = self.start(golden("spi-fusion-one-at-half-rate"), config=self.IGNORED + "[daemon\n").ready()
        self.assertIn("warning", self.severities(d))
        self.assertTrue(d.says("hbad.conf:3: "), d.said)


if __name__ == "__main__":
    daemon.main()
