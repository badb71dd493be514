/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The third witness, the clock: measurements that the source holds. A part of diagnose.c.
 */
#pragma once

#include "link/model.h"
#include "source/source.h"

/* Adds all measurements that are recorded to the model, and the fastest of each link that went past the
 * page cache to its witnesses. Measurements of unknown devices are left out; of what is evidence those that failed or were
 * disturbed, were made together with others, at random places, or took no time. Measures nothing by itself. Returns 0 or
 * -ENOMEM. */
int measures_take(struct source *source, struct model *m);

/* Says of each that counts what it proves of its link (probe/meaning.h). Returns 0 or -ENOMEM. */
int measures_mean(struct model *m, unsigned clock_percent);

/* One read as such an entry, with what it proves; copies are in the arena. Returns 0 or -ENOMEM. */
int measures_timed(struct arena *a, struct device *device, const struct measurement *x,
                   unsigned clock_percent, struct timed *ret);
