#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The dashboard: does each of its expressions parse, and ask for what there is? test_dashboard.py PROGRAMS [URL [SECONDS]]

With the URL of a Prometheus that feed.py feeds: does each return data, and do our rules, within SECONDS (60)? Nothing here renders
it. Exit status 77 where there is no promtool."""
import json
import os
import re
import shutil
import sys
import time
import unittest
import urllib.parse
import urllib.request

import expressions
from expressions import TOP

PROMTOOL = shutil.which(os.environ.get("PROMTOOL", "promtool"))
DASHBOARD = os.path.join(TOP, "units/prometheus/hbad.dashboard.json")
URL = sys.argv[2] if len(sys.argv) > 2 else None
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 60
# What Grafana puts in the place of what begins with $.
VARIABLES = {"$instance": ".*", "$__rate_interval": "1m"}


def dashboard():
    with open(DASHBOARD, encoding="utf-8") as file:
        return json.load(file)


def targets(board):
    return [(p["title"], t["expr"]) for p in board["panels"] for t in p.get("targets", [])]


def filled(expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return expression


class Dashboard(unittest.TestCase):
    def setUp(self):
        self.board = dashboard()

    def test_expressions(self):
        found = targets(self.board)
        self.assertGreater(len(found), 40)
        self.assertEqual(expressions.unparsable([filled(e) for _, e in found], PROMTOOL), "")
        self.assertNotEqual(expressions.unparsable(["sum(("], PROMTOOL), "")
        names = expressions.exported()
        for title, expression in found:
            with self.subTest(title):
                self.assertNotIn("$", filled(expression))
                self.assertIn('instance=~"$instance"', expression)
                self.assertEqual(list(expressions.faults(filled(expression), names)), [])

    def test_all_is_shown(self):
        """What is exported is in the dashboard, or has a reason not to be."""
        shown = " ".join(e for _, e in targets(self.board))
        left_out = {
            r"hba_(fc|iscsi|usb)_.*": "counters of one transport among many; those of errors that hbad follows are findings",
            r"hba_link_(expected_)?lanes|hba_(host|device)_running": "a finding says what is wrong with it",
            r"hba_probe_timestamp_seconds|hbad_start_timestamp_seconds|hbad_adapter_look_seconds|hbad_rounds_total": "of use to who asks",
            r"hbad_configuration_refused": "an alert says it",
            r"hbad_(clients|subscribers)|hbad_history_(waiting_)?records(_total)?|hbad_waiting_alerts|hbad_watcher_(running|rounds_total)": "likewise",
        }
        for name in expressions.exported():
            if not re.search(r"\b%s\b" % name, shown):
                self.assertTrue(any(re.fullmatch(p, name) for p in left_out), name)

    def test_panels(self):
        ids = [p["id"] for p in self.board["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        taken = {}
        for p in self.board["panels"]:
            at = p["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, p["title"])
            for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])):
                self.assertNotIn(cell, taken, p["title"])
                taken[cell] = p["title"]
            for part in (p, *p.get("targets", [])) if p["type"] != "row" else ():
                self.assertEqual(part["datasource"], {"type": "prometheus", "uid": "${datasource}"})
            refs = [t["refId"] for t in p.get("targets", [])]
            self.assertEqual(len(refs), len(set(refs)))
        self.assertEqual([v["name"] for v in self.board["templating"]["list"]], ["datasource", "instance"])

    @unittest.skipUnless(URL, "no Prometheus was named")
    def test_returns_data(self):
        missing, end = {e: t for t, e in targets(self.board)}, time.monotonic() + SECONDS
        missing.update({e: "rules" for e in (
            "instance_job_verdict:hba_links:sum", "vendor_model_revision:hba_links_below:count",
            "driver_model_firmware:hba_links_below:count", 'ALERTS{alertname="HbaWarning"}', 'ALERTS{alertname="HbaCritical"}',
            'ALERTS{alertname="HbadStale"}')})  # captures are old
        while missing and time.monotonic() < end:
            for expression in list(missing):
                query = urllib.parse.urlencode({"query": filled(expression)})
                with urllib.request.urlopen("%s/api/v1/query?%s" % (URL, query), timeout=60) as answer:
                    if json.load(answer)["data"]["result"]:
                        del missing[expression]
            time.sleep(1)
        self.assertEqual(missing, {})


if __name__ == "__main__":
    if not PROMTOOL:
        print("no promtool here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
