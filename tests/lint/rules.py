#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rules about the text of files, one function a rule: rules.py TOP RULE

A rule is called with the path of a file (from TOP) and its text, and yields (line, what is wrong). test_rules.py
plants a fault for each. What is no text is not looked at; nor is anything that a build makes.
"""
import fnmatch
import functools
import json
import os
import re
import sys

RULES = {}


def rule(*patterns, but=()):
    """Registers a rule for the files whose path matches any of the patterns and none of `but`."""
    def register(function):
        RULES[function.__name__] = (function, patterns, but)
        return function
    return register


def applies(name, path):
    _, patterns, but = RULES[name]
    return any(fnmatch.fnmatch(path, p) for p in patterns) and not any(fnmatch.fnmatch(path, p) for p in but)


def lines_matching(text, pattern):
    for match in re.finditer(pattern, text, re.M):
        yield text.count("\n", 0, match.start()) + 1, match


def without_comments(text):
    """C without its comments, every line where it was."""
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


# ----------------------------------------------------------------------------------------------------------- licences
@functools.lru_cache
def dep5(path):
    """[(patterns, licence)] of a file in Debian's format for licences, of which the last that fits counts."""
    with open(path, encoding="utf-8") as file:
        paragraphs = file.read().split("\n\n")
    found = [(re.search(r"^Files:(.*(?:\n .*)*)", p, re.M), re.search(r"^License: *(\S+)", p, re.M)) for p in paragraphs]
    return [(files[1].split(), licence[1]) for files, licence in found if files]


def dep5_licence(path, name):
    return next((licence for patterns, licence in reversed(dep5(name)) if any(fnmatch.fnmatch(path, p) for p in patterns)), None)


@rule("*", but=("LICENSES/*", "*/LICENSE.*", ".reuse/*"))
def spdx(path, text, top="."):
    """Every file says its licence in its first lines, or .reuse/dep5 does; debian/copyright says the same, and its text is here."""
    found = re.search(r"SPDX-License-Identifier: ([\w.-]+)", "\n".join(text.split("\n", 5)[:5]))
    if found and not os.path.exists(os.path.join(top, "LICENSES", found[1] + ".txt")):
        yield 1, "there is no LICENSES/%s.txt" % found[1]
    licence = found[1] if found else dep5_licence(path, os.path.join(top, ".reuse/dep5"))
    if not licence:
        yield 1, "no SPDX-License-Identifier, and .reuse/dep5 does not name it"
    elif licence != (packaged := dep5_licence(path, os.path.join(top, "debian/copyright"))):
        yield 1, "it is %s, in debian/copyright %s" % (licence, packaged)


# --------------------------------------------------------------------------------------------------------------- size
@rule("*.c", "*.h", "*.py", "*.sh")
def file_length(path, text):
    """At most 600 lines, or a word in the first 20 that says why not: "Longer than ...: reason"."""
    n = text.count("\n")
    if n > 600 and not re.search(r"Longer than", "\n".join(text.split("\n", 20)[:20])):
        yield n, "%d lines, more than 600, and no word at its top why" % n


@rule("*.c", "*.h")
def function_length(path, text):
    """Functions are shorter than 60 lines; a body begins and ends with a brace of its own in the first column."""
    begin = None
    for n, line in enumerate(text.split("\n"), 1):
        if line == "{":
            begin = n
        elif line == "}" and begin:
            if n - begin + 1 >= 60:
                yield begin, "a function of %d lines" % (n - begin + 1)
            begin = None


# -------------------------------------------------------------------------------------------------------------- words
@rule("*", but=("LICENSES/*",))
def unfinished(path, text):
    """Nothing is left to be done later."""
    for n, match in lines_matching(text, r"(?<![\w-])(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"):
        yield n, match[0]


@rule("*")
def of_one_machine(path, text):
    """No path of somebody's machine."""
    for n, match in lines_matching(text, r"(?<![\w.])/(work|home/\w+|root|workspace)/[\w.]+"):
        yield n, match[0]


@rule("*")
def registries(path, text):
    """Packages are named, never where they come from."""
    hosts = r"\b(?:[\w-]+\.)*(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|crates\.io|docker\.io|ghcr\.io|quay\.io" \
        r"|proxy\.golang\.org|rubygems\.org|maven\.org|(?:deb|ftp|security|snapshot|archive)[\w.]*\.(?:debian\.org|ubuntu\.com))\b"
    for n, match in lines_matching(text, hosts):
        yield n, match[0]


# ----------------------------------------------------------------------------------------------------------- includes
@rule("lib/*.c", "lib/*.h", "ctl/*.c", "ctl/*.h", "daemon/*.c", "daemon/*.h", "exporter/*.c", "exporter/*.h", "alert/*.c")
def includes(path, text):
    """Own headers by "folder/file.h", so that every include shows its layer; the own header first."""
    own = re.findall(r'^#include "([^"]+)"', text, re.M)
    for n, match in lines_matching(text, r'^#include "([^"]+)"'):
        if not re.fullmatch(r"\w+/\w+\.h", match[1]):
            yield n, 'not of the form "folder/file.h": ' + match[1]
    header = re.sub(r"^lib/", "", path)[:-2] + ".h"
    first = re.search(r'^#include ["<]([^">]+)', text, re.M)
    if path.endswith(".c") and header in own and first[1] != header:
        yield 1, "its own header %s does not come first" % header


@rule("lib/*.h", "ctl/*.h", "daemon/*.h", "exporter/*.h", "tests/*.h")
def pragma_once(path, text):
    """A kernel module has guards, as its surroundings do."""
    if path.startswith("tests/lab/hbasim/"):
        return
    if "\n#pragma once\n" not in text:
        yield 1, "no #pragma once"


# --------------------------------------------------------------------------------------------------------- transports
TRANSPORTS = set("spi sas sata ata pata fc fcoe usb uas iscsi srp pcie nvme virtio".split())
# Where a transport may be named outside lib/transport, and why.
NAMED = {
    "lib/decode/*": "a standard's own names",
    "lib/source/scrub*": "knows what an identity looks like wherever it stands",
    "lib/source/storage_words.c": "lists drivers and their parameters",
    "lib/source/command.c": "says why bridges are not asked",
    "lib/finding/catalog.c": "tells people causes and remedies, in their words",
    "lib/live/live_udev.c": "classes whose properties may be asked for",
}
# Words of lib/decode that others must use to ask for a page. (Message ids are random.)
DECODER_WORDS = r"VPD_ATA_INFORMATION|PROTOCOL_SAS"


@rule("lib/*.c", "lib/*.h", "ctl/*.c", "ctl/*.h", "daemon/*.c", "daemon/*.h", "exporter/*.c", "exporter/*.h", "alert/*.c", but=("lib/transport/*", *NAMED))
def transports(path, text):
    """Nothing outside lib/transport tells one transport from another: to add one is one file and one row."""
    code = re.sub(DECODER_WORDS + r'|"[0-9a-f]{32}"', "", without_comments(text))
    for n, line in enumerate(code.split("\n"), 1):
        words = {w.lower() for w in re.findall(r"[A-Za-z]+", line.replace("_", " "))}
        for name in sorted(words & TRANSPORTS):
            yield n, "names the transport %s" % name


# --------------------------------------------------------------------------------------------------------------- data
@rule("*.json", ".clang-format.json")
def well_formed_json(path, text):
    try:
        json.loads(text)
    except ValueError as error:
        yield getattr(error, "lineno", 1), str(error)


@rule("*.hex")
def well_formed_hex(path, text):
    """Pairs of hex digits; from # on, words."""
    for n, line in enumerate(text.split("\n"), 1):
        data = line.split("#")[0]
        if not re.fullmatch(r"\s*(?:[0-9a-fA-F]{2}\s*)*", data):
            yield n, "not pairs of hex digits: " + data.strip()


@rule("*", but=("LICENSES/*", "tests/fuzz/corpus/*", "tests/lab/hbasim/*.[ch]", "tests/lab/hbasim/Kbuild", "debian/rules"))
def clean_text(path, text):
    """UTF-8 with a newline at its end, without spaces at the ends of lines, tabs or carriage returns. The kernel's style has tabs, so has
    make, and a manual page says by them what belongs to what is above."""
    if path.endswith(".scd"):
        text = re.sub(r"(?m)^\t+(?=[^\t\n])", "", text)
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end"
    for n, match in lines_matching(text, r"[ \t]+$|\t|\r"):
        yield n, "white space that is not a single space between words: %r" % match[0]


# --------------------------------------------------------------------------------------------------------------- walk
def files(top):
    for folder, dirs, names in os.walk(top):
        at_top = os.path.samefile(folder, top)
        dirs[:] = sorted(d for d in dirs if d not in (".git", "__pycache__", ".cache") and not (at_top and d.startswith("build")))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), top)
            if path not in ("compile_commands.json", ".git") and not os.path.islink(os.path.join(top, path)):
                yield path


def faults(top, name):
    function = RULES[name][0]
    for path in files(top):
        if not applies(name, path):
            continue
        with open(os.path.join(top, path), "rb") as file:
            data = file.read()
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            continue
        extra = {"top": top} if name == "spdx" else {}
        for line, what in function(path, text, **extra):
            yield path, line, what


def main(top, name):
    bad = list(faults(top, name))
    for path, line, what in bad:
        print("%s:%d: %s" % (path, line, what))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
