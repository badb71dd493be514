/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How far to go with each device of a live machine, known before any is asked: what [device "GLOB"] says, by all names
 * that sysfs and udev give, ids included.
 */
#pragma once

#include "base/vec.h"
#include "config/config.h"
#include "source/source.h"

struct device_tier {
    char hctl[48];
    enum config_tier tier;
};

/* Of devices that [device] sections name, in the order of the machine. */
struct tiers {
    VEC(struct device_tier) named;
    enum config_tier other; /* of the rest; their udev property may make it stricter */
};

/* Finds the tiers, without sending any device a command: where there are [device] sections, the machine (or what lies
 * below `only_below`, as in gather.h) is walked once for it. Returns 0 or a negative errno; tiers_done() in either
 * case. */
int tiers_find(struct source *source, const struct config *config, const char *only_below,
               struct tiers *ret);
void tiers_done(struct tiers *t);

/* The tier of the device. `property`: the value of its udev property, or NULL. */
enum config_tier tiers_of(const struct tiers *t, const char *hctl, const char *property);
