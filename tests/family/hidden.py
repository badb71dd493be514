# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adapters that show no link: RAID controllers, and those of virtual machines, which have none."""
import ata
import scsi
from adapter import Adapter, Fault, resetting, stuck
from pcie import Slot, port_for

RAID = [("megaraid_sas", 0x1000, 0x005d, (8.0, 8), "AVAGO", "MR9361-8i"), ("megaraid_sas", 0x1000, 0x0060, (2.5, 8), "LSI", "MegaRAID 84016E"),
        ("aacraid", 0x9005, 0x0285, (2.5, 8), "ServeRA", "system"), ("hpsa", 0x103c, 0x323b, (5.0, 8), "HP", "LOGICAL VOLUME"),
        ("smartpqi", 0x9005, 0x028f, (8.0, 8), "HPE", "LOGICAL VOLUME"), ("arcmsr", 0x17d3, 0x1880, (5.0, 8), "Areca", "ARC-1880-VOL#00")]
VIRTUAL = [("virtio_scsi", 0x1af4, 0x1004, 0x1af4, "QEMU", "QEMU HARDDISK"), ("vmw_pvscsi", 0x15ad, 0x07c0, 0x15ad, "VMware", "Virtual disk"),
           ("lsi", 0x1000, 0x0012, 0x1af4, "QEMU", "QEMU HARDDISK"), ("megasas", 0x1000, 0x0060, 0x1af4, "QEMU", "QEMU HARDDISK")]


class Raid(Adapter):
    kernels = ("3.10.0-1160.el7.x86_64", "4.18.0-553.el8.x86_64", "5.10.0-33-amd64", "6.1.0-37-amd64")

    def __init__(self, rng, ids, kind=None):
        self.driver, vendor, device, slot, self.vendor, self.model = kind or rng.choice(RAID)
        self.slot = Slot(ids, vendor, device, 0x010400, self.driver, slot, port_for(rng, slot))
        self.first, self.state = ids.host(), "running"
        self.volumes = [scsi.Device(self.vendor, self.model, "1.03", ansi=5, serial=ids.serial("R"), wwn=ids.wwn() | 1 << 61) for _ in range(rng.randrange(0, 4))]

    def devices(self):
        return self.volumes

    def renumber(self, shift):
        self.first += shift

    def channel(self):
        return {"megaraid_sas": 2, "hpsa": 1, "smartpqi": 1}.get(self.driver, 0)

    def render(self, tree):
        path = self.slot.render(tree)[0]
        tree.module(self.driver, "07.714.04.00-rc1")
        n = self.first
        host = tree.host(path, n, self.driver, state=self.state)
        if self.driver in ("hpsa", "smartpqi"):          # they register a phy, and know nothing of it
            tree.device(host, "sas_host", "host%d" % n)
            phy = tree.put("%s/phy-%d:0" % (host, n), {"uevent": ""})
            unknown = {name: "Unknown\n" for name in ("negotiated_linkrate", "maximum_linkrate", "maximum_linkrate_hw", "minimum_linkrate", "minimum_linkrate_hw")}
            tree.device(phy, "sas_phy", "phy-%d:0" % n, unknown, invalid_dword_count=0, loss_of_dword_sync_count=0, phy_reset_problem_count=0,
                        running_disparity_error_count=0, phy_identifier=0, sas_address="0x5001438000000000", device_type="end device",
                        initiator_port_protocols="smp, stp, ssp", target_port_protocols="none")
        for i, volume in enumerate(self.volumes):
            target = tree.target(host, "target%d:%d:%d" % (n, self.channel(), i))
            tree.lun(target, "%d:%d:%d:0" % (n, self.channel(), i), volume)


class Virtual(Adapter):
    kernels = ("4.18.0-553.el8.x86_64", "5.10.0-33-amd64", "6.1.0-37-amd64", "6.12.48+deb13-amd64")

    def __init__(self, rng, ids, kind=None):
        self.driver, vendor, device, sub, self.vendor, self.model = kind or rng.choice(VIRTUAL)
        real = {"lsi": "sym53c8xx", "megasas": "megaraid_sas"}.get(self.driver, self.driver)
        self.name = real
        self.slot = Slot(ids, vendor, device, 0x010000, "virtio-pci" if real == "virtio_scsi" else real, sub=(sub, 0x1100 if sub == 0x1af4 and real != "virtio_scsi" else 0x0008))
        self.first, self.state = ids.host(), "running"
        self.disks = [scsi.Device(self.vendor, self.model, "2.5+", ansi=5) for _ in range(rng.randrange(1, 4))]
        for d in self.disks:
            d.byte7 = 0x02 | (0x30 if real == "sym53c8xx" else 0)

    def devices(self):
        return self.disks

    def renumber(self, shift):
        self.first += shift

    def render(self, tree):
        path, n = self.slot.render(tree)[0], self.first
        if self.name == "virtio_scsi":
            path = tree.put("%s/virtio%d" % (path, self.slot.number), {"uevent": "DRIVER=virtio_scsi\n"}, device="0x0008", vendor="0x1af4")
            tree.dirs.setdefault("/sys/bus/virtio/drivers/virtio_scsi", {})
            tree.link(path, "driver", "/sys/bus/virtio/drivers/virtio_scsi")
        host = tree.host(path, n, self.name, state=self.state)
        if self.name == "sym53c8xx":
            tree.device(host, "spi_host", "host%d" % n, hba_id=7, host_width="wide", signalling="SE")
        for i, disk in enumerate(self.disks):
            target = tree.target(host, "target%d:0:%d" % (n, i))
            if self.name == "sym53c8xx":
                tree.device(target, "spi_transport", "target%d:0:%d" % (n, i), offset=0, period="reserved", width=0, max_width=1, max_offset=31, dt=0)
            tree.lun(target, "%d:0:%d:0" % (n, i), disk)


class QemuAhci(ata.Sata):
    """Says 1.5 Gb/s of every port, whatever the disk claims."""
    kernels = Virtual.kernels

    def __init__(self, rng, ids):
        super().__init__(rng, ids, ata.Chip("ahci", 0x8086, 0x2922, "82801IR", [1] * 6, 1))
        self.slot.sub = (0x1af4, 0x1100)
        for port in rng.sample(range(6), rng.randrange(1, 4)):
            drive = ata.Drive(ids, "QEMU HARDDISK", 3)
            self.drives[port], drive.runs, drive.said = drive, 1, 1

    def evolve(self, rng, hours):
        pass


def healthy(rng, ids):
    return rng.choice([Raid, Raid, Virtual, QemuAhci])(rng, ids)


# -------------------------------------------------------------------------------------------------------------- faults
def volume_stuck(rng, ids):
    while True:
        a = Raid(rng, ids)
        if a.volumes:
            break
    i = rng.randrange(len(a.volumes))
    return stuck(rng, a, a.volumes[i], "%d:%d:%d:0" % (a.first, a.channel(), i), False)


def raid_resets(rng, ids):
    a = Raid(rng, ids)
    return resetting(rng, a, "host%d" % a.first, lambda x: setattr(x, "state", "recovery"))


def virtual_stuck(rng, ids):
    a = Virtual(rng, ids)
    i = rng.randrange(len(a.disks))
    return stuck(rng, a, a.disks[i], "%d:0:%d:0" % (a.first, i), False)


def virtual_resets(rng, ids):
    a = Virtual(rng, ids)
    return resetting(rng, a, "host%d" % a.first, lambda x: setattr(x, "state", "recovery"))


FAULTS = [volume_stuck, raid_resets, virtual_stuck, virtual_resets]
