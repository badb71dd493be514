# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Builds hbasim.ko for the guest's kernel, from Debian's headers of the same version. The cache holds
#   kbuild/HEADERS/          those headers and the kernel's build programs as one tree
#   modules/HEADERS_HASH/    hbasim.ko, stripped, of sources with that hash
# Warnings of the compiler and of sparse are errors.

# module_tree CACHE: prints the folder to build against. Headers, what all flavours share and the build
# programs are packages of their own; they find each other by relative links, and by one absolute path.
module_tree() {
    local headers tree folder
    headers=$(package_dir "$1" 'linux-headers-[0-9].*-amd64') || exit 3
    tree=$1/kbuild/$(basename "$headers")
    if [ ! -d "$tree" ]; then
        rm -rf "$tree.new"
        mkdir -p "$tree.new"
        while read -r folder; do
            cp -a "$1/packages/$folder/." "$tree.new"
        done < <(awk '$1 ~ /^linux-(headers|kbuild|compiler)-/ { print $3 }' "$1/current")
        sed -i "s|/usr/src|$tree/usr/src|" "$tree.new"/usr/src/linux-headers-*-amd64/Makefile
        mv "$tree.new" "$tree"
    fi
    echo "$tree"/usr/src/linux-headers-*-amd64
}

# module_make CACHE SOURCES WORK: makes WORK/hbasim.ko.
module_make() {
    local tree
    tree=$(module_tree "$1") || exit 3
    cp "$2"/Kbuild "$2"/*.[ch] "$3"
    make -C "$tree" M="$3" W=1 KCFLAGS=-Werror C=1 CF=-Wsparse-error \
        CHECK="$(package_dir "$1" sparse)/usr/bin/sparse" modules >"$3/log" 2>&1 &&
        strip --strip-debug "$3/hbasim.ko"
}

# module_build CACHE SOURCES: prints the path of hbasim.ko. The caller holds the cache's lock.
module_build() {
    local hash headers target work
    hash=$(cat "$2"/Kbuild "$2"/*.[ch] "${BASH_SOURCE[0]}" | sha256sum | cut -c1-16)
    headers=$(package_dir "$1" 'linux-headers-[0-9].*-amd64') || exit 3
    target=$1/modules/$(basename "$headers")_$hash
    if [ ! -s "$target/hbasim.ko" ]; then
        work=$(mktemp -d "$1/module.XXXXXX")
        if ! module_make "$1" "$2" "$work"; then
            cat "$work/log" >&2
            rm -rf "$work"
            die "cannot build hbasim.ko"
        fi
        mkdir -p "$target"
        mv "$work/hbasim.ko" "$target/"
        rm -rf "$work"
    fi
    echo "$target/hbasim.ko"
}
