#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Completion of hbactl: what hbactl complete says, and what bash, zsh and fish make of it: test_completion.py PROGRAMS"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SCRIPTS = os.path.join(ROOT, "ctl", "completion")
CASE = os.path.join(ROOT, "tests", "golden", "spi-fusion-one-at-half-rate", "1.json")
PROGRAMS = os.path.abspath(sys.argv.pop(1))
HBACTL = os.path.join(PROGRAMS, "hbactl")
BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"

# What is typed, and how the words go on; None: it is files, see below.
LINES = [
    ("hbactl l", ["list"]),
    ("hbactl list ", ["devices", "findings", "hosts", "links"]),
    ("hbactl list links ", []),
    ("hbactl --no-l", ["--no-legend"]),
    ("hbactl report --ht", ["--html"]),
    ("hbactl status --ht", []),
    ("hbactl --json=p", ["--json=pretty"]),
    ("hbactl check --format ", ["checkmk", "nagios"]),
    ("hbactl check --number=c", ["--number=capped", "--number=critical"]),
    ("hbactl bench --memory ", ["cold", "hot"]),
    ("hbactl bench --method read-media/sg,read-buffer/b", ["read-media/sg,read-buffer/bsg"]),
    ("hbactl explain as", ["async"]),
    ("hbactl ack sda --code link-", ["link-flapping", "link-lost"]),
    ("hbactl --capture server.json show sd", ["sd" + c for c in "abcdefgh"]),
    ("hbactl --capture server.json show /dev/sdc", ["/dev/sdc"]),
    ("hbactl --capture server.json explain 0:0:2:", ["0:0:2:0"]),
    ("hbactl --capture=server.json check sda host", ["host0", "host1"]),
    ("hbactl --capture serv", ["server.json"]),
    ("hbactl --capture=serv", ["--capture=server.json"]),
    ("hbactl --sysfs-root f", ["folder/"]),
    ("hbactl compare server.json s", ["server.json"]),
    ("hbactl report --html serv", ["server.json"]),
]


def complete(*words, cwd=None):
    run = subprocess.run([HBACTL, "complete", "--", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, check=False)
    return [line.split("\t") for line in run.stdout.decode().splitlines()]


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        shutil.copy(CASE, os.path.join(self.folder, "server.json"))
        os.mkdir(os.path.join(self.folder, "folder"))


class Words(Scratch):
    """hbactl complete itself."""

    def test_every_verb_is_offered_with_what_it_is(self):
        usage = subprocess.run([HBACTL, "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
        verbs = complete("")
        self.assertGreater(len(verbs), 15)
        for verb, about in verbs:
            self.assertRegex(usage, r"(?m)^  %s[ a-zA-Z\[].* %s$" % (verb, about.replace("(", r"\(").replace(")", r"\)")))

    def test_names_that_are_more_than_a_word_are_not_offered(self):
        path = os.path.join(self.folder, "server.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for bad in ("$(id)", "a b", "-x", "a;b"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace('"sdc"', json.dumps(bad)).replace("block/sdc", "block/" + bad)
                           .replace(b"ST3".hex(), b"S\t3".hex()))
            names = complete("--capture", path, "show", "")
            self.assertIn(["sdb", "S?3146807LC"], names)
            self.assertNotIn(bad, [n[0] for n in names])

    def test_nothing_is_waited_for(self):
        path = os.path.join(self.folder, "socket")
        with socket.socket(socket.AF_UNIX) as deaf:
            deaf.bind(path)
            deaf.listen()
            os.mkfifo(os.path.join(self.folder, "fifo"))
            for words in (["--socket", path, "show", ""], ["--capture", "fifo", "show", ""], ["--capture", "-", "show", ""],
                          ["--socket", "none", "show", ""], ["--capture", "none", "show", ""]):
                begun = time.monotonic()
                self.assertEqual(complete(*words, cwd=self.folder), [])
                self.assertLess(time.monotonic() - begun, 5)

    def test_names_come_from_the_daemon(self):
        shutil.copy(CASE, os.path.join(self.folder, "folder", "1.json"))
        path = os.path.join(self.folder, "socket")
        with subprocess.Popen([os.path.join(PROGRAMS, "hbad"), "--captures", os.path.join(self.folder, "folder"), "--socket", path,
                               "--runtime-dir", self.folder], stderr=subprocess.DEVNULL) as daemon:
            names, until = [], time.monotonic() + 20
            while not names and time.monotonic() < until:
                time.sleep(0.1)
                names = complete("--socket", path, "show", "sd")
            self.assertEqual([n[0] for n in names], ["sd" + c for c in "abcdefgh"])
            self.assertEqual(complete("--socket=" + path, "ack", "target0:0:2"), [["target0:0:2", "SEAGATE ST3146807LC"]])
            daemon.terminate()

    def test_nothing_asks_this_machine(self):
        """Without the daemon there are no names: looking at a machine to complete a word would ask devices."""
        for words in ([], ["--direct"], ["--config", "x"], ["--sysfs-root", "/"]):
            self.assertEqual(complete(*words, "--socket", "none", "show", "", cwd=self.folder), [])


class Shell(Scratch):
    """What a shell makes of it: offers(line) gives the words."""

    def check(self):
        for line, want in LINES:
            with self.subTest(line):
                self.assertEqual(sorted(self.offers(line)), sorted(want))

    def run_shell(self, *command):
        run = subprocess.run([*command[0], *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, check=False,
                             stdin=subprocess.DEVNULL, timeout=60,
                             env=dict(os.environ, HOME=self.folder, PATH=PROGRAMS + ":" + os.environ["PATH"], TERM="dumb"))
        self.assertEqual(run.stderr.decode(), "")
        return run.stdout.decode().splitlines()


@unittest.skipUnless(os.path.exists(BASH_COMPLETION), "bash-completion is not installed")
class Bash(Shell):
    def offers(self, line):
        # As readline parts a line: at blanks, and at each of = and :.
        words = []
        for word in line.split(" "):
            parts = [p for p in word.replace("=", "\0=\0").replace(":", "\0:\0").split("\0") if p]
            words += parts or [""]
        got = self.run_shell(["bash", "--norc", "-c"], """
            . %s; . %s/hbactl.bash
            COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) COMP_TYPE=9 COMP_KEY=9
            compopt() { :; }
            _hbactl hbactl "${COMP_WORDS[COMP_CWORD]}"
            [[ $COMPREPLY ]] && printf '%%s\\n' "${COMPREPLY[@]}"
            true""" % (BASH_COMPLETION, SCRIPTS), "bash", line, *words)
        # What bash puts in is the last part; whole words are what we compare.
        last = line.split(" ")[-1]
        before = max(last.rfind("="), last.rfind(":")) + 1
        return [last[:before] + word + ("/" if os.path.isdir(os.path.join(self.folder, word)) else "") for word in got]

    def test_bash(self):
        self.check()


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(Shell):
    # In a terminal of its own, for zsh completes nowhere else: what compadd is given and matches is what would be offered.
    INNER = """
        PS1= fpath=(%s $fpath)
        autoload -U compinit; compinit -u -D
        compadd() {
            local -a got
            if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
            builtin compadd -O got "$@"
            print -rl -- "${(@)got/#/OFFER:$IPREFIX}"
            builtin compadd "$@"
        }
        zle -C offers complete-word offers
        offers() { print; _main_complete; compstate[insert]= compstate[list]=; print; print DONE }
        bindkey '^I' offers
        print READY
        """ % SCRIPTS
    OUTER = """
        zmodload zsh/zpty
        zpty inner zsh -f -i
        zpty -w inner "source ./inner"
        zpty -r inner text $'*READY\\r*'
        for line; do
            zpty -w -n inner "$line"$'\\t'
            zpty -r inner text $'*DONE\\r*'
            print -r -- "LINE:$line"
            print -r -- "$text"
            zpty -w -n inner $'\\x15'
        done
        zpty -d inner
        """

    def setUp(self):
        """All in one session, for it takes a second to begin one."""
        super().setUp()
        with open(os.path.join(self.folder, "inner"), "w", encoding="utf-8") as file:
            file.write(self.INNER)
        self.found = {}
        for text in self.run_shell(["zsh", "-f", "-c"], self.OUTER, "zsh", *(line for line, _ in LINES)):
            kind, _, word = text.strip("\r").partition(":")
            if kind == "LINE":
                got = self.found[word] = set()
            elif kind == "OFFER" and word:
                got.add(word)

    def offers(self, line):
        return [word + ("/" if os.path.isdir(os.path.join(self.folder, word)) else "") for word in self.found[line]]

    def test_zsh(self):
        self.check()


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(Shell):
    def offers(self, line):
        return [text.split("\t")[0] for text in
                self.run_shell(["fish", "-N", "-c"], "source %s/hbactl.fish; complete -C %s" % (SCRIPTS, "'%s'" % line))]

    def test_fish(self):
        self.check()


if __name__ == "__main__":
    unittest.main()
