#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each rule of rules.py finds what is planted for it, and nothing in what is right."""
import os
import sys
import unittest

import rules

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SPDX = "/* SPDX-License-" "Identifier: LGPL-2.1-or-later */\n"

# rule: (path, right, wrong)
PLANTED = {
    "spdx": ("lib/base/x.c", SPDX, "int x;\n"),
    "file_length": ("lib/base/x.c", SPDX + "/* Longer than most: why. */\n" + "\n" * 700, SPDX + "\n" * 700),
    "function_length": ("lib/base/x.c", "int f(void)\n{\n" + "    x();\n" * 57 + "}\n", "int f(void)\n{\n" + "    x();\n" * 58 + "}\n"),
    "unfinished": ("README.md", "all done\n", "TO" "DO: all\n"),
    "of_one_machine": ("run", "see /usr/share/doc and a/work/b\n", "see /wo" "rk/main\n"),
    "registries": ("run", "see https://www.debian.org/\n", "fetch http://deb." "debian.org/debian\n"),
    "includes": ("lib/base/x.c", '#include "base/x.h"\n#include <string.h>\n', '#include <string.h>\n#include "base/x.h"\n'),
    "pragma_once": ("lib/base/x.h", SPDX + "#pragma once\n", SPDX),
    "transports": ("lib/output/x.c", "/* SAS and SPI */\n\"transport\"\n", 'if (strcmp(l->transport, "sas") == 0)\n'),
    "well_formed_json": ("x.json", "{}\n", "{,}\n"),
    "well_formed_hex": ("x.hex", "# INQUIRY\n00 0a fF # end\n", "00 0\n"),
    "clean_text": ("x.c", "a b\n", "a \n"),
}


class Rules(unittest.TestCase):
    def faults(self, name, path, text):
        self.assertTrue(rules.applies(name, path))
        extra = {"top": TOP} if name == "spdx" else {}
        return list(rules.RULES[name][0](path, text, **extra))

    def test_every_rule_is_planted(self):
        self.assertEqual(set(PLANTED), set(rules.RULES))

    def test_right_is_right(self):
        for name, (path, right, _) in PLANTED.items():
            with self.subTest(rule=name):
                self.assertEqual(self.faults(name, path, right), [])

    def test_planted_is_found(self):
        for name, (path, _, wrong) in PLANTED.items():
            with self.subTest(rule=name):
                self.assertEqual(len(self.faults(name, path, wrong)), 1)

    def test_more_plants(self):
        for name, path, wrong in (
                ("spdx", "docs/examples/x", SPDX),
                ("spdx", "lib/base/x.c", SPDX.replace("LGPL-2.1-or-later", "CC0-1.0")),
                ("includes", "lib/base/x.c", '#include "../base/y.h"\n'),
                ("includes", "lib/base/x.c", '#include "y.h"\n'),
                ("transports", "lib/link/x.h", "int is_fc_host;\n"),
                ("transports", "ctl/x.c", 'puts("iSCSI");\n'),
                ("clean_text", "x.py", "\tx\n"),
                ("clean_text", "x.1.scd", "x\tx\n"),
                ("clean_text", "x.py", "x"),
        ):
            with self.subTest(rule=name, wrong=wrong):
                self.assertTrue(self.faults(name, path, wrong))

    def test_the_walk_sees_the_tree(self):
        seen = set(rules.files(TOP))
        self.assertLessEqual({"run", "test", ".ci/run", "lib/base/bytes.c", "tests/lint/rules.py"}, seen)
        self.assertFalse([path for path in seen if path.startswith("build")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
