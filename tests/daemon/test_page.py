#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page that hbad makes, with what it remembers in it: test_page.py PROGRAMS"""
import os
import select
import signal
import subprocess
import time
import xml.etree.ElementTree as ET

import daemon
from daemon import OURS, SERVICE, PATIENCE, golden
from test_memory import FLAPPING, Memory

PROGRAMS = daemon.PROGRAMS


def parse(text):
    return ET.fromstring(text[text.index("\n") + 1:])


def trends(root):
    return {"".join(svg.find("title").itertext()): svg for svg in root.iter("svg")
            if svg.find("title").text.startswith("Trend of ")}


class Page(Memory):
    def page(self, d, **more):
        answer = d.ask(OURS + "GetPage", more)
        self.assertNotIn("error", answer)
        return "".join(answer["parameters"]["page"])

    def test_has_what_is_remembered(self):
        days = golden(FLAPPING)
        first = self.run_on(days)
        self.wait_until_written(first)
        self.stop(first)
        second = self.run_on(days[-1:])                 # which has not seen them itself
        root = parse(self.page(second))
        names = ["".join(t.itertext()) for t in trends(root)["Trend of link2"].iter("text")]
        for mode in ("6.0 Gb/s", "3.0 Gb/s", "1.5 Gb/s"):
            self.assertIn(mode, names)
        self.assertEqual([f for f in second.report()["findings"] if f["summary"] not in "".join(root.itertext())], [])

    def test_hbactl_writes_it(self):
        d = self.run_on(golden(FLAPPING))
        path = os.path.join(self.state, "page.html")
        run = subprocess.run([os.path.join(PROGRAMS, "hbactl"), "--socket", d.path, "--daemon", "report", "--html", path,
                              "--since", "2026-01-01"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("Trend of link2", trends(parse(text)))
        self.assertEqual(text, self.page(d, since=1767225600))      # 2026-01-01

    def test_nothing_older_than_is_asked_for(self):
        d = self.run_on(golden(FLAPPING))
        self.wait_until_written(d)
        self.assertIn("3.0 Gb/s", "".join(trends(parse(self.page(d)))["Trend of link2"].itertext()))
        late = d.report()["taken"]
        since = int(time.mktime(time.strptime(late, "%Y-%m-%dT%H:%M:%SZ"))) - time.timezone - 15 * 60
        self.assertNotIn("3.0 Gb/s", "".join("".join(s.itertext()) for s in trends(parse(self.page(d, since=since))).values()))
        self.assert_error(d.ask(OURS + "GetPage", {"since": -1}), SERVICE + "InvalidParameter", {"parameter": "since"})

    def test_without_a_memory_of_what_was_just_seen(self):
        d = self.start(golden(FLAPPING)).ready()
        for _ in golden(FLAPPING)[1:]:
            d.ask(OURS + "Refresh")
        self.assertIn("Trend of link2", trends(parse(self.page(d))))

    def stop_writer(self, d):
        """Its pid. It goes on by the end of the test, or hbad's end would wait for it."""
        writer = self.writer_of(d)

        def go_on():
            try:
                os.kill(writer, signal.SIGCONT)
            except ProcessLookupError:
                pass
        self.addCleanup(go_on)
        os.kill(writer, signal.SIGSTOP)
        return writer

    def test_a_disk_that_hangs_costs_the_past_only(self):
        d = self.run_on(golden(FLAPPING))
        self.wait_until_written(d)
        writer = self.stop_writer(d)
        begin = time.monotonic()
        root = parse(self.page(d))
        self.assertLess(time.monotonic() - begin, PATIENCE)
        os.kill(writer, signal.SIGCONT)
        self.assertIn("the disk with the history does not answer", "".join(root.itertext()))
        self.assertIn("link-flapping", "".join(root.itertext()))

    def test_who_leaves_meanwhile_harms_nobody(self):
        d = self.run_on(golden(FLAPPING))
        self.wait_until_written(d)
        writer = self.stop_writer(d)
        for _ in range(3):
            client = d.client()
            client.call(OURS + "GetPage")
            client.close()
        os.kill(writer, signal.SIGCONT)
        self.assertIn("Trend of link2", self.page(d))

    def test_not_more_than_two_at_a_time(self):
        d = self.run_on(golden(FLAPPING))
        self.wait_until_written(d)
        writer = self.stop_writer(d)
        clients = [d.client() for _ in range(3)]
        for client in clients:
            client.call(OURS + "GetPage")
        first, = select.select([c.socket for c in clients], [], [], PATIENCE)[0][:1]  # hbad may read them in any order
        refused = next(c for c in clients if c.socket is first)
        self.assert_error(refused.message(), OURS + "Busy")
        os.kill(writer, signal.SIGCONT)
        for client in clients:
            if client is not refused:
                self.assertIn("page", client.message()["parameters"])
        self.assertIn("page", refused.ask(OURS + "GetPage")["parameters"])
        for client in clients:
            client.close()


if __name__ == "__main__":
    daemon.main()
