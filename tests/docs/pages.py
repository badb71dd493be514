#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages for people against the programs: pages.py TOP BIN examples|quotes|codes|keys|links

examples  A block that begins with "$ hbactl …" (or build/bin/hbactl) shows what is printed: its lines are the program's, one after
          another; a line "…" stands for any number of them.
quotes    A block of C is of the .c or .h file that the page has linked to last: the same lines in the same order, as above.
codes     Each code of the catalog has one section in docs/findings, with its severity and what it says; and no other has.
keys      "`key` (value)" is a key of the configuration with its default.
links     What is linked to is there, and so is its section.
Each yields (page, what is wrong). test_pages.py plants a fault for each.
"""
import os
import re
import subprocess
import sys

LIMIT_S = 60


def pages(top):
    """Path and text of each page for people."""
    found = [name for name in os.listdir(top) if name.endswith(".md")]
    for folder, _, names in os.walk(os.path.join(top, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), top) for name in names if name.endswith(".md")]
    for path in sorted(found):
        with open(os.path.join(top, path), encoding="utf-8") as file:
            yield path, file.read()


def blocks(text):
    return re.findall(r"^```[a-z]*\n(.*?)^```$", text, re.M | re.S)


# In the sources it is called by its path, wherever it was built for this test.
BUILT = 'build/bin/hbactl() { (exec -a build/bin/hbactl hbactl "$@") }\n'


def hbactl(top, bindir, words):
    """What it prints, by the shell, as a page shows it, called as there. The words of a page are ours, and no stranger's."""
    env = {"PATH": os.path.abspath(bindir) + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    run = subprocess.run(["bash", "-c", BUILT + words], cwd=top, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=LIMIT_S, encoding="utf-8", check=False)
    return [line.rstrip() for line in run.stdout.splitlines()]


def missing(shown, printed):
    """The first line shown that is not what is printed there; None: all are."""
    at, skips = 0, False
    for line in shown:
        if line == "…":
            skips = True
            continue
        where = printed.index(line, at) if skips and line in printed[at:] else at
        if printed[where:where + 1] != [line]:
            return line
        at, skips = where + 1, False
    return None if skips or at == len(printed) else "(the end, where more is printed)"


def examples(top, bindir):
    n = 0
    for path, text in pages(top):
        for block in blocks(text):
            for example in re.split(r"^(?=\$ )", block, flags=re.M):
                called = re.match(r"\$ ((?:build/bin/)?hbactl .*)\n", example)
                if not called:
                    continue
                n += 1
                line = missing([x.rstrip() for x in example.split("\n")[1:-1]], hbactl(top, bindir, called[1]))
                if line is not None:
                    yield path, "%s: does not print %r there" % (called[1], line)
    if not n:
        yield "docs", "no page has an example"


def quotes(top, _):
    for path, text in pages(top):
        for block in re.finditer(r"^```c\n(.*?)^```$", text, re.M | re.S):
            name = re.findall(r"\]\(([^)\s]+\.[ch])\)", text[:block.start()])[-1:]
            where = os.path.normpath(os.path.join(top, os.path.dirname(path), *name))
            if not os.path.isfile(where):
                yield path, "a block of C that is of no file"
                continue
            with open(where, encoding="utf-8") as file:
                line = missing(["…", *block[1].splitlines(), "…"], file.read().splitlines())
            if line is not None:
                yield path, "%s has no %r there" % (name[0], line)


def codes(top, bindir):
    catalog = {}
    for line in hbactl(top, bindir, "hbactl explain codes --no-legend"):
        code, severity, says = line.split(None, 2)
        catalog[code] = "%s: %s." % (severity.capitalize(), says)
    sections = [(path, *found.groups()) for path, text in pages(top) if path.startswith("docs/findings/")
                for found in re.finditer(r"^## `(.*?)`\n\n(.*)$", text, re.M)]
    for path, code, first in sections:
        if code not in catalog:
            yield path, "%s is no code" % code
        elif first != catalog[code]:
            yield path, "%s begins with %r, and not with %r" % (code, first, catalog[code])
    for code in catalog:
        n = sum(code == other for _, other, _ in sections)
        if n != 1:
            yield "docs/findings", "%s has %d sections" % (code, n)


def keys(top, bindir):
    known = dict(re.findall(r"^#(\w+) = (.*)$", "\n".join(hbactl(top, bindir, "hbactl --config /dev/null cat-config")), re.M))
    if not known:
        yield "hbactl", "no keys: cat-config prints them otherwise"
    for path, text in pages(top):
        for key, value in re.findall(r"`(\w+)`\s+\(([^()]*)\)", text):
            if key in known and known[key] != value:
                yield path, "%s is %s by default, and not %s" % (key, known[key], value)


def anchors(text):
    """Names of a page's sections, as they are linked to."""
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", outside, re.M)}


def sections_of(top, path):
    if not path.endswith(".md"):
        return set()
    with open(os.path.join(top, path), encoding="utf-8") as file:
        return anchors(file.read())


def links(top, _):
    for path, text in pages(top):
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"\w+:", target):
                continue
            name, _, section = target.partition("#")
            there = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(os.path.join(top, there)):
                yield path, "there is no %s" % there
            elif section and section not in sections_of(top, there):
                yield path, "%s has no section %s" % (there, section)


CHECKS = {"examples": examples, "quotes": quotes, "codes": codes, "keys": keys, "links": links}


def main(top, bindir, check):
    bad = list(CHECKS[check](top, bindir))
    for path, what in bad:
        print("%s: %s" % (path, what))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
