#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the pictures of README.md again, from a bundled capture: make.py BIN [FOLDER]

FOLDER is docs/pictures by default. Needs Debian's chromium, so it is no test of ctest: who changes what hbactl prints, or the page, runs
it and looks. What is in the terminal's picture is what hbactl writes to a terminal of that width, colours and all.
"""
import html
import os
import pty
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "ctl"))

from browse import browse  # noqa: E402 (takes BIN from the command line)
from machines import BIN, HBACTL  # noqa: E402

TERMINAL = ("tests/golden/spi-fusion-one-at-half-rate/1.json", 144)
PAGE = ("tests/golden/mixed-large-two-faults/1.json", "1000,820")
LIMIT_BYTES = 150_000
COLOURS = {"1": "font-weight:bold", "2": "opacity:.6", "31": "color:#f2777a", "32": "color:#99cc99", "33": "color:#ffcc66",
           "34": "color:#6699cc", "35": "color:#cc99cc", "36": "color:#66cccc"}
STYLE = "body{margin:0;background:#1e1e1e}pre{margin:0;padding:14px;color:#ddd;font:13px/1.35 'DejaVu Sans Mono',monospace}"


def on_terminal(capture, columns):
    """What hbactl writes to a terminal."""
    ours, its = pty.openpty()
    env = {"PATH": BIN + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "COLUMNS": str(columns)}
    subprocess.run(["stty", "-F", os.ttyname(its), "columns", str(columns)], check=True)
    run = subprocess.Popen(["hbactl", "--capture", capture], executable=HBACTL, stdin=subprocess.DEVNULL, stdout=its, cwd=TOP, env=env)
    os.close(its)
    text = b""
    try:
        while part := os.read(ours, 65536):
            text += part
    except OSError:                                     # what reading gives when nobody writes any longer
        pass
    run.wait()
    return text.decode().replace("\r", "")


def as_html(text):
    """Text with a terminal's colours as HTML. A sequence that is not known is not left out silently."""
    out, is_open = [], False
    for part in re.split(r"(\x1b\[[\d;]*m)", text):
        codes = re.fullmatch(r"\x1b\[([\d;]*)m", part)
        if not codes:
            out.append(html.escape(part))
            continue
        if is_open:
            out.append("</span>")
        styles = [COLOURS[c] for c in codes[1].split(";") if c.lstrip("0")]
        is_open = bool(styles)
        if is_open:
            out.append('<span style="%s">' % ";".join(styles))
    return '<!DOCTYPE html><meta charset="utf-8"><style>%s</style><pre>%s</pre>' % (STYLE, "".join(out))


def picture(page, size, to):
    complaints = browse(page, "--window-size=" + size, "--screenshot=" + to)
    if complaints:
        sys.exit("\n".join(complaints))
    if os.path.getsize(to) > LIMIT_BYTES:
        sys.exit("%s has %d bytes, more than %d" % (to, os.path.getsize(to), LIMIT_BYTES))
    print(to, os.path.getsize(to), "bytes")


def main(folder=os.path.join(TOP, "docs", "pictures")):
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hbad-pictures-") as scratch:
        page = os.path.join(scratch, "terminal.html")
        text = "$ hbactl --capture %s\n" % TERMINAL[0] + on_terminal(*TERMINAL)
        lines = re.sub(r"\x1b\[[\d;]*m", "", text).split("\n")
        with open(page, "w", encoding="utf-8") as file:
            file.write(as_html(text))
        size = "%d,%d" % (28 + 8 * max(map(len, lines)), 28 + 17.55 * len(lines))
        picture(page, size, os.path.abspath(os.path.join(folder, "terminal.png")))
        page = os.path.join(scratch, "report.html")
        subprocess.run([HBACTL, "--capture", PAGE[0], "report", "--html", page], cwd=TOP, check=True)
        picture(page, PAGE[1], os.path.abspath(os.path.join(folder, "report.png")))


if __name__ == "__main__":
    main(*sys.argv[1:])
