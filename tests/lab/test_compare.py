#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests compare.py with a small made-up machine and a stand-in for hbactl that prints a given report."""
import copy
import json
import pathlib
import tempfile
import unittest

import compare

LSSCSI_G = """\
[0:0:1:0]    disk    SEAGATE  ST3146807LW      DS09  /dev/sda   /dev/sg0\x20
[11:0:12:3]  enclosu LSI      SAS2X28          0717  -          /dev/sg1\x20
"""
LSSCSI_H = "[0]    mptspi        \n[11]   mpt3sas       \n[12]   uas           \n"
SYSFS = """\
/sys/class/spi_transport/target0:0:1/offset:127
/sys/class/spi_transport/target0:0:1/period:12.5\0
/sys/class/spi_transport/target0:0:1/width:1
/sys/class/spi_transport/target0:0:2/offset:0
/sys/class/spi_transport/target0:0:2/period:reserved
/sys/class/sas_phy/phy-11:0/negotiated_linkrate:12.0 Gbit
/sys/class/sas_phy/phy-11:1/negotiated_linkrate:Unknown
/sys/class/ata_link/link1/sata_spd:1.5 Gbps
/sys/bus/usb/devices/2-1.4/speed:480
"""
SYSFS_LINKS = "/sys/class/scsi_host/host12 -> " \
    "/sys/devices/pci0000:00/0000:00:05.0/usb2/2-1/2-1.4/2-1.4:1.0/host12/scsi_host/host12\n"
INQ = " Unit serial number: {}\n"
NEGOTIATED = """\
    /dev/sg0: SEAGATE   ST3146807LW       DS09
port: negotiated settings (SPI) mode page:
  PPID_3        1  [cha: n, def:  1]
  TPF           9  [cha: n, def:  9]
  RAO           127  [cha: n, def:127]
  TWE           1  [cha: n, def:  1]
"""
PHYS = "Phy control and discover (SAS) mode page:\n  NLLR          11  [cha: n, def: 11]\n  NLLR_1        0\n"
LOG = "    negotiated logical link rate: 12 Gbps\n    negotiated logical link rate: phy enabled; unknown rate\n"
LSPCI = """\
0000:01:00.0 0100: 1000:0030
\tSubsystem: 1000:1000

0000:02:00.0 0107: 1000:0097 (rev 02)
\tCapabilities: [68] Express (v2) Endpoint, MSI 00
\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x8, ASPM not supported
\t\tLnkSta:\tSpeed 8GT/s (ok), Width x4 (downgraded)
"""
REPORT = {
    "schema": "hbad.report/1", "taken": "2026-01-01T00:00:00Z",
    "hosts": [{"kernel_name": "host0", "driver": "mptspi"}, {"kernel_name": "host11", "driver": "mpt3sas"},
              {"kernel_name": "host12", "driver": "uas"}],
    "links": [
        {"id": "t1", "transport": "spi", "kernel_name": "target0:0:1", "state": "up",
         "witnesses": [{"who": "initiator", "via": "spi_transport", "label": "Ultra160"},
                       {"who": "target", "via": "MODE SENSE 19h/03h", "label": "Ultra160"}],
         "actual": {"label": "Ultra160", "mb_per_s": 160.0, "detail": "160.0 MB/s (16 bit, offset 127)"}},
        {"id": "t2", "transport": "spi", "kernel_name": "target0:0:2", "witnesses": [], "state": "up", "actual": {"label": "async", "mb_per_s": None}},
        {"id": "p0", "transport": "sas", "kernel_name": "phy-11:0", "state": "up",
         "witnesses": [{"who": "target", "via": "MODE SENSE 19h/01h", "label": "12.0 Gb/s"},
                       {"who": "target", "via": "LOG SENSE 18h", "label": "12.0 Gb/s"}], "actual": {"label": "12.0 Gb/s", "mb_per_s": 1200.0}},
        {"id": "p1", "transport": "sas", "kernel_name": "phy-11:1", "witnesses": [], "state": "empty", "actual": None},
        {"id": "l1", "transport": "sata", "kernel_name": "link1", "witnesses": [], "state": "up", "actual": {"label": "1.5 Gb/s", "mb_per_s": 150.0}},
        {"id": "u1", "transport": "usb", "kernel_name": "2-1.4", "witnesses": [], "state": "up", "actual": {"label": "480 Mb/s", "mb_per_s": 60.0}},
        {"id": "s", "transport": "pcie", "kernel_name": "0000:02:00.0", "witnesses": [], "state": "up",
         "actual": {"label": "8.0 GT/s x4", "mb_per_s": 3938.4}}],
    "devices": [
        {"hctl": "0:0:1:0", "link": "t1", "vendor": "SEAGATE", "model": "ST3146807LW", "revision": "DS09",
         "nodes": ["/dev/sda", "/dev/sg0"], "serial": "3HY0123456", "wwid": "naa.5000C50000AB0001"},
        {"hctl": "11:0:12:3", "link": "p0", "vendor": "LSI", "model": "SAS2X28", "revision": "0717", "nodes": ["/dev/sg1"]}],
}


class CompareTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.report = copy.deepcopy(REPORT)
        self.replayed = dict(copy.deepcopy(REPORT), taken="2026-01-01T00:00:09Z")
        for name, text in {"lsscsi-g": LSSCSI_G, "lsscsi-H": LSSCSI_H, "sysfs": SYSFS, "sysfs-links": SYSFS_LINKS,
                           "sg0/inq": INQ.format("3HY0123456"), "sg0/vpd-di": "      0x5000c50000ab0001\n",
                           "sg0/negotiated": NEGOTIATED, "sg1/phys": PHYS, "sg1/log-18h": LOG, "lspci": LSPCI,
                           "sg1/inq": "", "sg1/vpd-di": "", "capture.json": "{}",
                           "exits": "lsscsi 0\nhbactl 1\nhbactl-report.json 0\n"}.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def complaints(self):
        self.write("hbactl-report.json", json.dumps(self.report))
        self.write("hbactl", f"#!/bin/sh\ncat <<'END'\n{json.dumps(self.replayed)}\nEND\n")
        (self.folder / "hbactl").chmod(0o755)
        comparison = compare.compare(compare.Results(self.folder), self.folder)
        self.assertGreater(comparison.compared, 30)
        return comparison.complaints

    def complains_of(self, words):
        complaints = self.complaints()
        self.assertEqual(len(complaints), 1, complaints)
        self.assertIn(words, complaints[0])

    def change_both(self, group, index, **fields):
        for report in (self.report, self.replayed):
            report[group][index].update(fields)

    def test_agreement(self):
        self.assertEqual(self.complaints(), [])

    def test_wrong_driver(self):
        self.change_both("hosts", 2, driver="(null)")
        self.complains_of("host12: driver")

    def test_wrong_revision(self):
        self.change_both("devices", 1, revision="07")
        self.complains_of("11:0:12:3: revision")

    def test_missing_node(self):
        self.change_both("devices", 0, nodes=["/dev/sda"])
        self.complains_of("0:0:1:0: nodes")

    def test_wrong_serial(self):
        self.change_both("devices", 0, serial="3HY")
        self.complains_of("0:0:1:0: serial")

    def test_wrong_wwid(self):
        self.change_both("devices", 0, wwid="naa.5000c50000ab0002")
        self.complains_of("wwid")

    def test_missing_device(self):
        self.report["devices"].pop()
        self.replayed["devices"].pop()
        self.complains_of("devices")

    def test_spi_label(self):
        self.change_both("links", 0, actual=dict(REPORT["links"][0]["actual"], label="Ultra320"))
        self.complains_of("target0:0:1: label")

    def test_spi_width(self):
        self.change_both("links", 0, actual=dict(REPORT["links"][0]["actual"], detail="8 bit, offset 127"))
        self.complains_of("16 bit")

    def test_async_has_no_rate(self):
        self.change_both("links", 1, actual={"label": "async", "mb_per_s": 5.0})
        self.complains_of("target0:0:2: MB/s")

    def test_free_phy_has_no_mode(self):
        self.change_both("links", 3, actual={"label": "3.0 Gb/s"})
        self.complains_of("phy-11:1: actual mode")

    def test_free_phy_is_not_up(self):
        self.change_both("links", 3, state="up")
        self.complains_of("phy-11:1: up")

    def test_missing_link(self):
        self.report["links"].pop(5)
        self.replayed["links"].pop(5)
        self.complains_of("2-1.4: not among")

    def test_page_is_read_otherwise(self):
        self.write("sg0/negotiated", NEGOTIATED.replace("TPF           9", "TPF           8"))
        self.complains_of("0:0:1:0: MODE SENSE 19h/03h is Ultra160 to hbactl, ['Ultra320'] to others")
        self.write("sg0/negotiated", NEGOTIATED)
        self.write("sg1/phys", PHYS.replace("11", "10"))
        self.complains_of("11:0:12:3: MODE SENSE 19h/01h")
        self.write("sg1/phys", PHYS)
        self.write("sg1/log-18h", "")
        self.complains_of("11:0:12:3: LOG SENSE 18h")

    def test_slot(self):
        self.change_both("links", 6, actual={"label": "8.0 GT/s x8", "mb_per_s": 7876.8})
        self.complains_of("0000:02:00.0: label")
        self.write("lspci", LSPCI.replace("0000:02", "0000:03"))
        self.complains_of("0000:02:00.0: no link")

    def test_replay_differs(self):
        self.replayed["links"][4]["state"] = "unknown"
        self.complains_of("report.links[4].state: 'up' live, 'unknown' replayed")

    def test_failed_command(self):
        self.write("exits", "hbactl 3\nhbactl-list-hosts 1\n")
        self.assertEqual(len(self.complaints()), 2)

    def test_scrubbed_capture_holds_serial(self):
        self.write("capture.json", '{"data": "33 48 59 30 31 32 33 34 35 36"}')
        self.complains_of("holds 3HY0123456")

    def test_scrubbed_capture_holds_wwn(self):
        self.write("capture.json", '{"data": "50 00 c5 00 00 ab 00 01"}')
        self.complains_of("holds 5000C50000AB0001")

    def test_no_report(self):
        self.write("hbactl-report.json", "{")
        with self.assertRaises(compare.NoEvidence):
            compare.compare(compare.Results(self.folder), self.folder)


if __name__ == "__main__":
    unittest.main()
