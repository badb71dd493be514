#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Is all C as .clang-format has it? Names what is not; "format.sh TOP -i" makes it so.
# usage: format.sh TOP [-i]
set -eu
cd "$1"
find lib daemon ctl exporter alert tests \( -name '*.c' -o -name '*.h' \) -print | sort |
    xargs clang-format "${2:---dry-run}" -Werror
