# SPDX-License-Identifier: LGPL-2.1-or-later
"""SAS: HBAs of several generations with disks, expanders, SATA behind STP, wide ports, free and disabled phys.

Texts: drivers/scsi/scsi_transport_sas.c. What differs between drivers: mpt3sas and mptsas describe the owner in a phy's
address and type, put no phy of an expander that faces the HBA in a port, and read "Unknown" where nothing is attached;
libsas describes what is attached, and keeps the last rate of an HBA phy when its cable is pulled.
"""
import scsi
from adapter import Adapter
from pcie import Slot, port_for

RATES = [1.5, 3.0, 6.0, 12.0]
COUNTERS = ("invalid_dword_count", "running_disparity_error_count", "loss_of_dword_sync_count", "phy_reset_problem_count")


class Chip:
    def __init__(self, driver, vendor, device, name, best, phys, slot, libsas=False, version="43.100.00.00"):
        self.driver, self.vendor, self.device, self.name, self.best, self.phys = driver, vendor, device, name, best, phys
        self.slot, self.libsas, self.version = slot, libsas, version


CHIPS = [Chip("mpt3sas", 0x1000, 0x0097, "SAS3008", 12.0, 8, (8.0, 8)), Chip("mpt3sas", 0x1000, 0x0097, "SAS3008", 12.0, 8, (8.0, 8)),
         Chip("mpt3sas", 0x1000, 0x0087, "SAS2308", 6.0, 8, (8.0, 8)), Chip("mpt3sas", 0x1000, 0x00ac, "SAS3416", 12.0, 16, (8.0, 8)),
         Chip("mpt3sas", 0x1000, 0x0072, "SAS2008", 6.0, 8, (5.0, 8)), Chip("mptsas", 0x1000, 0x0058, "SAS1068E", 3.0, 8, (2.5, 8), version="3.04.20"),
         Chip("mvsas", 0x1b4b, 0x9485, "88SE9485", 6.0, 8, (5.0, 8), libsas=True, version="0.8.16")]


class Model:
    def __init__(self, vendor, model, best, sata=False, kind=scsi.DISK, ssd=False):
        self.vendor, self.model, self.best, self.sata, self.kind, self.ssd = vendor, model, best, sata, kind, ssd


SAS_DISKS = [Model("SEAGATE", "ST8000NM0075", 12.0), Model("HGST", "HUH721010AL5200", 12.0), Model("SAMSUNG", "MZILT1T6HAJQ/007", 12.0, ssd=True),
             Model("SEAGATE", "ST4000NM0023", 6.0), Model("HITACHI", "HUS723030ALS640", 6.0), Model("SEAGATE", "ST3146855SS", 3.0)]
SATA_DISKS = [Model("ATA", "ST4000NM0033-9ZM", 6.0, sata=True), Model("ATA", "INTEL SSDSC2BB48", 6.0, sata=True, ssd=True), Model("ATA", "WDC WD1003FBYX-0", 3.0, sata=True),
              Model("ATA", "ST3500630NS", 3.0, sata=True), Model("ATA", "WDC WD740GD-00FL", 1.5, sata=True)]
TAPES = [Model("HP", "Ultrium 5-SCSI", 6.0, kind=scsi.TAPE), Model("IBM", "ULT3580-HH7", 6.0, kind=scsi.TAPE)]
EXPANDERS = [("LSI", "SAS3x36", 12.0, 36), ("LSI", "SAS3x28", 12.0, 28), ("LSI", "SAS2X36", 6.0, 36), ("HP", "D2700 SAS AJ941A", 6.0, 30), ("LSILOGIC", "SASX28 A.0", 3.0, 28)]


class Phy:
    def __init__(self, number, best):
        self.number, self.best, self.programmed, self.enabled = number, best, best, True
        self.rate = self.stale = 0
        self.word = None              # what is there instead of a rate
        self.counters = [0, 0, 0, 0]

    @property
    def text(self):
        return "Phy disabled" if not self.enabled else "%.1f Gbit" % self.rate if self.rate else "%.1f Gbit" % self.stale if self.stale else self.word or "Unknown"


class Port:
    """phys of the node above, and what they lead to: an End or an Expander. of_expander: the phys at its other end."""

    def __init__(self, phys, child, far_phys=()):
        self.phys, self.child, self.far_phys = phys, child, list(far_phys)


class Node:
    """Something with phys: the HBA or an expander."""

    def __init__(self, best, count, address):
        self.best, self.address = best, address
        self.phys, self.ports = [Phy(n, best) for n in range(count)], []

    def used(self):
        return {p.number for port in self.ports for p in port.phys} | {p.number for p in getattr(self, "up", []) + getattr(self, "strays", [])}

    def free(self):
        return [p for p in self.phys if p.number not in self.used() and p.enabled]


class Expander(Node):
    def __init__(self, ids, kind, uplink):
        vendor, model, best, count = kind
        super().__init__(best, count, ids.wwn(0x003048) | 0x3f)
        self.vendor, self.model = vendor, model
        self.up = self.phys[:uplink]
        self.strays = []              # phys that face another host: they show a rate, and are in no port


class End:
    """A device at one phy. told: what its own pages say it negotiated, where that differs."""

    def __init__(self, ids, model, address=None):
        self.model, self.told, self.deleted = model, None, False
        self.device = d = scsi.Device(model.vendor, model.model, "A001", model.kind, 6, ids.serial("ZC"), ids.wwn())
        d.length, d.rotational, d.sectors = 144, not model.ssd, 7814037168
        d.byte7 = 0x02
        self.address = address or d.wwn + 1
        if model.sata:
            d.sat_vendor = ("LSI", "LSI SATL")
            self.address = address or ids.wwn(0x00605b)
        self.number = 0


class Sas(Adapter):
    kernels = ("4.4.180-94.164-default", "4.18.0-553.el8.x86_64", "5.10.0-33-amd64", "5.14.0-427.el9.x86_64", "6.1.0-37-amd64", "6.8.0-60-generic")

    def __init__(self, rng, ids, chip):
        self.chip = chip
        self.slot = Slot(ids, chip.vendor, chip.device, 0x010700, chip.driver, chip.slot, port_for(rng, chip.slot))
        self.first, self.state, self.resets = ids.host(), "running", 0
        self.hba = Node(chip.best, chip.phys, ids.wwn(0x00605b))
        self.targets, self.volume, self.fresh = 0, False, ids

    # -------------------------------------------------------------------------------------------------------- building
    def attach(self, node, phy, end, rate=None):
        phy.rate = rate or min(phy.best, phy.programmed, end.model.best, 6.0 if end.model.sata else 22.5)
        node.ports.append(Port([phy], end))
        end.number = self.targets
        self.targets += 1
        return end

    def attach_expander(self, node, phys, expander):
        for near, far in zip(phys, expander.up):
            near.rate = far.rate = min(near.best, near.programmed, expander.best)
        node.ports.append(Port(phys, expander, expander.up[:len(phys)]))
        return expander

    def add_enclosure(self, ids, expander):
        """The expander's own SES device, on a phy without a cable."""
        end = End(ids, Model(expander.vendor, expander.model, expander.best, kind=scsi.ENCLOSURE), expander.address - 2)
        end.is_own = True
        return self.attach(expander, expander.phys[-1], end)

    def nodes(self):
        """(node, its name's numbers) from the HBA down, expanders in the order the driver met them."""
        result, todo = [(self.hba, "%d" % self.first)], [self.hba]
        while todo:
            for port in todo.pop(0).ports:
                if isinstance(port.child, Expander):
                    result.append((port.child, "%d:%d" % (self.first, len(result) - 1)))
                    todo.append(port.child)
        return result

    def ends(self):
        return [(node, prefix, port) for node, prefix in self.nodes() for port in node.ports if isinstance(port.child, End)]

    def disks(self):
        return [x for x in self.ends() if x[2].child.model.kind == scsi.DISK]

    def devices(self):
        return [port.child.device for _, _, port in self.ends()]

    def names(self, prefix, node, port):
        """Names under which a finding may name a port's link."""
        return "|".join(["port-%s:%d" % (prefix, node.ports.index(port))] + ["phy-%s:%d" % (prefix, p.number) for p in port.phys])

    def port_name(self, prefix, node, port):
        return "port-%s:%d" % (prefix, node.ports.index(port)) if len(port.phys) > 1 else "phy-%s:%d" % (prefix, port.phys[0].number)

    def hctl(self, port):
        return "%d:0:%d:0" % (self.first, port.child.number)

    def renumber(self, shift):
        self.first += shift

    # -------------------------------------------------------------------------------------------------------- rendering
    def render(self, tree):
        chip = self.chip
        path = self.slot.render(tree)[0]
        tree.module(chip.driver, chip.version)
        more = {}
        if chip.driver in ("mpt3sas", "mptsas"):
            more.update(version_product=chip.name, version_fw="16.00.12.00", version_bios="08.37.00.00", board_name="SAS9300-8i")
        if chip.driver == "mpt3sas":
            more.update(ioc_reset_count=self.resets, host_sas_address="0x%016x" % self.hba.address)
        host = tree.host(path, self.first, chip.driver, state=self.state, **more)
        tree.device(host, "sas_host", "host%d" % self.first)
        numbers = {id(node): prefix for node, prefix in self.nodes()}
        self.render_node(tree, self.hba, host, numbers)
        if self.volume:
            target = tree.target(host, "target%d:1:0" % self.first)
            volume = scsi.Device("LSI", "Logical Volume", "3000", ansi=6)
            tree.lun(target, "%d:1:0:0" % self.first, volume)

    def render_node(self, tree, node, path, numbers):
        prefix = numbers[id(node)]
        is_hba = node is self.hba
        by_phy = {p.number: i for i, port in enumerate(node.ports) for p in port.phys}
        libsas_up = self.chip.libsas and not is_hba and node.up
        for phy in node.phys:
            name = "%s:%d" % (prefix, phy.number)
            where = "%s/phy-%s" % (path, name)
            tree.put(where, {"uevent": ""})
            if phy.number in by_phy:
                tree.link(where, "port", "%s/port-%s:%d" % (path, prefix, by_phy[phy.number]))
            elif libsas_up and phy in node.up and phy.rate:
                tree.link(where, "port", "%s/port-%s:%d" % (path, prefix, len(node.ports)))
            self.render_phy(tree, where, phy, node, is_hba, by_phy)
        for i, port in enumerate(node.ports):
            self.render_port(tree, node, path, "%s:%d" % (prefix, i), port, numbers)
        if libsas_up:
            where = tree.put("%s/port-%s:%d" % (path, prefix, len(node.ports)), {"uevent": ""})
            lanes = [p for p in node.up if p.rate]
            for phy in lanes:
                tree.link(where, "phy-%s:%d" % (prefix, phy.number), "%s/phy-%s:%d" % (path, prefix, phy.number))
            tree.device(where, "sas_port", "port-%s:%d" % (prefix, len(node.ports)), num_phys=len(lanes))

    def render_phy(self, tree, where, phy, node, is_hba, by_phy):
        if self.chip.libsas:
            child = node.ports[by_phy[phy.number]].child if phy.number in by_phy else None
            kind = "none" if is_hba or not child else "edge expander" if isinstance(child, Expander) else "end device"
            address = node.address if is_hba or not child else child.address
        else:
            kind, address = ("end device" if is_hba else "edge expander"), node.address
        tree.device(where, "sas_phy", where[where.rindex("/") + 1:],
                    {"hard_reset": {"errno": "EACCES"}, "link_reset": {"errno": "EACCES"}},
                    negotiated_linkrate=phy.text, maximum_linkrate="%.1f Gbit" % phy.programmed, maximum_linkrate_hw="%.1f Gbit" % phy.best,
                    minimum_linkrate="1.5 Gbit", minimum_linkrate_hw="1.5 Gbit", enable=int(phy.enabled), phy_identifier=phy.number,
                    sas_address="0x%016x" % address, device_type=kind,
                    initiator_port_protocols="smp, stp, ssp" if is_hba else "smp", target_port_protocols="none" if is_hba else "smp",
                    **dict(zip(COUNTERS, phy.counters)))

    def render_port(self, tree, node, path, name, port, numbers):
        where = tree.put("%s/port-%s" % (path, name), {"uevent": ""})
        prefix = numbers[id(node)]
        for phy in port.phys:
            tree.link(where, "phy-%s:%d" % (prefix, phy.number), "%s/phy-%s:%d" % (path, prefix, phy.number))
        tree.device(where, "sas_port", "port-" + name, num_phys=len(port.phys))
        if isinstance(port.child, Expander):
            e = port.child
            at = tree.put("%s/expander-%s" % (where, numbers[id(e)]), {"uevent": ""})
            tree.device(at, "sas_device", "expander-" + numbers[id(e)], device_type="edge expander", sas_address="0x%016x" % e.address,
                        initiator_port_protocols="smp", target_port_protocols="smp", phy_identifier=0, scsi_target_id=-1)
            tree.device(at, "sas_expander", "expander-" + numbers[id(e)], vendor_id=e.vendor.ljust(8), product_id=e.model.ljust(16), product_rev="0e12", level=1)
            self.render_node(tree, e, at, numbers)
        else:
            self.render_end(tree, node, where, name, port)

    def render_end(self, tree, node, where, name, port):
        end, phy, is_hba = port.child, port.phys[0], node is self.hba
        at = tree.put("%s/end_device-%s" % (where, name), {"uevent": ""})
        values = {} if self.chip.libsas else {"bay_identifier": "%d\n" % phy.number, "enclosure_identifier": "0x%016x\n" % node.address}
        tree.device(at, "sas_device", "end_device-" + name, values, device_type="end device", sas_address="0x%016x" % end.address,
                    initiator_port_protocols="none", target_port_protocols="sata" if end.model.sata else "ssp", phy_identifier=0, scsi_target_id=end.number)
        tree.device(at, "sas_end_device", "end_device-" + name, ready_led_meaning=0, I_T_nexus_loss_timeout=0 if end.model.sata else 2000, tlr_enabled=0, tlr_supported=0)
        self.fill_pages(end, node, phy, is_hba)
        if end.deleted:               # by hand: the phy stays up
            return
        target = tree.target(at, "target%d:0:%d" % (self.first, end.number))
        tree.lun(target, self.hctl(port), end.device)

    def fill_pages(self, end, node, phy, is_hba):
        d, told = end.device, end.told or phy.rate
        generation = {1.5: 1, 3.0: 2, 6.0: 3, 12.0: 4}
        if end.model.sata:
            d.identify = scsi.identify(end.model.model, d.serial, generation[end.model.best], generation[told] if end.model.best >= 3 else 0)
            return
        if end.model.kind == scsi.ENCLOSURE:
            return
        phys = [scsi.SasPhy(0, end.address, node.address, phy.number, 1 if is_hba else 2, told, end.model.best),
                scsi.SasPhy(1, end.address + 1, best=end.model.best)]
        d.mode_pages[1], d.log_page = scsi.sas_phys_page(phys), scsi.sas_log_page(phys)

    # ------------------------------------------------------------------------------------------------------------- time
    def evolve(self, rng, hours):
        """A few errors; a disk replaced, with the burst of counts that goes with it; counters that a reset set to 0."""
        for node, _ in self.nodes():
            for phy in node.phys:
                if phy.rate and rng.random() < 0.1:
                    phy.counters = [c + rng.randrange(0, int(min(4 * hours, 20)) + 1) for c in phy.counters]
        replaced = None
        if self.ends() and rng.random() < 0.3:
            node, _, port = rng.choice(self.ends())
            replaced = port
            if port.child.model.kind == scsi.DISK:
                number = port.child.number
                model = rng.choice([m for m in SAS_DISKS + SATA_DISKS if not (m.sata and self.chip.libsas)])
                port.child = End(self.fresh, model)
                port.child.number = number
                phy = port.phys[0]
                for other in port.phys[1:]:
                    other.rate = 0
                port.phys = [phy]
                phy.rate = min(phy.best, phy.programmed, model.best, 6.0 if model.sata else 22.5)
                phy.counters = [c + rng.randrange(0, 900) for c in phy.counters]
        if rng.random() < 0.1:
            self.reboot()
        disks = [x for x in self.disks() if x[2] is not replaced]
        if disks and rng.random() < 0.15:
            self.handle(rng, rng.choice(disks))
        if rng.random() < 0.05 and not self.chip.libsas:
            self.swap_shelf(rng)
        for port in self.hba.ports:
            if len(port.phys) > 1 and isinstance(port.child, Expander) and not self.chip.libsas and rng.random() < 0.05:
                lost, far = port.phys.pop(), port.far_phys.pop()      # switched off by an administrator
                lost.rate, lost.enabled, far.rate = 0, False, 0

    def swap_shelf(self, rng):
        """Another shelf with other disks on the same cable."""
        for port in self.hba.ports:
            if isinstance(port.child, Expander) and len(port.child.up) == len(port.phys) > 1:
                e = Expander(self.fresh, rng.choice(EXPANDERS), len(port.phys))
                port.child, port.far_phys = e, list(e.up)
                for near, far in zip(port.phys, e.up):
                    near.rate = far.rate = min(near.best, near.programmed, e.best)
                fill_shelf(rng, self.fresh, self, e, SAS_DISKS[:3], 3)
                return

    def handle(self, rng, where):
        """A disk is deleted by hand, taken out and put back, or moved to another bay."""
        node, _, port = where
        phy, what, free = port.phys[0], rng.randrange(3), [p for p in node.free() if p.best == port.phys[0].best and p.programmed == port.phys[0].programmed]
        if what == 0:
            port.child.deleted = True
        elif what == 1 or not free or self.chip.libsas:
            phy.counters = [c + rng.randrange(100, 900) for c in phy.counters]       # all four: the phy was reset
        else:
            new = rng.choice(free[:-1] or free)
            port.child.deleted = False                     # what is plugged in is found anew
            new.rate, phy.rate, port.phys = phy.rate, 0, [new]
            if port.child.model.sata:
                port.child.address = self.fresh.wwn(0x00605b)

    def reboot(self):
        for node, _ in self.nodes():
            for phy in node.phys:
                phy.counters = [0, 0, 0, 0]
        self.resets = 0


# ------------------------------------------------------------------------------------------------------------ machines
def pool(rng, chip):
    """A machine's disks are mostly of few kinds."""
    every = SAS_DISKS + ([] if chip.libsas else SATA_DISKS)
    return rng.sample(every, rng.randrange(1, 4))


def direct(rng, ids, chip=None, count=None, models=None, phys=None):
    """Disks on the HBA's own phys."""
    a = Sas(rng, ids, chip or rng.choice(CHIPS))
    models = models or pool(rng, a.chip)
    phys = phys or a.hba.free()
    for phy in sorted(rng.sample(phys, min(count if count is not None else rng.randrange(0, len(phys) + 1), len(phys))), key=lambda p: p.number):
        a.attach(a.hba, phy, End(ids, rng.choice(models)))
    return a


def fill_shelf(rng, ids, a, expander, models, count=None, enclosure=True):
    free = expander.free()[:-1]
    for phy in sorted(rng.sample(free, min(count if count is not None else rng.randrange(0, 13), len(free))), key=lambda p: p.number):
        a.attach(expander, phy, End(ids, rng.choice(models)))
    if enclosure:
        a.add_enclosure(ids, expander)


def shelves(rng, ids, chip=None, models=None, count=None, cascade=None, uplink=None, kinds=None, shelf_count=None):
    """One or two expanders on wide ports, perhaps another behind the first, and disks on what is left."""
    a = Sas(rng, ids, chip or rng.choice([c for c in CHIPS]))
    models = models or pool(rng, a.chip)
    width = uplink or rng.choice([4, 4, 4, 8])
    for s in range(shelf_count or (1 if width == 8 and a.chip.phys == 8 else rng.randrange(1, 3))):
        e = Expander(ids, rng.choice(kinds or EXPANDERS), width)
        a.attach_expander(a.hba, a.hba.phys[s * width:(s + 1) * width], e)
        fill_shelf(rng, ids, a, e, models, count)
        if cascade if cascade is not None else rng.random() < 0.2:
            below = Expander(ids, rng.choice(kinds or EXPANDERS), 4)
            if len(e.free()) > 5:
                a.attach_expander(e, e.free()[-5:-1], below)
                fill_shelf(rng, ids, a, below, models, count)
    return a


def healthy(rng, ids):
    return DualPath(rng, ids) if rng.random() < 0.05 else healthy_hba(rng, ids)


def healthy_hba(rng, ids):
    a = direct(rng, ids) if rng.random() < 0.45 else shelves(rng, ids)
    if rng.random() < 0.25 and not a.chip.libsas:
        odd(rng, ids, a)
    for node, _ in a.nodes():
        for phy in node.phys:
            if rng.random() < 0.1:               # totals of a lifetime
                phy.counters = [rng.choice([0, 3, 412, 88213, 0xffffffff]) for _ in range(4)]
    return a


def odd(rng, ids, a):
    """What somebody set or plugged in on purpose."""
    what, free = rng.randrange(8), a.hba.free()
    if what == 0 and free:
        free[0].enabled = False
    elif what == 1 and free:
        a.attach(a.hba, free[-1], End(ids, rng.choice(TAPES)))
    elif what == 2:
        a.volume = True
    elif what == 3 and a.hba.best > 3:           # phys programmed to less: capped
        for port in a.hba.ports:
            limit = a.hba.best / 2
            for phy, far in zip(port.phys, port.far_phys or [None] * len(port.phys)):
                phy.programmed, phy.rate = limit, min(phy.rate, limit)
                if far:
                    far.rate = phy.rate
    elif what == 5 and free:                     # what the driver says of phys that have nothing to say
        for phy in free:
            phy.word = rng.choice(["Unknown", "", "Link Rate failed", "Spin-up hold"])
    elif what == 6:                              # the shelf's other half of the cables leads to another host
        for node, _ in a.nodes()[1:]:
            for phy in node.free()[:4]:
                phy.rate = node.best
                node.strays.append(phy)
    elif what == 7 and free and a.hba.ports:     # a disk with both its ports on one cable
        for port in a.hba.ports:
            beside = [p for p in a.hba.free() if p.number == port.phys[-1].number + 1]
            if len(port.phys) == 1 and isinstance(port.child, End) and beside and not port.child.model.sata and port.child.model.kind == scsi.DISK:
                beside[0].rate = port.phys[0].rate
                port.phys.append(beside[0])
                break
    elif what == 4:                              # one port of three lanes whose fourth is switched off
        for port in a.hba.ports:
            if len(port.phys) == 4 and isinstance(port.child, Expander):
                lost, far = port.phys.pop(), port.far_phys.pop()
                lost.rate, lost.enabled, far.rate = 0, False, 0
                break


class DualPath(Adapter):
    """Two HBAs, each with an expander of one shelf, and disks with a port to each."""
    kernels = Sas.kernels

    def __init__(self, rng, ids):
        self.sides = [Sas(rng, ids, CHIPS[0]) for _ in (0, 1)]
        models, bays = [rng.choice(SAS_DISKS[:5])], rng.sample(range(4, 30), rng.randrange(2, 8))
        ends = [End(ids, rng.choice(models)) for _ in bays]
        for side, a in enumerate(self.sides):
            e = a.attach_expander(a.hba, a.hba.phys[:4], Expander(ids, EXPANDERS[0], 4))
            for bay, end in zip(bays, ends):
                other = End(ids, end.model, end.device.wwn + 1 + side)
                other.device.wwn, other.device.serial = end.device.wwn, end.device.serial
                a.attach(e, e.phys[bay], other)

    def copy(self):
        return super().copy()

    def devices(self):
        return [d for a in self.sides for d in a.devices()]

    def render(self, tree):
        for a in self.sides:
            a.render(tree)

    def renumber(self, shift):
        for a in self.sides:
            a.renumber(shift)

    def reboot(self):
        for a in self.sides:
            a.reboot()
