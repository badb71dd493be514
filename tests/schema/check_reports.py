#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports against their schema, by a validator that is not ours: check_reports.py HBACTL SCHEMA CASES

The report of every case is valid and refers only to what it holds; what is no report is refused.
"""
import copy
import json
import os
import re
import subprocess
import sys
import unittest

import jsonschema

HBACTL, SCHEMA, CASES = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)


def captures(case):
    return sorted((os.path.join(case, f) for f in os.listdir(case) if re.fullmatch(r"\d+\.json", f)),
                  key=lambda path: int(os.path.basename(path)[:-5]))


def report(case, *words):
    """What hbactl says of the captures of a case, as JSON."""
    options = [word for path in captures(os.path.join(CASES, case)) for word in ("--capture", path)]
    return json.loads(subprocess.run([HBACTL, *options, "--json", *words], stdout=subprocess.PIPE).stdout)


def all_cases():
    return sorted(d for d in os.listdir(CASES) if os.path.isfile(os.path.join(CASES, d, "expect.json")))


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(SCHEMA, encoding="utf-8") as file:
            cls.schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    def part(self, name):
        """A validator of an array of one kind of object."""
        return jsonschema.Draft202012Validator(
            {"$defs": self.schema["$defs"], "type": "array", "items": {"$ref": "#/$defs/" + name}})

    def test_every_report_is_valid(self):
        for case in all_cases():
            with self.subTest(case=case):
                self.validator.validate(report(case, "report"))

    def test_lists_are_parts_of_the_report(self):
        for case in ("spi-fusion-u320-fine", "mixed-large-two-faults"):
            for verb, name in (("hosts", "host"), ("links", "link"), ("devices", "device")):
                with self.subTest(case=case, list=verb):
                    self.part(name).validate(report(case, "list", verb))

    def test_every_reference_leads_somewhere(self):
        for case in all_cases():
            with self.subTest(case=case):
                self.follow(report(case, "report"))

    def follow(self, r):
        hosts, links = ({o["id"] for o in r[kind]} for kind in ("hosts", "links"))
        self.assertEqual(len(hosts), len(r["hosts"]), "ids of hosts are unique")
        self.assertEqual(len(links), len(r["links"]), "ids of links are unique")
        self.assertEqual(len({d["id"] for d in r["devices"]}), len(r["devices"]), "ids of devices are unique")
        for link in r["links"]:
            self.assertIn(link["host"], hosts | {None})
            self.assertIn(link.get("up"), links | {None})
            self.assertIn(link.get("bundle"), links | {None})
        for device in r["devices"]:
            self.assertIn(device["host"], hosts | {None})
            self.assertIn(device["link"], links | {None})
            self.assertLessEqual(set(device["path"]), hosts | links)
            self.assertIn(device["bottleneck"], set(device["path"]) | {None})

    def test_summary_counts_what_is_there(self):
        for case in all_cases():
            with self.subTest(case=case):
                r = report(case, "report")
                for kind in ("hosts", "links", "devices"):
                    self.assertEqual(r["summary"][kind], len(r[kind]))
                for verdict in ("ok", "below", "capped", "unknown", "none"):
                    self.assertEqual(r["summary"][verdict], sum(link["verdict"] == verdict for link in r["links"]))

    def test_no_report_is_refused(self):
        good = report("spi-fusion-u320-fine", "report")
        self.validator.validate(good)
        for what, spoil in SPOILT.items():
            with self.subTest(what=what):
                bad = copy.deepcopy(good)
                spoil(bad)
                self.assertFalse(self.validator.is_valid(bad))


FINDING = {"code": "rate-below-expected", "severity": "warning", "subjects": ["x"], "names": [], "summary": "It is slow",
           "evidence": [], "causes": [], "remedies": []}
SPOILT = {
    "another version": lambda r: r.update(schema="hbad.report/2"),
    "no links": lambda r: r.pop("links"),
    "a member that is not in the contract": lambda r: r.update(extra=1),
    "a time in local form": lambda r: r.update(taken="2026-01-12 09:30:00"),
    "a verdict of another kind": lambda r: r["links"][0].update(verdict="fine"),
    "a state of another kind": lambda r: r["links"][0].update(state="UP"),
    "an empty link with a mode": lambda r: r["links"][0].update(state="empty"),
    "below without an expectation": lambda r: r["links"][0].update(verdict="below", expected=None),
    "a rate as text": lambda r: r["links"][0]["actual"].update(mb_per_s="320,0"),
    "a rate of nothing": lambda r: r["links"][0]["actual"].update(mb_per_s=0),
    "a mode without a label": lambda r: r["links"][0]["actual"].pop("label"),
    "a witness nobody knows": lambda r: r["links"][0]["witnesses"][0].update(who="rumour"),
    "a counter below zero": lambda r: r["links"][0]["counters"].update(resets=-1),
    "an unknown code": lambda r: r["links"][0].update(findings=["slow"]),
    "a device without a path": lambda r: r["devices"][0].pop("path"),
    "no address": lambda r: r["devices"][0].update(hctl="sda"),
    "a node outside /dev": lambda r: r["devices"][0].update(nodes=["sda"]),
    "a host of another name": lambda r: r["hosts"][0].update(kernel_name="scsi0"),
    "a summary that counts in text": lambda r: r["summary"].update(links="10"),
    "a finding without a subject": lambda r: r["findings"].append({**FINDING, "subjects": []}),
    "a finding of severity none": lambda r: r["findings"].append({**FINDING, "severity": "none"}),
    "a gap where all was seen": lambda r: r["gaps"].append({"what": "x", "quality": "ok", "example": "x", "count": 1}),
}

if __name__ == "__main__":
    unittest.main()
