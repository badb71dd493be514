#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Alerts, from hbad to a program of the administrator's: test_alerts.py PROGRAMS

Here a thread is what systemd is with units/hbad-alert.socket: it starts hbad-alert for each connection.
"""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import jsonschema

import daemon
from daemon import OURS, PATIENCE, golden

BELOW, FLAPPING = "spi-fusion-one-at-half-rate", "sata-link-flapping"
HOSTILE = b"'\"|\n\\<s>" + b"$(touch x)`z`|\";"  # vendor and model, eight bytes and sixteen
SCHEMAS = os.path.join(daemon.TOP, "lib/output")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def validate(alert):
    report, schema = load(SCHEMAS + "/report.schema.json"), load(SCHEMAS + "/alert.schema.json")
    finding = schema["properties"]["findings"]["items"]
    assert finding == {"$ref": report["$id"] + "#/$defs/finding"}
    # As one document: Debian's jsonschema does not resolve references within what a reference leads to where that is a URN.
    schema["properties"]["findings"]["items"] = {"$ref": "#/$defs/finding"}
    schema["$defs"] = report["$defs"]
    jsonschema.Draft202012Validator(schema).validate(alert)


def hbad_alert(*words, **more):
    return subprocess.run([os.path.join(daemon.PROGRAMS, "hbad-alert"), *words], check=False, timeout=PATIENCE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", **more)


class Systemd:
    """Listens, and starts the program for each connection. `answer`: what is done instead."""

    def __init__(self, folder, answer=None):
        self.path, self.scripts = os.path.join(folder, "alert-socket"), os.path.join(folder, "alert.d")
        os.makedirs(self.scripts, exist_ok=True)
        self.answer = answer or self.start_program
        self.running, self.most, self.started = 0, 0, 0
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.path)
        self.socket.listen()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        self.started += 1
        self.running += 1
        self.most = max(self.most, self.running)
        self.answer(connection)
        self.running -= 1  # before hbad can know
        connection.close()

    def start_program(self, connection):
        subprocess.run([os.path.join(daemon.PROGRAMS, "hbad-alert"), self.scripts], stdin=connection, stdout=connection, check=False)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join()
        os.unlink(self.path)


class Alerts(daemon.Test):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="hbad-alerts-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.out = os.path.join(self.dir, "out")
        os.mkdir(os.path.join(self.dir, "run"))

    def systemd(self, answer=None, script='cat >> "OUT"\n'):
        systemd = Systemd(self.dir, answer)
        with open(os.path.join(systemd.scripts, "tell"), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + script.replace("OUT", self.out))
            os.chmod(file.fileno(), 0o755)
        self.addCleanup(lambda: systemd.socket.fileno() >= 0 and systemd.close())
        return systemd

    def hbad(self, days, *more, **named):
        return self.start(days, arguments=["--alert-socket", os.path.join(self.dir, "alert-socket"), "--runtime-dir",
                                           os.path.join(self.dir, "run"), *more], **named).ready()

    def told(self, n):
        """The first n alerts that the program got."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                with open(self.out, encoding="utf-8") as file:
                    alerts = [json.loads(line) for line in file if line.endswith("\n")]
            except FileNotFoundError:
                alerts = []
            if len(alerts) >= n:
                for alert in alerts:
                    validate(alert)
                return alerts
            self.assertLess(time.monotonic(), deadline, alerts)
            time.sleep(0.01)

    def waiting(self):
        """Those that nobody has taken."""
        path = os.path.join(self.dir, "run/alerts")
        return open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []

    def metric(self, name):
        with open(os.path.join(self.dir, "run/metrics.prom"), encoding="utf-8") as file:
            return next((float(line.split()[1]) for line in file if line.startswith(name + " ")), None)

    def settles(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    # ---- what is told ----

    def test_finding(self):
        self.systemd()
        self.hbad(golden(BELOW))
        alert, = self.told(1)
        self.assertEqual({k: alert[k] for k in ("schema", "at", "change", "severity", "code", "count", "names")},
                         {"schema": "hbad.alert/1", "at": "2026-01-12T09:30:00Z", "change": "raised", "severity": "warning",
                          "code": "rate-below-expected", "count": 1, "names": ["target0:0:2", "sdc"]})
        self.assertIn("runs at Ultra160", alert["message"])
        self.assertEqual([f["summary"] for f in alert["findings"]], [alert["message"]])
        self.settles(lambda: not self.waiting())

    def test_over(self):
        """It is told when it is over, too; a blip is not told at all."""
        self.systemd()
        with open(golden(BELOW)[0], encoding="utf-8") as file:
            text = file.read()
        days = []
        for n in range(6):
            capture = json.loads(text)
            capture["taken"]["wall_us"] += n * 600 * 10**6
            capture["taken"]["mono_us"] += n * 600 * 10**6
            if n >= 1:  # its period is the others'
                for path, values in capture["dirs"].items():
                    if path.endswith("/spi_transport/target0:0:2"):
                        values["period"] = "6.25\n"
                capture["commands"] = [c for c in capture.get("commands", []) if c["hctl"] != "0:0:2:0"] \
                    if all("hctl" in c for c in capture.get("commands", [])) else []
            days.append(os.path.join(self.dir, "%d.json" % n))
            with open(days[-1], "w", encoding="utf-8") as file:
                json.dump(capture, file)
        d = self.hbad(days, config="[daemon]\nclear_after = 1ms\n")
        self.told(1)
        for _ in range(5):
            d.ask(OURS + "Refresh")
        over = [a for a in self.told(2) if a["change"] == "cleared"]
        self.assertEqual([(a["code"], a["findings"]) for a in over], [("rate-below-expected", [])])
        self.assertRegex(over[0]["message"], "^over: ")

    def test_acknowledged(self):
        """Whoever was told of it is told that it is no alarm any more, and that it is one again."""
        days = golden(FLAPPING)
        self.systemd()
        d = self.hbad(days)
        for _ in days[1:]:
            d.ask(OURS + "Refresh")
        before = [a for a in self.told(1) if a["code"] == "link-flapping"]
        for reason in ("cable is ordered", None):
            self.assertIn("parameters", d.ask(OURS + "Acknowledge", {"name": "sdb", "reason": reason}))
        after = self.told(len(before) + 2)[-2:]
        self.assertEqual([(a["change"], a["severity"], a["code"]) for a in after],
                         [("changed", "info", "link-flapping"), ("changed", "warning", "link-flapping")])

    def test_hostile_device(self):
        """What a device calls itself gets to the program as it is, and nowhere else."""
        capture = load(golden(BELOW)[0])
        for entries in capture["dirs"].values():
            if "inquiry" in entries:
                entries["inquiry"]["hex"] = entries["inquiry"]["hex"][:16] + HOSTILE.hex() + entries["inquiry"]["hex"][64:]
                entries.pop("vendor"), entries.pop("model")
        path = os.path.join(self.dir, "hostile.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(capture, file)
        # The arguments and the environment, and that it is on one line.
        self.systemd(script='read -r line; echo "$#" "$0" > "OUT.arguments"; wc -l >> "OUT.arguments"; env > "OUT.environment"\n'
                            'printf "%s\\n" "$line" >> "OUT"\n')
        self.hbad([path])
        alert, = self.told(1)
        self.assertIn("('\"|?\\<s> $(touch x)`z`|\";)", alert["message"])
        with open(self.out + ".arguments", encoding="utf-8") as file:
            self.assertEqual(file.read().split(), ["0", "./tell", "0"])
        with open(self.out + ".environment", encoding="utf-8") as file:
            self.assertNotIn("touch", file.read())
        self.assertEqual([n for d, _, names in os.walk(self.dir) for n in names if n in ("x", "s", "z")], [])

    # ---- once ----

    def test_restart(self):
        """What was told is not told again; what was not taken is, after a restart."""
        state = os.path.join(self.dir, "state")
        os.mkdir(state)
        systemd = self.systemd()
        d = self.hbad(golden(BELOW), "--state-dir", state)
        self.told(1)
        self.settles(lambda: not self.waiting())
        self.settles(lambda: d.ask(OURS + "GetStatus")["parameters"]["history"]["waiting"] == 0)
        self.assertEqual(d.stop(), 0)
        d = self.hbad(golden(BELOW), "--state-dir", state)
        d.ask(OURS + "Refresh")
        self.assertEqual(len(self.told(1)), 1)
        self.assertEqual((systemd.started, self.waiting()), (1, []))

    def test_not_taken(self):
        for how in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(how=how):
                state = tempfile.mkdtemp(dir=self.dir)
                if os.path.exists(self.out):
                    os.unlink(self.out)
                systemd = self.systemd(answer=lambda connection: connection.recv(1))  # and it falls over
                d = self.hbad(golden(BELOW), "--state-dir", state)
                self.settles(lambda: systemd.started)
                self.assertEqual(len(self.waiting()), 1)
                self.settles(lambda: d.ask(OURS + "GetStatus")["parameters"]["history"]["waiting"] == 0)
                d.stop(how)
                systemd.close()
                systemd = self.systemd()
                self.hbad(golden(BELOW), "--state-dir", state)
                self.assertEqual(len(self.told(1)), 1)
                self.settles(lambda: not self.waiting())
                self.assertEqual(systemd.started, 1)
                systemd.close()

    def end(self, daemon):  # one of them was killed
        self.assertIn(daemon.stop(), (0, -signal.SIGKILL), "\n".join(daemon.said))

    def test_taken_while_hbad_ends(self):
        """It is not told again: whoever starts to take it is heard out, for a moment."""
        state, asked, ends = os.path.join(self.dir, "state"), threading.Event(), threading.Event()
        os.mkdir(state)

        def take(connection):
            connection.recv(1)
            asked.set()
            ends.wait(PATIENCE)
            connection.sendall(b"taken\n")
        systemd = self.systemd(answer=take)
        d = self.hbad(golden(BELOW), "--state-dir", state)
        self.assertTrue(asked.wait(PATIENCE))
        self.settles(lambda: d.ask(OURS + "GetStatus")["parameters"]["history"]["waiting"] == 0)
        d.process.send_signal(signal.SIGTERM)
        self.settles(lambda: not os.path.exists(d.path) or d.process.poll() is not None)
        ends.set()
        self.assertEqual(d.stop(), 0)
        self.assertEqual((systemd.started, self.waiting()), (1, []))

    def test_tried_again(self):
        """By the same hbad, when a while is over."""
        broken = [True, False]
        systemd = self.systemd(answer=lambda connection: connection.recv(1) if broken.pop(0) else systemd.start_program(connection))
        self.hbad(golden(BELOW))
        self.assertEqual(len(self.told(1)), 1)
        self.assertEqual(systemd.started, 2)

    def test_nobody_wants_them(self):
        d = self.hbad(golden(BELOW))
        d.ask(OURS + "Refresh")
        self.settles(lambda: not self.waiting())
        self.assertEqual((d.said, self.metric("hbad_lost_alerts_total")), ([], 0))

    def test_socket_is_restarted(self):
        """What is to be told meanwhile is told when it is there again."""
        with open(os.path.join(self.dir, "run/alerts"), "w", encoding="ascii") as file:
            file.write('{"schema":"hbad.alert/1"}\n')
        d = self.hbad(golden(BELOW))
        time.sleep(1)  # it was tried in vain
        self.assertEqual(len(self.waiting()), 2)
        told = []

        def take(connection):
            with connection.makefile() as file:
                told.append(json.loads(file.readline()))
            connection.sendall(b"taken\n")
        systemd = self.systemd(answer=take)
        self.settles(lambda: len(told) == 2)
        self.assertEqual((systemd.started, d.said), (2, []))

    def test_socket_goes(self):
        """Whoever wanted alerts, and has not this one, is to know."""
        systemd = self.systemd(answer=lambda connection: connection.recv(1))
        d = self.hbad(golden(BELOW))
        self.settles(lambda: systemd.started)
        systemd.close()
        self.assertTrue(d.says("alert-socket is there no more: 1 alerts are given up"))
        self.settles(lambda: self.metric("hbad_lost_alerts_total") == 1)

    @unittest.skipIf(os.geteuid() == 0, "root may use any socket")
    def test_socket_may_not_be_used(self):
        """That is not that nobody wants alerts."""
        systemd = self.systemd()
        os.chmod(systemd.path, 0)
        d = self.hbad(golden(BELOW))
        time.sleep(1)
        self.assertEqual(len(self.waiting()), 1)
        self.assertTrue(d.says("alert-socket: an alert is not taken, and given up"))
        self.settles(lambda: self.metric("hbad_lost_alerts_total") == 1)

    # ---- many ----

    def test_one_at_a_time(self):
        """Ten thousand would be one program after another, too; what does not fit in line is said to be lost."""
        lines = [json.dumps({"n": n}) for n in range(400)]
        with open(os.path.join(self.dir, "run/alerts"), "w", encoding="ascii") as file:
            file.write("\n".join(lines[:100]) + "\n")
        taken = []

        def take(connection):
            with connection.makefile() as file:
                taken.append(file.readline())
            connection.sendall(b"taken\n")
        systemd = self.systemd(answer=take)
        self.hbad(golden(BELOW))
        self.settles(lambda: len(taken) == 101)
        self.assertEqual([json.loads(t)["n"] for t in taken[:100]], list(range(100)))
        self.assertEqual(json.loads(taken[100])["code"], "rate-below-expected")
        self.assertEqual(systemd.most, 1)
        self.settles(lambda: not self.waiting())

    def test_full(self):
        """The line has an end."""
        with open(os.path.join(self.dir, "run/alerts"), "w", encoding="ascii") as file:
            file.write("".join('{"n":%d}\n' % n for n in range(1000)))
        systemd = self.systemd(answer=lambda connection: time.sleep(PATIENCE))
        d = self.hbad(golden(BELOW))
        self.assertTrue(d.says("an alert is lost: 256 are waiting already"))
        self.assertLessEqual(systemd.started, 1)
        self.settles(lambda: self.metric("hbad_lost_alerts_total") == 1)
        self.assertEqual(self.metric("hbad_waiting_alerts"), 256)


class Program(unittest.TestCase):
    """hbad-alert by itself."""
    ALERT = '{"schema": "hbad.alert/1"}\n'

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="hbad-alert.d-")
        self.addCleanup(shutil.rmtree, self.dir)

    def script(self, name, text, mode=0o755):
        with open(os.path.join(self.dir, name), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + text)
            os.chmod(file.fileno(), mode)

    def test_all_get_it(self):
        for name in ("b", "a", "C-1_x", "no.sh", "no~", ".no", "#no#"):
            self.script(name, "echo %s; cat\n" % name)
        self.script("off", "echo off\n", 0o644)
        os.mkdir(os.path.join(self.dir, "folder"))
        p = hbad_alert(self.dir, input=self.ALERT)
        self.assertEqual((p.returncode, p.stdout), (1, "taken\n"))  # the folder is no program
        self.assertEqual(p.stderr, "".join(n + "\n" + self.ALERT for n in ("C-1_x", "a", "b")) + "folder: Permission denied\n"
                         "folder: exit status 126\nno.sh: left out: a name has letters, digits, _ and - only\n")

    def test_each_has_its_own(self):
        """What one does with the alert, or what it left behind goes on to do, is nothing to the next one."""
        self.script("a", "echo else >&0; : >/proc/self/fd/0\n")
        self.script("b", "exec 3<&0\npython3 -c 'import os\nwhile True: os.lseek(3, 0, 2)' >/dev/null 2>&1 &\n"
                         "echo $! >%s/pid.txt; sleep 0.2\n" % self.dir)
        self.script("c", "sleep 0.1; cat\n")
        p = hbad_alert(self.dir, input=self.ALERT)
        with open(self.dir + "/pid.txt", encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGKILL)
        self.assertEqual((p.returncode, p.stderr), (0, self.ALERT))

    @unittest.skipIf(os.geteuid() != 0, "only root may run it as somebody else")
    def test_may_not_run(self):
        """What is there to be run, and cannot be, is told of; only what nobody may execute is switched off."""
        self.script("private", "cat\n", 0o700)
        self.script("off", "cat\n", 0o600)
        os.symlink("none", os.path.join(self.dir, "astray"))
        self.script("zeal", "echo zeal\n")
        os.chmod(self.dir, 0o755)
        program = shutil.copy(os.path.join(daemon.PROGRAMS, "hbad-alert"), self.dir + "/.program")  # where everybody gets
        p = subprocess.run([program, self.dir], input=self.ALERT, check=False, timeout=PATIENCE, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, encoding="utf-8", user=65534, group=65534, extra_groups=[])
        self.assertEqual((p.returncode, p.stderr), (1, "astray: No such file or directory\nastray: exit status 126\n"
                                                    "private: Permission denied\nprivate: exit status 126\nzeal\n"))

    def test_one_fails(self):
        self.script("a", "exit 3\n")
        self.script("b", "kill -9 $$\n")
        self.script("c", "cat\n")
        p = hbad_alert(self.dir, input=self.ALERT)
        self.assertEqual((p.returncode, p.stdout, p.stderr), (1, "taken\n", "a: exit status 3\nb: signal 9\n" + self.ALERT))

    def test_one_does_not_end(self):
        """It is killed with what it has started, also where it hears no signal, and the next one runs."""
        self.script("a", "trap '' TERM INT ALRM HUP\nsleep 300 &\necho $! >%s/pid.txt\nwait\n" % self.dir)
        self.script("b", "cat\n")
        p = hbad_alert("--limit=1", self.dir, input=self.ALERT)
        self.assertEqual((p.returncode, p.stderr), (1, "a: not done within 1 s\n" + self.ALERT))
        with open(self.dir + "/pid.txt", encoding="ascii") as file:
            pid = int(file.read())
        deadline = time.monotonic() + PATIENCE
        while os.path.exists("/proc/%d" % pid) and " Z " not in open("/proc/%d/stat" % pid, encoding="ascii").read():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        for wrong in (["--limit=0"], ["--limit=1s"], ["--limit"], ["--limit=90000"], ["--frob"], [self.dir, self.dir]):
            self.assertEqual(hbad_alert(*wrong, input=self.ALERT).returncode, 64)

    def test_nothing_to_do(self):
        self.assertEqual(hbad_alert(self.dir, input=self.ALERT).returncode, 0)
        p = hbad_alert(self.dir + "/none", input=self.ALERT)
        self.assertEqual((p.returncode, p.stderr), (1, self.dir + "/none: No such file or directory\n"))

    def test_no_alert(self):
        self.script("a", "touch %s/ran\n" % self.dir)
        p = hbad_alert(self.dir, input="")
        self.assertEqual((p.returncode, p.stdout, p.stderr), (1, "", "no alert: No data available\n"))
        p = hbad_alert(self.dir, input="x" * (1 << 21))
        self.assertEqual((p.returncode, p.stdout, p.stderr), (1, "", "no alert: File too large\n"))
        # Whoever cannot be told that it is taken will tell it again.
        gone, ours = socket.socketpair()
        gone.close()
        p = subprocess.run([os.path.join(daemon.PROGRAMS, "hbad-alert"), self.dir], input=self.ALERT.encode(), stdout=ours,
                           stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
        ours.close()
        self.assertEqual((p.returncode, p.stderr), (1, b"no alert: Broken pipe\n"))
        self.assertFalse(os.path.exists(self.dir + "/ran"))

    def test_mail(self):
        """The example, with a sendmail of ours."""
        with open(os.path.join(daemon.TOP, "docs/examples/alert-mail"), encoding="utf-8") as file:
            text = file.read()
        self.script("sendmail", 'cat > "%s/mail"\n' % self.dir)
        example = re.sub(r"/usr/sbin/sendmail", self.dir + "/sendmail", text)
        path = os.path.join(self.dir, "mail-example")
        with open(path, "w", encoding="utf-8") as file:
            file.write(example)
        alert = {"schema": "hbad.alert/1", "at": None, "hostname": "h", "change": "raised", "severity": "warning",
                 "code": "rate-below-expected", "message": "disk $(touch x)\nBcc: all", "findings": []}
        subprocess.run(["python3", path], input=json.dumps(alert).encode(), check=True, timeout=PATIENCE)
        with open(os.path.join(self.dir, "mail"), encoding="utf-8") as file:
            head, body = file.read().split("\n\n", 1)
        self.assertIn("Subject: hbad on h: raised, warning: rate-below-expected", head)
        self.assertNotIn("Bcc", head)
        self.assertIn("disk $(touch x)\nBcc: all", body)


if __name__ == "__main__":
    daemon.main()
