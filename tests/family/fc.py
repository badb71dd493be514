# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fibre Channel: qla2xxx and lpfc ports on one or two fabrics, with arrays behind them. Texts: drivers/scsi/scsi_transport_fc.c."""
import scsi
from adapter import Adapter, Fault, over_hours, resetting, slow_reads, stuck
from pcie import Slot, port_for

UNSUPPORTED = 0xffffffffffffffff
STATISTICS = ("lip_count", "nos_count", "error_frames", "dumped_frames", "link_failure_count", "loss_of_sync_count", "loss_of_signal_count",
              "prim_seq_protocol_err_count", "invalid_tx_word_count", "invalid_crc_count")
ORDER = (1, 2, 4, 10, 8, 16, 32, 64)       # as the kernel lists speeds


class Chip:
    def __init__(self, driver, vendor, device, model, speeds, slot):
        self.driver, self.vendor, self.device, self.model, self.speeds, self.slot = driver, vendor, device, model, speeds, slot


CHIPS = [Chip("qla2xxx", 0x1077, 0x2532, "QLE2562", (2, 4, 8), (5.0, 8)), Chip("qla2xxx", 0x1077, 0x2031, "QLE2672", (4, 8, 16), (8.0, 4)),
         Chip("qla2xxx", 0x1077, 0x2271, "QLE2742", (8, 16, 32), (8.0, 8)), Chip("lpfc", 0x10df, 0xf100, "LPe12002-M8", (2, 4, 8), (5.0, 8)),
         Chip("lpfc", 0x10df, 0xe200, "LPe16002B-M6", (4, 8, 16), (8.0, 8)), Chip("lpfc", 0x10df, 0xe300, "LPe32002-M2", (8, 16, 32), (8.0, 8))]
ARRAYS = [("EMC", "SYMMETRIX", "5978"), ("NETAPP", "LUN C-Mode", "9800"), ("HITACHI", "OPEN-V", "8301"), ("IBM", "2145", "0000"), ("HP", "HSV360", "1100")]


class Remote:
    """A port of an array, or of another host."""

    def __init__(self, wwpn, wwnn, roles="FCP Target", luns=()):
        self.wwpn, self.wwnn, self.roles, self.luns, self.state = wwpn, wwnn, roles, list(luns), "Online"


class Port:
    def __init__(self, ids, chip, fabric, switch):
        """fabric: name of the switch's, 0 where nothing is plugged in, None for an array without a switch between."""
        self.wwn, self.fabric = ids.wwn(0x0024ff), fabric
        self.speed = min(max(chip.speeds), switch) if fabric != 0 else 0
        self.state = "Online" if fabric != 0 else "Linkdown"
        self.host_state, self.forced, self.remotes, self.vports = "running", 0, [], []
        self.counters = {name: 0 for name in STATISTICS}
        self.resets = 0


class Fc(Adapter):
    kernels = ("4.4.180-94.164-default", "4.18.0-553.el8.x86_64", "5.10.0-33-amd64", "5.14.0-427.el9.x86_64", "6.1.0-37-amd64")

    def __init__(self, rng, ids, chip, ports):
        self.chip, self.ports, self.fresh, self.moves = chip, ports, ids, 0
        self.slot = Slot(ids, chip.vendor, chip.device, 0x0c0400, chip.driver, chip.slot, port_for(rng, chip.slot), functions=len(ports))
        self.first = ids.host(len(ports))
        self.vport_hosts = [ids.host() for p in ports for _ in p.vports]

    def devices(self):
        return [d for p in self.ports for r in p.remotes for d in r.luns]

    def renumber(self, shift):
        self.first += shift
        self.vport_hosts = [n + shift for n in self.vport_hosts]

    # -------------------------------------------------------------------------------------------------------- rendering
    def render(self, tree):
        tree.module(self.chip.driver, "10.02.08" if self.chip.driver == "qla2xxx" else "0:12.8.0.10.")
        vports = iter(self.vport_hosts)
        for i, path in enumerate(self.slot.render(tree)):
            port, n = self.ports[i], self.first + i
            host = self.render_host(tree, path, n, port, port.wwn, "NPort (fabric via point-to-point)")
            for k, wwn in enumerate(port.vports):
                at = tree.put("%s/vport-%d:0-%d" % (host, n, k), {"uevent": ""})
                self.render_host(tree, at, next(vports), port, wwn, "NPIV VPORT", is_vport=True)

    def render_host(self, tree, path, n, port, wwn, kind, is_vport=False):
        chip, up = self.chip, port.state == "Online"
        if chip.driver == "lpfc":
            more = dict(modelname=chip.model, modeldesc="Emulex %s Fibre Channel Adapter" % chip.model, fwrev="12.8.351.47, sli-4:2:c", lpfc_link_speed=port.forced,
                        link_state="Link Up - Ready:\n   Fabric" if up else "Link Down", serialnum="FC0001")
        else:
            more = dict(model_name=chip.model, fw_version="8.08.05", link_state="Link Up - F_Port" if up else "Link Down", total_isp_aborts=port.resets)
        host = tree.host(path, n, chip.driver, state=port.host_state, can_queue=2048, **more)
        fabric = port.fabric or (0xffffffffffffffff if chip.driver == "qla2xxx" else 0)
        if up and port.fabric is None:
            kind = "Point-To-Point (direct nport connection)"
        speeds = ", ".join("%d Gbit" % s for s in ORDER if s in chip.speeds)
        fc = tree.device(host, "fc_host", "host%d" % n, node_name="0x%x" % (wwn | 1 << 56), port_name="0x%x" % wwn, port_state=port.state,
                         port_type=kind if up else "Unknown", port_id="0x%06x" % (0x010000 + n * 256 if up else 0), fabric_name="0x%x" % fabric,
                         speed="%d Gbit" % port.speed if up else "unknown", supported_speeds=speeds, maxframe_size="2048 bytes",
                         symbolic_name="%s FW:v8.08.05" % chip.model, dev_loss_tmo=30)
        if not is_vport:
            tree.put(fc + "/statistics", **{k: "0x%x" % v for k, v in port.counters.items()})
        for k, remote in enumerate(port.remotes):
            self.render_remote(tree, host, n, k, remote, is_vport)
        return host

    def render_remote(self, tree, host, n, k, remote, is_vport):
        name = "rport-%d:0-%d" % (n, k)
        at = tree.put("%s/%s" % (host, name), {"uevent": ""})
        is_target = "FCP Target" in remote.roles
        tree.device(at, "fc_remote_ports", name, port_name="0x%x" % remote.wwpn, node_name="0x%x" % remote.wwnn, port_id="0x%06x" % (0x020000 + k * 256),
                    roles=remote.roles, port_state=remote.state, scsi_target_id=k if is_target else -1, dev_loss_tmo=30, fast_io_fail_tmo="off", supported_classes="Class 3")
        if not is_target or not remote.luns or is_vport:
            return
        target = tree.target(at, "target%d:0:%d" % (n, k))
        tree.device(target, "fc_transport", target[target.rindex("/") + 1:], node_name="0x%x" % remote.wwnn, port_name="0x%x" % remote.wwpn, port_id="0x020000")
        for lun, device in enumerate(remote.luns):
            tree.lun(target, "%d:0:%d:%d" % (n, k, lun), device, access_state="active/optimized")

    # ------------------------------------------------------------------------------------------------------------- time
    def evolve(self, rng, hours):
        """A few words go wrong; a loop initialisation or a switch's restart brings a burst and is counted itself; a port
        moves to another fabric; an adapter without a cable gets none."""
        for port in self.ports:
            what = rng.random()
            if port.state != "Online":
                continue
            if what < 0.2:
                port.counters["invalid_tx_word_count"] += rng.randrange(0, int(min(4 * hours, 20)) + 1)
            elif what < 0.3:
                port.counters["lip_count"] += 2
                for name in ("loss_of_sync_count", "loss_of_signal_count", "link_failure_count", "invalid_tx_word_count"):
                    port.counters[name] += rng.randrange(1, 2000)
            elif what < 0.36 and port.fabric:     # to another fabric, with nothing on it that is zoned for this port
                self.moves += 1
                port.fabric, port.remotes = port.fabric + 0x1000 * self.moves, []
                port.speed = min(max(self.chip.speeds), rng.choice([s for s in ORDER if s in self.chip.speeds]))
            elif what < 0.4:
                port.counters = {name: 0 for name in STATISTICS}

    def reboot(self):
        for port in self.ports:
            port.counters = {name: 0 for name in STATISTICS}
            port.resets = 0


# ------------------------------------------------------------------------------------------------------------ machines
def lun(ids, kind, wwn, n):
    d = scsi.Device(*kind, ansi=6, serial="%08X" % (wwn & 0xffffffff), wwn=6 << 60 | (wwn & 0xffffffffffff) << 8 | n)
    d.sectors = 209715200
    return d


def array(ids, rng, fabrics, luns=None):
    """One array: for each fabric its two ports, all showing the same volumes."""
    kind, wwnn = rng.choice(ARRAYS), ids.wwn(0x006016)
    volumes = range(luns if luns is not None else rng.randrange(0, 4))
    return {f: [Remote(wwnn | (2 * i + k + 1) << 4, wwnn, "FCP Target", [lun(ids, kind, wwnn, v) for v in volumes]) for k in (0, 1)] for i, f in enumerate(fabrics)}


def build(rng, ids, chip=None, ports=None, luns=None, free=True, fabrics=None, alike=False):
    chip = chip or rng.choice(CHIPS)
    names = [0x100000051e000000 + ids.unique * 256 + k for k in (1, 2)]
    switches = {f: rng.choice([s for s in ORDER if s in chip.speeds] + [max(chip.speeds)] * 3) for f in names}
    if alike:
        switches = dict.fromkeys(names, max(chip.speeds))
    count = ports or rng.choice([1, 2, 2, 4])
    chosen = [names[p % 2] if not (free and rng.random() < 0.15) else 0 for p in range(count)] if fabrics is None else [names[f] for f in fabrics]
    made = [Port(ids, chip, f, switches.get(f, 0)) for f in chosen]
    # Paths to one array are alike; where the fabrics differ, each has arrays of its own.
    reach = [names] if switches[names[0]] == switches[names[1]] else [names[:1], names[1:]]
    storage = [array(ids, rng, r, luns) for r in reach for _ in range(rng.choice([1, 1, 2]))]
    for port in made:
        for s in storage:
            port.remotes += [Remote(r.wwpn, r.wwnn, r.roles, r.luns) for r in s.get(port.fabric, [])]
    return chip, made


def copy_luns(ports):
    """Every path has devices of its own."""
    import copy
    for p in ports:
        for r in p.remotes:
            r.luns = copy.deepcopy(r.luns)


def healthy(rng, ids):
    chip, ports = build(rng, ids)
    copy_luns(ports)
    for port in ports:
        if port.state == "Online":
            if rng.random() < 0.2:
                port.vports = [ids.wwn(0x0024ff) for _ in range(rng.randrange(1, 3))]
            if rng.random() < 0.3:                # another host that was zoned with this one, and went away
                other = Remote(ids.wwn(), ids.wwn(), rng.choice(["FCP Initiator", "Fabric Port", "Directory Server"]))
                other.state = rng.choice(["Online", "Not Present"]) if other.roles == "FCP Initiator" else "Online"
                port.remotes.append(other)
            if rng.random() < 0.1:
                port.fabric = None
            if rng.random() < 0.1:                # totals of a lifetime
                port.counters.update(invalid_tx_word_count=rng.randrange(10**6), loss_of_sync_count=88, link_failure_count=3)
        if chip.driver == "qla2xxx":
            port.counters["nos_count"] = port.counters["prim_seq_protocol_err_count"] = UNSUPPORTED
    for port in ports:
        port.resets = rng.choice([0, 0, 7])
    if chip.driver == "lpfc" and rng.random() < 0.2:
        for port in ports:
            if port.state == "Online":
                port.forced = min(chip.speeds)
                port.speed = min(port.speed, port.forced)
    return Fc(rng, ids, chip, ports)


# -------------------------------------------------------------------------------------------------------------- faults
def sound(rng, ids, ports=None, luns=None, chips=CHIPS, fabrics=None):
    """All ports up, at the best of the adapter."""
    chip, made = build(rng, ids, rng.choice(chips), ports or rng.choice([1, 2, 4]), luns, free=False, fabrics=fabrics, alike=True)
    copy_luns(made)
    for p in made:
        p.speed = max(chip.speeds)
    return Fc(rng, ids, chip, made)


def slower(rng, a):
    return rng.choice([s for s in a.chip.speeds if s < max(a.chip.speeds)])


def was_faster(rng, ids):
    a = sound(rng, ids, rng.choice([1, 2]))
    before, i = a.copy(), rng.randrange(len(a.ports))
    a.ports[i].speed = slower(rng, a)
    return Fault("slower-than-before", "host%d" % (a.first + i), over_hours(rng, [before, a]), persists=True)


def unlike_siblings(rng, ids):
    """On the same fabric as two others that are faster."""
    a = sound(rng, ids, 4, fabrics=[0, 0, 0, rng.choice([0, 1])])
    i = rng.randrange(3)
    a.ports[i].speed = slower(rng, a)
    return Fault("slower-than-sibling", "host%d" % (a.first + i), a)


def unlike_path(rng, ids):
    """The other way to the same array, over the other fabric, is faster."""
    a = sound(rng, ids, 2)
    i = rng.randrange(2)
    a.ports[i].speed = slower(rng, a)
    return Fault("slower-than-sibling", "host%d" % (a.first + i), a)


def goes_down(port):
    port.state, port.speed = "Linkdown", 0
    for r in port.remotes:
        r.state = "Not Present"
        for d in r.luns:
            d.state = "transport-offline"


def cable_pulled(rng, ids):
    a = sound(rng, ids)
    before, i = a.copy(), rng.randrange(len(a.ports))
    goes_down(a.ports[i])
    if rng.random() < 0.5:
        a.ports[i].remotes = []
    return Fault("link-lost", "host%d" % (a.first + i), over_hours(rng, [before, a]), "critical", persists=True)


def flaps(rng, ids):
    a = sound(rng, ids)
    i, states = rng.randrange(len(a.ports)), []
    for k in range(5):
        b = a.copy()
        if k % 2:
            b.ports[i].state, b.ports[i].speed = "Linkdown", 0
            for r in b.ports[i].remotes:
                r.state = "Blocked"
                for d in r.luns:
                    d.state = "blocked"
        states.append(((4 - k) * 0.2, b))
    return Fault("link-flapping", "host%d" % (a.first + i), states)


def errors_grow(rng, ids):
    a = sound(rng, ids)
    i, name, states = rng.randrange(len(a.ports)), rng.choice(["invalid_tx_word_count", "invalid_crc_count", "loss_of_sync_count"]), []
    for hours in (3, 2, 1, 0):
        b = a.copy()
        b.ports[i].counters[name] += (3 - hours) * rng.randrange(150, 160) + 5
        states.append((hours, b))
    return Fault("errors-growing", "host%d" % (a.first + i), states)


def path_gone(rng, ids):
    """One port of an array, others of it in sight; or, where the zone showed one only, the last."""
    a = sound(rng, ids, rng.choice([1, 2]))
    i = rng.randrange(len(a.ports))
    port = a.ports[i]
    k = rng.randrange(len(port.remotes))
    r, last = port.remotes[k], rng.random() < 0.3
    if last:
        for p in a.ports:
            p.remotes = [x for x in p.remotes if x is r or x.wwnn != r.wwnn]
        k = port.remotes.index(r)
    r.state = rng.choice(["Blocked", "Not Present", "Not Present"])
    for d in r.luns:
        d.state = "blocked" if r.state == "Blocked" else "transport-offline"
    return Fault("path-lost", "rport-%d:0-%d" % (a.first + i, k), a, "critical" if last else "warning")


def array_gone(rng, ids):
    """Every path to one array, through every port that saw it."""
    a = sound(rng, ids)
    wwnn, on = rng.choice(a.ports[0].remotes).wwnn, []
    for i, p in enumerate(a.ports):
        for k, r in enumerate(p.remotes):
            if r.wwnn == wwnn:
                r.state = "Not Present"
                on.append("rport-%d:0-%d" % (a.first + i, k))
                for d in r.luns:
                    d.state = "transport-offline"
    return Fault("path-lost", on, a, "critical")


def sticks(rng, ids):
    a = sound(rng, ids, luns=rng.randrange(1, 4))
    i = rng.randrange(len(a.ports))
    k = rng.randrange(len(a.ports[i].remotes))
    lun_number = rng.randrange(len(a.ports[i].remotes[k].luns))
    a.ports[i].remotes[k].luns[lun_number].state = "offline"
    return Fault("device-stuck", ["%d:0:%d:%d" % (a.first + i, k, lun_number), "host%d" % (a.first + i)], a, "critical")


def reads(rng, ids):
    a = sound(rng, ids, 1, luns=rng.randrange(1, 4))
    pick = lambda x: (x.ports[0].remotes[0].luns[0], x.ports[0].remotes[0].luns[1:])
    return slow_reads(rng, a, pick, ["%d:0:0:0" % a.first, "host%d" % a.first])


def resets(rng, ids):
    a = sound(rng, ids)
    i = rng.randrange(len(a.ports))
    grow = (lambda x, n: setattr(x.ports[i], "resets", x.ports[i].resets + n)) if a.chip.driver == "qla2xxx" else None
    return resetting(rng, a, "host%d" % (a.first + i), lambda x: setattr(x.ports[i], "host_state", "recovery"), grow)


FAULTS = [was_faster, unlike_siblings, unlike_path, cable_pulled, flaps, errors_grow, path_gone, array_gone, sticks, reads, resets]
