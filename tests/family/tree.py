# SPDX-License-Identifier: LGPL-2.1-or-later
"""A machine's sysfs while it is built, and the capture that it becomes.

Paths are canonical device paths; class entries and links are made from them. Attribute names and texts are those of
drivers/scsi/scsi_sysfs.c, drivers/pci/pci-sysfs.c, block/genhd.c. Which of them a kernel has, `Kernel` tells.
"""
import re


class Kernel:
    """A kernel release, and what its sysfs has."""

    def __init__(self, release):
        self.release = release
        self.version = tuple(int(n) for n in re.match(r"(\d+)\.(\d+)", release).groups())

    def since(self, major, minor):
        return self.version >= (major, minor)


class Tree:
    """dirs, props, commands and measures of a capture, and the numbers that the kernel gives out in turn."""

    def __init__(self, kernel, pages="all"):
        """pages: "all" (taken by root), "denied" (every command EACCES) or "none" (no command was tried)."""
        self.kernel, self.pages = kernel, pages
        self.dirs, self.props, self.commands, self.measures = {}, {}, [], []
        self.disks = self.generics = 0

    # ---------------------------------------------------------------------------------------------------- directories
    def put(self, path, values=(), **lines):
        """Values as they are; keywords become a line each."""
        d = self.dirs.setdefault(path, {})
        d.update(dict(values))
        d.update({name: "%s\n" % value for name, value in lines.items()})
        return path

    def link(self, path, name, target):
        """A symbolic link to a path, relative as the kernel writes it."""
        here, there = path.split("/")[1:], target.split("/")[1:]
        common = 0
        while common < min(len(here), len(there)) and here[common] == there[common]:
            common += 1
        self.put(path, {name: {"link": "/".join([".."] * (len(here) - common) + there[common:])}})

    def entry(self, where, path):
        self.link(where, base(path), path)

    def device(self, parent, cls, name, values=(), **lines):
        """A class device PARENT/CLASS/NAME, with its entry in /sys/class."""
        path = "%s/%s/%s" % (parent, cls, name)
        self.put(path, values, **lines)
        self.put(path, {"uevent": ""})
        self.link(path, "device", parent)
        self.link(path, "subsystem", "/sys/class/" + cls)
        self.dirs.setdefault("/sys/class/" + cls, {})
        self.entry("/sys/class/" + cls, path)
        return path

    def module(self, name, version=None, built_in=False, **parameters):
        values = {} if built_in else {"initstate": "live", "refcnt": "1"}
        if version:
            values["version"] = version
        if values:
            self.put("/sys/module/" + name, **values)
        if parameters:
            self.put("/sys/module/%s/parameters" % name, **parameters)

    # ------------------------------------------------------------------------------------------------------------ SCSI
    def host(self, parent, number, proc_name, **lines):
        """A SCSI host below its parent, with the attributes that all have."""
        path = "%s/host%d" % (parent, number)
        self.put(path, {"uevent": "DEVTYPE=scsi_host\n"})
        self.link(path, "subsystem", "/sys/bus/scsi")
        self.entry("/sys/bus/scsi/devices", path)
        common = dict(active_mode="Initiator", can_queue=128, cmd_per_lun=7, eh_deadline="off", host_busy=0,
                      proc_name=proc_name, sg_tablesize=128, state="running", supported_mode="Initiator",
                      unique_id=number)
        if self.kernel.since(4, 18):
            common["nr_hw_queues"] = 1
        common.update(lines)
        self.device(path, "scsi_host", base(path), **common)
        return path

    def target(self, parent, name):
        path = "%s/%s" % (parent, name)
        self.put(path, {"uevent": "DEVTYPE=scsi_target\n"})
        self.link(path, "subsystem", "/sys/bus/scsi")
        self.entry("/sys/bus/scsi/devices", path)
        return path

    def lun(self, parent, hctl, device, **more):
        """A logical unit: device is a scsi.Device. Returns its path."""
        path = "%s/%s" % (parent, hctl)
        k = self.kernel
        lines = dict(vendor=device.vendor.ljust(8), model=device.model.ljust(16)[:16], rev=device.revision.ljust(4)[:4],
                     type=device.kind, scsi_level=device.scsi_level, state=device.state, queue_depth=device.queue_depth,
                     device_busy=0, device_blocked=0, timeout=device.timeout, iocounterbits=32,
                     iorequest_cnt="0x%x" % device.requests, iodone_cnt="0x%x" % device.requests,
                     ioerr_cnt="0x%x" % device.errors)
        if k.since(6, 1):
            lines["iotmo_cnt"] = "0x0"
        lines.update(more)
        self.put(path, {"uevent": "DEVTYPE=scsi_device\n"}, **lines)
        self.link(path, "subsystem", "/sys/bus/scsi")
        self.entry("/sys/bus/scsi/devices", path)
        if k.since(4, 4):
            self.put(path, {"inquiry": raw(device.inquiry()), "wwid": device.wwid + "\n" if device.wwid else {"errno": "ENXIO"}})
            pages = device.vpd()
            for page, file, major, minor in ((0x80, "vpd_pg80", 4, 4), (0x83, "vpd_pg83", 4, 4), (0x00, "vpd_pg0", 4, 18), (0x89, "vpd_pg89", 4, 18)):
                if page in pages and k.since(major, minor) and device.scsi_level >= 5:
                    self.put(path, {file: raw(pages[page])})
        self.device(path, "scsi_device", hctl)
        self.device(path, "scsi_generic", "sg%d" % self.generics, dev="21:%d" % self.generics)
        self.link(path, "generic", "%s/scsi_generic/sg%d" % (path, self.generics))
        self.generics += 1
        if device.kind in (0, 14):
            self.block(path, "sd" + letters(self.disks), device)
            self.disks += 1
        device.answer(self, hctl)
        return path

    def block(self, path, name, device):
        disk = self.device(path, "block", name, dev="8:%d" % (16 * self.disks), removable=int(device.removable), size=device.sectors)
        self.put(disk + "/queue", rotational=int(device.rotational), logical_block_size=512)
        self.entry("/sys/block", disk)
        self.link(path, "driver", "/sys/bus/scsi/drivers/sd")
        self.entry("/sys/bus/scsi/drivers/sd", path)
        self.props[disk] = {"ID_MODEL": device.model.strip().replace(" ", "_"), "ID_SERIAL_SHORT": device.serial}

    # --------------------------------------------------------------------------------------------------------- capture
    def capture(self, wall_us, mono_us, machine="x86_64"):
        c = {"hbad-capture": 1,
             "taken": {"wall_us": wall_us, "mono_us": mono_us, "kernel": self.kernel.release, "machine": machine,
                       "hostname": "host-1", "scrubbed": True},
             "dirs": self.dirs}
        for name in ("props", "commands", "measures"):
            if getattr(self, name):
                c[name] = getattr(self, name)
        return c


def base(path):
    return path[path.rindex("/") + 1:]


def raw(data):
    """A file's bytes as a capture holds them: text where they are text."""
    try:
        if b"\0" not in data:
            return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    return {"hex": data.hex()}


def letters(n):
    """0 is a, 26 is aa: as sd_format_disk_name()."""
    text = ""
    n += 1
    while n:
        n, digit = divmod(n - 1, 26)
        text = chr(97 + digit) + text
    return text
