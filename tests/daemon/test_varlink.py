#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hbad answers, to the byte, and to whom it does not: test_varlink.py PROGRAMS"""
import json
import os
import re
import resource
import socket
import subprocess
import sys
import time

import daemon
from daemon import OURS, SERVICE, golden

BELOW = "spi-fusion-one-at-half-rate"
TYPES = {"string": str, "int": int, "bool": bool, "object": dict}


def read_idl(text):
    """Methods: name -> (arguments, results), errors: name -> fields, types: name -> fields; each field name -> type."""
    text = re.sub(r"#.*", "", text)
    fields = lambda body: dict(re.findall(r"(\w+):\s*([\w?\[\]]+)", body))
    methods = {m[0]: (fields(m[1]), fields(m[2]))
               for m in re.findall(r"method (\w+)\(([^()]*)\)\s*->\s*\(([^()]*)\)", text)}
    errors = {m[0]: fields(m[1]) for m in re.findall(r"error (\w+)\s*\(([^()]*)\)", text)}
    types = {m[0]: fields(m[1]) for m in re.findall(r"type (\w+)\s*\(([^()]*)\)", text)}
    return methods, errors, types


class Answers(daemon.Test):
    @classmethod
    def setUpClass(cls):
        cls.daemon = daemon.Daemon(golden(BELOW)).ready()
        cls.idl = cls.daemon.ask(SERVICE + "GetInterfaceDescription", {"interface": OURS[:-1]})["parameters"]["description"]
        cls.methods, cls.errors, cls.types = read_idl(cls.idl)

    @classmethod
    def tearDownClass(cls):
        assert cls.daemon.stop() == 0, cls.daemon.said

    def setUp(self):
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)

    # ---- the interface ----

    def check_type(self, value, kind, where):
        if kind.startswith("?"):
            if value is None:
                return
            kind = kind[1:]
        if kind.startswith("[]"):
            self.assertIsInstance(value, list, where)
            for item in value:
                self.check_type(item, kind[2:], where)
        elif kind in self.types:
            self.check_fields(value, self.types[kind], where)
        else:
            self.assertIs(type(value), TYPES[kind], where)

    def check_fields(self, fields, kinds, where):
        self.assertLessEqual(set(fields), set(kinds), where)
        for name, kind in kinds.items():
            self.assertTrue(name in fields or kind.startswith("?"), (where, name))
            self.check_type(fields.get(name), kind, (where, name))

    def check_answer(self, method, answer):
        """Is it what the interface says?"""
        self.assertLessEqual(set(answer), {"parameters", "error", "continues"})
        if "error" in answer:
            self.assertNotIn("continues", answer)
            self.check_fields(answer["parameters"], self.errors[answer["error"].replace(OURS, "")], answer["error"])
        else:
            self.check_fields(answer["parameters"], self.methods[method][1], method)

    def test_interface_is_that_of_the_source(self):
        with open(os.path.join(daemon.TOP, "daemon/io.hbad.monitor.varlink"), encoding="utf-8") as file:
            self.assertEqual(self.idl, file.read())
        with open(os.path.join(daemon.TOP, "daemon/methods.c"), encoding="utf-8") as file:
            table = re.search(r"METHODS\[\] = \{(.*?)\n\};", file.read(), re.S)[1]
        self.assertEqual(set(re.findall(r'"([A-Z]\w+)"', table)), set(self.methods))

    def test_interface_is_of_what_all_parsers_know(self):
        """The subset of the language that systemd's, Go's and Python's readers have in common."""
        for name, kinds in [(k, v) for m in self.methods.values() for part in m for k, v in part.items()] + \
                [(k, v) for part in (self.errors, self.types) for f in part.values() for k, v in f.items()]:
            self.assertRegex(name, r"^[a-z]\w*$")
            self.assertRegex(kinds, r"^\??(\[\])?(string|int|bool|object|%s)$" % "|".join(self.types))

    def test_arguments_are_those_of_the_interface(self):
        for method, (arguments, _) in self.methods.items():
            with self.subTest(method):
                answer = self.client.ask(OURS + method, {"no_such_argument": 1}, more=True)
                self.assert_error(answer, SERVICE + "InvalidParameter", {"parameter": "no_such_argument"})
                for name in arguments:
                    answer = self.client.ask(OURS + method, {name: {}}, more=True)
                    self.assert_error(answer, SERVICE + "InvalidParameter", {"parameter": name})
                needed = [name for name, kind in arguments.items() if not kind.startswith("?")]
                if needed:
                    answer = self.client.ask(OURS + method)
                    self.assert_error(answer, SERVICE + "InvalidParameter", {"parameter": needed[0]})

    def test_answers_are_those_of_the_interface(self):
        for method, parameters in (("GetReport", None), ("List", {"kind": "hosts"}), ("List", {"kind": "links"}),
                                   ("List", {"kind": "devices"}), ("List", {"kind": "findings"}),
                                   ("List", {"kind": "x"}), ("Show", {"name": "sdc"}), ("Show", {"name": "host0"}),
                                   ("Show", {"name": "target0:0:2"}), ("Show", {"name": ""}), ("GetStatus", {}),
                                   ("GetText", {"verb": "status"}), ("GetText", {"verb": "show", "word": "sdc", "json": "short"}),
                                   ("GetText", {"verb": "list", "word": "x"}), ("GetText", {"verb": "explain", "word": "x"}),
                                   ("Check", {"names": []}), ("Check", {"names": ["sdc"], "format": "checkmk"}),
                                   ("Reload", None), ("Refresh", {}), ("Probe", {"names": []})):
            with self.subTest(method=method, parameters=parameters):
                self.check_answer(method, self.client.ask(OURS + method, parameters))

    def test_service(self):
        info = self.client.ask(SERVICE + "GetInfo")["parameters"]
        self.assertEqual(info["interfaces"], ["org.varlink.service", "io.hbad.monitor", "io.systemd.service"])
        self.assertEqual({k for k in info if isinstance(info[k], str)}, {"vendor", "product", "version", "url"})
        self.assert_error(self.client.ask("io.hbad.no.such.Method"), SERVICE + "InterfaceNotFound",
                          {"interface": "io.hbad.no.such"})
        self.assert_error(self.client.ask(OURS + "NoSuch"), SERVICE + "MethodNotFound", {"method": OURS + "NoSuch"})
        self.assert_error(self.client.ask(OURS + "GetReport", upgrade=True), SERVICE + "MethodNotImplemented",
                          {"method": OURS + "GetReport"})
        self.assert_error(self.client.ask(OURS + "Monitor"), SERVICE + "ExpectedMore")

    # ---- what is answered ----

    def hbactl(self, *words):
        out = subprocess.run([os.path.join(daemon.PROGRAMS, "hbactl"), "--config", self.daemon.config, "--capture",
                              golden(BELOW)[-1], "--json=short", *words], stdout=subprocess.PIPE, check=False).stdout
        return json.loads(out)

    def test_report_is_that_of_hbactl(self):
        want = self.hbactl()
        self.assertEqual(self.client.ask(OURS + "GetReport")["parameters"]["report"], want)
        self.assertEqual(self.daemon.report(), want)
        self.assertEqual(os.stat(self.daemon.file("run/report.json")).st_mode & 0o7777, 0o644)
        for kind in ("hosts", "links", "devices", "findings"):
            self.assertEqual(self.client.ask(OURS + "List", {"kind": kind})["parameters"]["objects"],
                             self.hbactl("list", kind))
        self.assertEqual(self.client.ask(OURS + "Show", {"name": "sdc"})["parameters"]["objects"],
                         [self.hbactl("explain", "sdc")])
        self.assert_error(self.client.ask(OURS + "Show", {"name": "nobody"}), OURS + "NoSuchObject", {"name": "nobody"})
        self.assert_error(self.client.ask(OURS + "List", {"kind": "x"}), OURS + "NoSuchKind", {"kind": "x"})

    def test_text_is_that_of_hbactl(self):
        def text(verb, word=None, **style):
            answer = self.client.ask(OURS + "GetText", dict(style, verb=verb, word=word))["parameters"]
            self.assertEqual(answer["objects"], 1)
            self.assertEqual(answer["summary"], self.daemon.report()["summary"])
            return "".join(answer["text"])
        hbactl = [os.path.join(daemon.PROGRAMS, "hbactl"), "--capture", golden(BELOW)[-1], "--config", self.daemon.config]
        for words in (["status"], ["list", "links"], ["list", "findings"], ["show", "sdc"], ["show", "host0"],
                      ["explain", "target0:0:2"], ["explain", "host0"]):
            out = subprocess.run([*hbactl, *words], stdout=subprocess.PIPE, check=False, encoding="utf-8",
                                 env=dict(os.environ, LC_ALL="C", COLUMNS="80")).stdout
            self.assertEqual(text(*words, columns=80, command=" ".join(hbactl)), out)
        self.assertEqual(json.loads(text("explain", "sdc", json="short")), self.hbactl("explain", "sdc"))
        self.assertIn("└─ ", text("status", utf8=True))
        self.assertIn("\033[", text("status", colour=True))
        self.assertNotIn("\033[", text("status"))
        self.assertIn("VERDICT", text("list", "links"))
        self.assertNotIn("VERDICT", text("list", "links", no_legend=True))

    def test_text_of_what_is_not_there(self):
        for parameters, error, about in (
                ({"verb": "frobnicate"}, SERVICE + "InvalidParameter", {"parameter": "verb"}),
                ({"verb": "show"}, SERVICE + "InvalidParameter", {"parameter": "verb"}),
                ({"verb": "status", "columns": -1}, SERVICE + "InvalidParameter", {"parameter": "columns"}),
                ({"verb": "status", "json": "yaml"}, SERVICE + "InvalidParameter", {"parameter": "json"}),
                ({"verb": "status", "command": "x" * 5000}, SERVICE + "InvalidParameter", {"parameter": "command"}),
                ({"verb": "list", "word": "planets"}, OURS + "NoSuchKind", {"kind": "planets"}),
                ({"verb": "explain", "word": "nobody"}, OURS + "NoSuchObject", {"name": "nobody"})):
            self.assert_error(self.client.ask(OURS + "GetText", parameters), error, about)

    # ---- bytes ----

    def test_split_and_pipelined(self):
        calls = [{"method": SERVICE + "GetInfo"}, {"method": OURS + "List", "parameters": {"kind": "hosts"}},
                 {"method": OURS + "Nothing"}, {"method": OURS + "GetReport"}, {"method": OURS + "Refresh"},
                 {"method": SERVICE + "GetInfo"}]
        want = [self.client.ask(c["method"], c.get("parameters")) for c in calls]
        data = b"".join(json.dumps(c).encode() + b"\0" for c in calls)
        for size in (1, 7, len(data)):
            for i in range(0, len(data), size):
                self.client.send(data[i:i + size])
            self.assertEqual([self.client.message() for _ in calls], want)

    def test_many_pipelined_and_read_late(self):
        n = 500
        self.client.send(b'{"method":"%sGetReport"}\0' % OURS.encode() * n)
        self.client.socket.shutdown(socket.SHUT_WR)
        first = self.client.message()
        for _ in range(n - 1):
            self.assertEqual(self.client.message(), first)
        self.assertIsNone(self.client.message())

    def test_half_close(self):
        self.client.call(SERVICE + "GetInfo")
        self.client.call(OURS + "Refresh")
        self.client.send(b'{"method":"' + OURS.encode())  # a part of one is nothing
        self.client.socket.shutdown(socket.SHUT_WR)
        self.assertIn("vendor", self.client.message()["parameters"])
        self.assertEqual(self.client.message(), {"parameters": {}})
        self.assertIsNone(self.client.message())

    def test_closed_without_a_word(self):
        """What is no call ends the connection; the answers to what came before are sent."""
        call = b'{"method":"org.varlink.service.GetInfo"}'
        for bad in (b"", b"null", b"[]", b"{}", b"GET / HTTP/1.1\r\n\r\n", b'{"method":1}', call + call, call[:-1],
                    b'{"method":"a.B","method":"a.B"}', b'{"method":"a.B","oneway":true,"more":true}',
                    b'{"method":"a.B","more":"yes"}', b'{"method":"a.B","parameters":[]}', b'{"method":"\xff"}',
                    b"[" * 5000, b'{"method":"' + b"x" * (256 * 1024 + 1)):
            with self.subTest(bad[:40]):
                client = self.daemon.client()
                client.send(call + b"\0")
                self.assertIn("vendor", client.message()["parameters"])
                try:
                    client.send(bad + b"\0" + call + b"\0")
                except (BrokenPipeError, ConnectionResetError):
                    pass  # it is closed before it is sent whole
                self.assertIsNone(client.message())
                client.close()

    def test_largest_request(self):
        """256 KiB are read, one byte more is not."""
        frame = b'{"method":"org.varlink.service.GetInfo","x":"%s"}'
        fill = 256 * 1024 - len(frame % b"")
        self.client.send(frame % (b"x" * fill) + b"\0")
        self.assertIn("vendor", self.client.message()["parameters"])
        try:
            self.client.send(frame % (b"x" * (fill + 1)) + b"\0")
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assertIsNone(self.client.message())

    def test_tolerated(self):
        self.client.send(b' \n{"com.example.key":[{"a":null}],"method":"org.varlink.service.GetInfo","parameters":null,'
                         b'"more":true,"oneway":false}\t\r\n\0')
        answer = self.client.message()
        self.assertEqual(set(answer), {"parameters"})

    def test_oneway(self):
        """No word at all, not even of an error: the next answer is that of the next call."""
        for method, parameters in ((SERVICE + "GetInfo", None), (OURS + "NoSuch", None), (OURS + "GetReport", {}),
                                   (OURS + "List", {"kind": 1}), (OURS + "Refresh", {})):
            self.client.call(method, parameters, oneway=True)
        self.assertIn("description",
                      self.client.ask(SERVICE + "GetInterfaceDescription", {"interface": OURS[:-1]})["parameters"])


class Bounds(daemon.Test):
    def memory(self, d):
        return d.ask(OURS + "GetStatus")["parameters"]["memory"]

    def test_clients_that_do_not_read(self):
        """200 clients of which half never read cost next to nothing, and the others are answered."""
        d = self.start(golden("mixed-large-two-faults")).ready()
        before = self.memory(d)
        mute = [d.client() for _ in range(100)]
        for client in mute:
            client.send(b'{"method":"%sGetReport"}\0' % OURS.encode() * 20)
        monitors = [d.client() for _ in range(50)]
        for client in monitors:
            client.call(OURS + "Monitor", more=True)
        want = d.ask(OURS + "GetReport")
        for _ in range(100):
            self.assertEqual(d.ask(OURS + "GetReport"), want)
        status = d.ask(OURS + "GetStatus")["parameters"]
        self.assertEqual(status["subscribers"], 50)
        self.assertEqual(status["clients"], 151)
        if "san" not in daemon.PROGRAMS:  # sanitizers keep what is freed
            self.assertLess(self.memory(d) - before, 16 << 20)
        for client in mute + monitors:
            client.close()
        self.assertEqual(d.ask(OURS + "GetReport"), want)

    def test_garbage(self):
        d = self.start(golden(BELOW)).ready()
        for seed in range(200):
            client = d.client()
            try:
                client.send(bytes((seed * 31 + i * i * 7) & 255 for i in range(seed * 20)))
                client.socket.shutdown(socket.SHUT_WR)
                while client.socket.recv(1 << 16):
                    pass
            except (BrokenPipeError, ConnectionResetError):
                pass
            client.close()
        self.assertEqual(d.ask(OURS + "GetStatus")["parameters"]["clients"], 1)

    def test_no_more_descriptors(self):
        """More clients than there are descriptors: some wait or are sent away, nobody spins, and it recovers."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))
        try:
            d = daemon.Daemon(golden(BELOW))
        finally:
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            except ValueError:
                pass
        self.addCleanup(self.end, d)
        d.ready()
        clients = []
        for _ in range(140):
            clients.append(d.client())
        for client in clients:
            client.close()
        deadline = time.monotonic() + daemon.PATIENCE
        while not (answer := d.ask(OURS + "GetReport")):    # sent away: it has not seen yet that they have gone
            self.assertLess(time.monotonic(), deadline)
        self.assertIn("parameters", answer)


if __name__ == "__main__":
    daemon.main()
