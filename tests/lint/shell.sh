#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs shellcheck over every shell script below a folder: by name, by first line, or by its own shellcheck line.
# usage: shell.sh TOP
set -eu
cd "$1"
find . \( -name .git -o -name 'build*' -o -name LICENSES -o -path ./tests/fuzz/corpus \) -prune -o -type f -print |
    while read -r path; do
        if [ "${path%.sh}" != "$path" ] || head -3 "$path" | grep -qaE '^#!/.*[/ ](ba)?sh$|^# shellcheck shell='; then
            echo "$path"
        fi
    done | sort | xargs shellcheck --external-sources --source-path=SCRIPTDIR
