#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hbactl says of things, and by which names they are found: test_words.py BIN"""
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from machines import GOLDEN, HBACTL, Scratch, beside, captures, cases, hbactl

BELOW = "spi-fusion-one-at-half-rate"
HIDDEN = "iscsi-session-over-1g-nic"            # its only link cannot be judged
CAPPED = "sata-libata-force-3g"


class Names(unittest.TestCase):
    """What kernel, log and other tools call a thing is found."""

    NAMES = {
        BELOW: {"target0:0:2": "target0:0:2", "0:0:2:0": "[0:0:2:0] 0:0:2 sdc SDC sdc1 /dev/sdc sg2 /dev/sdc12",
                "host0": "host0 scsi_host0 02:04.0 0000:02:04.0", "host1": "HOST1 02:04.1"},
        "sas-cascade-3g-shelf-behind-6g": {
            "port-0:0": "expander-0:0 500304800000a07f", "port-0:0:0": "port-0:0:0 expander-0:1 0x500304800000b07f",
            "0:0:1:0": "end_device-0:0:1 target0:0:1",
            "phy-0:0:12": "port-0:0:1"},
        "mixed-large-two-faults": {"host2": "05:00.0", "host3": "0000:05:00.1", "link1": "ata1 ata1.00"},
        "fc-port-of-target-gone": {"host9": "0x10000090faa10001 10000022de2d848a 0x20000090faa10001",
                                   "9:0:0:0": "rport-9:0-0 0x5000097300000009 naa.50000972ffff0009"},
        "iscsi-session-over-1g-nic": {"host6": "iqn.2026-01.example:array.lun0 iqn.2026-01.example:host-1", "6:0:0:0": "session1"},
        "sata-port-multiplier": {"link1": "ata1 ATA1.15", "link1.0": "ata1.00", "link1.2": "ata1.02"},
    }

    def test_found(self):
        for case, things in self.NAMES.items():
            for thing, names in things.items():
                for name in names.split():
                    with self.subTest(case=case, name=name):
                        p = hbactl(*captures(case), "show", name)
                        self.assertEqual((p.returncode, p.stdout.partition("\n")[0]), (0, thing), p.stderr)

    def test_blanks_at_the_end_are_no_part_of_a_name(self):
        for name in ("t10.SEAGATE 3HY10002", "t10.SEAGATE 3HY10002            "):
            self.assertTrue(hbactl(*captures(BELOW), "show", name).stdout.startswith("0:0:2:0\n"), name)

    def test_what_rides_on_it(self):
        names = captures("spi-slow-half-of-a-mirror")
        for name, devices in (("md0", ["0:0:2:0", "0:0:3:0"]), ("/dev/md0", ["0:0:2:0", "0:0:3:0"]), ("/home", ["0:0:3:0"]),
                              ("/dev/mapper/customers-maildir", ["0:0:2:0", "0:0:3:0"]), ("/srv/maildir box", ["0:0:2:0", "0:0:3:0"]),
                              ("md", []), ("raid1", []), ("/srv", [])):
            self.assertEqual(re.findall(r"(?m)^\d+:\d+:\d+:\d+(?=$)", hbactl(*names, "show", name).stdout), devices, name)

    def test_by_id(self):
        report = json.loads(hbactl(*captures("mixed-large-two-faults"), "report", "--json").stdout)
        device = [d for d in report["devices"] if (d["wwid"] or "").startswith("naa.5")][0]
        bare = device["wwid"][len("naa."):]
        for name in ("wwn-0x" + bare, "/dev/disk/by-id/wwn-0x%s-part1" % bare, "/dev/disk/by-id/scsi-3" + bare, bare.upper()):
            p = hbactl(*captures("mixed-large-two-faults"), "show", name)
            self.assertTrue(p.stdout.startswith(device["hctl"] + "\n"), (name, p.stderr))

    def test_all_of_an_enclosure(self):
        p = hbactl(*captures("mixed-large-two-faults"), "show", "0x500304800000b000", "--json=short")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertGreater(p.stdout.count("\n"), 1)

    def test_not_found(self):
        for name in ("sd", "1", "ata9", "ata1.01", "0:0", "[]", "/dev/", "sdc1x", "part1", "0", "naa."):
            p = hbactl(*captures(BELOW), "show", name)
            self.assertEqual((p.returncode, p.stdout), (1, ""), name)


class Findings(Scratch):
    """list findings, explain and compare, on the machine of the bundled capture."""

    def test_listed(self):
        report = json.loads(hbactl(*captures(BELOW), "report", "--json").stdout)
        self.assertEqual(json.loads(hbactl(*captures(BELOW), "list", "findings", "--json").stdout), report["findings"])
        self.assertRegex(hbactl(*captures(BELOW), "list", "findings").stdout, r"(?m)^warning +rate-below-expected +target0:0:2 ")
        self.assertEqual([link["findings"] for link in report["links"] if link["kernel_name"] == "target0:0:2"], [["rate-below-expected"]])

    def test_every_code_is_explained(self):
        schema = json.loads(hbactl(*captures(BELOW), "explain", "async", "--json").stdout)
        self.assertEqual(schema["code"], "async")
        with open(os.path.join(os.path.dirname(GOLDEN), "..", "lib", "output", "report.schema.json"), encoding="utf-8") as file:
            codes = json.load(file)["$defs"]["code"]["enum"]
        for code in codes:
            with self.subTest(code=code):
                p = hbactl("explain", code)
                self.assertEqual(p.returncode, 0, p.stderr)
                self.assertIn("What causes it", p.stdout)
                self.assertIn("What to do", p.stdout)
                for verb in re.findall(r"\bhbactl (\w+)", p.stdout):
                    self.assertIn("\n  %s " % verb, hbactl("--help").stdout)

    def test_codes_are_listed(self):
        out = hbactl("explain", "codes").stdout
        codes = re.findall(r"(?m)^([a-z-]+) +(?:info|warning|critical) +\w", out)
        self.assertIn("\n%d codes.\n" % len(codes), out)
        self.assertIn("device-stuck", codes)
        self.assertEqual(re.findall(r'(?m)"code":\s*"([a-z-]+)"', hbactl("explain", "codes", "--json").stdout), codes)
        self.assertIn("hbactl explain codes", hbactl(*captures(BELOW), "explain", "rate-bellow").stderr)
        self.assertNotIn("hbactl explain codes", hbactl(*captures(BELOW), "explain", "sdzz").stderr)

    def test_reset_once(self):
        before, after = captures("sas-adapter-resets")[1::2]
        with open(after, encoding="utf-8") as file:
            once = self.file("2.json", file.read().replace('"ioc_reset_count": "2\\n"', '"ioc_reset_count": "1\\n"'))
        self.assertIn(" host0 was reset 1 time since the last look\n", hbactl("--capture", before, "--capture", once).stdout)

    def test_serial_numbers_are_listed(self):
        self.assertRegex(hbactl(*captures(BELOW), "list", "devices").stdout, r"(?m) SERIAL .*\n.* 3HY10000 ")

    def test_a_verdict_is_explained(self):
        out = hbactl(*captures(BELOW), "explain", "sdc").stdout
        for text in ("should run at Ultra320", "MODE SENSE 19h/03h", "known controller 1000:0030", "rate-below-expected, warning"):
            self.assertIn(text, out)
        self.assertIn("1 below", hbactl(*captures(BELOW), "explain", "host0").stdout)
        self.assertEqual(hbactl(*captures(BELOW), "explain", "sdzz").returncode, 1)

    def test_a_finding_is_explained_once(self):
        for case, name, code in (("device-times-out", "sdc", "device-stuck"), (BELOW, "sdc", "rate-below-expected")):
            self.assertEqual(len(re.findall(r"(?m)^%s, " % code, hbactl(*captures(case), "explain", name).stdout)), 1)

    def test_a_host_is_explained(self):
        out = hbactl(*captures("mixed-large-two-faults"), "explain", "host1").stdout
        self.assertIn("host1, SAS3008: 44 links, 30 ok, 2 below, 11 empty, 1 without a physical link.\n", out)
        self.assertIn("\n  phy-1:0:17, to SEAGATE ST8000NM0075: BELOW, at 6.0 Gb/s, expected 12.0 Gb/s\n", out)
        self.assertIn("\n  warning: port-1:0 (expander-1:0 LSI SAS3x40) runs at 3 x 12.0 Gb/s; ", out)
        self.assertNotIn("port-0:0", out)
        for case, host, text in ((BELOW, "host0", "\n  target0:0:2, to SEAGATE ST3146807LC: BELOW, at Ultra160, expected Ultra320\n"),
                                 ("device-times-out", "host0", "\n  critical: 0:0:2:0 (sdc, SEAGATE ST8000NM0075) has not answered 2 commands\n"),
                                 ("fc-port-of-target-gone", "host7", "\n  critical: rport-7:0-0 "),
                                 ("fc-linkdown-stale-speed", "host0", "\n  host0, to 0x500507630510c000: DOWN\n")):
            self.assertIn(text, hbactl(*captures(case), "explain", host).stdout)

    def test_what_is_above_a_disk_is_explained(self):
        for case, name, hop, finding in (
                ("pcie-x4-of-x8", "sda", "the slot of host0 (0000:03:00.0): BELOW, at 8.0 GT/s x4, expected 8.0 GT/s x8.", "warning: the slot of host0 "),
                ("mixed-large-two-faults", "sdae", "port-1:0, to expander-1:0 LSI SAS3x40: BELOW, at 3 x 12.0 Gb/s, ", "warning: port-1:0 "),
                ("sas-wide-port-one-lane-missing", "sda", "port-0:0, to expander-0:0 LSI SAS2X28: BELOW, ", "warning: port-0:0 "),
                ("sas-adapter-resets", "sda", "host0.\n", "warning: host0 was reset 2 times since the last look\n")):
            with self.subTest(case=case):
                self.assertRegex(hbactl(*captures(case), "explain", name).stdout,
                                 r"\nAlso on its way: %s.*\n?  %s" % (re.escape(hop), re.escape(finding)))
        self.assertNotIn("Also on its way", hbactl(*captures("mixed-large-two-faults"), "explain", "sda").stdout)
        self.assertNotIn("Also on its way", hbactl(*captures(BELOW), "explain", "sdc").stdout)

    def test_since_when(self):
        self.assertIn("\nSince 2026-03-02 10:10 UTC, as far as is known.\n",
                      hbactl(*captures("sata-link-flapping"), "explain", "link2").stdout)
        self.assertNotIn("Since ", hbactl(*captures(BELOW), "explain", "sdc").stdout)

    def test_acknowledged(self):
        config = self.file("hbad.conf", '[link "target0:0:2"]\nignore = yes\nreason = the cable is old\n')
        for verb in ("status", "list findings"):
            out = hbactl(*captures(BELOW), "--config", config, *verb.split()).stdout
            self.assertRegex(out, r"(?m)info.* target0:0:2 .* can do Ultra320 \(acknowledged: the cable is old\)$")

    def test_ok_by_the_word_of_one_end(self):
        unknown = "the best that is known of what is on the way; what the other end can do is not known.\n"
        self.assertIn(unknown, hbactl(*captures("device-times-out"), "explain", "sdc").stdout)
        self.assertNotIn(unknown, hbactl(*captures("device-times-out"), "explain", "sda").stdout)

    def test_explained_as_json(self):
        said = json.loads(hbactl(*captures(BELOW), "explain", "sdc", "--json").stdout)
        self.assertEqual(sorted(said), ["device", "findings", "link"])
        self.assertEqual([w["label"] for w in said["link"]["witnesses"]], ["Ultra160", "Ultra160"])
        self.assertEqual([f["code"] for f in said["findings"]], ["rate-below-expected"])
        self.assertEqual(sorted(json.loads(hbactl(*captures(BELOW), "explain", "host0", "--json").stdout)), ["findings", "host"])

    def test_something_gone_is_explained(self):
        p = hbactl(*captures("sas-shelf-unplugged-one-finding"), "explain", "port-0:1")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("port-0:1 is not there any more.\n\nlink-lost, critical: ", p.stdout)
        self.assertEqual(hbactl(*captures("sas-shelf-unplugged-one-finding"), "show", "port-0:1").stdout, p.stdout)

    def test_what_went_with_it(self):
        lost = [f for f in json.loads(hbactl(*captures("sas-shelf-unplugged-one-finding"), "report", "--json").stdout)["findings"]
                if f["code"] == "link-lost"]
        self.assertEqual([e["value"] for f in lost for e in f["evidence"] if e["what"] == "devices gone with it"],
                         [", ".join("0:0:%d:0" % n for n in range(7, 13))])

    def test_down_is_not_gone(self):
        def said(case):
            return hbactl(*captures(case), "list", "findings", "--no-legend").stdout
        self.assertIn(" host0, to fabric 0x100000051e000000, is down; it was up at 16GFC, last seen so 2026-03-04 10:00 UTC\n",
                      said("fc-linkdown-stale-speed"))
        self.assertIn(" 4 links are down and 1 gone, the first phy-0:4, to expander-0:1 LSI SAS3x28; last seen up 2026-02-12 10:00 UTC\n",
                      said("sas-shelf-unplugged-one-finding"))
        self.assertIn(" host6, to 0x50060e8014a3c601, is down\n", said("fc-states-speeds-and-a-vport"))

    def test_a_virtual_port_is_called_one(self):
        names = captures("fc-states-speeds-and-a-vport")
        self.assertIn("\nhost7  virtual port (NPIV) of host1  PCI ", hbactl(*names).stdout)
        self.assertIn("virtual port of: host1\n", hbactl(*names, "show", "host7").stdout)
        self.assertIn("host7 is a virtual port (NPIV) of host1", hbactl(*names, "explain", "host7").stdout)

    def test_a_device_that_does_not_run(self):
        names = captures("fc-port-of-target-gone")
        self.assertIn("7:0:0:0 sda sg0, EMC SYMMETRIX, transport-offline: it carries nothing now; at most 800.0 MB/s, by host7, when it runs.\n",
                      hbactl(*names, "explain", "sda").stdout)
        self.assertIn("           state: transport-offline\n", hbactl(*names, "show", "sda").stdout)
        self.assertRegex(hbactl(*captures("fc-linkdown-stale-speed"), "list", "links").stdout, r"host0 .* down .*DOWN")

    def test_ends_are_called_by_name(self):
        self.assertIn("near end: host0\n", hbactl(*captures("sas-cascade-3g-shelf-behind-6g"), "show", "port-0:0").stdout)

    def test_a_tape_has_two_nodes(self):
        names = captures("spi-seeprom-async-tape")
        self.assertRegex(hbactl(*names).stdout, r"WANGTEK 5525ES SCSI REV7 +nst0 st0 +async")
        self.assertNotIn("st0a", hbactl(*names, "list", "devices").stdout)

    def test_a_rate_is_a_hint_and_no_proof(self):
        with open(os.path.join(GOLDEN, "spi-fusion-u320-fine", "1.json"), encoding="utf-8") as file:
            machine = json.load(file)
        before = json.loads(hbactl("--capture", self.file("1.json", json.dumps(machine)), "report", "--json").stdout)
        for mb_per_s, hint in ((38, "an Ultra Wide agreement"), (2.7, "an asynchronous agreement"), (113, "a 32-bit PCI bus"), (300, None)):
            with self.subTest(mb_per_s=mb_per_s):
                machine["measures"] = [{"device": "0:0:1:0", "method": "read-buffer", "block": 65536, "bytes": int(mb_per_s * 1000000),
                                        "us": 1000000, "cpu_us": 100, "depth": 1}]
                path = self.file("2.json", json.dumps(machine))
                out = " ".join(hbactl("--capture", path, "explain", "0:0:1:0").stdout.split())
                self.assertEqual("a hint, no proof: 0:0:1:0 reads %.1f MB/s, often the rate of %s" % (mb_per_s, hint) in out, bool(hint), out)
                after = json.loads(hbactl("--capture", path, "report", "--json").stdout)
                self.assertEqual([link["verdict"] for link in after["links"]], [link["verdict"] for link in before["links"]])
                self.assertEqual(after["findings"], before["findings"])

    def test_where_it_is(self):
        out = " ".join(hbactl(*captures("mixed-large-two-faults"), "explain", "sdar").stdout.split())
        self.assertIn("Where it is: 1:0:13:0: bay 17 of 0x500304800000b000, ledctl locate=/dev/sdar", out)
        self.assertNotIn("ledctl", hbactl(*captures(BELOW), "explain", "sdc").stdout)

    def test_who_sets_a_limit(self):
        names = captures("spi-seeprom-async-tape")
        out = hbactl(*names, "explain", "st0").stdout
        self.assertIn("because of a limit that was set (/proc/scsi User); without it, Fast-5.", out)
        self.assertIn("remove it (/proc/scsi User: the adapter's setting for this id, in its BIOS)", out)
        self.assertIn("phy-0:0 and 3 more are held at 6.0 Gb/s", hbactl(*captures("sas-phy-programmed-to-6g")).stdout)

    def test_a_slot_is_called_by_its_adapter(self):
        out = hbactl(*captures("pcie-x4-of-x8")).stdout
        self.assertIn("warning: the slot of host0 (0000:03:00.0) runs at 8.0 GT/s x4; both ends can do 8.0 GT/s x8\n", out)
        self.assertIn("info: what hangs below the slot of host0 (0000:03:00.0) can send 1.2 times what it carries\n", out)
        self.assertIn("info: the slot of host0 (0000:06:00.0) can do 5.0 GT/s x4: its card 8.0 GT/s x8, the slot 5.0 GT/s x4\n",
                      hbactl(*captures("pcie-chipset-slot-limits-hba")).stdout)

    def test_lanes_are_evidence(self):
        out = hbactl(*captures("sas-wide-port-one-lane-missing"), "explain", "port-0:0").stdout
        self.assertIn("\n  lanes: phy-0:0, phy-0:2, phy-0:3, phy-0:4, phy-0:5, phy-0:6, phy-0:7 [port-0:0]\n"
                      "  beside them: phy-0:1 empty\n", out)
        self.assertIn("\n  beside them: phy-0:0:9 down", hbactl(*captures("sas-cascade-lost-a-lane"), "explain", "phy-0:0:8").stdout)

    def test_words_of_the_kernel(self):
        out = hbactl(*captures("device-times-out"), "explain", "sdc").stdout
        self.assertIn("0:0:2:0 (sdc, SEAGATE ST8000NM0075) has not answered 2 commands", out)
        self.assertIn("not answered: DID_TIME_OUT [", out)

    def test_a_parameter_that_is_not_set(self):
        names = captures("spi-seeprom-async-tape")
        self.assertNotIn("(null)", hbactl(*names, "explain", "host0").stdout)
        self.assertNotIn("(null)", hbactl(*names, "report", "--json").stdout)
        self.assertIn(" aic7xxx is not set ", hbactl(*names, "show", "host0").stdout)

    def test_compared(self):
        below, narrow = captures(BELOW)[1], captures("spi-fusion-built-in-all-narrow")[1]
        same = hbactl("compare", below, below)      # a read that was timed stands beside itself
        self.assertEqual((same.returncode, same.stdout.split("\n")[1:]),
                         (0, ["0:0:0:0  read-buffer    64K      1  243.0  243.0  +0.0  0.06/0.06", "", "0 differences; a rate counts (*) where it changed by more than 5 %.", ""]))
        untimed = captures("sata-libata-force-3g")[1]
        same = hbactl("compare", untimed, untimed)
        self.assertEqual((same.returncode, same.stdout), (0, "0 differences.\n"))
        p = hbactl("compare", narrow, below)
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertRegex(p.stdout, r"mode +target0:0:0 +runs at +Ultra2 +Ultra320")
        self.assertRegex(p.stdout, r"driver +host0 +driver is +built into the kernel +a module")
        self.assertLess(p.stdout.index("\nmode "), p.stdout.index("\ndriver "))
        kinds = [change["kind"] for change in json.loads(hbactl("compare", narrow, below, "--json").stdout)]
        self.assertEqual(kinds.count("driver"), 2)
        self.assertEqual(hbactl("compare", below, "/nonexistent.json").returncode, 2)
        self.assertNotIn("two machines", p.stdout)
        self.assertEqual(hbactl("compare", *captures(BELOW), below).returncode, 64)

    def test_compared_with_another_machine(self):
        below, other = captures(BELOW)[1], captures("mixed-large-two-faults")[1]
        p = hbactl("compare", below, other)
        self.assertEqual(p.returncode, 1)
        self.assertTrue(p.stdout.startswith("These seem to be two machines, not one before and after (no adapter in both;"), p.stdout[:200])
        first = json.loads(hbactl("compare", below, other, "--json").stdout)[0]
        self.assertEqual((first["kind"], first["before"], first["after"]), ("machine", "pci-0000:02:04.0", "pci-0000:03:00.0"))
        with open(below, encoding="utf-8") as file:
            text = file.read()
        renamed = self.file("1.json", re.sub(r'"hostname": "[^"]*"', '"hostname": "elsewhere"', text))
        self.assertIn("(host name: host-1, elsewhere)", hbactl("compare", below, renamed).stdout)
        swapped = self.file("2.json", re.sub(r"3HY1(\d{4})", r"3HY9\1", re.sub(
            r"33 ?48 ?59 ?31", lambda m: m[0].replace("31", "39"), text)))
        self.assertIn("none in both: ", hbactl("compare", below, swapped).stdout)

    def test_compared_with_its_scrubbed_form(self):
        """Of one machine, whose names only one of the two captures has."""
        note = "one of the two has made-up names: "
        for case in (BELOW, "mixed-large-two-faults", "fc-states-speeds-and-a-vport", "sas-cascade-3g-shelf-behind-6g",
                     "iscsi-interfaces-under-sessions", "srp-infiniband-and-roce"):
            with self.subTest(case=case):
                with open(captures(case)[1], encoding="utf-8") as file:
                    text = file.read()
                plain = self.file("plain.json", re.sub(r'"scrubbed": true', '"scrubbed": false', re.sub(
                    r'"hostname": "[^"]*"', '"hostname": "ours"', text)))
                kept, scrubbed = os.path.join(self.dir, "kept.json"), os.path.join(self.dir, "scrubbed.json")
                self.assertEqual(hbactl("--capture", plain, "capture", kept, "--no-scrub").returncode, 0)
                self.assertEqual(hbactl("--capture", plain, "capture", scrubbed).returncode, 0)
                for pair in (kept, scrubbed), (scrubbed, kept):
                    p = hbactl("compare", *pair)
                    self.assertEqual(p.returncode, 0, p.stdout)
                    self.assertNotIn("two machines", p.stdout)
                    self.assertEqual(p.stderr.count(note), 1)
                    if case == BELOW:               # a read that was timed finds itself
                        self.assertIn("  243.0  243.0  ", p.stdout)
                for one in kept, scrubbed:
                    self.assertNotIn(note, hbactl("compare", one, one).stderr)
        below = captures(BELOW)[1]
        p = hbactl("compare", kept, below)          # another machine is still another one
        self.assertIn("two machines", p.stdout)
        self.assertIn(note, p.stderr)


class Tree(unittest.TestCase):
    """The rows of status."""

    def test_a_lane_is_not_folded_among_others(self):
        out = hbactl(*captures("mixed-large-two-faults")).stdout
        self.assertRegex(out, r"(?m)^\|- phy-1:2 +empty$")
        self.assertRegex(out, r"(?m)^\|- phy-1:4 \.\. 7 +empty$")


    def test_an_alarm_is_in_its_row(self):
        self.assertRegex(hbactl(*captures("device-times-out")).stdout, r"(?m)^\|- phy-0:2 .* sdc .* ok +device-stuck$")
        self.assertRegex(hbactl(*captures("fc-port-of-target-gone")).stdout, r"(?m) sda .* unknown +path-lost +it is slower")


class Closing(unittest.TestCase):
    """The sentences below the tree."""

    def test_it_is_no_all_clear(self):
        other = "No link is seen to run below its expected mode, but something else is wrong.\n"
        self.assertIn(other, hbactl(*captures("device-times-out")).stdout)
        self.assertIn(other.replace(", but something else is wrong", ""), hbactl(*captures("spi-fusion-u320-fine")).stdout)

    def test_links_are_counted_alike(self):
        for case in cases():
            with self.subTest(case=case):
                names = captures(case)
                said = re.search(r"(?m)^(\d+) links?: ", hbactl(*names).stdout)
                if not said:
                    continue
                hosts = [h["kernel_name"] for h in json.loads(hbactl(*names, "list", "hosts", "--json").stdout)]
                parts = [re.search(r"(?m): (\d+) links?(.*)\.$", " ".join(hbactl(*names, "explain", host).stdout.partition("\n")[0].split()))
                         for host in hosts]
                for part in filter(None, parts):
                    self.assertEqual(sum(map(int, re.findall(r", (\d+) ", part[2]))), int(part[1]), part[0])
                self.assertEqual(sum(int(part[1]) for part in parts if part), int(said[1]))
                self.assertRegex(hbactl(*names, "list", "links").stdout, r"(?m)^%s links?\.$" % said[1])

    def test_numbers_add_up(self):
        for case in cases():
            with self.subTest(case=case):
                out = hbactl(*captures(case)).stdout
                said = re.search(r"(?m)^(\d+) links?: (.*)\.$", out)
                if said:
                    self.assertEqual(sum(int(part.split()[0]) for part in said[2].split(", ")), int(said[1]), said[0])

    def test_a_wide_link_counts_once(self):
        out = hbactl(*captures("sas-wide-port-one-lane-missing")).stdout
        self.assertIn("\n20 links: 1 at 8.0 GT/s x8, 6 at 6.0 Gb/s, 1 at 7 x 6.0 Gb/s, 11 empty, 1 without a physical link.\n", out)
        self.assertIn("\n1 of them runs below its expected mode.\n", out)

    def test_those_without_a_verdict_are_named(self):
        out = hbactl(*captures("fc-states-speeds-and-a-vport")).stdout
        self.assertIn("\n3 cannot be judged: host1, host2, host3.\n", out)

    def test_hints_work_as_they_stand(self):
        for case in ("mixed-large-two-faults", "sas-shelf-unplugged-one-finding", "fc-port-of-target-gone", CAPPED, HIDDEN, BELOW):
            for columns in ("0", "40"):
                out = hbactl(*beside(case), env={"COLUMNS": columns}, cwd=GOLDEN).stdout
                hints = re.findall(r"(?m)^    \S*hbactl (.*)$", out.replace("\\\n", ""))
                self.assertTrue(hints or case == CAPPED, out)
                for hint in hints:
                    p = hbactl(*shlex.split(hint), cwd=GOLDEN)
                    self.assertEqual((p.returncode, p.stderr), (0, ""), hint)

    def test_a_quoted_name(self):
        with tempfile.TemporaryDirectory(prefix="hbad-ctl-") as folder:
            path = os.path.join(folder, "it's one.json")
            shutil.copy(captures(BELOW)[1], path)
            hint = re.search(r"(?m)^    (\S*hbactl .*)$", hbactl("--capture", path).stdout)[1]
            self.assertEqual(shlex.split(hint)[1:], ["--capture", path, "explain", "sdc"])

    def test_a_hint_names_the_program_as_it_was_called(self):
        with tempfile.TemporaryDirectory(prefix="hbad ctl-") as folder:
            here = os.path.join(folder, "hbactl")
            for program, shown in (("hbactl", "hbactl"), ("./hbactl", "./hbactl"), (here, "'%s'" % here)):
                out = subprocess.run([program, *captures(BELOW)], executable=os.path.abspath(HBACTL), cwd=folder, stdout=subprocess.PIPE, encoding="utf-8",
                                     env={"LC_ALL": "C.UTF-8"}, check=False).stdout
                self.assertRegex(out, r"(?m)^    %s --capture \S+ explain sdc$" % re.escape(shown))


if __name__ == "__main__":
    unittest.main()
