#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tests/count.py counts what ctest keeps of programs: cmocka's sums, unittest's, and those that only end."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import count  # noqa: E402

CMOCKA_GOOD, CMOCKA_BAD = "[  PASSED  ] 7 test(s).\n", "[  PASSED  ] 5 test(s).\n[  FAILED  ] 2 test(s), listed below:\n"


def junit(*cases):
    return "<?xml version='1.0'?><testsuite>%s</testsuite>" % "".join(
        '<testcase name="t" status="%s"><system-out>%s</system-out></testcase>' % case for case in cases)


class Count(unittest.TestCase):
    def expect(self, passed, failed, *cases):
        ran, _ = count.read_junit(junit(*cases))
        self.assertEqual((sum(r[1] for r in ran), sum(r[2] for r in ran)), (passed, failed))

    def test_cmocka(self):
        self.expect(7, 0, ("run", CMOCKA_GOOD))
        self.expect(5, 2, ("fail", CMOCKA_BAD))

    def test_a_leak_after_the_last_test_is_a_failure(self):
        self.expect(7, 1, ("fail", CMOCKA_GOOD + "ERROR: LeakSanitizer\n"))

    def test_a_crash_before_any_sum_is_a_failure(self):
        self.expect(0, 1, ("fail", "[ RUN      ] x\n"))

    def test_unittest(self):
        self.expect(17, 0, ("run", "Ran 19 tests in 1.0s\n\nOK (skipped=2)\n"))
        self.expect(3, 1, ("fail", "Ran 5 tests in 1.0s\n\nFAILED (failures=1, errors=1)\n"))

    def test_others_count_as_one(self):
        self.expect(1, 1, ("run", "fine"), ("fail", "not"))

    def test_what_did_not_run_is_neither(self):
        self.expect(0, 0, ("notrun", ""))
        self.assertEqual(count.read_junit(junit(("notrun", "")))[1], ["t"])

    def test_escapes_of_coloured_programs(self):
        self.expect(7, 0, ("run", "\033[32mok\n" + CMOCKA_GOOD))


if __name__ == "__main__":
    unittest.main()
