#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every vector: NAME.hex decoded must read as "expect" in NAME.json says.

usage: check.py PRINT_READING VECTORS     exit 1 where anything that is expected was not read
"""
import json
import pathlib
import subprocess
import sys

# What sdparm prints and no decoder of ours reads: power conditions, zoning and the like of the far
# end, and arbitration details. They say nothing about a link's rate.
NOT_READ = {"APERCAP", "APOWCAP", "ASLCAP", "APACAP", "AIZPER", "AREQIZ", "ABRCAP", "AAPTACAP",
            "ASMPPCAP", "APOWDCAP", "CAWT", "BAE", "RTOL", "MAXR", "PMCDT", "EN_SL", "EN_PA", "HMS"}


def differences(where, expect, got):
    """Lines that say what is expected and was not read so; more may have been read."""
    if isinstance(expect, dict) and isinstance(got, dict):
        for key, value in expect.items():
            if key.split(".")[0] not in NOT_READ:
                yield from differences(f"{where}.{key}", value, got.get(key, "nothing"))
    elif isinstance(expect, list) and isinstance(got, list) and len(expect) == len(got):
        for n, (a, b) in enumerate(zip(expect, got)):
            yield from differences(f"{where}[{n}]", a, b)
    elif expect != got:
        yield f"{where}: expected {expect!r}, read {got!r}"


def vectors(folder):
    """(path, vector) of all but the texts of sysfs, which are for the layer that reads texts."""
    for path in sorted(folder.glob("*/*.json")):
        vector = json.loads(path.read_text(encoding="utf-8"))
        if vector["decoder"] != "sysfs":
            yield path, vector


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    todo = list(vectors(pathlib.Path(sys.argv[2])))
    lines = [f"{vector['decoder']} "
             f"{bytes.fromhex(path.with_suffix('.hex').read_text(encoding='ascii')).hex()}\n"
             for path, vector in todo]
    done = subprocess.run([sys.argv[1]], input="".join(lines), capture_output=True, text=True,
                          check=False)
    sys.stderr.write(done.stderr)
    got = [json.loads(line) for line in done.stdout.splitlines()]
    failures = [line for (path, vector), reading in zip(todo, got)
                for line in differences(f"{path.parent.name}/{path.stem}", vector["expect"], reading)]
    for line in failures:
        print(line)
    print(f"{len(got)} of {len(todo)} vectors read, {len(failures)} differences")
    return bool(failures) or not todo or len(got) != len(todo) or done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
