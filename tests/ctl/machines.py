# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the programs share: running them, and machines to run them on."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GOLDEN = os.path.join(TESTS, "golden")
BIN = os.path.abspath(sys.argv.pop(1))       # the folder of the programs, the first argument of each test
HBACTL, COLLECT = os.path.join(BIN, "hbactl"), os.path.join(BIN, "hbad-collect")
LIMIT_S = 60                                 # nothing here takes so long, with sanitizers either


def run(*command, env=None, **more):
    """A finished process with its output as text. The environment is plain: C locale, no terminal."""
    plain = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    plain.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
    plain.update(env or {})
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(command, env=plain, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT_S,
                          encoding="utf-8", errors="surrogateescape", **more)


def hbactl(*words, **more):
    return run(HBACTL, *words, **more)


def captures(case):
    """--capture for each of a case's captures, in order."""
    names = sorted((n for n in os.listdir(os.path.join(GOLDEN, case)) if re.fullmatch(r"\d+\.json", n)), key=lambda n: int(n[:-5]))
    return [word for name in names for word in ("--capture", os.path.join(GOLDEN, case, name))]


def beside(case):
    """The same, as they are called in GOLDEN."""
    return [os.path.relpath(word, GOLDEN) if os.path.isabs(word) else word for word in captures(case)]


def cases():
    return sorted(d for d in os.listdir(GOLDEN) if os.path.isfile(os.path.join(GOLDEN, d, "expect.json")))


def load(case):
    with open(os.path.join(GOLDEN, case, "1.json"), encoding="utf-8") as file:
        return json.load(file)


def write_tree(capture, root):
    """The files and links of a capture below a directory; what was refused is not there."""
    for directory, entries in capture["dirs"].items():
        os.makedirs(root + directory, exist_ok=True)
        for name, value in entries.items():
            path = os.path.join(root + directory, name)
            if isinstance(value, str):
                data = value.encode()
            elif "hex" in value:
                data = bytes.fromhex(value["hex"])
            else:
                if "link" in value:
                    os.symlink(value["link"], path)
                continue
            with open(path, "wb") as file:
                file.write(data)


# Runs "$@" in a mount namespace of its own; what stands before it is done there first.
def in_namespace(before, *command):
    return ["unshare", "--mount", "sh", "-c", before + '\nexec "$@"', "sh", *command]


def namespaces_work():
    return subprocess.run(in_namespace("mount -t tmpfs none /mnt", "true"), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


class Scratch(unittest.TestCase):
    """Tests with a folder of their own."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="hbad-ctl-")
        self.addCleanup(shutil.rmtree, self.dir)

    def file(self, name, text):
        path = os.path.join(self.dir, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path
