/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several devices, each measured alone and then all together: what they get of the hop that they share.
 */
#pragma once

#include "base/arena.h"
#include "link/model.h"
#include "source/measure.h"

/* The narrowest hop that the paths of several devices have in common. */
struct shared_hop {
    const char *name;  /* "host0", "port-0:0"; NULL: they share nothing whose rate is known */
    bool is_bus;       /* it is a parallel SCSI bus */
    uint64_t kb_per_s; /* of a bus: the fastest mode agreed on it */
};
struct shared_hop sweep_shared_hop(const struct model *m, struct device *const *devices, size_t n);

/* What keeps several devices from being read faster together. */
enum together_limit {
    TOGETHER_UNKNOWN,
    TOGETHER_NOTHING, /* they give 95 % or more of what they give alone */
    TOGETHER_HOP,     /* within 85 to 105 % of what the shared hop carries */
    TOGETHER_CPU,     /* the processors were idle for less than 5 % of the time */
    _TOGETHER_LIMIT_MAX,
};
const char *together_limit_to_string(enum together_limit l);

struct together {
    uint64_t kb_per_s;       /* of all that count, together */
    uint64_t alone_kb_per_s; /* of them, each alone; 0: not all were measured so */
    size_t n;                /* of those that count */
    enum together_limit limit;
    const char *sentence;
};

/* Judges one cell of several devices that were measured at the same time; alone[i] is the same cell of device i by itself,
 * or NULL. Returns 0 or -ENOMEM. */
int sweep_together(const struct measurement *const *cells, const struct measurement *const *alone,
                   size_t n, const struct shared_hop *hop, struct arena *arena,
                   struct together *ret);
