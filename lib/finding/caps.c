/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about limits that somebody set (judge.h), whether a link is held by them or slower still.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "expect/expect.h"
#include "finding/judge.h"

/* The limit that holds the link: the tightest of `allowed`; NULL where it is not below its ability, or does not
 * hold: the link exceeds it. */
static const struct claim *cap_of(const struct link *l)
{
    const struct claim *cap = NULL;
    struct rate able, held;

    if ((l->verdict != VERDICT_CAPPED && l->verdict != VERDICT_BELOW) || !expect_ability(l, &able))
        return NULL;
    for (size_t i = 0; i < l->allowed.n; i++)
        if (!cap || rate_compare(l->allowed.v[i].mode.rate, cap->mode.rate) < 0)
            cap = &l->allowed.v[i];
    if (!cap)
        return NULL;
    held = rate_common(cap->mode.rate, able);
    if (rate_compare(held, able) >= 0)
        return NULL;
    return rate_same(held, l->actual.rate) || rate_compare(held, l->actual.rate) > 0 ? cap : NULL;
}

/* One limit: of the same place, for links of one host, whether for lanes or for all of them in one. */
static bool same_cap(const struct link *l, const struct claim *cap, const struct link *other)
{
    const struct claim *its = cap_of(other);

    return its && other->host == l->host && text_same(its->via, cap->via) &&
           its->mode.rate.lane_kb_per_s == cap->mode.rate.lane_kb_per_s;
}

/* Replaces the remedy that says where the limit is to be lifted by one that names what sets it. */
static int name_limit(struct judging *j, struct finding *f, const char *via)
{
    struct catalog_entry *entry = arena_alloc(j->arena, sizeof(*entry));
    const char **remedies;
    size_t n = 0;

    while (f->entry->remedies[n])
        n++;
    remedies = arena_new_array(j->arena, const char *, n + 1);
    if (!entry || !remedies || n < 2)
        return entry && remedies ? 0 : -ENOMEM;
    memcpy(remedies, f->entry->remedies, n * sizeof(*remedies));
    remedies[1] = arena_printf(
        j->arena, "else remove it (%s: %s), and have the link negotiate again (replug or reboot)",
        via, catalog_limit(via));
    *entry = *f->entry;
    entry->remedies = remedies;
    f->entry = entry;
    return remedies[1] ? 0 : -ENOMEM;
}

int judge_caps(struct judging *j)
{
    bool *done = calloc(j->model->links.n + 1, sizeof(bool));
    int r = done ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];
        const struct claim *cap = cap_of(l);
        struct finding *f;

        if (done[i] || !cap)
            continue;
        f = judge_add(j, "capped-by-configuration");
        r = f ? 0 : -ENOMEM;
        for (size_t k = i; r == 0 && k < j->model->links.n; k++) {
            const struct link *other = j->model->links.v[k];

            if (done[k] || !same_cap(l, cap, other))
                continue;
            done[k] = true;
            r = judge_subject_link(j, f, other);
        }
        if (r == 0)
            r = judge_evidence(f, "limit", judge_mode(j, &cap->mode), cap->via);
        if (r == 0)
            r = name_limit(j, f, cap->via);
        if (r == 0)
            r = judge_say(j, f, "%s%s %s held at %s by %s", l->kernel_name,
                          judge_more(j, f->subjects.n - 1), f->subjects.n > 1 ? "are" : "is",
                          judge_mode(j, &cap->mode), cap->via);
    }
    free(done);
    return r;
}
