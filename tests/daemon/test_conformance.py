#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is what hbad speaks Varlink, by the word of others? test_conformance.py PROGRAMS

What the protocol asks of a server, and which test holds hbad to it (here, if no file is named):

   1  one JSON object in UTF-8, a NUL behind it; white space around it      test_varlink: test_tolerated, test_split_and_pipelined
   2  answers in the order of the calls                                     test_varlink: test_split_and_pipelined;
                                                                            test_watch: test_one_more_call_waits
   3  split writes; half close: all answers, then the end                   test_varlink: test_split_and_pipelined, test_half_close
   4  requests of at most 256 KiB, nesting bounded, no member twice         test_varlink: test_largest_request, test_closed_without_a_word
   5  what is no JSON, or nothing, ends the connection without a word       test_varlink: test_closed_without_a_word
   6  unknown members are tolerated, wrong types are not; upgrade is no     test_varlink: test_tolerated, test_closed_without_a_word, test_service
   7  parameters {}, null or left out are the same                          test_no_parameters
   8  oneway: no word at all                                                test_varlink: test_oneway; test_oneway_of_every_method
   9  continues only where more was asked, on all but the last              test_continues; test_watch: test_state_then_changes
  10  ExpectedMore                                                          test_varlink: test_service
  11  an error is final                                                     test_watch: test_slow_reader; test_errors_are_declared
  12  parameters always, and no other member of a reply                     test_continues, test_errors_are_declared
  13  errors have full names, that the interface declares                   test_errors_are_declared
  14  GetInfo, which takes nothing                                          test_get_info
  15  GetInterfaceDescription                                               test_descriptions
  16  InterfaceNotFound, MethodNotFound with the full name, InvalidParameter  test_varlink: test_service, test_arguments_are_those_of_the_interface;
                                                                            test_methods_that_are_not_there
  17  errors of our own instead of numbers                                  test_errors_are_declared
  18  the text of an interface: its name first                              test_go_reads_the_interfaces
  19  the subset of the language that all readers know                      test_go_reads_the_interfaces;
                                                                            test_varlink: test_interface_is_of_what_all_parsers_know
  20  no floats                                                             test_varlink: test_interface_is_of_what_all_parsers_know
  21  optional fields may be added, nothing is removed                      (who changes the text must see to that)
  22  socket activation, for this process only                              test_watch: test_socket_activation; test_sockets_of_somebody_else
  23  answers within 45 s, or a stream                                      (all but Refresh are answered from memory)
  24  slow readers are cut off                                              test_watch: test_slow_reader; test_varlink: Bounds
  25  connections are bounded, in all and for each user                     test_connections_of_one_user
  26  what changes something is for root and a group                        test_not_for_everybody
  27  Monitor: the state first, then changes, in one call                   test_watch: test_state_then_changes

The certification, both ways, is Varlink's own: what Go's library says to ours, and ours to Go's.
"""
import json
import os
import re
import resource
import shutil
import subprocess
import time
import unittest

import daemon
from daemon import OURS, SERVICE, golden

BELOW = "spi-fusion-one-at-half-rate"
HERE = os.path.dirname(os.path.abspath(__file__))
CERTIFICATION = os.path.join(daemon.PROGRAMS, "..", "tests", "certification")
GO, GENERATOR = (shutil.which(os.environ.get(v, p)) for v, p in (("VARLINK_GO_CERTIFICATION", "varlink-go-certification"),
                                                                 ("VARLINK_GO_GENERATOR", "varlink-go-interface-generator")))
IDLS = ["io.hbad.monitor", "io.systemd.service"]
PRIVILEGED = {"io.hbad.monitor": ["Reload", "Refresh"], "io.systemd.service": ["SetLogLevel"]}


class Certification(daemon.Test):
    def setUp(self):
        self.dir = daemon.tempfile.TemporaryDirectory(prefix="hbad-varlink-")
        self.addCleanup(self.dir.cleanup)
        self.path = os.path.join(self.dir.name, "socket")

    def begin(self, *arguments):
        process = subprocess.Popen(arguments, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + daemon.PATIENCE
        while not os.path.exists(self.path):
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        return process

    @unittest.skipUnless(GO, "no varlink-go-certification: Debian's package varlink-go has it")
    def test_go_calls_ours(self):
        server = self.begin(CERTIFICATION, "server", self.path)
        out = subprocess.run([GO, "-client", "-varlink", "unix:" + self.path], stdout=subprocess.PIPE, check=True,
                             encoding="utf-8", timeout=daemon.PATIENCE).stdout
        self.assertEqual(re.findall(r"^(\w+)(?:\(\) Send)?: *", out, re.M)[:1], ["Start"])
        self.assertIn("End: 'true'\n", out)
        self.assertEqual(server.wait(daemon.PATIENCE), 0, server.stderr.read())

    @unittest.skipUnless(GO, "no varlink-go-certification: Debian's package varlink-go has it")
    def test_ours_calls_go(self):
        self.begin(GO, "-varlink", "unix:" + self.path)
        run = subprocess.run([CERTIFICATION, "client", self.path], stderr=subprocess.PIPE, check=False, timeout=daemon.PATIENCE)
        self.assertEqual(run.returncode, 0, run.stderr)

    @unittest.skipUnless(GENERATOR, "no varlink-go-interface-generator: Debian's package varlink-go has it")
    def test_go_reads_the_interfaces(self):
        for name in IDLS:
            path = os.path.join(self.dir.name, name + ".varlink")
            shutil.copy(os.path.join(daemon.TOP, "daemon", name + ".varlink"), path)
            subprocess.run([GENERATOR, path], check=True, timeout=daemon.PATIENCE)
            with open(path, encoding="utf-8") as file:
                methods = re.findall(r"^method (\w+)", file.read(), re.M)
            with open(os.path.join(self.dir.name, name.replace(".", "") + ".go"), encoding="utf-8") as file:
                code = file.read()
            for method in methods:
                self.assertIn("func (c *VarlinkCall) Reply%s(" % method, code)


@unittest.skipUnless(shutil.which("perl"), "no Perl")
class OtherLanguage(daemon.Test):
    def test_perl(self):
        d = self.start(golden("sata-link-flapping")).ready()
        run = subprocess.run(["perl", os.path.join(HERE, "client.pl"), d.path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             check=False, encoding="utf-8", timeout=daemon.PATIENCE)
        self.assertEqual(run.stderr, "")
        report = d.report()
        self.assertEqual(run.stdout.split("\n")[1:],
                         [*("%s %s" % (x["kernel_name"], x["verdict"]) for x in report["links"]), str(len(report["hosts"]) + 1), ""])


class Rules(daemon.Test):
    @classmethod
    def setUpClass(cls):
        cls.daemon = daemon.Daemon(golden(BELOW)).ready()
        cls.texts = {name: cls.daemon.ask(SERVICE + "GetInterfaceDescription", {"interface": name})["parameters"]["description"]
                     for name in [SERVICE[:-1], *IDLS]}
        cls.methods = [n + "." + m for n, text in cls.texts.items() for m in re.findall(r"^method (\w+)", text, re.M)]
        cls.errors = {n + "." + e: set(re.findall(r"(\w+):", fields)) for n, text in cls.texts.items()
                      for e, fields in re.findall(r"^error (\w+)\s*\(([^)]*)\)", text, re.M)}

    @classmethod
    def tearDownClass(cls):
        assert cls.daemon.stop() == 0, cls.daemon.said

    def setUp(self):
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)

    def test_no_parameters(self):
        for method in (SERVICE + "GetInfo", OURS + "List", OURS + "GetReport", "io.systemd.service.Ping"):
            without, empty = self.client.ask(method), self.client.ask(method, {})
            self.client.send(json.dumps({"method": method, "parameters": None}).encode() + b"\0")
            self.assertEqual([without, self.client.message()], [empty, empty])

    def test_oneway_of_every_method(self):
        """Whatever the call leads to: an answer at once, an error, one that comes later, a stream that is none."""
        for method in self.methods:
            for parameters in (None, {}, {"no_such_argument": 1}, {"kind": "links", "name": "sdc", "level": 6}):
                self.client.call(method, parameters, oneway=True)
        self.assertEqual(self.client.ask("io.systemd.service.Ping"), {"parameters": {}})

    def test_continues(self):
        """No call without more gets it, nor does one with more to which one answer is all."""
        for method in self.methods:
            answer = self.client.ask(method)
            self.assertLessEqual(set(answer), {"parameters", "error"}, method)
            if method != OURS + "Monitor":
                self.assertLessEqual(set(self.client.ask(method, {}, more=True)), {"parameters", "error"}, method)

    def test_errors_are_declared(self):
        seen = set()
        for method in [*self.methods, OURS + "NoSuch", "io.hbad.NoSuch", "NoSuch", ""]:
            for parameters in (None, {"x": 1}, {"kind": "x"}, {"name": "x"}, {"verb": "x"}, {"verb": "list", "word": "x"},
                               {"verb": "show", "word": "x"}, {"interface": "x"}, {"level": 9}):
                answer = self.client.ask(method, parameters)
                if "error" not in answer:
                    continue
                self.assertEqual(set(answer), {"parameters", "error"})
                self.assertEqual(set(answer["parameters"]), self.errors[answer["error"]], answer)
                seen.add(answer["error"])
        self.assertGreaterEqual(seen, {SERVICE + e for e in ("InterfaceNotFound", "MethodNotFound", "InvalidParameter", "ExpectedMore")} |
                                {OURS + "NoSuchKind", OURS + "NoSuchObject"})

    def test_get_info(self):
        info = self.client.ask(SERVICE + "GetInfo")["parameters"]
        self.assertEqual(sorted(info), ["interfaces", "product", "url", "vendor", "version"])
        self.assert_error(self.client.ask(SERVICE + "GetInfo", {"x": None}), SERVICE + "InvalidParameter", {"parameter": "x"})

    def test_descriptions(self):
        interfaces = self.client.ask(SERVICE + "GetInfo")["parameters"]["interfaces"]
        self.assertEqual(sorted(interfaces), sorted(self.texts))
        for name, text in self.texts.items():
            declared = [line for line in text.split("\n") if line and not line.startswith("#")]
            self.assertEqual(declared[0], "interface " + name)
        for missing in ("", "io.hbad", "io.hbad.monitor.", "IO.HBAD.MONITOR"):
            self.assert_error(self.client.ask(SERVICE + "GetInterfaceDescription", {"interface": missing}),
                              SERVICE + "InterfaceNotFound", {"interface": missing})
        self.assert_error(self.client.ask(SERVICE + "GetInterfaceDescription"), SERVICE + "InvalidParameter",
                          {"parameter": "interface"})

    def test_methods_that_are_not_there(self):
        for name in ("getReport", "GetReport2", ""):
            self.assert_error(self.client.ask(OURS + name), SERVICE + "MethodNotFound", {"method": OURS + name})
        for name, interface in (("io.hbad.GetReport", "io.hbad"), ("GetReport", ""), (".", "")):
            self.assert_error(self.client.ask(name), SERVICE + "InterfaceNotFound", {"interface": interface})

    @unittest.skipUnless(os.geteuid() == 0, "not root: nobody else can be somebody else")
    def test_not_for_everybody(self):
        os.chmod(self.daemon.dir.name, 0o755)
        os.chmod(self.daemon.path, 0o666)
        code = ("import json, os, sys; os.setgroups([]); os.setgid(65534); os.setuid(65534); sys.path.insert(0, sys.argv[2]); "
                "path, methods = sys.argv[1], sys.argv[3:]; sys.argv = sys.argv[:2]; import daemon; c = daemon.Client(path); "
                "print(json.dumps([c.ask(m, {'level': 7} if 'Level' in m else {}) for m in methods]))")
        denied = [n + "." + m for n, methods in PRIVILEGED.items() for m in methods]
        out = subprocess.run(["/usr/bin/python3", "-c", code, self.daemon.path, HERE, *denied, "io.systemd.service.Ping"],
                             stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
        want = {"error": SERVICE + "PermissionDenied", "parameters": {}}
        self.assertEqual(json.loads(out), [want] * len(denied) + [{"parameters": {}}])

    def test_sockets_of_somebody_else(self):
        """LISTEN_FDS is for the process that LISTEN_PID says: descriptor 3 is no socket here, and nothing is made of it."""
        with open("/dev/null", "rb") as file:
            code = "import os, sys; os.dup2(%d, 3); os.execv(sys.argv[1], sys.argv[1:])" % file.fileno()
            process = subprocess.Popen(["/usr/bin/python3", "-c", code, os.path.join(daemon.PROGRAMS, "hbad"), "--captures",
                                        self.daemon.file("captures"), "--config", self.daemon.config, "--socket",
                                        self.daemon.file("other")], env=dict(os.environ, LISTEN_FDS="1", LISTEN_PID="1"),
                                       pass_fds=[file.fileno()], stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + daemon.PATIENCE
        while not os.path.exists(self.daemon.file("other")):
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), deadline)
        process.terminate()
        self.assertEqual(process.wait(daemon.PATIENCE), 0)


class Bounds(daemon.Test):
    PER_USER = 1024  # daemon/server.h

    def test_connections_of_one_user(self):
        """The one too many is let go without a word, and those before it are served; when one goes, another may come."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < 2 * self.PER_USER:
            self.skipTest("no more than %d files are allowed here" % hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (2 * self.PER_USER, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        d = self.start(golden(BELOW)).ready()
        clients = [d.client() for _ in range(self.PER_USER)]
        self.assertEqual(clients[-1].ask("io.systemd.service.Ping"), {"parameters": {}})
        late = d.client()
        try:
            self.assertIsNone(late.ask("io.systemd.service.Ping"))
        except BrokenPipeError:
            pass
        late.close()
        self.assertEqual(clients[0].ask("io.systemd.service.Ping"), {"parameters": {}})
        clients.pop().close()
        deadline = time.monotonic() + daemon.PATIENCE
        while True:  # until the one that went is seen to be gone
            client = d.client()
            try:
                answer = client.ask("io.systemd.service.Ping")
            except BrokenPipeError:
                answer = None
            client.close()
            if answer:
                break
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(answer, {"parameters": {}})
        for client in clients:
            client.close()


if __name__ == "__main__":
    daemon.main()
