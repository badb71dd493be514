/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What links were like before: kept from earlier captures of a machine, by the ids that survive a
 * reboot.
 */
#pragma once

#include "link/model.h"

struct history;

struct history *history_new(void);
struct history *history_free(struct history *h);
DEFINE_CLEANUP(struct history, history_free)

/* Adds the links of a model as the newest sample. Returns 0 or -ENOMEM. */
int history_add(struct history *h, const struct model *m, uint64_t wall_us);

/* Applies the history to a newer model: a link without anything attached that was up before is down. */
void history_apply(const struct history *h, struct model *m);
