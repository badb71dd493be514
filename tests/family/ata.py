# SPDX-License-Identifier: LGPL-2.1-or-later
"""SATA and parallel ATA behind libata: one host a port. Texts: drivers/ata/libata-transport.c, libahci.c."""
import scsi
from adapter import Adapter, Fault, over_hours, resetting, slow_reads, stuck
from pcie import Slot

SPEEDS = {0: "<unknown>", 1: "1.5 Gbps", 2: "3.0 Gbps", 3: "6.0 Gbps"}


class Chip:
    """ports: what each can do, as wired; caps: what CAP.ISS of all says. known: all ports are alike, and the chip's
    documents say so."""

    def __init__(self, driver, vendor, device, name, ports, caps=0, known=True, slot=None):
        self.driver, self.vendor, self.device, self.name, self.ports, self.caps, self.known, self.slot = driver, vendor, device, name, ports, caps, known, slot


AHCI = [Chip("ahci", 0x8086, 0x8d02, "C610", [3] * 6, 3), Chip("ahci", 0x8086, 0xa102, "Sunrise Point-H", [3] * 6, 3), Chip("ahci", 0x8086, 0x3b22, "Ibex Peak", [2] * 6, 2),
        Chip("ahci", 0x1b21, 0x0612, "ASM1062", [3] * 2, 3, slot=(5.0, 1)), Chip("ahci", 0x8086, 0x1e02, "Panther Point", [3, 3, 2, 2, 2, 2], 3, known=False),
        Chip("ahci", 0x8086, 0x1c02, "Cougar Point", [3, 3, 2, 2, 2, 2], 3, known=False), Chip("ahci", 0x1022, 0x7901, "FCH", [3] * 8, 3, known=False)]
OTHER = [Chip("sata_sil24", 0x1095, 0x3132, "SiI 3132", [2] * 2, slot=(2.5, 1)), Chip("ata_piix", 0x8086, 0x24d1, "82801EB", [1] * 2)]
PATA = [Chip("ata_piix", 0x8086, 0x24db, "82801EB", [5] * 2), Chip("ata_piix", 0x8086, 0x7111, "82371AB", [2] * 2), Chip("ata_piix", 0x8086, 0x244b, "82801BA", [5] * 2),
        Chip("pata_amd", 0x1022, 0x7469, "AMD-8111", [6] * 2, known=False)]

DISKS = [("ST4000DM000-1F2168", 3), ("Samsung SSD 860 EVO 1TB", 3), ("INTEL SSDSC2BB480G4", 3), ("WDC WD40EFRX-68WT0N0", 3), ("ST3500418AS", 2), ("WDC WD5000AAKS-00V1A0", 2),
         ("WDC WD740GD-00FLA1", 1)]
ODDS = [("TSSTcorp CDDVDW SH-224DB", 1), ("HL-DT-ST DVDRAM GH24NSD1", 1)]
PATA_DISKS = [("MAXTOR 6L040J2", 6), ("IC35L080AVVA07-0", 5), ("WDC WD800BB-00JHC0", 5), ("ST340810A", 5), ("FUJITSU MPE3136AT", 4), ("QUANTUM FIREBALL CX10.2A", 4), ("ST36422A", 2)]
PATA_ODDS = [("HL-DT-STDVD-ROM GDR8162B", 2), ("LITE-ON LTR-52327S", 2), ("IOMEGA ZIP 250 ATAPI", -1)]


class Drive:
    """best, runs: generation of Serial ATA, or mode of Ultra DMA; -1: PIO 4."""

    def __init__(self, ids, model, best, atapi=False):
        self.model, self.best, self.runs, self.atapi = model, best, best, atapi
        vendor, name = ("HL-DT-ST", model[8:]) if model.startswith("HL-DT-ST") else (model.split()[0][:8], model.partition(" ")[2]) if atapi else ("ATA", model)
        self.device = scsi.Device(vendor, name[:16].strip() if not atapi else name.strip()[:16], "0001", scsi.CDROM if atapi else scsi.DISK, 5,
                                  ids.serial("S1AT"), 0 if atapi else ids.wwn())
        self.device.removable = atapi
        self.device.rotational = "SSD" not in model
        self.limit, self.scar, self.said, self.steps, self.cable, self.external = 0, 0, None, 0, None, False

    @property
    def serial(self):
        return self.device.serial


class Sata(Adapter):
    kernels = ("3.10.0-1160.el7.x86_64", "4.4.180-94.164-default", "4.18.0-553.el8.x86_64", "5.10.0-33-amd64", "6.1.0-37-amd64", "6.12.48+deb13-amd64")

    def __init__(self, rng, ids, chip):
        self.chip, self.fresh = chip, ids
        self.slot = Slot(ids, chip.vendor, chip.device, 0x010601 if chip.driver == "ahci" else 0x01018a, chip.driver, chip.slot, chip.slot and (8.0, max(1, chip.slot[1])))
        if chip.driver == "ahci" and not chip.slot:
            self.slot.best = None
        self.first, self.ata = ids.host(len(chip.ports)), ids.ata(len(chip.ports))
        self.drives = [None] * len(chip.ports)
        self.firmware_limit = 0           # SControl as the firmware left it on every port
        self.forced = {}                  # port: libata.force
        self.states = ["running"] * len(chip.ports)
        self.multiplier = None            # port whose drive is a multiplier, with its drives

    def devices(self):
        return [d.device for d in self.drives if d]

    def renumber(self, shift):
        self.first += shift
        self.ata += shift

    def best_of(self, port):
        limits = [self.chip.ports[port]] + [x for x in (self.firmware_limit, self.forced.get(port)) if x]
        return min(limits)

    def plug(self, port, drive):
        drive.runs = min(drive.best, self.best_of(port))
        self.drives[port] = drive
        return drive

    def taken(self):
        return [p for p, d in enumerate(self.drives) if d]

    def names(self, port):
        return "link%d" % (self.ata + port)

    def hctl(self, port):
        return "%d:0:0:0" % (self.first + port)

    # -------------------------------------------------------------------------------------------------------- rendering
    def render(self, tree):
        path = self.slot.render(tree)[0]
        tree.module(self.chip.driver, "3.0")
        tree.module("libata", "3.00", atapi_enabled=1, fua=0)
        if self.forced:
            tree.put("/proc", {"cmdline": "BOOT_IMAGE=/boot/vmlinuz root=/dev/sda1 ro quiet libata.force=%s\n" % ",".join(
                "%d:%s" % (self.ata + p, SPEEDS[g].replace(" ", "")) for p, g in self.forced.items())})
        else:
            tree.dirs.setdefault("/proc", {}).setdefault("cmdline", "BOOT_IMAGE=/boot/vmlinuz root=/dev/sda1 ro quiet\n")
        for port in range(len(self.chip.ports)):
            self.render_port(tree, path, port)

    def render_port(self, tree, path, port):
        n, drive = self.ata + port, self.drives[port]
        at = tree.put("%s/ata%d" % (path, n), {"uevent": "DEVTYPE=ata_port\n"})
        tree.device(at, "ata_port", "ata%d" % n, nr_pmp_links=0, idle_irq=0, port_no=port + 1)
        more = {}
        if self.chip.driver == "ahci":
            more = dict(ahci_host_caps="e7%x0ff45" % self.chip.caps, ahci_host_cap2="3c", ahci_host_version="10301", ahci_port_cmd="c017")
        host = tree.host(at, self.first + port, self.chip.driver, state=self.states[port], can_queue=32, cmd_per_lun=1, **more)
        link = tree.put("%s/link%d" % (at, n), {"uevent": ""})
        hw = self.forced.get(port) or self.firmware_limit or (drive.scar if drive else 0)
        tree.device(link, "ata_link", "link%d" % n, sata_spd=SPEEDS[drive.runs if drive else 0], hw_sata_spd_limit=SPEEDS[hw],
                    sata_spd_limit=SPEEDS[(drive and drive.limit) or hw])
        self.render_device(tree, link, "dev%d.0" % n, drive)
        if drive:
            tree.lun(tree.target(host, "target%d:0:0" % (self.first + port)), self.hctl(port), drive.device)

    def identify(self, drive):
        return scsi.identify(drive.model, drive.serial, drive.best, (drive.said or drive.runs) if drive.best == 3 else 0, atapi=drive.atapi)

    def render_device(self, tree, link, name, drive):
        at = tree.put("%s/%s" % (link, name), {"uevent": ""})
        if drive:
            data = self.identify(drive)
            if not drive.atapi:
                drive.device.identify = data
        mode = "XFER_PIO_0" if not drive else self.mode(tree, drive)
        tree.device(at, "ata_device", name, {"ering": "", "gscr": "", "id": scsi.identify_file(data if drive else bytes(512))},
                    **{"class": "none" if not drive else "atapi" if drive.atapi else "ata"}, xfer_mode=mode, dma_mode=mode,
                    pio_mode="XFER_PIO_4" if drive else "XFER_PIO_0", spdn_cnt=drive.steps if drive else 0)

    def mode(self, tree, drive):
        return self.mode_text(tree, 6)

    @staticmethod
    def mode_text(tree, udma):
        """Older kernels match bits, and list every mode that shares one (libata-transport.c before 5.19 or so)."""
        return "XFER_UDMA_%d" % udma if udma >= 0 else "XFER_PIO_4"

    # ------------------------------------------------------------------------------------------------------------- time
    def evolve(self, rng, hours):
        """A disk is replaced by another, perhaps of an older generation; an external one is taken away."""
        for port in self.taken():
            if self.drives[port].external and rng.random() < 0.5:
                self.drives[port] = None
        if self.taken() and rng.random() < 0.25:
            port = rng.choice(self.taken())
            if not self.drives[port].atapi:
                self.plug(port, Drive(self.fresh, *rng.choice(DISKS)))


class Pata(Sata):
    kernels = ("3.10.0-1160.el7.x86_64", "4.4.180-94.164-default", "4.19.0-27-686-pae", "5.10.0-33-amd64", "6.1.0-37-amd64")

    def __init__(self, rng, ids, chip):
        self.chip, self.fresh = chip, ids
        self.slot = Slot(ids, chip.vendor, chip.device, 0x01018a, chip.driver)
        self.first, self.ata = ids.host(2), ids.ata(2)
        self.channels, self.states = [[None, None], [None, None]], ["running", "running"]
        self.cables = [rng.choice([40, 80, 80]), rng.choice([40, 80])]

    def devices(self):
        return [d.device for c in self.channels for d in c if d]

    def plug(self, channel, unit, drive):
        drive.runs = min(drive.best, self.chip.ports[channel], 2 if self.cables[channel] == 40 else 6)
        drive.cable = self.cables[channel] if not drive.atapi else None
        self.channels[channel][unit] = drive
        return drive

    def taken(self):
        return [(c, u) for c in (0, 1) for u in (0, 1) if self.channels[c][u]]

    def names(self, where):
        return "dev%d.%d" % (self.ata + where[0], where[1])

    def hctl(self, where):
        return "%d:0:%d:0" % (self.first + where[0], where[1])

    def render(self, tree):
        path = self.slot.render(tree)[0]
        tree.module(self.chip.driver, "2.13")
        tree.module("libata", "3.00")
        tree.dirs.setdefault("/proc", {}).setdefault("cmdline", "root=/dev/sda1 ro\n")
        for c in (0, 1):
            n = self.ata + c
            at = tree.put("%s/ata%d" % (path, n), {"uevent": "DEVTYPE=ata_port\n"})
            tree.device(at, "ata_port", "ata%d" % n, nr_pmp_links=0, idle_irq=0, port_no=c + 1)
            host = tree.host(at, self.first + c, self.chip.driver, state=self.states[c], can_queue=1, cmd_per_lun=1)
            link = tree.put("%s/link%d" % (at, n), {"uevent": ""})
            tree.device(link, "ata_link", "link%d" % n, sata_spd="<unknown>", sata_spd_limit="<unknown>", hw_sata_spd_limit="<unknown>")
            for u in (0, 1):
                drive = self.channels[c][u]
                self.render_device(tree, link, "dev%d.%d" % (n, u), drive)
                if drive:
                    tree.lun(tree.target(host, "target%d:0:%d" % (self.first + c, u)), self.hctl((c, u)), drive.device)

    def identify(self, drive):
        said = drive.runs if drive.said is None else drive.said
        return scsi.identify(drive.model, drive.serial, udma=drive.best if drive.best >= 0 else None, selected=said, atapi=drive.atapi, cable=drive.cable)

    def mode(self, tree, drive):
        return self.mode_text(tree, drive.runs)

    def evolve(self, rng, hours):
        pass


# ------------------------------------------------------------------------------------------------------------ machines
def sata(rng, ids, chips=None, disks=None, count=None):
    a = Sata(rng, ids, rng.choice(chips or AHCI + OTHER))
    ports = range(len(a.chip.ports))
    for port in rng.sample(ports, min(count if count is not None else rng.randrange(0, len(a.chip.ports) + 1), len(a.chip.ports))):
        a.plug(port, Drive(ids, *rng.choice(disks or DISKS)))
    return a


def healthy_sata(rng, ids):
    a = sata(rng, ids)
    empty = [p for p, d in enumerate(a.drives) if not d]
    if empty and rng.random() < 0.3:
        a.plug(rng.choice(empty), Drive(ids, *rng.choice(ODDS), atapi=True))
    if a.chip.driver == "ahci" and a.taken() and rng.random() < 0.2:     # eSATA: the kernel marks its disks removable
        d = a.drives[rng.choice(a.taken())]
        d.external = d.device.removable = not d.atapi
    what = rng.random()
    if what < 0.1 and a.chip.driver == "ahci":
        a.firmware_limit = 2
    elif what < 0.2 and a.chip.driver == "ahci":
        a.forced = {p: rng.choice([1, 2]) for p in rng.sample(range(len(a.drives)), rng.randrange(1, 3))}
    for port, drive in enumerate(a.drives):
        if drive:
            drive.runs = min(drive.best, a.best_of(port))
    return a


def healthy_pata(rng, ids):
    a = Pata(rng, ids, rng.choice(PATA))
    for c in (0, 1):
        for u in (0, 1):
            if rng.random() < 0.55:
                model, best = rng.choice(PATA_DISKS + PATA_ODDS)
                a.plug(c, u, Drive(ids, model, best, atapi=(model, best) in PATA_ODDS))
    return a


def healthy(rng, ids):
    return healthy_pata(rng, ids) if rng.random() < 0.25 else healthy_sata(rng, ids)


# -------------------------------------------------------------------------------------------------------------- faults
def with_fast(rng, ids, chips, low=1):
    """At least one disk that runs at 3.0 or more."""
    while True:
        a = sata(rng, ids, chips, count=rng.randrange(low, 7))
        fast = [p for p in a.taken() if a.drives[p].runs >= 2]
        if fast:
            return a, rng.choice(fast)


def stepped_down(rng, ids):
    """libata gave up a generation after errors, on any controller."""
    a, port = with_fast(rng, ids, AHCI + OTHER[:1])
    d = a.drives[port]
    d.runs = d.limit = rng.choice(range(1, d.runs))
    return Fault("rate-below-expected", a.names(port), a)


def scar(rng, ids):
    """The limit of a fall-back that survived a warm start, on one port of several: firmware sets all or none."""
    a, port = with_fast(rng, ids, AHCI[:3] + AHCI[4:])
    d = a.drives[port]
    d.runs = d.scar = rng.choice(range(1, d.runs))
    return Fault("rate-below-expected", a.names(port), a)


def low_on_known(rng, ids):
    """The link came up low by itself on a controller whose ports are all alike."""
    a, port = with_fast(rng, ids, [c for c in AHCI + OTHER if c.known])
    d = a.drives[port]
    d.runs = rng.choice(range(1, d.runs))
    return Fault("rate-below-expected", a.names(port), a)


def was_faster(rng, ids):
    """On a controller that may be wired slower only the past tells."""
    a, port = with_fast(rng, ids, [c for c in AHCI if not c.known])
    before, d = a.copy(), a.drives[port]
    d.runs = rng.choice(range(1, d.runs))
    return Fault("slower-than-before", a.names(port), over_hours(rng, [before, a]), persists=True)


def gone(rng, ids):
    a, port = with_fast(rng, ids, AHCI + OTHER)
    before = a.copy()
    a.drives[port] = None
    return Fault("link-lost", a.names(port), over_hours(rng, [before, a]), "critical", persists=True)


def flaps(rng, ids):
    a, port = with_fast(rng, ids, AHCI)
    states = []
    for k in range(5):
        b = a.copy()
        if k % 2:
            b.drives[port] = None
        states.append(((4 - k) * 0.22, b))
    return Fault("link-flapping", a.names(port), states)


def ends_differ(rng, ids):
    a, port = with_fast(rng, ids, [c for c in AHCI if c.caps == 3])
    a.plug(port, Drive(ids, *DISKS[0]))
    d = a.drives[port]
    d.said = rng.choice([g for g in (1, 2, 3) if g != d.runs])
    return Fault("ends-disagree", a.names(port), a)


def sticks(rng, ids):
    a, port = with_fast(rng, ids, AHCI + OTHER)
    return stuck(rng, a, a.drives[port].device, [a.hctl(port), a.names(port)], False)


def reads(rng, ids):
    a, port = with_fast(rng, ids, AHCI)
    return slow_reads(rng, a, lambda x: (x.drives[port].device, []), [a.hctl(port), a.names(port)])


def resets(rng, ids):
    a, port = with_fast(rng, ids, AHCI + OTHER)
    return resetting(rng, a, "host%d" % (a.first + port), lambda x: x.states.__setitem__(port, "recovery"))


def pata_with_disk(rng, ids, chips=PATA[:1] + PATA[2:3]):
    a = Pata(rng, ids, rng.choice(chips))
    a.cables = [80, 80]
    where = (rng.randrange(2), 0)
    a.plug(*where, Drive(ids, *rng.choice(PATA_DISKS[:6])))
    if rng.random() < 0.5:
        a.plug(where[0], 1, Drive(ids, *PATA_ODDS[0], atapi=True))
    return a, where


def pata_stepped_down(rng, ids):
    """After CRC errors libata came down."""
    a, where = pata_with_disk(rng, ids)
    d = a.channels[where[0]][where[1]]
    d.runs, d.steps = rng.choice(range(0, d.runs)), rng.choice([1, 2])
    return Fault("rate-below-expected", a.names(where), a)


def pata_was_faster(rng, ids):
    a, where = pata_with_disk(rng, ids, [PATA[3]])
    before, d = a.copy(), a.channels[where[0]][where[1]]
    d.runs = rng.choice(range(0, d.runs))
    return Fault("slower-than-before", a.names(where), over_hours(rng, [before, a]), persists=True)


def pata_sticks(rng, ids):
    a, where = pata_with_disk(rng, ids)
    return stuck(rng, a, a.channels[where[0]][where[1]].device, [a.hctl(where), a.names(where)], False)


FAULTS = [stepped_down, scar, low_on_known, was_faster, gone, flaps, ends_differ, sticks, reads, resets, pata_stepped_down, pata_was_faster, pata_sticks]
