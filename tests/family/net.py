# SPDX-License-Identifier: LGPL-2.1-or-later
"""Storage over networks: iSCSI sessions over NICs (plain, bonded, VLAN), and SRP over InfiniBand.

Texts: drivers/scsi/scsi_transport_iscsi.c, net/core/net-sysfs.c, drivers/infiniband/core/sysfs.c, scsi_transport_srp.c.
"""
import scsi
from adapter import Adapter, Fault, over_hours, resetting, slow_reads, stuck
from pcie import Slot

NIC_COUNTERS = ("rx_errors", "rx_crc_errors", "rx_frame_errors", "rx_dropped", "tx_errors", "tx_dropped", "rx_missed_errors")
NICS = [("igb", 0x1533, 1000, (2.5, 1)), ("ixgbe", 0x1563, 10000, (8.0, 4)), ("i40e", 0x158b, 25000, (8.0, 8)), ("bnxt_en", 0x16d7, 25000, (8.0, 8))]


def volume(ids):
    d = scsi.Device("LIO-ORG", "disk0", "4.0", ansi=6, serial=ids.serial("V"), wwn=ids.wwn(0x001405))
    return d


class Nic:
    def __init__(self, ids, number, kind, speed=None):
        driver, device, best, slot = kind
        self.name, self.network, self.driver, self.best, self.speed = "ens%df0" % (number + 1), ids.buses, driver, best, speed or best
        self.slot = Slot(ids, 0x8086 if driver != "bnxt_en" else 0x14e4, device, 0x020000, driver, slot, (max(8.0, slot[0]), max(8, slot[1])))
        self.counters = {name: 0 for name in NIC_COUNTERS}
        self.counters["rx_dropped"] = 1234
        self.up = True


class Session:
    def __init__(self, ids, nic, number):
        self.nic, self.number, self.host = nic, number, ids.host()
        self.target, self.state, self.host_state = "iqn.2026-01.example:array%d.lun%d" % (nic.network, number), "LOGGED_IN", "running"
        self.device = volume(ids)


class Iscsi(Adapter):
    """iscsi_tcp: a host a session, below /sys/devices/platform."""
    kernels = ("4.18.0-553.el8.x86_64", "5.10.0-33-amd64", "6.1.0-37-amd64", "6.8.0-60-generic", "6.12.48+deb13-amd64")

    def __init__(self, rng, ids, count=None, kind=None):
        self.fresh = ids
        self.nics = [Nic(ids, ids.buses + n, kind or rng.choice(NICS)) for n in range(rng.choice([1, 1, 2]) if count is None else 1)]
        self.sessions = [Session(ids, rng.choice(self.nics), n + 1 + ids.hosts * 10) for n in range(count or rng.randrange(1, 4))]
        self.bond = count is None and len(self.nics) == 2 and rng.random() < 0.5

    def devices(self):
        return [s.device for s in self.sessions]

    def renumber(self, shift):
        for s in self.sessions:
            s.host += shift

    # -------------------------------------------------------------------------------------------------------- rendering
    def render(self, tree):
        rows = []
        for k, nic in enumerate(self.nics):
            path = self.render_nic(tree, nic, k)
            name = "bond%d" % self.nics[0].network if self.bond else nic.name
            rows.append("%s\t%08X\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n" % (name, int.from_bytes(bytes([10, 1, nic.network, 0]), "little")))
        head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        old = tree.dirs.get("/proc/net", {}).get("route", head)
        tree.put("/proc/net", {"route": old + "".join(dict.fromkeys(rows))})
        if self.bond:
            self.render_bond(tree)
        tree.module("iscsi_tcp")
        for s in self.sessions:
            self.render_session(tree, s)

    def render_nic(self, tree, nic, k):
        path = "%s/net/%s" % (nic.slot.render(tree)[0], nic.name)
        tree.put(path, {"uevent": "INTERFACE=%s\n" % nic.name}, address="02:00:00:00:%02x:01" % nic.network, carrier=1, carrier_changes=2, duplex="full",
                 ifindex=nic.network, mtu=9000, operstate="up", speed=nic.speed, type=1)
        tree.link(path, "device", path[:path.index("/net/")])
        tree.put(path + "/statistics", **nic.counters)
        tree.dirs.setdefault("/sys/class/net", {})
        tree.entry("/sys/class/net", path)
        return path

    def render_bond(self, tree):
        name = "bond%d" % self.nics[0].network
        path = "/sys/devices/virtual/net/" + name
        tree.put(path, {"uevent": ""}, address="02:00:00:00:%02x:01" % self.nics[0].network, carrier=1, duplex="full", ifindex=90, mtu=9000, operstate="up",
                 speed=self.nics[0].speed, type=1)
        tree.put(path + "/bonding", mode="active-backup 1", active_slave=self.nics[0].name, slaves=" ".join(n.name for n in self.nics))
        for nic in self.nics:
            lower = tree.dirs["/sys/class/net"][nic.name]["link"].replace("../../", "/sys/")
            tree.link(path, "lower_" + nic.name, lower)
        tree.entry("/sys/class/net", path)

    def render_session(self, tree, s):
        host = tree.host("/sys/devices/platform", s.host, "iscsi_tcp", state=s.host_state, can_queue=1024)
        network = (self.nics[0] if self.bond else s.nic).network
        tree.device(host, "iscsi_host", "host%d" % s.host, hwaddress="(null)", netdev="(null)", ipaddress="10.1.%d.10" % network, initiatorname="iqn.2026-01.example:host-1")
        at = tree.put("%s/session%d" % (host, s.number), {"uevent": ""})
        tree.device(at, "iscsi_session", "session%d" % s.number, targetname=s.target, state=s.state, tpgt=1, ifacename="default", recovery_tmo=120)
        c = tree.put("%s/connection%d:0" % (at, s.number), {"uevent": ""})
        address = "10.1.%d.3" % network
        tree.device(c, "iscsi_connection", "connection%d:0" % s.number, address=address, persistent_address=address, port=3260, persistent_port=3260,
                    state="up" if s.state == "LOGGED_IN" else "failed")
        tree.lun(tree.target(at, "target%d:0:0" % s.host), "%d:0:0:0" % s.host, s.device)

    # ------------------------------------------------------------------------------------------------------------- time
    def evolve(self, rng, hours):
        """A session is logged out; frames are dropped, as they are on every network."""
        if self.sessions and rng.random() < 0.3:
            self.sessions.remove(rng.choice(self.sessions))
        for nic in self.nics:
            lost = int(rng.randrange(0, 400) * hours)     # for want of buffers: the driver counts them as errors too
            for name in ("rx_dropped", "rx_missed_errors", "rx_errors"):
                nic.counters[name] += lost

    def reboot(self):
        for nic in self.nics:
            nic.counters = {name: 0 for name in NIC_COUNTERS}


class Srp(Adapter):
    kernels = ("4.18.0-553.el8.x86_64", "5.10.0-33-amd64", "5.14.0-427.el9.x86_64", "6.1.0-37-amd64")
    RATES = ["56 Gb/sec (4X FDR)", "40 Gb/sec (4X QDR)", "20 Gb/sec (4X DDR)", "10 Gb/sec (4X SDR)"]

    def __init__(self, rng, ids):
        self.slot = Slot(ids, 0x15b3, 0x1003, 0x020700, "mlx4_core", (8.0, 8), (8.0, 16))
        self.ib, self.ports, self.per_port = "mlx4_%d" % self.slot.number, rng.choice([1, 2]), rng.choice([1, 1, 2])
        count = self.ports * self.per_port
        self.first = ids.host(count)
        self.rates = [rng.choice(["56 Gb/sec (4X FDR)", "40 Gb/sec (4X QDR)"])] * self.ports
        self.up = [True] * self.ports
        self.targets = ["running"] * count               # srp_remote_ports state
        self.states = ["running"] * count
        self.luns = [volume(ids) for _ in range(count)]
        self.errors = [0] * self.ports
        self.guid = ids.wwn(0x0002c9)

    def devices(self):
        return self.luns

    def renumber(self, shift):
        self.first += shift

    def render(self, tree):
        path = self.slot.render(tree)[0]
        ib = tree.put("%s/infiniband/%s" % (path, self.ib), {"uevent": ""})
        tree.dirs.setdefault("/sys/class/infiniband", {})
        tree.entry("/sys/class/infiniband", ib)
        for i in range(self.ports):
            port = "%s/ports/%d" % (ib, i + 1)
            tree.put(port, rate=self.rates[i] if self.up[i] else "10 Gb/sec (4X)", state="4: ACTIVE" if self.up[i] else "1: DOWN",
                     phys_state="5: LinkUp" if self.up[i] else "2: Polling", link_layer="InfiniBand")
            tree.put(port + "/counters", symbol_error=self.errors[i], link_downed=0, link_error_recovery=0, port_rcv_errors=0, local_link_integrity_errors=0)
        for i in range(len(self.targets)):
            n = self.first + i
            guid = self.guid + (i // self.ports << 4)     # another target
            host = tree.host(path, n, "ib_srp", state=self.states[i], local_ib_device=self.ib, local_ib_port=i % self.ports + 1, id_ext="0x%016x" % (guid + i),
                             ioc_guid="0x%016x" % guid, dgid="fe80:0000:0000:0000:0002:c903:0000:%04x" % (guid & 0xffff), zero_req_lim=0)
            tree.device(host, "srp_host", "host%d" % n)
            at = tree.put("%s/port-%d:1" % (host, n), {"uevent": ""})
            tree.device(at, "srp_remote_ports", "port-%d:1" % n, roles="SRP Target", state=self.targets[i], port_id="fe:80:00:00:00:00:00:00:00:02:c9:03:00:00:00:%02x" % i)
            tree.lun(tree.target(at, "target%d:0:0" % n), "%d:0:0:0" % n, self.luns[i])

    def on(self, port):
        """Names of the hosts that share a port."""
        return ["host%d" % (self.first + i) for i in range(len(self.targets)) if i % self.ports == port]

    def evolve(self, rng, hours):
        for i in range(self.ports):
            self.errors[i] = min(65535, self.errors[i] + rng.randrange(0, int(min(4 * hours, 20)) + 1))


def healthy(rng, ids):
    return Srp(rng, ids) if rng.random() < 0.3 else Iscsi(rng, ids)


# -------------------------------------------------------------------------------------------------------------- faults
def nic_fell(rng, ids):
    """The interface of one or several sessions came back slower."""
    a = Iscsi(rng, ids, rng.choice([1, 1, 2, 3]), rng.choice(NICS[1:]))
    before = a.copy()
    a.nics[0].speed = rng.choice([s for s in (1000, 10000) if s < a.nics[0].best])
    return Fault("slower-than-before", ["host%d" % s.host for s in a.sessions], over_hours(rng, [before, a]))


def nic_errors(rng, ids):
    a = Iscsi(rng, ids, rng.choice([1, 1, 2, 3]))
    states = []
    for hours in (3, 2, 1, 0):
        b = a.copy()
        for name in ("rx_errors", "rx_crc_errors"):
            b.nics[0].counters[name] += (3 - hours) * 400
        states.append((hours, b))
    return Fault("errors-growing", ["host%d" % s.host for s in a.sessions], states)


def session_flaps(rng, ids):
    a = Iscsi(rng, ids, 1)
    states = []
    for k in range(5):
        b = a.copy()
        if k % 2:
            b.sessions[0].state, b.sessions[0].device.state = "FAILED", "transport-offline"
        states.append(((4 - k) * 0.2, b))
    return Fault("link-flapping", "host%d" % a.sessions[0].host, states)


def iscsi_sticks(rng, ids):
    a = Iscsi(rng, ids, rng.randrange(1, 4))
    s = rng.choice(a.sessions)
    s.device.state = "offline"
    return Fault("device-stuck", ["%d:0:0:0" % s.host, "host%d" % s.host], a, "critical")


def iscsi_reads(rng, ids):
    a = Iscsi(rng, ids, 1)
    n = a.sessions[0].host
    return slow_reads(rng, a, lambda x: (x.sessions[0].device, []), ["%d:0:0:0" % n, "host%d" % n])


def iscsi_resets(rng, ids):
    a = Iscsi(rng, ids, 1)
    return resetting(rng, a, "host%d" % a.sessions[0].host, lambda x: setattr(x.sessions[0], "host_state", "recovery"))


def ib_fell(rng, ids):
    a = Srp(rng, ids)
    before, i = a.copy(), rng.randrange(a.ports)
    a.rates = list(a.rates)
    a.rates[i] = rng.choice(["20 Gb/sec (4X DDR)", "10 Gb/sec (4X SDR)"])
    return Fault("slower-than-before", a.on(i), over_hours(rng, [before, a]))


def ib_lane(rng, ids):
    """Fell back to one lane of four."""
    a = Srp(rng, ids)
    before, i = a.copy(), rng.randrange(a.ports)
    a.rates = list(a.rates)
    a.rates[i] = {"56 Gb/sec (4X FDR)": "14 Gb/sec (1X FDR)", "40 Gb/sec (4X QDR)": "10 Gb/sec (1X QDR)"}[a.rates[i]]
    return Fault("width-below-expected", a.on(i), over_hours(rng, [before, a]))


def ib_down(rng, ids):
    a = Srp(rng, ids)
    before, i = a.copy(), rng.randrange(a.ports)
    a.up[i] = False
    for k in range(i, len(a.targets), a.ports):
        a.targets[k], a.luns[k].state = "lost", "transport-offline"
    return Fault("link-lost", a.on(i), over_hours(rng, [before, a]), "critical")


def ib_path(rng, ids):
    """The target does not answer any more, the port is up."""
    a = Srp(rng, ids)
    i = rng.randrange(len(a.targets))
    a.targets[i], a.luns[i].state = rng.choice([("lost", "transport-offline"), ("blocked", "blocked")])
    return Fault("path-lost", "port-%d:1" % (a.first + i), a)


def ib_errors(rng, ids):
    a = Srp(rng, ids)
    i, states = rng.randrange(a.ports), []
    for hours in (3, 2, 1, 0):
        b = a.copy()
        b.errors[i] += (3 - hours) * 200
        states.append((hours, b))
    return Fault("errors-growing", a.on(i), states)


FAULTS = [nic_fell, nic_errors, session_flaps, iscsi_sticks, iscsi_reads, iscsi_resets, ib_fell, ib_lane, ib_down, ib_path, ib_errors]
