#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares what hbactl said in the lab's guest with what the other witnesses said there.

The witnesses are lsscsi, sg3-utils and the kernel's own attributes; the report's format is the one of
the JSON contract (hbad.report/1). The captures taken in the guest are replayed here, and must give the
report that the live run gave. Every disagreement is one line; exit status 0 none, 1 some, 2 no evidence.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

# Payload in MB/s of one lane after 8b/10b (22.5 Gb/s: 128b/150b), by what sysfs calls the line rate.
SERIAL_MB_PER_S = {"1.5": 150, "3.0": 300, "6.0": 600, "12.0": 1200, "22.5": 2400}
# The label of a synchronous SPI agreement by its transfer period in ns.
SPI_LABELS = {200: "Fast-5", 100: "Fast", 50: "Ultra", 25: "Ultra2",
              12.5: "Ultra160", 6.25: "Ultra320", 3.125: "Ultra640"}
# The same by the factor of a PPR message (SPI-4 table 47); from 0Dh on it is a quarter of the period.
SPI_FACTORS = {7: 3.125, 8: 6.25, 9: 12.5, 10: 25, 11: 30.3, 12: 50}
# The codes of a SAS rate (SPL-4 table 57), as sdparm shows them, and what sg_logs makes of them.
SAS_CODES = {"8": "1.5", "9": "3.0", "10": "6.0", "11": "12.0", "12": "22.5"}
SAS_WORDS = {"1.5": "1.5", "3": "3.0", "6": "6.0", "12": "12.0", "22.5": "22.5"}
USB_MODES = {"12": ("12 Mb/s", 1.5), "480": ("480 Mb/s", 60), "5000": ("5 Gb/s", 500),
             "10000": ("10 Gb/s", 1212), "20000": ("20 Gb/s", 2424)}
# lsscsi shows the proc_name of a host; hbactl the driver, which may have another name.
DRIVERS = {"tcm_loopback": "tcm_loop"}
# What may differ between a report and the report of a capture taken a moment later. The kernel counts a
# page that a device does not know as an I/O error, so that asking the same again makes the count grow.
NAMES_OF_TIME = {"taken", "since", "ioerr", "iotmo"}


class NoEvidence(Exception):
    """A witness's output is missing or cannot be understood."""


class Results:
    """The folder that a run of the lab leaves."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def text(self, name):
        try:
            return (self.folder / name).read_text(encoding="utf-8", errors="replace").replace("\0", "")
        except OSError as error:
            raise NoEvidence(f"{name}: {error.strerror}") from error

    def json(self, name):
        try:
            return json.loads(self.text(name))
        except ValueError as error:
            raise NoEvidence(f"{name}: {error}") from error

    def exits(self):
        return {name: int(status) for name, status in
                (line.rsplit(" ", 1) for line in self.text("exits").splitlines())}

    def lsscsi_devices(self):
        """Fixed columns: [H:C:T:L], type 7, vendor 8, model 16, revision 4, then node and sg node."""
        devices = {}
        for line in self.text("lsscsi-g").splitlines():
            columns = re.match(r"\[([\d:]+)\]\s+\S.{6} (.{8}) (.{16}) (.{4})\s+(.*)", line)
            if not columns:
                raise NoEvidence(f"lsscsi-g: cannot read: {line}")
            hctl, vendor, model, revision, nodes = columns.groups()
            devices[hctl] = {"vendor": vendor.strip(), "model": model.strip(), "revision": revision.strip(),
                             "nodes": sorted(node for node in nodes.split() if node != "-")}
        return devices

    def lsscsi_hosts(self):
        return {f"host{number}": driver for number, driver in
                re.findall(r"^\[(\d+)\]\s+(\S+)", self.text("lsscsi-H"), re.MULTILINE)}

    def attributes(self):
        """{class or bus: {object: {attribute: first line}}}"""
        found = {}
        for group, name, attribute, value in re.findall(
                r"^/sys/(?:class|bus)/(\w+)/(?:devices/)?([^/]+)/([\w/]+):(.*)$", self.text("sysfs"), re.MULTILINE):
            found.setdefault(group, {}).setdefault(name, {}).setdefault(attribute, value.strip())
        return found


class Comparison:
    """Counts what was compared and keeps what disagreed."""

    def __init__(self):
        self.compared = 0
        self.complaints = []

    def equal(self, what, hbactl, witness):
        self.compared += 1
        if hbactl != witness:
            self.complaints.append(f"{what}: hbactl says {hbactl!r}, the witness {witness!r}")

    def true(self, condition, complaint):
        self.compared += 1
        if not condition:
            self.complaints.append(complaint)


def compare_exits(comparison, exits):
    for name, status in exits.items():
        if name == "hbactl":  # its status is the verdict: 0, 1, 2, or 3 where nothing could be examined
            comparison.true(status in (0, 1, 2), f"{name}: exit status {status}")
        elif name.startswith("hbactl"):
            comparison.equal(f"{name}: exit status", status, 0)


def compare_hosts(comparison, report, hosts):
    said = {host["kernel_name"]: host["driver"] for host in report["hosts"] if "kernel_name" in host}
    for name, driver in hosts.items():
        comparison.equal(f"{name}: driver", said.get(name), DRIVERS.get(driver, driver))


def compare_devices(comparison, report, results):
    devices = results.lsscsi_devices()
    said = {device["hctl"]: device for device in report["devices"]}
    comparison.equal("devices", sorted(said), sorted(devices))
    for hctl in sorted(set(said) & set(devices)):
        for field in ("vendor", "model", "revision"):
            comparison.equal(f"{hctl}: {field}", said[hctl].get(field), devices[hctl][field])
        comparison.equal(f"{hctl}: nodes", sorted(said[hctl].get("nodes", [])), devices[hctl]["nodes"])
        compare_identity(comparison, said[hctl], results, devices[hctl]["nodes"])


def compare_identity(comparison, device, results, nodes):
    """Serial number and WWID against sg_inq and sg_vpd; hbactl may know none where it must not ask."""
    for node in nodes:
        if not re.fullmatch(r"/dev/sg\d+", node):
            continue
        folder = node.removeprefix("/dev/")
        serial = re.search(r"Unit serial number: (.*)", results.text(f"{folder}/inq"))
        if device.get("serial") is not None:
            comparison.equal(f"{device['hctl']}: serial", device["serial"], serial and serial.group(1).strip())
        wwid = device.get("wwid") or ""
        if wwid.startswith("naa."):
            comparison.true(wwid.removeprefix("naa.").lower() in results.text(f"{folder}/vpd-di").lower(),
                            f"{device['hctl']}: wwid {wwid} is not in sg_vpd's device identification")


def spi_mode(attributes):
    """(label or None, MB/s or None, words of the detail). Narrow targets have no attribute width."""
    offset = int(attributes.get("offset", "0"))
    if offset == 0:
        return "async", None, []
    bits = 16 if attributes.get("width") == "1" else 8
    period = float(attributes["period"])
    label = SPI_LABELS.get(period)
    if label and period >= 25 and bits == 16:
        label += " Wide"
    return label, bits / 8 * 1000 / period, [f"{bits} bit", f"offset {offset}"]


def serial_mode(text):
    """"3.0 Gbit" or "6.0 Gbps" to (label, MB/s, []); None for any other text: no link."""
    rate = re.fullmatch(r"(\d+\.\d) G(?:bit|bps)", text)
    return (f"{rate.group(1)} Gb/s", SERIAL_MB_PER_S[rate.group(1)], []) if rate else None


def expected_modes(results):
    """Kernel name of a link to its mode (label, MB/s, words of the detail), or None where it has none."""
    attributes = results.attributes()
    modes = {}
    for name, target in attributes.get("spi_transport", {}).items():
        modes[name] = spi_mode(target)
    for name, phy in attributes.get("sas_phy", {}).items():
        modes[name] = serial_mode(phy["negotiated_linkrate"])
    for name, link in attributes.get("ata_link", {}).items():
        modes[name] = serial_mode(link["sata_spd"])
    for name in re.findall(r"^/sys/class/scsi_host/.*/usb\d+/(?:.*/)?([\d.-]+)/[\d.:-]+/host\d+/",
                           results.text("sysfs-links"), re.MULTILINE):
        modes[name] = (*USB_MODES[attributes["usb"][name]["speed"]], [])
    return modes


def fields(text):
    """sdparm's lines "NAME VALUE [...]", as a list of both."""
    return re.findall(r"^  ([\w-]+) +(\w+)", text, re.MULTILINE)


def target_labels(results, node):
    """What other programs read in a device's own pages: {via of hbactl: labels that it may name}."""
    labels = {}
    folder = results.folder / node
    if (folder / "negotiated").exists():
        page = dict(fields(results.text(f"{node}/negotiated")))
        if page:
            factor = int(page["TPF"])
            label = spi_mode({"offset": page["RAO"], "width": page["TWE"],
                              "period": SPI_FACTORS.get(factor, factor * 4)})[0]
            labels["MODE SENSE 19h/03h"] = {label}
    if (folder / "phys").exists():
        rates = [value for name, value in fields(results.text(f"{node}/phys")) if name == "NLLR"]
        labels["MODE SENSE 19h/01h"] = {f"{SAS_CODES[code]} Gb/s" for code in rates if code in SAS_CODES}
    if (folder / "log-18h").exists():
        rates = re.findall(r"negotiated logical link rate: ([\d.]+) Gbps", results.text(f"{node}/log-18h"))
        labels["LOG SENSE 18h"] = {f"{SAS_WORDS[rate]} Gb/s" for rate in rates}
    return labels


def compare_targets(comparison, report, results):
    """What hbactl read in the pages of devices, against sdparm and sg_logs."""
    links = {link["id"]: link for link in report["links"]}
    for device in report["devices"]:
        link = links.get(device["link"])
        nodes = [node for node in device["nodes"] if node.startswith("/dev/sg")]
        if link is None or not nodes:
            continue
        labels = target_labels(results, nodes[0].removeprefix("/dev/"))
        for witness in link["witnesses"]:
            if witness["who"] == "target" and witness["via"] in labels:
                comparison.true(witness["label"] in labels[witness["via"]],
                                f"{device['hctl']}: {witness['via']} is {witness['label']} to hbactl, "
                                f"{sorted(labels[witness['via']])} to others")


def lspci_modes(text):
    """Function to (label now, label at best), where lspci knows both."""
    modes = {}
    for part in re.split(r"\n(?=\S)", text):
        link = {name: f"{float(speed):.1f} GT/s x{width}" for name, speed, width in
                re.findall(r"(LnkCap|LnkSta):.*?Speed ([\d.]+)GT/s.*?Width x(\d+)", part)}
        if len(link) == 2:
            modes[part.split()[0]] = (link["LnkSta"], link["LnkCap"])
    return modes


def compare_slots(comparison, report, modes):
    """The adapters' own links, against lspci's reading of configuration space."""
    for link in report["links"]:
        if link["transport"] == "pcie":
            name = link["kernel_name"]
            comparison.true(name in modes, f"{name}: no link to lspci")
            if name in modes and link["actual"]:
                comparison.equal(f"{name}: label", link["actual"]["label"], modes[name][0])


def compare_links(comparison, report, modes):
    said = {link["kernel_name"]: link for link in report["links"] if "kernel_name" in link}
    for name, mode in modes.items():
        comparison.true(name in said, f"{name}: not among hbactl's links")
        if name not in said:
            continue
        actual = said[name].get("actual") or {}
        if mode is None:
            comparison.equal(f"{name}: actual mode", actual, {})
            comparison.true(said[name]["state"] != "up", f"{name}: up without a negotiated rate")
            continue
        label, mb_per_s, words = mode
        comparison.equal(f"{name}: state", said[name]["state"], "up")
        comparison.equal(f"{name}: label", actual.get("label"), label)
        comparison.equal(f"{name}: MB/s", actual.get("mb_per_s"), mb_per_s)
        for word in words:
            comparison.true(word in actual.get("detail", ""), f"{name}: no \"{word}\" in {actual.get('detail')!r}")


def differences(one, other, where="report"):
    """Where two JSON values differ, fields that name time aside."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted((set(one) | set(other)) - NAMES_OF_TIME):
            if key not in one or key not in other:
                yield f"{where}.{key}: only {'live' if key in one else 'replayed'}"
            else:
                yield from differences(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{where}: {len(one)} live, {len(other)} replayed"
        for index, pair in enumerate(zip(one, other)):
            yield from differences(*pair, f"{where}[{index}]")
    elif one != other:
        yield f"{where}: {one!r} live, {other!r} replayed"


def replay(programs, capture):
    command = [str(pathlib.Path(programs).absolute() / "hbactl"), "--capture", str(capture), "report", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        raise NoEvidence(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}") from error


def secrets(report):
    """What a scrubbed capture must not hold: serial numbers and WWNs long enough to be no accident."""
    for device in report["devices"]:
        for field in ("serial", "wwid"):
            secret = (device.get(field) or "").removeprefix("naa.")
            if len(secret) >= 8:
                yield secret


def compare_replays(comparison, report, results, programs):
    replayed = replay(programs, results.folder / "capture-no-scrub.json")
    found = list(differences(report, replayed))
    comparison.true(not found, "the capture's report differs from the live one:\n    " + "\n    ".join(found))

    scrubbed = replay(programs, results.folder / "capture.json")
    for field in ("hosts", "links", "devices"):
        comparison.equal(f"scrubbed capture: number of {field}", len(scrubbed[field]), len(report[field]))
    capture = re.sub(r"\s", "", results.text("capture.json").lower())
    for secret in secrets(report):
        for form in (secret.lower(), secret.encode().hex()):
            comparison.true(form not in capture, f"scrubbed capture: holds {secret}")


def compare(results, programs):
    report = results.json("hbactl-report.json")
    comparison = Comparison()
    comparison.equal("schema", report.get("schema"), "hbad.report/1")
    compare_exits(comparison, results.exits())
    compare_hosts(comparison, report, results.lsscsi_hosts())
    compare_devices(comparison, report, results)
    compare_links(comparison, report, expected_modes(results))
    compare_targets(comparison, report, results)
    if (results.folder / "lspci").exists():
        compare_slots(comparison, report, lspci_modes(results.text("lspci")))
    compare_replays(comparison, report, results, programs)
    return comparison


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", required=True, help="folder that holds hbactl, for the replay")
    parser.add_argument("results", help="folder that a run of the lab left")
    arguments = parser.parse_args()
    try:
        comparison = compare(Results(arguments.results), arguments.programs)
    except (NoEvidence, KeyError, OSError, subprocess.TimeoutExpired) as error:
        print(f"compare: no evidence: {error!r}", file=sys.stderr)
        return 2
    for complaint in comparison.complaints:
        print(f"FAIL: {complaint}")
    print(f"compare: {comparison.compared} comparisons, {len(comparison.complaints)} disagreements")
    return 1 if comparison.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
