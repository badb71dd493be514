#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do reports claim nothing that a machine with one thing wrong does not prove?

  run.py HBACTL [--sample N] [--seed N] [--all [--each N]] [--case NAME…] [--jobs N] [--list FILE]

Mutates the newest capture of the golden cases, alone and with the unmutated one as its history, and compares reports
(judge.py). The sample is of N mutations, each of another sort or kind. --all tries all of every sort in N cases that
have it. Exit status: 0 all well, 1 not.
"""
import argparse, collections, concurrent.futures, json, os, random, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import judge, mutate

GOLDEN = os.path.join(HERE, "..", "golden")


DULL = 4    # so many mutations of a place that make no difference tell that no other does


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
        """What must not be, None where the report is the same."""
        try:
            text = self.report(alone, mutation.change())
            if text == self.plain[alone]:
                return None
            after = judge.View(json.loads(text))
        except (Wrong, ValueError, KeyError) as e:
            return [("crash", self.name, str(e))]
        before = self.before[alone]
        return [f for f in judge.compare(before, after)
                if not judge.is_allowed(f[0], f[1], mutation, before, self.capture)]

    def places(self):
        """All mutations: by sort, then by place."""
        sorts = collections.defaultdict(lambda: collections.defaultdict(list))
        for m in self.capture.mutations():
            sorts[m.sort()][m.where].append(m)
        return sorts


def work(hbactl, name, scratch, wanted, seed):
    """Tries those of a case, by sort, kind, and whether alone, at one place of each sort. Returns how many, and what must
    not be. Where the first ones of a place make no difference the others are left out: nothing looks there."""
    case = Case(hbactl, name, scratch)
    n, bad = 0, []
    for sort, places in case.places().items():
        where = random.Random("%s/%s/%s" % (seed, name, sort)).choice(list(places))
        for alone in (True, False):
            tried = [m for m in places[where] if (sort, m.kind, alone) in wanted]
            same = 0
            for m in tried:
                if same == DULL:
                    break
                found = case.try_one(alone, m)
                n, same = n + 1, same + 1 if found is None else -len(tried)
                bad += [(what, sort, m.kind, alone, name, m.where, on, words) for what, on, words in found or []]
    return n, bad


def sorts_of(hbactl, name, scratch):
    return name, {sort: [m.kind for m in next(iter(places.values()))]
                  for sort, places in Case(hbactl, name, scratch).places().items()}


def deal(having, sample, each, seed):
    """What is tried of each case: every sort in some that have it, all its kinds; or a sample, each once."""
    rng = random.Random(seed)
    wanted = {name: set() for name in having}
    cases = collections.defaultdict(list)
    for name in sorted(having):
        for sort, kinds in having[name].items():
            for kind in kinds:
                cases[sort, kind].append(name)
    if sample:
        for sort, kind in rng.sample(sorted(cases), min(sample, len(cases))):
            wanted[rng.choice(cases[sort, kind])].add((sort, kind, rng.random() < 0.5))
        return wanted
    for sort, kind in cases:
        order = random.Random("%s/%s" % (seed, sort)).sample(cases[sort, kind], len(cases[sort, kind]))
        for name in order[:each]:
            wanted[name] |= {(sort, kind, alone) for alone in (True, False)}
    return wanted


def say(bad):
    """What must not be, grouped, in lines."""
    groups = collections.defaultdict(list)
    for b in bad:
        groups[b[0], b[1]].append(b)
    for (what, sort), some in sorted(groups.items()):
        kinds = collections.Counter(b[2] + ("" if b[3] else "+history") for b in some)
        _, _, _, _, name, where, on, words = some[0]
        yield "%s by %s: %d in %d cases (%s)" % (what, sort, len(some), len({b[4] for b in some}),
                                                 ", ".join("%s %d" % k for k in sorted(kinds.items())))
        yield "    %s: %s" % (name, where)
        yield "    %s: %s" % (on, words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hbactl")
    parser.add_argument("--sample", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--case", nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list")
    a = parser.parse_args()
    cases = a.case or sorted(c for c in os.listdir(GOLDEN) if os.path.isdir(os.path.join(GOLDEN, c)) and newest(c))
    began, n, bad = time.time(), 0, []
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as scratch, concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
        having = dict(pool.map(sorts_of, [a.hbactl] * len(cases), cases, [scratch] * len(cases)))
        wanted = deal(having, 0 if a.all else a.sample, a.each, a.seed)
        jobs = [pool.submit(work, a.hbactl, c, scratch, wanted[c], a.seed) for c in cases if wanted[c]]
        for job in concurrent.futures.as_completed(jobs):
            tried, found = job.result()
            n, bad = n + tried, bad + found
            if a.list:
                with open(a.list, "w") as f:
                    f.writelines(line + "\n" for line in say(bad))
    for line in say(bad):
        print(line)
    print("%d mutations, %d of them wrong, in %d s" % (n, len({b[1:6] for b in bad}), time.time() - began))
    return 1 if bad or not n else 0


if __name__ == "__main__":
    sys.exit(main())
