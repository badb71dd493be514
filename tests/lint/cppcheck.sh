#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# cppcheck over all C that is compiled. What is suppressed, and why, is in cppcheck.txt.
# usage: cppcheck.sh TOP BUILD
set -eu
mkdir -p "$2/cppcheck"
cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr -j "$(nproc)" \
    --cppcheck-build-dir="$2/cppcheck" --suppressions-list="$1/tests/lint/cppcheck.txt" \
    --project="$2/compile_commands.json"
