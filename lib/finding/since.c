/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Since when findings are known to hold (judge.h): what is said of a link's mode or state holds since the first
 * of the earlier captures, going back without a gap, in which it was as it is now.
 */
#include "finding/judge.h"

#include <string.h>

/* These are about what happened, and when is for their rules to say. */
static const char *const OF_EVENTS[] = { "errors-growing", "link-flapping", "read-below-link",
                                         "host-resetting", "device-stuck" };

static bool is_of_events(const struct finding *f)
{
    for (size_t i = 0; i < ELEMENTS(OF_EVENTS); i++)
        if (strcmp(f->entry->code, OF_EVENTS[i]) == 0)
            return true;
    return false;
}

/* Was the link of that id then as it is now (NULL: it is not there)? */
static bool was_alike(const struct snapshot *then, const char *id, const struct link *now)
{
    const struct sample *s = snapshot_link(then, id);

    if (!now || now->state != LINK_UP)
        return !s || s->state != LINK_UP;
    return s && s->state == LINK_UP && sample_is_of(s, now) && !s->bundle_id == !now->bundle &&
           s->known == now->actual.known && (!s->known || rate_same(s->rate, now->actual.rate));
}

/* What is no link does not count: hosts and devices have no mode. */
static bool was_link(const struct judging *j, const char *id)
{
    for (size_t i = 0; i < j->history->snapshots.n; i++)
        if (snapshot_link(&j->history->snapshots.v[i], id))
            return true;
    return false;
}

static uint64_t since_of(const struct judging *j, const char *id, const struct link *now)
{
    uint64_t since_us = j->report->wall_us;

    for (size_t i = j->history->snapshots.n; i; i--) {
        const struct snapshot *s = &j->history->snapshots.v[i - 1];

        if (!was_alike(s, id, now))
            break;
        if (s->wall_us && s->wall_us < since_us)
            since_us = s->wall_us;
    }
    return since_us;
}

void judge_since(const struct judging *j, struct finding *f)
{
    uint64_t since_us = 0;

    if (is_of_events(f))
        return;
    for (size_t i = 0; i < f->subjects.n; i++) {
        const struct link *now = judge_link(j, f->subjects.v[i]);
        uint64_t own_us = now || was_link(j, f->subjects.v[i]) ? since_of(j, f->subjects.v[i], now)
                                                               : j->report->wall_us;

        if (own_us > since_us) /* all of it is wrong since the last one is */
            since_us = own_us;
    }
    if (f->subjects.n)
        f->since_us = since_us;
}
