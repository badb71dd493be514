/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What earlier captures say of an object, as the daemon's memory would say it (finding/life.h): so that both are shown by the same code.
 */
#pragma once

#include "finding/life.h"
#include "link/history.h"

/* How a link was, how its counters grew, and what was measured of the devices, `n` ids, by these snapshots, the newest of which may
 * be what is judged. The answer's texts live as long as the history; looks_done() frees its lists in either case.
 * Returns 0 or -ENOMEM. */
int looks_answer(const struct history *h, const char *link_id, const char *const *devices, size_t n,
                 struct history_answer *ret);
void looks_done(struct history_answer *answer);
