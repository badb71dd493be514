#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is a fragment in a report? fragment.py REPORT <FRAGMENT

An object of the fragment is there if each of its members is; an array, if each of its elements is the like of an
element, in any order, each of another; anything else, if it is equal. What is missing is named with its place.
Exit status 0 it is there, 1 it is not, 2 one of both is no JSON.
"""
import json
import sys


def missing(fragment, whole, place="report"):
    """What of the fragment the whole lacks: an empty list, or the places of the best attempt."""
    if isinstance(fragment, dict) and isinstance(whole, dict):
        absent = ["%s has no %s" % (place, name) for name in fragment if name not in whole]
        return absent + [text for name in fragment if name in whole
                         for text in missing(fragment[name], whole[name], place + "." + name)]
    if isinstance(fragment, list) and isinstance(whole, list):
        left, absent = list(whole), []
        for number, wanted in enumerate(fragment):
            attempts = [missing(wanted, item, "%s[%d]" % (place, number)) for item in left]
            best = min(attempts, key=len, default=["%s has too few elements" % place])
            if best:
                absent += best
            else:
                left.pop(attempts.index([]))
        return absent
    if fragment != whole or isinstance(fragment, bool) != isinstance(whole, bool):
        return ["%s is %s, not %s" % (place, json.dumps(whole)[:200], json.dumps(fragment))]
    return []


def main(path):
    try:
        with open(path, encoding="utf-8") as file:
            whole = json.load(file)
        fragment = json.load(sys.stdin)
    except (OSError, ValueError) as error:
        print("%s: %s" % (path, error))
        return 2
    absent = missing(fragment, whole)
    for text in absent:
        print(text)
    return 1 if absent else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
