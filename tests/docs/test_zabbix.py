#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the template for Zabbix asks a report for is there, and in the short form of it, too: test_zabbix.py TOP BIN

Its paths are few kinds of what Zabbix calls JSONPath; they are read here, and what is none of these kinds is an error.
"""
import glob
import json
import os
import re
import subprocess
import sys
import unittest

TOP, BIN = sys.argv.pop(1), sys.argv.pop(1)
EXAMPLES = os.path.join(TOP, "docs/examples")
OPTIONAL = ".summary.unexamined"  # is left out where it is 0
LIST = re.compile(r"\$\.(\w+)\[\?\(@\.(\w+) (==|!=) '([^']*)'\)\]((?:\.\w+)*)(?:\.(first|length)\(\))?")


def text(name):
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
        return file.read()


def member(value, path):
    for name in filter(None, path.split(".")):
        if value is None or (path == OPTIONAL and name not in value):
            return None
        value = value[name]
    return value


def answer(report, path):
    """What Zabbix makes of a path."""
    if re.fullmatch(r"\$(?:\.\w+)+", path):
        return member(report, path[1:])
    what, key, how, value, rest, function = LIST.fullmatch(path).groups()
    chosen = [x for x in report[what] if (x[key] == value) == (how == "==")]
    found = [member(x, rest) for x in chosen]
    return len(found) if function == "length" else (found[0] if found else None) if function == "first" else found


class Template(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        template = text("zabbix-template.yaml")
        cls.paths = [p.replace("''", "'") for p in re.findall(r"- type: JSONPATH\n +parameters:\n +- '(.*)'\n", template)]
        cls.macros = re.findall(r"lld_macro: '(.*)'\n +path: \$\.(\w+)\n", template)
        cls.short, = re.findall(r"(?m)^# UserParameter=hbad.report,(jq .*) /run/hbad/report.json$", text("zabbix-agent.conf"))
        cls.keys = re.findall(r"(?m)^ +key: '?(hbad\.[a-z.]+)", template)

    def answers(self, report):
        """Everything that the template gets of it, by path; of each link, as discovery finds them."""
        links = answer(report, "$.links[?(@.verdict != 'none')]")
        yield "macros", [[link[name] for _, name in self.macros] for link in links]
        for path in self.paths:
            if "{#ID}" in path:
                yield path, [answer(report, path.replace("{#ID}", link["id"])) for link in links]
            elif "[?(@.verdict" not in path:
                yield path, answer(report, path)

    def test_is_understood(self):
        self.assertGreater(len(self.paths), 12)
        self.assertEqual(dict(self.macros), {"{#FAR}": "far", "{#HOST}": "host", "{#ID}": "id", "{#NAME}": "kernel_name"})
        self.assertIn("hbad.link.worst", self.keys)

    def test_each_machine(self):
        """The short report gives the same as the whole, and is much shorter."""
        for case in sorted(glob.glob(os.path.join(TOP, "tests/golden/*/1.json"))):
            with self.subTest(case=case):
                run = subprocess.run([os.path.join(BIN, "hbactl"), "--capture", case, "report", "--json=short"],
                                     stdout=subprocess.PIPE, check=False)
                whole = json.loads(run.stdout)
                short = subprocess.run(["sh", "-c", self.short], input=run.stdout, stdout=subprocess.PIPE, check=True).stdout
                self.assertEqual(dict(self.answers(json.loads(short))), dict(self.answers(whole)))
                if len(whole["links"]) > 100:
                    self.assertLess(len(short), 262144 * len(whole["links"]) / 1000)

    def test_what_is_left_out_has_a_value(self):
        item = text("zabbix-template.yaml").split("'$%s'" % OPTIONAL)[1].split("master_item")[0]
        self.assertRegex(item, r"error_handler: CUSTOM_VALUE\n +error_handler_params: '0'\n")

    def test_what_is_gone_is_neither_as_it_was_nor_an_error(self):
        items = text("zabbix-template.yaml").split("item_prototypes:")[1]
        for what in "state", "verdict", "worst":
            after = items.split("].%s.first()'\n" % what)[1].split("- type")[0].split()
            self.assertEqual(after, ["error_handler:", "CUSTOM_VALUE", "error_handler_params:", "gone"], what)

    def test_what_is_not_known_is_no_silence(self):
        triggers = re.findall(r"expression: '(.*)'", text("zabbix-template.yaml"))
        for number in "unknown", "unexamined":
            self.assertEqual(len([t for t in triggers if "summary[%s]" % number in t]), 1, number)

    def test_alarms_are_of_what_nobody_has_acknowledged(self):
        triggers = re.findall(r"expression: '(.*)'", text("zabbix-template.yaml"))
        self.assertEqual([t for t in triggers if re.search(r"\.(verdict|state)\[|summary\[(below|capped)", t)], [])

    def test_no_macros_of_devices(self):
        """What Zabbix would replace in the name of a trigger, and a device may call itself."""
        pattern, by = re.search(r"JAVASCRIPT\n +parameters:\n +- 'return value.*\.replace\(/(\[.*)/g, \"(.*)\"\);'",
                                text("zabbix-template.yaml")).groups()
        links = [{"id": "a", "far": "{$SECRET} {HOST.IP} {#ID} {?last(x)} {{HOST.IP}.iregsub(a)}", "actual": {}}]
        links[0]["expected"] = {"label": "A{B"}
        cleaned = re.sub(pattern, by, json.dumps(links))
        self.assertNotRegex(json.loads(cleaned)[0]["far"], r"\{[^(]")
        unlike = dict(json.loads(cleaned)[0], far=None)
        self.assertEqual(unlike, dict(links[0], far=None, expected={"label": "A(B"}))


if __name__ == "__main__":
    unittest.main()
