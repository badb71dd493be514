#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is a page that says something wrong noticed? One planted fault for each check of pages.py, with an hbactl of its own."""
import os
import tempfile
import unittest

import pages

HBACTL = """#!/bin/sh
case "$*" in
*codes*) echo "link-lost critical a link that was up is gone" ;;
*cat-config*) echo "#watch = 1min" ;;
*) printf 'one\\ntwo\\nthree\\n' ;;
esac
"""
FINDING = "## `link-lost`\n\nCritical: a link that was up is gone.\n"


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="hbad-docs-")
        self.addCleanup(folder.cleanup)
        self.top = folder.name
        self.page("docs/findings/a.md", FINDING)
        with open(os.path.join(self.top, "hbactl"), "w", encoding="utf-8") as file:
            file.write(HBACTL)
        os.chmod(file.name, 0o755)

    def page(self, path, text):
        os.makedirs(os.path.join(self.top, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(self.top, path), "w", encoding="utf-8") as file:
            file.write(text)

    def faults(self, check):
        return [what for _, what in pages.CHECKS[check](self.top, self.top)]

    def example(self, *lines):
        self.page("README.md", "```\n$ build/bin/hbactl x\n%s```\n" % "".join(line + "\n" for line in lines))
        return len(self.faults("examples"))

    def test_examples(self):
        for good in (("one", "two", "three"), ("…", "two", "three"), ("one", "…"), ("one", "…", "three"), ("…",)):
            self.assertEqual(self.example(*good), 0, good)
        for bad in (("one", "two"), ("two", "…"), ("one", "three"), ("…", "three", "two"), ("one", "two", "three", "four")):
            self.assertEqual(self.example(*bad), 1, bad)
        self.page("README.md", "no example\n")
        self.assertEqual(len(self.faults("examples")), 1)

    def test_quotes(self):
        self.page("a.c", "int a;\nint b;\nint c;\n")
        for good in ("int b;\n", "int a;\n…\nint c;\n"):
            self.page("README.md", "[a](a.c)\n```c\n%s```\n" % good)
            self.assertEqual(self.faults("quotes"), [], good)
        for bad in ("[a](a.c)\n```c\nint d;\n```\n", "[a](a.c)\n```c\nint a;\nint c;\n```\n", "```c\nint a;\n```\n"):
            self.page("README.md", bad)
            self.assertEqual(len(self.faults("quotes")), 1, bad)

    def test_codes(self):
        self.assertEqual(self.faults("codes"), [])
        for bad in ("", FINDING * 2, FINDING.replace("Critical", "Warning"), FINDING.replace("gone", "slow"), FINDING.replace("lost", "lots")):
            self.page("docs/findings/a.md", bad)
            self.assertTrue(self.faults("codes"), bad)

    def test_keys(self):
        self.page("README.md", "`watch` (1min), `other` (2min)\n")
        self.assertEqual(self.faults("keys"), [])
        self.page("README.md", "`watch`\n(2min)\n")
        self.assertEqual(len(self.faults("keys")), 1)

    def test_links(self):
        self.page("README.md", "# A, b\n[1](docs/findings/a.md) [2](#a-b) [3](docs/findings/a.md#link-lost) [4](https://there.example/x)\n")
        self.assertEqual(self.faults("links"), [])
        self.page("README.md", "[1](docs/findings/b.md) [2](#a-b) [3](docs/findings/a.md#a-b)\n")
        self.assertEqual(len(self.faults("links")), 3)


if __name__ == "__main__":
    unittest.main()
