#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a purge of the package removes, whatever /var/lib/hbad is: purge.sh POSTRM. Skipped (77) where there can be no mount
# namespace, in which /var/lib and /run are empty and nobody else's.
set -eu

if [ "${2:-}" != inside ]; then
    unshare --mount --propagation private mount -t tmpfs none /mnt 2>/dev/null || exit 77
    exec unshare --mount --propagation private sh "$0" "$1" inside
fi

postrm=$1
[ "$(sed -n '/^#DEBHELPER#$/p' "$postrm")" ] || { echo "$postrm: is not what debhelper completes" >&2; exit 1; }
mount -t tmpfs none /var/lib
mount -t tmpfs none /run

fail() {
    echo "$1: $2" >&2
    exit 1
}

fill() {
    mkdir -p "$1" /run/hbad
    touch "$1/history.db" "$1/.hidden" /run/hbad/report.json
}

purge() {
    sh "$postrm" purge || fail "$1" "a purge fails"
    [ ! -e /run/hbad ] || fail "$1" "/run/hbad is still there"
}

mkdir -p /var/lib/hbad
fill /var/lib/hbad
for action in remove upgrade failed-upgrade abort-install abort-upgrade disappear; do
    sh "$postrm" "$action" 1.0 || fail "$action" "fails"
    for kept in /var/lib/hbad/history.db /run/hbad/report.json; do
        [ -e "$kept" ] || fail "$action" "removes $kept"
    done
done
DPKG_ROOT=/elsewhere sh "$postrm" purge || fail "of another root" "a purge fails"
[ -e /var/lib/hbad/history.db ] || fail "of another root" "this one's is removed"

purge "a folder"
[ ! -e /var/lib/hbad ] || fail "a folder" "is still there"
purge "nothing"

# Of a mount, what is in it.
mkdir /var/lib/hbad
mount -t tmpfs none /var/lib/hbad
fill /var/lib/hbad
purge "a mount"
[ -z "$(ls -A /var/lib/hbad)" ] || fail "a mount" "it is not empty"
umount /var/lib/hbad
rmdir /var/lib/hbad

# Of a link, itself: where it leads to somebody else may keep more.
fill /var/lib/elsewhere
ln -s elsewhere /var/lib/hbad
purge "a link"
[ ! -L /var/lib/hbad ] || fail "a link" "is still there"
[ -e /var/lib/elsewhere/history.db ] || fail "a link" "what it led to is gone"

# Nor what somebody has mounted within it.
mkdir -p /var/lib/hbad/mounted
mount -t tmpfs none /var/lib/hbad/mounted
touch /var/lib/hbad/mounted/kept
fill /var/lib/hbad
purge "a mount within"
[ -e /var/lib/hbad/mounted/kept ] || fail "a mount within" "is emptied"
[ ! -e /var/lib/hbad/history.db ] || fail "a mount within" "what is beside it is still there"
echo "purge: all as it should be"
