#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Plain CMake, as the README says it: configures and builds in a folder of its own, from any folder, with the
# compiler's own defaults, and installs what a package would hold. usage: test_build.sh TOP
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset CMAKE_GENERATOR
if ! { cmake -S "$1" -B build -DBUILD_TESTING=OFF && cmake --build build -j 2; } >log 2>&1; then
    cat log
    exit 1
fi
build/bin/hbactl --version
ls build/bin
[ "$(ls build/bin)" = "hbactl
hbad
hbad-collect" ]
# What tells the system of it goes where that says: tests/units.
DESTDIR=$work/image cmake --install build --prefix /usr >>log
(cd image && find ./usr/*bin ./usr/libexec ./usr/share/hbad -type f | sort) | tee installed
[ "$(cat installed)" = "./usr/bin/hbactl
./usr/libexec/hbad-collect
./usr/sbin/hbad
./usr/share/hbad/bench.schema.json
./usr/share/hbad/report.schema.json" ]
