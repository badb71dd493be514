/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Snapshots as a history (looks.h).
 */
#include "output/looks.h"

#include <stdlib.h>

#include "base/text.h"

/* Is the link as it was when the change was noted? */
static bool is_same(const struct history_change *c, const struct sample *s)
{
    return c->state == s->state && c->known == s->known && c->lanes == s->rate.lanes &&
           c->kb_per_s == rate_kb_per_s(s->rate) && text_same(c->label, s->label) &&
           text_same(c->far_id, s->far_id);
}

/* Notes how a link is; NULL: it was not there. */
static int add_change(struct history_answer *a, const struct sample *s, uint64_t wall_us)
{
    struct history_change *last = a->changes.n ? &a->changes.v[a->changes.n - 1] : NULL;

    if (last && last->until_us)
        last = NULL;
    if (s && last && is_same(last, s))
        return 0;
    if (last)
        last->until_us = wall_us;
    if (!s)
        return 0;
    return vec_push(&a->changes, (struct history_change){
                                     .since_us = wall_us,
                                     .kind = "link",
                                     .state = s->state,
                                     .is_up = s->state == LINK_UP,
                                     .known = s->known,
                                     .label = s->label,
                                     .lanes = s->rate.lanes,
                                     .kb_per_s = rate_kb_per_s(s->rate),
                                     .far = s->far,
                                     .far_id = s->far_id,
                                     .kernel_name = s->kernel_name,
                                 });
}

/* What counters grew by since the snapshot before. One that is lower than it was has begun anew, and so have all at a boot. */
static int add_growths(struct history_answer *a, const struct snapshot *was, const struct sample *s,
                       const struct snapshot *is, const struct sample *t)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < t->n_counters; i++) {
        const struct counter_sample *c = &t->counters[i];
        uint64_t before = 0;
        bool anew;

        if (!sample_counter(s, c->key, &before))
            continue;
        anew = c->value < before || !snapshot_same_boot(was, is);
        r = vec_push(&a->growths, (struct history_growth){
                                      .name = c->key->name,
                                      .from_us = was->wall_us,
                                      .at_us = is->wall_us,
                                      .value = c->value,
                                      .grown = anew ? 0 : c->value - before,
                                      .is_unknown = anew,
                                  });
    }
    return r;
}

static int add_probes(struct history_answer *a, const struct snapshot *s, const char *device)
{
    size_t n;
    const struct past_measure *v = snapshot_measures(s, device, &n);
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++)
        r = vec_push(&a->probes, (struct history_probe){
                                     .at_us = v[i].wall_us ? v[i].wall_us : s->wall_us,
                                     .method = v[i].method,
                                     .block_bytes = v[i].block_bytes,
                                     .n = 1,
                                     .kb_per_s = v[i].kb_per_s,
                                     .least_kb_per_s = v[i].kb_per_s,
                                     .most_kb_per_s = v[i].kb_per_s,
                                     .median_us = v[i].median_us,
                                     .least_median_us = v[i].median_us,
                                     .most_median_us = v[i].median_us,
                                 });
    return r;
}

int looks_answer(const struct history *h, const char *link_id, const char *const *devices, size_t n,
                 struct history_answer *ret)
{
    const struct snapshot *was = NULL;
    const struct sample *before = NULL;
    int r = 0;

    *ret = (struct history_answer){ 0 };
    for (size_t i = 0; r == 0 && i < h->snapshots.n; i++) {
        const struct snapshot *is = &h->snapshots.v[i];
        const struct sample *now = snapshot_link(is, link_id);

        bool is_unread = now && snapshot_unread(is, now->host_id);

        r = add_change(ret, now, is->wall_us);
        if (r == 0 && before && now && !is_unread)
            r = add_growths(ret, was, before, is, now);
        for (size_t k = 0; r == 0 && k < n; k++)
            r = add_probes(ret, is, devices[k]);
        if (is_unread) /* what its counters grew by is known when they are read again */
            continue;
        was = is;
        before = now;
    }
    return r;
}

void looks_done(struct history_answer *answer)
{
    free(answer->changes.v);
    free(answer->growths.v);
    free(answer->probes.v);
    free(answer->findings.v);
    *answer = (struct history_answer){ 0 };
}
