#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a fleet costs where its metrics are kept: fleet.py PROGRAMS victoria|prometheus HOSTS [ROUNDS [SERVER]]

Makes the metrics of so many hosts (fleet_hosts.py) and has VictoriaMetrics take them, or Prometheus scrape them, ROUNDS times (3), with
a minute between the beginnings of two rounds at the least; then asks which links run below their expected mode, by model and firmware,
and prints what it took. SERVER: the program, where it is not installed. Judges one thing: whether the answer is right.
"""
import http.client
import http.server
import json
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from fleet_hosts import Fleet

ROUND_S = 60
SENDERS = 2
# As the dashboard asks.
QUESTIONS = {
    "by what is at their end": "sort_desc(count by (vendor, model, revision) (count by (instance, job, host, link, vendor, model, revision)"
                               ' (hba_device_info and on (instance, job, host, link) hba_link_verdict{verdict="below"} == 1)))',
    "by adapter": 'sort_desc(count by (driver, model, firmware) ((hba_link_verdict{verdict="below"} == 1)'
                  " * on (instance, job, host) group_left (driver, model, firmware) hba_host_info))",
    "hosts heard of": "count(hba_report_timestamp_seconds)",
}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def get(url, timeout=300):
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        return answer.read()


class Server:
    """A running store, and what it costs."""

    def __init__(self, folder, port, command):
        self.folder, self.port = folder, port
        self.process = subprocess.Popen(command, stderr=open(os.path.join(folder, "log"), "wb"), stdout=subprocess.DEVNULL)
        self.begin = time.monotonic()
        self.hosts = None  # the process that it fetches from

    def wait(self, path):
        while True:
            try:
                return get("http://127.0.0.1:%d%s" % (self.port, path), 5)
            except OSError:
                if self.process.poll() is not None:
                    sys.exit(open(os.path.join(self.folder, "log"), encoding="utf-8").read())
                time.sleep(0.2)

    def costs(self):
        with open("/proc/%d/status" % self.process.pid, encoding="ascii") as file:
            fields = dict(line.split(":", 1) for line in file)
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as file:
            times = file.read().rsplit(")", 1)[1].split()
        on_disk = sum(os.path.getsize(os.path.join(d, n)) for d, _, names in os.walk(self.folder) for n in names)
        return "resident %d MiB, at most %d MiB; %.1f s of processor time in %.0f s; %d MiB on disk" % (
            int(fields["VmRSS"].split()[0]) // 1024, int(fields["VmHWM"].split()[0]) // 1024,
            sum(map(int, times[11:13])) / os.sysconf("SC_CLK_TCK"), time.monotonic() - self.begin, on_disk >> 20)

    def number(self, name):
        """The sum of its own metric of that name, labels included where the name has some."""
        lines = get("http://127.0.0.1:%d/metrics" % self.port).decode().split("\n")
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))

    def ask(self, query):
        begin = time.monotonic()
        answer = json.loads(get("http://127.0.0.1:%d/api/v1/query?%s" % (self.port, urllib.parse.urlencode({"query": query}))))
        return time.monotonic() - begin, [(r["metric"], float(r["value"][1])) for r in answer["data"]["result"]]

    def stop(self):
        self.process.terminate()
        self.process.wait()
        if self.hosts:
            self.hosts.terminate()


# ---- VictoriaMetrics: sent to it ----

def send(port, texts):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    for n, text in texts:
        c.request("POST", "/api/v1/import/prometheus?extra_label=job=hbad&extra_label=instance=host-%05d" % n, text)
        answer = c.getresponse()
        answer.read()
        assert answer.status == 204, answer.status


def victoria(folder, fleet, hosts, rounds, program):
    port = free_port()
    s = Server(folder, port, [program, "-storageDataPath=" + os.path.join(folder, "data"), "-httpListenAddr=127.0.0.1:%d" % port,
                              "-search.maxStalenessInterval=5m", "-search.maxUniqueTimeseries=5000000",
                              "-search.maxQueryDuration=5m", "-search.latencyOffset=1s"])
    s.wait("/health")
    for r in range(rounds):
        begin = time.monotonic()
        senders = [threading.Thread(target=send, args=(port, ((n, fleet.text(n)) for n in range(k, hosts, SENDERS))))
                   for k in range(SENDERS)]
        for t in senders:
            t.start()
        for t in senders:
            t.join()
        took = time.monotonic() - begin
        print("round %d: %.1f s, %d samples/s; %s" % (r + 1, took, fleet.series / took, s.costs()), flush=True)
        time.sleep(max(0, ROUND_S - took) if r + 1 < rounds else 5)
    print("series it has: %d" % s.number('vm_cache_entries{type="storage/hour_metric_ids"}'))
    return s


# ---- Prometheus: fetches them ----

def serve(port, fleet):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            text = fleet.text(int(self.path[1:]))
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


def prometheus(folder, fleet, hosts, rounds, program):
    port, at = free_port(), free_port()
    simulated = multiprocessing.Process(target=serve, args=(at, fleet), daemon=True)
    simulated.start()
    with open(os.path.join(folder, "targets.json"), "w", encoding="ascii") as file:
        json.dump([{"targets": ["127.0.0.1:%d" % at], "labels": {"instance": "host-%05d" % n, "__metrics_path__": "/%d" % n}}
                   for n in range(hosts)], file)
    with open(os.path.join(folder, "prometheus.yml"), "w", encoding="ascii") as file:
        file.write("global: {scrape_interval: %ds, scrape_timeout: %ds}\nscrape_configs:\n  - job_name: hbad\n"
                   "    file_sd_configs: [{files: [targets.json]}]\n" % (ROUND_S, ROUND_S // 2))
    s = Server(folder, port, [program, "--config.file=" + os.path.join(folder, "prometheus.yml"),
                              "--storage.tsdb.path=" + os.path.join(folder, "data"), "--web.listen-address=127.0.0.1:%d" % port,
                              "--query.timeout=5m"])
    s.wait("/-/ready")
    for r in range(rounds):
        time.sleep(ROUND_S)
        print("round %d: %d of %d up, scraped in %.3f s on average; %s" % (
            r + 1, s.ask("sum(up)")[1][0][1], hosts, s.ask("avg(scrape_duration_seconds)")[1][0][1], s.costs()), flush=True)
    print("series it has: %d" % s.number("prometheus_tsdb_head_series "))
    s.hosts = simulated
    return s


def main(kind, hosts, rounds="3", program=None):
    run, name = {"victoria": (victoria, "victoria-metrics"), "prometheus": (prometheus, "prometheus")}[kind]
    program, hosts = program or shutil.which(name), int(hosts)
    if not program:
        sys.exit("no %s here" % name)
    fleet = Fleet(hosts)
    print("%d hosts, %d series, %.0f a host, %.1f kB a host; load of this machine before: %.1f" % (
        hosts, fleet.series, fleet.series / hosts, sum(len(fleet.text(n)) for n in range(100)) / 100e3, os.getloadavg()[0]), flush=True)
    with tempfile.TemporaryDirectory(prefix="hbad-fleet-", dir="/var/tmp") as folder:
        s = run(folder, fleet, hosts, int(rounds), program)
        answers = {}
        for title, query in QUESTIONS.items():
            took, answers[title] = s.ask(query)
            print("%s: %.2f s" % (title, took))
            for labels, value in answers[title][:8]:
                print("    %6d  %s" % (value, " ".join(labels.values())))
        print("in the end: " + s.costs())
        s.stop()
    slow = fleet.slow()
    found = {tuple(m[k] for k in ("vendor", "model", "revision")): int(v) for m, v in answers["by what is at their end"]}
    wrong = {d: (n, found.get(d)) for d, n in slow.items() if found.get(d) != n}
    print("right" if not wrong else "wrong: %s" % wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[2:]))
