#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hbactl costs on a machine of 5,000 LUNs, next to lsscsi and to jansson's own loader.

  bench.py --programs BINDIR [--work DIR] [--pairs N] [--peers-only]

BINDIR holds hbactl and json_load (build/bin). The trees and captures are made in DIR where they are missing, and stay
there; without --work they are made in a temporary directory. Each comparison is run as pairs, ours and the peer's in
turn, so that what else the computer does meets both; the ratio is taken within each pair. Times and sizes are shown,
never judged: the exit status is 1 only where a command failed.

Peak memory is that of the largest process. It can not be seen below that of this interpreter, which the kernel counts
to the child until it has called execve; a line below the table says how much that is.
"""
import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import test_opens

GENERATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "generate.py")


class Measured:
    """One run of a command: user and system seconds of it and its children, wall seconds, peak MiB."""

    def __init__(self, command, statuses=(0,)):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        self.wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in statuses:
            raise test_opens.Failed("%s: exit status %d" % (" ".join(command), child.returncode))
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss / 1024


# -------------------------------------------------------------------------------------------------------------- input
def made(work, name, what, *options):
    """Path of an input, made first where it is missing, by a process of its own: what this one grows to is the floor
    of every peak."""
    path = os.path.join(work, name)
    if not os.path.exists(path):
        print("making %s" % path, file=sys.stderr)
        subprocess.run([sys.executable, GENERATE, what, path + ".new", *options], check=True)
        os.rename(path + ".new", path)
    return path


# -------------------------------------------------------------------------------------------------------------- table
class Comparison:
    """Two commands that are run in turn. goals: the most that a ratio, or our peak in MiB, should be."""

    def __init__(self, ours, peer, goals, statuses=(0,)):
        self.ours, self.peer, self.goals, self.statuses = ours, peer, goals, statuses

    def run(self, pairs):
        pair = lambda: (Measured(self.ours[1], self.statuses), Measured(self.peer[1], self.statuses))
        pair()     # not counted: it brings the input into the page cache
        runs = [pair() for _ in range(pairs)]
        print_runs(self.ours[0], [a for a, _ in runs], wanted(self.goals.get("MiB")))
        print_runs(self.peer[0], [b for _, b in runs])
        for what in ("cpu", "wall", "peak") if "peak" in self.goals else ("cpu", "wall"):
            ratios = sorted(getattr(a, what) / max(getattr(b, what), 1e-6) for a, b in runs)
            print("    %-44s %8.2f %8.2f %8.2f%s" % (
                "ratio of %s: min, median, max" % what, ratios[0], statistics.median(ratios), ratios[-1],
                wanted(self.goals.get(what))))


def wanted(most):
    return "  (wanted: at most %s)" % most if most else ""


def print_runs(name, runs, note=""):
    print("%-48s %8.3f %8.3f %8.1f%s" % (name, statistics.median(r.cpu for r in runs),
                                         statistics.median(r.wall for r in runs), max(r.peak for r in runs), note))


def comparisons(programs, work):
    hbactl = os.path.join(programs, "hbactl")
    status = (0, 1, 2)     # status says by these that something is at fault
    top = made(work, "tree-5000", "tree")
    one = made(work, "capture-5000.json", "capture")
    stream = made(work, "capture-5000.stream", "capture", "--stream")
    two = made(work, "capture-10000.json", "capture", "--luns", "10000")
    lsscsi = ("lsscsi -tL, 5,000 LUNs", ["lsscsi", "-tL", "--sysfsroot=" + os.path.abspath(top) + "/sys"])
    load = {path: ("json_load, %s" % luns, [os.path.join(programs, "json_load"), path])
            for path, luns in ((one, "5,000 LUNs"), (two, "10,000 LUNs"))}
    show = {path: ("hbactl --capture, %s" % what, [hbactl, "--capture", path])
            for path, what in ((one, "5,000 LUNs"), (stream, "5,000 LUNs as a stream"), (two, "10,000 LUNs"))}
    report = {path: ("hbactl report --json, %s" % luns, [hbactl, "--capture", path, "report", "--json"])
              for path, luns in ((one, "5,000 LUNs"), (two, "10,000 LUNs"))}
    page = {path: ("hbactl report --html, %s" % luns, [hbactl, "--capture", path, "report", "--html", "/dev/null"])
            for path, luns in ((one, "5,000 LUNs"), (two, "10,000 LUNs"))}
    like_peer, doubled = {"cpu": 1.0, "MiB": 64}, {"cpu": 2.2, "peak": 2.2}
    return [
        Comparison(("hbactl list devices, 5,000 LUNs", test_opens.list_devices(hbactl, top)), lsscsi, {"cpu": 1.0}),
        Comparison(show[one], load[one], like_peer, status),
        Comparison(show[stream], load[one], like_peer, status),
        Comparison(report[one], load[one], like_peer),
        Comparison(show[two], show[one], doubled, status),
        Comparison(report[two], report[one], doubled),
        Comparison(page[one], report[one], {"cpu": 1.25, "peak": 1.25}),
        Comparison(page[two], page[one], doubled),
    ], [lsscsi, load[one], load[two]]


def print_opens(programs, peers_only):
    if not test_opens.can_trace():
        print("opens a LUN: strace cannot be used here")
        return
    tools = [("lsscsi -tL", lambda top: ["lsscsi", "-tL", "--sysfsroot=" + top + "/sys"])]
    if not peers_only:
        hbactl = os.path.join(programs, "hbactl")
        tools.insert(0, ("hbactl list devices", lambda top: test_opens.list_devices(hbactl, top)))
    for name, command in tools:
        with tempfile.TemporaryDirectory(prefix="hbad-opens-") as work:
            print("opens a LUN, %-35s %8.2f" % (name, test_opens.opens_per_lun(command, work)))


def print_machine():
    floor = Measured(["true"]).peak
    print("%d cores, Linux %s %s, Python %s, %s; peaks below %.0f MiB cannot be seen" % (
        os.cpu_count(), platform.release(), platform.machine(), platform.python_version(), time.strftime("%Y-%m-%d"),
        floor))


def bench(args, work):
    rows, peers = comparisons(args.programs, work)
    print("%-48s %8s %8s %8s" % ("median of %d runs" % args.pairs, "user+sys", "wall s", "peak MiB"))
    if args.peers_only:
        for name, command in peers:
            print_runs(name, [Measured(command) for _ in range(args.pairs)])
    else:
        for row in rows:
            row.run(args.pairs)
    print_machine()
    print_opens(args.programs, args.peers_only)


def main():
    parser = argparse.ArgumentParser(description="What hbactl costs on a machine of 5,000 LUNs.")
    parser.add_argument("--programs", required=True, metavar="BINDIR", help="where hbactl and json_load are")
    parser.add_argument("--work", metavar="DIR", help="where trees and captures are kept")
    parser.add_argument("--pairs", type=int, default=11, help="runs of each command (default: 11)")
    parser.add_argument("--peers-only", action="store_true", help="measure lsscsi and json_load alone")
    args = parser.parse_args()
    if args.pairs < 1:
        parser.error("--pairs must be at least 1")
    try:
        if args.work:
            os.makedirs(args.work, exist_ok=True)
            bench(args, args.work)
        else:
            with tempfile.TemporaryDirectory(prefix="hbad-bench-") as work:
                bench(args, work)
    except (test_opens.Failed, subprocess.CalledProcessError, OSError) as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
