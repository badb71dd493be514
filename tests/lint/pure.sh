#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A pure layer calls nothing impure: no I/O, no clock, no environment, no process. What its archive leaves
# undefined must be defined by another archive, or be on the list below.
#
# usage: pure.sh ARCHIVE...              the archives of all pure layers
#        pure.sh --self-test CC          is a planted call found?
set -eu

allowed='
memchr memcmp memcpy memmem memmove memset
fnmatch
strcasecmp strcasestr strcat strchr strcmp strcpy strcspn strdup strerrorname_np strlen strncasecmp strncmp strndup
strnlen strrchr strspn strstr strtok_r strverscmp strtoll strtoull
calloc free malloc realloc reallocarray
qsort qsort_r bsearch tdestroy tdelete tfind tsearch twalk_r
snprintf vsnprintf asprintf vasprintf __isoc99_sscanf
fprintf vfprintf fputs fputs_unlocked fputc putc fwrite fwrite_unlocked __overflow ferror
open_memstream fclose fflush
gmtime_r strftime inet_ntop inet_pton
__errno_location __stack_chk_fail __popcountdi2 __assert_fail _GLOBAL_OFFSET_TABLE_
'
# fprintf and its kin write to the stream that they are given; fclose and fflush are for open_memstream.

# impure ARCHIVE...: the symbols that are not allowed, each with the object that wants it.
impure() {
    defined=$(nm --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort -u)
    nm -u "$@" | awk -v known="$defined $allowed" '
        BEGIN { n = split(known, words); for (i = 1; i <= n; i++) is_known[words[i]] = 1 }
        /:$/ { object = $1 }
        NF == 2 {
            name = $2
            if (name ~ /^__.*_chk$/) { sub(/^__/, "", name); sub(/_chk$/, "", name) }
            if (!(name in is_known) && !($2 in is_known)) print object, $2
        }'
}

self_test() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cat >"$work/planted.c" <<'EOF'
#include <fcntl.h>
#include <string.h>
int planted(const char *path);
int planted(const char *path)
{
    return strlen(path) ? open(path, O_RDONLY) : -1;
}
EOF
    "$1" -c -O0 -o "$work/planted.o" "$work/planted.c"
    ar rc "$work/planted.a" "$work/planted.o"
    [ "$(impure "$work/planted.a")" = "planted.o: open" ] || {
        echo "a planted call of open() is not found; what is: $(impure "$work/planted.a")"
        exit 1
    }
}

if [ "$1" = --self-test ]; then
    self_test "$2"
else
    bad=$(impure "$@")
    [ -z "$bad" ] || {
        echo "impure calls in pure layers (a new pure function of libc goes on the list in pure.sh):"
        echo "$bad"
        exit 1
    }
fi
