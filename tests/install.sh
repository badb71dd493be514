# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Installs the Debian packages of tests/packages. Sourced by ./run and ./test in the top folder.
# Nothing is asked of apt when all are there, so that both work without a network.

# packages_of NEED...: the packages that are needed for any of these, one a line.
packages_of() {
    local need
    for need; do
        awk -v need="$need" '$1 == need { print $2 }' tests/packages
    done | sort -u
}

# packages_missing PACKAGE...: those of them that are not installed.
packages_missing() {
    local package
    for package; do
        # shellcheck disable=SC2016 # dpkg-query's own braces
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            echo "$package"
    done
}

# as_root COMMAND...: runs it as root, through sudo where we are not.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "$1 must run as root, and there is no sudo here" >&2
        return 1
    fi
}

# apt_get ARGUMENT...: apt-get that asks nothing and waits for another one that is at work.
apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 \
        -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# apt_lists_update: apt's lists, where there are none, or always with "again".
apt_lists_update() {
    if [ "${1-}" != again ] && compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
        return
    fi
    apt_get update
}

# install_packages NEED...: afterwards the packages are installed, or it says which are missing and fails.
install_packages() {
    local missing
    mapfile -t missing < <(packages_of "$@")
    mapfile -t missing < <(packages_missing "${missing[@]}")
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "Installing ${missing[*]}"
    if ! { apt_lists_update again && apt_get install -y --no-install-recommends "${missing[@]}"; }; then
        echo "These Debian packages are missing and could not be installed: ${missing[*]}" >&2
        return 1
    fi
}

# unpack_package NAME: prints the folder of its programs, in a cache outside of the sources. Nothing of it is installed.
unpack_package() {
    local version at
    version=$(apt-cache show --no-all-versions "$1" | sed -n 's/^Version: //p')
    at=${XDG_CACHE_HOME:-$HOME/.cache}/hbad-test/$1_${version//:/.}
    if [ ! -d "$at" ]; then
        mkdir -p "$at.new"
        (cd "$at.new" && apt-get -qq download "$1" && dpkg-deb --fsys-tarfile ./*.deb | tar -x ./usr/bin && rm ./*.deb) >&2 &&
            mv "$at.new" "$at" || return 1
    fi
    echo "$at/usr/bin"
}

# unpack_packages: those of that need are in PATH from here on; what cannot be had is said, and its tests are left out.
unpack_packages() {
    local name at
    apt_lists_update
    for name in $(packages_of unpack); do
        if at=$(unpack_package "$name"); then
            PATH=$PATH:$at
        else
            echo "The Debian package $name cannot be had: tests that need it are left out" >&2
        fi
    done
}
