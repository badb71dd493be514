/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tier of a device (policy.h).
 */
#include "probe/policy.h"

struct policy policy_of(const struct config *config, const char *const *names, size_t n,
                        const char *property)
{
    struct policy p = { .tier = config ? config->probe.tier : CONFIG_TIER_READ };
    enum config_tier named = CONFIG_TIER_UNSAID, word = config_tier_from_word(property);

    if (config)
        named = config_device_tier(config, names, n, &p.place);
    if (named != CONFIG_TIER_UNSAID) {
        p.tier = named;
        p.is_named = true;
    } else if (word != CONFIG_TIER_UNSAID && word < p.tier) {
        p.tier = word;
        p.by_property = true;
    }
    return p;
}
