/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about what changes and grows (judge.h): links that flap, error counters, resets of hosts.
 */
#include "finding/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "facts/key.h"

static const uint64_t HOUR_US = 3600ull * 1000000;

/* "45 s", "90 min": in minutes from two of them on. */
static const char *span_of(struct judging *j, uint64_t us)
{
    uint64_t s = us / 1000000;
    bool is_short = s < 120;

    return arena_printf(j->arena, "%" PRIu64 " %s", is_short ? s : s / 60, is_short ? "s" : "min");
}

/* ---- link-flapping ---- */

/* The changes of a link, by the times at which they were seen, oldest first. */
struct changes {
    VEC(uint64_t) at;
    bool is_flapping; /* at the time of the report */
    size_t first;     /* the first change of the unrest that goes on */
    bool is_done;
};

/* How a link looked at one time. */
struct looks {
    bool is_up, is_known;
    struct rate rate;
};

static struct looks looks_of(const struct sample *s)
{
    return s ? (struct looks){ s->state == LINK_UP, s->known, s->rate } : (struct looks){ 0 };
}

static bool has_changed(const struct looks *a, const struct looks *b)
{
    if (a->is_up != b->is_up)
        return true;
    return a->is_up && a->is_known && b->is_known && !rate_same(a->rate, b->rate);
}

/* Several changes within the window are flapping; until a while passes without any. */
static void note_change(const struct judging *j, struct changes *c)
{
    size_t n = j->thresholds.flapping_changes, last = c->at.n - 1;

    if (last && c->at.v[last] - c->at.v[last - 1] > j->thresholds.quiet_us) {
        c->is_flapping = false;
        c->first = last;
    }
    if (n && c->at.n - c->first >= n &&
        c->at.v[last] - c->at.v[last + 1 - n] <= j->thresholds.flapping_us)
        c->is_flapping = true;
}

/* The changes of a pair of ends: another far end begins anew. */
static int find_changes(const struct judging *j, const struct link *l, struct changes *ret)
{
    struct looks now = { l->state == LINK_UP, l->actual.known, l->actual.rate };
    const struct looks *before = NULL;
    struct looks seen;
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->history->snapshots.n; i++) {
        const struct snapshot *s = &j->history->snapshots.v[i];
        const struct sample *x = snapshot_link(s, l->id);
        struct looks looks = looks_of(x);

        if (x && !sample_is_of(x, l)) {
            before = NULL;
            ret->at.n = ret->first = 0;
            ret->is_flapping = false;
            continue;
        }
        if (before && has_changed(before, &looks)) {
            r = vec_push(&ret->at, s->wall_us);
            if (r == 0)
                note_change(j, ret);
        }
        seen = looks;
        before = &seen;
    }
    if (r == 0 && before && has_changed(before, &now)) {
        r = vec_push(&ret->at, j->report->wall_us);
        if (r == 0)
            note_change(j, ret);
    }
    if (ret->at.n && j->report->wall_us - ret->at.v[ret->at.n - 1] >= j->thresholds.quiet_us)
        ret->is_flapping = false;
    return r;
}

/* Was it a lane of a wide link when it was up last, and is that one still there? Or the far end of a cable? Then
 * another has changed. */
static bool is_lane(const struct judging *j, const struct link *l)
{
    if (l->bundle || l->judged_above)
        return true;
    for (size_t i = j->history->snapshots.n; l->state != LINK_UP && i; i--) {
        const struct sample *s = snapshot_link(&j->history->snapshots.v[i - 1], l->id);

        if (s && s->state == LINK_UP)
            return s->judged_above || (s->bundle_id && judge_link(j, s->bundle_id));
    }
    return false;
}

static bool same_changes(const struct changes *a, const struct changes *b)
{
    return a->at.n == b->at.n && memcmp(a->at.v, b->at.v, a->at.n * sizeof(*a->at.v)) == 0;
}

/* How the first one of a finding came here. */
static int add_steps(struct judging *j, struct finding *f, const struct link *l,
                     const struct changes *c)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->history->snapshots.n; i++) {
        const struct snapshot *s = &j->history->snapshots.v[i];
        const struct sample *x = snapshot_link(s, l->id);
        const char *looks = "not up";

        if (s->wall_us + j->thresholds.flapping_us < c->at.v[c->first])
            continue;
        if (x && x->state == LINK_UP)
            looks = x->label ? x->label : "up";
        r = judge_evidence(
            f, arena_printf(j->arena, "%" PRIu64 " min ago", judge_ago(j, s) / 60000000), looks,
            "an earlier look");
    }
    return r;
}

/* Links of one host and hop, or one wire: what they do at one time they do together. */
static bool are_together(const struct link *a, const struct link *b)
{
    return (a->host == b->host && a->up == b->up) || judge_same_wire(a, b);
}

/* One finding for all links that changed together. */
static int add_flapping(struct judging *j, struct changes *all, size_t first)
{
    const struct link *l = j->model->links.v[first];
    const struct changes *c = &all[first];
    struct finding *f = judge_add(j, "link-flapping");
    int r = f ? 0 : -ENOMEM;

    if (f)
        f->since_us = c->at.v[c->first];
    for (size_t i = first; r == 0 && i < j->model->links.n; i++) {
        const struct link *other = j->model->links.v[i];

        if (!all[i].is_flapping || all[i].is_done || !are_together(other, l) ||
            !same_changes(&all[i], c))
            continue;
        all[i].is_done = true;
        r = judge_subject_link(j, f, other);
    }
    if (r == 0)
        r = judge_situation(j, f, judge_situation_of(l));
    if (r == 0)
        r = add_steps(j, f, l, c);
    return r < 0
               ? r
               : judge_say(j, f, "%s%s changed state or mode %zu times within %s",
                           judge_link_name(j, l), judge_more(j, f->subjects.n - 1),
                           c->at.n - c->first, span_of(j, j->report->wall_us - c->at.v[c->first]));
}

/* A link below one that flaps does so because of it. */
static bool is_explained(const struct changes *all, const struct link *l)
{
    for (const struct link *up = l->up; up; up = up->up)
        if (all[up->index].is_flapping)
            return true;
    return false;
}

int judge_flapping(struct judging *j)
{
    size_t n = j->history->snapshots.n ? j->model->links.n : 0;
    struct changes *all = calloc(n + 1, sizeof(*all));
    int r = all ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < n; i++) {
        const struct link *l = j->model->links.v[i];

        r = l->has_no_link || is_lane(j, l) ? 0 : find_changes(j, l, &all[i]);
    }
    for (size_t i = 0; r == 0 && i < n; i++)
        if (all[i].is_flapping && !all[i].is_done && !is_explained(all, j->model->links.v[i]))
            r = add_flapping(j, all, i);
    for (size_t i = 0; all && i < n; i++)
        free(all[i].at.v);
    free(all);
    return r;
}

/* ---- errors-growing ---- */

/* What changes between two looks make the errors between them mean nothing. */
struct look {
    const struct sample *sample;
    const struct snapshot *snapshot;
};

/* Did a counter of events (resets, loop initialisations) move between the looks? */
static bool had_events(const struct look *a, const struct look *b)
{
    for (size_t i = 0; i < b->sample->n_counters; i++) {
        const struct counter_sample *c = &b->sample->counters[i];
        uint64_t before;

        if (c->key->kind == FACT_EVENTS && sample_counter(a->sample, c->key, &before) &&
            before != c->value)
            return true;
    }
    return false;
}

static bool host_was_reset(const struct look *a, const struct look *b)
{
    const char *host = b->sample->host_id;
    const struct past *x = host ? snapshot_host(a->snapshot, host) : NULL;
    const struct past *y = host ? snapshot_host(b->snapshot, host) : NULL;

    return x && y && x->has_count && y->has_count && x->count != y->count;
}

static bool same_end(const char *a, const char *b)
{
    return !a || !b || strcmp(a, b) == 0;
}

/* Can errors between the two looks be held against the link? */
static bool is_comparable(const struct look *a, const struct look *b)
{
    return a->sample && b->sample && a->sample->state == LINK_UP && b->sample->state == LINK_UP &&
           snapshot_same_boot(a->snapshot, b->snapshot) &&
           same_end(a->sample->far_id, b->sample->far_id) &&
           rate_same(a->sample->rate, b->sample->rate) && !had_events(a, b) &&
           !host_was_reset(a, b);
}

/* Growth of a counter between two looks; false where it says nothing. Many counters have 32 bits. Some stop at
 * their end, all ones, and say no more; others go on from 0. One that is smaller than before was near its end
 * and went on, or was reset. All ones after a small number is what a failed read looks like. */
static bool growth_of(uint64_t before, uint64_t after, uint64_t *ret)
{
    const uint64_t end = UINT32_MAX, near_end = UINT32_MAX - (UINT32_MAX >> 4);

    if (before == end || (after == end && before < end / 2))
        return false;
    if (after < before && (before > end || before < near_end || after > end - near_end))
        return false;
    *ret = after < before ? after + (end - before) + 1 : after - before;
    return true;
}

/* What was moved between the looks, in MB; 0 where nobody counts it. */
static uint64_t moved_between(const struct look *a, const struct look *b)
{
    uint64_t moved = 0;

    for (size_t i = 0; i < b->sample->n_counters; i++) {
        const struct counter_sample *c = &b->sample->counters[i];
        uint64_t before, more;

        if (c->key->kind == FACT_MEGABYTES && sample_counter(a->sample, c->key, &before) &&
            growth_of(before, c->value, &more))
            moved += more;
    }
    return moved;
}

struct growth {
    const struct fact_key *key;
    uint64_t grown, us, per_hour;
    uint64_t moved_mb; /* meanwhile; 0: not known */
};

/* Adds what grew between two looks. They may lie far apart, with nothing between them that was worth keeping: where nothing
 * grew, only the part that is missing to the span counts, for growth after it is not to be spread over that. */
static void add_grown(struct growth *g, const struct look *a, const struct look *b,
                      uint64_t span_us)
{
    uint64_t before, after, more, us, counts_us;

    if (!is_comparable(a, b) || !sample_counter(a->sample, g->key, &before) ||
        !sample_counter(b->sample, g->key, &after) || !growth_of(before, after, &more))
        return;
    us = b->snapshot->mono_us - a->snapshot->mono_us;
    counts_us = !more && us > span_us - g->us ? span_us - g->us : us;
    g->grown += more;
    g->us += counts_us;
    if (us)
        g->moved_mb += (uint64_t)((double)moved_between(a, b) * (double)counts_us / (double)us);
}

/* Growth of the counter `ret->key` over rounds, going back from now until `span_us` have been looked at; what is
 * twice as old says nothing of now. Looks in which the link's counters were not read are passed over: what grew meanwhile is
 * known when they are read again, and is spread over all of that time. */
static void growth_over(const struct history *all, const char *id, uint64_t span_us,
                        struct growth *ret)
{
    uint64_t now = all->snapshots.v[all->snapshots.n - 1].wall_us;
    struct look b = { 0 };

    *ret = (struct growth){ .key = ret->key };
    for (size_t i = all->snapshots.n; i && ret->us < span_us; i--) {
        const struct snapshot *s = &all->snapshots.v[i - 1];
        struct look a = { snapshot_link(s, id), s };

        if (a.sample && snapshot_unread(s, a.sample->host_id))
            continue;
        if (b.snapshot && b.snapshot->wall_us + 2 * span_us < now)
            break;
        if (b.snapshot)
            add_grown(ret, &a, &b, span_us);
        b = a;
    }
}

static uint64_t per_hour(uint64_t grown, uint64_t us)
{
    double rate = us ? (double)grown * (double)HOUR_US / (double)us : 0;

    return rate < (double)UINT32_MAX ? (uint64_t)rate : UINT32_MAX;
}

/* Does the counter grow beyond a threshold? A burst between two quick looks is not taken for a rate. */
static bool grows(const struct judging *j, const struct history *all, const struct link *l,
                  const struct fact_key *key, struct growth *ret)
{
    const struct thresholds *t = &j->thresholds;

    ret->key = key;
    growth_over(all, l->id, HOUR_US, ret);
    ret->per_hour = per_hour(ret->grown, ret->us > t->burst_us ? ret->us : t->burst_us);
    if (ret->per_hour >= t->errors_per_hour)
        return true;
    growth_over(all, l->id, t->slow_errors_us, ret);
    ret->per_hour = per_hour(ret->grown, ret->us);
    return ret->us >= t->slow_errors_us && ret->per_hour >= t->slow_errors_per_hour;
}

/* ", 12 per TB moved"; "" where what was moved is not known. */
static const char *per_tb(struct judging *j, const struct growth *g)
{
    return g->moved_mb ? arena_printf(j->arena, ", %.0f per TB moved",
                                      (double)g->grown * 1e6 / (double)g->moved_mb)
                       : "";
}

static int add_growth(struct judging *j, struct finding **f, const struct link *l,
                      const struct growth *g)
{
    bool is_soft = g->key->kind == FACT_SOFT_ERRORS;
    int r = 0;

    if (!*f) {
        *f = judge_add(j, "errors-growing");
        r = *f ? 0 : -ENOMEM;
        for (size_t i = 0; r == 0 && i < j->model->links.n; i++)
            if (judge_same_wire(j->model->links.v[i], l))
                r = judge_subject_link(j, *f, j->model->links.v[i]);
        if (r == 0)
            r = judge_situation(j, *f, judge_situation_of(l));
        if (r == 0) {
            (*f)->severity = SEVERITY_INFO;
            r = judge_say(j, *f, "%s counts %s: %" PRIu64 " more within %s", judge_link_name(j, l),
                          g->key->name, g->grown, span_of(j, g->us));
        }
    }
    if (r < 0)
        return r;
    if (!is_soft || g->per_hour >= j->thresholds.soft_errors_per_hour)
        (*f)->severity = SEVERITY_WARNING;
    return judge_evidence(*f, g->key->name,
                          arena_printf(j->arena, "%" PRIu64 " more, %" PRIu64 " an hour%s",
                                       g->grown, g->per_hour, per_tb(j, g)),
                          "earlier captures");
}

/* Is it said of another link of its wire, whose counters are the same? */
static bool is_said_of_wire(const struct judging *j, const struct link *l)
{
    static const char *const CODES[] = { "errors-growing", NULL };

    return l->far_is_network && judge_is_named(j, l->id, CODES);
}

int judge_errors(struct judging *j)
{
    _cleanup_(history_freep) struct history *all = NULL;
    int r;

    if (!j->history->snapshots.n)
        return 0;
    r = history_with(j->history, j->model, j->report->wall_us, j->report->mono_us, &all);
    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];
        struct finding *f = NULL;

        if (l->has_no_link || is_said_of_wire(j, l))
            continue;
        for (size_t k = 0; r == 0 && k < l->counters.n; k++) {
            const struct fact_key *key = l->counters.v[k]->key;
            struct growth g;

            if ((key->kind == FACT_ERRORS || key->kind == FACT_SOFT_ERRORS) &&
                grows(j, all, l, key, &g))
                r = add_growth(j, &f, l, &g);
        }
    }
    return r;
}

/* ---- host-resetting ---- */

/* How often the host was reset since it was last seen, in this boot. */
static uint64_t resets_since(const struct judging *j, const struct host *h)
{
    struct snapshot now = judge_now(j);
    uint64_t resets;

    if (!fact_number(h->own, &KEY_RESET_COUNT, &resets))
        return 0;
    for (size_t i = j->history->snapshots.n; i; i--) {
        const struct snapshot *s = &j->history->snapshots.v[i - 1];
        const struct past *before = snapshot_host(s, h->id);

        if (before && before->has_count && !before->is_unread)
            return snapshot_same_boot(s, &now) && resets > before->count ? resets - before->count
                                                                         : 0;
    }
    return 0;
}

int judge_resets(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->hosts.n; i++) {
        const struct host *h = j->model->hosts.v[i];
        bool recovers = h->state && strstr(h->state, "recovery");
        uint64_t resets = resets_since(j, h);
        struct finding *f;

        if (!recovers && !resets)
            continue;
        f = judge_add(j, "host-resetting");
        r = f ? judge_subject_host(j, f, h) : -ENOMEM;
        if (r == 0)
            r = judge_evidence(f, "state", h->state, "scsi_host");
        if (r == 0 && resets)
            r = judge_evidence(f, "resets since the last look",
                               arena_printf(j->arena, "%" PRIu64, resets), "its driver");
        if (r == 0)
            r = recovers ? judge_say(j, f, "%s is in error recovery", h->kernel_name)
                         : judge_say(j, f, "%s was reset %" PRIu64 " time%s since the last look",
                                     h->kernel_name, resets, resets == 1 ? "" : "s");
    }
    return r;
}
