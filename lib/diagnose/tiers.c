/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How far to go with each device (tiers.h).
 */
#include "diagnose/tiers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "probe/plan.h"
#include "probe/policy.h"

static int take_device(struct arena *arena, const struct config *config, const struct device *d,
                       struct tiers *ret)
{
    struct device_tier tier = { .tier = CONFIG_TIER_UNSAID };
    const char *names[PLAN_NAMES];
    int r = plan_names(arena, d, names);

    if (r < 0)
        return r;
    tier.tier = config_device_tier(config, names, PLAN_NAMES, NULL);
    snprintf(tier.hctl, sizeof(tier.hctl), "%s", d->hctl);
    return tier.tier == CONFIG_TIER_UNSAID ? 0 : vec_push(&ret->named, tier);
}

int tiers_find(struct source *source, const struct config *config, const char *only_below,
               struct tiers *ret)
{
    const struct gather_options options = { .level = LEVEL_ALL,
                                            .only_below = only_below,
                                            .unasked = true };
    _cleanup_(report_freep) struct report *report = NULL;
    int r = 0;

    *ret = (struct tiers){ .other = config->probe.tier };
    if (!config->devices.n)
        return 0;
    report = calloc(1, sizeof(*report));
    if (report)
        r = diagnose_observe(source, &options, config, report);
    else
        r = -ENOMEM;
    for (size_t i = 0; r == 0 && i < report->model->devices.n; i++)
        r = take_device(report->model->arena, config, report->model->devices.v[i], ret);
    return r;
}

void tiers_done(struct tiers *t)
{
    free(t->named.v);
    *t = (struct tiers){ 0 };
}

enum config_tier tiers_of(const struct tiers *t, const char *hctl, const char *property)
{
    enum config_tier named = CONFIG_TIER_UNSAID;

    for (size_t i = 0; i < t->named.n && named == CONFIG_TIER_UNSAID; i++)
        if (strcmp(t->named.v[i].hctl, hctl) == 0)
            named = t->named.v[i].tier;
    return policy_tier(named, t->other, property);
}
