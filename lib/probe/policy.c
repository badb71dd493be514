/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tier of a device (policy.h).
 */
#include "probe/policy.h"

#include <string.h>

/* The line of [probe] that says the tier for all; its file NULL where none does. */
static struct config_place place_for_all(const struct config *config)
{
    const struct config_key *k = CONFIG_KEYS;
    const struct config_said *said;

    while (k->section && (strcmp(k->section, "probe") != 0 || strcmp(k->name, "tier") != 0))
        k++;
    said = k->section ? config_said(config, k, NULL) : NULL;
    return said ? said->place : (struct config_place){ 0 };
}

enum config_tier policy_tier(enum config_tier named, enum config_tier other, const char *property)
{
    enum config_tier word = config_tier_from_word(property);

    if (named != CONFIG_TIER_UNSAID)
        return named;
    return word != CONFIG_TIER_UNSAID && word < other ? word : other;
}

struct policy policy_of(const struct config *config, const char *const *names, size_t n,
                        const char *property)
{
    enum config_tier other = config ? config->probe.tier : CONFIG_TIER_READ,
                     named = CONFIG_TIER_UNSAID;
    struct policy p = { 0 };

    if (config)
        named = config_device_tier(config, names, n, &p.place);
    p.tier = policy_tier(named, other, property);
    p.is_named = named != CONFIG_TIER_UNSAID;
    p.by_property = !p.is_named && p.tier != other;
    if (config && !p.is_named && !p.by_property)
        p.place = place_for_all(config);
    return p;
}

const char *policy_says(struct arena *a, const struct policy *p)
{
    const char *word = config_tier_to_string(p->tier);

    if (p->by_property)
        return arena_printf(a, "udev (" POLICY_PROPERTY "=%s)", word);
    if (p->place.file)
        return arena_printf(a, "%s:%u (tier = %s)", p->place.file, p->place.line, word);
    return arena_printf(a, "the configuration (tier = %s)", word);
}
