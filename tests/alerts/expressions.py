# SPDX-License-Identifier: LGPL-2.1-or-later
"""Expressions of rules and dashboards: do they parse, and do they ask for what there is?"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
sys.path[1:1] = [os.path.join(TOP, "tests", d) for d in ("daemon", "metrics")]
import daemon  # noqa: E402
from prometheus import parse  # noqa: E402

# What Prometheus adds to each sample.
TARGET = {"instance", "job"}
WORDS = set("""sum count avg min max topk bottomk quantile rate irate increase changes time absent present_over_time max_over_time
    min_over_time avg_over_time last_over_time label_replace clamp_max clamp_min sort sort_desc vector scalar and or unless on
    ignoring by without group_left group_right bool offset histogram_quantile round timestamp""".split())


def add(found, text):
    for name, family in parse(text).items():
        found.setdefault(name, set()).update(*(labels.keys() for labels in family.labels()))


def of_daemon(found, days, **named):
    """What a daemon says with a history, and with a watcher."""
    d = daemon.Daemon(days, **named)
    try:
        d.ready()
        end = time.monotonic() + daemon.PATIENCE
        while time.monotonic() < end:
            answer = d.ask(daemon.OURS + "GetText", {"verb": "metrics"})
            if "error" not in answer:
                break
            time.sleep(0.05)
        add(found, "".join(answer["parameters"]["text"]))
    finally:
        d.stop()


def exported():
    """The names of all that is exported, of all golden cases and of the daemon, each with its labels."""
    found = {}
    for case in glob.glob(os.path.join(TOP, "tests/golden/*/expect.json")):
        captures = daemon.golden(os.path.basename(os.path.dirname(case)))
        run = subprocess.run([os.path.join(daemon.PROGRAMS, "hbactl"), *(w for c in captures for w in ("--capture", c)), "metrics"],
                             stdout=subprocess.PIPE, check=False)
        add(found, run.stdout.decode())
    with tempfile.TemporaryDirectory(prefix="hbad-state-") as state:
        of_daemon(found, daemon.golden("spi-fusion-one-at-half-rate"), arguments=["--state-dir", state])
    of_daemon(found, None)
    found["hba_finding_info"].add("acknowledged")  # only where somebody knows: tests/daemon/test_outlets.py
    return found


def faults(expression, names):
    """What of an expression is not among the names, each of which has its labels."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
    all_labels = TARGET.union(*names.values())
    for name, matchers in re.findall(r"([A-Za-z_:][\w:]*)\s*\{([^}]*)\}", text):
        for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", matchers):
            if name in names and label not in names[name] | TARGET:
                yield "%s has no label %s" % (name, label)
    for labels in re.findall(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)", text):
        for label in re.findall(r"\w+", labels):
            if label not in all_labels:
                yield "nothing has a label %s" % label
    text = re.sub(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)|\{[^}]*\}|\[[^]]*\]", " ", text)
    for word in re.findall(r"[A-Za-z_:][\w:]*", text):
        if word not in WORDS and word not in names:
            yield "there is no %s" % word


def unparsable(expressions, promtool):
    """What promtool says of expressions that it cannot parse; "" where it can parse all."""
    with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="utf-8") as file:
        file.write("groups:\n  - name: x\n    rules:\n")
        for n, expression in enumerate(expressions):
            file.write("      - record: x:%d\n        expr: '%s'\n" % (n, expression.replace("'", "''")))
        file.flush()
        run = subprocess.run([promtool, "check", "rules", file.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return run.stdout.decode() if run.returncode else ""
