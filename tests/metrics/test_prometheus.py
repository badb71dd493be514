#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does prometheus.py notice what is wrong?"""
import unittest

from prometheus import parse

HEAD = "# HELP hba_x Text.\n# TYPE hba_x gauge\n"


class Parse(unittest.TestCase):
    def test_good(self):
        x = parse(HEAD + 'hba_x{a="1\\n\\"\\\\",b="ü"} 1.5\nhba_x 0\n')["hba_x"]
        self.assertEqual(x.value(a='1\n"\\', b="ü"), 1.5)
        self.assertEqual(x.value(), 0)

    def test_bad(self):
        for text in ("", HEAD + "hba_x 1", "hba_x 1\n", HEAD + "hba_y 1\n", HEAD + "hba_x 1 1700000000\n",
                     HEAD + "hba_x 1\nhba_x 2\n", HEAD + "hba_x 1\n" + HEAD + "hba_x 1\n", HEAD + HEAD.replace("_x", "_y"),
                     HEAD + 'hba_x{a="1"b="2"} 1\n', HEAD + 'hba_x{a="1} 1\n', HEAD + 'hba_x{a="\\t"} 1\n',
                     HEAD + 'hba_x{a=""} 1\n', HEAD + 'hba_x{le="1"} 1\n', HEAD + 'hba_x{a="1",a="2"} 1\n',
                     HEAD + 'hba_x{aB="1"} 1\n', HEAD + "hba_x NaN\n", HEAD + "hba_x -1\n", HEAD + "hba_x 1\n\n",
                     "# HELP hba_x Text.\nhba_x{} 1\n", HEAD.replace("_x", "_x_total") + "hba_x_total 1\n",
                     HEAD.replace("gauge", "counter") + "hba_x 1\n", HEAD.replace("gauge", "untyped") + "hba_x 1\n",
                     HEAD.replace("_x", "_ms") + "hba_ms 1\n", HEAD.replace("_x", "_bits_per_second") + "hba_bits_per_second 1\n",
                     HEAD.replace("_x", "_X") + "hba_X 1\n", HEAD.replace("_x", "_x_count") + "hba_x_count 1\n",
                     HEAD.replace("_x", "_x_gauge") + "hba_x_gauge 1\n", HEAD + 'hba_x{a="\x1b"} 1\n'):
            with self.subTest(text), self.assertRaises(ValueError):
                parse(text)


if __name__ == "__main__":
    unittest.main()
