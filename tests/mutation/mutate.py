# SPDX-License-Identifier: LGPL-2.1-or-later
"""Captures with one thing wrong: what a machine looks like that refuses, lacks or garbles one thing.

Only what a report reads is changed: a capture is first taken of the capture, which keeps that and no more.
"""
import json, re

ABSENT = object()
REFUSALS = {"gone": ABSENT, "EIO": {"errno": "EIO"}, "EACCES": {"errno": "EACCES"}}
WORDS = {"garbage": "garbage\n", "zero": "0\n", "empty": "", "minus": "-1\n", "huge": "99999999999999999999\n",
         "unknown": "Unknown\n"}
DIRECTORY_KINDS = ("emptied", "removed", "denied")
HOUR_US = 3600 * 1000000


def dumps(value):
    return json.dumps(value, separators=(",", ":"))


def cut(hex_text):
    """Bytes that end too early."""
    data = bytes.fromhex(hex_text)
    return {"nothing": b"", "head": data[:4], "half": data[:len(data) // 2]}


class Mutation:
    """`kind`: what is wrong; `where`: path, or "H:C:T:L CDB", or "path?PROPERTY"; `change`: makes what Capture.text() takes."""

    def __init__(self, kind, where, change):
        self.kind, self.where, self.change = kind, where, change

    def sort(self):
        """What other mutations share with it: the last names of the path without their numbers, or the first bytes of the
        command; and whether it is of a directory."""
        if " " in self.where:
            return self.where.split(" ", 1)[1][:8]
        names = re.sub(r"\b(?:[0-9a-f:.]*\d[0-9a-f:.]*|sd[a-z]+)\b", "N", self.where)
        return "/".join(re.sub(r"\d+", "N", names).split("/")[-3:]) + ("/" if self.kind in DIRECTORY_KINDS else "")


class Capture:
    """A capture in pieces, so that one piece can be replaced without writing the others anew."""

    def __init__(self, content):
        self.taken, self.dirs = content["taken"], content["dirs"]
        self.props, self.commands = content.get("props", {}), content.get("commands", [])
        self.measures = content.get("measures", [])
        self.pieces = {path: self.piece(path, names) for path, names in self.dirs.items()}
        self.entries = {}                                   # canonical path: (directory, name) of the links to it
        for path, names in self.dirs.items():
            for name, value in names.items():
                if isinstance(value, dict) and "link" in value:
                    self.entries.setdefault(resolve(path, value["link"]), []).append((path, name))

    @staticmethod
    def piece(path, names):
        return dumps(path) + ":" + dumps(names)

    def text(self, later=False, changed=(), props=None, commands=None):
        """`changed`: directory and its names, or None where it is not there."""
        changed = dict(changed)
        taken = dict(self.taken)
        if later:
            taken["wall_us"] += 2 * HOUR_US
            taken["mono_us"] += 2 * HOUR_US
        dirs = [self.piece(p, changed[p]) if p in changed else text
                for p, text in self.pieces.items() if changed.get(p, True) is not None]
        dirs += [self.piece(p, names) for p, names in changed.items() if p not in self.pieces and names is not None]
        return '{"hbad-capture":1,"taken":%s,"dirs":{%s},"props":%s,"commands":%s,"measures":%s}' % (
            dumps(taken), ",".join(dirs), dumps(self.props if props is None else props),
            dumps(self.commands if commands is None else commands), dumps(self.measures))

    # ---- what can be wrong ----

    def mutations(self):
        for path, names in self.dirs.items():
            for name in names:
                yield from self.of_name(path, name)
        for path in self.dirs:
            yield from self.of_directory(path)
        for i in range(len(self.commands)):
            yield from self.of_command(i)
        for path, names in self.props.items():
            for name in names:
                yield from self.of_property(path, name)

    def hosts(self):
        """Where the hosts are, by name."""
        return {name: resolve("/sys/class/scsi_host", v["link"]).split("/scsi_host/")[0]
                for name, v in self.dirs.get("/sys/class/scsi_host", {}).items() if isinstance(v, dict) and "link" in v}

    def places(self, where):
        """The path of a mutation, and of what it leads to where it is a link."""
        path = where.split("?")[0]
        above, _, name = path.rpartition("/")
        value = self.dirs.get(above, {}).get(name)
        return [path] + ([resolve(above, value["link"])] if isinstance(value, dict) and "link" in value else [])

    def of_name(self, path, name):
        value = self.dirs[path][name]
        changes = {}
        if isinstance(value, str) or "hex" in value:
            changes.update(WORDS)
        changes.update(REFUSALS)
        if isinstance(value, dict) and "hex" in value:
            changes.update({k: {"hex": data.hex()} for k, data in cut(value["hex"]).items()})
        if isinstance(value, dict) and "link" in value:
            changes["dangling"] = {"link": "../nowhere"}
        for kind, change in changes.items():
            if change != value:
                yield Mutation(kind, path + "/" + name, lambda change=change: {
                    "changed": {path: replaced(self.dirs[path], name, change)}})

    def of_directory(self, path):
        """A directory is there and empty; it is gone, with all that leads to it; it cannot be listed."""
        yield Mutation("emptied", path, lambda: {"changed": {path: {}}})
        yield Mutation("removed", path, lambda: {"changed": self.without(path)})
        if path.count("/") > 1:
            yield Mutation("denied", path, lambda: {"changed": self.denied(path)})

    def below(self, path):
        return [p for p in self.dirs if p == path or p.startswith(path + "/")]

    def without(self, path):
        gone = dict.fromkeys(self.below(path))
        for target, places in self.entries.items():
            if target == path or target.startswith(path + "/"):
                for place, name in places:
                    if gone.get(place, True) is not None:
                        gone[place] = replaced(gone.get(place, self.dirs[place]), name, ABSENT)
        return gone

    def denied(self, path):
        above, name = path.rsplit("/", 1)
        gone = dict.fromkeys(self.below(path))
        gone[above] = replaced(self.dirs.get(above, {}), name, REFUSALS["EACCES"])
        return gone

    def of_command(self, i):
        c = self.commands[i]
        asked = {"device": c["device"], "cdb": c["cdb"]}
        changes = {"gone": None, "EIO": dict(asked, errno="EIO"), "EACCES": dict(asked, errno="EACCES"),
                   "busy": dict(asked, status=8),
                   "refused": dict(asked, status=2, sense="70 00 05 00 00 00 00 0a 00 00 00 00 24 00 00 00 00 00")}
        changes.update({k: dict(c, data=data.hex()) for k, data in cut(c.get("data", "")).items() if c.get("data")})
        for kind, change in changes.items():
            yield Mutation(kind, c["device"] + " " + c["cdb"], lambda change=change: {
                "commands": self.commands[:i] + ([change] if change else []) + self.commands[i + 1:]})

    def of_property(self, path, name):
        for kind, change in (("gone", ABSENT), ("empty", ""), ("garbage", "garbage"), ("zero", "0")):
            yield Mutation(kind, path + "?" + name, lambda change=change: {
                "props": dict(self.props, **{path: replaced(self.props[path], name, change)})})


def replaced(names, name, value):
    """The same names, one of them with that value."""
    names = dict(names)
    names[name] = value
    if value is ABSENT:
        del names[name]
    return names


def resolve(directory, target):
    """Where a symbolic link in that directory leads."""
    parts = [] if target.startswith("/") else directory.split("/")[1:]
    for part in target.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)
