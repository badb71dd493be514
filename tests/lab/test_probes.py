#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of probes.py: what was read, what was not and why."""
import json
import unittest

from probes import complaints, outcomes

SAID = {"devices": [
    {"hctl": "0:0:0:0", "measures": [{"bytes": 0, "error": "EOPNOTSUPP", "disturbed": "no buffer"}, {"bytes": 4096}]},
    {"hctl": "0:0:1:0", "measures": [{"bytes": 0, "error": "EPERM", "disturbed": "it sleeps, and a read would wake it"}]},
    {"hctl": "0:0:2:0", "measures": [{"bytes": 4096, "disturbed": "3 commands came between"}]},
    {"hctl": "0:0:3:0", "measures": []},
    {"hctl": "0:0:4:0", "measures": [{"bytes": 0}]}]}
ADDRESSES = {"well": "0:0:0:0", "asleep": "0:0:1:0", "busy": "0:0:2:0", "quiet": "0:0:3:0", "empty": "0:0:4:0"}


class Probes(unittest.TestCase):
    def wrong(self, **expected):
        return list(complaints(outcomes(json.dumps(SAID)), ADDRESSES, expected))

    def test_as_expected(self):
        self.assertEqual(self.wrong(well="reads", asleep="EPERM it sleeps", busy="came between", quiet="not mentioned"), [])

    def test_not_as_expected(self):
        self.assertEqual(self.wrong(), ["well was read"])
        self.assertEqual(self.wrong(well="EPERM", asleep="reads", empty="reads"), [
            "well: reads; expected: EPERM",
            "asleep: EPERM it sleeps, and a read would wake it; expected: reads",
            "empty: nothing came; expected: reads"])
        self.assertEqual(self.wrong(well="reads", busy="reads"), ["busy: 3 commands came between; expected: reads"])


if __name__ == "__main__":
    unittest.main()
