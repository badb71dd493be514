#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A layer sees what it may use, and nothing else: layers.py COMPILER DAG LAYER INCLUDE_DIR...

Compiles, with the include directories that the build gives LAYER, one file for each layer of the DAG (lib/CMakeLists.txt)
that includes a header of it: it must compile for what the layer uses, and must not for any other. A source's and a
header's own #include lines are then all legal, for the compiler saw them.
"""
import os
import re
import subprocess
import sys


def read_dag(path):
    """layer -> the layers it USES, as written."""
    with open(path, encoding="utf-8") as file:
        lines = re.findall(r"^layer\((\w+)((?: \w+)*)(?:\s*\))", re.sub(r" LIBS[^)]*", "", file.read()), re.M)
    return {name: set(uses.split()) - {"USES"} for name, uses in lines}


def closure(dag, layer):
    seen, todo = set(), [layer]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += dag[name]
    return seen


def compiles(compiler, includes, header):
    run = subprocess.run([compiler, "-std=gnu17", "-D_GNU_SOURCE", "-fsyntax-only", *("-I" + d for d in includes), "-xc", "-"],
                         input='#include "%s"\n' % header, text=True, stderr=subprocess.PIPE)
    return run.returncode == 0, run.stderr


def main(compiler, dag_path, layer, *includes):
    dag, top, bad = read_dag(dag_path), os.path.dirname(dag_path), 0
    allowed = closure(dag, layer)
    for other in dag:
        headers = sorted(h for h in os.listdir(os.path.join(top, other)) if h.endswith(".h"))
        if not headers:
            continue
        header = other + "/" + headers[0]
        well, why = compiles(compiler, includes, header)
        if well != (other in allowed):
            bad += 1
            print("%s, which uses %s, %s include %s" % (layer, " ".join(sorted(allowed - {layer})) or "nothing",
                                                        "can" if well else "cannot", header))
            if other in allowed:
                print(why)
    return 1 if bad or layer not in dag else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
