# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Debian packages, downloaded by name through apt, unpacked and never installed. The cache holds
#   packages/NAME_VERSION/   the unpacked files of one version of one package
#   current, more            lines of NAME VERSION FOLDER: what the last complete download consists of; "more" is
#                            there once a scenario has asked for one of the tools that only some want
# Without apt's lists or without a network, they are used as they are.

# What runs in every guest beside the kernel. depmod and modprobe of kmod also prepare it.
readonly LAB_TOOLS=(busybox-static kmod lsscsi sg3-utils sdparm smp-utils strace pciutils open-iscsi)

# What a scenario may ask for by its variable "packages".
readonly LAB_MORE=(fio hdparm coreutils smartmontools multipath-tools prometheus-node-exporter prometheus)

# What a kernel module is checked with.
readonly LAB_BUILD_TOOLS=(sparse)

# Lists of the cache that count; lab adds "more" for a scenario that asks.
LAB_LISTS=(current)

# packages_show NAME...: prints NAME VERSION FOLDER of each. A folder's name has no colon (an epoch), which would
# end it in a list of library folders.
packages_show() {
    apt-cache show --no-all-versions "$@" |
        awk '/^Package:/ { name = $2 }
             /^Version:/ { folder = name "_" $2; gsub(":", ".", folder); print name, $2, folder }'
}

# packages_libraries NAME...: prints the libraries that the packages name. The C library is the build machine's: the
# programs under test are linked to it; pages for browsers are nothing here.
packages_libraries() {
    apt-cache depends --important "$@" | sed -n 's/^ *Depends: \(z\?lib.*\)/\1/p' | sort -u | grep -vx 'libc6\|libjs-.*'
}

# packages_current_wanted: what every guest has: the current kernel with its headers, the tools, their libraries.
packages_current_wanted() {
    local kernel headers libraries
    kernel=$(apt-cache depends --important linux-image-amd64 2>/dev/null |
        sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
    [ -n "$kernel" ] || return 1
    headers=linux-headers-${kernel#linux-image-}
    headers="$headers $(apt-cache depends --important "$headers" | sed -n 's/^ *Depends: \(linux-.*\)/\1/p')"
    libraries=$(packages_libraries "${LAB_TOOLS[@]}")
    # shellcheck disable=SC2086 # lists of words
    packages_show "$kernel" $headers "${LAB_TOOLS[@]}" "${LAB_BUILD_TOOLS[@]}" $libraries
}

# packages_more_wanted: the tools that some want, and libraries all the way down: fio's are not on every machine.
packages_more_wanted() {
    local known new
    known=$(printf '%s\n' "${LAB_MORE[@]}")
    new=$known
    while [ -n "$new" ]; do
        # shellcheck disable=SC2086 # a list of words
        new=$(packages_libraries $new 2>/dev/null | grep -vxF "$known")
        known=$known${new:+$'\n'$new}
    done
    # shellcheck disable=SC2086 # a list of words
    packages_show $known 2>/dev/null
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

# packages_names LIST: the names that a complete list has at least; another version of this file may have written it.
packages_names() {
    case $1 in
    current) printf '%s\n' "${LAB_TOOLS[@]}" "${LAB_BUILD_TOOLS[@]}" linux-headers-.* ;;
    more) printf '%s\n' "${LAB_MORE[@]}" ;;
    esac
}

# packages_fresh CACHE LIST: whether the list is newer than apt's lists and than this file, and all of it is there.
# Asking apt takes seconds where it keeps no binary cache.
packages_fresh() {
    local list=$1/$2 folder name
    [ -s "$list" ] && [ "$list" -nt /var/lib/apt/lists ] && [ "$list" -nt "${BASH_SOURCE[0]}" ] || return 1
    for name in $(packages_names "$2"); do
        grep -q "^$name " "$list" || return 1
    done
    while read -r _ _ folder; do
        [ -d "$1/packages/$folder" ] || return 1
    done <"$list"
}

# packages_prepare CACHE: afterwards the lists that count name packages that are all there. The caller holds a lock.
packages_prepare() {
    local cache=$1 list name version folder complete
    mkdir -p "$cache/packages"
    for list in "${LAB_LISTS[@]}"; do
        complete=yes
        if ! packages_fresh "$cache" "$list" && "packages_${list}_wanted" >"$cache/$list.new" &&
            [ -s "$cache/$list.new" ]; then
            while read -r name version folder; do
                packages_download "$cache" "$name" "$version" "$folder" || complete=no
            done <"$cache/$list.new"
            [ $complete = no ] || cp "$cache/$list.new" "$cache/$list"
        fi
        rm -f "$cache/$list.new"
        [ -s "$cache/$list" ] ||
            die "cannot download the guest's packages, and none are in $cache (is apt-get update needed?)"
    done
}

# packages_listed CACHE: prints the lists that count.
packages_listed() {
    local list
    for list in "${LAB_LISTS[@]}"; do
        cat "$1/$list"
    done
}

# package_dir CACHE PATTERN: the folder of the one current package whose name matches the pattern.
package_dir() {
    packages_listed "$1" | awk -v pattern="^$2\$" -v packages="$1/packages/" \
        '$1 ~ pattern && !found { print packages $3; found = 1 } END { exit !found }' ||
        die "no package $2 in $1/${LAB_LISTS[0]}"
}

# package_libraries CACHE: the folders that hold the current packages' libraries, for LD_LIBRARY_PATH.
package_libraries() {
    local folder
    while read -r _ _ folder; do
        find "$1/packages/$folder" -name 'lib*.so.*' -printf '%h\n'
    done < <(packages_listed "$1") | sort -u | paste -s -d :
}
