#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How often a report alarms for nothing, and how often it finds what is there.

  measure.py --run 'hbactl {capture_args} report --json' [--seed N] [--count N] [--family H|F] [--jobs N] [--keep DIR]
  measure.py --lint [--seed N] [--count N]      are the captures that are made well formed?

Family H: healthy machines; none may have a finding above info, or a link `below`. Family F: machines with one fault
each; its finding must be there with the right code at the right place, and nothing else above info. A miss is a line:
family, seed, index, machine, what was expected, what came. Exit status 1 where a healthy machine alarms, or fewer than
99 % of the faults are found.
"""
import argparse
import collections
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

import generate

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "golden"))
import check

ABOVE_INFO = ("warning", "critical")
WANTED = {"H": 0.0, "F": 99.0}


def report_of(command, files):
    words = " ".join("--capture " + shlex.quote(f) for f in files)
    line = re.sub(r"\{capture_args\}", lambda m: words, command)
    p = subprocess.run(line, shell=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    try:
        return json.loads(p.stdout), None
    except ValueError:
        return None, "no report (exit %d): %s" % (p.returncode, p.stderr.decode("utf-8", "replace").strip()[-300:])


def brief(finding):
    return "%s %s on %s" % (finding["severity"], finding["code"], ",".join(finding.get("names") or finding["subjects"]))


def names_of(report, finding):
    """Ids and kernel names of a finding's subjects, of those that are gone as well."""
    return check.Report(report).subjects(finding) | set(finding.get("names", []))


def judge(report, fault):
    """What is wrong with the report, as (expected, came) or None."""
    loud = [f for f in report.get("findings", []) if f["severity"] in ABOVE_INFO]
    below = {l["kernel_name"]: l["id"] for l in report.get("links", []) if l["verdict"] == "below"}
    if not fault:
        if loud or below:
            return "nothing", "; ".join([brief(f) for f in loud] + ["%s below" % n for n in below])
        return None
    wanted = "%s on %s" % (fault.code, " and ".join(fault.on))
    right = [f for f in loud if f["code"] == fault.code and f["severity"] in fault.severity.split("|") and
             all(set(on.split("|")) & names_of(report, f) for on in fault.on)]
    if len(right) != 1 or len(loud) != 1:
        quiet = [brief(f) for f in report.get("findings", []) if f["severity"] not in ABOVE_INFO]
        return wanted, "; ".join([brief(f) for f in loud] or ["nothing above info (%s)" % ", ".join(quiet)])
    unsaid = [name for name, link in below.items() if link not in right[0]["subjects"]]
    return (wanted, "beside it below: " + ", ".join(unsaid)) if unsaid else None


def try_one(job):
    """One machine: (machine's name, None or (expected, came))."""
    command, family, seed, index, keep = job
    s = generate.story(family, seed, index)
    out = os.path.join(keep, "%s-%d-%d" % (family, seed, index)) if keep else tempfile.mkdtemp(prefix="family-")
    try:
        report, error = report_of(command, generate.write(s, out))
        miss = ("a report", error) if error else judge(report, s.fault)
    finally:
        if not keep or not miss:
            shutil.rmtree(out, ignore_errors=True)
    return s.name, miss


def measure(args, family):
    jobs = [(args.run, family, args.seed, i, args.keep) for i in range(args.count)]
    missed, kinds = 0, collections.Counter()
    with ProcessPoolExecutor(args.jobs) as pool:
        for job, (name, miss) in zip(jobs, pool.map(try_one, jobs, chunksize=4)):
            if miss:
                missed += 1
                kinds[name if family == "F" else "healthy"] += 1
                print("%s seed %d index %d  %s: expected %s; came %s" % (family, args.seed, job[3], name, miss[0], miss[1]), flush=True)
    rate = 100.0 * missed / args.count
    if family == "H":
        print("H: %d of %d healthy machines alarm for nothing: %.1f %%" % (missed, args.count, rate))
        return rate <= WANTED["H"]
    print("F: %d of %d faults found, right and alone: %.1f %%" % (args.count - missed, args.count, 100 - rate))
    return 100 - rate >= WANTED["F"]


def lint(args):
    """The rules of golden captures (check.py), for generated ones."""
    faults = 0
    for family in args.family or "HF":
        for index in range(args.count):
            bad, out = [], tempfile.mkdtemp(prefix="family-")
            try:
                for path in generate.write(generate.story(family, args.seed, index), out):
                    check.lint_capture(path, bad)
            finally:
                shutil.rmtree(out)
            faults += bool(bad)
            for text in bad:
                print("%s seed %d index %d: %s" % (family, args.seed, index, text))
    print("%d machines, %d with faults" % (args.count * len(args.family or "HF"), faults))
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lint", action="store_true")
    parser.add_argument("--run", help="the command; {capture_args} stands for the captures")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500, help="machines of each family")
    parser.add_argument("--family", choices="HF")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="keep the captures of misses below this directory")
    args = parser.parse_args()
    if args.lint:
        return lint(args)
    if not args.run:
        parser.error("--run is missing")
    start = time.monotonic()
    well = [measure(args, family) for family in (args.family or "HF")]
    print("%d machines in %.0f s" % (args.count * len(well), time.monotonic() - start))
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
