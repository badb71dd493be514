#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares our decoders with sg3_utils and sdparm: over the vectors, over mutations of them, and
over answers made at random (from fixed seeds, so that every run compares the same).

usage: compare.py PRINT_READING VECTORS     compare; exit 1 where any value differs, 2 where a
                                            program is missing
       compare.py --read DECODER FILE.hex   what the other program reads, as a vector's "expect"
"""
import json
import pathlib
import random
import subprocess
import sys

import theirs

MUTATIONS = 12      # of each vector
RANDOM_SENSE = 3000
RANDOM_PAGE_83 = 60
SHOWN = 20          # lines about differences, at most

ALL_ONES = (0xff, 0xffff, "0xffffffff", "0xffffffffffffffff")

# What we read and they do not print, and the other way round (see NOT_READ in vectors/check.py).
OURS_ONLY = {"wwid", "port_naa", "relative_port", "highest_generation"}
THEIRS_ONLY = {"APERCAP", "APOWCAP", "ASLCAP", "APACAP", "AIZPER", "AREQIZ", "ABRCAP", "AAPTACAP",
               "ASMPPCAP", "APOWDCAP", "CAWT", "BAE", "RTOL", "MAXR", "PMCDT", "EN_SL", "EN_PA",
               "HMS"}
# Fields of SPL-5 that sdparm knows only where the page has them all.
OPTIONAL = {"4PHYS", "2PHYS", "1PHY"}


class Ours:
    """The program print_reading, asked line by line."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def read(self, decoder, data):
        self.process.stdin.write(f"{decoder} {data.hex()}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"print_reading died at: {decoder} {data.hex()}")
        return json.loads(line)


def normal(value):
    """Without the fields that only one side has."""
    if isinstance(value, dict):
        return {k: normal(v) for k, v in value.items()
                if k not in OURS_ONLY and k.split(".")[0] not in THEIRS_ONLY}
    if isinstance(value, list):
        return [normal(v) for v in value]
    return value


def differences(where, ours, other):
    """Lines that say what differs."""
    if isinstance(ours, dict) and isinstance(other, dict):
        for key in sorted(ours.keys() | other.keys()):
            if key in OPTIONAL and key not in other:
                continue
            yield from differences(f"{where}.{key}", ours.get(key), other.get(key))
    elif isinstance(ours, list) and isinstance(other, list) and len(ours) == len(other):
        for n, (a, b) in enumerate(zip(ours, other)):
            yield from differences(f"{where}[{n}]", a, b)
    elif other == -1 and ours in ALL_ONES:
        return # sdparm prints fields of 8, 16 … bits that are all set as -1
    elif ours != other:
        yield f"{where}: we read {ours!r}, they read {other!r}"


def mutable(decoder, data):
    """Positions whose bytes can take any value without changing the layout."""
    if decoder == "inquiry":
        return [2, 3, 5, 6, 7] + ([56] if len(data) > 56 else [])
    if decoder == "vpd89":
        return [60 + 2 * word + half for word in (76, 77, 217, 222) for half in (0, 1)]
    if decoder == "vpdb1":
        return [4, 5]
    if decoder == "log18":
        return log_positions(data)
    if decoder == "page19":
        return page_positions(data)
    return []


def log_positions(data):
    positions, at = [], 4
    while at < len(data):
        phy = at + 8
        for _ in range(data[at + 7]):
            positions += [phy + i for i in (1, 4, 5, 6, 7, *range(8, 25), *range(32, 48))]
            phy += 4 + data[phy + 3] if data[phy + 3] >= 44 else 48
        at += 4 + data[at + 3]
    return positions


def page_positions(data):
    if not data[0] & 0x40:
        return list(range(3, len(data)))
    sas = data[5] & 0xf == 6
    if sas and data[1] == 1:
        return [6, *range(8, len(data))]
    if sas and data[1] == 3:
        return [8 + 20 * n + i for n in range(data[7]) for i in (1, *range(4, 20))]
    return list(range(6, len(data)))


def mutations(decoder, data, rng):
    positions = mutable(decoder, data)
    for _ in range(MUTATIONS if positions else 0):
        mutated = bytearray(data)
        for position in rng.sample(positions, min(len(positions), 6)):
            mutated[position] = rng.randrange(256)
        yield bytes(mutated)


def answers(page, rng):
    """MODE SENSE answers with this page in them: both forms, with and without block descriptors."""
    for descriptors in (0, 8, 16):
        rest = bytes(rng.randrange(256) for _ in range(descriptors)) + page
        yield "modesense10", ((len(rest) + 6).to_bytes(2, "big") + bytes([0, 0x10, 0, 0]) +
                              descriptors.to_bytes(2, "big") + rest)
        if len(rest) + 3 < 256:
            yield "modesense6", bytes([len(rest) + 3, 0, 0x10, descriptors]) + rest


def random_designator(rng):
    def some(n):
        return bytes(rng.randrange(256) for _ in range(n))
    kind = rng.choice("naa5 naa6 eui8 eui12 eui16 t10 relative group name".split())
    if kind == "naa5":
        return 1, 3, rng.choice((0, 1, 2)), bytes([0x50 | rng.randrange(16)]) + some(7)
    if kind == "naa6":
        return 1, 3, 0, bytes([0x60 | rng.randrange(16)]) + some(15)
    if kind.startswith("eui"):
        return 1, 2, 0, some(int(kind[3:]))
    if kind == "t10":
        return 2, 1, 0, b"VENDOR%02d" % rng.randrange(100) + b"X" * (4 * rng.randrange(1, 8))
    if kind == "name":
        name = b"iqn.2005-11.io.hbad:%04d" % rng.randrange(10000)
        return 3, 8, rng.choice((0, 2)), name + bytes(4)
    return 1, 4 if kind == "relative" else 5, 1, bytes(2) + some(2)


def random_page_83(rng):
    body = b""
    for _ in range(rng.randrange(1, 9)):
        code_set, kind, association, identifier = random_designator(rng)
        piv = association == 1 or (association == 2 and rng.random() < 0.5)
        body += bytes([(0x60 if piv else 0) | code_set,
                       (0x80 if piv else 0) | association << 4 | kind,
                       0, len(identifier)]) + identifier
    return bytes([0, 0x83]) + len(body).to_bytes(2, "big") + body


def random_sense(rng):
    """Descriptors are of 12 bytes and whole: libsgutils2 reads one that reaches beyond ADDITIONAL
    SENSE LENGTH, we do not."""
    def some(n):
        return [rng.randrange(256) for _ in range(n)]
    if rng.random() < 0.5:
        data = some(rng.choice((3, 7, 8, 12, 13, 14, 18, 24)))
        data[0] = rng.choice((0x70, 0x71, 0xf0, 0xf1, 0x00, 0x7f))
        if len(data) > 7:
            data[7] = rng.choice((0, 4, 5, 6, 10, rng.randrange(256)))
        return bytes(data)
    descriptors = rng.randrange(5)
    data = [rng.choice((0x72, 0x73)), *some(6), 12 * rng.randrange(descriptors + 2)]
    for _ in range(descriptors):
        data += [rng.choice((0, 2, 3)), 10, *some(10)]
    return bytes(data)


def read_hex(path):
    return bytes.fromhex(path.read_text(encoding="ascii"))


def cases(vectors):
    """(name, decoder, data) of everything that is compared."""
    for path in sorted(vectors.glob("*/*.json")):
        decoder = json.loads(path.read_text(encoding="utf-8"))["decoder"]
        if decoder not in theirs.READERS:
            continue
        data = read_hex(path.with_suffix(".hex"))
        name = f"{path.parent.name}/{path.stem}"
        rng = random.Random(name)
        yield name, decoder, data
        for n, mutated in enumerate(mutations(decoder, data, rng)):
            yield f"{name} mutation {n}", decoder, mutated
        if decoder == "page19":
            for n, (form, answer) in enumerate(answers(data, rng)):
                yield f"{name} answer {n}", form, answer
    rng = random.Random(83)
    for n in range(RANDOM_PAGE_83):
        yield f"random page 83h {n}", "vpd83", random_page_83(rng)
    rng = random.Random(70)
    for n in range(RANDOM_SENSE):
        yield f"random sense {n}", "sense", random_sense(rng)


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--read":
        data = read_hex(pathlib.Path(sys.argv[3]))
        print(json.dumps(theirs.READERS[sys.argv[2]](data), indent=1))
        return 0
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    ours = Ours(sys.argv[1])
    failures, compared = 0, {}
    for name, decoder, data in cases(pathlib.Path(sys.argv[2])):
        mine, other = ours.read(decoder, data), theirs.READERS[decoder](data)
        if other is None: # they refuse: so must we
            lines = [] if "error" in mine else [f"{name}: they refuse it, we read {mine}"]
        else:
            lines = list(differences(name, normal(mine), normal(other)))
        for line in lines[:max(0, SHOWN - failures)]:
            print(f"{line}\n  {decoder} {data.hex()}")
        failures += len(lines)
        compared[decoder] = compared.get(decoder, 0) + 1
    print("compared:", ", ".join(f"{n} {decoder}" for decoder, n in sorted(compared.items())))
    for decoder in sorted(theirs.READERS.keys() - compared.keys()):
        print(f"no vector for {decoder}: nothing was compared")
        failures += 1
    print(f"{failures} differences")
    return failures > 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except theirs.Missing as missing:
        print(f"cannot compare: {missing}", file=sys.stderr)
        sys.exit(2)
