# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parallel SCSI: Fusion-MPT, aic79xx, aic7xxx and sym53c8xx with what hung on them between 1995 and 2008.

Texts: drivers/scsi/scsi_transport_spi.c (a fraction is followed by a NUL), aic7xxx_proc.c, aic79xx_proc.c.
"""
import scsi
from adapter import Adapter, Fault, over_hours, resetting, slow_reads, stuck
from pcie import Slot
from tree import raw

NS = {7: "3.125", 8: "6.25", 9: "12.5", 10: "25", 11: "30.3", 12: "50", 0xff: "1020", None: "reserved"}
DT, IU, QAS, WR_FLOW, RD_STRM, RTI, PCOMP = 0x02, 0x01, 0x04, 0x10, 0x20, 0x40, 0x80
TRANSCEIVERS = {"SE": 1, "LVD": 2, "HVD": 3}


def period(factor):
    text = NS.get(factor) or "%d" % (4 * factor)
    return raw((text + ("\0" if "." in text else "") + "\n").encode())


class Chip:
    def __init__(self, driver, vendor, device, name, best, signalling, wide=True, channels=1, max_offset=127):
        self.driver, self.vendor, self.device, self.name, self.best = driver, vendor, device, name, best
        self.signalling, self.wide, self.channels, self.max_offset = signalling, wide, channels, max_offset


U320 = [Chip("mptspi", 0x1000, 0x0030, "LSI53C1030", 8, "LVD"), Chip("mptspi", 0x1000, 0x0030, "LSI53C1030", 8, "LVD", channels=2),
        Chip("aic79xx", 0x9005, 0x8011, "Adaptec 39320D", 8, "LVD", channels=2), Chip("aic79xx", 0x9005, 0x8012, "Adaptec 29320", 8, "LVD")]
U160 = [Chip("aic7xxx", 0x9005, 0x0080, "Adaptec 29160", 9, "LVD", max_offset=255), Chip("aic7xxx", 0x9005, 0x00cf, "Adaptec aic7899", 9, "LVD", channels=2),
        Chip("sym53c8xx", 0x1000, 0x0021, "1010-66", 9, "LVD", max_offset=62, channels=2)]
U2 = [Chip("aic7xxx", 0x9005, 0x0010, "Adaptec 2940 Ultra2", 10, "LVD"), Chip("sym53c8xx", 0x1000, 0x000c, "895", 10, "LVD", max_offset=31)]
SE = [Chip("aic7xxx", 0x9004, 0x8178, "Adaptec 2940 Ultra", 12, "SE", max_offset=15), Chip("sym53c8xx", 0x1000, 0x000f, "875", 12, "SE", max_offset=16),
      Chip("aic7xxx", 0x9004, 0x6178, "Adaptec 2940A Ultra", 12, "SE", wide=False, max_offset=15),
      Chip("sym53c8xx", 0x1000, 0x0001, "810a", 25, "SE", wide=False, max_offset=8)]
HVD = [Chip("aic7xxx", 0x9004, 0x8478, "Adaptec 2944 Ultra", 12, "HVD", max_offset=15), Chip("sym53c8xx", 0x1000, 0x000f, "875", 12, "HVD", max_offset=16)]


class Model:
    """A device's abilities. best: period factor; byte56 None: not that long; pages: knows 19h/03h and 04h; lvd: its
    transceivers; no_iu: the kernel does not let it use information units (scsi_transport_spi.c, its device list)."""

    def __init__(self, vendor, model, best, ansi=3, byte56=None, wide=True, sync=True, kind=scsi.DISK, pages=False, lvd=False, offset=63, no_iu=False):
        self.vendor, self.model, self.best, self.ansi, self.byte56, self.wide, self.sync = vendor, model, best, ansi, byte56, wide, sync
        self.kind, self.pages, self.lvd, self.offset, self.no_iu = kind, pages, lvd, offset, no_iu


U320_DISKS = [Model("SEAGATE", "ST3146807LC", 8, byte56=0x0f, pages=True, lvd=True, offset=127), Model("MAXTOR", "ATLAS10K4_36SCA", 8, byte56=0x0f, pages=True, lvd=True, offset=127),
              Model("FUJITSU", "MAP3367NC", 8, byte56=0x0f, pages=True, lvd=True, offset=127), Model("IBM", "IC35L036UCDY10-0", 8, byte56=0x0f, pages=True, lvd=True, offset=63)]
U160_DISKS = [Model("SEAGATE", "ST336706LC", 9, byte56=0x0c, pages=True, lvd=True), Model("QUANTUM", "ATLAS_V_18_SCA", 9, byte56=0x0c, lvd=True),
              Model("IBM", "DDYS-T36950M", 9, byte56=0x0f, pages=True, lvd=True)]       # with IU and QAS at 12.5 ns
U2_DISKS = [Model("SEAGATE", "ST39175LC", 10, ansi=2, lvd=True, offset=15), Model("IBM", "DNES-309170W", 10, byte56=0x00, lvd=True, offset=31)]
LVD_OTHERS = [Model("HP", "C7438A", 10, kind=scsi.TAPE, lvd=True, offset=32), Model("ESG-SHV", "SCA HSBP M17", None, ansi=2, wide=False, sync=False, kind=scsi.PROCESSOR, lvd=True),
              Model("HP", "Ultrium 3-SCSI", 8, byte56=0x0f, kind=scsi.TAPE, pages=True, lvd=True, no_iu=True),
              Model("HP", "Ultrium 2-SCSI", 9, byte56=0x0c, kind=scsi.TAPE, pages=True, lvd=True)]
SE_DEVICES = [Model("SEAGATE", "ST34371W", 12, ansi=2, offset=15), Model("SEAGATE", "ST32550N", 25, ansi=2, wide=False, offset=15),
              Model("QUANTUM", "DLT7000", 25, ansi=2, kind=scsi.TAPE, offset=15), Model("PLEXTOR", "CD-ROM PX-40TS", 12, ansi=2, wide=False, kind=scsi.CDROM, offset=16),
              Model("TOSHIBA", "CD-ROM XM-5701TA", 25, ansi=2, wide=False, kind=scsi.CDROM, offset=8), Model("HP", "C5110A", None, ansi=2, wide=False, sync=False, kind=scsi.PROCESSOR),
              Model("ARCHIVE", "Python 28388-ANI", 50, ansi=2, wide=False, kind=scsi.TAPE, offset=8), Model("MAXTOR", "LXT-213S", 50, ansi=1, wide=False, offset=7)]
HVD_DEVICES = [Model("SEAGATE", "ST34371WD", 12, ansi=2, offset=15), Model("QUANTUM", "DLT7000", 25, ansi=2, kind=scsi.TAPE, offset=15),
               Model("IBM", "ULTRIUM-TD1", 12, byte56=0x00, kind=scsi.TAPE, offset=31), Model("STK", "9714", 25, ansi=2, wide=False, kind=scsi.CHANGER, offset=8)]


class Target:
    def __init__(self, ids, model, number):
        self.model, self.number = model, number
        self.device = d = scsi.Device(model.vendor, model.model, "0007", model.kind, model.ansi, ids.serial("3HY"))
        d.length = 96 if model.byte56 is not None else 36
        d.byte56 = model.byte56 or 0
        d.byte7 = 0x02 | (0x10 if model.sync else 0) | (0x20 if model.wide else 0)
        d.removable = model.kind in (scsi.TAPE, scsi.CDROM)
        self.limit = None            # period factor of SEEPROM or NVRAM for this id
        self.max_width = 1
        self.max_offset = None       # 0: SEEPROM forbids synchronous transfers
        self.factor = self.offset = self.wide = 0
        self.said = None             # (factor, offset, wide) by the target, where it differs from the driver's word

    def agree(self, chip, signalling):
        """What a sound bus lets both agree on."""
        m = self.model
        self.wide = bool(m.wide and chip.wide and self.max_width)
        if not m.sync or self.max_offset == 0:
            self.factor, self.offset = None, 0
            return
        f = max(m.best, chip.best, self.limit or 0)
        if signalling != "LVD" or chip.signalling != "LVD":
            f = max(f, 12)
        if not self.wide:
            f = max(f, 10)
        if m.no_iu:
            f = max(f, 9)
        self.run(f, chip)

    def run(self, factor, chip):
        self.factor, self.offset = factor, min(self.model.offset, chip.max_offset)

    @property
    def options(self):
        if not self.offset or self.factor > 9:
            return 0
        iu = self.factor == 8
        return DT | (IU | WR_FLOW | RD_STRM | RTI | PCOMP if iu else 0) | (QAS if iu and (self.model.byte56 or 0) & 2 else 0)


class Spi(Adapter):
    """One card with its channels: each a host with targets."""
    kernels = ("2.6.32-754.el6.x86_64", "3.10.0-1160.el7.x86_64", "4.4.180-94.164-default", "4.19.0-27-686-pae", "5.10.0-33-amd64", "6.1.0-37-amd64")

    def __init__(self, rng, ids, chip, signalling=None, targets=None):
        self.chip, self.signalling = chip, signalling or chip.signalling
        self.slot = Slot(ids, chip.vendor, chip.device, 0x010000, chip.driver, functions=chip.channels)
        self.first = ids.host(chip.channels)
        self.states = ["running"] * chip.channels
        self.channels = targets or [self.populate(rng, ids) for _ in range(chip.channels)]
        self.nvram = rng.random() < 0.7
        self.proc = rng.random() < 0.4
        for t in self.all():
            t.agree(chip, self.signalling)

    def all(self):
        return [t for targets in self.channels for t in targets]

    def devices(self):
        return [t.device for t in self.all()]

    def populate(self, rng, ids):
        if self.signalling == "HVD":
            pool = HVD_DEVICES
        elif self.signalling == "SE":
            pool = SE_DEVICES + U2_DISKS           # whether these could do more is not known
        else:
            pool = U320_DISKS + U160_DISKS + U2_DISKS + LVD_OTHERS
        numbers = rng.sample([n for n in range(16 if self.chip.wide else 8) if n != 7], rng.randrange(0, 7))
        favourite = rng.choice(pool)
        return [Target(ids, favourite if rng.random() < 0.5 else rng.choice(pool), n) for n in sorted(numbers)]

    def name(self, channel, target):
        return "target%d:0:%d" % (self.first + channel, target.number)

    def renumber(self, shift):
        self.first += shift

    # -------------------------------------------------------------------------------------------------------- rendering
    def render(self, tree):
        for channel, path in enumerate(self.slot.render(tree)):
            self.render_channel(tree, path, channel, self.channels[channel])
        if self.chip.driver == "mptspi":
            tree.module("mptbase", "3.04.20", mpt_debug_level=0)
            tree.module("mptspi", "3.04.20")
        else:
            tree.module(self.chip.driver)

    def render_channel(self, tree, path, channel, targets):
        chip, n = self.chip, self.first + channel
        more = dict(version_product=chip.name, version_fw="01.03.23.16", board_name="") if chip.driver == "mptspi" else {}
        host = tree.host(path, n, chip.driver, state=self.states[channel], can_queue=222, **more)
        tree.device(host, "spi_host", "host%d" % n, hba_id=7, host_width="wide" if chip.wide else "narrow",
                    signalling="unknown" if chip.driver == "mptspi" else self.signalling)
        for t in targets:
            target = tree.target(host, self.name(channel, t))
            self.render_transport(tree, target, t)
            self.fill_pages(t)
            tree.lun(target, "%d:0:%d:0" % (n, t.number), t.device)
        if self.proc and not tree.kernel.since(6, 0):
            self.render_proc(tree, n, targets)

    def floor(self, t):
        """min_period: what the driver will ask for at most."""
        chip, m = self.chip, t.model
        if chip.driver == "sym53c8xx":
            return t.limit or 9
        if chip.driver != "mptspi":
            return (t.limit or chip.best) if self.nvram else t.limit
        f = 8 if (m.byte56 or 0) & 3 == 3 else 9 if m.ansi >= 3 else 10       # mptspi.c, mptspi_setTargetNegoParms()
        if not m.wide:
            f = max(f, 10)
        if self.signalling != "LVD":
            f = max(f, 12)
        return max(f, t.limit or 0)

    def render_transport(self, tree, target, t):
        chip, m = self.chip, t.model
        values = {"revalidate": {"errno": "EACCES"}}
        if m.sync:
            values["period"] = period(t.factor if t.offset else 0xff if chip.driver == "mptspi" else None)
            values["min_period"] = period(self.floor(t))
            values["offset"] = "%d\n" % t.offset
            values["max_offset"] = "%d\n" % (chip.max_offset if t.max_offset is None else t.max_offset)
        if m.wide:
            values["width"] = "%d\n" % t.wide
            values["max_width"] = "%d\n" % (t.max_width if chip.wide else 0)
        if m.ansi >= 3 or (m.byte56 or 0) & 4:
            values["dt"] = "%d\n" % bool(t.options & DT)
        if chip.driver in ("mptspi", "aic79xx"):
            ius, qas = (m.byte56 or 0) & 1 and not m.no_iu, (m.byte56 or 0) & 2
            if ius:
                values.update(iu="%d\n" % bool(t.options & IU), max_iu="1\n", hold_mcs="0\n")
                values.update({name: "%d\n" % bool(t.options & bit) for name, bit in (("wr_flow", WR_FLOW), ("rd_strm", RD_STRM), ("rti", RTI), ("pcomp_en", PCOMP))})
            if qas:
                values.update(qas="%d\n" % bool(t.options & QAS), max_qas="1\n")
        tree.device(target, "spi_transport", target[target.rindex("/") + 1:], values)

    def fill_pages(self, t):
        m = t.model
        if not m.pages:
            return
        f, offset, wide = t.said or (t.factor, t.offset, t.wide)
        options = t.options if not t.said else DT | (IU if f == 8 else 0) if f <= 9 else 0
        seen = TRANSCEIVERS[self.signalling]
        t.device.mode_pages[3] = scsi.spi_negotiated(f or 0, offset, wide, options & 0x7f, seen)
        able = (DT if m.best <= 9 else 0) | ((m.byte56 or 0) & 1) | (QAS if (m.byte56 or 0) & 2 else 0)
        t.device.mode_pages[4] = scsi.spi_capabilities(m.best, m.offset, m.wide, able)

    def render_proc(self, tree, n, targets):
        chip = self.chip
        if chip.driver == "sym53c8xx":
            text = "Chip sym53c%s, device id 0x%x, revision id 0x1\nAt PCI address %s, IRQ 20\nMin. period factor %d, %s SCSI BUS%s\n" % (
                chip.name, chip.device, self.slot.name, chip.best, "Wide" if chip.wide else "Narrow", ", DT capable" if chip.best == 9 else "")
        elif chip.driver == "mptspi":
            text = "ioc%d: %s, FwRev=01031710h, Ports=1, MaxQ=222\n" % (n, chip.name)
        else:
            kind = {8: "Ultra320", 9: "Ultra160", 10: "Ultra2", 12: "Ultra"}[chip.best]
            text = "Adaptec %s driver version: %s\n%s SCSI adapter\n%s: %s %s Channel A, SCSI Id=7, 32/253 SCBs\n\n" % (
                *(("AIC79xx", "3.0") if chip.driver == "aic79xx" else ("AIC7xxx", "7.0")), chip.name, chip.driver, kind, "Wide" if chip.wide else "Single")
            by_number = {t.number: t for t in targets}
            for number in range(16 if chip.wide else 8):
                t = by_number.get(number)
                limit, wide = (t.limit or chip.best, chip.wide and t.max_width) if t else (chip.best, chip.wide)
                if t and t.max_offset == 0:
                    limit = None
                text += "Target %d Negotiation Settings\n\tUser: %s\n" % (number, self.transfers(limit, wide, 0 if limit is None else chip.max_offset))
                if t:
                    text += "".join("\t%s: %s\n" % (word, self.transfers(t.factor, t.wide, t.offset)) for word in ("Goal", "Curr"))
                    text += "\tChannel A Target %d Lun 0 Settings\n\t\tCommands Queued 6130\n\t\tCommands Active 0\n" % number
        tree.put("/proc/scsi/" + chip.driver, {str(n): text})

    def transfers(self, factor, wide, offset):
        if not offset:
            return "6.600MB/s transfers (16bit)" if wide else "3.300MB/s transfers"
        ns = float(NS.get(factor) or 4 * factor)
        khz = {30.3: 33000}.get(ns, round(1e6 / ns))
        if self.chip.driver == "aic79xx":
            options = " RDSTRM|DT|IU|RTI|QAS" if factor == 8 else " DT" if factor == 9 else ""
            return "%d.%03dMB/s transfers (%d.%03dMHz%s%s)" % (*divmod(khz * (1 + bool(wide)), 1000), *divmod(khz, 1000), options, ", 16bit" if wide else "")
        return "%d.%03dMB/s transfers (%d.%03dMHz%s, offset %d%s)" % (
            *divmod(khz * (1 + bool(wide)), 1000), *divmod(khz, 1000), " DT" if factor == 9 else "", offset, ", 16bit" if wide else "")

    # ------------------------------------------------------------------------------------------------------------- time
    def evolve(self, rng, hours):
        """A disk may have been replaced by one of another kind."""
        if self.all() and rng.random() < 0.15:
            t = rng.choice(self.all())
            pool = [m for m in U320_DISKS + U160_DISKS + U2_DISKS if m.kind == t.model.kind]
            if pool and self.signalling == "LVD":
                t.model = rng.choice(pool)
                fresh = Target(self.fresh, t.model, t.number)
                t.device, t.limit, t.max_width, t.max_offset = fresh.device, None, 1, None
                t.agree(self.chip, self.signalling)


def healthy(rng, ids):
    chip = rng.choice(rng.choice([U320, U320, U160, U2, SE, HVD]))
    signalling = None
    if chip.signalling == "LVD" and chip.driver != "mptspi" and rng.random() < 0.15:
        signalling = "SE"                        # with nothing on it that knows better
    a = Spi(rng, ids, chip, signalling)
    a.fresh = ids
    if chip.driver in ("aic7xxx", "aic79xx") and a.all() and rng.random() < 0.3:
        t = rng.choice(a.all())                  # somebody set a limit for this id
        t.limit, t.max_width, t.max_offset = rng.choice([(max(9, chip.best), 1, None), (12, 1, None), (25, 1, None), (None, 0, None), (None, 1, 0)])
        t.agree(chip, a.signalling)
    return a


# ------------------------------------------------------------------------------------------------------------- faults
def lvd_bus(rng, ids, chips, pool, count, others=()):
    """A card whose first channel holds `count` disks of one model, and others."""
    chip = rng.choice(chips)
    numbers = rng.sample([n for n in range(16) if n != 7], count + len(others))
    model = rng.choice(pool)
    disks = [Target(ids, model, n) for n in numbers[:count]] + [Target(ids, m, n) for m, n in zip(others, numbers[count:])]
    a = Spi(rng, ids, chip, targets=[disks] + [[] for _ in range(chip.channels - 1)])
    a.fresh = ids
    return a


def with_proof(rng, ids, low=1, high=7):
    """Disks that say themselves what they can do, on an adapter that can do it."""
    if rng.random() < 0.7:
        return lvd_bus(rng, ids, U320, U320_DISKS, rng.randrange(low, high))
    return lvd_bus(rng, ids, U320 + U160, [U160_DISKS[0], U160_DISKS[2]], rng.randrange(low, high))


def slower(t):
    """Period factors below what the target runs at, down to Fast-20."""
    return [f for f in (9, 10, 12) if f > t.factor]


def one_slow(rng, ids):
    a = with_proof(rng, ids)
    t = rng.choice(a.channels[0])
    t.run(rng.choice(slower(t)), a.chip)
    return Fault("rate-below-expected", a.name(0, t), a, pages="all")


def one_narrow(rng, ids):
    a = with_proof(rng, ids)
    t = rng.choice(a.channels[0])
    t.wide = False
    t.run(rng.choice([10, 12]), a.chip)
    return Fault("width-below-expected", a.name(0, t), a, pages="all")


def one_async(rng, ids):
    a = with_proof(rng, ids)
    t = rng.choice(a.channels[0])
    t.factor, t.offset, t.wide = None, 0, rng.random() < 0.5
    return Fault("async", a.name(0, t), a, pages="all")


def old_async(rng, ids):
    """A SCSI-2 device that says it can do synchronous transfers, and does none."""
    a = Spi(rng, ids, rng.choice(SE))
    m = rng.choice([m for m in SE_DEVICES if m.sync and m.wide <= a.chip.wide])
    a.channels[0] = [t for t in a.channels[0] if t.number != 5][:2] + [Target(ids, m, 5)]
    t = a.channels[0][-1]
    t.agree(a.chip, a.signalling)
    t.factor, t.offset = None, 0
    return Fault("async", a.name(0, t), a)


def single_ended(rng, ids):
    a = with_proof(rng, ids)
    if rng.random() < 0.4:                       # what drags it down
        free = [n for n in range(7) if n not in [t.number for t in a.all()]]
        a.channels[0] += [Target(ids, rng.choice([m for m in SE_DEVICES if not m.wide]), free[0])] if free else []
    a.signalling = "SE"
    for t in a.all():
        t.agree(a.chip, "SE")
    a.channels = a.channels[:1] + [[] for _ in a.channels[1:]]
    if len(a.channels) > 1:
        a.chip = Chip(**{**vars(a.chip), "channels": 1})
        a.slot.functions, a.channels, a.states = 1, a.channels[:1], ["running"]
    return Fault("bus-single-ended", "host%d" % a.first, a, pages="all")


def all_slow(rng, ids):
    a = with_proof(rng, ids, low=3)
    f = rng.choice(slower(a.channels[0][0]))
    narrow = rng.random() < 0.25
    for t in a.channels[0]:
        if narrow:
            t.wide = False
        t.run(max(f, 10) if narrow else f, a.chip)
    return Fault("host-wide-limit", ["host%d" % a.first] + [a.name(0, t) for t in a.channels[0]], a, pages="all")


def ends_differ(rng, ids):
    a = with_proof(rng, ids)
    t = rng.choice(a.channels[0])
    f = rng.choice(slower(t))
    if rng.random() < 0.5:
        t.said = (f, t.offset, True)
    else:
        t.said = (t.factor, t.offset, True)
        t.run(f, a.chip)
    return Fault("ends-disagree", a.name(0, t), a, pages="all")


def was_faster(rng, ids):
    """Nobody says what the device can do; it did more before."""
    a = lvd_bus(rng, ids, U160 + U320, [U160_DISKS[1]] + U2_DISKS, rng.randrange(1, 3))
    before, t = a.copy(), rng.choice(a.channels[0])
    t.run(rng.choice([f for f in (12, 25) if f > t.factor]), a.chip)
    return Fault("slower-than-before", a.name(0, t), over_hours(rng, [before, a]), persists=True)


def unlike_siblings(rng, ids):
    a = lvd_bus(rng, ids, U160 + U320, [U160_DISKS[1]] + U2_DISKS, rng.randrange(4, 7))
    t = rng.choice(a.channels[0])
    t.run(rng.choice([f for f in (12, 25) if f > t.factor]), a.chip)
    return Fault("slower-than-sibling", a.name(0, t), a)


def gone(rng, ids):
    a = with_proof(rng, ids, low=2)
    before, t = a.copy(), rng.choice(a.channels[0])
    a.channels[0].remove(t)
    return Fault("link-lost", a.name(0, t), over_hours(rng, [before, a]))


def flaps(rng, ids):
    """Up and down the ladder several times within the hour, at last where it should be."""
    a = with_proof(rng, ids)
    index, states = rng.randrange(len(a.channels[0])), []
    for k in range(5):
        b = a.copy()
        t = b.channels[0][index]
        if k % 2:
            t.run(slower(t)[0], b.chip)
        states.append(((4 - k) * 0.2, b))
    return Fault("link-flapping", a.name(0, a.channels[0][index]), states)


def sticks(rng, ids):
    a = with_proof(rng, ids)
    t = rng.choice(a.channels[0])
    return stuck(rng, a, t.device, ["%d:0:%d:0" % (a.first, t.number), a.name(0, t)], True)


def reads(rng, ids):
    a = with_proof(rng, ids, low=rng.choice([1, 3]))
    t = a.channels[0][0]
    return slow_reads(rng, a, lambda x: (x.channels[0][0].device, [s.device for s in x.channels[0][1:]]),
                      ["%d:0:%d:0" % (a.first, t.number), a.name(0, t)])


def resets(rng, ids):
    a = with_proof(rng, ids)
    return resetting(rng, a, "host%d" % a.first, lambda x: x.states.__setitem__(0, "recovery"))


FAULTS = [one_slow, one_narrow, one_async, old_async, single_ended, all_slow, ends_differ, was_faster, unlike_siblings, gone, flaps, sticks, reads, resets]
