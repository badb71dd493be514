#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is opened, and that a machine on disk says what its capture says.

  asked.py HBACTL ALLOWED CASESDIR…

The last capture of every case becomes a tree on disk (its files and links; no commands, no udev). Then
- hbactl --sysfs-root TREE reports the same as hbactl --capture of the same files;
- every path that it opened below the tree, by strace, matches a pattern of the file ALLOWED, and every pattern of it was
  needed: what hbad may touch is a list that people can read, and it is true.
"""
import fnmatch, json, os, re, shutil, subprocess, sys, tempfile

OPENED = re.compile(r'open(?:at2?)?\((?:AT_FDCWD|\d+)?(?:<([^>]*)>)?,? ?"([^"]*)"')

def last_capture(case):
    numbers = sorted(int(n[:-5]) for n in os.listdir(case) if n.endswith(".json") and n[:-5].isdigit())
    with open(os.path.join(case, "%d.json" % numbers[-1])) as f: return json.load(f)

def files_of(capture):
    """The capture without what a tree cannot hold: commands, properties, measures, refusals."""
    dirs = {d: {n: v for n, v in e.items() if isinstance(v, str) or "errno" not in v} for d, e in capture["dirs"].items()}
    return {"hbad-capture": 1, "taken": capture["taken"], "dirs": dirs}

def write_tree(capture, root):
    for d, entries in capture["dirs"].items():
        os.makedirs(root + d, exist_ok=True)
        for name, value in entries.items():
            path = root + d + "/" + name
            if isinstance(value, str): data = value.encode()
            elif "hex" in value: data = bytes.fromhex(value["hex"])
            else:
                os.symlink(value["link"], path)
                continue
            with open(path, "wb") as f: f.write(data)

def report(*words):
    p = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if p.returncode: raise SystemExit("%s: exit status %d: %s" % (" ".join(words), p.returncode, p.stderr.decode()))
    r = json.loads(p.stdout)
    for k in ("taken", "system"): del r[k]
    for f in r["findings"]: del f["since"]
    return r

def opened_below(root, trace):
    """Paths below the tree that were opened, as the machine would call them."""
    found = set()
    with open(trace, errors="replace") as f:
        for line in f:
            m = OPENED.search(line)
            if not m: continue
            base, path = m.group(1), m.group(2)
            path = os.path.normpath(base + "/" + path if base and base.startswith(root) else path)
            if path.startswith(root + "/"): found.add(path[len(root):])
    return found

def check(hbactl, case, allowed, used, scratch):
    root, trace, stripped = os.path.join(scratch, "tree"), os.path.join(scratch, "trace"), os.path.join(scratch, "capture.json")
    capture = files_of(last_capture(case))
    with open(stripped, "w") as f: json.dump(capture, f)
    write_tree(capture, root)
    bad = []
    replayed = report(hbactl, "--capture", stripped, "report", "--json=short")
    live = report("strace", "-f", "--seccomp-bpf", "-y", "-e", "trace=open,openat,openat2", "-o", trace, hbactl, "--sysfs-root", root, "report", "--json=short")
    if live != replayed: bad.append("the tree and the capture give different reports")
    opened = opened_below(root, trace)
    if not opened: bad.append("strace saw no open")
    for path in sorted(opened):
        match = [p for p in allowed if fnmatch.fnmatchcase(path, p)]
        used.update(match)
        if not match: bad.append("opened, and in no pattern: " + path)
    shutil.rmtree(root)
    return bad

def main(hbactl, list_file, roots):
    with open(list_file) as f: allowed = [l.split("#")[0].strip() for l in f]
    allowed, used, failed, n = [l for l in allowed if l], set(), 0, 0
    for root in roots:
        for slug in sorted(os.listdir(root)):
            case = os.path.join(root, slug)
            if not os.path.isfile(os.path.join(case, "1.json")): continue
            n += 1
            with tempfile.TemporaryDirectory() as scratch:
                for line in check(hbactl, case, allowed, used, os.path.realpath(scratch)):
                    failed += 1
                    print("%s: %s" % (slug, line))
    for p in allowed:
        if p not in used:
            failed += 1
            print("no case needs the pattern " + p)
    print("%d machines, %d patterns, %d faults" % (n, len(allowed), failed))
    return 1 if failed or not n else 0

if __name__ == "__main__": sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
