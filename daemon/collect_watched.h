/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of an adapter that are read again and again, what each said last, and which of them say something else now.
 *
 * Which they are, and what a read costs, the tables of the transports say (transport/transport.h). Files that cost no more
 * than a look into memory stay open: reading one is one system call. The others are opened each time, which is nothing
 * beside what their read costs.
 */
#pragma once

#include "base/vec.h"
#include "diagnose/gather.h"
#include "live/below.h"
#include "live/live.h"

struct watched_file {
    const char *path;
    const char
        *power;     /* is looked at first: reading this would wake the device; NULL: it would not */
    uint8_t *value; /* what it said last */
    uint32_t len;
    int error; /* or why not */
    int fd;    /* -1: it is opened each time */
    bool is_link, is_costly;
    bool is_state; /* it says how a link is; else it counts */
    bool is_known; /* it was read at all */
    bool differs;  /* from what was sent last */
    bool is_gone;  /* it is not read any more */
};

struct watched_files {
    VEC(struct watched_file) list;
};

/* An adapter. */
struct watched {
    char *below;
    struct arena *arena; /* of paths */
    struct watched_files states,
        counters; /* what costs to read is among the counters, whatever it is */
    size_t n_costly;
};

struct watching {
    struct live_options live;
    struct below root;
    uint64_t reads, costly, asleep; /* so far; asleep: left out */
};

struct watched *watched_new(const char *below);
struct watched *watched_free(struct watched *a);

/* Looks for all files of the adapter, and reads those that cost nothing. Those that were read differ then from what was sent,
 * as nothing was. Returns 0 or a negative errno. */
int watched_walk(struct watching *w, struct watched *a);

/* Reads the file again. Returns 0, or -ENOMEM. */
int watched_read(struct watching *w, struct watched_file *f);

/* Does any of them differ: of those that say how links are (`states`), or of those that count? */
bool watched_differ(const struct watched_files *files, bool states);

/* Writes those that differ to standard output, as objects of a capture stream; none where none does. They do not differ
 * any more then. Returns 0 or a negative errno. */
int watched_send(struct watched_files *files, bool states);
