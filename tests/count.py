#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Count tests: count.py FILE...

FILE is a JUnit file of ctest, or lines "passed NAME" and "failed NAME". A ctest test that is a cmocka program counts
as the tests in it, any other as one. cmocka writes its sums to standard error, where ctest keeps them. A program that
failed counts as one failure at least, whatever its own sums say (a leak, a crash).
Prints what failed and what was skipped; the last line is "N passed, N failed". Exit status 1 if anything failed or
nothing ran.
"""
import os
import re
import sys
import xml.etree.ElementTree as xml

SUM = re.compile(r"^\[  (PASSED|FAILED)  \] (\d+) test\(s\)", re.M)
# What XML cannot hold, e.g. the escapes of a coloured program; ctest writes it all the same.
UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_junit(text):
    """(name, passed, failed) of each test that ran, and the names of those that were skipped."""
    ran, skipped = [], []
    for case in xml.fromstring(UNFIT.sub("?", text)).iter("testcase"):
        name, status = case.get("name"), case.get("status")
        sums = {"PASSED": 0, "FAILED": 0}
        for kind, number in SUM.findall(case.findtext("system-out") or ""):
            sums[kind] += int(number)
        if status == "run":
            ran.append((name, sums["PASSED"] or 1, 0))
        elif status == "fail":
            ran.append((name, sums["PASSED"], max(sums["FAILED"], 1)))
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
