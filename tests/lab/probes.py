#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hbactl probe or bench said of each device, against what a scenario expects.

usage: probes.py RESULTS NAME [DEVICE=WHAT]...

RESULTS/NAME.json is what it said, RESULTS/addresses has a line "DEVICE H:C:T:L" for each device. WHAT is "reads": it was
read, undisturbed; or a part of the reason why that is not so. A device that is not named must not have been read.
"""
import json
import pathlib
import sys


def outcomes(text):
    """H:C:T:L -> "reads", or error and reason of what was last tried."""
    found = {}
    for device in json.loads(text)["devices"]:
        for m in device["measures"]:
            why = " ".join(m[key] for key in ("error", "disturbed") if key in m)
            found[device["hctl"]] = why or ("reads" if m["bytes"] else "nothing came")
    return found


def complaints(found, addresses, expected):
    for name, what in expected.items():
        was = found.get(addresses[name], "not mentioned")
        if was != what if what == "reads" else what not in was:
            yield f"{name}: {was}; expected: {what}"
    for name, address in addresses.items():
        if name not in expected and found.get(address) == "reads":
            yield f"{name} was read"


def main(results, name, *expected):
    results = pathlib.Path(results)
    addresses = dict(line.split() for line in (results / "addresses").read_text().splitlines())
    found = outcomes((results / (name + ".json")).read_text())
    wrong = list(complaints(found, addresses, dict(word.split("=", 1) for word in expected)))
    print(*(f"{name}: {line}" for line in wrong), sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
