# SPDX-License-Identifier: LGPL-2.1-or-later
"""USB storage below xHCI and EHCI controllers: bridges, sticks, hubs of both sides. Texts: drivers/usb/core/sysfs.c, port.c."""
import scsi
from adapter import Adapter, Fault, resetting, slow_reads, stuck
from pcie import Slot

# USB 3.2 tables 9-5 (USB 2.0 extension), 9-6 (SuperSpeed), 9-14 (SuperSpeedPlus, one lane of Gen 2)
EXTENSION, SUPER, PLUS = "07100202000000", "0a1003000e00010aff07", "14100a0001000000001100003040" "0a00b0400a00"


def bos(best):
    parts = [EXTENSION] + ([SUPER] if best >= 5000 else []) + ([PLUS] if best >= 10000 else [])
    body = "".join(parts)
    return {"hex": "050f%02x00%02x" % (5 + len(body) // 2, len(parts)) + body}


class Stick:
    """A storage device. best in Mb/s; usb is what bcdUSB says at high speed of one that can do more."""

    def __init__(self, ids, vendor, model, best, driver="uas"):
        self.vendor, self.model, self.best, self.driver = vendor, model, best, driver
        self.device = scsi.Device(vendor, model, "0100", scsi.DISK, 6, ids.serial("NA"))
        self.device.sat_vendor = ("ASMT", "SAT")
        self.runs, self.host_state = best, "running"


class Hub:
    def __init__(self, best, ports):
        self.best, self.ports, self.children = best, ports, {}


MODELS = [("Seagate", "Expansion", 5000), ("WD", "My Passport 25E2", 5000), ("Toshiba", "Canvio", 5000), ("Samsung", "PSSD T7", 10000), ("SanDisk", "Cruzer Blade", 480),
          ("Kingston", "DataTraveler 2.0", 480), ("JetFlash", "Transcend 64GB", 5000)]


class Usb(Adapter):
    """An xHCI controller (two root hubs, whose ports are peers) or an EHCI one. connectors: port -> Stick or Hub."""
    kernels = ("4.18.0-553.el8.x86_64", "5.10.0-33-amd64", "6.1.0-37-amd64", "6.8.0-60-generic", "6.12.48+deb13-amd64")

    def __init__(self, rng, ids, best=None):
        self.best = best or rng.choice([5000, 5000, 10000, 480])
        self.fresh = ids
        self.slot = Slot(ids, 0x8086, 0xa12f if self.best > 480 else 0x1e2d, 0x0c0330 if self.best > 480 else 0x0c0320, "xhci_hcd" if self.best > 480 else "ehci-pci")
        self.bus = ids.usb_bus(2 if self.best > 480 else 1)
        self.ports, self.connectors, self.hosts = 6, {}, {}
        self.lone = 5                     # from this connector on high speed only

    def plug(self, ids, port, stick, hub=None):
        (hub.children if hub else self.connectors)[port] = stick
        self.hosts[id(stick)] = ids.host()
        return stick

    def sticks(self):
        return [s for c in self.connectors.values() for s in (c.children.values() if isinstance(c, Hub) else [c])]

    def devices(self):
        return [s.device for s in self.sticks()]

    def copy(self):
        """Hosts are known by their device's identity."""
        other = super().copy()
        other.hosts = {id(b): self.hosts[id(a)] for a, b in zip(self.sticks(), other.sticks())}
        return other

    def renumber(self, shift):
        self.hosts = {k: n + shift for k, n in self.hosts.items()}

    def has_peer(self, port):
        return self.best > 480 and port < self.lone

    def settle(self):
        """Everybody at the best that the way allows."""
        for port, c in self.connectors.items():
            way = self.best if self.has_peer(port) else 480
            if isinstance(c, Hub):
                way = min(way, c.best)
            for s in c.children.values() if isinstance(c, Hub) else [c]:
                s.runs = min(s.best, way)

    # -------------------------------------------------------------------------------------------------------- rendering
    def render(self, tree):
        path = self.slot.render(tree)[0]
        roots = [(self.bus, 480)] + ([(self.bus + 1, self.best)] if self.best > 480 else [])
        tree.dirs.setdefault("/sys/bus/usb/devices", {})
        for bus, speed in roots:
            self.node(tree, "%s/usb%d" % (path, bus), speed, " 2.00" if speed == 480 else " 3.00" if speed == 5000 else " 3.10", maxchild=self.ports)
            for port in range(1, self.ports + 1 if speed == 480 else self.lone):
                at = "%s/usb%d/%d-0:1.0/usb%d-port%d" % (path, bus, bus, bus, port)
                tree.put(at, {"uevent": ""}, connect_type="hotplug", over_current_count=0)
                if self.has_peer(port):
                    other = self.bus + 1 if bus == self.bus else self.bus
                    tree.link(at, "peer", "%s/usb%d/%d-0:1.0/usb%d-port%d" % (path, other, other, other, port))
        for port, c in self.connectors.items():
            if isinstance(c, Hub):
                self.render_hub(tree, path, port, c)
            else:
                bus = self.bus if c.runs <= 480 else self.bus + 1
                self.render_stick(tree, "%s/usb%d/%d-%d" % (path, bus, bus, port), c, "%s/usb%d/%d-0:1.0/usb%d-port%d" % (path, bus, bus, bus, port))

    def node(self, tree, path, speed, version, **more):
        tree.put(path, {"uevent": "DEVTYPE=usb_device\n", "version": version + "\n"}, speed=speed, maxchild=more.pop("maxchild", 0),
                 bcdDevice="0100", bNumConfigurations=1, **more)
        if tree.kernel.since(5, 0):
            tree.put(path, rx_lanes=1, tx_lanes=1)
        tree.link(path, "subsystem", "/sys/bus/usb")
        tree.entry("/sys/bus/usb/devices", path)

    def render_hub(self, tree, path, port, hub):
        """A SuperSpeed hub has two sides, each with ports that are peers."""
        sides = [(self.bus, 480)]
        if hub.best > 480 and self.has_peer(port):
            sides.append((self.bus + 1, min(hub.best, self.best)))
        places = {bus: "%s/usb%d/%d-%d" % (path, bus, bus, port) for bus, _ in sides}
        for bus, speed in sides:
            name = "%d-%d" % (bus, port)
            version = " 2.00" if hub.best == 480 else " 2.10" if speed == 480 else " 3.00"
            self.node(tree, places[bus], speed, version, maxchild=hub.ports)
            if hub.best > 480 and tree.kernel.since(6, 9):
                tree.put(places[bus], {"bos_descriptors": bos(hub.best)})
            tree.link(places[bus], "port", "%s/usb%d/%d-0:1.0/usb%d-port%d" % (path, bus, bus, bus, port))
            for n in range(1, hub.ports + 1):
                at = "%s/%s:1.0/%s-port%d" % (places[bus], name, name, n)
                tree.put(at, {"uevent": ""}, connect_type="hotplug", over_current_count=0)
                if len(sides) == 2:
                    other = self.bus if bus != self.bus else self.bus + 1
                    tree.link(at, "peer", "%s/%d-%d:1.0/%d-%d-port%d" % (places[other], other, port, other, port, n))
        for n, s in hub.children.items():
            bus = self.bus if s.runs <= 480 or len(sides) == 1 else self.bus + 1
            name = "%d-%d" % (bus, port)
            self.render_stick(tree, "%s/%s.%d" % (places[bus], name, n), s, "%s/%s:1.0/%s-port%d" % (places[bus], name, name, n))

    def render_stick(self, tree, path, s, port):
        version = {480: " 2.00"}.get(s.best, " 2.10") if s.runs <= 480 else " 3.00" if s.best == 5000 else " 3.20"
        self.node(tree, path, s.runs, version, serial=s.device.serial, product=s.model)
        if s.best > 480 and tree.kernel.since(6, 9):
            tree.put(path, {"bos_descriptors": bos(s.best)})
        tree.link(path, "port", port)
        tree.link(port, "device", path)
        interface = "%s/%s:1.0" % (path, path[path.rindex("/") + 1:])
        driver = s.driver if s.best > 480 else "usb-storage"
        tree.put(interface, {"uevent": ""}, bInterfaceClass="08")
        tree.dirs.setdefault("/sys/bus/usb/drivers/" + driver, {})
        tree.link(interface, "driver", "/sys/bus/usb/drivers/" + driver)
        n = self.hosts[id(s)]
        host = tree.host(interface, n, driver, state=s.host_state, can_queue=30)
        tree.lun(tree.target(host, "target%d:0:0" % n), "%d:0:0:0" % n, s.device)

    def name(self, s):
        for port, c in self.connectors.items():
            bus = self.bus if s.runs <= 480 else self.bus + 1
            if c is s:
                return "%d-%d" % (bus, port)
            if isinstance(c, Hub) and s in c.children.values():
                return "%d-%d.%d" % (bus, port, [n for n, x in c.children.items() if x is s][0])
        raise KeyError(s)

    # ------------------------------------------------------------------------------------------------------------- time
    def evolve(self, rng, hours):
        """Sticks come and go, and change places."""
        for port in [p for p, c in self.connectors.items() if rng.random() < 0.4]:
            c = self.connectors.pop(port)
            free = [p for p in range(1, self.ports + 1) if p not in self.connectors]
            if rng.random() < 0.6:
                self.connectors[rng.choice(free)] = c
        self.settle()


def healthy(rng, ids):
    a = Usb(rng, ids)
    for port in rng.sample(range(1, a.ports + 1), rng.randrange(1, 4)):
        if rng.random() < 0.25:
            hub = a.connectors[port] = Hub(rng.choice([480, 5000]), 4)
            for n in rng.sample(range(1, 5), rng.randrange(1, 3)):
                a.plug(ids, n, Stick(ids, *rng.choice(MODELS)), hub)
        else:
            a.plug(ids, port, Stick(ids, *rng.choice(MODELS)))
    a.settle()
    return a


# -------------------------------------------------------------------------------------------------------------- faults
def superspeed(rng, ids):
    a = Usb(rng, ids, rng.choice([5000, 10000]))
    s = Stick(ids, *rng.choice([m for m in MODELS if m[2] >= 5000]))
    port = rng.randrange(1, a.lone)
    if rng.random() < 0.3:
        hub = a.connectors[port] = Hub(5000, 4)
        a.plug(ids, rng.randrange(1, 5), s, hub)
    else:
        a.plug(ids, port, s)
    a.settle()
    return a, s


def at_high_speed(rng, ids):
    """A SuperSpeed disk in a SuperSpeed connector, on the wires of USB 2.0."""
    a, s = superspeed(rng, ids)
    a.kernels = ("6.12.48+deb13-amd64",)        # whose sysfs shows what the device says of itself
    s.runs = 480
    return Fault("rate-below-expected", a.name(s), a)


def flaps(rng, ids):
    """Gone and there again."""
    a, s = superspeed(rng, ids)
    name, states = a.name(s), []
    for k in range(5):
        b = a.copy()
        if k % 2:
            b.connectors = {}
        states.append(((4 - k) * 0.2, b))
    return Fault("link-flapping", name, states)


def sticks(rng, ids):
    a, s = superspeed(rng, ids)
    return stuck(rng, a, s.device, ["%d:0:0:0" % a.hosts[id(s)], a.name(s)], False)


def reads(rng, ids):
    a, s = superspeed(rng, ids)
    return slow_reads(rng, a, lambda x: (x.sticks()[0].device, []), ["%d:0:0:0" % a.hosts[id(s)], a.name(s)])


def resets(rng, ids):
    a, s = superspeed(rng, ids)
    return resetting(rng, a, "host%d" % a.hosts[id(s)], lambda x: setattr(x.sticks()[0], "host_state", "recovery"))


FAULTS = [at_high_speed, flaps, sticks, reads, resets]
