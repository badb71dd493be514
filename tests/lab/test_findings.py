#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of findings.py: expected and unexpected findings."""
import unittest

from findings import complaints


def finding(code, name, severity="warning"):
    return {"code": code, "severity": severity, "names": [name], "subjects": ["id-" + name], "summary": "…"}


class Findings(unittest.TestCase):
    REPORT = {"findings": [finding("async", "target0:0:3"), finding("slot-limit", "0000:02:00.0", "info")]}

    def test_as_expected(self):
        for expected in (["async@target0:0:3"], ["async@id-target0:0:3", "slot-limit@0000:02:00.0", "!link-lost", "!async@target0:0:2"]):
            self.assertEqual(list(complaints(self.REPORT, expected)), [], expected)

    def test_not_as_expected(self):
        self.assertEqual(list(complaints(self.REPORT, ["async@target0:0:3", "!slot-limit", "link-lost@host0"])),
                         ["no link-lost of host0", "there is slot-limit"])
        self.assertEqual(list(complaints(self.REPORT, ["async@target0:0:3", "!async@target0:0:3"])),
                         ["there is async of target0:0:3"])

    def test_nothing_may_be_unexpected(self):
        self.assertEqual(list(complaints(self.REPORT, [])), ["not expected: warning async: …"])
        self.assertEqual(list(complaints(self.REPORT, ["async@target0:0:2"])),
                         ["no async of target0:0:2", "not expected: warning async: …"])


if __name__ == "__main__":
    unittest.main()
