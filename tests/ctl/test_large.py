#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A machine of 3,000 disks fits on a page or two, and the odd one of them is seen: test_large.py BIN"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from machines import TESTS, hbactl

DISKS, ODD, DISK = 3000, "phy-7:0:9", "7:0:5:0"
# Negotiated rate 12.0 and 6.0 Gb/s in the phy descriptors of mode page 19h/01h and log page 18h (SPL-4).
FAST, SLOW = "211b0202", "211a0202"


class Large(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix="hbad-large-")
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        cls.even, cls.odd = os.path.join(cls.dir, "even.json"), os.path.join(cls.dir, "odd.json")
        subprocess.run([sys.executable, os.path.join(TESTS, "bench/generate.py"), "capture", cls.even,
                        "--luns", str(DISKS), "--luns-per-target", "1"], check=True)
        with open(cls.even, encoding="utf-8") as file:
            text = file.read()
        for command in re.findall(r'\n(\{"device":"%s",.*%s.*)' % (DISK, FAST), text):
            text = text.replace(command, command.replace(FAST, SLOW, 1))
        directory = re.search(r'\n("[^"\n]*/sas_phy/%s"):(\{.*\})' % ODD, text)
        phy = json.loads(directory[2])
        assert phy["negotiated_linkrate"] == "12.0 Gbit\n"
        phy["negotiated_linkrate"] = "6.0 Gbit\n"
        with open(cls.odd, "w", encoding="utf-8") as file:
            file.write(text[:directory.start(2)] + json.dumps(phy) + text[directory.end(2):])

    def test_equal_neighbours_are_folded(self):
        p = hbactl("--capture", self.even)
        self.assertEqual(p.returncode, 0)
        self.assertLess(p.stdout.count("\n"), DISKS / 5)
        self.assertIn("No link is seen to run below", p.stdout)
        folded = sum(int(n) for n in re.findall(r"(\d+) x SEAGATE", p.stdout))
        alone = len(re.findall(r"- phy-\S+ +SEAGATE", p.stdout))
        self.assertEqual(folded + alone, DISKS)

    def test_the_odd_one_is_shown(self):
        p = hbactl("--capture", self.odd)
        self.assertEqual(p.returncode, 1)
        rows = [line for line in p.stdout.splitlines() if re.search(r"- %s\b" % ODD, line)]
        self.assertEqual(len(rows), 1, rows)
        self.assertRegex(rows[0], r"6\.0 Gb/s .*BELOW")
        self.assertRegex(p.stdout, r"warning: %s \(SEAGATE \w+\) runs at 6\.0 Gb/s; both ends can do 12\.0 Gb/s" % ODD)
        self.assertIn("\n1 of ", p.stdout)

    def test_the_page_is_bounded_and_begins_with_the_odd_one(self):
        page = hbactl("--capture", self.odd, "report", "--html", "-").stdout
        report = hbactl("--capture", self.odd, "report", "--json=short").stdout
        self.assertLess(len(page), len(report) / 2)
        self.assertEqual(page.count('<tr id="l'), len(json.loads(report)["links"]))
        self.assertEqual(page.count('<tr id="d'), DISKS)
        self.assertLess(page.count("<tspan"), DISKS)                        # what is alike shares a row of a map,
        self.assertLess(page.count('<article class="why"'), DISKS / 5)     # and an argument;
        self.assertEqual(page.count('<div class="adapter">'), 1)            # and only the adapter of the odd one is not folded
        top = page[:page.index("</section>")]
        self.assertIn('href="#f0">%s (SEAGATE' % ODD, top)
        self.assertIn("1 of them runs below its expected mode.", top)
        self.assertEqual(len(re.findall(r'class="bar below"', page)), 1)

    def test_and_found_by_name(self):
        p = hbactl("--capture", self.odd, "show", ODD, "--json")
        link = json.loads(p.stdout)
        self.assertEqual((link["kernel_name"], link["verdict"]), (ODD, "below"))


if __name__ == "__main__":
    unittest.main()
