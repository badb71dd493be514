#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Plain CMake, as the README says it: configures and builds in a folder of its own, from any folder, with the
# compiler's own defaults, what ./run builds, and installs what a package would hold. usage: test_build.sh TOP
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset CMAKE_GENERATOR
if ! { cmake -S "$1" -B build -DBUILD_TESTING=OFF && cmake --build build -j 2 --target programs; } >log 2>&1; then
    cat log
    exit 1
fi
build/bin/hbactl --version
# hbad-exporter is there where libmicrohttpd is.
expect() { [ "$(grep -v hbad-exporter "$1")" = "$2" ] || { cat "$1"; exit 1; }; }
ls build/bin >built
expect built "hbactl
hbad
hbad-alert
hbad-collect"
# What tells the system of it goes where that says: tests/units.
DESTDIR=$work/image cmake --install build --prefix /usr >>log
(cd image && find ./usr/*bin ./usr/libexec -type f | sort) >installed
expect installed "./usr/bin/hbactl
./usr/libexec/hbad-alert
./usr/libexec/hbad-collect
./usr/sbin/hbad"
