#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scrubbed capture gives the same report, but for names.

  scrubbed.py HBACTL CASESDIR…

For every numbered capture of every case: scrubbed by hbactl, and both reported. The two reports must have the
same shape and the same values, except texts that identify something; and equal texts must have become equal
ones, different texts different ones. Members that identify nothing (modes, models, verdicts, …) must not change.
"""
import json, os, subprocess, sys, tempfile

# Members whose text may change, wherever they stand; in all others it may not.
NAMES = {"id", "device", "host", "near", "far", "up", "bundle", "link", "path", "bottleneck", "serial", "wwid", "enclosure", "by_id",
         "hostname", "via", "example", "reason", "subjects", "from", "summary", "used_by"}

def run(*words): return subprocess.run(words, stdout=subprocess.PIPE, check=False)

def report(hbactl, path):
    p = run(hbactl, "--capture", path, "report", "--json=short")
    return json.loads(p.stdout)

class Comparison:
    def __init__(self): self.there, self.back, self.bad = {}, {}, []
    def text(self, where, key, a, b):
        if a != b and key not in NAMES: self.bad.append("%s: %r became %r" % (where, a, b))
        if self.there.setdefault(a, b) != b: self.bad.append("%s: %r became both %r and %r" % (where, a, self.there[a], b))
        if self.back.setdefault(b, a) != a: self.bad.append("%s: %r and %r both became %r" % (where, a, self.back[b], b))
    def walk(self, where, key, a, b):
        if type(a) is not type(b): self.bad.append("%s: %r became %r" % (where, a, b))
        elif isinstance(a, dict):
            if list(a) != list(b): self.bad.append("%s: members %s became %s" % (where, list(a), list(b)))
            for k in a:
                if k in b: self.walk(where + "." + k, k, a[k], b[k])
        elif isinstance(a, list):
            if len(a) != len(b): self.bad.append("%s: %d items became %d" % (where, len(a), len(b)))
            for i, (x, y) in enumerate(zip(a, b)): self.walk("%s[%d]" % (where, i), key, x, y)
        elif isinstance(a, str): self.text(where, key, a, b)
        elif a != b: self.bad.append("%s: %r became %r" % (where, a, b))

def check(hbactl, path, scratch):
    with open(path) as f: capture = json.load(f)
    capture["taken"]["scrubbed"] = False
    raw, scrubbed = os.path.join(scratch, "raw.json"), os.path.join(scratch, "scrubbed.json")
    with open(raw, "w") as f: json.dump(capture, f)
    p = run(hbactl, "--capture", raw, "capture", scrubbed)
    if p.returncode: return ["hbactl capture: exit status %d" % p.returncode], 0
    c = Comparison()
    c.walk("report", "", report(hbactl, raw), report(hbactl, scrubbed))
    return c.bad, sum(a != b for a, b in c.there.items())

def main(hbactl, roots):
    n = failed = changed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for root in roots:
            for case in sorted(os.listdir(root)):
                for name in sorted(os.listdir(os.path.join(root, case))) if os.path.isdir(os.path.join(root, case)) else []:
                    if not name[:-5].isdigit() or not name.endswith(".json"): continue
                    n += 1
                    bad, replaced = check(hbactl, os.path.join(root, case, name), scratch)
                    changed += replaced
                    for line in bad[:5]:
                        failed += 1
                        print("%s/%s: %s" % (case, name, line))
    print("%d captures, %d texts replaced, %d differences" % (n, changed, failed))
    return 1 if failed or not changed else 0

if __name__ == "__main__": sys.exit(main(sys.argv[1], sys.argv[2:]))
