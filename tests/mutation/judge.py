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
# One of these stands for all of them on a link: one code wins.
MODE_CODES = {"bus-single-ended", "async", "host-wide-limit", "width-below-expected", "rate-below-expected",
              "slower-than-before", "slower-than-sibling"}

# (what must not be, kinds of mutation, path, why it may be here), the first three as expressions that must match whole.
ALLOWED = [
    ("new-(link|path)-lost", "removed", "/sys/devices/.*", "it is not there any more, and nothing says that it is"),
    ("new-device-stuck", ".*", ".*/(fc_|rport-).*", "the device is offline, and the lost port that explained it is not seen any more"),
    ("new-(ends-disagree|async|(width|rate)-below-expected|slower-than-before|host-wide-limit)|to-below", "zero",
     ".*/spi_transport/target[0-9:]+/(offset|width)", "this is how the kernel says asynchronous, and 8 bit"),
    ("new-slower-than-sibling", "zero", ".*/lpfc_link_speed", "this is how the driver says that nothing holds the port"),
    ("new-ends-disagree", "half", ".*/spi_transport/target[0-9:]+/period", "half of a number is a number"),
    ("below-to-ok", "removed", "/sys/devices/.*/usb[0-9]+", "without a fast root hub there are no fast ports"),
]


class View:
    """What is compared of a report."""

    def __init__(self, report):
        self.links, names, devices = {}, {}, {}
        for o in report["hosts"] + report["links"]:
            names[o["id"]] = [o["kernel_name"]]
        for o in report["devices"]:                          # those behind what cannot be read may share an id
            devices.setdefault(o["id"], []).append(o["hctl"])
        for l in report["links"]:
            name = l["kernel_name"]
            while name in self.links:
                name += "'"
            self.links[name] = l
        self.hosts = {name: names.get(l["host"], [None])[0] for name, l in self.links.items()}
        self.findings = []                                   # code, names of the object, summary
        for f in report["findings"]:
            # One of devices is theirs, wherever they are seen to hang.
            own = [devices[s] for s in f["subjects"] if s in devices]
            for on in own or [names.get(s, [s]) for s in f["subjects"]]:
                if f["severity"] in LOUD:
                    self.findings.append((f["code"], on, f["summary"]))

    def codes_on(self, names):
        return {code for code, on, _ in self.findings if set(on) & set(names)}


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
    for code, on, summary in after.findings:
        had = before.codes_on(on)
        if code not in had and not (code in MODE_CODES and had & MODE_CODES):
            yield "new-" + code, on[0], summary


def concerns(places, host):
    """Is what was changed a part of the adapter with that host, above it, or a list that it may be in?"""
    function = re.match(r".*/[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]/", host or "")
    adapter = re.split(r"/usb\d+/", function.group() if function else host or "")[0].rstrip("/") + "/"
    return any(not place.startswith("/sys/devices/") or (place + "/").startswith(adapter) or
               adapter.startswith(place + "/") for place in places)


def is_allowed(what, on, mutation, view, capture):
    if what == "id-changed" and concerns(capture.places(mutation.where), capture.hosts().get(view.hosts[on])):
        return True
    return any(re.fullmatch(w, what) and re.fullmatch(k, mutation.kind) and re.fullmatch(p, mutation.where)
               for w, k, p, _ in ALLOWED)
