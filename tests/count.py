#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Count tests: count.py FILE...

FILE is a JUnit file of ctest, or lines "passed NAME" and "failed NAME". A ctest test that is a cmocka program or a
Python unittest counts as the tests in it, any other as one. A program that failed counts as one failure at least,
whatever its own sums say (a leak, a crash).
Prints what failed and what was skipped; the last line is "N passed, N failed". Exit status 1 if anything failed or
nothing ran.
"""
import os
import re
import sys
import xml.etree.ElementTree as xml

CMOCKA = re.compile(r"^\[  (PASSED|FAILED)  \] (\d+) test\(s\)", re.M)
UNITTEST = re.compile(r"^Ran (\d+) tests? in ", re.M)
UNITTEST_BAD = re.compile(r"\b(?:failures|errors|skipped)=(\d+)")
# What XML cannot hold, e.g. the escapes of a coloured program; ctest writes it all the same.
UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def sums(output):
    """(passed, failed) as the program itself says it; (0, 0) where it says nothing."""
    passed = sum(int(n) for kind, n in CMOCKA.findall(output) if kind == "PASSED")
    failed = sum(int(n) for kind, n in CMOCKA.findall(output) if kind == "FAILED")
    for ran in UNITTEST.finditer(output):
        bad = sum(int(n) for n in UNITTEST_BAD.findall(output[ran.end():]))
        passed += max(int(ran[1]) - bad, 0)
    return passed, failed


def read_junit(text):
    """(name, passed, failed) of each test that ran, and the names of those that were skipped."""
    ran, skipped = [], []
    for case in xml.fromstring(UNFIT.sub("?", text)).iter("testcase"):
        name, status = case.get("name"), case.get("status")
        passed, failed = sums(case.findtext("system-out") or "")
        if status == "run":
            ran.append((name, passed or 1, 0))
        elif status == "fail":
            ran.append((name, passed, max(failed, 1)))
        else:
            skipped.append(name)
    return ran, skipped


def read_lines(text):
    return [(name, word == "passed", word == "failed") for word, name in (line.split(" ", 1) for line in text.splitlines())]


def main(paths):
    passed = failed = 0
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        ran, skipped = read_junit(text) if text.startswith("<?xml") else (read_lines(text), [])
        for name, good, bad in ran:
            passed, failed = passed + good, failed + bad
            if bad:
                print("failed: %s (%s)" % (name, os.path.basename(path)))
        for name in skipped:
            print("skipped: %s (%s)" % (name, os.path.basename(path)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
