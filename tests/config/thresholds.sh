#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A threshold moved beyond what a golden case shows takes that case's finding away; at what it shows, not.
# usage: thresholds.sh HBACTL GOLDEN
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hbactl=$1 golden=$2

# finds CASE CODE KEY=VALUE: is there a finding of that code, judged with that threshold?
finds() {
    printf '[thresholds]\n%s\n' "$3" >"$work/hbad.conf"
    set -- "$golden/$1" "$2"
    code=$2
    set -- "$1"/[0-9].json "$1"/[0-9][0-9].json
    for capture; do
        shift
        [ ! -e "$capture" ] || set -- "$@" --capture "$capture"
    done
    "$hbactl" --config "$work/hbad.conf" "$@" --json=short report >"$work/report.json" 2>"$work/err"
    [ ! -s "$work/err" ] || cat "$work/err"
    grep -q "\"code\":\"$code\"" "$work/report.json"
}

# edge CASE CODE KEY STILL NO-MORE: the finding is there with the one value, and not with the other.
edge() {
    finds "$1" "$2" "$3 = $4" || { echo "$1: no $2 with $3 = $4" && exit 1; }
    ! finds "$1" "$2" "$3 = $5" || { echo "$1: $2 in spite of $3 = $5" && exit 1; }
}

edge sas-phy-errors-growing errors-growing errors_growing_per_hour 1871 1872
edge sata-link-flapping link-flapping flapping_changes 5 6
edge sata-link-flapping link-flapping flapping_within 1h 10min
edge sata-link-flapping link-flapping flapping_quiet 10min 1s
edge device-times-out device-stuck device_stuck_timeouts 2 3
edge spi-reads-fell-mode-unchanged read-below-link read_below_percent 6 5
edge spi-reads-fell-mode-unchanged read-below-link read_below_apart 30min 300d
