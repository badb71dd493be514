#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Prometheus that is fed by hbad: feed.py PROGRAMS PORT [COMMAND...]

Starts hbad on some captures, and one on this machine, each behind an hbad-exporter, and Debian's Prometheus at 127.0.0.1:PORT
(0: some free one), with our rules, that scrapes them each second; then the command, in which a word URL becomes its address, and
ends all with it. Without a command it goes on until it is interrupted. Exit status 77 where there is no Prometheus.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "exporter"))
import exporter  # noqa: E402
from exporter import daemon  # noqa: E402

RULES = os.path.abspath(os.path.join(daemon.TOP, "units/prometheus/hbad.rules.yml"))
# Below their mode; lanes and counters of SAS; of Fibre Channel; timed reads; a shelf that is lost.
CASES = ["spi-fusion-one-at-half-rate", "sas-wide-port-one-lane-missing", "fc-8g-at-maximum-odd-counters", "clock-one-left-behind",
         "sas-shelf-unplugged-one-finding"]


def prometheus(folder, port, exporters):
    config = os.path.join(folder, "prometheus.yml")
    with open(config, "w", encoding="utf-8") as file:
        file.write("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: ['%s']\nscrape_configs:\n  - job_name: hbad\n"
                   "    static_configs:\n" % RULES)
        for x in exporters:
            file.write("      - targets: ['127.0.0.1:%d']\n" % x.listeners[0].getsockname()[1])
    return subprocess.Popen(["prometheus", "--config.file=" + config, "--storage.tsdb.path=" + os.path.join(folder, "data"),
                             "--web.listen-address=127.0.0.1:%d" % port, "--log.level=warn"])


def wait_for(url):
    end = time.monotonic() + daemon.PATIENCE
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.2)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def main(port, command):
    if not shutil.which("prometheus"):
        print("no prometheus here")
        return 77
    port = port or free_port()
    url = "http://127.0.0.1:%d" % port
    with tempfile.TemporaryDirectory(prefix="hbad-feed-") as folder:
        days = [daemon.golden(case) for case in CASES]
        daemons = [daemon.Daemon(d) for d in days] + [daemon.Daemon(arguments=["--state-dir", folder])]
        for d in daemons:
            d.ready()
        for d, captures in zip(daemons, days):
            for _ in captures[1:]:
                d.ask(daemon.OURS + "Refresh")
        exporters = [exporter.Exporter(d.path) for d in daemons]
        server = prometheus(folder, port, exporters)
        try:
            wait_for(url + "/-/ready")
            return subprocess.call([url if w == "URL" else w for w in command] or ["sleep", "infinity"])
        except KeyboardInterrupt:
            return 0
        finally:
            server.terminate()
            server.wait()
            for one in exporters + daemons:
                one.stop()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[2]), sys.argv[3:]))
