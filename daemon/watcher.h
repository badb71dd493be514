/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What hbad knows of its watcher: for watcher.c, and for who says how it is doing.
 */
#pragma once

#include "daemon/manager.h"
#include "wire/frame.h"
#include "wire/watch.h"

#define SECOND_US UINT64_C(1000000)

struct process;

struct watcher {
    struct manager *manager;
    struct process *process; /* NULL: it does not run */
    int fd;                  /* what is spoken over; -1: nothing */
    sd_event_source *io, *timer;
    struct frames in;
    VEC(char) out; /* not sent yet */
    char *at;      /* the adapter that it is at; NULL: none */
    enum watch_at at_what;
    uint64_t heard_us, retry_us;
    uint64_t seen_us;  /* when all was looked at last, by it or, where none runs, instead of it */
    unsigned failures; /* in a row */
    bool has_changed;  /* something, since all was looked at last */

    /* How it is doing. */
    uint64_t round_wall_us, rounds, stuck;
    struct watch_message last;                           /* the last round; zero at first */
    uint64_t before_cpu_us, before_reads, before_costly; /* of those before this one */
    char *why; /* it does not run; NULL: it does, or was never started */
};
