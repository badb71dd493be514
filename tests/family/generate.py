#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machines as captures, made from a seed: healthy ones (family H), and ones with exactly one fault (family F).

  generate.py --family H|F --seed N --index I --out DIR      writes DIR/1.json …, and DIR/expect.json
  generate.py --list                                         the faults

The same family, seed and index give the same machine. What is healthy and what a fault looks like follows the kernel's
formats and the rules for reading the model; nothing here knows how the program decides.
"""
import argparse
import json
import os
import random
import sys

import ata
import fc
import hidden
import net
import sas
import sas_faults
import slots
import spi
import usb
from adapter import Ids
from tree import Kernel, Tree

TRANSPORTS = [spi, sas, ata, fc, usb, net, hidden]
FAULTS = [f for t in (spi, sas_faults, ata, fc, usb, net, hidden, slots) for f in t.FAULTS]
START_US = 1772000000000000
HOUR_US = 3600 * 1000000


class Story:
    """A machine at several times: name of what was made, captures, and the fault or None."""

    def __init__(self, name, captures, fault):
        self.name, self.captures, self.fault = name, captures, fault

    def expect(self):
        if not self.fault:
            return {"verdicts": {"below": 0}, "no_findings": [{"code": "*", "on": "*", "severity": "warning|critical"}]}
        return {"findings": [{"code": self.fault.code, "on": self.fault.on, "severity": self.fault.severity}], "others": "none above info"}


def kernel_for(rng, adapters):
    common = None
    for a in adapters:
        if a.kernels:
            common = [k for k in a.kernels if common is None or k in common]
    if common == []:
        return None
    return Kernel(rng.choice(common or ["6.1.0-37-amd64", "5.10.0-33-amd64"]))


def healthy_adapters(rng, ids, count, kernels=None):
    """So many adapters that one kernel can have together."""
    result, tries = [], 0
    while len(result) < count and tries < 40:
        tries += 1
        a = rng.choice(TRANSPORTS).healthy(rng, ids)
        others = [b.kernels for b in result] + [kernels]
        common = set(a.kernels or ()) or None
        for k in others:
            if k:
                common = set(k) if common is None else common & set(k)
        if common is None or common:
            result.append(a)
    return result


def render(kernel, pages, adapters, wall_us, mono_us):
    tree = Tree(kernel, pages)
    for a in adapters:
        if a:
            a.render(tree)
    return tree.capture(wall_us, mono_us)


def keep_classes(captures):
    """A class stays when its last object went: its module is still loaded."""
    classes = {}
    for c in captures:
        classes.update({path: {} for path in c["dirs"] if path.startswith("/sys/class/")})
        c["dirs"] = {**classes, **c["dirs"]}
    return captures


def measure(rng, adapters, best):
    """Short reads: they vary, one may even be far too slow, but none is so twice."""
    for device in [d for a in adapters for d in a.devices() if d.kind == 0 and not d.removable]:
        known = best.setdefault(device.serial, [rng.uniform(1.5, 4.5), False])     # less than any link carries
        share = rng.uniform(0.3, 1.0)
        if not known[1] and rng.random() < 0.05:
            known[1], share = True, 0.1
        device.measures = [("read-media/sg", 65536, known[0] * share)]


def healthy_story(seed, index):
    rng = random.Random("H/%d/%d" % (seed, index))
    ids = Ids(rng)
    adapters = healthy_adapters(rng, ids, rng.randrange(1, 5))
    kernel, pages = kernel_for(rng, adapters), rng.choice(["all", "all", "denied", "none"])
    wall, mono = START_US, rng.randrange(10, 100000) * 60 * 1000000
    times, best = rng.choice([0, 0, 1, 1, 2, 4]), {}
    if rng.random() < 0.3:
        measure(rng, adapters, best)
    captures = [render(kernel, pages, adapters, wall, mono)]
    for _ in range(times):
        hours = rng.choice([0.2, 1, 6, 24, 24 * 30])
        adapters = [a.copy() for a in adapters]
        wall, mono = wall + int(hours * HOUR_US), mono + int(hours * HOUR_US)
        if rng.random() < 0.05:
            wall -= 2 * HOUR_US                  # somebody set the clock
        if rng.random() < 0.2:                   # this time with other rights
            pages = rng.choice(["all", "denied", "none"])
        for a in adapters:
            a.evolve(rng, hours)
            a.count(rng, hours)
        if best:
            measure(rng, adapters, best)
        if hours >= 1 and rng.random() < 0.25:
            mono = 600 * 1000000
            if rng.random() < 0.3:
                kernel = kernel_for(rng, adapters)
            shift = rng.randrange(0, 3)
            for a in adapters:
                a.reboot()
                a.renumber(shift)
        captures.append(render(kernel, pages, adapters, wall, mono))
    return Story("+".join(type(a).__name__.lower() for a in adapters), keep_classes(captures), None)


def fault_story(seed, index):
    rng = random.Random("F/%d/%d" % (seed, index))
    ids = Ids(rng)
    make = FAULTS[index % len(FAULTS)]
    fault = make(rng, ids)
    victim = fault.states[-1][1] or fault.states[0][1]
    if len(fault.states) == 1 and rng.random() < 0.3:
        fault.states.insert(0, (rng.choice([1, 24]), victim.copy()))     # it was so already
    others = healthy_adapters(rng, ids, rng.randrange(0, 3), victim.kernels)
    kernel = kernel_for(rng, [victim] + others)
    pages = fault.pages or rng.choice(["all", "denied", "none"])
    place = rng.randrange(len(others) + 1)
    now = START_US + 1000 * HOUR_US
    mono = rng.randrange(2000, 100000) * HOUR_US
    captures, last = [], None
    boots = fault.persists and len(fault.states) > 1 and rng.random() < 0.5
    if boots:                                    # the hosts were found in another order before
        shift = rng.randrange(1, 4)
        for a in [s for _, s in fault.states[:-1]] + others:
            a.renumber(shift)
    for hours, state in fault.states:
        if last is not None:
            others = [a.copy() for a in others]
            for a in others:
                a.evolve(rng, last - hours)
                a.count(rng, last - hours)
                if boots and hours == 0:
                    a.reboot()
                    a.renumber(-shift)
        last = hours
        back = int(hours * HOUR_US)
        captures.append(render(kernel, pages, others[:place] + [state] + others[place:], now - back, mono - back if not boots else 10**9 if hours == 0 else mono))
    return Story("%s.%s" % (make.__module__, make.__name__), keep_classes(captures), fault)


def story(family, seed, index):
    return healthy_story(seed, index) if family == "H" else fault_story(seed, index)


def write(s, out):
    os.makedirs(out, exist_ok=True)
    files = []
    for i, capture in enumerate(s.captures):
        files.append(os.path.join(out, "%d.json" % (i + 1)))
        with open(files[-1], "w") as fp:
            json.dump(capture, fp)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", choices="HF", default="H")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--index", type=int, default=0)
    parser.add_argument("--out")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        for f in FAULTS:
            print("%s.%s  %s" % (f.__module__, f.__name__, (f.__doc__ or "").strip().split("\n")[0]))
        return 0
    if not args.out:
        parser.error("--out is missing")
    s = story(args.family, args.seed, args.index)
    for path in write(s, args.out):
        print(path)
    with open(os.path.join(args.out, "expect.json"), "w") as fp:
        json.dump(s.expect(), fp, indent=2)
    print(s.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
