# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbad-exporter under test, started as systemd starts it, with sockets; and what it may find in the place of hbad."""
import os
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "daemon"))
import daemon  # noqa: E402

PATIENCE = daemon.PATIENCE
# As exporter/exporter.h has them.
CONNECTIONS_MAX, REQUEST_MAX, TEXT_MAX, PATIENCE_S, LIFE_S, READ_S = 64, 16 << 10, 64 << 20, 5, 20, 5
GET = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

# Descriptors to 3, 4, … and then the program: argv is their numbers, --, the program.
ACTIVATE = """import fcntl, os, sys
n = sys.argv.index("--")
high = [fcntl.fcntl(int(a), fcntl.F_DUPFD, 64) for a in sys.argv[1:n]]
for i, fd in enumerate(high):
    os.dup2(fd, 3 + i)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(high)))
os.execv(sys.argv[n + 1], sys.argv[n + 1:])
"""


class Answer:
    def __init__(self, data):
        head, _, self.body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("ascii").split("\r\n")
        self.status = int(first.split()[1])
        self.headers = dict(line.split(": ", 1) for line in lines)


class Exporter:
    """A running one, at a port of 127.0.0.1 and, where there is IPv6, at one of ::1."""

    def __init__(self, path):
        self.listeners = [socket.create_server(("127.0.0.1", 0), backlog=1024)]
        try:
            self.listeners.append(socket.create_server(("::1", 0), family=socket.AF_INET6, backlog=1024))
        except OSError:
            pass
        fds = [s.fileno() for s in self.listeners]
        self.process = subprocess.Popen(
            [sys.executable, "-c", ACTIVATE, *map(str, fds), "--", os.path.join(daemon.PROGRAMS, "hbad-exporter"), "--socket", path],
            pass_fds=fds, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def connect(self, which=0):
        s = self.listeners[which]
        c = socket.socket(s.family)
        c.settimeout(PATIENCE)
        c.connect(s.getsockname())
        return c

    @staticmethod
    def rest(c):
        """All that comes, to the end."""
        data = bytearray()
        try:
            while more := c.recv(1 << 20):
                data += more
        except (ConnectionResetError, BrokenPipeError):
            pass
        return bytes(data)

    def ask(self, request=GET, which=0):
        """The answer; None where the connection ends without one."""
        with self.connect(which) as c:
            try:
                c.sendall(request)
            except (ConnectionResetError, BrokenPipeError):
                pass
            data = self.rest(c)
        return Answer(data) if data else None

    def memory(self):
        """Its resident memory in bytes."""
        with open("/proc/%d/statm" % self.process.pid, encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def stop(self):
        self.process.terminate()
        said = self.process.communicate(timeout=PATIENCE)[1].decode()
        for s in self.listeners:
            s.close()
        return self.process.returncode, said


class Fake:
    """What listens in hbad's place: calls `serve` with each connection, in a thread of its own, behind the whole call."""

    def __init__(self, serve):
        self.dir = tempfile.TemporaryDirectory(prefix="hbad-fake-")
        self.path = os.path.join(self.dir.name, "socket")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(64)
        self.serve, self.calls = serve, []
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                c = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.one, args=[c], daemon=True).start()

    def one(self, c):
        with c:
            call = b""
            while not call.endswith(b"\0"):
                call += c.recv(1 << 16)
            self.calls.append(call)
            try:
                self.serve(c)
            except (BrokenPipeError, ConnectionResetError):
                pass

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()
        self.dir.cleanup()


class Test(daemon.Test):
    def exporter(self, path):
        x = Exporter(path)

        def end():
            self.assertEqual(x.stop(), (0, ""))
        self.addCleanup(end)
        return x

    def fake(self, serve):
        fake = Fake(serve)
        self.addCleanup(fake.stop)
        return fake


main = daemon.main
