# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The guest's root: busybox, the witnesses (lsscsi, sg3-utils, sdparm, smp-utils, strace, pciutils), iscsistart, the
# kernel modules a scenario names with what they need, the programs under test, every library of these, and guest/.

# kmod_as NAME CACHE ARGUMENT...: runs the unpacked kmod under one of its names.
kmod_as() {
    local name=$1 cache=$2
    shift 2
    (
        LD_LIBRARY_PATH=$(package_libraries "$cache")
        export LD_LIBRARY_PATH
        exec -a "$name" "$(package_dir "$cache" kmod)/bin/kmod" "$@"
    )
}

# initramfs_hbasim CACHE ROOT RELEASE: builds our own module and copies it; prints what it depends on.
initramfs_hbasim() {
    local module
    module=$(module_build "$1" "$LAB_HBASIM") || exit 3
    install -D -m 644 "$module" "$2/lib/modules/$3/extra/hbasim.ko"
    kmod_as modinfo "$1" -F depends "$module" | tr , ' '
}

# initramfs_modules CACHE ROOT MODULE...: copies the modules and what they depend on.
initramfs_modules() {
    local cache=$1 root=$2 kernel release file own
    shift 2
    kernel=$(package_dir "$cache" 'linux-image-[0-9].*')
    release=$(basename "$kernel"/lib/modules/*)
    if [[ " $* " == *" hbasim "* ]]; then
        own=$(initramfs_hbasim "$cache" "$root" "$release") || exit 3
        # shellcheck disable=SC2046,SC2086 # lists of words
        set -- $(printf '%s\n' "$@" | grep -vx hbasim) $own
    fi
    [ -s "$kernel/lib/modules/$release/modules.dep" ] || kmod_as depmod "$cache" -b "$kernel" "$release"
    mkdir -p "$root/lib/modules/$release"
    cp "$kernel/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "$root/lib/modules/$release/"
    # The build machine's /etc/modprobe.d must not leak in: hence -C.
    kmod_as modprobe "$cache" -C /dev/null -d "$kernel" -S "$release" --show-depends -a "$@" >"$root/depends" ||
        die "kernel $release lacks a module of: $*"
    while read -r file; do
        install -D -m 644 "$file" "$root/${file#"$kernel/"}"
    done < <(sed -n 's/^insmod \([^ ]*\).*/\1/p' "$root/depends" | sort -u)
    rm "$root/depends"
    kmod_as depmod "$cache" -b "$root" "$release"
}

# initramfs_libraries CACHE ROOT: copies the libraries of ROOT's programs, from the cache if it has them.
initramfs_libraries() {
    local cache=$1 root=$2 needed file
    needed=$(find "$root/usr" "$root/opt/hbad" -type f -perm /111 -print0 |
        LD_LIBRARY_PATH=$(package_libraries "$cache") xargs -0 ldd 2>/dev/null) || true # ldd fails on scripts
    if grep 'not found' <<<"$needed" >&2; then
        die "a program of the guest lacks a library"
    fi
    while read -r file; do
        case $file in
        */ld-linux*) install -D "$file" "$root$file" ;;
        *) install -D -m 644 "$file" "$root/lib/x86_64-linux-gnu/$(basename "$file")" ;;
        esac
    done < <(grep -o '/[^ ]* (0x' <<<"$needed" | sed 's/ (0x//' | sort -u)
}

# initramfs_systemd TAR ROOT GUEST OWNER: Debian below what is there, with the scenario as a service.
initramfs_systemd() {
    debian_unpack "$1" "$2" "$4"
    ln -sf lib/systemd/systemd "$2/init"
    install -D -m 644 "$3/lab.service" "$2/etc/systemd/system/lab.service"
    mkdir -p "$2/etc/systemd/system/multi-user.target.wants"
    ln -sf ../lab.service "$2/etc/systemd/system/multi-user.target.wants/"
    echo hbad-lab-guest >"$2/etc/hostname"
}

# initramfs_service PROGRAMS ROOT: hbad as "cmake --install" puts it there, and as "systemctl enable" has it started.
initramfs_service() {
    local build unit target
    build=$(dirname "$1")
    [ -e "$build/CMakeCache.txt" ] || die "$1 is not in a folder that cmake built in: hbad cannot be installed"
    DESTDIR=$2 cmake --install "$build" --strip >"$2/installed" || die "cannot install from $build"
    rm "$2/installed"
    for unit in "$2"/usr/lib/systemd/system/hbad*; do
        while read -r target; do
            mkdir -p "$2/etc/systemd/system/$target.wants"
            ln -s "${unit#"$2"}" "$2/etc/systemd/system/$target.wants/"
        done < <(sed -n 's/^WantedBy=//p' "$unit")
    done
}

# initramfs_packages PACKAGES ROOT: Debian packages for the guest to install, and, in a folder that is in no path, their programs,
# for the libraries that they need are the build machine's.
initramfs_packages() {
    local file
    for file in "$1"/*.deb; do
        [ -e "$file" ] || die "$1 has no packages (tests/package/make.sh makes them)"
        cp "$file" "$2/opt/hbad/"
        dpkg-deb -x "$file" "$2/opt/hbad/unpacked"
    done
}

# initramfs_programs PROGRAMS ROOT KIND: what is tested, in a folder of its own or, in a service's guest, installed.
initramfs_programs() {
    if [ -z "$1" ]; then
        return
    elif [ "$3" = service ]; then
        initramfs_service "$1" "$2"
    elif [ "$3" = package ]; then
        initramfs_packages "$1" "$2"
    elif [ "$3" = installed ]; then
        return # in the root itself
    else
        find "$1" -maxdepth 1 -type f -perm /111 -exec cp -t "$2/opt/hbad" {} +
    fi
}

# initramfs_build CACHE IMAGE KIND PROGRAMS GUEST SCENARIO PACKAGES MODULE...: writes the image. KIND is bare, systemd,
# service, package or installed, PROGRAMS a folder of built programs (of Debian packages; the tar of a Debian that has hbad) or
# empty, GUEST the folder guest/, SCENARIO the scenario's file, PACKAGES the names of those that it asks for, or empty.
initramfs_build() {
    local cache=$1 image=$2 kind=$3 programs=$4 guest=$5 scenario=$6 packages=$7 root tool tar=$4 owner=()
    shift 7
    root=$(mktemp -d "$image.XXXXXX")
    chmod 755 "$root" # it becomes /, which services that are not root pass
    mkdir -p "$root"/{dev,proc,sys,run,tmp,out,etc,lab,opt/hbad,usr/bin}
    if [ "$kind" != bare ]; then
        mkdir -p "$root"/usr/{lib,lib64,sbin}
        ln -s usr/bin usr/lib usr/lib64 usr/sbin "$root/"
    else
        mkdir "$root/bin"
        install -m 755 "$guest/init" "$root/init"
    fi
    cp "$(package_dir "$cache" busybox-static)/bin/busybox" "$root/bin/"
    for tool in lsscsi sg3-utils sdparm smp-utils strace pciutils; do
        cp -a "$(package_dir "$cache" $tool)/usr/bin/." "$root/usr/bin/"
    done
    cp "$(package_dir "$cache" open-iscsi)/sbin/iscsistart" "$root/usr/bin/"
    for tool in $packages; do
        find "$(package_dir "$cache" "$tool")" -path '*bin/*' -type f -exec cp -t "$root/usr/bin" {} +
        # What multipathd loads by itself.
        [ ! -d "$(package_dir "$cache" "$tool")/lib/multipath" ] ||
            cp -a "$(package_dir "$cache" "$tool")/lib/multipath" "$root/lib/"
    done
    initramfs_programs "$programs" "$root" "$kind"
    initramfs_libraries "$cache" "$root"
    initramfs_modules "$cache" "$root" "$@"
    if [ "$kind" != bare ]; then
        { [ "$kind" = installed ] && [ -n "$tar" ]; } || tar=$(debian_root "$cache") || exit 3
        initramfs_systemd "$tar" "$root" "$guest" "$([ "$kind" = installed ] || echo --no-same-owner)"
    fi
    cp "$guest/run" "$guest/"*.sh "$root/lab/"
    cp "$scenario" "$root/lab/scenario"
    [ "$kind" = installed ] || owner=(-R 0:0)
    (cd "$root" && find . | cpio --quiet -o -H newc "${owner[@]}") >"$image"
    rm -rf "$root"
}
