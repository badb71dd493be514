#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The codes of findings are one set everywhere.

  check_codes.py HBACTL TOP

Looked at: the catalog, the table of rules, the schema of reports, what golden cases may expect; and the golden cases themselves:
each code is fired by one at least, or nobody has seen it in a whole report.
"""
import json, os, re, subprocess, sys

def text(top, *path):
    with open(os.path.join(top, *path)) as f: return f.read()

def catalog(top):
    return set(re.findall(r'^    \{ "([a-z-]+)", SEVERITY_', text(top, "lib/finding/catalog.c"), re.M))

def rules(top):
    """The strings of the table, which may go over several lines."""
    table = re.search(r"\} RULES\[\] = \{\n(.*?)\n\};", text(top, "lib/finding/judge.c"), re.S).group(1)
    return set(" ".join(re.findall(r'"([^"]*)"', table)).split())

def schema(top):
    return set(json.loads(text(top, "lib/output/report.schema.json"))["$defs"]["code"]["enum"])

def expectable(top):
    return set(re.search(r'CODES = set\("""(.*?)"""', text(top, "tests/golden/check.py"), re.S).group(1).split())

def fired(hbactl, top):
    golden = os.path.join(top, "tests/golden")
    found = set()
    for case in sorted(os.listdir(golden)):
        if not os.path.isfile(os.path.join(golden, case, "expect.json")): continue
        numbers = sorted(int(n[:-5]) for n in os.listdir(os.path.join(golden, case)) if re.fullmatch(r"\d+\.json", n))
        words = [w for n in numbers for w in ("--capture", os.path.join(golden, case, "%d.json" % n))]
        p = subprocess.run([hbactl, *words, "report", "--json"], stdout=subprocess.PIPE, check=False)
        found |= {f["code"] for f in json.loads(p.stdout)["findings"]}
    return found

def main(hbactl, top):
    known = catalog(top)
    faults = [] if len(known) == 19 else ["the catalog was read wrongly: %d rows" % len(known)]
    for name, codes in (("the table of rules", rules(top)), ("the schema", schema(top)), ("check.py", expectable(top)),
                        ("what golden cases fire", fired(hbactl, top))):
        if codes - known: faults.append("%s: not in the catalog: %s" % (name, " ".join(sorted(codes - known))))
        if known - codes: faults.append("%s: lacks %s" % (name, " ".join(sorted(known - codes))))
    print("\n".join(faults) or "%d codes, one set" % len(known))
    return 1 if faults else 0

if __name__ == "__main__": sys.exit(main(*sys.argv[1:]))
