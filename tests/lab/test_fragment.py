#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of fragment.py: what must be found, and what must not."""
import unittest

from fragment import missing


class Fragment(unittest.TestCase):
    def test_there(self):
        whole = {"a": 1, "b": [{"x": 1, "y": 2}, {"x": 3, "y": 4}], "c": None}
        for fragment in ({}, {"a": 1}, {"b": [{"y": 4}, {"x": 1}]}, {"b": []}, {"c": None}):
            self.assertEqual(missing(fragment, whole), [], fragment)

    def test_not_there(self):
        whole = {"a": 1, "b": [{"x": 1}], "t": True}
        for fragment in ({"a": 2}, {"z": 1}, {"b": [{"x": 2}]}, {"b": [{"x": 1}, {"x": 1}]}, {"b": {}}, {"a": True},
                         {"a": None}, {"t": 1}):
            self.assertNotEqual(missing(fragment, whole), [], fragment)

    def test_names_the_place(self):
        self.assertEqual(missing({"b": [{"x": 2}]}, {"b": [{"x": 1}]}), ["report.b[0].x is 1, not 2"])


if __name__ == "__main__":
    unittest.main()
