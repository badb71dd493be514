/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a device is not read from: rules 3 to 6 of "First, do no harm", and the administrator's word. A part of plan.c.
 */
#pragma once

#include "probe/plan.h"

/* `*ret` is why, in the arena or constant, or NULL where the device may be read; it has a link then. `is_named`: the
 * request names it, which counts as [device] tier = read where the configuration does not name it.
 * `*ret_switched_on`: the configuration switches reads on for this very device. Returns 0 or -ENOMEM. */
int refusal_of(struct arena *a, const struct model *m, const struct device *d,
               const struct plan_options *options, bool is_named, bool *ret_switched_on,
               const char **ret);
