#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of entries.py: expected and unexpected entries of the journal."""
import unittest

from entries import complaints, ids

CATALOG = "-- %s\nSubject: link-lost: it is gone (@HBAD_CHANGE@)\n\n-- %s\nSubject: slot-limit: so\n" % ("a" * 32, "b" * 32)


def entry(change, code="link-lost", name="phy-0:0", **other):
    priority = {"cleared": "5"}.get(change, "2" if code == "link-lost" else "6")
    return dict({"HBAD_CHANGE": change, "HBAD_CODE": code, "HBAD_NAMES": name + " sda", "HBAD_SUBJECTS": "id-" + name,
                 "HBAD_SEVERITY": "critical" if code == "link-lost" else "info", "MESSAGE_ID": ids(CATALOG)[code],
                 "PRIORITY": priority, "MESSAGE": "…"}, **other)


class Entries(unittest.TestCase):
    def said(self, entries, *expected):
        return list(complaints(entries, ids(CATALOG), expected))

    def test_as_expected(self):
        both = [entry("raised"), entry("raised", "slot-limit"), entry("cleared")]
        self.assertEqual(self.said(both, "raised:link-lost@sda", "cleared:link-lost@id-phy-0:0"), [])
        self.assertEqual(self.said(both, "raised:link-lost@sda", "cleared:link-lost@sda", "raised:slot-limit@sda"), [])

    def test_each_once(self):
        self.assertEqual(self.said([], "raised:link-lost@sda"), ["no raised:link-lost@sda"])
        self.assertEqual(self.said([entry("raised")], "raised:link-lost@sda", "raised:link-lost@sda"), ["no raised:link-lost@sda"])
        self.assertEqual(self.said([entry("raised"), entry("raised", name="phy-0:1")], "raised:link-lost@phy-0:0"),
                         ["not expected: raised:link-lost@phy-0:1 sda: …"])

    def test_what_may_be(self):
        self.assertEqual(self.said([], "?raised:link-lost@sda"), [])
        self.assertEqual(self.said([entry("raised")], "?raised:link-lost@sda"), [])
        self.assertEqual(len(self.said([entry("raised"), entry("raised")], "?raised:link-lost@sda")), 1)

    def test_well_formed(self):
        self.assertEqual(self.said([entry("raised", MESSAGE_ID="b" * 32)], "raised:link-lost@sda"),
                         ["not the message id of its code: raised link-lost: …"])
        self.assertEqual(self.said([entry("raised", PRIORITY="6")], "raised:link-lost@sda"), ["priority 6: raised link-lost: …"])
        self.assertEqual(self.said([entry("cleared")], "cleared:link-lost@sda"), ["never raised: cleared link-lost: …"])


if __name__ == "__main__":
    unittest.main()
