/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks that are kept (past.h). What was left out leaves its own behind in the history's memory: when that has grown, the
 * looks are written down anew.
 */
#include "daemon/past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "daemon/look.h"

enum {
    SLACK_BYTES = 1 << 20,    /* so much may be left behind before it is worth the work */
    SLEWED_US = 60 * 1000000, /* adjtime(3): at most 500 us a second, which are 43 s in a day */
};

/* Adds the snapshot as the newest. */
static int append(struct history *h, const struct snapshot *s)
{
    const struct snapshot *newest = h->snapshots.n ? &h->snapshots.v[h->snapshots.n - 1] : NULL;
    struct look look;
    int r = look_between(newest, s, &look);

    if (r == 0)
        r = vec_reserve(&look.measures, s->n_measures);
    for (size_t i = 0; r == 0 && i < s->n_measures; i++)
        look.measures.v[look.measures.n++] = s->measures[i];
    if (r == 0)
        r = look_apply(h, &look);
    if (r == 0)
        h->snapshots.v[h->snapshots.n - 1].scrubbed = s->scrubbed;
    look_done(&look);
    return r;
}

static void drop(struct history *h, size_t i)
{
    struct snapshot *v = h->snapshots.v;

    h->snapshots.n--;
    memmove(v + i, v + i + 1, (h->snapshots.n - i) * sizeof(*v));
}

/* Makes room for one more. */
static void make_room(struct history *h)
{
    const struct snapshot *v = h->snapshots.v;
    size_t end = h->snapshots.n - PAST_RECENT, least = 1;
    uint64_t least_us = UINT64_MAX;

    for (size_t i = 1; i < end; i++) {
        uint64_t gap_us = v[i + 1].wall_us - v[i - 1].wall_us;

        if (history_can_spare(h, i)) {
            drop(h, i);
            return;
        }
        if (gap_us < least_us) {
            least_us = gap_us;
            least = i;
        }
    }
    drop(h, least);
}

/* Was all the same? Looks share what is. */
static bool is_same(const struct snapshot *a, const struct snapshot *b)
{
    return a->links == b->links && a->hosts == b->hosts && a->remotes == b->remotes &&
           a->devices == b->devices && a->measures == b->measures;
}

/* Of looks in a row that are all the same, the first and the last say all. */
static void drop_between(struct history *h)
{
    const struct snapshot *v = h->snapshots.v;
    size_t n = h->snapshots.n;

    if (n > 2 && is_same(&v[n - 3], &v[n - 2]) && is_same(&v[n - 2], &v[n - 1]))
        drop(h, n - 2);
}

/* Writes the looks down anew where much is left behind. Without memory for that, all stays as it is. */
static void tidy_up(struct past_looks *p)
{
    struct history *fresh;
    int r = 0;

    if (arena_used(p->history->arena) < 2 * p->tidy_bytes + SLACK_BYTES)
        return;
    fresh = history_new();
    for (size_t i = 0; fresh && r == 0 && i < p->history->snapshots.n; i++)
        r = append(fresh, &p->history->snapshots.v[i]);
    if (!fresh || r < 0) {
        history_free(fresh);
        return;
    }
    history_free(p->history);
    p->history = fresh;
    p->tidy_bytes = arena_used(fresh->arena);
}

void past_follow_clock(struct past_looks *p, uint64_t wall_us, uint64_t mono_us)
{
    const struct snapshot *newest = past_newest(p);
    int64_t was, ahead;

    if (!newest || newest->wall_us <= wall_us || newest->mono_us > mono_us)
        return;
    was = (int64_t)(newest->wall_us - newest->mono_us);
    ahead = was - (int64_t)(wall_us - mono_us);
    for (size_t i = 0; i < p->history->snapshots.n; i++) {
        struct snapshot *s = &p->history->snapshots.v[i];
        int64_t apart = (int64_t)(s->wall_us - s->mono_us) - was;

        /* What a clock has slewed in a day counts as the same. */
        if (apart > -SLEWED_US && apart < SLEWED_US && s->wall_us > (uint64_t)ahead)
            s->wall_us -= (uint64_t)ahead;
    }
}

int past_add(struct past_looks *p, const struct snapshot *s)
{
    int r;

    if (!p->history)
        p->history = history_new();
    if (!p->history)
        return -ENOMEM;
    past_follow_clock(p, s->wall_us, s->mono_us);
    if (p->history->snapshots.n >= PAST_MAX)
        make_room(p->history);
    r = append(p->history, s); /* which may be of this very history: it is tidied up behind that */
    if (r < 0)
        return r;
    drop_between(p->history);
    tidy_up(p);
    return 0;
}

const struct snapshot *past_newest(const struct past_looks *p)
{
    return p->history && p->history->snapshots.n
               ? &p->history->snapshots.v[p->history->snapshots.n - 1]
               : NULL;
}

static struct past_ids ids_in(const struct snapshot *s, const char *name)
{
    for (size_t i = 0; i < s->n_links; i++)
        if (text_same_known(s->links[i]->kernel_name, name))
            return (struct past_ids){ s->links[i]->id, NULL };
    for (size_t i = 0; i < s->n_devices; i++)
        if (text_same_known(s->devices[i]->kernel_name, name))
            return (struct past_ids){ s->devices[i]->id, s->devices[i]->link_id };
    for (size_t i = 0; i < s->n_hosts; i++)
        if (text_same_known(s->hosts[i]->kernel_name, name))
            return (struct past_ids){ s->hosts[i]->id, NULL };
    return (struct past_ids){ 0 };
}

struct past_ids past_named(const struct past_looks *p, const char *name)
{
    struct past_ids ids = { 0 };

    for (size_t i = p->history ? p->history->snapshots.n : 0; i && !ids.id; i--)
        ids = ids_in(&p->history->snapshots.v[i - 1], name);
    return ids;
}

int past_before(const struct past_looks *p, uint64_t wall_us, struct history **ret)
{
    _cleanup_(history_freep) struct history *all = history_new();
    size_t n = p->history ? p->history->snapshots.n : 0;
    int r = all ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < n; i++)
        if (p->history->snapshots.v[i].wall_us != wall_us)
            r = vec_push(&all->snapshots, p->history->snapshots.v[i]);
    if (r == 0)
        *ret = TAKE_PTR(all);
    return r;
}

void past_done(struct past_looks *p)
{
    history_free(p->history);
    *p = (struct past_looks){ 0 };
}
