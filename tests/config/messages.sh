#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What hbactl says of a configuration file, and that it goes on in spite of it.
# usage: messages.sh HBACTL CAPTURE FILE.conf     FILE.messages says what is to be said
set -eu
cd "$(dirname "$0")"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$1" --config "$3" --capture "$2" report --json >/dev/null 2>"$said" || {
    echo "exit status $?"
    exit 1
}
diff -u "${3%.conf}.messages" "$said"
