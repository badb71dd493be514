# SPDX-License-Identifier: LGPL-2.1-or-later
"""PCI and PCIe: the slot of an adapter. Attributes: drivers/pci/pci-sysfs.c, drivers/pci/pcie/aer.c."""

AER_LINES = ("RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout", "NonFatalErr", "CorrIntErr", "HeaderOF")


class Slot:
    """A card below a root port (or a switch's port, or, in a virtual machine, below none).

    best, port: (GT/s, lanes) that the card and the port can do; actual: what the link trained at. best None: the bus is
    conventional PCI or PCI-X, without such a link."""

    def __init__(self, ids, vendor, device, cls, driver, best=None, port=None, functions=1, sub=None):
        self.number, self.bus = ids.slot(), ids.bus()
        self.vendor, self.device, self.cls, self.driver, self.functions = vendor, device, cls, driver, functions
        self.sub = sub or (vendor, 0x0010)
        self.best, self.port = best, port
        self.actual = common(best, port) if best and port else best
        self.chipset = False            # below a switch of the chipset
        self.passed_through = False     # in a virtual machine, without its port
        self.counters = {name: 0 for name in AER_LINES} if best else None

    @property
    def address(self):
        return "0000:%02x:00" % self.bus

    @property
    def name(self):
        return self.address + ".0"

    def render(self, tree):
        """Puts port and functions; returns the functions' paths."""
        root = "/sys/devices/pci0000:00"
        tree.put(root, {"uevent": ""})
        if self.passed_through:
            parent = root
        else:
            parent = "%s/0000:00:%02x.0" % (root, self.number)
            up = self.port if self.best else None
            self.function(tree, parent, 0x8086, 0x2f00 + self.number, 0x060400, "pcieport" if self.best else None,
                          (8.0, 8) if self.chipset else up, (8.0, 8) if self.chipset else self.actual, (0x8086, 0))
            if self.chipset:
                parent += "/0000:%02x:04.0" % (self.bus - 1)
                self.function(tree, parent, 0x1022, 0x43c7, 0x060400, "pcieport", self.port, self.actual, (0x1022, 0))
        paths = ["%s/%s.%d" % (parent, self.address, f) for f in range(self.functions)]
        for path in paths:
            self.function(tree, path, self.vendor, self.device, self.cls, self.driver, self.best, self.actual, self.sub)
            if self.counters and tree.kernel.since(4, 19):
                tree.put(path, {"aer_dev_correctable": "".join(
                    "%s %d\n" % (k, v) for k, v in list(self.counters.items()) + [("TOTAL_ERR_COR", sum(self.counters.values()))])})
        return paths

    @staticmethod
    def function(tree, path, vendor, device, cls, driver, best, actual, sub):
        tree.put(path, {"class": "0x%06x\n" % cls}, vendor="0x%04x" % vendor, device="0x%04x" % device,
                 subsystem_vendor="0x%04x" % sub[0], subsystem_device="0x%04x" % sub[1], revision="0x02", irq=16, enable=1,
                 numa_node=0)
        if best and tree.kernel.since(4, 13):
            tree.put(path, current_link_speed=speed(tree, actual[0]), max_link_speed=speed(tree, best[0]),
                     current_link_width=actual[1], max_link_width=best[1])
        tree.link(path, "subsystem", "/sys/bus/pci")
        tree.entry("/sys/bus/pci/devices", path)
        if driver:
            tree.dirs.setdefault("/sys/bus/pci/drivers/" + driver, {})
            tree.link(path, "driver", "/sys/bus/pci/drivers/" + driver)
            tree.entry("/sys/bus/pci/drivers/" + driver, path)


def common(a, b):
    return min(a[0], b[0]), min(a[1], b[1])


def speed(tree, gt):
    """The text changed in 5.7, and in RHEL 8's 4.18."""
    if tree.kernel.since(5, 7) or ".el8" in tree.kernel.release:
        return "%.1f GT/s PCIe" % gt
    return "%g GT/s" % gt


def port_for(rng, best):
    """A port that a card of that ability is found in: mostly as good or better, at times a smaller or older one."""
    gt, lanes = best
    if rng.random() < 0.2:
        return rng.choice([(gt, max(lanes // 2, 1)), (max(gt / 2, 2.5) if gt > 5 else 2.5, lanes)])
    return rng.choice([(8.0, 16), (16.0, 16), (gt, lanes), (max(gt, 8.0), max(lanes, 8))]) if gt <= 8 else (gt, 16)
