# SPDX-License-Identifier: LGPL-2.1-or-later
"""What SCSI devices answer: INQUIRY, vital product data, the transports' mode and log pages, IDENTIFY DEVICE.

Layouts: SPC-4 6.4 and 7.8, SPI-4, SPL-4 9.2.7, SAT-3 12.4, ACS-3 7.12.
"""

ILLEGAL_FIELD = "70 00 05 00 00 00 00 0a 00 00 00 00 24 00 00 00 00 00"
ILLEGAL_OPCODE = "70 00 05 00 00 00 00 0a 00 00 00 00 20 00 00 00 00 00"
DISK, TAPE, PROCESSOR, CDROM, SCANNER, CHANGER, ENCLOSURE = 0, 1, 3, 5, 6, 8, 13


def be(value, size):
    return int(value).to_bytes(size, "big")


def spaced(data):
    return data.hex(" ")


class Device:
    """A logical unit and what it says. Transports fill in what is theirs: byte 7 and 56 of INQUIRY, mode_pages
    (subpage of 19h -> page), log_page (18h, whole), identify (512 bytes)."""

    def __init__(self, vendor, model, revision="0001", kind=DISK, ansi=5, serial="", wwn=0):
        self.vendor, self.model, self.revision, self.kind, self.ansi = vendor, model, revision, kind, ansi
        self.serial, self.wwn = serial, wwn
        self.byte7, self.byte56, self.length = 0x02, 0, 96
        self.state, self.queue_depth, self.timeout = "running", 32, 30
        self.requests, self.errors, self.removable, self.rotational = 5392143, 3, False, True
        self.sectors = 286749488
        self.mode_pages, self.log_page, self.identify = {}, None, None
        self.silent = False      # its commands do not come back in time
        self.measures = []       # (method, block, MB/s)
        self.sat_vendor = ("linux", "libata")

    @property
    def scsi_level(self):
        return self.ansi if self.ansi < 2 else self.ansi + 1          # scsi_scan.c, scsi_probe_lun()

    @property
    def wwid(self):
        return "naa.%016x" % self.wwn if self.wwn and self.ansi >= 4 else None

    def inquiry(self):
        data = bytearray(self.length)
        data[0], data[1], data[2], data[3], data[4] = self.kind, 0x80 if self.removable else 0, self.ansi, 2, self.length - 5
        data[7] = self.byte7
        data[8:16] = self.vendor.ljust(8).encode()[:8]
        data[16:32] = self.model.ljust(16).encode()[:16]
        data[32:36] = self.revision.ljust(4).encode()[:4]
        if self.length > 36:
            data[36:44] = self.serial[:8].ljust(8).encode()
        if self.length >= 57:
            data[56] = self.byte56
        return bytes(data)

    def vpd(self):
        pages = {}
        if self.serial:
            serial = self.serial.ljust(20).encode()[:20]
            pages[0x80] = b"\x00\x80" + be(len(serial), 2) + serial
        if self.wwn:
            pages[0x83] = b"\x00\x83\x00\x0c\x01\x03\x00\x08" + be(self.wwn, 8)
        if self.identify:
            sat = self.sat_vendor[0].ljust(8).encode() + self.sat_vendor[1].ljust(16).encode() + b"3.00"
            signature = bytes([0x34, 0, 0x50, 0x01, 0x01]) + bytes(15)
            pages[0x89] = b"\x00\x89\x02\x38" + bytes(4) + sat + signature + b"\xec\0\0\0" + self.identify
        if pages:
            pages[0x00] = b"\x00\x00" + be(len(pages) + 1, 2) + bytes(sorted([0] + list(pages)))
        return pages

    def answer(self, tree, hctl):
        """The commands of a capture, as the collector sends them: page 19h and 18h, INQUIRY where sysfs lacks it."""
        for method, block, mb in self.measures:
            size = 256 * block
            tree.measures.append({"device": hctl, "method": method, "block": block, "bytes": size,
                                  "us": max(1, int(size / mb)), "cpu_us": 1000, "depth": 1})
        if tree.pages == "none":
            return
        say = lambda cdb, **answer: tree.commands.append(dict({"device": hctl, "cdb": cdb}, **answer))
        if tree.pages == "denied":
            say("12 00 00 00 60 00", errno="EACCES")
            say("5a 00 19 03 00 00 00 02 00 00", errno="EACCES")
            return
        if self.silent:
            asked = ["12 00 00 00 60 00", "00 00 00 00 00 00", "4d 00 58 00 00 00 00 04 00 00"]
            for cdb in asked + ["5a 00 19 %02x 00 00 00 02 00 00" % subpage for subpage in range(1, 5)]:
                say(cdb, status=0, host_status=3, us=60000000)
            return
        say("12 00 00 00 60 00", status=0, data=spaced(self.inquiry()), us=400)
        for page, data in self.vpd().items():
            if self.scsi_level >= 5:
                say("12 01 %02x 02 40 00" % page, status=0, data=spaced(data), us=400)
        for subpage in range(1, 5):
            cdb = "5a 00 19 %02x 00 00 00 02 00 00" % subpage
            page = self.mode_pages.get(subpage)
            if page:
                say(cdb, status=0, data=spaced(mode_sense_10(page)), us=400)
            else:
                say(cdb, status=2, sense=ILLEGAL_FIELD, us=400)
        if self.log_page:
            say("4d 00 58 00 00 00 00 04 00 00", status=0, data=spaced(self.log_page), us=400)
        else:
            say("4d 00 58 00 00 00 00 04 00 00", status=2, sense=ILLEGAL_OPCODE, us=400)


def mode_sense_10(page):
    """A page behind the header and one short block descriptor."""
    return be(14 + len(page), 2) + b"\x00\x10\x00\x00\x00\x08" + b"\xff\xff\xff\xff\x00\x00\x02\x00" + page


# ------------------------------------------------------------------------------------------------------------- SPI-4
def spi_negotiated(factor, offset, wide, options, transceiver):
    return b"\x59\x03\x00\x0a\x00\x01" + bytes([factor, 0, offset, int(wide), options, transceiver << 2, 0, 0])


def spi_capabilities(factor, offset, wide, options):
    return b"\x59\x04\x00\x0a\x00\x01" + bytes([factor, 0, offset, int(wide), options, 0, 0, 0])


# -------------------------------------------------------------------------------------------------------------- SPL-4
SAS_CODES = {0: 0, 1.5: 8, 3.0: 9, 6.0: 10, 12.0: 11, 22.5: 12}


class SasPhy:
    """One phy of a SAS device as its pages describe it."""

    def __init__(self, number, address, attached=0, attached_phy=0, attached_type=0, rate=0, best=12.0, programmed=None,
                 errors=(0, 0, 0, 0)):
        self.number, self.address, self.attached, self.attached_phy = number, address, attached, attached_phy
        self.attached_type, self.rate, self.best, self.errors = attached_type, rate, best, errors
        self.programmed = programmed or best


def sas_phys_page(phys):
    """Mode page 19h/01h: PHY CONTROL AND DISCOVER."""
    body = b""
    for p in phys:
        d = bytearray(48)
        d[1], d[4] = p.number, p.attached_type << 4 | (1 if p.rate else 0)
        d[5] = SAS_CODES[p.rate]
        d[6], d[7] = (0x0e, 0) if p.attached_type == 1 else (0x02, 0x02) if p.attached_type else (0, 0)
        d[8:16], d[16:24], d[24] = be(p.address, 8), be(p.attached, 8), p.attached_phy
        d[32], d[33] = 0x88, SAS_CODES[p.programmed] << 4 | SAS_CODES[p.best]
        body += bytes(d)
    return b"\x59\x01" + be(4 + len(body), 2) + bytes([0, 6, 0, len(phys)]) + body


def sas_log_page(phys):
    """Log page 18h: one port a phy, as dual-port disks have it."""
    body = b""
    for i, p in enumerate(phys):
        d = bytearray(48)
        d[1], d[3] = p.number, 44
        d[4], d[5] = p.attached_type << 4 | (1 if p.rate else 0), SAS_CODES[p.rate]
        d[6], d[7] = (0x0e, 0) if p.attached_type == 1 else (0x02, 0x02) if p.attached_type else (0, 0)
        d[8:16], d[16:24], d[24] = be(p.address, 8), be(p.attached, 8), p.attached_phy
        for k, count in enumerate(p.errors):
            d[32 + 4 * k:36 + 4 * k] = be(count, 4)
        body += be(i + 1, 2) + bytes([3, 52, 6, 0, 0, 1]) + bytes(d)
    return b"\x18\x00" + be(len(body), 2) + body


# -------------------------------------------------------------------------------------------------------------- ACS-3
def identify(model, serial, best=0, current=0, udma=6, selected=None, atapi=False, cable=None, firmware="0001"):
    """IDENTIFY (PACKET) DEVICE: best and current are generations of Serial ATA (0: parallel), cable 40, 80 or None (word
    93 says nothing)."""
    w = [0] * 256
    text = lambda at, n, s: w.__setitem__(slice(at, at + n), [int.from_bytes(s.ljust(2 * n).encode()[2 * i:2 * i + 2], "big") for i in range(n)])
    w[0] = 0x8580 if atapi else 0x0040
    text(10, 10, serial.rjust(20))
    text(23, 4, firmware)
    text(27, 20, model)
    w[49], w[53] = 0x0f00, 0x0006
    w[63], w[64] = 0x0007, 0x0003
    w[65] = w[66] = w[67] = w[68] = 120
    if best:
        w[76] = (1 << best + 1) - 2 | (0x0100 if best > 1 else 0)
        w[77] = current << 1
        w[222] = 0x1000 | 0x7f
    w[80], w[82], w[83] = 0x01f0, 0x346b, 0x7d01
    if udma is not None:
        selected = udma if selected is None else selected
        w[88] = (1 << udma + 1) - 1 | (1 << 8 + selected if selected >= 0 else 0)
    if cable:
        w[93] = 0x6001 if cable == 80 else 0x4001
    return b"".join(x.to_bytes(2, "little") for x in w)


def identify_file(data):
    """The `id` attribute of an ata_device: libata-transport.c, ata_dev_read_id."""
    words = [int.from_bytes(data[i:i + 2], "little") for i in range(0, 512, 2)]
    return "".join("%04x%s" % (word, "\n" if i % 8 == 7 else " ") for i, word in enumerate(words))
