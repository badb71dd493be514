# SPDX-License-Identifier: LGPL-2.1-or-later
"""What sg_inq, sg_vpd, sg_logs, sdparm and libsgutils2 read from a device's answer.

Each function takes the bytes and gives a dictionary with the field names of
tests/vectors/reading.h, or None where the program refuses the bytes. A program that is not
installed raises Missing.
"""
import ctypes
import re
import shutil
import subprocess
import tempfile


class Missing(Exception):
    """A program or library that the comparison needs is not there."""


def run(program, *options, data, file_option):
    """What a program prints that reads `data` as hex from a file; None where it fails."""
    path = shutil.which(program)
    if not path:
        raise Missing(f"{program} is not installed (Debian packages sg3-utils and sdparm)")
    with tempfile.NamedTemporaryFile("w", suffix=".hex") as f:
        f.write(data.hex(" ") + "\n")
        f.flush()
        done = subprocess.run([path, f"{file_option}={f.name}", *options], capture_output=True,
                              text=True, errors="replace", check=False)
    return done.stdout if done.returncode == 0 else None


def field(pattern, text, convert=str):
    """The first group of the first match, converted; None without one."""
    m = re.search(pattern, text, re.M)
    return convert(m.group(1)) if m else None


def number(text):
    return int(text, 0)


def inquiry(data):
    out = run("sg_inq", "--page=sinq", data=data, file_option="--inhex")
    if out is None:
        return None
    fields = {"type": "PDT", "removable": "RMB", "version": "version",
              "response_format": "Resp_data_format", "multiport": "MultiP", "wbus16": "WBus16",
              "sync": "Sync", "cmdque": "CmdQue", "clocking": "Clocking", "qas": "QAS",
              "ius": "IUS"}
    got = {ours: field(rf"\b{name}=(\w+)", out, number) for ours, name in fields.items()}
    got["length"] = field(r"length=(\d+)", out, int)
    for ours, name in (("vendor", "Vendor identification"), ("product", "Product identification"),
                       ("revision", "Product revision level")):
        got[ours] = field(rf"{name}: (.*)$", out, str.strip)
    return got


VPD_ACRONYMS = {"sv": 0x00, "sn": 0x80, "di": 0x83, "ei": 0x86, "ai": 0x89, "bl": 0xb0,
                "bdc": 0xb1}


def vpd00(data):
    out = run("sg_vpd", data=data, file_option="--inhex")
    return out and {"pages": sorted(VPD_ACRONYMS[a] for a in re.findall(r"\[(\w+)\]$", out, re.M))}


def vpd80(data):
    out = run("sg_vpd", data=data, file_option="--inhex")
    return out and {"serial": field(r"serial number: (.*)$", out, str.strip)}


def vpdb1(data):
    out = run("sg_vpd", data=data, file_option="--inhex")
    if out is None:
        return None
    rpm = field(r"rotation rate: (\d+) rpm", out, int)
    if rpm is None:
        rpm = "non-rotating" if "Non-rotating" in out else "not reported"
    return {"rotation": rpm}


ASSOCIATIONS = {"Addressed logical unit:": 0, "Target port:": 1,
                "Target device that contains addressed lu:": 2}

PROTOCOLS = {"Serial Attached SCSI Protocol (SPL-4)": 6, "USB Attached SCSI (UAS-2)": 9,
             "SCSI over PCI Express (SOP)": 10}


def vpd83(data):
    out = run("sg_vpd", data=data, file_option="--inhex")
    if out is None:
        return None
    got, association = [], None
    for line in out.splitlines():
        text = line.strip()
        if text in ASSOCIATIONS:
            association = ASSOCIATIONS[text]
        elif text.startswith("designator type: "):
            kind = field(r"designator type: ([^,\[]+?)\s*(?:\[.*)?,", text)
            got.append({"association": association, "type": kind})
        elif text.startswith("transport: "):
            got[-1]["protocol"] = PROTOCOLS.get(text[len("transport: "):], -1)
        elif re.match(r"0x[0-9a-f]+$", text):
            got[-1]["value"] = text
        elif re.match(r"\[0x[0-9a-f]+\]$", text): # a second form of an NAA that was decomposed
            got[-1]["value"] = text[1:-1]
        elif text.startswith("vendor id: "):
            got[-1]["vendor"] = text[len("vendor id: "):].strip()
        elif re.match(r"(Relative target port|Target port group|Logical unit group): ", text):
            got[-1]["value"] = text.split(": ")[1]
        elif got and got[-1]["type"] == "SCSI name string" and text != "SCSI name string:":
            got[-1]["value"] = text
    return {"designators": got}


def vpd89(data):
    out = run("sg_vpd", data=data, file_option="--inhex")
    words = run("sg_vpd", "-HHH", data=data, file_option="--inhex")
    if out is None or words is None:
        return None
    word = [int(w, 16) for w in re.findall(r"\b[0-9a-f]{4}\b", words)]
    return {"sat_vendor": field(r"SAT Vendor identification: (.*)$", out, str.strip),
            "sat_product": field(r"SAT Product identification: (.*)$", out, str.strip),
            "signature": field(r"Device signature indicates (\w+) transport", out),
            "command": field(r"Command code: (\w+)", out, number),
            "model": field(r"model: (.*)$", out, str.strip),
            "firmware": field(r"firmware revision: (.*)$", out, str.strip),
            **{f"word_{n}": word[n] for n in (76, 77, 217, 222)}}


def log18(data):
    out = run("sg_logs", data=data, file_option="--in")
    if out is None:
        return None
    ports = []
    for line in out.splitlines():
        name, _, value = (part.strip() for part in line.partition("=" if "=" in line else ":"))
        if line.startswith("relative target port id"):
            ports.append({"port": int(value), "phys": []})
        elif name == "phy identifier":
            ports[-1]["phys"].append({"phy": int(value), "events": []})
        elif name in ("attached SAS device type", "negotiated logical link rate"):
            ports[-1]["phys"][-1][name] = "reserved" if "reserved" in value else value
        elif name in ("SAS address", "attached SAS address"):
            ports[-1]["phys"][-1][name] = value
        elif name == "attached phy identifier" or re.match(r"    .* count = ", line):
            ports[-1]["phys"][-1][name] = int(value)
        elif re.match(r"     \w.*: \d+$", line):
            ports[-1]["phys"][-1]["events"].append(int(value))
    return {"ports": ports}


def sdparm(data, *options):
    """sdparm is told the protocol that the page's own identifier names."""
    for transport in ("spi", "sas"):
        out = run("sdparm", *options, f"--transport={transport}", "--all", data=data,
                  file_option="--inhex")
        got = dict(re.findall(r"^  (\w+(?:\.\d+)?) +(\S+)", out or "", re.M))
        want = {"spi": "1", "sas": "6"}[transport]
        if any(name.startswith("PPID") and value == want for name, value in got.items()):
            # The hexadecimal ones are strings in our reading, too.
            return {name: value if value.startswith("0x") else int(value) for name, value in
                    got.items()}
    return None


def modesense10(data):
    return sdparm(data)


def modesense6(data):
    return sdparm(data, "--six")


def page19(data):
    """A page on its own: behind a header, as sdparm wants it."""
    return modesense10((len(data) + 6).to_bytes(2, "big") + bytes(6) + data)


class SenseHeader(ctypes.Structure):
    """struct sg_scsi_sense_hdr of scsi/sg_lib.h (1.46)."""
    _fields_ = [(name, ctypes.c_uint8) for name in
                ("response_code", "sense_key", "asc", "ascq", "byte4", "byte5", "byte6",
                 "additional_length")]


def libsgutils():
    for name in ("libsgutils2-1.46.so.2", "libsgutils2-1.48.so.2", "libsgutils2.so.2"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise Missing("libsgutils2 is not installed (Debian package sg3-utils brings it)")


def sense(data):
    library = libsgutils()
    header, information = SenseHeader(), ctypes.c_uint64(0)
    library.sg_scsi_normalize_sense.restype = ctypes.c_bool
    library.sg_get_sense_info_fld.restype = ctypes.c_bool
    if not library.sg_scsi_normalize_sense(data, len(data), ctypes.byref(header)):
        return None
    valid = library.sg_get_sense_info_fld(data, len(data), ctypes.byref(information))
    return {"deferred": bool(header.response_code & 1), "key": header.sense_key & 0xf,
            "asc": header.asc, "ascq": header.ascq,
            "information": f"{information.value:#x}" if valid else None}


READERS = {f.__name__: f for f in (inquiry, vpd00, vpd80, vpd83, vpd89, vpdb1, log18, page19,
                                   modesense6, modesense10, sense)}
