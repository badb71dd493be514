#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What README says about installing, on Debian 12 with nothing else: fresh.sh OUT, as root, with a network.
#
# A bare Debian gets what git has here, and README's first lines build the package. Another one, a server, gets only the
# package, and README's lines install it and what shows a dashboard. OUT/server.tar is that server, for the lab to start:
# lab run --programs OUT/server.tar fresh. What cannot be done in a root that is not running is left to that.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath -m "$1")
readonly SERVER=systemd,systemd-sysv,udev,kmod,dbus,curl,libmicrohttpd12 # the last two for debian/tests

sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [ ! -s "$file" ] || sources+=("$file")
done

# bare NAME PACKAGES
bare() {
    mmdebstrap --quiet --variant=minbase --include="$2" bookworm "$out/$1" "${sources[@]}"
    cp /etc/resolv.conf /etc/hosts "$out/$1/etc/"
}

# within NAME: what standard input says, as root in there. Its /proc ends with it.
within() {
    unshare --mount --pid --fork --mount-proc="$out/$1/proc" \
        chroot "$out/$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive sh -eux
}

# readme WORD: the lines of README's block in which that is.
readme() {
    awk -v word="$1" '/^```/ { if (inside && index(block, word)) printf "%s", block; inside = !inside; block = ""; next }
        inside { block = block $0 "\n" }' "$top/README.md" | grep . || {
        echo "README has no block with $1" >&2
        return 1
    }
}

mkdir -p "$out"
if [ -e "$out/builder" ] || [ -e "$out/server" ]; then
    echo "$out holds roots already" >&2
    exit 1
fi
bare builder apt
git -C "$top" archive --prefix=srv/hbad/ HEAD | tar -x -C "$out/builder"
{
    echo 'cd /srv/hbad'
    readme dpkg-buildpackage
} >"$out/lines"
within builder <"$out/lines" >"$out/builder.log" 2>&1

bare server $SERVER
mkdir -p "$out/server/srv/hbad"
cp "$out"/builder/srv/hbad*.deb "$out/server/srv/"
git -C "$top" archive HEAD debian/tests tests/golden/spi-fusion-one-at-half-rate | tar -x -C "$out/server/srv/hbad"
{
    echo 'cd /srv/hbad'
    readme dpkg-buildpackage | grep '^apt-get \(update\|install\)'
    readme metrics.prom
    echo 'sh debian/tests/hbactl' # nothing of README, but where it is as a user has it
} >"$out/lines"
within server <"$out/lines" >"$out/server.log" 2>&1
tar -c --one-file-system -C "$out/server" --exclude='./var/cache/apt/*' --exclude='./var/lib/apt/lists/*' . >"$out/server.tar"
