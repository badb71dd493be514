/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "diagnose/unasked.h"

#include <errno.h>
#include <string.h>

#include "probe/plan.h"
#include "probe/policy.h"
#include "transport/transport.h"

/* Origins of what sysfs and udev say are one word; those of answers are a command and its page. */
static bool was_asked(const struct device *d)
{
    for (uint32_t i = 0; i < d->subject->n_facts; i++)
        if (strchr(d->subject->facts[i].origin, ' '))
            return true;
    return false;
}

/* An upper bound, such as its INQUIRY data give, is no word on what it can do. */
static bool is_told_by_device(const struct link *l)
{
    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who == WHO_TARGET && !l->able.v[i].at_most)
            return true;
    return false;
}

/* Would it be asked, were there no tiers? */
static bool is_askable(const struct device *d)
{
    const struct transport *t = d->host ? transport_named(d->host->transport) : NULL;

    return t && !t->sysfs_only;
}

/* `*ret`: where it is said that the device is sent nothing; NULL: nowhere. Returns 0 or -ENOMEM. */
static int said_where(const struct config *config, struct arena *arena, const struct device *d,
                      const char **ret)
{
    const char *names[PLAN_NAMES];
    struct policy p;
    int r = plan_names(arena, d, names);

    *ret = NULL;
    if (r < 0)
        return r;
    p = policy_of(config, names, PLAN_NAMES, fact_text(d->subject, &KEY_TIER));
    if (p.tier != CONFIG_TIER_SYSFS)
        return 0;
    *ret = policy_says(arena, &p);
    return *ret ? 0 : -ENOMEM;
}

int unasked_tell(const struct config *config, struct model *m)
{
    for (size_t i = 0; i < m->devices.n; i++) {
        const struct device *d = m->devices.v[i];
        struct link *l = d->link;
        const char *where;
        int r;

        if (!l || l->verdict != VERDICT_UNKNOWN || is_told_by_device(l) || !is_askable(d) ||
            was_asked(d))
            continue;
        r = said_where(config, m->arena, d, &where);
        if (r < 0)
            return r;
        if (!where)
            continue;
        l->reason = arena_printf(m->arena, "%s%s%s is asked nothing: so says %s",
                                 l->reason ? l->reason : "", l->reason ? "; " : "", d->hctl, where);
        if (!l->reason)
            return -ENOMEM;
    }
    return 0;
}
