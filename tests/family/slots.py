# SPDX-License-Identifier: LGPL-2.1-or-later
"""What can be wrong with the PCIe link of any adapter, and an adapter that is gone altogether."""
import fc
import hidden
import sas
from adapter import Fault, over_hours

SPEEDS = (2.5, 5.0, 8.0, 16.0)
NEW_ENOUGH = (4, 19)          # since 4.13 the link is in sysfs, since 4.19 its errors


def victim(rng, ids):
    """An adapter on PCIe in a port that can do at least as much as the card, by a kernel that shows it."""
    while True:
        a = rng.choice([sas.healthy_hba, fc.healthy])(rng, ids) if rng.random() < 0.85 else hidden.Raid(rng, ids)
        if a.slot.best:
            break
    a.slot.port = (max(a.slot.best[0], rng.choice([8.0, 16.0])), max(a.slot.best[1], rng.choice([8, 16])))
    a.slot.actual = a.slot.best
    a.kernels = tuple(k for k in a.kernels if tuple(map(int, k.split(".")[:2])) >= NEW_ENOUGH)
    a.slot.chipset = rng.random() < 0.2
    if a.slot.chipset:
        a.slot.port = (8.0, a.slot.best[1])
        a.slot.best = a.slot.actual = (min(a.slot.best[0], 8.0), a.slot.best[1])
    return a


def narrow(rng, ids):
    a = victim(rng, ids)
    gt, lanes = a.slot.best
    a.slot.actual = (gt, rng.choice([n for n in (1, 2, 4) if n < lanes]))
    return Fault("width-below-expected", a.slot.name, a)


def slow(rng, ids):
    while True:
        a = victim(rng, ids)
        if a.slot.best[0] > 2.5:
            break
    a.slot.actual = (rng.choice([s for s in SPEEDS if s < a.slot.best[0]]), a.slot.best[1])
    return Fault("rate-below-expected", a.slot.name, a)


def passed_through_slower(rng, ids):
    """In a virtual machine the port is not in sight: only the past tells."""
    while True:
        a = victim(rng, ids)
        if a.slot.best[0] > 2.5:
            break
    a.slot.chipset, a.slot.passed_through = False, True
    before = a.copy()
    a.slot.actual = (rng.choice([s for s in SPEEDS if s < a.slot.best[0]]), a.slot.best[1])
    return Fault("slower-than-before", a.slot.name, over_hours(rng, [before, a]))


def errors_grow(rng, ids):
    """More than a thousand an hour; below that the link's own repair is nothing to report aloud."""
    a = victim(rng, ids)
    name, states = rng.choice(["RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout"]), []
    for hours in (3, 2, 1, 0):
        b = a.copy()
        b.slot.counters[name] += (3 - hours) * rng.randrange(1500, 1600)
        states.append((hours, b))
    return Fault("errors-growing", a.slot.name, states)


def card_gone(rng, ids):
    """The whole adapter, with all that hung on it: one cause."""
    while True:
        a = victim(rng, ids)
        if not isinstance(a, hidden.Raid):
            break
    return Fault("link-lost", a.slot.name, over_hours(rng, [a, None]), "critical")


FAULTS = [narrow, slow, passed_through_slower, errors_grow, card_gone]
