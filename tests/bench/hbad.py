#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hbad costs on a large machine: hbad.py PROGRAMS [LUNS]

Starts it on a generated tree, then runs it on such a capture, and prints how long that takes until it is ready, and answers, what it keeps in memory, alone and with 500
subscribers, and how long one judging takes, in which nobody is answered. Judges nothing.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(1, os.path.join(TESTS, "daemon"))
import daemon  # noqa: E402
from daemon import OURS  # noqa: E402

TIMES, SUBSCRIBERS = 31, 500


def timed(d, method):
    """Milliseconds to the first byte and to the end of an answer, and its length."""
    client = d.client()
    begin = time.monotonic()
    client.call(OURS + method)
    answer = client.socket.recv(1 << 20)
    first = time.monotonic() - begin
    while not answer.endswith(b"\0"):
        answer += client.socket.recv(1 << 20)
    whole = time.monotonic() - begin
    client.close()
    return first * 1e3, whole * 1e3, len(answer)


def whole(d, *arguments):
    """Milliseconds that hbactl takes from its start to its end."""
    begin = time.monotonic()
    subprocess.run([os.path.join(daemon.PROGRAMS, "hbactl"), "--socket", d.path, *arguments], stdout=subprocess.DEVNULL,
                   check=False)  # its status is that of the machine
    return (time.monotonic() - begin) * 1e3


def starting(*arguments):
    """Milliseconds from hbad's start to its word that it is ready."""
    begin = time.monotonic()
    d = daemon.Daemon(arguments=arguments).ready()
    ready = time.monotonic() - begin
    d.stop()
    return ready * 1e3


def resident(d):
    with open("/proc/%d/status" % d.process.pid, encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file)
    return {name: int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")}


def main(luns="1000"):
    with tempfile.TemporaryDirectory() as folder:
        capture = os.path.join(folder, "capture.json")
        tree = os.path.join(folder, "tree")
        for words in (["capture", capture], ["tree", tree]):
            subprocess.run([sys.executable, os.path.join(TESTS, "bench/generate.py"), *words, "--luns", luns, "--luns-per-target", "1"],
                           check=True)
        print("from start to READY, reading a tree: %.0f ms (median of 11)" % statistics.median(
            starting("--sysfs-root", tree, "--collector", os.path.join(daemon.PROGRAMS, "hbad-collect")) for _ in range(11)))
        d = daemon.Daemon([capture]).ready()
        print("summary", d.report()["summary"])
        answers = [timed(d, "GetReport") for _ in range(TIMES)]
        print("GetReport, %d bytes: first byte after %.1f ms, the last after %.1f ms (medians of %d)" % (
            answers[0][2], *(statistics.median(a[i] for a in answers) for i in (0, 1)), TIMES))
        for arguments in (["status"], ["show", "sda"], ["status", "--service"], ["report", "--json=pretty"]):
            print("hbactl %s: %.1f ms (median of %d)" % (
                " ".join(arguments), statistics.median(whole(d, *arguments) for _ in range(TIMES)), TIMES))
        print("judging and telling: %.0f ms (median of 5)" % statistics.median(timed(d, "Refresh")[1] for _ in range(5)))
        print("resident: %(VmRSS).1f MiB, at most %(VmHWM).1f MiB" % resident(d))
        clients = [d.client() for _ in range(SUBSCRIBERS)]
        for client in clients:
            client.call(OURS + "Monitor", more=True)
        while d.ask(OURS + "GetStatus")["parameters"]["subscribers"] < SUBSCRIBERS:
            time.sleep(0.1)
        print("with %d subscribers that do not read: %.1f MiB" % (SUBSCRIBERS, resident(d)["VmRSS"]))
        d.stop()


if __name__ == "__main__":
    main(*sys.argv[2:])
