#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rules for Prometheus: are they well formed, do they ask for what there is, and do alerts fire when they should, and
only then? test_rules.py PROGRAMS; exit status 77 where there is no promtool (Debian's package prometheus)."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import expressions
from expressions import HERE, TOP

PROMTOOL = shutil.which(os.environ.get("PROMTOOL", "promtool"))
RULES = os.path.join(TOP, "units/prometheus/hbad.rules.yml")
CASES = sorted(glob.glob(os.path.join(HERE, "*.test.yml")))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def promtool(*words, where=None):
    run = subprocess.run([PROMTOOL, *words], cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return run.returncode, run.stdout.decode()


def rules(text):
    """(alert or record, name, expression) of each rule: one is a list's item, and an expression a line or a folded block."""
    for kind, name, rest in re.findall(r"(?m)^      - (alert|record): (\S+)\n((?:        .*\n)*)", text):
        yield kind, name, re.sub(r"\s+", " ", re.search(r"(?m)^        expr:(?: >-)?\s+((?:.*\n)(?:          .*\n)*)", rest)[1]).strip()


class Rules(unittest.TestCase):
    def run_cases(self, text, about=""):
        """How promtool judges the cases that are about something, with these rules."""
        cases = [c for c in CASES if about in read(c)]
        with tempfile.TemporaryDirectory() as to:
            with open(os.path.join(to, "hbad.rules.yml"), "w", encoding="utf-8") as file:
                file.write(text)
            for case in cases:
                shutil.copy(case, to)
            return promtool("test", "rules", *map(os.path.basename, cases), where=to)

    def test_well_formed(self):
        self.assertEqual(promtool("check", "rules", "--lint=all", "--lint-fatal", RULES)[0], 0)

    def test_cases(self):
        status, said = self.run_cases(read(RULES))
        self.assertEqual(status, 0, said)

    def test_each_has_cases(self):
        """Each alert is seen to fire, and seen not to; each record has a value."""
        text = "".join(read(c) for c in CASES)
        for kind, name, _ in rules(read(RULES)):
            with self.subTest(name):
                if kind == "record":
                    self.assertRegex(text, r"labels: %s\{" % name)
                    continue
                expected = re.findall(r"alertname: %s\n.*\n +exp_alerts:(.*)\n" % name, text)
                self.assertIn("", expected, "it never fires")
                self.assertIn(" []", expected, "it always fires")

    def test_would_be_noticed(self):
        """An alert that always fires, or never, or that pages for what is known."""
        text = read(RULES)
        found = [r for r in rules(text) if r[0] == "alert"]
        self.assertEqual(len(found), text.count("- alert:"))
        changes = [(name, r"(?m)(^      - alert: %s\n(?:        #.*\n)*        expr:)(?:.*\n)(?:          .*\n)*" % name,
                    r"\1 %s\n" % other) for _, name, _ in found for other in ("vector(1)", "vector(1) > 1")]
        changes += [("HbaCritical", r'acknowledged=""', r'acknowledged=~".*"'), ("HbaCritical", "for: 2m", "for: 0m"),
                    ("HbaLinksUnknown", r"(?m)^            unless .*\n", ""), ("HbadSilent", r"\[1d\]", "[30d]")]
        for name, pattern, by in changes:
            with self.subTest(name, by=by):
                changed, n = re.subn(pattern, by, text)
                self.assertGreater(n, 0)
                self.assertNotEqual(self.run_cases(changed, name)[0], 0)

    def test_names(self):
        names = expressions.exported()
        found = list(rules(read(RULES)))
        for _, name, expression in found:
            with self.subTest(name):
                self.assertEqual(list(expressions.faults(expression, names)), [])
        # Would it notice?
        for wrong in ("hba_nothing > 0", 'hba_finding_info{colour="red"}', "sum by (colour) (hba_findings)"):
            self.assertEqual(len(list(expressions.faults(wrong, names))), 1)


if __name__ == "__main__":
    if not PROMTOOL:
        print("no promtool here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
