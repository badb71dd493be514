/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a table of measurements says: the cells of one device (method × block × depth) give the best one and what limits;
 * what several give together is judged in together.h.
 *
 * Only cells that count (source/measure.h) are looked at. All sentences are in the arena, for people, without a newline,
 * and name what they say by its numbers.
 */
#pragma once

#include "base/arena.h"
#include "source/measure.h"

/* What keeps a device from being read faster. */
enum sweep_limit {
    SWEEP_UNKNOWN, /* what was measured does not tell */
    SWEEP_LINK,    /* the best is within 85 to 105 % of what the path carries */
    SWEEP_MEDIUM, /* reads from it are below 80 % of those from its buffer or cache, or they seek */
    SWEEP_CPU,    /* a thread that reads keeps 90 % of a processor busy */
    SWEEP_COMMANDS, /* as many commands a second at the largest block as at one half of it or less */
    SWEEP_COPYING, /* ways that copy give below 90 % of those that do not, and nothing else is the limit */
    _SWEEP_LIMIT_MAX,
};
const char *sweep_limit_to_string(enum sweep_limit l);

/* Where a device is measured through. */
struct sweep_path {
    const char *hop;   /* the narrowest hop: "target0:0:1"; may be NULL */
    uint64_t kb_per_s; /* its payload; 0: not known */
};

struct sweep {
    const struct measurement *best; /* the fastest cell; NULL: none counts */
    enum sweep_limit limit;
    const char *sentence; /* what limits, in one sentence */
    const char *copying;  /* what copying costs, in another; NULL: nothing is seen of that */
};

/* Judges the cells of one device, measured alone. What came out of the page cache faster than the path can carry is not
 * the best. Returns 0 or -ENOMEM. */
int sweep_judge(const struct measurement *const *cells, size_t n, const struct sweep_path *path,
                struct arena *arena, struct sweep *ret);
