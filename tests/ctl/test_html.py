#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of hbactl report --html: well formed, nothing in it that runs or is fetched, all of the report in it, and nothing
that a device says is markup: test_html.py BIN"""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ET

import test_bench
from machines import GOLDEN, TESTS, Scratch, cases, captures, hbactl

CSS = os.path.join(os.path.dirname(TESTS), "lib/output/page.css")
SIGNS = {"ok": "✓", "below": "▼", "capped": "◆", "unknown": "?", "none": "–", "down": "✕", "empty": "○", "disabled": "‖"}
HOSTILE = "<script>alert(1)</script>\"'&amp;<!--]]>"
BLANK = re.compile(r"\s+")


def text_of(element):
    return BLANK.sub(" ", "".join(element.itertext())).strip()


def parse(page):
    return ET.fromstring(page[page.index("\n") + 1:])           # the doctype is HTML's, which has none for XML


def page_of(*words):
    run = hbactl(*words, "report", "--html", "-")
    assert run.returncode == 0, run.stderr
    return run.stdout


class Page:
    def __init__(self, page):
        self.text = page
        self.root = parse(page)
        self.elements = list(self.root.iter())
        self.ids = [e.get("id") for e in self.elements if e.get("id")]
        self.by_id = {e.get("id"): e for e in self.elements if e.get("id")}

    def section(self, name):
        return next(s for s in self.root.iter("section") if s.get("aria-labelledby") == name)


def on_each(check):
    """A test of each case's page."""
    def test(self):
        for case, page in self.pages.items():
            with self.subTest(case=case):
                check(self, page, self.reports[case])
    test.__doc__ = check.__doc__
    return test


class Everything(unittest.TestCase):
    """All cases."""

    @classmethod
    def setUpClass(cls):
        cls.pages, cls.reports = {}, {}
        for case in cases():
            words = captures(case)
            cls.pages[case] = Page(page_of(*words))
            cls.reports[case] = json.loads(hbactl(*words, "report", "--json").stdout)

    @on_each
    def test_nothing_runs_and_nothing_is_fetched(self, page, _):
        self.assertFalse([e.tag for e in page.elements if e.tag.lower() in
                          ("script", "iframe", "object", "embed", "img", "image", "link", "base", "form", "use", "foreignObject")])
        for e in page.elements:
            for name, value in e.attrib.items():
                self.assertFalse(name.startswith("on") or name in ("src", "srcset", "action", "ping", "background"), name)
                if "href" in name:
                    self.assertRegex(value, r"^#\w+$")
        self.assertNotRegex(page.text, r"https?:|url\(|@import|javascript:")
        policy = page.root.find("head/meta[@http-equiv='Content-Security-Policy']").get("content")
        self.assertRegex(policy, r"^default-src 'none'; style-src 'unsafe-inline';")

    @on_each
    def test_places(self, page, _):
        self.assertEqual(len(page.ids), len(set(page.ids)))
        wanted = {e.get("href")[1:] for e in page.elements if e.get("href")}
        self.assertFalse(wanted - set(page.ids))
        for name in ("aria-labelledby", "aria-describedby"):
            self.assertFalse({i for e in page.elements for i in e.get(name, "").split()} - set(page.ids))

    @on_each
    def test_readers_of_the_screen(self, page, _):
        self.assertEqual(page.root.get("lang"), "en")
        levels = [int(e.tag[1]) for e in page.elements if re.fullmatch("h[1-6]", e.tag)]
        self.assertEqual(levels.count(1), 1)
        self.assertFalse([b for a, b in zip([0] + levels, levels) if b > a + 1], levels)
        for svg in page.root.iter("svg"):
            self.assertEqual([e.tag for e in list(svg)[:2]], ["title", "desc"])
            self.assertTrue(all(text_of(e) for e in list(svg)[:2]))
        for th in page.root.iter("th"):
            self.assertIn(th.get("scope"), ("col", "row"))
        for e in page.root.iter("section"):
            self.assertTrue(e.get("aria-labelledby"))

    @on_each
    def test_every_link_is_there_and_as_it_is_judged(self, page, report):
        for i, link in enumerate(report["links"]):
            row = page.by_id["l%d" % i]
            self.assertEqual(text_of(row.find("th")), link["kernel_name"])
            verdict = row.find("td/b")
            kind = link["state"] if link["state"] in ("down", "empty", "disabled") else link["verdict"]
            self.assertEqual(verdict.get("class"), "v " + kind)
            self.assertEqual(text_of(verdict).split()[0], SIGNS[kind])
            self.assertEqual(text_of(verdict).split()[1].lower(), kind)
            if link["actual"]:
                self.assertIn(link["actual"]["label"] or "", text_of(row))
            if kind in ("below", "capped"):
                self.assertIn(link["expected"]["label"], text_of(row))
            for code in link["findings"]:
                self.assertIn(code, text_of(row))

    @on_each
    def test_what_is_found_of_a_device_is_at_its_link(self, page, report):
        """Each finding that names a link or a device on it is there once, and in the map where it is more than info and no other is."""
        shown = {a.get("href"): text_of(a) for a in page.root.iter("a") if a.find("text") is not None}
        for i, link in enumerate(report["links"]):
            ids = {link["id"]} | {d["id"] for d in report["devices"] if d["link"] == link["id"]}
            about = [n for n, f in enumerate(report["findings"]) if ids & set(f["subjects"])]
            self.assertEqual(sorted(a.get("href") for a in page.by_id["l%d" % i].iter("a") if a.get("href").startswith("#f")),
                             sorted("#f%d" % n for n in about))
            worst = [f["code"] for f in (report["findings"][n] for n in about) if f["severity"] != "info"]
            self.assertEqual(len(worst), len([b for b in page.by_id["l%d" % i].findall("td/b")[1:] if text_of(b) == "▲"]))
            if worst and link["verdict"] == "ok" and link["state"] == "up" and "#l%d" % i in shown:
                self.assertRegex(shown["#l%d" % i], "▲ (%s)" % "|".join(worst))

    @on_each
    def test_what_is_not_known_is_never_well(self, page, report):
        """No picture and no table shows a link as well that the report does not."""
        well = {l["kernel_name"] for l in report["links"] if l["verdict"] == "ok" and l["state"] == "up"}
        for row in page.root.iter("a"):
            words = row.find("text")
            if words is None:
                continue
            link = report["links"][int(row.get("href")[2:])]
            if link["kernel_name"] not in well:
                self.assertFalse({"ok", "bar ok", "m ok"} & {e.get("class") for e in row.iter()}, link["kernel_name"])
                self.assertNotIn("✓", text_of(row))
        stand = page.root.find(".//section[@class]")
        if report["summary"]["worst"] in ("warning", "critical"):
            self.assertEqual(stand.get("class"), "stand " + report["summary"]["worst"])
        else:
            summary = report["summary"]
            judged = summary["ok"] or summary["below"] or summary["capped"]
            open_ = summary.get("unexamined") or any(l["verdict"] == "unknown" and l["state"] in ("up", "unknown") and "bundle" not in l
                                                     for l in report["links"])
            self.assertEqual(stand.get("class"), "stand ok" if judged and not open_ else "stand unknown")

    @on_each
    def test_every_finding_is_there(self, page, report):
        for i, finding in enumerate(report["findings"]):
            article = page.by_id["f%d" % i]
            words = text_of(article)
            self.assertEqual(text_of(article.find("h3")), finding["severity"] + " " + BLANK.sub(" ", finding["summary"]))
            for e in finding["evidence"]:
                self.assertIn(BLANK.sub(" ", e["value"]), words)
            around = text_of(next(d for d in page.root.iter("details") if article in list(d.iter())))
            for sentence in finding["causes"] + finding["remedies"]:
                self.assertIn(sentence, around)

    @on_each
    def test_every_device_and_host_is_there(self, page, report):
        for i, device in enumerate(report["devices"]):
            words = text_of(page.by_id["d%d" % i])
            for key in ("hctl", "vendor", "model", "revision", "serial", "type"):
                self.assertIn(BLANK.sub(" ", device[key] or "").strip(), words)
        versions = text_of(page.by_id["hosts"])
        for host in report["hosts"]:
            for key in ("kernel_name", "driver", "driver_version", "model", "firmware"):
                self.assertIn(BLANK.sub(" ", host[key] or "").strip(), versions)

    @on_each
    def test_what_could_not_be_seen_is_said(self, page, report):
        words = text_of(page.section("unseen"))
        for gap in report.get("gaps", []):
            self.assertIn(gap["what"], words)
        for note in report.get("notes", []):
            self.assertIn(BLANK.sub(" ", note), words)

    def test_arguments_are_those_of_explain(self):
        """The sentences that explain prints of a link are in the argument that its row points to."""
        for case in ("spi-fusion-one-at-half-rate", "mixed-large-two-faults", "sata-libata-force-3g", "spi-parity-ladder"):
            page, report = self.pages[case], self.reports[case]
            hosts = [h["kernel_name"] for h in report["hosts"]]
            for i, link in enumerate(report["links"][:40]):
                if link["transport"] == "pcie" or link["kernel_name"] in hosts:     # by its name explain finds the adapter
                    continue
                place = next(a.get("href")[1:] for a in page.by_id["l%d" % i].iter("a") if a.text == "why")
                argument = text_of(page.by_id[place])
                said = hbactl(*captures(case), "explain", link["kernel_name"]).stdout
                rule = said.split("\n\n")[1]
                for line in rule.split("\n"):
                    self.assertIn(BLANK.sub(" ", line).strip(), argument, link["kernel_name"])
                for claim in link["witnesses"] + link["able"] + link.get("allowed", []):
                    self.assertIn(claim["via"], argument)

    @unittest.skipUnless(shutil.which("tidy"), "tidy is not here")
    @on_each
    def test_tidy_has_nothing_to_say(self, page, _):
        # tidy 5.6 knows neither links of SVG nor headings in a summary (HTML, 4.11.2: "optionally intermixed with heading content")
        known = re.compile(r"<a> proprietary attribute \"href\"$|missing </summary> before <h3>|unexpected </summary>$")
        run = subprocess.run(["tidy", "-q", "-e", "--drop-empty-elements", "no"], input=page.text, stderr=subprocess.PIPE, encoding="utf-8")
        self.assertFalse([line for line in run.stderr.splitlines() if not known.search(line)])


class Hostile(Scratch):
    """Text that comes from devices."""

    def page(self, *changes, case="spi-fusion-one-at-half-rate"):
        with open(os.path.join(GOLDEN, case, "1.json"), encoding="utf-8") as file:
            text = file.read()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return Page(page_of("--capture", self.file("1.json", text)))

    def test_markup_is_text(self):
        model, evil = (text.ljust(16).encode().hex() for text in ("ST3146807LC", "<script>alert(1)"))
        page = self.page((model, evil), ("LSI53C1030 B2", json.dumps(HOSTILE)[1:-1]))
        self.assertFalse(list(page.root.iter("script")))
        self.assertNotIn("<script", page.text)
        for place in ("d0", "l2", "f0"):
            self.assertIn("<script>alert(1)", text_of(page.by_id[place]))
        self.assertIn(HOSTILE, text_of(page.by_id["hosts"]))
        self.assertIn("<script>alert", page.root.find(".//svg/desc").text)

    def test_what_readers_obey_is_not_written(self):
        page = self.page(("3.04.20", "a\\u0001b\\u001bc\\u007fd\\u0085e\\u202ef\\ufffeg\\uffffh"))
        self.assertRegex(text_of(page.by_id["hosts"]), "a.+b.+c.+d.+e.+f.+g.+h")
        self.assertNotRegex(page.text, r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")

    def test_what_is_no_utf8(self):
        name = self.file("1.json", "")
        with open(os.path.join(GOLDEN, "spi-fusion-one-at-half-rate", "1.json"), "rb") as file:
            text = file.read()
        hexed = "3.04.20\n".encode().replace(b"4", b"\xff").hex()
        text = re.sub(rb'"3\.04\.20\\n"', b'{"hex": "%s"}' % hexed.encode(), text)
        self.assertIn(hexed.encode(), text)
        with open(name, "wb") as file:
            file.write(text)
        self.assertRegex(text_of(Page(page_of("--capture", name)).by_id["hosts"]), r"3\.0.\.20")


class Past(unittest.TestCase):
    def trend(self, case, name):
        page = Page(page_of(*captures(case)))
        pictures = [s for s in page.root.iter("svg") if text_of(s.find("title")) == "Trend of " + name]
        self.assertEqual(len(pictures), 1)
        return pictures[0]

    def test_steps_of_a_rate(self):
        svg = self.trend("sata-link-flapping", "link2")
        names = [text_of(t) for t in svg.iter("text")]
        for mode in ("6.0 Gb/s", "3.0 Gb/s", "1.5 Gb/s", "empty"):
            self.assertIn(mode, names)
        self.assertEqual(len([r for r in svg.iter("rect") if r.get("class") == "worse"]), 3)

    def test_what_is_found_of_a_link_is_beside_its_verdict(self):
        for case, heading in (("sata-link-flapping", "✓ ok, ▲ link-flapping: link2, to Samsung SSD 870 EVO 1TB"),
                              ("sas-phy-errors-growing", "✓ ok, ▲ errors-growing: phy-0:5, to SEAGATE ST8000NM0075")):
            trends = [s for s in Page(page_of(*captures(case))).root.iter("section") if s.get("aria-labelledby") == "trends"]
            self.assertIn(heading, [text_of(h) for h in trends[0].iter("h3")])

    def test_bursts_of_errors(self):
        svg = self.trend("sas-phy-errors-growing", "phy-0:5")
        names = [text_of(t) for t in svg.iter("text")]
        self.assertIn("invalid_dword_count", names)
        self.assertIn("2000 an hour", names)
        self.assertTrue(all("V" in p.get("d") for p in svg.iter("path") if p.get("class") == "bars"))

    def test_probes_and_how_long_they_took(self):
        names = [text_of(t) for t in self.trend("clock-latency-left-behind", "phy-0:2").iter("text")]
        self.assertIn("read-buffer/sg, blocks of 64 KiB", names)
        self.assertIn("read-buffer/sg, blocks of 64 KiB: one read takes", names)

    def test_what_began_anew_is_said(self):
        page = page_of(*captures("sas-counter-reset-no-alarm"))
        self.assertRegex(page, r"Counters of \d+ links? began anew in between: how much they grew then is not known")

    def test_without_a_past_that_is_said(self):
        page = page_of("--capture", os.path.join(GOLDEN, "sata-link-flapping", "1.json"))
        self.assertIn("How it was before is not known", page)

    def test_timed_reads_are_those_of_bench(self):
        for case in ("clock-one-left-behind", "clock-siblings-differ", "clock-disturbed-is-no-witness"):
            words = captures(case)
            page = text_of(Page(page_of(*words)).section("bench"))
            devices = json.loads(hbactl(*words, "bench", "--json").stdout)["devices"]
            self.assertTrue(devices)
            for device in devices:
                self.assertIn(device["hctl"], page)
                for read in device["measures"]:
                    self.assertIn(read["method"], page)


class TimedReads(Scratch):
    with_measures, bench = test_bench.Captured.with_measures, test_bench.Captured.bench

    def test_the_page_has_the_same_tables_and_sentences(self):
        for reads in (test_bench.of_2002(), test_bench.of_1998()):
            capture = self.with_measures(reads)
            part = Page(page_of("--capture", capture)).section("bench")
            cells = {" ".join("".join(c.itertext()).split()) for c in part.iter() if c.tag in ("td", "th", "p", "h3")}
            for line in self.bench(capture, columns="1000")[1].splitlines():
                if line.endswith("."):
                    self.assertIn(" ".join(line.split()), cells)
                elif line.lstrip(" *►").startswith("read-"):
                    self.assertEqual([w for w in line.lstrip(" *►").split()[1:] if re.fullmatch(r"[\d.]+K?", w) and w not in cells], [], line)


class Map(unittest.TestCase):
    """What hangs where."""

    def rows(self, case, number=0):
        page = Page(page_of("--capture", os.path.join(GOLDEN, case, "1.json")))
        svg = [s for s in page.root.iter("svg") if s.find("title").text.startswith("Map of ")][number]
        return svg, [text_of(t) for t in svg.iter("text")]

    def test_from_the_slot_to_the_device(self):
        svg, texts = self.rows("mixed-large-two-faults", 1)
        for text in ("slot", "8.0 GT/s x8", "host1", "SAS3008", "port-1:0 ▼ BELOW", "3 x 12.0 Gb/s", "expander-1:0", "LSI SAS3x40"):
            self.assertIn(text, texts)
        self.assertTrue([t for t in texts if re.match(r"▼ phy-1:0:17 SEAGATE ST8000NM0075 sdar 6.0 Gb/s 600.0 MB/s BELOW expected 12.0 Gb/s", t)])
        self.assertTrue([t for t in texts if t.startswith("✓ phy-1:0:4 … 16 13 × SEAGATE")])

    def test_a_bar_is_as_wide_as_what_it_carries(self):
        svg, _ = self.rows("spi-fusion-one-at-half-rate")
        wide = {}
        for p in svg.iter("path"):
            wide[p.get("class")] = max(wide.get(p.get("class"), 0), float(p.get("stroke-width")))
        self.assertEqual(wide["bar ok"], 2 + 14)                        # 320 MB/s, the most there is
        self.assertEqual(wide["lack"], 16)                              # what it should be
        self.assertAlmostEqual(wide["bar below"] - 2, 14 * 0.5 ** 0.5, delta=0.1)
        self.assertEqual(wide["bar unknown"], 2)                        # the slot, of which nothing is known

    def test_ports_at_the_far_side(self):
        svg, texts = self.rows("fc-port-of-target-gone")
        self.assertTrue([t for t in texts if t.startswith("✕ rport-7:0-0 port of 0x") and t.endswith("Not Present")])
        self.assertIn("▲ path-lost", " ".join(texts))

    def test_what_has_no_link_of_its_own(self):
        _, texts = self.rows("fc-states-speeds-and-a-vport", 6)
        self.assertIn("virtual port (NPIV)", texts)
        self.assertIn("its link is that of host1", texts)
        self.assertNotIn("slot ?", texts)


class Files(Scratch):
    CAPTURE = ("--capture", os.path.join(GOLDEN, "usb2-only-host-ok", "1.json"))

    def test_a_file_is_replaced_whole_and_keeps_its_mode(self):
        path = self.file("page.html", "old")
        os.chmod(path, 0o640)
        self.assertEqual(hbactl(*self.CAPTURE, "report", "--html", path).stdout, "")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), page_of(*self.CAPTURE))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
        self.assertEqual(os.listdir(self.dir), ["page.html"])

    def test_a_failure_leaves_the_old_file(self):
        path, broken = self.file("page.html", "old"), self.file("broken.json", "{")
        run = hbactl("--capture", broken, "report", "--html", path)
        self.assertEqual(run.returncode, 1)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")

    def test_where_it_cannot_be_written_is_said(self):
        for path in (os.path.join(self.dir, "no/page.html"), self.dir, ""):
            run = hbactl(*self.CAPTURE, "report", "--html", path)
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, r"^hbactl: .*: ")

    def test_a_full_disk_is_no_success(self):
        run = hbactl(*self.CAPTURE, "report", "--html", "/dev/full")
        self.assertEqual(run.returncode, 1)
        self.assertIn("No space left", run.stderr)

    def test_usage(self):
        for words in (("status", "--html", "x"), ("report", "--json", "--html", "x"), ("report", "--html")):
            self.assertEqual(hbactl(*self.CAPTURE, *words).returncode, 64)


class Contrast(unittest.TestCase):
    """What is written can be read: WCAG 2.1, 1.4.3 (4.5 to 1), and pictures are seen: 1.4.11 (3 to 1)."""

    TEXTS = ("text", "dim", "link", "ok", "below", "capped", "unknown", "none")
    BARS = ("bar-ok", "bar-bad", "bar-none", "below", "capped", "unknown", "link")

    @staticmethod
    def luminance(colour):
        parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    def ratio(self, a, b):
        high, low = sorted((self.luminance(a), self.luminance(b)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    def test_both_schemes_and_paper(self):
        with open(CSS, encoding="utf-8") as file:
            roots = re.findall(r":root \{(.*?)\}", file.read(), re.S)
        self.assertEqual(len(roots), 3)
        light, dark, paper = (dict(re.findall(r"--([\w-]+): (#\w{6});", text)) for text in roots)
        for colours in (light, {**light, **dark}, {**light, **paper}):
            for back in ("back", "panel", "box"):
                for name in self.TEXTS:
                    self.assertGreaterEqual(self.ratio(colours[name], colours[back]), 4.5, (name, back))
            self.assertGreaterEqual(self.ratio(colours["dim"], colours["lack"]), 4.5)
            for name in self.BARS:
                self.assertGreaterEqual(self.ratio(colours[name], colours["panel"]), 3, name)


if __name__ == "__main__":
    unittest.main()
