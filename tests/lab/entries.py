#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are the journal's entries of findings those that are expected? entries.py ENTRIES CATALOG [[?]CHANGE:CODE@NAME]...

ENTRIES are what journalctl --output=json prints; CATALOG is the text that is installed of what they mean. Each expected
one must be there exactly once (given twice: twice; with "?": at most so often), NAME being an id or a name of today, and there must be no other:
only infos may come besides. A finding is over after it was raised; each entry has the catalog's MESSAGE_ID and a
priority by its severity. What is not so is said, with status 1; 2 where a file cannot be read.
"""
import json
import re
import sys

PRIORITIES = {"critical": "2", "warning": "4", "info": "6"}
OVER = "5"


def ids(catalog):
    """The message ids by code."""
    return {code: name for name, code in re.findall(r"(?m)^-- ([0-9a-f]{32})\nSubject: ([\w-]+):", catalog)}


def is_of(entry, word):
    change, _, rest = word.partition(":")
    code, _, name = rest.partition("@")
    return (entry["HBAD_CHANGE"], entry["HBAD_CODE"]) == (change, code) and \
        name in entry["HBAD_NAMES"].split() + entry["HBAD_SUBJECTS"].split()


def malformed(entries, known):
    """What an entry by itself is lacking, and what is over that never was."""
    raised = set()
    for entry in entries:
        text = "%s %s: %s" % (entry["HBAD_CHANGE"], entry["HBAD_CODE"], entry["MESSAGE"])
        of = (entry["HBAD_CODE"], entry["HBAD_SUBJECTS"].split()[:1] and entry["HBAD_SUBJECTS"].split()[0])
        is_over = entry["HBAD_CHANGE"] == "cleared"
        if entry["MESSAGE_ID"] != known.get(entry["HBAD_CODE"]):
            yield "not the message id of its code: " + text
        if entry["PRIORITY"] != (OVER if is_over else PRIORITIES[entry["HBAD_SEVERITY"]]):
            yield "priority %s: %s" % (entry["PRIORITY"], text)
        if is_over and of not in raised:
            yield "never raised: " + text
        (raised.discard if is_over else raised.add)(of)


def complaints(entries, known, expected):
    """What is not as it is expected."""
    yield from malformed(entries, known)
    left = [entry for entry in entries if entry["HBAD_SEVERITY"] != "info"]
    infos = [entry for entry in entries if entry["HBAD_SEVERITY"] == "info"]
    for word in expected:
        for among in (left, infos):
            found = next((entry for entry in among if is_of(entry, word.removeprefix("?"))), None)
            if found:
                among.remove(found)
                break
        else:
            if not word.startswith("?"):
                yield "no " + word
    for entry in left:
        yield "not expected: %s:%s@%s: %s" % (entry["HBAD_CHANGE"], entry["HBAD_CODE"], entry["HBAD_NAMES"], entry["MESSAGE"])


def main(path, catalog, *expected):
    try:
        with open(path, encoding="utf-8") as file:
            entries = [json.loads(line) for line in file]
        with open(catalog, encoding="utf-8") as file:
            known = ids(file.read())
    except (OSError, ValueError) as error:
        print(error)
        return 2
    found = list(complaints(entries, known, expected))
    for text in found:
        print("%s: %s" % (path, text))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
