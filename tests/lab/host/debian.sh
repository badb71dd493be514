# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Debian with systemd, udev and journald, for scenarios that need more than busybox. The cache holds
#   roots/VERSIONS.tar       the root as mmdebstrap made it, of the packages whose versions name it
# Without a network the newest one is used as it is.

readonly LAB_DEBIAN=(systemd systemd-sysv udev kmod dbus)

# What nobody in a guest reads.
readonly LAB_DEBIAN_WITHOUT=(/usr/share/doc /usr/share/man /usr/share/locale /usr/share/info /usr/share/zoneinfo
    /usr/share/perl /usr/share/perl5 /usr/lib/x86_64-linux-gnu/perl /usr/lib/udev/hwdb.d /usr/lib/udev/hwdb.bin)

# debian_make TAR: root is not needed where user namespaces are permitted.
debian_make() {
    local sources=() file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ ! -s "$file" ] || sources+=("$file")
    done
    say "making a Debian root with ${LAB_DEBIAN[*]}"
    mmdebstrap --quiet --variant=minbase --include="$(IFS=, && echo "${LAB_DEBIAN[*]}")" \
        bookworm "$1.new" "${sources[@]}" >"$1.log" 2>&1 && mv "$1.new" "$1"
}

# debian_root CACHE: prints the path of the tar. The caller holds the cache's lock.
debian_root() {
    local versions tar newest
    mkdir -p "$1/roots"
    versions=$(apt-cache show --no-all-versions libc6 "${LAB_DEBIAN[@]}" 2>/dev/null |
        sed -n 's/^Version: //p' | sha256sum | cut -c1-16)
    tar=$1/roots/$versions.tar
    if [ ! -s "$tar" ] && ! debian_make "$tar"; then
        newest=$(find "$1/roots" -name '*.tar' -printf '%T@ %p\n' | sort -n | sed -n '$s/^[^ ]* //p')
        [ -n "$newest" ] || {
            tail -n 5 "$tar.log" >&2
            die "cannot make a Debian root (mmdebstrap), and none is in $1/roots"
        }
        tar=$newest
    fi
    echo "$tar"
}

# debian_unpack TAR ROOT [--no-same-owner]: beside what is there, which stays as it is.
debian_unpack() {
    local exclude=(--exclude='./dev/*') path
    for path in "${LAB_DEBIAN_WITHOUT[@]}"; do
        exclude+=("--exclude=.$path")
    done
    # shellcheck disable=SC2086 # none or one
    tar -x -f "$1" -C "$2" $3 --skip-old-files --keep-directory-symlink "${exclude[@]}"
}
