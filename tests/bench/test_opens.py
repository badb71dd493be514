#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does listing devices open at most 12 files and directories a LUN?

  test_opens.py HBACTL

Counts every open of `hbactl --sysfs-root DIR list devices` and its children, refused ones too, on trees of 100 and of
200 LUNs. What is opened once a run, or once a host or phy that both trees have, drops out of the difference. lsscsi
-tL opens 19 a LUN. Exit status: 0 within the limit, 1 not or a command failed, 77 strace cannot be used here.
"""
import os
import re
import subprocess
import sys
import tempfile

from generate import Tree
from machine import BAYS, machine, sd_name

LIMIT = 12
SMALL, LARGE = 100, 200
CALL = re.compile(rb"^(?:\d+ +)?(?:open|openat|openat2)\(", re.M)


class Failed(Exception):
    """A command did not do what it should; the text says which and how."""


def can_trace():
    try:
        return subprocess.run(["strace", "-o", os.devnull, "true"], stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        return False


def count_opens(command, work):
    """(opens, output) of a command and its children."""
    trace = os.path.join(work, "trace")
    run = subprocess.run(["strace", "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", trace] + command,
                         stdout=subprocess.PIPE)
    if run.returncode:
        raise Failed("%s: exit status %d" % (" ".join(command), run.returncode))
    with open(trace, "rb") as file:
        return len(CALL.findall(file.read())), run.stdout.decode()


def list_devices(hbactl, top):
    return [hbactl, "--sysfs-root", top, "list", "devices"]


def opens_per_lun(command, work):
    """Opens a LUN of command(top), from the difference of two trees with equal hosts and phys. Each disk must be in
    the output, by the name of its node or, where a tool looks for that in /dev, by its address."""
    opens = {}
    for luns in SMALL, LARGE:
        top = os.path.join(work, "opens-%d" % luns)
        Tree(top).write(machine(luns, luns // BAYS, BAYS))
        opens[luns], output = count_opens(command(top), work)
        words = set(re.findall(r"[\w:]+", output))
        for index in range(luns):
            names = {sd_name(index), "0:0:%d:%d" % divmod(index, luns // BAYS)}
            if not names & words:
                raise Failed("%s: %s is not listed" % (" ".join(command(top)), " or ".join(sorted(names))))
    return (opens[LARGE] - opens[SMALL]) / (LARGE - SMALL)


def main(argv):
    if len(argv) != 2:
        print("usage: test_opens.py HBACTL", file=sys.stderr)
        return 64
    if not can_trace():
        print("strace cannot be used here", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="hbad-opens-") as work:
        try:
            opens = opens_per_lun(lambda top: list_devices(argv[1], top), work)
        except Failed as failure:
            print(failure, file=sys.stderr)
            return 1
    print("%.2f opens a LUN, at most %d wanted" % (opens, LIMIT))
    return 0 if opens <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
