#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do reports claim nothing that a machine with one thing wrong does not prove?

  run.py HBACTL [--sample N] [--seed N] [--all [--each N]] [--case NAME…] [--jobs N] [--list FILE]

Mutates the newest capture of the golden cases, alone and with the unmutated one as its history, and compares reports
(judge.py). The sample is made of N mutations, of as many sorts as there are. --all takes of each sort N of every
case. Exit status: 0 all well, 1 not.
"""
import argparse, collections, concurrent.futures, json, os, random, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import judge, mutate

GOLDEN = os.path.join(HERE, "..", "golden")


class Wrong(Exception):
    """hbactl did not do what it must whatever it is given."""


def newest(case):
    numbers = [int(f[:-5]) for f in os.listdir(os.path.join(GOLDEN, case)) if f.endswith(".json") and f[:-5].isdigit()]
    return os.path.join(GOLDEN, case, "%d.json" % max(numbers)) if numbers else None


def run(*words):
    p = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if p.returncode != 0 or b"Sanitizer" in p.stderr or b"runtime error" in p.stderr:
        raise Wrong("exit status %d: %s" % (p.returncode, p.stderr.decode(errors="replace")[-2000:]))
    return p.stdout


class Case:
    """A case while its mutations are tried."""

    def __init__(self, hbactl, name, scratch):
        self.hbactl, self.name = hbactl, name
        self.capture = mutate.Capture(json.loads(run(hbactl, "--capture", newest(name), "capture", "-")))
        self.first, self.second = (os.path.join(scratch, "%d-%s.json" % (os.getpid(), n)) for n in ("first", "second"))
        self.put(self.first, self.capture.text())
        self.plain = {alone: self.report(alone, {}) for alone in (True, False)}
        self.before = {alone: judge.View(json.loads(text)) for alone, text in self.plain.items()}

    @staticmethod
    def put(path, text):
        with open(path, "w") as f:
            f.write(text)

    def report(self, alone, change):
        self.put(self.second, self.capture.text(later=not alone, **change))
        history = () if alone else ("--capture", self.first)
        return run(self.hbactl, *history, "--capture", self.second, "report", "--json=short")

    def try_one(self, alone, mutation):
        """What must not be."""
        try:
            text = self.report(alone, mutation.change)
            if text == self.plain[alone]:
                return []
            after = judge.View(json.loads(text))
        except (Wrong, ValueError, KeyError) as e:
            return [("crash", self.name, str(e))]
        before = self.before[alone]
        return [f for f in judge.compare(before, after)
                if not judge.is_allowed(f[0], f[1], mutation, before, self.capture)]


def mutations_of(case):
    """All mutations of a case by sort, each alone and with history."""
    sorts = collections.defaultdict(list)
    for m in case.capture.mutations():
        for alone in (True, False):
            sorts[m.stratum(), alone].append(m)
    return sorts


def chosen(case, each, seed):
    """Of each sort some, the same ones for the same seed."""
    for (sort, alone), all_of_it in mutations_of(case).items():
        rng = random.Random("%s/%s/%s" % (seed, case.name, sort))
        for m in rng.sample(all_of_it, min(each, len(all_of_it))):
            yield sort, alone, m


def work(hbactl, name, scratch, each, seed, wanted):
    """Tries those of a case; `wanted`: the sorts, None for all. Returns how many, and what must not be."""
    case = Case(hbactl, name, scratch)
    n, bad = 0, []
    for sort, alone, m in chosen(case, each, seed):
        if wanted is not None and (sort, alone) not in wanted:
            continue
        n += 1
        bad += [(what, sort, alone, name, m.where, on, words) for what, on, words in case.try_one(alone, m)]
    return n, bad


def sorts_of(hbactl, name, scratch):
    return name, list(mutations_of(Case(hbactl, name, scratch)))


def deal(pool, hbactl, cases, scratch, sample, seed):
    """Sorts to be tried, by case: each sort in one case that has it."""
    having = collections.defaultdict(list)
    for name, sorts in pool.map(sorts_of, [hbactl] * len(cases), cases, [scratch] * len(cases)):
        for sort in sorts:
            having[sort].append(name)
    rng = random.Random(seed)
    wanted = {name: set() for name in cases}
    for sort in rng.sample(sorted(having), min(sample, len(having))):
        wanted[rng.choice(having[sort])].add(sort)
    return wanted


def say(bad, n, began, list_file):
    groups = collections.defaultdict(list)
    for b in bad:
        groups[b[0], b[1].rsplit(" ", 1)[0]].append(b)
    lines = []
    for (what, where), some in sorted(groups.items()):
        kinds = collections.Counter(b[1].rsplit(" ", 1)[1] + ("" if b[2] else "+history") for b in some)
        _, _, _, name, path, on, words = some[0]
        lines.append("%s by %s: %d in %d cases (%s)\n    %s: %s\n    %s: %s" % (
            what, where, len(some), len({b[3] for b in some}), ", ".join("%s %d" % k for k in sorted(kinds.items())),
            name, path, on, words))
    lines.append("%d mutations, %d of them wrong in %d ways, in %d s" % (
        n, len({b[1:5] for b in bad}), len(groups), time.time() - began))
    print("\n".join(lines))
    if list_file:
        with open(list_file, "w") as f:
            f.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hbactl")
    parser.add_argument("--sample", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--case", nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list")
    a = parser.parse_args()
    cases = a.case or sorted(c for c in os.listdir(GOLDEN) if os.path.isdir(os.path.join(GOLDEN, c)) and newest(c))
    began, n, bad = time.time(), 0, []
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as scratch, concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
        wanted = dict.fromkeys(cases) if a.all else deal(pool, a.hbactl, cases, scratch, a.sample, a.seed)
        each = a.each if a.all else 1
        jobs = [pool.submit(work, a.hbactl, c, scratch, each, a.seed, wanted[c]) for c in cases]
        for job in jobs:
            tried, found = job.result()
            n, bad = n + tried, bad + found
    say(bad, n, began, a.list)
    return 1 if bad or not n else 0


if __name__ == "__main__":
    sys.exit(main())
