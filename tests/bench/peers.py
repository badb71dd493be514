#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbad's timed reads beside sg_dd, sgm_dd, sg_rbuf, dd, fio and hdparm, in one virtual machine.

  peers.py --programs BINDIR [--out DIR]     runs the lab's scenario bench-peers, a quarter of an hour
  peers.py --results DIR                     prints the table of one that was run

Each row is a method and a block size on one kind of disk: scsi_debug (memory behind Linux's own driver) or the lab's
simulator without a limit. Ours and the peer's are run in turn with the same bytes and block size, and the ratios are
taken within each pair: least, median, most. Throughput is by each program's own clock. Processor time is that of the
process and its threads by its cgroup, less that of a run with one block; of fio, what it says itself; of hdparm all. A
"!" marks a median that falls short of the goals (README.md). Nothing is judged: the exit status is the lab's.
"""
import argparse
import collections
import pathlib
import statistics
import subprocess
import sys
import tempfile

LAB = pathlib.Path(__file__).resolve().parent.parent / "lab" / "lab"
LEAST_THROUGHPUT, MOST_CPU = 0.98, 1.0

Run = collections.namedtuple("Run", "bytes cpu us wall")


def runs(path):
    """(target, peer, method, block, depth) -> round -> who -> Run, in the file's order."""
    table = {}
    for line in path.read_text().splitlines():
        *what, turn, who, total, cpu, us, wall = line.split()
        run = Run(int(total), int(cpu), int(us), int(wall))
        table.setdefault(tuple(what), {}).setdefault(turn, {})[who] = run
    return table


def spread(values):
    return f"{min(values):.2f} {statistics.median(values):.2f} {max(values):.2f}"


def row(what, rounds):
    target, peer, method, block, depth = what
    pairs = [(both["hbad"], both[peer]) for both in rounds.values() if "hbad" in both and peer in both]
    rate = lambda who: statistics.median(both[who].bytes / both[who].us for both in rounds.values() if who in both)
    cost = lambda who: statistics.median(both[who].cpu * 1e3 / both[who].bytes for both in rounds.values() if who in both)
    cells = [target, method, block, depth, peer, f"{rate(peer):.1f}", f"{cost(peer):.2f}"]
    if pairs:
        faster = [ours.bytes / ours.us / (theirs.bytes / theirs.us) for ours, theirs in pairs]
        dearer = [ours.cpu / ours.bytes / (max(theirs.cpu, 1) / theirs.bytes) for ours, theirs in pairs]
        short = statistics.median(faster) < LEAST_THROUGHPUT, statistics.median(dearer) > MOST_CPU
        cells += [f"{rate('hbad'):.1f}", f"{cost('hbad'):.2f}", spread(faster) + " !" * short[0],
                  spread(dearer) + " !" * short[1]]
    return cells + [""] * (11 - len(cells))


def show(path):
    heads = ["disk", "method", "block", "depth", "peer", "its MB/s", "its CPU ms/MB", "MB/s", "CPU ms/MB",
             "throughput, ratio", "CPU a MB, ratio"]
    table = [heads, ["---"] * len(heads)] + [row(what, rounds) for what, rounds in runs(path).items()]
    for cells in table:
        print("| " + " | ".join(map(str, cells)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", help="folder of built programs, such as build-release/bin")
    parser.add_argument("--out", help="where the lab's results go")
    parser.add_argument("--results", help="a folder of results: nothing is run")
    options = parser.parse_args()
    if options.results:
        show(pathlib.Path(options.results) / "pairs")
        return 0
    if not options.programs:
        parser.error("--programs or --results")
    with tempfile.TemporaryDirectory() as work:
        out = options.out or work
        status = subprocess.run([LAB, "run", "--programs", options.programs, "--out", out, "bench-peers"]).returncode
        if status == 0:
            show(pathlib.Path(out) / "bench-peers" / "pairs")
        return status


if __name__ == "__main__":
    sys.exit(main())
