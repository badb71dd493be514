#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is installed, and how well it is locked up: test_units.py BUILD WHAT

WHAT is
  installed   cmake --install puts everything where pkg-config says, and nothing else
  verify      systemd-analyze verify has nothing to say
  security    systemd-analyze security finds each unit at least as well locked up as it must be
  rules       the users and rules are well formed, and the units and sockets say what the daemon counts on
  catalog     journalctl reads the catalog, and explains every finding
  conf        the configuration says nothing, and with every comment taken away is still well formed
Exit status 77: what is needed for it is not here.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
UNITS = ["hbad.service", "hbad.socket", "hbad-collect.socket", "hbad-collect@.service", "hbad-watch.socket",
         "hbad-watch@.service", "hbad-alert.socket", "hbad-alert@.service"]
# Where hbad-exporter is built.
MANUAL = ["hbactl.1", "hbad-capture.5", "hbad.conf.5", "hbad-findings.7", "hbad-metrics.7", "hbad-report.7", "hbad.8", "hbad-alert.8",
          "hbad-collect.8", "hbad-exporter.8"]
EXPORTER = ["hbad-exporter.service", "hbad-exporter.socket"]
# Tenths of systemd-analyze's level: at most 1.5 for what has no device, 2.0 for what has. What runs for alerts may send mail.
LEVELS = {"hbad.service": 15, "hbad-watch@.service": 15, "hbad-collect@.service": 20, "hbad-exporter.service": 15,
          "hbad-alert@.service": 80}


def run(*args, **more):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)


def need(program):
    path = shutil.which(program)
    if not path:
        print("%s is not here" % program)
        sys.exit(SKIPPED)
    return path


def variable(package, name, otherwise):
    got = run("pkg-config", "--variable=" + name, package)
    return got.stdout.strip() if got.returncode == 0 and got.stdout.strip() else otherwise


def install(build, image):
    got = run("cmake", "--install", build, env={**os.environ, "DESTDIR": image})
    if got.returncode:
        sys.exit(got.stdout)


def prefix(build):
    return re.search(r"(?m)^CMAKE_INSTALL_PREFIX:PATH=(.*)$", read(os.path.join(build, "CMakeCache.txt")))[1]


def files(top):
    return sorted(os.path.join("/", os.path.relpath(os.path.join(d, n), top)) for d, _, names in os.walk(top) for n in names)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def installed(build, image):
    own = prefix(build)
    unit = variable("systemd", "systemdsystemunitdir", "/usr/lib/systemd/system")
    want = [os.path.join(unit, u) for u in UNITS]
    want += [variable("systemd", "sysusersdir", "/usr/lib/sysusers.d") + "/hbad.conf",
             variable("systemd", "tmpfilesdir", "/usr/lib/tmpfiles.d") + "/hbad.conf",
             variable("systemd", "catalogdir", "/usr/lib/systemd/catalog") + "/hbad.catalog",
             variable("udev", "udevdir", "/lib/udev") + "/rules.d/60-hbad.rules",
             "/usr/lib/hbad/hbad.conf"]
    want += [own + f for f in ("/bin/hbactl", "/sbin/hbad", "/libexec/hbad-collect", "/libexec/hbad-alert", "/share/doc/hbad/60-hbad-bsg.rules",
                               "/share/doc/hbad/hbad-collect-rawio.conf", "/share/hbad/report.schema.json",
                               "/share/hbad/bench.schema.json", "/share/hbad/alert.schema.json", "/share/hbad/prometheus/hbad.rules.yml",
                               "/share/hbad/prometheus/hbad.dashboard.json")]
    want += [own + "/sbin/hbad-exporter"] if EXPORTER[0] in UNITS else []
    want += [own + "/share/" + f for f in ("bash-completion/completions/hbactl", "zsh/site-functions/_hbactl",
                                           "fish/vendor_completions.d/hbactl.fish")]
    want += ["%s/share/man/man%s/%s" % (own, name[-1], name) for name in MANUAL if os.path.isdir(os.path.join(build, "man"))
             and (name != "hbad-exporter.8" or EXPORTER[0] in UNITS)]
    want += [own + "/share/doc/hbad/examples/" + name for name in os.listdir(os.path.join(TOP, "docs/examples"))]
    got = files(image)
    for path in sorted(set(want) ^ set(got)):
        print("%s: %s" % (path, "missing" if path in want else "not expected"))
    for path in sorted(set(want) & set(got)):
        if path.endswith((".service", ".socket")) and re.search(r"@\w+dir@", read(image + path)):
            print("%s: a name between @ was not replaced" % path)
            return 1
    return 1 if set(want) != set(got) else 0


def unit_copies(build, image, to):
    """The units, with their programs where they are in the image."""
    unit = variable("systemd", "systemdsystemunitdir", "/usr/lib/systemd/system")
    for name in UNITS:
        text = re.sub(r"(?m)^(Exec\w+=)(?=%s)" % prefix(build), r"\1%s" % image, read(image + os.path.join(unit, name)))
        with open(os.path.join(to, name), "w", encoding="utf-8") as file:
            file.write(text)


def verify(build, image):
    analyze = need("systemd-analyze")
    with tempfile.TemporaryDirectory() as to:
        unit_copies(build, image, to)
        names = [os.path.join(to, n.replace("@.", "@test.")) for n in UNITS]
        for name in UNITS:
            if "@." in name:
                shutil.copy(os.path.join(to, name), os.path.join(to, name.replace("@.", "@test.")))
        got = run(analyze, "verify", "--man=no", *names, env={**os.environ, "SYSTEMD_UNIT_PATH": to + ":"})
        own = [line for line in got.stdout.splitlines() if "hbad" in line]
        print("\n".join(own))
        if not own and got.returncode == 0:
            # Would it notice?
            with open(os.path.join(to, "hbad.service"), "a", encoding="utf-8") as file:
                file.write("\n[Service]\nNoSuchKey=1\n")
            return 0 if "NoSuchKey" in run(analyze, "verify", "--man=no", os.path.join(to, "hbad.service"),
                                           env={**os.environ, "SYSTEMD_UNIT_PATH": to + ":"}).stdout else 1
        print(got.stdout)
        return 1


def security(build, image):
    analyze, bad = need("systemd-analyze"), 0
    with tempfile.TemporaryDirectory() as to:
        unit_copies(build, image, to)
        for name, level in LEVELS.items():
            if name not in UNITS:
                continue
            got = run(analyze, "security", "--no-pager", "--offline=yes", "--threshold=%d" % level, os.path.join(to, name))
            print(got.stdout.splitlines()[-1] if got.stdout else "%s: no answer" % name)
            bad |= got.returncode != 0
    return int(bad)


def rules(_build, image):
    at = {os.path.basename(f): read(image + f) for f in files(image) if f.endswith((".service", ".socket", ".rules"))}
    users = read(image + variable("systemd", "sysusersdir", "/usr/lib/sysusers.d") + "/hbad.conf")
    wanted = {
        "hbad.socket": ["ListenStream=/run/io.hbad.monitor", "SocketMode=0666", "FileDescriptorName=varlink"],
        "hbad-collect.socket": ["Accept=yes", "SocketUser=hbad", "SocketMode=0600"],
        "hbad-collect@.service": ["CollectMode=inactive-or-failed", "RuntimeMaxSec=15min", "TimeoutStopSec=2", "LogLevelMax=notice",
                                  "SupplementaryGroups=disk cdrom tape", "User=hbad-collect", "CapabilityBoundingSet="],
        "hbad-watch.socket": ["ListenStream=/run/io.hbad.watch", "Accept=yes", "SocketUser=hbad", "SocketMode=0600"],
        "hbad-watch@.service": ["CollectMode=inactive-or-failed", "TimeoutStopSec=2", "LogLevelMax=notice", "LimitNOFILE=65536",
                                "User=hbad-collect", "CapabilityBoundingSet=", "DevicePolicy=closed", "PrivateDevices=yes"],
        "hbad-alert.socket": ["ListenStream=/run/io.hbad.alert", "Accept=yes", "SocketUser=hbad", "SocketMode=0600"],
        "hbad-alert@.service": ["CollectMode=inactive-or-failed", "RuntimeMaxSec=5min", "User=hbad-alert", "StandardInput=socket",
                                "StandardOutput=socket", "DevicePolicy=closed"],
        "hbad.service": ["RuntimeDirectoryPreserve=restart", "User=hbad", "Type=notify", "CapabilityBoundingSet=", "DevicePolicy=closed", "StateDirectory=hbad"],
    }
    if EXPORTER[0] in UNITS:
        wanted["hbad-exporter.socket"] = ["ListenStream=[::1]:19320", "ListenStream=127.0.0.1:19320", "BindIPv6Only=ipv6-only",
                                          "IPAddressDeny=any", "IPAddressAllow=localhost"]
        wanted["hbad-exporter.service"] = ["DynamicUser=yes", "CapabilityBoundingSet=", "DevicePolicy=closed", "PrivateDevices=yes",
                                           "PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX", "MemoryMax=512M"]
    bad = ["%s: no %s" % (unit, line) for unit, lines in wanted.items() for line in lines if line not in at[unit].split("\n")]
    bad += ["%s: may open for writing: %s" % (n, m) for n, t in at.items() for m in re.findall(r"(?m)^DeviceAllow=.*w.*$", t)]
    bad += ["%s: has groups" % n for n in set(wanted) - {"hbad-collect@.service"} if "SupplementaryGroups" in at[n]]
    bad += ["hbad-watch@.service: may open devices"] if "DeviceAllow" in at["hbad-watch@.service"] else []
    bad += ["no user %s" % u for u in ("hbad", "hbad-collect", "hbad-alert") if not re.search(r"(?m)^u %s +- " % u, users)]
    for name, text in at.items():
        for line in text.splitlines():
            if name.endswith(".rules") and line and not line.startswith("#") and \
                    not re.fullmatch(r'\w+(\{\w+\})?(==|!=|=)"[^"]*"(, \w+(\{\w+\})?(==|!=|=)"[^"]*")*', line):
                bad.append("%s: %s" % (name, line))
    if shutil.which("systemd-sysusers"):
        root = tempfile.mkdtemp()
        got = run("systemd-sysusers", "--root=" + root, "--dry-run", "-", input=users)
        bad += [line for line in got.stdout.splitlines() if re.search("(?i)error|failed|unknown", line)]
        shutil.rmtree(root)
    print("\n".join(bad))
    return int(bool(bad))


def catalog(build, image):
    path = image + variable("systemd", "catalogdir", "/usr/lib/systemd/catalog") + "/hbad.catalog"
    ids = re.findall(r"(?m)^-- ([0-9a-f]{32})$", read(path))
    codes = re.findall(r"(?m)^Subject: ([\w-]+):", read(path))
    unknown = [c for c in codes if run(os.path.join(build, "bin/hbactl"), "explain", c).returncode]
    if unknown or len(codes) != len(ids):
        print("not explained: %s" % unknown)
        return 1
    if len(ids) != len(set(ids)) or len(ids) < 19:
        print("%d message ids" % len(ids))
        return 1
    journalctl = need("journalctl")
    with tempfile.TemporaryDirectory() as root:
        to = root + "/usr/lib/systemd/catalog"
        os.makedirs(to)
        os.makedirs(root + "/var/lib/systemd/catalog")
        shutil.copy(path, to)
        got = run(journalctl, "--root=" + root, "--update-catalog")
        if got.returncode:
            print(got.stdout)
            return 1
        listed = run(journalctl, "--root=" + root, "--list-catalog").stdout
        missing = [i for i in ids if i not in listed.replace("-", "")]
        print("\n".join(missing))
        return int(bool(missing) or not listed)


def conf(build, image):
    text = read(image + "/usr/lib/hbad/hbad.conf")
    said = re.sub(r"(?m)^#(?=\[|\w+ =)", "", text)
    if said.count("=") < 30 or len(re.findall(r"(?m)^\[", said)) < 7:
        print(said)
        return 1
    capture = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/spi-fusion-one-at-half-rate/1.json")
    reports = []
    for what in ("", text, said, "[daemon]\nnothing = 1\n"):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(what)
            file.flush()
            got = subprocess.run([os.path.join(build, "bin/hbactl"), "--capture", capture, "--config", file.name, "report", "--json"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            reports.append((got.stdout, got.stderr.replace(file.name, "FILE")))
    print("\n".join(e for _, e in reports))
    return int(not (reports[0] == reports[1] == reports[2] and reports[0][1] == "" and reports[3][1] != "" and reports[0][0]))


def main(build, what):
    if os.path.exists(os.path.join(build, "bin/hbad-exporter")):
        UNITS.extend(EXPORTER)
    with tempfile.TemporaryDirectory() as image:
        install(build, image)
        return {"installed": installed, "verify": verify, "security": security, "rules": rules, "catalog": catalog,
                "conf": conf}[what](build, image)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
