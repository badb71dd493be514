#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are a report's findings those that are expected? findings.py REPORT [CODE@NAME | !CODE[@NAME]]...

CODE@NAME must be among them: of that code, with that id or name of today among its subjects. What begins with "!"
must not be.
Warnings and what is worse must all be expected; infos need not be. What is not so is said, with status 1;
2 where the report is no JSON.
"""
import json
import sys


def is_of(finding, code, name):
    return finding["code"] == code and (not name or name in finding["names"] + finding["subjects"])


def complaints(report, expected):
    """What of the expectations is not so."""
    findings = report["findings"]
    wanted, unwanted = [], []
    for word in expected:
        code, _, name = word.removeprefix("!").partition("@")
        (unwanted if word.startswith("!") else wanted).append((code, name))
    for code, name in wanted:
        if not any(is_of(finding, code, name) for finding in findings):
            yield f"no {code} of {name}"
    for code, name in unwanted:
        if any(is_of(finding, code, name) for finding in findings):
            yield f"there is {code}" + (f" of {name}" if name else "")
    for finding in findings:
        if finding["severity"] != "info" and not any(is_of(finding, *one) for one in wanted):
            yield f"not expected: {finding['severity']} {finding['code']}: {finding['summary']}"


def main(path, expected):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        print(f"{path}: {error}")
        return 2
    found = list(complaints(report, expected))
    for text in found:
        print(f"{path}: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
