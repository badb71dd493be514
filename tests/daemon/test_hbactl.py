#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbactl and the daemon: test_hbactl.py PROGRAMS

What the daemon answers is what hbactl says by itself of the same captures; what pretends to be a daemon harms nobody.
"""
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import unittest

import daemon
from daemon import OURS, SERVICE, PATIENCE, golden

BELOW, FLAPPING = "spi-fusion-one-at-half-rate", "sata-link-flapping"
CASES = (BELOW, FLAPPING, "sas-wide-port-one-lane-missing", "fc-port-of-target-gone", "iscsi-session-over-1g-nic")
ONE_S = ["--patience", "1"]
NOBODY = 65534


def environment(**more):
    plain = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"}
    plain.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
    return dict(plain, **more)


def command(*words):
    return [os.path.join(daemon.PROGRAMS, "hbactl"), *words]


def hbactl(*words, **more):
    return subprocess.run(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env=environment(), encoding="utf-8", timeout=PATIENCE, check=False, **more)


def captures(case):
    return [word for path in golden(case) for word in ("--capture", path)]


class Asking(daemon.Test):
    """A daemon that knows all days of a case."""

    def daemon_of(self, case, **named):
        running = self.start(golden(case), **named).ready()
        for _ in golden(case)[1:]:
            running.ask(OURS + "Refresh")
        return running

    @staticmethod
    def without_hints(text):
        """What to type next is another command."""
        text = re.sub(r"(?m)^ +\S*hbactl .*\n(?: {6}.*\n)*", "", text)
        return re.sub(r"(?m)^As hbad saw it .*\n", "", text)

    def test_same_as_direct(self):
        for case in CASES:
            running = self.daemon_of(case)
            for words in ([], ["--strict"], ["report"], ["--json=short"], ["report", "--json=short"], ["list", "hosts"],
                          ["list", "links", "--json=short"], ["list", "devices", "--no-legend"], ["list", "findings"],
                          ["show", "host0"], ["show", "0:0:0:0", "--json=short"], ["explain", "0:0:0:0"], ["explain", "host0", "--json"],
                          ["show", "nobody"], ["explain", "rate-below-expected"]):
                with self.subTest(case=case, words=words):
                    there = hbactl("--socket", running.path, "--daemon", *words)
                    here = hbactl(*captures(case), *words)
                    self.assertEqual((there.returncode, there.stderr), (here.returncode, here.stderr))
                    self.assertEqual(self.without_hints(there.stdout), self.without_hints(here.stdout))
            pretty = hbactl("--socket", running.path, "--daemon", "--json")
            self.assertEqual(json.loads(pretty.stdout), json.loads(hbactl(*captures(case), "--json").stdout))
            self.assertGreater(pretty.stdout.count("\n"), 50)

    def test_age(self):
        running = self.daemon_of(BELOW)
        for words in ([], ["report"], ["list", "links"], ["findings"]):
            out = hbactl("--socket", running.path, "--daemon", *words).stdout
            self.assertTrue(out.endswith("\nAs hbad saw it on 2026-01-12 09:30 UTC.\n"), out[-200:])
        for words in (["--no-legend"], ["show", "sdc"], ["list", "links", "--no-legend"]):
            self.assertNotIn("As hbad saw it", hbactl("--socket", running.path, "--daemon", *words).stdout)

    def test_hints_ask_again_the_same_way(self):
        running = self.daemon_of(BELOW)
        self.assertIn("hbactl --socket %s explain sdc" % running.path, hbactl("--socket", running.path).stdout)

    def test_service(self):
        running = self.daemon_of(BELOW)
        p = hbactl("--socket", running.path, "status", "--service")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertRegex(p.stdout, r"\Ahbad runs since 20\d\d-\d\d-\d\d \d\d:\d\d UTC, with \d+\.\d MiB: 1 round, 1 client, "
                                   r"0 subscribers\.\nIts report is of 2026-01-12 09:30 UTC\.\nNo history is kept\.\n\n")
        self.assertIn("waiting", p.stdout)
        status = json.loads(hbactl("--socket", running.path, "status", "--service", "--json=short").stdout)
        self.assertEqual(status["rounds"], 1)
        self.assertEqual([a["name"] for a in status["adapters"]], [running.file("captures")])
        self.assertIn("\n%s " % running.file("captures"), p.stdout)

    # ---- reload ----

    def test_reload(self):
        running = self.daemon_of(BELOW)
        p = hbactl("--socket", running.path, "reload")
        self.assertEqual((p.returncode, p.stdout, p.stderr), (0, "", ""))
        running.write("hbad.conf", "[daemon]\nshape = round\n")
        p = hbactl("--socket", running.path, "reload")
        self.assertEqual((p.returncode, p.stderr), (0, "hbactl: %s:2: unknown key shape in [daemon]\n" % running.config))
        running.write("hbad.conf", "[daemon]\n\ninterval = often\n")
        p = hbactl("--socket", running.path, "reload")
        self.assertEqual((p.returncode, p.stdout), (1, ""))
        self.assertRegex(p.stderr, r"\Ahbactl: %s:3: interval: must be .*\nhbactl: the configuration is wrong: the old one stays "
                                   r"in force\n\Z" % re.escape(running.config))

    def test_wrong_configuration_is_in_the_report(self):
        """Until it is put right: what is wrong, and what is in force."""
        known = '[link "sdc"]\nexpect = Ultra160\n'
        running = self.daemon_of(BELOW, config=known + "[daemon]\ninterval = often\n")
        p = hbactl("--socket", running.path, "--daemon")
        self.assertEqual(p.returncode, 1)  # nothing of it is in force
        self.assertRegex(p.stdout, r"\nNote: the configuration is wrong: it is not used\.\n"
                                   r"Note: %s:4: interval: must be .*\n" % re.escape(running.config))
        running.write("hbad.conf", known)
        self.assertEqual(hbactl("--socket", running.path, "reload").returncode, 0)
        p = hbactl("--socket", running.path, "--daemon")
        self.assertEqual(p.returncode, 0)
        self.assertNotIn("Note: ", p.stdout)
        running.write("hbad.conf", "expect\n" * 11)
        self.assertEqual(hbactl("--socket", running.path, "reload").returncode, 1)
        p = hbactl("--socket", running.path, "--daemon")
        self.assertEqual(p.returncode, 0)  # the old one
        self.assertIn("\nNote: the configuration is wrong: the old one stays in force.\nNote: ", p.stdout)
        self.assertEqual(p.stdout.count("\nNote: %s:" % running.config), 8)
        self.assertIn("\nNote: the configuration is wrong in 3 more places.\n", p.stdout)

    @unittest.skipUnless(os.geteuid() == 0, "another user is needed")
    def test_reload_is_not_for_everybody(self):
        running = self.daemon_of(BELOW)
        os.chmod(running.dir.name, 0o755)
        p = hbactl("--socket", running.path, "reload", user=NOBODY, group=NOBODY, extra_groups=[])
        self.assertEqual((p.returncode, p.stderr),
                         (1, "hbactl: only root and members of the group hbad may have hbad do that\n"))
        self.assertEqual(hbactl("--socket", running.path, "--daemon", user=NOBODY, group=NOBODY, extra_groups=[]).returncode, 1)

    # ---- whom to ask ----

    @unittest.skipUnless(os.geteuid() == 0, "another user is needed")
    def test_not_let_in(self):
        running = self.daemon_of(BELOW)
        os.chmod(running.path, 0o600)
        os.chmod(running.dir.name, 0o755)
        as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        p = hbactl("--socket", running.path, "--daemon", **as_nobody)
        self.assertEqual((p.returncode, p.stdout, p.stderr), (3, "", "hbactl: %s: Permission denied\n" % running.path))
        p = hbactl("--socket", running.path, "list", "hosts", **as_nobody)
        self.assertTrue(p.stderr.startswith("hbactl: %s: Permission denied\n" % running.path), p.stderr)

    def test_nobody_there(self):
        p = hbactl("--socket", "/nonexistent/socket", "list", "hosts")
        direct = hbactl("--direct", "list", "hosts")
        said = "hbactl: hbad is not running (/nonexistent/socket)\n"
        self.assertEqual((p.returncode, p.stdout, p.stderr), (direct.returncode, direct.stdout, said + direct.stderr))
        for status, words in ((3, ["--daemon"]), (3, ["status", "--service"]), (1, ["--daemon", "list", "hosts"]), (1, ["monitor"]),
                              (1, ["reload"])):
            p = hbactl("--socket", "/nonexistent/socket", *words)
            self.assertEqual((p.returncode, p.stdout, p.stderr), (status, "", said))
        p = hbactl("--socket", "/" + "x" * 200, "--daemon")
        self.assertEqual((p.returncode, p.stderr), (3, "hbactl: /%s: File name too long\n" % ("x" * 200)))

    def test_usage(self):
        for words in (["--daemon", "--direct"], ["--daemon", "--capture", "x"], ["--daemon", "--config", "x"], ["--direct", "monitor"],
                      ["--capture", "x", "reload"], ["list", "hosts", "--service"], ["--service", "--sysfs-root", "/"]):
            p = hbactl(*words)
            self.assertEqual((p.returncode, p.stdout), (64, ""), words)
            self.assertNotEqual(p.stderr, "")
        for words, said in ((["--daemon", "--direct"], "--daemon: the daemon is not asked with --direct"),
                            (["history", "sda", "--capture", "x"], "history: the daemon is not asked with --capture"),
                            (["--service", "--force"], "--service: the daemon is not asked with --force"),
                            (["--daemon", "bench", "sda"], "--daemon: bench is nothing that the daemon does"),
                            (["--daemon", "capture"], "--daemon: capture is nothing that the daemon does"),
                            (["--daemon", "compare", "x"], "--daemon: compare is nothing that the daemon does"),
                            (["--daemon", "cat-config"], "--daemon: cat-config is nothing that the daemon does"),
                            (["--since", "2h"], "--since is for history and report only"),
                            (["history", "sda", "--until", "2h"], "--until is for ack only"),
                            (["list", "links", "--csv"], "--csv is for bench only"),
                            (["show", "sda", "--block", "1K"], "--block is for bench only")):
            p = hbactl(*words)
            self.assertEqual((p.returncode, p.stdout, p.stderr), (64, "", "hbactl: %s\n" % said))

    def test_just_started(self):
        with Fake(lambda client: client.send({"error": OURS + "NotReady", "parameters": {}})) as fake:
            p = hbactl("--socket", fake.path, "--daemon")
            self.assertEqual((p.returncode, p.stderr), (3, "hbactl: hbad has just been started, and has read nothing yet\n"))
            p = hbactl("--socket", fake.path, "list", "hosts")
            self.assertNotIn("hbad", p.stderr.replace("hbad-collect", ""))


class FakeClient:
    def __init__(self, connection):
        self.connection = connection
        self.call = None

    def read(self):
        data = b""
        while not data.endswith(b"\0"):
            more = self.connection.recv(65536)
            if not more:
                raise OSError("gone")
            data += more
        self.call = json.loads(data[:-1])
        return self.call

    def send(self, message):
        self.connection.sendall(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\0")


class Fake:
    """What listens where the daemon would: `answer` is called with each client whose call was read, and the connection is closed
    when it is back."""

    def __init__(self, answer):
        self.dir = daemon.tempfile.TemporaryDirectory(prefix="hbad-test-")
        self.path = os.path.join(self.dir.name, "socket")
        self.answer, self.ends = answer, threading.Event()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.path)
        self.socket.listen()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ends.is_set():
            connection, _ = self.socket.accept()
            with connection:
                try:
                    client = FakeClient(connection)
                    client.fake = self
                    client.read()
                    self.answer(client)
                except OSError:
                    pass  # it has gone, as it may

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ends.set()
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(self.path)
        self.thread.join(PATIENCE)
        self.socket.close()
        self.dir.cleanup()


def endless(client):
    while True:
        client.send(b"x" * 65536)


def endless_drops(client):
    while not client.fake.ends.wait(0.05):
        client.send(b" ")


GOOD = {"text": ["x\n"], "objects": 1, "taken": 0, "notes": [], "summary": {"hosts": 1, "worst": "none"}}


class Pretenders(daemon.Test):
    """Something else listens, or a daemon that has gone mad."""

    GARBAGE = {
        "html": b"HTTP/1.1 400 Bad Request\r\n\r\n\0", "empty": b"\0", "no object": b"[]\0", "cut": b'{"parameters":{\0',
        "deep": b"[" * 100000 + b"\0", "bad UTF-8": b'{"parameters":{"text":["\xff"]}}\0',
        "no reply": {"method": "x"}, "parameters no object": {"parameters": [1]}, "error no name": {"error": {}},
        "nothing": {"parameters": {}}, "no summary": {"parameters": dict(GOOD, summary=None)},
        "text no array": {"parameters": dict(GOOD, text="x")}, "text of numbers": {"parameters": dict(GOOD, text=[1])},
        "negative": {"parameters": dict(GOOD, objects=-1)}, "large": {"parameters": dict(GOOD, taken=1 << 70)},
        "worse": {"parameters": dict(GOOD, summary={"worst": "awful"})}, "notes": {"parameters": dict(GOOD, notes=[{}])},
        "hosts": {"parameters": dict(GOOD, summary={"hosts": "many", "worst": "none"})},
    }

    def check(self, answer, sentence, words=(), status=3):
        """With --daemon that is said and all; without, it is asked directly, and neither hangs nor crashes."""
        with Fake(answer) as fake:
            began = time.monotonic()
            p = hbactl("--socket", fake.path, *ONE_S, "--daemon", *words)
            self.assertEqual((p.returncode, p.stdout), (status, ""), p.stderr)
            self.assertRegex(p.stderr, r"\Ahbactl: hbad %s \(%s\)\n\Z" % (sentence, re.escape(fake.path)))
            self.assertLess(time.monotonic() - began, PATIENCE / 2)
            if not words:
                p = hbactl("--socket", fake.path, *ONE_S, "list", "hosts")
                self.assertTrue(p.stderr.startswith("hbactl: hbad "), p.stderr)
                self.assertEqual(p.stdout, hbactl("--direct", "list", "hosts").stdout)

    def test_well(self):
        with Fake(lambda client: client.send({"parameters": GOOD})) as fake:
            p = hbactl("--socket", fake.path, "--daemon", "--no-legend")
            self.assertEqual((p.returncode, p.stdout, p.stderr), (0, "x\n", ""))

    def test_garbage(self):
        for name, message in self.GARBAGE.items():
            with self.subTest(name):
                self.check(lambda client, m=message: client.send(m), "answers with what is no Varlink",
                           words=() if name == "html" else ("status",))

    def test_garbage_for_scripts(self):
        for message in ({"parameters": {}}, {"parameters": {"report": []}}, {"parameters": {"report": {"summary": {}}}},
                        {"parameters": {"report": {"summary": {"worst": "none"}, "notes": [], "links": []}}}):
            self.check(lambda client, m=message: client.send(m), "answers with what is no Varlink", words=("--json",))

    def test_nothing_of_who_was_to_do_something(self):
        """Who does not say what it has done has done nothing."""
        for words in (["ack", "sda", "--reason", "x"], ["ack", "sda", "--withdraw"], ["reload"]):
            self.check(lambda client: client.send({"parameters": {}}), "answers with what is no Varlink", words=words, status=1)

    def test_garbage_of_the_service(self):
        for message in ({"parameters": {"adapters": {}}}, {"parameters": {"since": -1}}, {"parameters": {"taken": 1 << 62}},
                        {"parameters": {"adapters": [{"name": 7}]}}, {"parameters": {"adapters": [[]]}}):
            self.check(lambda client, m=message: client.send(m), "answers with what is no Varlink", words=("--service",))

    def test_garbage_of_reload(self):
        for messages in ([{"line": 1}], [{"file": 1}], {}, [1]):
            with Fake(lambda client, m=messages: client.send({"error": OURS + "InvalidConfiguration", "parameters": {"messages": m}})) as fake:
                p = hbactl("--socket", fake.path, "reload")
                self.assertEqual((p.returncode, p.stdout), (1, ""))
                self.assertTrue(p.stderr.startswith("hbactl: hbad answers with what is no Varlink"), p.stderr)

    def test_nothing(self):
        self.check(lambda client: client.fake.ends.wait(PATIENCE), "does not answer")

    def test_half_an_answer(self):
        def half(client):
            client.send(b'{"parameters":{"text":["x')
            client.fake.ends.wait(PATIENCE)
        self.check(half, "does not answer", words=("status",))
        self.check(lambda client: client.send(b'{"parameters":{"text":["x'), "closed the connection", words=("status",))

    def test_endless(self):
        self.check(endless, "(does not answer|answers with more than can be read)", words=("status",))
        self.check(endless_drops, "does not answer", words=("status",))

    def test_closes(self):
        self.check(lambda client: None, "closed the connection")

    def test_nothing_is_taken(self):
        """Nobody accepts, and the queue is full."""
        with daemon.tempfile.TemporaryDirectory(prefix="hbad-test-") as folder, socket.socket(socket.AF_UNIX) as listening:
            path = os.path.join(folder, "socket")
            listening.bind(path)
            listening.listen(0)
            with socket.socket(socket.AF_UNIX) as first:
                first.connect(path)
                p = hbactl("--socket", path, *ONE_S, "--daemon")
                self.assertEqual((p.returncode, p.stderr), (3, "hbactl: hbad does not answer (%s)\n" % path))

    def test_terminal_is_not_commanded(self):
        evil = dict(GOOD, text=["a\x1b]0;title\x07b\x1b[2J\n"], notes=["\x1b[2J"])
        with Fake(lambda client: client.send({"parameters": evil})) as fake:
            p = hbactl("--socket", fake.path, "--daemon", "show", "sdc")
            self.assertNotRegex(p.stdout + p.stderr, r"\x1b\]|\x1b\[2J|\x07")
            self.assertIn("title", p.stdout)

    def test_errors(self):
        for error, said in ((SERVICE + "MethodNotFound", "another version"), (SERVICE + "PermissionDenied", "only root"),
                            ("com.example.Odd", "an error: com.example.Odd")):
            with Fake(lambda client, e=error: client.send({"error": e, "parameters": {}})) as fake:
                p = hbactl("--socket", fake.path, "--daemon")
                self.assertEqual((p.returncode, p.stdout), (3, ""))
                self.assertIn(said, p.stderr)


class Monitor(daemon.Test):
    def monitor(self, path, *words):
        process = subprocess.Popen(command("--socket", path, "monitor", *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, env=environment(), encoding="utf-8")

        def end():
            process.kill()
            process.communicate()
        self.addCleanup(end)
        timer = threading.Timer(PATIENCE, process.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        return process

    def lines_until(self, process, end):
        """Lines without the time before each, up to one that matches."""
        lines = []
        for line in process.stdout:
            self.assertRegex(line, r"\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC  ")
            lines.append(line[25:].rstrip("\n"))
            if re.match(end, lines[-1]):
                return lines
        self.fail("it has ended: %s" % lines)

    def test_days(self):
        """Each look goes a day on."""
        case = "spi-parity-ladder"
        running = self.start(golden(case)).ready()
        process = self.monitor(running.path)
        lines = self.lines_until(process, r"\d+ hosts?, ")
        first = json.loads(hbactl("--capture", golden(case)[0], "--json=short").stdout)
        self.assertEqual(lines, ["%s: %s" % (f["severity"], f["summary"]) for f in first["findings"]] +
                         ["%d host%s, %d links, %d devices, %d finding%s" %
                          (len(first["hosts"]), "s" if len(first["hosts"]) > 1 else "", len(first["links"]), len(first["devices"]),
                           len(first["findings"]), "" if len(first["findings"]) == 1 else "s")])
        for _ in golden(case)[1:]:
            running.ask(OURS + "Refresh")
        last = json.loads(hbactl(*captures(case), "--json=short").stdout)
        new = [f for f in last["findings"] if f["code"] not in [g["code"] for g in first["findings"]]]
        self.assertEqual([f["code"] for f in new], ["slower-than-before"])
        lines = self.lines_until(process, ".*" + re.escape(new[0]["summary"]))
        changed = [a for a, b in zip(last["links"], first["links"]) if a["actual"] != b["actual"]]
        self.assertEqual([link["kernel_name"] for link in changed], ["target0:0:1"])
        line = [line for line in lines if line.startswith("target0:0:1  ")][-1]
        self.assertIn(changed[0]["actual"]["label"], line.split(", was ")[0])
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)

    def test_json(self):
        running = self.start(golden(BELOW)).ready()
        report = hbactl("--socket", running.path, "--daemon", "--json=short").stdout
        process = self.monitor(running.path, "--json=short")
        parts = []
        while not parts or not parts[-1].get("machine"):
            parts.append(json.loads(process.stdout.readline()))
        self.assertEqual([p["host"] for p in parts[:-1]], json.loads(report)["hosts"])
        self.assertEqual(parts[-1]["machine"]["findings"], json.loads(report)["findings"])

    @staticmethod
    def host_part(mode, name="host0"):
        mode = {"label": mode, "mb_per_s": 160.0}
        return {"host": {"id": "pci-" + name, "kernel_name": name, "model": "X"}, "devices": [],
                "links": [{"id": name + "-1", "kernel_name": name + ":0", "state": "up", "actual": mode, "verdict": "ok"}]}

    def test_reconnects(self):
        """What has changed while it was away is told when it is back."""
        machine = {"machine": {"links": [], "findings": [{"code": "a-b", "severity": "warning", "summary": "a is b",
                                                          "subjects": ["x"]}]}}
        calm = {"machine": {"links": [], "findings": []}}
        states = [[self.host_part("Ultra160"), self.host_part("Fast-20", "host1"), machine],
                  [self.host_part("Ultra320"), self.host_part("Fast-20", "host2"), calm, {"removed": "pci-host2"}, calm]]

        def tell(client):
            if states:
                for part in states.pop(0):
                    client.send({"parameters": part, "continues": True})
                client.fake.ends.wait(0 if states else PATIENCE)

        with Fake(tell) as fake:
            process = self.monitor(fake.path)
            self.assertEqual(self.lines_until(process, "2 hosts"),
                             ["warning: a is b", "2 hosts, 2 links, 0 devices, 1 finding"])
            self.assertEqual(self.lines_until(process, "- host2:0"), [
                "host0:0  Ultra320, was Ultra160", "+ host2  X", "+ host2:0  Fast-20", "over: warning: a is b",
                "- host1  was X", "- host1:0  was Fast-20", "- host2  was X", "- host2:0  was Fast-20"])
            process.kill()
            self.assertEqual(process.stderr.read(), "hbactl: hbad closed the connection: waiting for it\n")

    def test_just_started(self):
        """It is waited for, and that is said once."""
        answers = [{"error": OURS + "NotReady", "parameters": {}}] * 2
        with Fake(lambda client: client.send(answers.pop() if answers else
                                             {"parameters": {"machine": {"findings": []}}, "continues": True})) as fake:
            process = self.monitor(fake.path)
            self.assertEqual(self.lines_until(process, "0 hosts"), ["0 hosts, 0 links, 0 devices, 0 findings"])
            process.kill()
            self.assertEqual(process.stderr.read().split("\n")[0], "hbactl: hbad has just been started, and has read nothing yet")

    def test_half_a_reply(self):
        """A state that does not end is not waited for without end: it is asked for again."""
        machine = {"parameters": {"machine": {"links": [], "findings": []}}, "continues": True}
        rests = [lambda client: client.connection.recv(1), endless_drops]  # nothing until it goes; and byte by byte

        def tell(client):
            client.send({"parameters": self.host_part("Ultra160" if rests else "Ultra320"), "continues": True})
            client.send(machine)
            client.send(b'{"parameters":{"host":')
            (rests.pop() if rests else endless_drops)(client)

        with Fake(tell) as fake:
            process = self.monitor(fake.path, *ONE_S)
            self.assertEqual(self.lines_until(process, "1 host"), ["1 host, 1 link, 0 devices, 0 findings"])
            self.assertEqual(self.lines_until(process, "host0:0"), ["host0:0  Ultra320, was Ultra160"])
            process.kill()
            self.assertEqual(process.stderr.read(), "hbactl: hbad does not answer: waiting for it\n" * 2)

    def test_garbage(self):
        good = {"parameters": self.host_part("Ultra160"), "continues": True}
        for messages in ([b"garbage\0"], [good, b"garbage\0"], [{"parameters": {}, "continues": False}],
                         [{"parameters": {"host": {}}, "continues": True}], [{"parameters": {"machine": []}, "continues": True}],
                         [{"parameters": {"machine": {"findings": [{}]}}, "continues": True}],
                         [{"parameters": {"host": {"id": "x", "kernel_name": "y"}, "links": {}}, "continues": True}]):
            with Fake(lambda client, all_=messages: [client.send(m) for m in all_]) as fake:
                process = self.monitor(fake.path)
                self.assertEqual(process.wait(PATIENCE), 1, messages)
                self.assertEqual(process.stderr.read(), "hbactl: hbad answers with what is no Varlink (%s)\n" % fake.path)

    def test_nobody_reads(self):
        running = self.start(golden(BELOW)).ready()
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as closed:
            p = subprocess.run(command("--socket", running.path, "monitor"), stdout=closed, stderr=subprocess.PIPE,
                               env=environment(), timeout=PATIENCE, check=False)
        self.assertEqual(p.returncode, -signal.SIGPIPE)


if __name__ == "__main__":
    daemon.main()
