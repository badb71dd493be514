/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a repair would give (judge.h): path arithmetic with the links of a finding at what they should run at.
 * One device gets as much as its narrowest hop carries; several behind one link share it.
 */
#include "finding/judge.h"

#include <errno.h>
#include <inttypes.h>

/* What is gained by a finding's repair. */
struct gain {
    const struct device *device; /* the first that gains */
    uint64_t now, then;          /* what its path carries, kB/s */
    const struct link *holder;   /* the hop that carries no more for one that gains nothing */
    size_t n_gain, n_devices;
};

/* MB/s with a tenth: "160.0" */
static const char *mb_text(struct judging *j, uint64_t kb_per_s)
{
    return arena_printf(j->arena, "%" PRIu64 ".%" PRIu64, kb_per_s / 1000, kb_per_s % 1000 / 100);
}

static bool is_repaired(const struct finding *f, const struct link *l)
{
    return l->verdict == VERDICT_BELOW && l->expected.known && rate_kb_per_s(l->actual.rate) &&
           l->findings.n && l->findings.v[l->findings.n - 1] == f;
}

/* What the hops from the link up to the slot carry, now or repaired; 0 where no rate is known. */
static uint64_t carried(const struct finding *f, const struct link *from, bool repaired,
                        const struct link **ret_hop)
{
    uint64_t least = 0;

    for (const struct link *l = from; l; l = l->up) {
        const struct mode *mode = repaired && is_repaired(f, l) ? &l->expected : &l->actual;
        uint64_t rate = mode->known ? rate_kb_per_s(mode->rate) : 0;

        if (rate && (!least || rate < least)) {
            least = rate;
            *ret_hop = l;
        }
    }
    return least;
}

static bool is_behind(const struct finding *f, const struct device *d)
{
    for (const struct link *l = d->link; l; l = l->up)
        if (is_repaired(f, l))
            return true;
    return false;
}

static struct gain gain_of(const struct judging *j, const struct finding *f)
{
    struct gain g = { 0 };

    for (size_t i = 0; i < j->model->devices.n; i++) {
        const struct device *d = j->model->devices.v[i];
        uint64_t now = device_path_kb_per_s(d, NULL), then;
        const struct link *hop = NULL;

        if (!now || !is_behind(f, d))
            continue;
        g.n_devices++;
        then = carried(f, d->link, true, &hop);
        if (then <= now)
            g.holder = hop;
        if (then <= now || g.n_gain++)
            continue;
        g.device = d;
        g.now = now;
        g.then = then;
    }
    return g;
}

/* The only link that would be repaired; NULL where there are several or none. */
static const struct link *only_link(const struct judging *j, const struct finding *f)
{
    const struct link *found = NULL;

    for (size_t i = 0; i < f->subjects.n; i++) {
        const struct link *l = judge_link(j, f->subjects.v[i]);

        if (!l || !is_repaired(f, l))
            continue;
        if (found)
            return NULL;
        found = l;
    }
    return found;
}

static const char *no_gain(struct judging *j, const struct link *holder)
{
    return arena_printf(j->arena, "no more yet: %s carries no more", judge_link_name(j, holder));
}

/* Of a link that several devices share. */
static const char *shared_text(struct judging *j, const struct finding *f, const struct link *l,
                               size_t n_devices)
{
    const struct link *hop = NULL;
    uint64_t now = carried(f, l, false, &hop), then = carried(f, l, true, &hop);

    return then <= now
               ? no_gain(j, hop)
               : arena_printf(j->arena,
                              "%s instead of %s MB/s for the %zu devices behind it together",
                              mb_text(j, then), mb_text(j, now), n_devices);
}

static const char *gain_text(struct judging *j, const struct finding *f, const struct gain *g)
{
    const struct link *l = only_link(j, f);

    if (l && g->n_devices > 1)
        return shared_text(j, f, l, g->n_devices);
    if (!g->n_gain)
        return no_gain(j, g->holder);
    return arena_printf(j->arena, "%s instead of %s MB/s for %s%s", mb_text(j, g->then),
                        mb_text(j, g->now), judge_device_name(j, g->device),
                        judge_more(j, g->n_gain - 1));
}

int judge_gain(struct judging *j, struct finding *f)
{
    struct gain g = gain_of(j, f);
    const char *text;

    if (!g.n_devices)
        return 0;
    text = gain_text(j, f, &g);
    return text ? judge_evidence(f, "a repair gives", text, "path arithmetic") : -ENOMEM;
}
