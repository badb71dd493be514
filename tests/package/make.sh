#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds the Debian packages of what git has here, in a copy, so that nothing is left in the tree: make.sh OUT [VERSION]
# OUT gets the packages, log, and the copy (tree); VERSION is that of the changelog where none is given.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath -m "$1")
version=${2-}

mkdir -p "$out"
rm -rf "$out/tree" "$out"/hbad*
mkdir "$out/tree"
cd "$top"
git ls-files --cached --others --exclude-standard -z | tar -c --null --ignore-failed-read -T - | tar -x -C "$out/tree"
cd "$out/tree"
if [ -n "$version" ]; then
    sed -i "1s/([^)]*)/($version)/" debian/changelog
fi
dpkg-buildpackage --build=binary --no-sign --jobs=auto >"$out/log" 2>&1 || {
    tail -n 40 "$out/log" | cut -c1-300
    exit 1
}
