# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simulated hosts for fleet.py: what hbad-exporter says of a machine, for as many machines as are wanted.

A kind of host is one of tests/golden's captures, with the disks' model and revision, the adapter's firmware and the speed of a
link changed, behind hbad and hbad-exporter: the verdicts and the text are theirs. A host is a kind with serial numbers and addresses of
its own. Which host is of which kind is drawn, the same on every run.
"""
import hashlib
import json
import os
import random
import re
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "exporter"))
import exporter  # noqa: E402
from exporter import daemon  # noqa: E402

# (capture, of a hundred hosts so many)
MACHINES = [("clock-one-left-behind", 50), ("sata-6g-drives-on-3g-ports-ok", 15), ("fc-one-port-8g-sibling-16g", 15),
            ("sas-wide-port-one-lane-missing", 15), ("sas-two-expanders-healthy", 5)]
# Of the first: disks (vendor, model, revision), and of a thousand such hosts so many with a link that fell back.
DISKS = [(("SEAGATE", "ST10000NM0096", "E005"), 2), (("SEAGATE", "ST10000NM0096", "E002"), 40), (("HGST", "HUH721212AL5200", "A3D0"), 2)]
FIRMWARES = ["16.00.12.00", "16.00.10.00"]
# A link that fell back, as the adapter says it, and as its disk does in page 19h and 18h: type of the phy, reason and rate (SPL-4
# 9.2.7.4: Bh is 12 Gb/s, 9h 3 Gb/s), what the initiator is.
SLOW = "3.0 Gbit\n"
OF_DISK, SLOW_OF_DISK = "11 1b 0e 00", "11 19 0e 00"


def edited(case, disk, firmware, slow):
    with open(daemon.golden(case)[0], encoding="utf-8") as file:
        capture = json.load(file)
    fallen = False
    for path, values in sorted(capture["dirs"].items()):
        if disk and "vendor" in values and "model" in values:
            values.update(zip(("vendor", "model", "rev"), (f"{w}\n" for w in disk)))
            values.pop("inquiry", None)
        if firmware and "version_fw" in values:
            values["version_fw"] = firmware + "\n"
        if slow and not fallen and values.get("negotiated_linkrate") == values.get("maximum_linkrate") and "/sas_phy/" in path:
            values["negotiated_linkrate"] = SLOW
            fallen = True
    if slow:  # what was measured would say otherwise
        capture["measures"] = [m for m in capture["measures"] if m["device"] != "0:0:0:0"]
    for command in capture["commands"] if slow else ():
        if command["device"] == "0:0:0:0":
            command["data"] = command.get("data", "").replace(OF_DISK, SLOW_OF_DISK)
    return capture


def text_of(capture):
    """What hbad-exporter says of a machine."""
    with tempfile.TemporaryDirectory(prefix="hbad-fleet-") as folder:
        path = os.path.join(folder, "1.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(capture, file)
        d = daemon.Daemon([path])
        try:
            d.ready()
            x = exporter.Exporter(d.path)
            answer = x.ask()
            x.stop()
        finally:
            d.stop()
    assert answer.status == 200
    return answer.body.decode()


class Kind:
    """A text in pieces: every second one is an identity that each host has its own of."""
    IDENTITY = re.compile(r'(?<=serial=")([^"]+)|((?<=naa\.)[0-9a-f]{16}|(?<=0x)[0-9a-f]{16}|(?<=-)[0-9a-f]{16}(?=[-"]))')

    def __init__(self, text):
        self.series = len([line for line in text.split("\n") if line and not line.startswith("#")])
        self.pieces, at = [], 0
        for m in self.IDENTITY.finditer(text):
            self.pieces += [text[at:m.start()], m[0]]
            at = m.end()
        self.pieces.append(text[at:])

    def of(self, n):
        """The text of host n."""
        return "".join(hashlib.md5(b"%s %d" % (p.encode(), n)).hexdigest()[:len(p)] if i % 2 else p for i, p in enumerate(self.pieces))


def kinds():
    """{(capture, disk, firmware, slow): Kind}"""
    made = {}
    for case, _ in MACHINES:
        is_first = case == MACHINES[0][0]
        for disk in [d for d, _ in DISKS] if is_first else [None]:
            for firmware in FIRMWARES if is_first else [None]:
                for slow in (False, True) if is_first else (False,):
                    made[case, disk, firmware, slow] = Kind(text_of(edited(case, disk, firmware, slow)))
    return made


def draw(hosts):
    """The kind of each host."""
    dice, found = random.Random(1), []
    for _ in range(hosts):
        case = dice.choices(*zip(*MACHINES))[0]
        if case != MACHINES[0][0]:
            found.append((case, None, None, False))
            continue
        disk, per_thousand = dice.choice(DISKS)
        found.append((case, disk, dice.choice(FIRMWARES), dice.random() < per_thousand / 1000))
    return found


class Fleet:
    def __init__(self, hosts):
        self.kinds, self.drawn = kinds(), draw(hosts)
        self.series = sum(self.kinds[k].series for k in self.drawn)

    def text(self, n):
        return self.kinds[self.drawn[n]].of(n).encode()

    def slow(self):
        """{(vendor, model, revision): hosts with such a disk behind a link that fell back}: what is to be found."""
        found = {}
        for _, disk, _, slow in self.drawn:
            if slow:
                found[disk] = found.get(disk, 0) + 1
        return found
