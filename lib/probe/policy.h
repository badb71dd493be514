/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How far hbad goes with a device, by what its administrator says: the tier.
 *
 * [device "GLOB"] of the configuration decides where it names the device. Else it is the stricter word of [probe] and
 * of the device's udev property HBAD_TIER; a property that holds anything but a tier's name is of no account.
 */
#pragma once

#include "base/arena.h"
#include "config/config.h"

/* The name of the udev property, of the SCSI device or of its block device. */
#define POLICY_PROPERTY "HBAD_TIER"

struct policy {
    enum config_tier tier; /* never CONFIG_TIER_UNSAID */
    bool
        is_named; /* [device "GLOB"] says so: what is left off by default is switched on by `read` */
    struct config_place
        place; /* of the line that says so, of [device] or [probe]; its file NULL: none does */
    bool by_property; /* the udev property made it stricter */
};

/* The rule: of what [device] says of it (CONFIG_TIER_UNSAID: nothing), what holds for all, and its udev property (NULL where it
 * has none). */
enum config_tier policy_tier(enum config_tier named, enum config_tier other, const char *property);

/* The tier of a device that goes by any of these names (NULLs among them are left out). `config` NULL: nobody said
 * anything. `property`: the value of the udev property, NULL where it has none. */
struct policy policy_of(const struct config *config, const char *const *names, size_t n,
                        const char *property);

/* Who says so, with his words: "/etc/hbad/hbad.conf:12 (tier = sysfs)", "udev (HBAD_TIER=sysfs)", "the configuration (tier =
 * sysfs)". NULL without memory. */
const char *policy_says(struct arena *a, const struct policy *p);
