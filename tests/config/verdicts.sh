#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The configuration changes verdicts, where it is asked for and nowhere else.
# usage: verdicts.sh HBACTL CAPTURE    the capture of golden case emulated-adapters-by-their-own-identity
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hbactl=$1 capture=$2

# verdicts OPTION...: "LINK VERDICT" of every link, one a line.
verdicts() {
    "$hbactl" --capture "$capture" "$@" --json=short list links |
        python3 -c 'import json, sys; [print(l["kernel_name"], l["verdict"]) for l in json.load(sys.stdin)]'
}

# expect NAME: standard input must be what verdicts gave.
expect() {
    diff -u --label "$1: expected" --label "$1: said" - "$work/said"
}

printf '[host "*"]\nphysical = yes\n' >"$work/yes.conf"
printf '[host "host3"]\nphysical = no\n' >"$work/no.conf"
verdicts >"$work/said"
expect 'without a configuration' <<TEXT
target0:0:0 none
host1 none
target2:0:0 none
target3:0:0 ok
host4 ok
host5 none
host6 none
TEXT

# Async, and the kernel shows that the target claims more than that. Ultra160 is what
# the driver was told. The rest have no link to see.
verdicts --config "$work/yes.conf" >"$work/said"
expect 'physical = yes' <<TEXT
target0:0:0 below
host1 unknown
target2:0:0 capped
target3:0:0 ok
host4 ok
host5 unknown
host6 unknown
TEXT

verdicts --config "$work/no.conf" >"$work/said"
expect 'physical = no' <<TEXT
target0:0:0 none
host1 none
target2:0:0 none
target3:0:0 none
host4 ok
host5 none
host6 none
TEXT
"$hbactl" --capture "$capture" --config "$work/no.conf" show target3:0:0 |
    grep -q "verdict: none, $work/no.conf:2 says that there is no physical link"

# A file that is named and not there is an error; one that says nothing changes nothing.
status=0
"$hbactl" --capture "$capture" --config "$work/nowhere.conf" >"$work/said" 2>"$work/err" || status=$?
test "$status" -eq 3 -a ! -s "$work/said"
echo "hbactl: $work/nowhere.conf: No such file or directory" | diff -u - "$work/err"
verdicts --config /dev/null >"$work/said"
verdicts | diff -u - "$work/said"
