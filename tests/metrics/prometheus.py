# SPDX-License-Identifier: LGPL-2.1-or-later
"""A strict reader of Prometheus' text format 0.0.4, and the rules of `promtool check metrics` and of node_exporter's textfile
collector, as far as they say anything of what we write.

parse(text) gives the families, name -> Family, and raises ValueError with the line at the first thing that is wrong.
"""
import re

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
# What promlint knows of units: base units are what these are not.
NO_UNITS = set("minutes hours days weeks milliseconds microseconds nanoseconds bits kilobytes megabytes gigabytes terabytes "
               "kibibytes mebibytes percent s ms us ns sec b kb mb gb tb pb m h d".split())
TYPES = {"gauge", "counter"}


class Family:
    def __init__(self, name, text):
        self.name, self.help, self.type = name, text, None
        self.samples = {}  # frozenset of labels -> value

    def value(self, **labels):
        return self.samples[frozenset(labels.items())]

    def labels(self):
        return [dict(s) for s in self.samples]


def read_labels(line, at):
    """The labels that begin at `{`: (pairs, where they end)."""
    pairs, at = [], at + 1
    while True:
        name = LABEL.match(line, at)
        if not name or line[name.end():name.end() + 2] != '="':
            raise ValueError("a label is missing")
        at, value = name.end() + 2, []
        while line[at] != '"':
            if line[at] == "\\":
                at += 1
                value.append({"n": "\n", "\\": "\\", '"': '"'}[line[at]])
            elif ord(line[at]) < 32 or line[at] == "\x7f":
                raise ValueError("a control character")
            else:
                value.append(line[at])
            at += 1
        if not value:
            raise ValueError("an empty label")
        pairs.append((name[0], "".join(value)))
        at += 1
        if line[at] == "}":
            return pairs, at + 1
        if line[at] != ",":
            raise ValueError("no comma between labels")
        at += 1


def check_name(family):
    name = family.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or "__" in name:
        raise ValueError("a name of other letters")
    if (family.type == "counter") != name.endswith("_total"):
        raise ValueError("_total is for counters, and all of them")
    if re.search(r"_(bucket|count|sum)$", name) or set(name.split("_")) & {"gauge", "counter", "histogram", "summary"}:
        raise ValueError("a name that says its type")
    if set(name.split("_")) & NO_UNITS:
        raise ValueError("no base unit")


def take_sample(family, line):
    name = NAME.match(line)
    if not family or not name or name[0] != family.name:
        raise ValueError("a sample outside of its family")
    labels, at = read_labels(line, name.end()) if line[name.end()] == "{" else ([], name.end())
    if not re.fullmatch(r" (0|[1-9][0-9]*)(\.[0-9]+)?", line[at:]):
        raise ValueError("no value, or a time stamp behind it")
    for label, _ in labels:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", label) or label in ("le", "quantile"):
            raise ValueError("a label of another form")
    key = frozenset(labels)
    if len(dict(labels)) != len(labels) or key in family.samples:
        raise ValueError("the same twice")
    family.samples[key] = float(line[at:])


def parse(text):
    families, family = {}, None
    if not text.endswith("\n"):
        raise ValueError("the last line is not whole")
    for n, line in enumerate(text[:-1].split("\n"), 1):
        try:
            head = re.match(r"# (HELP|TYPE) (\S+) (.+)", line)
            if head and head[1] == "HELP":
                if head[2] in families or (family and not family.samples):
                    raise ValueError("a family twice, or an empty one")
                family = families[head[2]] = Family(head[2], head[3])
            elif head:
                if family.name != head[2] or family.type or head[3] not in TYPES:
                    raise ValueError("a type of nothing, a second one, or an unknown one")
                family.type = head[3]
                check_name(family)
            else:
                take_sample(family, line)
        except (ValueError, IndexError, KeyError) as error:
            raise ValueError("line %d: %s: %s" % (n, error, line)) from error
    return families
