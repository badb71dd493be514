#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What others may send to hbad-exporter, and how: test_hostile.py PROGRAMS

Whatever it is, the next one who asks is answered, memory stays bounded, and connections end.
"""
import json
import random
import select
import socket
import threading
import time

import exporter
from exporter import CONNECTIONS_MAX, GET, LIFE_S, PATIENCE, PATIENCE_S, READ_S, REQUEST_MAX, Answer, Exporter

SMALL = "# HELP hba_x Text.\n# TYPE hba_x gauge\nhba_x 1\n"
# More than sockets buffer.
LARGE = SMALL + "# %s\n" % ("x" * 60000) * 200
BAD = [
    b"", b"\r\n\r\n", b"\0" * 100, b"GET\r\n\r\n", b"GET /metrics\r\n\r\n", b"GET /metrics HTTP/9.9\r\n\r\n",
    b"GET  /metrics  HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /metrics HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /metrics HTTP/1.1\nHost: x\n\n", b"GET /metrics HTTP/1.1\r\nHost: x\r\n continued\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", b"GET /metrics HTTP/1.1\r\nHost: x\r\n: empty\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", b"GET /metrics HTTP/1.1\r\nHost : x\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rubbish\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: x\r\nCookie: \xff\xfe\0a=b\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET http://x/metrics HTTP/1.1\r\nHost: x\r\n\r\n", b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
]


class Hostile(exporter.Test):
    def serve(self, text):
        message = json.dumps({"parameters": {"text": [text[i:i + 60000] for i in range(0, len(text), 60000)]}}).encode() + b"\0"
        self.fake_hbad = self.fake(lambda c: c.sendall(message))
        self.text = text.encode()
        return self.exporter(self.fake_hbad.path)

    def assert_well(self, x):
        """It answers, at once."""
        begin = time.monotonic()
        got = x.ask()
        self.assertEqual((got.status, got.body), (200, self.text))
        self.assertLess(time.monotonic() - begin, PATIENCE_S)

    def test_random(self):
        """Requests with some bytes changed, by who waits a little for an answer."""
        x, dice = self.serve(SMALL), random.Random(7)
        for n in range(500):
            request = bytearray(GET.replace(b"Host: x", b"Host: x\r\nAccept: text/plain;q=0.5\r\nContent-Length: 0"))
            for _ in range(dice.randrange(1, 6)):
                request[dice.randrange(len(request))] = dice.randrange(256)
            with self.subTest(n, request=bytes(request)), x.connect() as c:
                c.sendall(request)
                if select.select([c], [], [], 0.01)[0]:
                    Exporter.rest(c)
        self.assert_well(x)

    def test_huge(self):
        """A header is bounded, and what follows one is not read."""
        x = self.serve(SMALL)
        self.assert_well(x)
        before = x.memory()
        for request in (b"GET /" + b"a" * (REQUEST_MAX * 2) + b" HTTP/1.1\r\nHost: x\r\n\r\n",
                        GET[:-2] + b"X: " + b"a" * (1 << 24), GET[:-2] + b"X: a\r\n" * (1 << 20), b"G" * (1 << 24)):
            got = x.ask(request)
            self.assertIn(got.status if got else None, (None, 400, 405, 413, 414, 431))
            self.assert_well(x)
        for request in (b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n" + b"a" * (1 << 24),
                        b"PUT /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1000\r\n" + b"a" * (1 << 24)):
            x.ask(request)
            self.assert_well(x)
        self.assertLess(x.memory() - before, 8 << 20)

    def test_pipelined(self):
        """A connection is one request: what follows is not answered."""
        x = self.serve(SMALL)
        for many in (2, 1000):
            with x.connect() as c:
                try:
                    c.sendall(GET * many)
                except (ConnectionResetError, BrokenPipeError):
                    pass
                data = Exporter.rest(c)
            self.assertLessEqual(data.count(b"HTTP/1.1 "), 1)
        self.assert_well(x)
        self.assertLessEqual(len(self.fake_hbad.calls), 3)

    def test_half_closed(self):
        """Who has nothing more to say is answered; who closes at once harms nobody."""
        x = self.serve(LARGE)
        with x.connect() as c:
            c.sendall(GET)
            c.shutdown(socket.SHUT_WR)
            self.assertEqual(Answer(Exporter.rest(c)).body, self.text)
        for request in (b"", GET[:20], GET):
            for _ in range(CONNECTIONS_MAX):
                c = x.connect()
                c.sendall(request)
                c.close()
        self.assert_well(x)

    def test_reset(self):
        """A connection that is reset while it waits, or while it is being answered."""
        x = self.serve(LARGE)
        for pause in (0, 0.02):
            for _ in range(20):
                c = x.connect()
                c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                c.sendall(GET)
                time.sleep(pause)
                c.close()
        self.assert_well(x)

    def test_many(self):
        """More than there is room for, at once, who ask: none is left without an answer."""
        x, got = self.serve(SMALL), []
        threads = [threading.Thread(target=lambda: got.append(x.ask())) for _ in range(3 * CONNECTIONS_MAX)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(PATIENCE)
        self.assertEqual(len([g for g in got if g is None or g.status == 200]), 3 * CONNECTIONS_MAX)
        self.assertGreaterEqual(len([g for g in got if g]), CONNECTIONS_MAX)

    def test_silent(self):
        """Those who connect and say nothing make room for those who ask."""
        x = self.serve(SMALL)
        silent = [x.connect() for _ in range(4 * CONNECTIONS_MAX)]
        self.assert_well(x)
        begin = time.monotonic()
        while len(select.select(silent, [], [], 1)[0]) < 3 * CONNECTIONS_MAX:
            self.assertLess(time.monotonic() - begin, PATIENCE)
            time.sleep(0.05)
        for c in silent:
            c.close()

    def test_all_read_slowly(self):
        """As many as there may be who do not read their answer: the next one is answered before a scrape is given up."""
        x = self.serve(LARGE)
        readers = [x.connect() for _ in range(CONNECTIONS_MAX + 6)]
        for c in readers:
            c.sendall(GET)
        begin = time.monotonic()
        self.assertEqual(x.ask().status, 200)
        self.assertLess(time.monotonic() - begin, (READ_S + LIFE_S) * 3 / 5)  # it was LIFE_S
        for c in readers:
            c.close()

    def test_slow(self):
        """Nobody keeps a connection by sending or reading a little now and then, or by sending what is no request."""
        x = self.serve(LARGE)
        self.assert_well(x)
        before = x.descriptors()
        silent, senders = x.connect(), [x.connect() for _ in range(15)]
        readers, bad = [x.connect() for _ in range(8)], {x.connect(): request for request in BAD}
        for c in readers:
            c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            c.sendall(GET)
        for c, request in bad.items():
            c.sendall(request)
        begin, answers, ends = time.monotonic(), {c: bytearray() for c in (silent, *senders, *bad)}, {}
        for c in answers:
            c.setblocking(False)
        while len(ends) < len(answers) and time.monotonic() < begin + LIFE_S + PATIENCE:
            for c in answers.keys() - ends.keys():
                try:
                    if c in senders:
                        c.send(b"G")
                    more = c.recv(1 << 20)
                    answers[c] += more
                    ended = not more
                except BlockingIOError:
                    ended = False
                except (ConnectionResetError, BrokenPipeError):
                    ended = True
                if ended:
                    ends[c] = time.monotonic() - begin
            for c in readers:
                c.recv(1)
            self.assert_well(x)
            time.sleep(0.3)
        self.assertEqual(ends.keys(), answers.keys())
        self.assertGreater(min(ends[c] for c in (silent, *senders)), LIFE_S / 2)
        for c, request in bad.items():
            self.assertRegex(answers[c], rb"^(HTTP/1\.[01] [2-5]\d\d |$)", request)
        self.assertLessEqual(x.descriptors(), before)  # nor does one of the readers
        for c in (*answers, *readers):
            c.close()


if __name__ == "__main__":
    exporter.main()
