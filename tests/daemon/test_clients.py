#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clients that want to do harm, and what others notice of it: test_clients.py PROGRAMS"""
import json
import os
import signal
import socket
import tempfile

import daemon
from daemon import OURS, golden

BELOW, LARGE = "spi-fusion-one-at-half-rate", "mixed-large-two-faults"
PING, SYSTEMD = b'{"method":"io.systemd.service.Ping","oneway":true}\0', "io.systemd.service."
BOUND = 16 << 20  # SERVER_BYTES_OF_UID_MAX


def is_open(client):
    """Has it not been let go?"""
    client.socket.setblocking(False)
    try:
        return client.socket.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False
    finally:
        client.socket.settimeout(daemon.PATIENCE)


def stop(d):
    """It has stopped when this returns: until then it would still take what is sent."""
    os.kill(d.process.pid, signal.SIGSTOP)
    os.waitpid(d.process.pid, os.WUNTRACED)


class Turns(daemon.Test):
    def test_much_at_once_delays_others_by_one_answer(self):
        """Calls of which thousands have come already have their turns one by one, as everybody's."""
        d = self.start(golden(BELOW)).ready()
        greedy, other = [d.client() for _ in range(3)], d.client()
        for client in [*greedy, other]:
            client.ask(SYSTEMD + "Ping")
        stop(d)
        last = json.dumps({"method": SYSTEMD + "SetLogLevel", "parameters": {"level": 3}}).encode() + b"\0"
        for client in greedy:
            client.send(PING * 2000 + last)
        other.call(SYSTEMD + "GetLogLevel")
        os.kill(d.process.pid, signal.SIGCONT)
        self.assertNotEqual(other.message(), {"parameters": {"level": 3}})
        for client in greedy:
            self.assertEqual(client.message(), {"parameters": {}})

    def test_who_has_many_connections_is_behind_who_has_one(self):
        """One more call of each of 200 connections of a user waits behind those of the first ones."""
        d = self.start(golden(BELOW)).ready()
        first = d.client()
        many = [d.client() for _ in range(200)]
        for client in [first, *many]:
            client.ask(SYSTEMD + "Ping")
        stop(d)
        for client in many[100:]:
            client.call(SYSTEMD + "SetLogLevel", {"level": 3})
        for _ in range(5):
            first.call(SYSTEMD + "GetLogLevel")
        os.kill(d.process.pid, signal.SIGCONT)
        self.assertEqual([first.message()["parameters"]["level"] == 3 for _ in range(5)], [False] * 5)
        for client in many[100:]:
            self.assertEqual(client.message(), {"parameters": {}})


class Memory(daemon.Test):
    def check(self, d, clients, before):
        """Some were let go; the others cost no more than is allowed, and a new client of the user is answered in the end."""
        kept = [c for c in clients if is_open(c)]
        self.assertTrue(kept)
        self.assertLess(len(kept), len(clients))
        with open("/proc/%d/statm" % d.process.pid, encoding="ascii") as file:
            after = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
        if "san" not in daemon.PROGRAMS:  # sanitizers keep what is freed
            self.assertLess(after - before, 2 * BOUND)
        for client in kept:
            client.close()
        while (d.ask(OURS + "GetStatus") or {"parameters": {"clients": 2}})["parameters"]["clients"] > 1:
            pass  # it has not seen yet that they are gone
        self.assertIn("report", d.ask(OURS + "GetReport")["parameters"])

    def test_half_requests(self):
        d = self.start(golden(BELOW)).ready()
        before = d.ask(OURS + "GetStatus")["parameters"]["memory"]
        clients = [d.client() for _ in range(240)]
        for client in clients:
            try:
                client.send(b'{"method":"' + b"x" * (250 << 10))
            except (BrokenPipeError, ConnectionResetError):
                pass
        self.check(d, clients, before)

    def test_answers_that_nobody_takes(self):
        d = self.start(golden(LARGE)).ready()
        before = d.ask(OURS + "GetStatus")["parameters"]["memory"]
        clients = [d.client() for _ in range(240)]
        for client in clients:
            client.call(OURS + "GetText", {"verb": "metrics"})
        while d.ask(OURS + "GetStatus") is not None:  # answered, until so much waits that it is not
            pass
        self.check(d, clients, before)


class Gone(daemon.Test):
    def test_gone_when_its_next_call_is_answered(self):
        """A client that waits for an answer, has sent its next call, and goes: nobody sends it anything any more."""
        with tempfile.TemporaryDirectory() as state:
            d = self.start(golden(LARGE), arguments=["--state-dir", state]).ready()
            self.assertIn("parameters", d.ask(OURS + "History", {"name": "host0"}))
            for _ in range(20):
                clients = [d.client() for _ in range(8)]
                for client in clients:
                    client.ask(SYSTEMD + "Ping")
                    client.call(OURS + "History", {"name": "host0"}, oneway=True)
                    client.call(OURS + "Monitor", more=True)
                busy = d.client()
                busy.send(b'{"method":"%sGetText","parameters":{"verb":"metrics"},"oneway":true}\0' % OURS.encode() * 2)
                for client in clients:
                    client.close()
                busy.close()
                d.ask(OURS + "Refresh")
            while d.ask(OURS + "GetStatus")["parameters"]["subscribers"]:
                pass  # it has not seen yet that they are gone


if __name__ == "__main__":
    daemon.main()
