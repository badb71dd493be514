#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a quiet round of the watcher costs on a large machine: watch.py PROGRAMS [LUNS]

hbad runs on a generated tree that takes the place of /sys (as root, in a mount namespace; else as a copied tree, of which every
file is opened each time) and on which nothing happens. Prints the processor time and the wake-ups of hbad and its
watcher for a round of states, and for a round of counters. Files of a tree in memory are read as fast as those of sysfs; what
a driver does on top is its own. Judges nothing.
"""
import os
import subprocess
import sys
import tempfile
import time

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(1, os.path.join(TESTS, "daemon"))
import daemon  # noqa: E402
from daemon import OURS  # noqa: E402

sys.path.insert(1, os.path.join(TESTS, "ctl"))
sys.argv.insert(1, daemon.PROGRAMS)
from machines import in_namespace, namespaces_work  # noqa: E402 (takes its argument away)

ROUNDS, ROUND_S = 20, 1


def processes(d):
    with open("/proc/%d/task/%d/children" % (d.process.pid, d.process.pid), encoding="ascii") as file:
        children = file.read().split()
    return [str(d.process.pid)] + [c for c in children if b"--watch" in open("/proc/%s/cmdline" % c, "rb").read()]


def cost(pids):
    """Milliseconds of processor time, and how often it was woken, of each."""
    found = []
    for pid in pids:
        with open("/proc/%s/schedstat" % pid, encoding="ascii") as file:
            ms = int(file.read().split()[0]) / 1e6
        with open("/proc/%s/status" % pid, encoding="ascii") as file:
            fields = dict(line.rstrip("\n").split(":\t", 1) for line in file)
        found.append((ms, int(fields["voluntary_ctxt_switches"]), fields["VmRSS"].strip()))
    return found


def watcher(d):
    return d.ask(OURS + "GetStatus")["parameters"]["watcher"]


def measure(root, what, config, rounds, round_s):
    arguments, before = [], []
    if namespaces_work():
        before = in_namespace("mount --bind %s/sys /sys" % root)
    else:
        arguments = ["--sysfs-root", root]
    d = daemon.Daemon(config="[daemon]\n" + config, arguments=arguments, before=before).ready()
    adapters = len(d.ask(OURS + "GetStatus")["parameters"]["adapters"])
    while watcher(d)["rounds"] < adapters + 2 or watcher(d)["unwatched"]:  # each began with one
        time.sleep(0.2)
    links, pids, was = d.report()["summary"]["links"], processes(d), watcher(d)
    began, runs = time.monotonic(), cost(pids)
    time.sleep(rounds * round_s)  # and nobody asks it anything
    ended, now = cost(pids), watcher(d)
    n, seconds = now["rounds"] - was["rounds"], time.monotonic() - began
    print("%s: %d links, %d files; %d reads and %d costly ones a round, of %d in %.0f s" % (
        what, links, now["files"], (now["reads"] - was["reads"]) // n, (now["costly"] - was["costly"]) // n, n, seconds))
    for name, old, new in zip(("hbad", "watcher"), runs, ended):
        print("  %-8s %6.2f ms and %5.1f wake-ups a round, %s" % (name, (new[0] - old[0]) / n, (new[1] - old[1]) / n, new[2]))
    d.stop()


def main(luns="580"):
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as root:
        subprocess.run([sys.executable, os.path.join(TESTS, "bench/generate.py"), "tree", root, "--luns", luns,
                        "--luns-per-target", "1"], check=True)
        measure(root, "states", "watch = %ds\ncounters = 1h\n" % ROUND_S, ROUNDS, ROUND_S)
        measure(root, "states and counters", "watch = %ds\ncounters = %ds\ncostly_reads = 10000000\n" % (5 * ROUND_S, 5 * ROUND_S), 4, 5 * ROUND_S)


if __name__ == "__main__":
    main(*sys.argv[2:])
