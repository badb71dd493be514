# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Debian packages, downloaded by name through apt, unpacked and never installed. The cache holds
#   packages/NAME_VERSION/   the unpacked files of one version of one package
#   current                  lines of NAME VERSION FOLDER: what the last complete download consists of
# Without apt's lists or without a network, "current" is used as it is.

# What runs in the guest beside the kernel. depmod and modprobe of kmod also prepare it.
readonly LAB_TOOLS=(busybox-static kmod lsscsi sg3-utils sdparm smp-utils strace pciutils open-iscsi)

# What a kernel module is checked with.
readonly LAB_BUILD_TOOLS=(sparse)

# packages_wanted: prints NAME VERSION FOLDER for the current kernel with its headers, the tools and the
# libraries that they name. The C library is the build machine's: the programs under test are linked to it.
packages_wanted() {
    local kernel headers libraries
    kernel=$(apt-cache depends --important linux-image-amd64 2>/dev/null |
        sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
    [ -n "$kernel" ] || return 1
    headers=linux-headers-${kernel#linux-image-}
    headers="$headers $(apt-cache depends --important "$headers" | sed -n 's/^ *Depends: \(linux-.*\)/\1/p')"
    libraries=$(apt-cache depends --important "${LAB_TOOLS[@]}" |
        sed -n 's/^ *Depends: \(lib.*\)/\1/p' | sort -u | grep -vx libc6)
    # A folder's name has no colon (an epoch), which would end it in a list of library folders.
    # shellcheck disable=SC2086 # a list of words
    apt-cache show --no-all-versions "$kernel" $headers "${LAB_TOOLS[@]}" "${LAB_BUILD_TOOLS[@]}" $libraries |
        awk '/^Package:/ { name = $2 }
             /^Version:/ { folder = name "_" $2; gsub(":", ".", folder); print name, $2, folder }'
}

# packages_download CACHE NAME VERSION FOLDER: makes packages/FOLDER complete, or fails leaving nothing.
packages_download() {
    local target="$1/packages/$4" work
    [ ! -d "$target" ] || return 0
    say "downloading $2 $3"
    work=$(mktemp -d "$1/download.XXXXXX")
    if (cd "$work" && apt-get -qq download "$2=$3" >apt.log 2>&1 && dpkg -x ./*.deb files); then
        mv "$work/files" "$target"
        rm -rf "$work"
    else
        cat "$work/apt.log" >&2
        rm -rf "$work"
        return 1
    fi
}

# packages_current CACHE: whether "current" is newer than apt's lists and than the list above, and all
# of it is there. Asking apt takes seconds where it keeps no binary cache.
packages_current() {
    local folder name
    [ -s "$1/current" ] && [ "$1/current" -nt /var/lib/apt/lists ] && [ "$1/current" -nt "${BASH_SOURCE[0]}" ] ||
        return 1
    # Another version of this file may have written it.
    for name in "${LAB_TOOLS[@]}" "${LAB_BUILD_TOOLS[@]}" linux-headers-.*; do
        grep -q "^$name " "$1/current" || return 1
    done
    while read -r _ _ folder; do
        [ -d "$1/packages/$folder" ] || return 1
    done <"$1/current"
}

# packages_prepare CACHE: afterwards CACHE/current names packages that are all there. The caller holds a lock.
packages_prepare() {
    local cache=$1 name version folder complete=yes
    mkdir -p "$cache/packages"
    if ! packages_current "$cache" && packages_wanted >"$cache/current.new"; then
        while read -r name version folder; do
            packages_download "$cache" "$name" "$version" "$folder" || complete=no
        done <"$cache/current.new"
        [ $complete = no ] || cp "$cache/current.new" "$cache/current"
    fi
    rm -f "$cache/current.new"
    [ -s "$cache/current" ] ||
        die "cannot download the guest's packages, and none are in $cache (is apt-get update needed?)"
}

# package_dir CACHE PATTERN: the folder of the one current package whose name matches the pattern.
package_dir() {
    awk -v pattern="^$2\$" -v packages="$1/packages/" \
        '$1 ~ pattern { print packages $3; found = 1; exit } END { exit !found }' \
        "$1/current" || die "no package $2 in $1/current"
}

# package_libraries CACHE: the folders that hold the current packages' libraries, for LD_LIBRARY_PATH.
package_libraries() {
    local folder
    while read -r _ _ folder; do
        find "$1/packages/$folder" -name 'lib*.so.*' -printf '%h\n'
    done <"$1/current" | sort -u | paste -s -d :
}
