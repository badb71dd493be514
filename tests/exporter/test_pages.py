#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hbad-exporter answers, with hbad behind it, without, and with what is no hbad: test_pages.py PROGRAMS"""
import json
import os
import subprocess
import sys
import threading
import time

import exporter
from exporter import GET, PATIENCE_S, TEXT_MAX, Exporter, daemon

sys.path.insert(1, os.path.join(daemon.TOP, "tests/metrics"))
from prometheus import parse  # noqa: E402

CASE = "sas-wide-port-one-lane-missing"
TEXT = "# HELP hba_x Text.\n# TYPE hba_x gauge\nhba_x 1\n"


def reply(parameters, **more):
    return json.dumps(dict(more, parameters=parameters)).encode() + b"\0"


class Pages(exporter.Test):
    def test_metrics(self):
        d = self.start(daemon.golden(CASE)).ready()
        x = self.exporter(d.path)
        for which in range(len(x.listeners)):
            got = x.ask(which=which)
            self.assertEqual(got.status, 200)
            self.assertEqual(got.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            self.assertEqual(got.headers["Connection"], "close")
            told = parse(got.body.decode())
            with open(d.file("run/metrics.prom"), encoding="utf-8") as file:
                written = parse(file.read())
            self.assertEqual(set(told), set(written))
            for name, family in told.items():
                if name.startswith("hba_"):
                    self.assertEqual(family.samples, written[name].samples)

    def test_never_old(self):
        """Without hbad there is no answer, and with it there is the newest."""
        days = daemon.golden("sata-link-flapping")
        d = self.start(days).ready()
        x = self.exporter(d.path)
        for _ in days:
            with open(d.file("run/metrics.prom"), encoding="utf-8") as file:
                now = parse(file.read())["hba_report_timestamp_seconds"].value()
            self.assertEqual(parse(x.ask().body.decode())["hba_report_timestamp_seconds"].value(), now)
            d.ask(daemon.OURS + "Refresh")
        d.process.terminate()
        d.process.wait(exporter.PATIENCE)
        got = x.ask()
        self.assertEqual((got.status, got.body), (503, b"hbad is not running\n"))
        self.assertEqual(got.headers["Content-Type"], "text/plain; charset=utf-8")

    def test_others(self):
        x = self.exporter("/nowhere")
        self.assertEqual(x.ask(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").status, 200)
        self.assertIn(b'href="/metrics"', x.ask(b"GET / HTTP/1.0\r\n\r\n").body)
        for path in (b"/metrics/", b"/metrics.prom", b"/../etc/passwd", b"//metrics", b"/%00", b"*"):
            self.assertIn(x.ask(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n").status, (400, 404), path)
        for method in (b"POST", b"PUT", b"DELETE", b"OPTIONS", b"TRACE", b"CONNECT", b"get", b"BREW"):
            got = x.ask(method + b" /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
            self.assertEqual((got.status, got.headers["Allow"]), (405, "GET, HEAD"), method)

    def test_head(self):
        x = self.exporter(self.fake(lambda c: c.sendall(reply({"text": [TEXT]}))).path)
        got = x.ask(GET.replace(b"GET", b"HEAD"))
        self.assertEqual((got.status, got.body, got.headers["Content-Length"]), (200, b"", str(len(TEXT))))

    def test_reasons(self):
        """Whatever is in hbad's place, what is wrong is said, and nothing else."""
        pieces = [TEXT[:10], TEXT[10:]]
        cases = [
            (lambda c: c.sendall(reply({"text": pieces})), 200, TEXT),
            (lambda c: [c.sendall(bytes([b])) for b in reply({"text": pieces})], 200, TEXT),
            (lambda c: None, 503, "hbad closed the connection\n"),
            (lambda c: c.sendall(reply({"text": pieces})[:-1]), 503, "hbad closed the connection\n"),
            (lambda c: c.sendall(b"HTTP/1.1 200 OK\r\n\r\n\0"), 503, "hbad answers with what is no Varlink\n"),
            (lambda c: c.sendall(reply({"text": TEXT})), 503, "hbad answers with what is no Varlink\n"),
            (lambda c: c.sendall(reply({"text": [TEXT, None]})), 503, "hbad answers with what is no Varlink\n"),
            (lambda c: c.sendall(reply({"txet": pieces})), 503, "hbad answers with what is no Varlink\n"),
            (lambda c: c.sendall(reply({}, error="io.hbad.monitor.NotReady")), 503, "hbad has not looked at anything yet\n"),
            (lambda c: c.sendall(reply({}, error="org.varlink.service.MethodNotFound")), 503, "hbad does not know of metrics\n"),
            (lambda c: c.sendall(b" " * (TEXT_MAX + 2)), 503, "hbad answers with more than can be read\n"),
        ]
        for n, (serve, status, text) in enumerate(cases):
            with self.subTest(n):
                got = self.exporter(self.fake(serve).path).ask()
                self.assertEqual((got.status, got.body.decode()), (status, text))
        got = self.exporter("/" + "x" * 200).ask()
        self.assertEqual((got.status, got.body), (503, b"hbad cannot be asked: File name too long\n"))

    def test_hanging(self):
        """hbad that does not answer, or never ends to, costs its patience; meanwhile others are answered, and who asks for the same
        waits for the same answer."""
        go = threading.Event()
        fake = self.fake(lambda c: (c.sendall(b"{"), go.wait(exporter.PATIENCE)))
        x = self.exporter(fake.path)
        begin = time.monotonic()
        clients = [x.connect() for _ in range(20)]
        for c in clients:
            c.sendall(GET)
        self.assertEqual(x.ask(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").status, 200)
        self.assertLess(time.monotonic() - begin, PATIENCE_S)
        for c in clients:
            got = exporter.Answer(Exporter.rest(c))
            self.assertEqual((got.status, got.body), (503, b"hbad does not answer\n"))
            c.close()
        self.assertGreaterEqual(time.monotonic() - begin, PATIENCE_S)
        self.assertEqual(len(fake.calls), 1)
        go.set()

    def test_calls(self):
        """hbad is asked again for each that asks later."""
        fake = self.fake(lambda c: c.sendall(reply({"text": [TEXT]})))
        x = self.exporter(fake.path)
        for _ in range(3):
            self.assertEqual(x.ask().body.decode(), TEXT)
        self.assertEqual([json.loads(c[:-1]) for c in fake.calls],
                         [{"method": "io.hbad.monitor.GetText", "parameters": {"verb": "metrics"}}] * 3)

    def test_command_line(self):
        program = os.path.join(daemon.PROGRAMS, "hbad-exporter")

        def run(*words):
            got = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
            return got.returncode, got.stdout, got.stderr
        self.assertEqual(run()[::2], (1, "hbad-exporter: no socket was passed; --help says how to have one\n"))
        self.assertEqual(run("--nothing")[0], 64)
        self.assertEqual(run("word")[0], 64)
        self.assertEqual(run("--help")[0], 0)
        self.assertRegex(run("--version")[1], r"^hbad-exporter [\d.]+\n$")


if __name__ == "__main__":
    exporter.main()
