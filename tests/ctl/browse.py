#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages in a real browser, to be looked at: browse.py BIN FOLDER [CASE|CAPTURE...]

Not a test of ctest: it needs Debian's chromium (300 MB) and somebody's eyes. For each case (by default one of each kind) it writes the
page and pictures of it into FOLDER: light, dark, a telephone's width, and as it is printed (PDF). It fails where the browser
has something to say on its console, or asks for anything but the page: browse.py says so and exits with 1.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from machines import captures, hbactl

KINDS = ("usb2-only-host-ok", "spi-fusion-one-at-half-rate", "mixed-large-two-faults", "fc-port-of-target-gone",
         "sas-shelf-unplugged-one-finding", "sata-link-flapping", "sas-phy-errors-growing", "clock-latency-left-behind",
         "raid-controllers-hide-links", "virtual-hbas-have-no-link")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--enable-logging=stderr")
LOOKS = (("light", "1280,2400", ()), ("dark", "1280,2400", ("--blink-settings=preferredColorScheme=0",)),
         ("narrow", "500,3000", ()))                    # no window of Chromium's is narrower than that
OWN = re.compile(r"(chrome|chrome-\w+|devtools|data):|https?://[\w.-]+\.(google|googleapis|gvt1)\.com/")    # what the browser asks for by itself
LIMIT_S = 120


def requests(log):
    """The URLs of a net log."""
    with open(log, encoding="utf-8") as file:
        text = file.read()
    try:
        events = json.loads(text)["events"]
    except json.JSONDecodeError:                        # the browser ended in the middle of it
        events = json.loads(text.rstrip().rstrip(",") + "]}")["events"]
    return sorted({e["params"]["url"] for e in events if "url" in e.get("params", {})})


def browse(page, *flags):
    """Runs the browser on a page. What it complained of."""
    with tempfile.TemporaryDirectory(prefix="hbad-browser-") as profile:
        log = os.path.join(profile, "net.json")
        run = subprocess.run(["chromium", *FLAGS, "--user-data-dir=" + profile, "--log-net-log=" + log, *flags, "file://" + page],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT_S, check=True, encoding="utf-8",
                             errors="replace")
        said = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
        return said + [url for url in requests(log) if url.split("#")[0] != "file://" + page and not OWN.match(url)]


def main(folder, *cases):
    os.makedirs(folder, exist_ok=True)
    bad = 0
    for case in cases or KINDS:
        words = ("--capture", case) if os.path.exists(case) else captures(case)
        page = os.path.abspath(os.path.join(folder, os.path.basename(case) + ".html"))
        run = hbactl(*words, "report", "--html", page)
        if run.returncode:
            sys.exit(run.stderr)
        stem = re.sub(r"\.html$", "", page)
        for name, size, flags in LOOKS:
            complaints = browse(page, "--window-size=" + size, "--screenshot=%s-%s.png" % (stem, name), *flags)
            complaints and print(case, name, *complaints, sep="\n  ")
            bad += len(complaints)
        bad += len(browse(page, "--no-pdf-header-footer", "--print-to-pdf=%s.pdf" % stem))
        print(case, os.path.getsize(page), "bytes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
