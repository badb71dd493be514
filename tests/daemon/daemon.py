# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbad under test: started with directories of its own, and a client that speaks Varlink byte by byte.

Nothing here depends on how fast anything is, but for PATIENCE: how long to wait for what must come.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PATIENCE = float(os.environ.get("PATIENCE", 60))
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GOLDEN = os.path.join(TOP, "tests", "golden")
PROGRAMS = sys.argv[1] if len(sys.argv) > 1 else None
OURS, SERVICE = "io.hbad.monitor.", "org.varlink.service."


class Client:
    """A connection."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data)

    def call(self, method, parameters=None, **flags):
        call = dict(flags, method=method)
        if parameters is not None:
            call["parameters"] = parameters
        self.send(json.dumps(call).encode() + b"\0")

    def message(self):
        """The next message; None at the end."""
        while b"\0" not in self.buffer:
            try:
                data = self.socket.recv(1 << 16)
            except ConnectionResetError:
                data = b""
            if not data:
                if self.buffer:
                    raise AssertionError("the connection ends in a message: %r" % self.buffer[:100])
                return None
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, parameters=None, **flags):
        self.call(method, parameters, **flags)
        return self.message()

    def close(self):
        self.socket.close()


class Journal:
    """Where journald would listen: keeps every entry as a list of (name, value)."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.socket.settimeout(PATIENCE)

    @staticmethod
    def parse(data):
        fields = []
        while data:
            name, _, rest = data.partition(b"\n")
            if b"=" in name:
                name, _, value = name.partition(b"=")
                data = rest
            else:
                size = int.from_bytes(rest[:8], "little")
                value, data = rest[8:8 + size], rest[8 + size + 1:]
            fields.append((name.decode(), value.decode()))
        return fields

    def entry(self):
        return self.parse(self.socket.recv(1 << 18))

    def entries(self):
        """Those that are there."""
        found = []
        self.socket.setblocking(False)
        try:
            while True:
                found.append(self.entry())
        except BlockingIOError:
            pass
        self.socket.settimeout(PATIENCE)
        return found


class Daemon:
    """A running hbad. `days`: captures of a machine, as one list, or as a list for each adapter's name."""

    def __init__(self, days=None, config="", arguments=(), before=(), journal=True, environment=()):
        self.dir = tempfile.TemporaryDirectory(prefix="hbad-test-")
        self.path = self.file("socket")
        self.config = self.write("hbad.conf", config)
        os.mkdir(self.file("run"))
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(self.file("notify"))
        self.notify.settimeout(PATIENCE)
        self.journal = Journal(self.file("journal")) if journal else None
        arguments = [*before, os.path.join(PROGRAMS, "hbad"), "--socket", self.path, "--config", self.config,
                     "--runtime-dir", self.file("run"), "--journal", self.file("journal"), *arguments]
        if days is not None:
            arguments += ["--captures", self.put_days(days)]
        self.process = subprocess.Popen(arguments, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL,  # a test that is killed leaves ctest nothing to wait for
                                        env=dict(os.environ, NOTIFY_SOCKET=self.file("notify"), **dict(environment)))
        self.said, self.ended = [], False
        self.reader = threading.Thread(target=self.read_said, daemon=True)
        self.reader.start()

    def file(self, name):
        return os.path.join(self.dir.name, name)

    def write(self, name, text):
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.file(name)

    def put_days(self, days):
        for adapter, captures in days.items() if isinstance(days, dict) else [("", days)]:
            folder = os.path.join(self.file("captures"), adapter)
            os.makedirs(folder)
            for n, capture in enumerate(captures, 1):
                os.symlink(capture, os.path.join(folder, "%d.json" % n))
        return self.file("captures")

    def read_said(self):
        for line in self.process.stderr:
            self.said.append(line.decode().rstrip("\n"))

    def says(self, want):
        """Waits for a line that holds it. False where none comes."""
        end = time.monotonic() + PATIENCE
        while not any(want in line for line in self.said):
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def notified(self, want):
        """Waits for a notification that has this line. Returns it whole."""
        while True:
            text = self.notify.recv(1 << 16).decode()
            if any(line.startswith(want) for line in text.split("\n")):
                return text

    def ready(self):
        self.notified("READY=1")
        return self

    def client(self):
        return Client(self.path)

    def ask(self, method, parameters=None):
        client = self.client()
        answer = client.ask(method, parameters)
        client.close()
        return answer

    def report(self):
        with open(self.file("run/report.json"), encoding="utf-8") as file:
            return json.load(file)

    def stop(self, how=signal.SIGTERM):
        """Ends it. Returns its exit status: that of a sanitizer's complaint is none of ours."""
        if not self.ended:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)
            self.reader.join(PATIENCE)
            self.process.stderr.close()
            self.notify.close()
            if self.journal:
                self.journal.socket.close()
            self.dir.cleanup()
            self.ended = True
        return self.process.returncode


def golden(case):
    """The captures of a golden case, in order."""
    folder = os.path.join(GOLDEN, case)
    names = sorted((n for n in os.listdir(folder) if n[:-5].isdigit()), key=lambda n: int(n[:-5]))
    return [os.path.join(folder, n) for n in names]


class Test(unittest.TestCase):
    def start(self, *arguments, **named):
        """A daemon that ends with the test, well."""
        daemon = Daemon(*arguments, **named)
        self.addCleanup(self.end, daemon)
        return daemon

    def end(self, daemon):
        status = daemon.stop()
        self.assertEqual(status, 0, "\n".join(daemon.said))

    # Of tests with a folder of their own, `dir`, where what hangs writes its pid into "pid".

    def hanging(self):
        """The pids of collectors that were made to hang, all of them."""
        try:
            with open(os.path.join(self.dir, "pid"), encoding="ascii") as file:
                return [int(pid) for pid in file.read().split()]
        except FileNotFoundError:
            return []

    def stop_hanging(self):
        for pid in self.hanging():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.hanging():
            os.unlink(os.path.join(self.dir, "pid"))

    def assert_error(self, answer, name, parameters=None):
        self.assertEqual(answer, {"error": name, "parameters": parameters or {}})


def main():
    unittest.main(warnings="ignore", argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
