# SPDX-License-Identifier: LGPL-2.1-or-later
"""A collector that measures nothing: what stands before the script that a test of bench or probe writes.

The script has the words of the command line (devices, methods, blocks, depths, words) and says what a collector would.
Runs that do not measure are the real one's.
"""
import json
import os
import sys
import time

REAL, LOG = sys.argv.pop(1), sys.argv.pop(1)
words = sys.argv[1:]
if not any(word.startswith(("--measure", "--probe")) for word in words):
    os.execv(REAL, [REAL, *words])
with open(LOG, "a", encoding="utf-8") as log:
    log.write(json.dumps(words) + "\n")


def of(option):
    return [word.partition("=")[2] for word in words if word.startswith(option + "=")]


def listed(option):
    return [one for word in of(option) for one in word.split(",")]


devices, methods = of("--device") + of("--probe"), listed("--measure")
blocks, depths = [int(b) for b in listed("--block")], [int(d) for d in listed("--depth")]
random = "--random" in words


def send(**members):
    sys.stdout.write(json.dumps({"hbad-capture": 1, **members}) + "\0")
    sys.stdout.flush()


def at(device, method, block, cell=1, cells=1, depth=1, moved=0):
    send(at={"device": device, "cdb": "28 00 00 00 00 00 00 00 80 00", "method": method, "block": block, "depth": depth,
             "cell": cell, "cells": cells, "bytes": moved})


def measured(device, method, block, mb_per_s, **more):
    total = int(mb_per_s * 1000000)
    entry = {"device": device, "method": method, "block": block, "bytes": total, "us": 1000000, "cpu_us": 50000, "depth": 1,
             "commands": max(1, total // block), "median_us": 1000, "p99_us": 2000}
    entry.update(more)
    send(measures=[entry])


def end():
    send(end=True)


def cells():
    """All of them, with their number."""
    found = [(m, b, d) for m in methods for b in blocks for d in depths]
    return [(i + 1, len(found), m, b, d) for i, (m, b, d) in enumerate(found)]


def well(rate, only=None):
    """Measures all as it should; rate(device) MB/s."""
    for i, n, method, block, depth in cells():
        for device in only or devices:
            at(device, method, block, i, n, depth)
        for device in only or devices:
            more = {"together": len(devices), "idle_permille": 650} if len(devices) > 1 else {}
            if random:
                more["pattern"] = "random"
            measured(device, method, block, rate(device), depth=depth, **more)
    end()
