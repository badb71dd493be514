/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is mounted where: /proc/PID/mountinfo (Documentation/filesystems/proc.rst 3.5) and /proc/swaps, taken
 * apart, and what of them may be recorded. Used by the recorder, by scrubbing and by the walk over a
 * machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/bytes.h"

/* A line of mountinfo; the fields lie in it, escaped as they are there ("\040" is a space). */
struct mount_fields {
    struct bytes id, parent,
        dev;            /* "36", "35", "8:1"; dev is "0:35" where no device stands for all of it */
    struct bytes point; /* where it is mounted */
    struct bytes fs, source; /* "ext4", "/dev/sda1" */
};

/* Takes the next line of mountinfo that has all of these fields; `*text` moves behind it. False at the
 * end. */
bool mounts_next(struct bytes *text, struct mount_fields *ret);

/* The lines whose source is below /dev/, each without its root, options and optional fields, which may name
 * servers and users. In the arena; data is NULL without memory. */
struct bytes mounts_storage_lines(struct arena *a, struct bytes text);

/* Of /proc/swaps the lines about something below /dev/. */
struct bytes swaps_storage_lines(struct arena *a, struct bytes text);

/* A field as text, with its escapes resolved (fs/seq_file.c, mangle_path()): in the arena; NULL without
 * memory. */
char *mounts_text(struct arena *a, struct bytes field);

/* Is it a directory that every system has ("usr", "var", "home"), which says nothing of whose it is? */
bool mounts_is_common(struct bytes component);
