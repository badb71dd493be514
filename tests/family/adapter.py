# SPDX-License-Identifier: LGPL-2.1-or-later
"""What adapters of all transports share, and what a fault is."""
import copy


class Ids:
    """Numbers that are given out once in a machine."""

    def __init__(self, rng):
        self.rng = rng
        self.hosts, self.atas, self.slots, self.buses, self.serials, self.buses_usb = rng.choice([0, 0, 1, 6]), 1, 0, 2, 0, 1
        self.unique = rng.randrange(0x100, 0xfff)

    def host(self, n=1):
        self.hosts += n
        return self.hosts - n

    def ata(self, n=1):
        self.atas += n
        return self.atas - n

    def usb_bus(self, n=1):
        self.buses_usb += n
        return self.buses_usb - n

    def slot(self):
        self.slots += 1
        return self.slots

    def bus(self):
        self.buses += 3
        return self.buses

    def serial(self, prefix=""):
        self.serials += 1
        return "%s%03X%04d" % (prefix, self.unique, self.serials)

    def wwn(self, oui=0x000c50):
        self.serials += 1
        return 5 << 60 | oui << 36 | self.unique << 24 | self.serials << 8


class Adapter:
    """An HBA with what hangs on it, at one time. `kernels`: the releases on which it is met, or None for any."""

    kernels = None
    pages = None          # "all" where its fault needs the devices' own word

    def render(self, tree):
        raise NotImplementedError

    def evolve(self, rng, hours):
        """A while later, nothing wrong: counters move a little, things are replaced or unplugged as people do."""

    def count(self, rng, hours):
        """Errors that the PCIe link repairs by itself: some hundreds an hour are nothing to report aloud."""
        slot = getattr(self, "slot", None)
        if slot and slot.counters:
            for name in ("BadTLP", "BadDLLP", "Timeout"):
                slot.counters[name] += rng.randrange(0, int(300 * hours) + 1)
            slot.counters["CorrIntErr"] += rng.randrange(0, 10**6)
            slot.counters["NonFatalErr"] += rng.randrange(0, 10**6)

    def renumber(self, shift):
        """Another boot found the hosts in another order."""

    def reboot(self):
        """Counters start anew."""

    def devices(self):
        """All its scsi.Device."""
        return []

    def copy(self):
        return copy.deepcopy(self)


class Fault:
    """One seeded fault: its code, the names of which one must be among the finding's subjects (all of `on`, each a name
    or alternatives with |), and the adapter over time: (hours before now, adapter), the last of them now."""

    def __init__(self, code, on, states, severity="warning|critical", pages=None, persists=False):
        """persists: what `on` names is there under the same name after a boot, and the past still counts."""
        self.persists = persists
        self.code, self.on, self.severity, self.pages = code, [on] if isinstance(on, str) else on, severity, pages
        self.states = states if isinstance(states, list) else [(0, states)]


# ---- faults that every transport can have ----

def stuck(rng, adapter, device, names, by_timeout):
    """The device does not answer, or the kernel has given it up."""
    if by_timeout and rng.random() < 0.5:
        device.silent = True
        return Fault("device-stuck", names, adapter, "critical", pages="all")
    device.state = rng.choice(["offline", "offline", "transport-offline"])
    return Fault("device-stuck", names, adapter, "critical")


def slow_reads(rng, adapter, pick, names):
    """Reads of one device fell far below what it did before, in two probes more than 30 minutes apart; its siblings
    still do theirs. pick(adapter): the device and its siblings."""
    method, block = rng.choice([("read-media/sg", 65536), ("read-media/sg-direct", 1048576), ("read-media/block-direct", 131072)])
    states, rate = [], rng.uniform(60, 140)
    for hours, share in ((30, 1.0), (2, rng.uniform(0.05, 0.15)), (0, rng.uniform(0.05, 0.15))):
        a = adapter.copy()
        victim, siblings = pick(a)
        victim.measures = [(method, block, rate * share)]
        for s in siblings:
            s.measures = [(method, block, rate * rng.uniform(0.9, 1.1))]
        states.append((hours, a))
    return Fault("read-below-link", names, states)


def resetting(rng, adapter, host, set_state, set_resets=None):
    """The host is in error recovery, or its driver counts resets."""
    if set_resets and rng.random() < 0.5:
        before = adapter.copy()
        set_resets(adapter, rng.randrange(1, 5))
        return Fault("host-resetting", host, [(rng.choice([0.2, 1, 5]), before), (0, adapter)])
    set_state(adapter)
    return Fault("host-resetting", host, adapter)


def over_hours(rng, states):
    """States an hour or several apart, the last now."""
    hours, result = 0, []
    for state in reversed(states):
        result.insert(0, (hours, state))
        hours += rng.choice([1, 2, 6, 24])
    return result
