#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of rates.py: what a ledger and a stream say, and when a measurement is wrong."""
import json
import unittest

import rates

# Two reads of 128 KiB, one under way while the other is; what is between is none.
LEDGER = """\
3 100.000000 0.100000 good 131072 28 00 00 00 00 00 00 01 00 00
4 100.050000 0.150000 good 131072 3c 02 00 00 00 00 02 00 00 00
5 100.060000 0.000100 good 4 3c 03 00 00 00 00 00 00 04 00
6 100.070000 0.000100 good 36 12 00 00 00 24 00
7 100.080000 abort
8 100.090000 - under-way 0 5a 00 19 03 00 00 00 00 fc 00
"""


def stream(*parts):
    return "".join(json.dumps({"hbad-capture": 1, **part}) + "\0" for part in parts)


class Rates(unittest.TestCase):
    def test_ledger(self):
        self.assertEqual(rates.ledger_span("7 1.0 abort\n"), None)
        self.assertEqual(rates.ledger_rate([]), None)
        self.assertAlmostEqual(rates.ledger_rate([LEDGER]), 262144 / 0.2)
        # Two devices share the time.
        later = LEDGER.replace(" 100.", " 100.2").replace("100.205", "100.25")
        self.assertGreater(rates.ledger_rate([LEDGER, later]), 524288 / 0.5)

    def test_stream(self):
        well = {"device": "0:0:0:0", "bytes": 1000, "us": 500}
        self.assertEqual(rates.measures(stream({"at": {}}, {"measures": [well]}, {"end": True})), [well])
        self.assertEqual(rates.hbad_rate([well]), (2e6, None))
        self.assertEqual(rates.hbad_rate([well, {**well, "us": 600}]), (2000e6 / 600, None))
        self.assertEqual(rates.hbad_rate([well, {**well, "us": 1250}]),
                         (None, "those who share have 0.800 to 2.000 MB/s"))
        self.assertEqual(rates.hbad_rate([]), (None, "measured nothing"))
        self.assertEqual(rates.hbad_rate([well, {**well, "error": "EIO"}]), (None, "EIO"))
        self.assertEqual(rates.hbad_rate([{**well, "disturbed": "others"}]), (None, "others"))

    def test_judge(self):
        self.assertIsNone(rates.judge(100, 91, 109, 200))
        self.assertEqual(rates.judge(100, 89, 100, 200), "hbad has it -11.0%")
        self.assertEqual(rates.judge(100, 100, 111, 200), "the simulator has it +11.0%")
        self.assertIsNone(rates.judge(100, 1, 1, 199))
        self.assertIsNone(rates.judge(100, 1, 1, None))


if __name__ == "__main__":
    unittest.main()
