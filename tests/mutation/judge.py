# SPDX-License-Identifier: LGPL-2.1-or-later
"""What must hold of two reports, one of a capture and one of the same with one thing wrong.

- What was well, without a link or unknown never becomes below or capped: that would need a proof that was not there.
- What was below or capped never becomes ok, unless what went was the proof.
- There is no new warning or critical finding on an object.
- A link that is still there has its id, unless the mutation is of its own adapter.

What may be nevertheless is in ALLOWED, each with the reason.
"""
import re

QUIET = ("ok", "none", "unknown")
LOUD = ("warning", "critical")
# One of these stands for all of them on a link (DESIGN: one code wins).
MODE_CODES = {"bus-single-ended", "async", "host-wide-limit", "width-below-expected", "rate-below-expected",
              "slower-than-before", "slower-than-sibling"}

# (what must not be, kinds of mutation, path, why it may be here), the first three as expressions that must match whole.
ALLOWED = [
    ("new-(link|path)-lost", "removed", "/sys/devices/.*", "it is not there any more, and nothing says that it is"),
]


class View:
    """What is compared of a report."""

    def __init__(self, report):
        self.links, self.names = {}, {}
        for o in report["hosts"] + report["links"]:
            self.names[o["id"]] = o["kernel_name"]
        for o in report["devices"]:
            self.names[o["id"]] = o["hctl"]
        for l in report["links"]:
            name = l["kernel_name"]
            while name in self.links:
                name += "'"
            self.links[name] = l
        self.findings = {}                                   # (code, object): summary
        for f in report["findings"]:
            if f["severity"] in LOUD:
                for subject in f["subjects"]:
                    self.findings[f["code"], self.names.get(subject, subject)] = f["summary"]

        self.hosts = {name: self.names.get(l["host"]) for name, l in self.links.items()}

    def codes_on(self, name):
        return {code for code, on in self.findings if on == name}


def short(link):
    def label(mode):
        return "-" if not mode else mode.get("label") or mode.get("detail")
    return "%s, %s, %s of %s" % (link["verdict"], link["state"], label(link["actual"]), label(link["expected"]))


def compare(before, after):
    """Yields what must not be, on what object, and in words."""
    for name, now in after.links.items():
        then = before.links.get(name)
        if not then:
            continue
        words = "%s -> %s" % (short(then), short(now))
        if then["verdict"] in QUIET and now["verdict"] not in QUIET:
            yield "to-" + now["verdict"], name, words
        if then["verdict"] not in QUIET and now["verdict"] == "ok":
            yield then["verdict"] + "-to-ok", name, words
        if then["id"] != now["id"]:
            yield "id-changed", name, "%s -> %s" % (then["id"], now["id"])
    for (code, on), summary in after.findings.items():
        had = before.codes_on(on)
        if code not in had and not (code in MODE_CODES and had & MODE_CODES):
            yield "new-" + code, on, summary


def concerns(place, host):
    """Is what was changed a part of the adapter with that host, above it, or a list that it may be in?"""
    if not place.startswith("/sys/devices/") or not host:
        return True
    adapter = host.rsplit("/", 1)[0]
    return (place + "/").startswith(adapter + "/") or adapter.startswith(place + "/")


def is_allowed(what, on, mutation, view, capture):
    if what == "id-changed" and concerns(capture.place(mutation.where), capture.hosts().get(view.hosts[on])):
        return True
    return any(re.fullmatch(w, what) and re.fullmatch(k, mutation.kind) and re.fullmatch(p, mutation.where)
               for w, k, p, _ in ALLOWED)
