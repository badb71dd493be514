/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timed reads of two reports (rates.h).
 */
#include "probe/rates.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "probe/cell.h"

/* Ids hold addresses: where only those of one model were made up by scrubbing, a device is known by what is not. */
static bool is_same_device(const struct device *a, const struct device *b, bool made_up)
{
    if (made_up)
        return strcmp(a->hctl, b->hctl) == 0 && text_same(a->model, b->model);
    return strcmp(a->id, b->id) == 0;
}

static bool is_like(const struct timed *a, const struct timed *b, bool made_up)
{
    unsigned x = a->read->together > 1 ? a->read->together : 1,
             y = b->read->together > 1 ? b->read->together : 1;

    return is_same_device(a->device, b->device, made_up) && x == y && cell_same(a->read, b->read);
}

static bool is_usable(const struct timed *t)
{
    return measurement_counts(t->read) && cell_kb_per_s(t->read);
}

/* The fastest of its kind; NULL: there is none. */
static const struct timed *best_like(const struct model *m, const struct timed *t, bool made_up)
{
    const struct timed *best = NULL;

    for (size_t i = 0; i < m->timed.n; i++) {
        const struct timed *x = &m->timed.v[i];

        if (is_usable(x) && is_like(x, t, made_up) &&
            (!best || cell_kb_per_s(x->read) > cell_kb_per_s(best->read)))
            best = x;
    }
    return best;
}

int rates_compare(const struct model *before, const struct model *after, struct arena *arena,
                  struct rates *ret)
{
    *ret = (struct rates){ .v = arena_new_array(arena, struct rate_pair, after->timed.n + 1) };
    if (!ret->v)
        return -ENOMEM;
    for (size_t i = 0; i < after->timed.n; i++) {
        const struct timed *now = &after->timed.v[i], *then;
        struct rate_pair *pair = &ret->v[ret->n];
        uint64_t ratio;

        if (!is_usable(now) || best_like(after, now, false) != now)
            continue;
        then = best_like(before, now, before->scrubbed != after->scrubbed);
        if (!then)
            continue;
        ratio = cell_ratio(cell_kb_per_s(now->read), 1000, cell_kb_per_s(then->read));
        *pair = (struct rate_pair){ .device = now->device,
                                    .before = then->read,
                                    .after = now->read,
                                    .permille = (int64_t)ratio - 1000 };
        pair->differs = pair->permille > RATES_NOISE_PERMILLE ||
                        pair->permille < -RATES_NOISE_PERMILLE;
        ret->differ += pair->differs;
        ret->n++;
    }
    return 0;
}
