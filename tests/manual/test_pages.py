#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Manual pages say all that there is and nothing that is not, and what they show comes out: test_pages.py PROGRAMS PAGES"""
import fnmatch
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from page import Page, plain

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOLDEN = os.path.join(ROOT, "tests", "golden")
# What examples show, by the name that it has there.
SHOWN = {"server.json": os.path.join(GOLDEN, "spi-fusion-one-at-half-rate", "1.json")}
PAGES = os.path.abspath(sys.argv.pop(2))
PROGRAMS = os.path.abspath(sys.argv.pop(1))
COLUMNS = 68  # of 80, what is left of it below two indents


def run(*words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)


def hbactl(*words):
    return run(os.path.join(PROGRAMS, "hbactl"), *words).stdout.decode()


def source(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def complete(*words):
    return [line.split("\t")[0] for line in hbactl("complete", "--", *words).splitlines()]


# As they are built: with what is generated.
ALL = {os.path.basename(p)[:-len(".scd")]: Page(p) for p in glob.glob(os.path.join(PAGES, "*.scd"))}


class Said(unittest.TestCase):
    """All that there is, and nothing else."""

    maxDiff = None

    def test_pages(self):
        sources = run("git", "-C", ROOT, "ls-files", "*.scd").stdout.decode().split() or glob.glob(ROOT + "/*/**/*.scd", recursive=True)
        self.assertGreaterEqual(len(ALL), 9)
        self.assertLessEqual(set(ALL), {os.path.basename(p)[:-len(".scd")] for p in sources})
        for name, page in ALL.items():
            self.assertTrue(page.text.startswith("%s(%s)\n" % tuple(name.rsplit(".", 1))), name)

    def test_verbs(self):
        terms = [plain(t) for t in ALL["hbactl.1"].terms("COMMANDS")]
        self.assertEqual([t.split()[0] for t in terms], complete(""))
        help_text = hbactl("--help").replace("report [--json|--html FILE]", "report")
        for term in terms:
            self.assertIn("\n  %s " % term, help_text)

    def test_options_of_hbactl(self):
        """With what their argument is called."""
        forms = re.findall(r"(?m)^  (?:(-\w)(?:, )?| {2,4}) ?(--\S+(?: [A-Z][\w,.]*| [a-z]+\|[a-z|]+)?)?(?=  |$)", hbactl("--help"))
        forms = {f for pair in forms for f in pair if f}
        self.assertEqual({f.split("[")[0].split(" ")[0] for f in forms if f.startswith("--")}, set(complete("--")))
        page = ALL["hbactl.1"]
        headings = [h for h in page.sections if h == "OPTIONS" or h.startswith("Of ")]
        said = {f for term in page.terms(*headings) for f in plain(term).split(", ")}
        self.assertEqual(said, forms)

    def test_options_of_the_others(self):
        for page, path in (("hbad.8", "daemon/main.c"), ("hbad-collect.8", "daemon/collect_options.c"),
                           ("hbad-exporter.8", "exporter/main.c")):
            if page not in ALL:
                continue
            table = re.search(r"struct option OPTIONS\[\] = \{(.*?)\};", source(path), re.S).group(1)
            rows = dict(re.findall(r'\{ "([\w-]+)", (\w+)_argument', table))
            said = {}
            for term in ALL[page].terms():
                for name, argument in re.findall(r"--([\w-]+)(\[?=)?", plain(term)):
                    said[name] = {"": "no", "=": "required", "[=": "optional"}[argument]
            self.assertEqual(said, rows, page)
            text = run(os.path.join(PROGRAMS, page[:-2]), "--help").stdout.decode()
            self.assertEqual({n for n in rows if "--" + n not in text and n not in ("help", "version")}, set(), page)

    def test_keys(self):
        rows = re.findall(r'(?m)^    \{ "(\w+)", "(\w+)", CONFIG_\w+, "([^"]*)"', source("lib/config/keys.c"))
        self.assertGreater(len(rows), 30)
        said = [(h.strip("[]").split()[0], plain(t).split(" = ")[0])
                for h in ALL["hbad.conf.5"].sections if h.startswith("[") for t in ALL["hbad.conf.5"].terms(h)]
        self.assertEqual(said, [row[:2] for row in rows])
        for _, key, standard in rows:
            if standard:
                self.assertRegex(plain(ALL["hbad.conf.5"].text), r"\n%s = .*\n\t.* Default: %s\b" % (key, standard))

    def test_codes(self):
        entries = json.loads("[%s]" % hbactl("explain", "codes", "--json=short").strip().replace("\n", ","))
        page = ALL["hbad-findings.7"]
        self.assertGreater(len(entries), 15)
        for entry in entries:
            text = plain("\n".join(page.sections[entry["code"]])).lower()
            for said in entry["causes"] + entry["remedies"] + [entry["title"]]:
                self.assertIn(said.lower(), text)
        headings = set(page.sections)
        self.assertEqual({h for h in headings if h.islower()} - {""}, {e["code"] for e in entries})

    def check_members(self, schema, lines, what):
        """Members of an object of a schema: a star behind those that are always there."""
        said = {m: bool(star) for line in lines for m, star in re.findall(r"\*([\w\\]+)\*(\\\*)?", line)}
        said = {m.replace("\\", ""): star for m, star in said.items()}
        self.assertEqual(said, {m: m in schema["required"] for m in schema["properties"]}, what)

    def test_report(self):
        schema, page = json.loads(source("lib/output/report.schema.json")), ALL["hbad-report.7"]
        objects = {"REPORT": schema, "MEASURES": schema["$defs"]["timed"], "COMMANDS": schema["$defs"]["sent"],
                   "GAPS": schema["$defs"]["gap"]}
        objects.update({name.upper(): x for name, x in schema["$defs"].items() if name not in ("timed", "sent", "gap")
                        and x.get("type") == "object"})
        for heading, x in objects.items():
            self.check_members(x, page.terms(heading), heading)
        finding = schema["$defs"]["finding"]["properties"]
        lines = page.sections["FINDING"]
        for member, x in (("evidence", finding["evidence"]["items"]), ("acknowledged", finding["acknowledged"])):
            at = lines.index(next(t for t in lines if t.startswith("*%s*" % member)))
            self.check_members(x, lines[at + 1:at + 2], member)

    def test_alert(self):
        schema = json.loads(source("lib/output/alert.schema.json"))
        said = {m for t in ALL["hbad-alert.8"].terms("THE ALERT") for m in plain(t).split(", ")}
        self.assertEqual(said, set(schema["properties"]))

    def test_capture(self):
        code = source("lib/source/capture_read.c")
        tables = re.findall(r"static const struct (?:member MEMBERS|\{[^}]*\} MEMBERS)\[\] = \{(.*?)\n +\};|MEMBERS\[\] = \{(.*?)\n\};", code, re.S)
        members = {m for pair in tables for m in re.findall(r'(?:\{ |NUMBER\()"([\w-]+)"', "".join(pair))}
        self.assertGreater(len(members), 40)
        text = plain(ALL["hbad-capture.5"].text)
        self.assertEqual({m for m in members if not re.search(r"(?<![\w-])%s(?![\w-])" % m, text)}, set())
        said = {m for heading in ("MEMBERS", "TAKEN", "COMMANDS", "MEASURES") for t in ALL["hbad-capture.5"].terms(heading)
                for m in plain(t).split(", ")}
        self.assertEqual(said - members, set())


def counter(transport, what, key):
    """The name of a link's counter, from that of its key: lib/output/metrics.h."""
    name = re.sub(r"^%s_|_count$" % what, "", key).replace("megabytes", "bytes")
    name = re.sub(r"(_dword|_word|_error|_failure|_problem)$", r"\1s", name)
    return "hba_%s_%s_%s_total" % (transport, what, name)


class Metrics(unittest.TestCase):
    maxDiff = None

    KEY = r'\{ "(\w+)", FACT_NUMBER,\s+FACT_(?:COUNTER|ERRORS|SOFT_ERRORS|EVENTS) \}'
    # Counted of something that is no link.
    OTHERS = {"zero_req_lim", "failed_reconnects"}

    def counters(self):
        for transport, what, path in (("sas", "phy", "sas"), ("iscsi", "link", "iscsi_net"), ("srp", "link", "srp"),
                                      ("usb", "link", "usb_tree"), ("pcie", "link", "pcie")):
            for key in set(re.findall(self.KEY, source("lib/transport/%s.c" % path))) - self.OTHERS:
                yield counter(transport, what, key)
        for key in re.findall(r"(?m)^ +X\((\w+), \w+\)", source("lib/transport/fc.h")):
            yield counter("fc", "port", key)

    def test_metrics(self):
        families = set(re.findall(r'"(hbad?_[a-z_]+)"', source("lib/output/metrics.c") + source("daemon/metrics.c")))
        self.assertGreater(len(families), 40)
        counters = set(self.counters())
        said = {name.replace("\\", "") for name in re.findall(r"\*(hbad?\\_[a-z\\_]+[a-z])\*", ALL["hbad-metrics.7"].text)}
        self.assertEqual(said, families | counters)
        for case in glob.glob(os.path.join(GOLDEN, "*", "1.json")):
            written = set(re.findall(r"(?m)^# TYPE (\w+)", hbactl("--capture", case, "metrics")))
            self.assertEqual(written - said, set(), case)

    def test_labels(self):
        written = {}
        for case in glob.glob(os.path.join(GOLDEN, "*", "1.json")):
            for name, labels in re.findall(r"(?m)^(\w+)\{(.*)\} ", hbactl("--capture", case, "metrics")):
                written.setdefault(name, set()).update(re.findall(r'(?:^|,)(\w+)="', labels))
        for term in ALL["hbad-metrics.7"].terms("THE REPORT", "HOSTS", "LINKS", "DEVICES", "READS THAT WERE TIMED"):
            for name, labels in re.findall(r"(hba_\w+)(?:\{([\w, ]*)\})?", plain(term)):
                if name in written:
                    self.assertLessEqual(written[name], set(labels.split(", ")), name)


class Form(unittest.TestCase):
    """They can be read."""

    def test_rendering(self):
        self.assertTrue(shutil.which("groff"), "groff-base is not installed")
        for name in ALL:
            done = run("groff", "-Kutf8", "-man", "-ww", "-Tutf8", os.path.join(PAGES, name))
            self.assertEqual(done.stderr.decode(), "", name)
            text = re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout.decode())
            self.assertEqual([line for line in text.splitlines() if len(line) > 80], [], name)
            self.assertNotRegex(text, "\u2010\n")

    def test_sections(self):
        for name, page in ALL.items():
            wanted = ["NAME", "DESCRIPTION", "EXAMPLES", "SEE ALSO"]
            if name.endswith((".1", ".8")):
                wanted += ["SYNOPSIS", "FILES", "EXIT STATUS"]
            self.assertEqual([h for h in wanted if h not in page.sections], [], name)
            self.assertRegex("\n".join(page.sections["NAME"]), r"\n%s - [^\n]*[^.]\n" % page.name)
            self.assertEqual(list(page.sections)[-1], "SEE ALSO", name)

    def test_references(self):
        """To pages that there are; each is led to from another one."""
        led = set()
        for name, page in ALL.items():
            for other, section in page.references():
                ours = "%s.%s" % (other, section)
                if other.startswith(("hba", "hbad")):
                    self.assertIn(ours, set(ALL) | {"hbad-exporter.8"}, name)
                    led |= {ours} - {name}
            see = re.findall(r"\*([\w.-]+)\*\(\d\)", "\n".join(page.sections["SEE ALSO"]))
            self.assertEqual(len(see), len(set(see)), name)
            self.assertNotIn(page.name, see)
        self.assertEqual(set(ALL) - led, set())

    def test_units_lead_to_pages(self):
        units = glob.glob(os.path.join(ROOT, "units", "*.socket")) + glob.glob(os.path.join(ROOT, "units", "*.service.in"))
        self.assertGreaterEqual(len(units), 10)
        for unit in units:
            led = re.findall(r"(?m)^Documentation=man:([\w-]+)\((\d)\)$", source(unit))
            self.assertEqual(len(led), 1, unit)
            self.assertIn("%s.%s" % led[0], set(ALL) | {"hbad-exporter.8"}, unit)


class Examples(unittest.TestCase):
    """What is shown comes out, and what is to be typed is understood."""

    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        for name, path in SHOWN.items():
            shutil.copy(path, os.path.join(self.folder, name))

    def shell(self, command):
        done = run("sh", "-c", command, cwd=self.folder, env=dict(
            os.environ, PATH=PROGRAMS + ":" + os.environ["PATH"], COLUMNS=str(COLUMNS), LC_ALL="C.UTF-8"))
        self.assertEqual(done.stderr.decode(), "", command)
        return done.stdout.decode().splitlines()

    def check_output(self, command, shown):
        """A line that is "..." stands for any number of lines, "..." at the end of one for its rest."""
        wanted = "\n".join("*" if line == "..." else re.sub(r"([\[*?])", r"[\1]", line) for line in shown)
        wanted = re.sub(r"\.\.\.(?=\n|$)", "*", wanted)
        got = "\n".join(self.shell(command))
        self.assertTrue(fnmatch.fnmatchcase(got, wanted), "%s\n-- shown\n%s\n-- comes out\n%s" % (command, wanted, got))

    def test_what_is_shown_comes_out(self):
        shown = 0
        for page in ALL.values():
            for block in page.blocks:
                command, lines = None, []
                for line in block + ["$ "]:
                    if line.startswith("$ "):
                        if command:
                            self.check_output(command, lines)
                            shown += 1
                        command, lines = line[2:], []
                    elif command and (command.endswith(("|", "\\")) or command.count("'") % 2):
                        command += "\n" + line
                    elif command:
                        lines.append(line)
        self.assertGreaterEqual(shown, 6)

    def test_commands_are_understood(self):
        verbs, options, n = set(complete("")), set(complete("--")), 0
        for name, page in ALL.items():
            for line in (line for block in page.blocks for line in block):
                words = shlex.split(line.lstrip("$ ").split("|")[0], comments=True) if line.lstrip("$ ").startswith("hbactl ") else []
                given = {w.split("=")[0] for w in words if w.startswith("--")}
                self.assertLessEqual(given, options, name)
                if words:
                    n += 1
                    self.assertTrue(verbs & set(words) or given, line)
        self.assertGreater(n, 15)

    def test_configuration(self):
        blocks = [b for b in ALL["hbad.conf.5"].blocks if b[0].startswith("[")]
        self.assertGreaterEqual(len(blocks), 3)
        for block in blocks:
            path = os.path.join(self.folder, "site.conf")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(block) + "\n")
            self.assertIn(block[1], "\n".join(self.shell("hbactl --config site.conf cat-config")))

    def test_capture(self):
        text = "\n".join(next(b for b in ALL["hbad-capture.5"].blocks if '"hbad-capture"' in b[0]))
        with open(os.path.join(self.folder, "page.json"), "w", encoding="utf-8") as file:
            file.write(text)
        self.assertTrue(json.loads(text))
        self.assertIn("host0", "".join(self.shell("hbactl --capture page.json list hosts --no-legend")))

    def test_programs_in_python(self):
        blocks = [b for page in ALL.values() for b in page.blocks if any(line.startswith("import ") for line in b)]
        self.assertGreaterEqual(len(blocks), 2)
        for block in blocks:
            compile("\n".join(block), "example", "exec")


if __name__ == "__main__":
    unittest.main()
