/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The timed reads of two reports beside each other: before and after a change, one kernel and another.
 */
#pragma once

#include "base/arena.h"
#include "link/model.h"
#include "source/measure.h"

/* A cell that counts in both. */
struct rate_pair {
    const struct device *device; /* of the second */
    const struct measurement *before, *after;
    int64_t permille; /* by how much the rate changed, of what it was */
    bool differs;     /* by more than noise: RATES_NOISE_PERMILLE */
};

/* Reads of a second or two on an idle machine repeat within a few per cent. */
enum { RATES_NOISE_PERMILLE = 50 };

struct rates {
    struct rate_pair *v; /* in the order of the second */
    size_t n, differ;
};

/* Pairs of the same cell of the same device, by its id (where scrubbing made up the names of
 * only one of the two, by H:C:T:L and model): of several the fastest. In the arena. Returns 0 or -ENOMEM. */
int rates_compare(const struct model *before, const struct model *after, struct arena *arena,
                  struct rates *ret);
