/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pictures of how a link was: what it ran at, how its counters grew, what probes measured. One above the other, over the same time.
 */
#pragma once

#include "finding/life.h"
#include "output/html_parts.h"

/* What a trend shows. */
struct html_trend {
    const struct link *link;
    const struct history_answer *answer;
    uint64_t from_us, to_us; /* to_us > from_us */
};

/* Draws it as one picture with title and description. Returns 0 or -ENOMEM. */
int html_plot(struct page *p, const struct html_trend *t);
