# SPDX-License-Identifier: LGPL-2.1-or-later
"""A large synthetic SAS machine, described part by part; generate.py writes it down.

Each mpt3sas HBA (PCIe 8.0 GT/s x8, below a root port of its own) has two expanders, each on a wide port of four phys.
An expander has 25 bays, and a taken bay holds one dual-ported SAS SSD with many LUNs. Nothing is at fault. 5,000 LUNs,
25 to a target, are 200 targets on 4 HBAs.

Attribute names and texts are those of Linux 6.1 (drivers/scsi/scsi_sysfs.c, scsi_transport_sas.c, sd.c,
mpt3sas/mpt3sas_ctl.c; drivers/pci/pci-sysfs.c; block/genhd.c).
"""
import os

BAYS = 25              # taken or empty, of each expander
UPLINK = 4             # phys of an expander, and of its HBA, that form their wide port
EXPANDER_PHYS = 36     # phys 0-3 face the HBA, then the bays; the rest is not wired
HBA_PHYS = 8
EXPANDERS = HBA_PHYS // UPLINK
SECTORS = 7501476528   # 3.84 TB in blocks of 512 bytes

TAKEN = {"wall_us": 1773828000000000, "mono_us": 8000000000000, "kernel": "6.1.0-37-amd64",
         "machine": "x86_64", "hostname": "bench-1", "scrubbed": True}


class Link(str):
    """The target of a symbolic link, as readlink gives it."""


class Refused(str):
    """An attribute that cannot be read: the name of the errno."""


WRITE_ONLY = Refused("EACCES")


class Part:
    """A share of the machine: the root, one host without its LUNs, or one LUN.

    dirs:     directory -> name -> value, directories that belong to this part alone
    listed:   directory -> name -> Link, this part's entries in directories that all parts share
    props:    directory -> udev properties
    commands: device, CDB, data of each SCSI command
    """

    def __init__(self):
        self.dirs, self.listed, self.props, self.commands = {}, {}, {}, []

    def list(self, where, path):
        """Put path under its own name into a shared directory such as /sys/class/sas_phy."""
        self.listed.setdefault(where, {})[base(path)] = Link(up(where) + path[len("/sys/"):])

    def class_device(self, parent, cls, name, attributes):
        """A device of a class below its parent: PARENT/CLASS/NAME with its device and subsystem links."""
        path = "%s/%s/%s" % (parent, cls, name)
        self.dirs[path] = {"device": Link("../../../" + base(parent)), "subsystem": Link(up(path) + "class/" + cls),
                           "uevent": "", **attributes}
        self.list("/sys/class/" + cls, path)
        return path


def base(path):
    return path[path.rindex("/") + 1:]


def up(path):
    """The way from a directory to /sys/."""
    return "../" * (path.count("/") - 1)


def lines(**values):
    """Attributes of one line each."""
    return {name: "%s\n" % value for name, value in values.items()}


# ------------------------------------------------------------------------------------------------------- the machine
def machine(luns, per_target, phys):
    """All parts of the machine, in the order in which a collector meets them."""
    targets = -(-luns // per_target)
    per_host = BAYS * EXPANDERS
    hosts = [Host(h, min(per_host, phys - h * per_host)) for h in range(-(-phys // per_host))]
    yield root(hosts)
    for host in hosts:
        first = host.number * per_host
        taken = min(max(targets - first, 0), host.bays)
        yield host.part(taken)
        for bay in range(taken):
            target = first + bay
            for lun in range(min(per_target, luns - target * per_target)):
                yield lun_part(host, bay, target, lun, target * per_target + lun)


def root(hosts):
    part = Part()
    part.dirs["/sys/devices/pci0000:00"] = {"uevent": ""}
    for host in hosts:
        for path, driver, attributes in (
                (host.port_path, "pcieport", pci(host.root_port, 0x8086, 0x2f04 + host.number, 0x060400, "pcieport")),
                (host.pci_path, "mpt3sas", pci(host.function, 0x1000, 0x0097, 0x010700, "mpt3sas"))):
            part.dirs[path] = {**attributes, "driver": Link(up(path) + "bus/pci/drivers/" + driver),
                               "subsystem": Link(up(path) + "bus/pci")}
            part.dirs[path + "/power"] = power("active")
            part.list("/sys/bus/pci/devices", path)
            part.list("/sys/bus/pci/drivers/" + driver, path)
    part.listed["/sys/bus/pci/drivers/mpt3sas"]["module"] = Link("../../../../module/mpt3sas")
    part.dirs["/sys/module/mpt3sas"] = lines(initstate="live", refcnt=len(hosts), version="43.100.00.00")
    part.dirs["/sys/module/mpt3sas/parameters"] = lines(
        diag_buffer_enable=-1, logging_level=0, max_queue_depth=-1, max_sgl_entries=-1, msix_disable=-1, prot_mask=-1,
        smp_affinity_enable=1)
    return part


def pci(address, vendor, device, cls, driver):
    alias = "pci:v%08Xd%08Xsv%08Xsd%08Xbc%02Xsc%02Xi%02X" % (
        vendor, device, vendor, 0x30f0, cls >> 16, cls >> 8 & 0xff, cls & 0xff)
    values = lines(
        broken_parity_status=0, dma_mask_bits=64, enable=1, irq=16, local_cpulist="0-15", modalias=alias, msi_bus=1,
        numa_node=0, power_state="D0", revision="0x02", subsystem_device="0x30f0", subsystem_vendor="0x%04x" % vendor,
        vendor="0x%04x" % vendor, device="0x%04x" % device, current_link_speed="8.0 GT/s PCIe", current_link_width=8,
        max_link_speed="8.0 GT/s PCIe", max_link_width=8)
    values["class"] = "0x%06x\n" % cls
    values["uevent"] = ("DRIVER=%s\nPCI_CLASS=%X\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:30F0\nPCI_SLOT_NAME=%s\n"
                        "MODALIAS=%s\n" % (driver, cls, vendor, device, vendor, address, alias))
    values.update(remove=WRITE_ONLY, rescan=WRITE_ONLY, reset=WRITE_ONLY)
    return values


def power(status):
    return lines(control="on" if status == "unsupported" else "auto", runtime_active_time=0, runtime_status=status,
                 runtime_suspended_time=0)


class Host:
    """An HBA: its names and addresses, and everything down to the targets."""

    def __init__(self, number, bays):
        self.number, self.bays = number, bays
        self.root_port = "0000:00:%02x.0" % (number + 1)
        self.function = "0000:%02x:00.0" % (number + 1)
        self.port_path = "/sys/devices/pci0000:00/" + self.root_port
        self.pci_path = self.port_path + "/" + self.function
        self.path = "%s/host%d" % (self.pci_path, number)
        self.address = 0x500605b000a00000 + (number << 16)
        self.expanders = -(-bays // BAYS)

    def expander_address(self, expander):
        return 0x500304800000003f + (self.number << 16) + (expander << 8)

    def expander_path(self, expander):
        n = self.number
        return "%s/port-%d:%d/expander-%d:%d" % (self.path, n, expander, n, expander)

    def target_path(self, bay):
        name = "%d:%d:%d" % (self.number, bay // BAYS, bay % BAYS)
        return "%s/port-%s/end_device-%s/target%d:0:%d" % (
            self.expander_path(bay // BAYS), name, name, self.number, bay)

    def part(self, taken):
        part, n = Part(), self.number
        part.dirs[self.path] = {"subsystem": Link(up(self.path) + "bus/scsi"), "uevent": "DEVTYPE=scsi_host\n"}
        part.dirs[self.path + "/power"] = power("active")
        part.list("/sys/bus/scsi/devices", self.path)
        part.class_device(self.path, "scsi_host", "host%d" % n, scsi_host(self))
        part.class_device(self.path, "sas_host", "host%d" % n, {})
        part.class_device(self.path, "bsg", "sas_host%d" % n, lines(dev="251:%d" % n))
        for phy in range(HBA_PHYS):
            wired = phy // UPLINK < self.expanders
            sas_phy(part, self.path, "%d:%d" % (n, phy), self.address, phy, True,
                    "port-%d:%d" % (n, phy // UPLINK) if wired else None, False)
        for expander in range(self.expanders):
            here = taken - expander * BAYS
            sas_port(part, self.path, "%d:%d" % (n, expander),
                     ["phy-%d:%d" % (n, expander * UPLINK + i) for i in range(UPLINK)])
            self.expander(part, expander, min(max(here, 0), BAYS))
        return part

    def expander(self, part, expander, taken):
        n, path, address = self.number, self.expander_path(expander), self.expander_address(expander)
        name = base(path)
        part.dirs[path] = {"uevent": ""}
        part.class_device(path, "sas_device", name, {
            **sas_device("edge expander", address, 0, 0, "smp", "smp"),
            "bay_identifier": Refused("ENXIO"), "enclosure_identifier": Refused("ENXIO")})
        part.class_device(path, "sas_expander", name, lines(
            component_id=566, component_revision_id=2, component_vendor_id="LSI     ", level=1,
            product_id="SAS3x36         ", product_rev="0701", vendor_id="LSI     "))
        part.class_device(path, "bsg", name, lines(dev="251:%d" % (100 + n * EXPANDERS + expander)))
        for phy in range(EXPANDER_PHYS):
            bay = phy - UPLINK
            port = "port-%d:%d:%d" % (n, expander, bay) if 0 <= bay < taken else None
            sas_phy(part, path, "%d:%d:%d" % (n, expander, phy), address, phy, phy < UPLINK or port, port, True)
        for bay in range(taken):
            self.end_device(part, path, expander, bay)

    def end_device(self, part, expander_path, expander, bay):
        number = expander * BAYS + bay
        name = "%d:%d:%d" % (self.number, expander, bay)
        sas_port(part, expander_path, name, ["phy-%d:%d:%d" % (self.number, expander, UPLINK + bay)])
        target = self.target_path(number)
        end_device = os.path.dirname(target)
        part.dirs[end_device] = {"uevent": ""}
        part.class_device(end_device, "sas_device", base(end_device), {
            **sas_device("end device", port_address(self.number * BAYS * EXPANDERS + number), number, 0, "none", "ssp"),
            **lines(bay_identifier=bay, enclosure_identifier="0x%016x" % (self.expander_address(expander) & ~0xff))})
        part.class_device(end_device, "sas_end_device", base(end_device), lines(
            I_T_nexus_loss_timeout=2000, initiator_response_timeout=0, ready_led_meaning=0, tlr_enabled=0,
            tlr_supported=0))
        part.class_device(end_device, "bsg", base(end_device), lines(dev="251:%d" % (1000 + number)))
        part.dirs[target] = {"subsystem": Link(up(target) + "bus/scsi"), "uevent": "DEVTYPE=scsi_target\n"}
        part.dirs[target + "/power"] = power("active")
        part.list("/sys/bus/scsi/devices", target)


def scsi_host(host):
    return {**lines(
        active_mode="Initiator", board_assembly="", board_name="SAS9300-8e", board_tracer="", can_queue=9664,
        cmd_per_lun=7, device_delay="00", drv_support_bitmap="0x00000000", eh_deadline="off", enable_sdev_max_qd=0,
        fw_queue_depth=9856, fwfault_debug=0, host_busy=0, host_sas_address="0x%016x" % host.address, io_delay="00",
        ioc_reset_count=0, logging_level="00000000h", nr_hw_queues=1, proc_name="mpt3sas", prot_capabilities=0,
        prot_guard_type=0, reply_queue_count=16, sg_prot_tablesize=0, sg_tablesize=128, state="running",
        supported_mode="Initiator", unique_id=host.number, use_blk_mq=1, version_bios="08.37.00.00",
        version_fw="16.00.12.00", version_mpi="205.2d", version_nvdata_default="0e010030h",
        version_nvdata_persistent="0e010030h", version_product="SAS3008"),
        "BRM_status": Refused("EIO"), "host_reset": WRITE_ONLY, "scan": WRITE_ONLY}


def sas_phy(part, parent, numbers, address, phy, up_, port, on_expander):
    """A phy. As with mpt3sas, address and type are those of its owner, and the uplink phys of an expander are in no
    port."""
    path = "%s/phy-%s" % (parent, numbers)
    part.dirs[path] = {"uevent": "", **({"port": Link("../" + port)} if port else {})}
    part.class_device(path, "sas_phy", "phy-" + numbers, {**lines(
        device_type="edge expander" if on_expander else "end device", enable=1,
        initiator_port_protocols="smp" if on_expander else "smp, stp, ssp", invalid_dword_count=0,
        loss_of_dword_sync_count=0, maximum_linkrate="12.0 Gbit", maximum_linkrate_hw="12.0 Gbit",
        minimum_linkrate="1.5 Gbit", minimum_linkrate_hw="1.5 Gbit",
        negotiated_linkrate="12.0 Gbit" if up_ else "Unknown", phy_identifier=phy, phy_reset_problem_count=0,
        running_disparity_error_count=0, sas_address="0x%016x" % address,
        target_port_protocols="smp" if on_expander else "none"),
        "hard_reset": WRITE_ONLY, "link_reset": WRITE_ONLY})


def sas_port(part, parent, numbers, phys):
    path = "%s/port-%s" % (parent, numbers)
    part.dirs[path] = {"uevent": "", **{phy: Link("../" + phy) for phy in phys}}
    part.class_device(path, "sas_port", "port-" + numbers, lines(num_phys=len(phys)))


def sas_device(kind, address, target, phy, initiator, protocols):
    return lines(device_type=kind, initiator_port_protocols=initiator, phy_identifier=phy,
                 sas_address="0x%016x" % address, scsi_target_id=target, target_port_protocols=protocols)


def port_address(target):
    """SAS address of a target's first port; the second's is one more."""
    return 0x5000c500a0000001 + target * 4


# ---------------------------------------------------------------------------------------------------------- the LUNs
def lun_part(host, bay, target, lun, index):
    """One LUN: target counts over the machine, bay over the host; index numbers sd and sg nodes."""
    part = Part()
    hctl = "%d:0:%d:%d" % (host.number, bay, lun)
    path = "%s/%s" % (host.target_path(bay), hctl)
    answers = scsi_answers(host, bay, target, index)
    disk, generic = sd_name(index), "sg%d" % index
    part.dirs[path] = {**scsi_device(target, index, answers), "generic": Link("scsi_generic/" + generic),
                       "driver": Link(up(path) + "bus/scsi/drivers/sd"), "subsystem": Link(up(path) + "bus/scsi")}
    part.dirs[path + "/power"] = power("active")
    part.list("/sys/bus/scsi/devices", path)
    part.list("/sys/bus/scsi/drivers/sd", path)
    major, minor = sd_number(index)
    block = part.class_device(path, "block", disk, block_device(disk, major, minor, index))
    part.list("/sys/block", block)
    part.dirs[block + "/queue"] = lines(
        hw_sector_size=512, logical_block_size=512, max_hw_sectors_kb=4096, max_sectors_kb=1280, nr_requests=256,
        physical_block_size=4096, read_ahead_kb=128, rotational=0, scheduler="none [mq-deadline]")
    part.class_device(path, "bsg", hctl, node(251, 10000 + index, "bsg/" + hctl))
    part.class_device(path, "scsi_device", hctl, {})
    part.class_device(path, "scsi_disk", hctl, lines(
        FUA=1, allow_restart=1, app_tag_own=0, cache_type="write back", manage_start_stop=0,
        max_medium_access_timeouts=2, protection_mode="none", protection_type=0, provisioning_mode="unmap",
        thin_provisioning=1, zeroing_mode="writesame_16_unmap", zoned_cap="none"))
    part.class_device(path, "scsi_generic", generic, node(21, index, generic))
    part.props[block] = {"ID_BUS": "scsi", "ID_TYPE": "disk", "ID_VENDOR": "SEAGATE", "ID_MODEL": "XS3840SE70004",
                         "ID_REVISION": "0003", "ID_SERIAL_SHORT": serial(index), "ID_WWN": "0x%016x" % wwn(index)}
    part.commands = [(hctl, cdb, data) for cdb, data in answers.items()]
    return part


def node(major, minor, name):
    return {"dev": "%d:%d\n" % (major, minor), "uevent": "MAJOR=%d\nMINOR=%d\nDEVNAME=%s\n" % (major, minor, name)}


def scsi_device(target, index, answers):
    done = "0x%x" % (0x52470f + index)
    return {**lines(
        blacklist="", device_blocked=0, device_busy=0, dh_state="detached", eh_timeout=10,
        evt_capacity_change_reported=0, evt_inquiry_change_reported=0, evt_lun_change_reported=0, evt_media_change=0,
        evt_mode_parameter_change_reported=0, evt_soft_threshold_reached=0, iocounterbits=32, iodone_cnt=done,
        ioerr_cnt="0x3", iorequest_cnt=done, iotmo_cnt="0x0", modalias="scsi:t-0x00", model="XS3840SE70004   ",
        queue_depth=64, queue_ramp_up_period=120000, queue_type="simple", rev="0003",
        sas_address="0x%016x" % port_address(target), sas_device_handle="0x%04x" % (0x10 + target),
        sas_ncq_prio_enable=0, sas_ncq_prio_supported=0, scsi_level=7, state="running", timeout=30, type=0,
        vendor="SEAGATE ", wwid="naa.%016x" % wwn(index)),
        "delete": WRITE_ONLY, "rescan": WRITE_ONLY,
        "uevent": "DEVTYPE=scsi_device\nDRIVER=sd\nMODALIAS=scsi:t-0x00\n",
        "inquiry": answers[INQUIRY], "vpd_pg0": answers[VPD_LIST], "vpd_pg80": answers[VPD_SERIAL],
        "vpd_pg83": answers[VPD_NAMES]}


def block_device(name, major, minor, index):
    return {**lines(
        alignment_offset=0, capability="50", dev="%d:%d" % (major, minor), discard_alignment=0, events="",
        events_async="", events_poll_msecs=-1, ext_range=256, hidden=0, inflight="       0        0", range=16,
        removable=0, ro=0, size=SECTORS,
        stat=" 4943710       80 573152117 12336468   448389      952  7964552   336708        0  2124820 12673176"),
        "uevent": "MAJOR=%d\nMINOR=%d\nDEVNAME=%s\nDEVTYPE=disk\nDISKSEQ=%d\n" % (major, minor, name, index + 1)}


SD_MAJORS = [8, 65, 66, 67, 68, 69, 70, 71, 128, 129, 130, 131, 132, 133, 134, 135]


def sd_number(index):
    """Major and minor of the disk, as drivers/scsi/sd.c (sd_major, sd_probe) spreads them."""
    return SD_MAJORS[index >> 4 & 15], (index & 15) << 4 | index & 0xfff00


def sd_name(index):
    """sda … sdz, sdaa …: drivers/scsi/sd.c, sd_format_disk_name."""
    name = ""
    while index >= 0:
        name = chr(ord("a") + index % 26) + name
        index = index // 26 - 1
    return "sd" + name


def serial(index):
    return "HLK%05d" % index


def wwn(index):
    """Name of the logical unit (NAA 5)."""
    return 0x5000c50100000000 + index


# ------------------------------------------------------------------------------------------------------ SCSI answers
INQUIRY = "12 00 00 00 90 00"
VPD_LIST = "12 01 00 00 fc 00"
VPD_SERIAL = "12 01 80 00 fc 00"
VPD_NAMES = "12 01 83 00 fc 00"
MODE_PORT = "5a 00 19 00 00 00 00 02 00 00"
MODE_PHYS = "5a 00 19 01 00 00 00 02 00 00"
LOG_PORT = "4d 00 58 00 00 00 00 04 00 00"


def scsi_answers(host, bay, target, index):
    """CDB -> data, what a dual-ported 12 Gb/s SSD says through its first port; nothing is on the second."""
    port = port_address(target)
    inquiry = bytes.fromhex("000006128b001002") + b"SEAGATE XS3840SE70004   0003" + serial(index).encode()
    phys = [phy(port, "211b0202", host.expander_address(bay // BAYS), UPLINK + bay % BAYS),
            phy(port + 1, "00000000", 0, 0)]
    return {
        INQUIRY: inquiry.ljust(144, b"\0"),
        VPD_LIST: bytes.fromhex("00000003008083"),
        VPD_SERIAL: bytes.fromhex("00800014") + serial(index).encode().ljust(20),
        VPD_NAMES: vpd_names(wwn(index), port),
        MODE_PORT: mode_sense(bytes.fromhex("1906060007d00000")),
        MODE_PHYS: mode_sense(bytes.fromhex("5901006400060002") + b"".join(
            bytes([0, n, 0, 0]) + body + bytes.fromhex("88bb").ljust(16, b"\0") for n, body in enumerate(phys))),
        LOG_PORT: log_sense(phys),
    }


def u64(value):
    return value.to_bytes(8, "big")


def phy(address, attached, attached_address, attached_phy):
    """What page 19h/01h and log page 18h say alike of a phy (SPL-4, phy mode descriptor and phy log descriptor):
    attached device type and reason, negotiated rate, attached protocols; both SAS addresses; the attached phy."""
    return bytes.fromhex(attached) + u64(address) + u64(attached_address) + bytes([attached_phy]).ljust(8, b"\0")


def mode_sense(page):
    """MODE SENSE(10) data: header, one short block descriptor (SPC-4 7.5.4, SBC-3 6.4.2.2), the page."""
    descriptor = bytes.fromhex("ffffffff00000200")
    return (6 + len(descriptor) + len(page)).to_bytes(2, "big") + bytes.fromhex("001000000008") + descriptor + page


def log_sense(phys):
    """Log page 18h: one parameter for each port, with its one phy and four counters at zero."""
    data = b""
    for n, body in enumerate(phys):
        data += bytes([0, n + 1, 3, 0x34, 6, 0, 0, 1, 0, n, 0, 0x2c]) + body + bytes(16)
    return b"\x18\0" + len(data).to_bytes(2, "big") + data


def vpd_names(unit, port):
    """VPD page 83h: the unit's name, the first port's name and number, the device's name twice."""
    device = port + 2
    data = (bytes.fromhex("01030008") + u64(unit) + bytes.fromhex("61930008") + u64(port)
            + bytes.fromhex("6194000400000001") + bytes.fromhex("61a30008") + u64(device)
            + bytes.fromhex("63a80018") + (b"naa.%016X" % device).ljust(24, b"\0"))
    return b"\0\x83" + len(data).to_bytes(2, "big") + data
