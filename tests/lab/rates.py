#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hbad measured of simulated links, against what they carry, with the simulator's ledger as the judge.

usage: rates.py RESULTS

RESULTS/cells has a line "NAME LINK METHOD PAYLOAD" for each measurement: PAYLOAD in bytes/s is what the link carried,
or "free" where nothing but the processor limited it. RESULTS/NAME is what hbad-collect said, and each of
RESULTS/NAME.ledger-DEVICE what a device received meanwhile. A method counts where it moves twice the payload when it is
free; what counts must be within a tenth of the payload, by hbad and by the ledger. Several devices share it.
"""
import json
import pathlib
import sys

READS = {"28", "88", "3c"}  # READ(10), READ(16), READ BUFFER
MOST_OFF = 0.10
FREE_TIMES = 2
LEAST_SHARE = 0.5  # of the share of the one with the most: who was read alone for a while would have a multiple


def ledger_span(text):
    """(bytes, first start, last end) of the reads of a ledger; None where it has none."""
    total, first, last = 0, None, 0.0
    for line in text.splitlines():
        words = line.split()
        if len(words) < 6 or words[5] not in READS or (words[5] == "3c" and words[6] != "02"):
            continue
        start, took = float(words[1]), float(words[2])
        first = start if first is None else min(first, start)
        last = max(last, start + took)
        total += int(words[4])
    return None if first is None else (total, first, last)


def ledger_rate(texts):
    """Bytes/s of all of them together, by the simulator's clock."""
    spans = [span for span in map(ledger_span, texts) if span]
    if not spans:
        return None
    return sum(s[0] for s in spans) / (max(s[2] for s in spans) - min(s[1] for s in spans))


def measures(stream):
    """The measures of hbad-collect's stream: objects, each followed by a NUL."""
    return [m for part in stream.split("\0") if part.strip() for m in json.loads(part).get("measures", [])]


def hbad_rate(found):
    """(bytes/s, None), or (None, why not)."""
    bad = [m.get("error") or m["disturbed"] for m in found if "error" in m or "disturbed" in m]
    if bad or not found:
        return None, bad[0] if bad else "measured nothing"
    shares = [m["bytes"] / m["us"] for m in found]
    if min(shares) < LEAST_SHARE * max(shares):
        return None, "those who share have %.3f to %.3f MB/s" % (min(shares), max(shares))
    return sum(m["bytes"] for m in found) * 1e6 / max(m["us"] for m in found), None


def cells(results):
    for line in (results / "cells").read_text().splitlines():
        name, link, method, payload = line.split()
        rate, why = hbad_rate(measures((results / name).read_text()))
        ledger = ledger_rate(path.read_text() for path in sorted(results.glob(name + ".ledger-*")))
        yield link, method, None if payload == "free" else float(payload), rate, ledger, why


def judge(payload, rate, ledger, free):
    """None, or what is wrong."""
    if free is None or free < FREE_TIMES * payload:
        return None  # this machine is too slow for it
    for who, value in ("hbad", rate), ("the simulator", ledger):
        if abs(value - payload) > MOST_OFF * payload:
            return f"{who} has it {value / payload - 1:+.1%}"
    return None


def main(directory):
    table = list(cells(pathlib.Path(directory)))
    free = {method: rate for _, method, payload, rate, _, _ in table if payload is None}
    wrong = counted = 0
    for link, method, payload, rate, ledger, why in table:
        if not why and ledger is None:
            why = "the device received nothing"
        if not why and payload:
            why = judge(payload, rate, ledger, free.get(method))
            counted += free.get(method, 0) >= FREE_TIMES * payload
        wrong += bool(why)
        shown = " ".join(f"{v / 1e6:9.3f}" if v else f"{'-':>9}" for v in (payload, rate, ledger, free.get(method)))
        print(f"{link:<12} {method:<26} {shown}  {why or ''}".rstrip())
    print(f"MB/s: carried, hbad, the simulator's clock, without a limit; {counted} count, {wrong} wrong")
    return 1 if wrong or not counted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
