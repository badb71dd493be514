# SPDX-License-Identifier: LGPL-2.1-or-later
"""One seeded fault each on machines of sas.py: lost lanes, slow links, what went away, what reads slowly."""
import scsi
from adapter import Fault, over_hours, resetting, slow_reads, stuck
from sas import CHIPS, DualPath, EXPANDERS, Expander, RATES, SAS_DISKS, direct, healthy_hba, shelves


def lower(rng, rate):
    return rng.choice([r for r in RATES if r < rate])


def with_proof(rng, ids, count=None):
    """A machine with at least one disk that says what it can do and whose near end can do more than the least."""
    for _ in range(100):
        chip = rng.choice([c for c in CHIPS if not c.libsas])
        a = direct(rng, ids, chip, count or rng.randrange(1, 9)) if rng.random() < 0.5 else shelves(rng, ids, chip, count=count or rng.randrange(1, 9))
        fast = [x for x in a.disks() if x[2].phys[0].rate > 1.5]
        if fast:
            return a, rng.choice(fast)


def one_slow(rng, ids):
    a, (node, prefix, port) = with_proof(rng, ids)
    phy = port.phys[0]
    phy.rate = lower(rng, phy.rate)
    return Fault("rate-below-expected", a.names(prefix, node, port), a, pages="all")


def below_its_cap(rng, ids):
    """Programmed to 6.0, and not even there."""
    a = direct(rng, ids, CHIPS[0], rng.randrange(1, 5), SAS_DISKS[:3])
    node, prefix, port = rng.choice(a.disks())
    port.phys[0].programmed, port.phys[0].rate = 6.0, 3.0
    return Fault("rate-below-expected", a.names(prefix, node, port), a, pages="all")


def uplink_slow(rng, ids):
    """The whole cable to a shelf trained low, or one lane of it."""
    a = shelves(rng, ids, rng.choice(CHIPS[:4]), kinds=EXPANDERS[:4])
    port = rng.choice([p for p in a.hba.ports if isinstance(p.child, Expander)])
    rate = lower(rng, port.phys[0].rate)
    lanes = list(zip(port.phys, port.far_phys))
    for near, far in lanes if rng.random() < 0.5 else [rng.choice(lanes)]:
        near.rate = far.rate = rate
    return Fault("rate-below-expected", a.names("%d" % a.first, a.hba, port), a, pages="all")


def lane_missing(rng, ids):
    a = shelves(rng, ids, rng.choice([c for c in CHIPS if not c.libsas]))
    port = rng.choice([p for p in a.hba.ports if isinstance(p.child, Expander)])
    for _ in range(rng.randrange(1, 3)):
        k = rng.randrange(len(port.phys))
        port.phys.pop(k).rate = port.far_phys.pop(k).rate = 0
    return Fault("width-below-expected", a.port_name("%d" % a.first, a.hba, port), a)


def cascade_lane_missing(rng, ids):
    """Between expanders only the past tells how wide a port was."""
    a = shelves(rng, ids, rng.choice([c for c in CHIPS if not c.libsas]), cascade=True, uplink=4)
    before = a.copy()
    node, prefix, port = rng.choice([(n, x, p) for n, x in a.nodes()[1:] for p in n.ports if isinstance(p.child, Expander)])
    k = rng.randrange(len(port.phys))
    port.phys.pop(k).rate = port.far_phys.pop(k).rate = 0
    return Fault("width-below-expected", a.port_name(prefix, node, port), over_hours(rng, [before, a]), persists=True)


def all_slow(rng, ids):
    a = direct(rng, ids, rng.choice(CHIPS[:4]), rng.randrange(3, 9), [rng.choice(SAS_DISKS[:5])])
    rate = lower(rng, a.hba.ports[0].phys[0].rate)
    for port in a.hba.ports:
        port.phys[0].rate = rate
    return Fault("host-wide-limit", "host%d" % a.first, a, pages="all")


def shelf_slow(rng, ids):
    """Every disk of one shelf, and nothing else."""
    a = shelves(rng, ids, rng.choice(CHIPS[:2]), [rng.choice(SAS_DISKS[:3])], count=rng.randrange(3, 10), cascade=False, uplink=4, kinds=EXPANDERS[:2])
    port = rng.choice(a.hba.ports)
    rate = lower(rng, 12.0)
    for below in port.child.ports:
        if below.child.model.kind == scsi.DISK:
            below.phys[0].rate = rate
    return Fault("rate-below-expected", a.port_name("%d" % a.first, a.hba, port), a, pages="all")


def ends_differ(rng, ids):
    for _ in range(100):
        a, (node, prefix, port) = with_proof(rng, ids)
        if not port.child.model.sata:
            break
    port.child.told = lower(rng, port.phys[0].rate)
    return Fault("ends-disagree", a.names(prefix, node, port), a, pages="all")


def was_faster(rng, ids):
    """Nobody asked the disk; its link ran faster before."""
    a = direct(rng, ids, rng.choice(CHIPS[:4]), rng.randrange(1, 3), SAS_DISKS[:5])
    before = a.copy()
    node, prefix, port = rng.choice(a.disks())
    port.phys[0].rate = lower(rng, port.phys[0].rate)
    return Fault("slower-than-before", a.names(prefix, node, port), over_hours(rng, [before, a]), pages="none", persists=True)


def unlike_siblings(rng, ids):
    a = direct(rng, ids, rng.choice(CHIPS[:4]), rng.randrange(4, 9), [rng.choice(SAS_DISKS[:5])])
    node, prefix, port = rng.choice(a.disks())
    port.phys[0].rate = lower(rng, port.phys[0].rate)
    return Fault("slower-than-sibling", a.names(prefix, node, port), a, pages="none")


def errors_grow(rng, ids):
    """One phy: of the HBA, of an expander, or a lane of a wide port."""
    a = direct(rng, ids, count=rng.randrange(1, 9)) if rng.random() < 0.4 else shelves(rng, ids)
    lanes = [(n, x, port, k) for n, x in a.nodes() for port in n.ports for k in range(len(port.phys)) if not hasattr(port.child, "is_own")]
    node, prefix, port, k = rng.choice(lanes)
    phy, counter, states = port.phys[k], rng.randrange(3), []      # the fourth counts phy resets
    fast = rng.random() < 0.5
    for hours in (3, 2, 1, 0) if fast else (8, 6, 3, 0):
        b = a.copy()
        where = dict((x, n) for n, x in b.nodes())[prefix].phys[phy.number]
        where.counters[counter] += int(((3 if fast else 8) - hours) * (rng.uniform(150, 5000) if fast and hours == 0 else 150 if fast else 20)) + 7
        states.append((hours, b))
    return Fault("errors-growing", "phy-%s:%d" % (prefix, phy.number), states)


def disk_gone(rng, ids):
    a, (node, prefix, port) = with_proof(rng, ids)
    before = a.copy()
    name = "phy-%s:%d" % (prefix, port.phys[0].number)
    port.phys[0].rate = 0
    node.ports.remove(port)
    return Fault("link-lost", name, over_hours(rng, [before, a]), persists=True)


def stale_disk_gone(rng, ids):
    """libsas leaves the last rate of a phy whose disk is gone."""
    a = direct(rng, ids, CHIPS[-1], rng.randrange(1, 8))
    before = a.copy()
    _, prefix, port = rng.choice(a.ends())
    port.phys[0].stale, port.phys[0].rate = port.phys[0].rate, 0
    a.hba.ports.remove(port)
    return Fault("link-lost", "phy-%s:%d" % (prefix, port.phys[0].number), over_hours(rng, [before, a]))


def one_path_gone(rng, ids):
    """A disk lost one of its two ports: it is there by the other, and not moved."""
    d = DualPath(rng, ids)
    before, a = d.copy(), rng.choice(d.sides)
    node, prefix, port = rng.choice(a.disks())
    port.phys[0].rate = 0
    node.ports.remove(port)
    return Fault("link-lost", "phy-%s:%d" % (prefix, port.phys[0].number), over_hours(rng, [before, d]))


def second_cable_gone(rng, ids):
    """Of the two cables to one expander one is out: groups of four are whole, only the past knows of eight lanes."""
    a = shelves(rng, ids, rng.choice(CHIPS[:3]), uplink=8, shelf_count=1)
    before, port = a.copy(), a.hba.ports[0]
    for _ in range(4):
        port.phys.pop().rate = port.far_phys.pop().rate = 0
    return Fault("width-below-expected", a.port_name("%d" % a.first, a.hba, port), over_hours(rng, [before, a]), persists=True)


def shelf_gone(rng, ids):
    a = shelves(rng, ids)
    before, port = a.copy(), rng.choice([p for p in a.hba.ports if isinstance(p.child, Expander)])
    on = [a.names("%d" % a.first, a.hba, port)]
    for phy in port.phys:
        phy.stale, phy.rate = (phy.rate if a.chip.libsas else 0), 0
    a.hba.ports.remove(port)
    return Fault("link-lost", on, over_hours(rng, [before, a]))


def flaps(rng, ids):
    a, (node, prefix, port) = with_proof(rng, ids)
    phy, at, states = port.phys[0].number, node.ports.index(port), []
    for k in range(5):
        b = a.copy()
        if k % 2:
            n = dict((x, y) for y, x in b.nodes())[prefix]
            n.ports.pop(at)
            n.phys[phy].rate = 0
        states.append(((4 - k) * 0.2, b))
    return Fault("link-flapping", "phy-%s:%d" % (prefix, phy), states)


def sticks(rng, ids):
    a, (node, prefix, port) = with_proof(rng, ids)
    return stuck(rng, a, port.child.device, [a.hctl(port), a.names(prefix, node, port)], not port.child.model.sata)


def reads(rng, ids):
    a = direct(rng, ids, count=rng.randrange(1, 6), models=[rng.choice(SAS_DISKS)])
    port = a.hba.ports[0]
    pick = lambda x: (x.hba.ports[0].child.device, [p.child.device for p in x.hba.ports[1:]])
    return slow_reads(rng, a, pick, [a.hctl(port), a.names("%d" % a.first, a.hba, port)])


def resets(rng, ids):
    a = direct(rng, ids, CHIPS[0]) if rng.random() < 0.5 else healthy_hba(rng, ids)
    return resetting(rng, a, "host%d" % a.first, lambda x: setattr(x, "state", "recovery"),
                     (lambda x, n: setattr(x, "resets", x.resets + n)) if a.chip.driver == "mpt3sas" else None)


FAULTS = [one_slow, below_its_cap, uplink_slow, lane_missing, cascade_lane_missing, all_slow, shelf_slow, ends_differ, was_faster, unlike_siblings,
          errors_grow, disk_gone, stale_disk_gone, one_path_gone, second_cable_gone, shelf_gone, flaps, sticks, reads, resets]
