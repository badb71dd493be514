#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hbactl cat-config, what of the configuration is in force: test_cat_config.py BIN"""
import json
import os
import re
import unittest

from machines import HBACTL, TESTS, Scratch, captures, hbactl, in_namespace, namespaces_work, run

SAID = """\
[link "sd*"]
expect = Ultra160
ignore = yes
[daemon]
interval = 5min
settle = 3s
[link "host "x""]
reason = two \\
  words # and no comment
[daemon]
settle =
interval = 10min
[link "sd*"]
ignore =
[device "sda"]
tier = sysfs
[nowhere]
key = value
"""


def values(text):
    """(section, key) -> value, as the text itself says it."""
    found, section = {}, None
    for line in text.split("\n"):
        if line.startswith("["):
            section = line
        elif line and not line.startswith("#"):
            key, _, value = line.partition(" = ")
            found[section, key] = value
    return found


class CatConfig(Scratch):
    def cat(self, *words, status=0):
        p = hbactl(*words, "cat-config")
        self.assertEqual(p.returncode, status, p.stderr)
        return p.stdout

    def test_in_force(self):
        path = self.file("a.conf", SAID)
        p = hbactl("--config", path, "cat-config")
        self.assertEqual((p.returncode, p.stderr),
                         (0, "hbactl: %s:17: unknown section [nowhere]: its lines are not used\n" % path))
        self.assertTrue(p.stdout.startswith("# From %s.\n# What is commented out is the default.\n" % path))
        self.assertEqual(values(p.stdout), {
            ("[daemon]", "interval"): "10min", ('[link "sd*"]', "expect"): "Ultra160",
            ('[link "host "x""]', "reason"): "two words # and no comment", ('[device "sda"]', "tier"): "sysfs"})
        self.assertIn("\n# %s:12\ninterval = 10min\n#watch = 1min\n" % path, p.stdout)

    def test_is_a_configuration_again(self):
        for path in (self.file("a.conf", SAID), os.path.join(TESTS, "config/well.conf")):
            once = self.cat("--config", path)
            twice = self.cat("--config", self.file("once.conf", once))
            self.assertEqual(values(once), values(twice))
            self.assertNotEqual(values(once), {})
            # And where the defaults are given, nothing changes.
            whole = re.sub(r"(?m)^#(?=\w+ = .)", "", once)
            p = hbactl("--config", self.file("whole.conf", whole), "cat-config")
            self.assertEqual((p.returncode, p.stderr), (0, ""))
            self.assertNotRegex(p.stdout, r"(?m)^#\w")

    def test_json(self):
        path = self.file("a.conf", SAID)
        said = json.loads(self.cat("--config", path, "--json=short"))
        by_key = {(k["section"], k["name"], k["key"]): k for k in said}
        self.assertEqual(len(by_key), len(said))
        self.assertEqual(by_key["daemon", None, "interval"],
                         {"section": "daemon", "name": None, "key": "interval", "value": "10min", "file": path, "line": 12})
        self.assertEqual(by_key["daemon", None, "settle"],
                         {"section": "daemon", "name": None, "key": "settle", "value": "2s", "file": None, "line": None})
        self.assertNotIn(("link", "sd*", "ignore"), by_key)

    def test_wrong(self):
        path = self.file("a.conf", "[daemon]\ninterval = often\n")
        p = hbactl("--config", path, "cat-config")
        self.assertEqual(p.returncode, 1)
        self.assertIn("%s:2: interval: must be " % path, p.stderr)
        self.assertEqual(values(p.stdout), {})
        p = hbactl("--config", "/nonexistent", "cat-config", "--json")
        self.assertEqual((p.returncode, p.stderr), (1, "hbactl: /nonexistent: No such file or directory\n"))
        json.loads(p.stdout)

    def test_a_capture_has_none(self):
        self.assertTrue(self.cat(*captures("spi-fusion-u320-fine")).startswith("# There is no file of configuration.\n"))

    @unittest.skipUnless(namespaces_work(), "no user namespaces")
    def test_of_this_machine(self):
        drop_ins = os.path.join(self.dir, "etc/hbad/hbad.conf.d")
        os.makedirs(drop_ins)
        for name, text in (("../hbad.conf", "[daemon]\ninterval = 1h\nsettle = 4s\n"), ("50-a.conf", "[daemon]\ninterval = 2h\n")):
            with open(os.path.join(drop_ins, name), "w", encoding="utf-8") as file:
                file.write(text)
        p = run(*in_namespace("mount --bind %s/etc /etc" % self.dir, HBACTL, "cat-config"))
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertTrue(p.stdout.startswith("# From /etc/hbad/hbad.conf,\n#      and /etc/hbad/hbad.conf.d/50-a.conf.\n"), p.stdout)
        self.assertIn("\n# /etc/hbad/hbad.conf.d/50-a.conf:2\ninterval = 2h\n#watch = 1min\n#counters = 5min\n#costly_reads = 600\n# /etc/hbad/hbad.conf:3\nsettle = 4s\n", p.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
