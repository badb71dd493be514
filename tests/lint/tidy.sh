#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# clang-tidy over all C of the programs and the library, as .clang-tidy has it.
# usage: tidy.sh TOP BUILD
set -eu
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! run-clang-tidy -quiet -j "$(nproc)" -p "$2" "^$1/(lib|ctl|daemon|exporter|alert)/" >"$log" 2>&1; then
    grep -A2 -E '(error|warning): ' "$log"
    exit 1
fi
