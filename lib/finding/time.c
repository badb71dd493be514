/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings that need a past (judge.h): what is gone, what flaps, what grows.
 */
#include "finding/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "facts/key.h"

static const uint64_t HOUR_US = 3600ull * 1000000;

/* The link of that id in the model; NULL where it is gone. */
static struct link *link_of_id(const struct judging *j, const char *id)
{
    for (size_t i = 0; i < j->model->links.n; i++)
        if (strcmp(j->model->links.v[i]->id, id) == 0)
            return j->model->links.v[i];
    return NULL;
}

/* ---- link-lost ---- */

/* Links that were up when last seen, and are not now. */
struct lost {
    VEC(const struct sample *) v;
};

static bool is_lost(const struct lost *lost, const char *id)
{
    for (size_t i = 0; id && i < lost->v.n; i++)
        if (strcmp(lost->v.v[i]->id, id) == 0)
            return true;
    return false;
}

/* Was it up when it was last seen in any snapshot before this one's end? */
static bool was_seen_later(const struct judging *j, size_t snapshot, const char *id)
{
    for (size_t i = snapshot + 1; i < j->history->snapshots.n; i++)
        if (snapshot_link(&j->history->snapshots.v[i], id))
            return true;
    return false;
}

static int find_lost(struct judging *j, struct lost *ret)
{
    int r = 0;

    for (size_t i = 0; i < j->history->snapshots.n; i++) {
        const struct snapshot *s = &j->history->snapshots.v[i];

        for (size_t k = 0; r == 0 && k < s->n_links; k++) {
            const struct sample *x = &s->links[k];
            const struct link *now;

            if (x->state != LINK_UP || x->may_go || is_lost(ret, x->id))
                continue;
            now = link_of_id(j, x->id);
            if (now ? now->state != LINK_DOWN && now->state != LINK_EMPTY
                    : was_seen_later(j, i, x->id))
                continue;
            r = vec_push(&ret->v, x);
        }
    }
    return r;
}

/* Is the loss of it explained by another: what it hung below is lost as well, or it is a lane of a port
 * that lives on (then lanes are missing, no link is lost)? */
static bool is_explained(const struct lost *lost, const struct sample *s)
{
    return is_lost(lost, s->up_id) || (s->bundle_id && !is_lost(lost, s->bundle_id));
}

static int add_lost(struct judging *j, struct lost *lost, const struct sample *first)
{
    struct finding *f = judge_add(j, "link-lost");
    size_t before;
    int r = f ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < lost->v.n; i++) {
        const struct sample *s = lost->v.v[i];

        if (is_explained(lost, s) || !s->host_id || !first->host_id ||
            strcmp(s->host_id, first->host_id) != 0)
            continue;
        r = judge_subject(f, s->id, s->kernel_name);
        if (r == 0)
            r = judge_evidence(f, s->kernel_name, s->label ? s->label : "up", s->far);
    }
    before = r == 0 ? f->subjects.n : 0;
    if (r == 0 && before > 1)
        return judge_say(j, f, "%zu links that were up are gone, the first %s%s%s", before,
                         first->kernel_name, first->far ? ", to " : "",
                         first->far ? first->far : "");
    return r < 0 ? r
                 : judge_say(j, f, "%s, which was up at %s, is gone%s%s", first->kernel_name,
                             first->label ? first->label : "a mode not known",
                             first->far ? "; it led to " : "", first->far ? first->far : "");
}

int judge_lost(struct judging *j)
{
    struct lost lost = { 0 };
    int r = find_lost(j, &lost);

    for (size_t i = 0; r == 0 && i < lost.v.n; i++)
        if (!is_explained(&lost, lost.v.v[i]) && !judge_is_named(j, lost.v.v[i]->id, NULL))
            r = add_lost(j, &lost, lost.v.v[i]);
    free(lost.v.v);
    return r;
}

/* ---- link-flapping ---- */

/* Does a link look different between two samples? NULL: it was not there. */
static bool has_changed(enum link_state a_state, bool a_known, struct rate a,
                        enum link_state b_state, bool b_known, struct rate b)
{
    if ((a_state == LINK_UP) != (b_state == LINK_UP))
        return true;
    return a_state == LINK_UP && a_known && b_known && rate_compare(a, b) != 0;
}

/* Changes of the link within the threshold's time before now. */
static unsigned count_changes(const struct judging *j, const struct link *l)
{
    uint64_t now = j->report->wall_us, window = j->thresholds.flapping_us;
    enum link_state state = l->state;
    bool known = l->actual.known;
    struct rate rate = l->actual.rate;
    uint64_t at = now;
    unsigned n = 0;

    for (size_t i = j->history->snapshots.n; i; i--) {
        const struct snapshot *s = &j->history->snapshots.v[i - 1];
        const struct sample *x = snapshot_link(s, l->id);
        enum link_state then = x ? x->state : LINK_EMPTY;

        if (now - at > window)
            break;
        n += has_changed(then, x && x->known, x ? x->rate : rate, state, known, rate);
        state = then;
        known = x && x->known;
        rate = x ? x->rate : rate;
        at = s->wall_us;
    }
    return n;
}

static int add_steps(struct judging *j, struct finding *f, const struct link *l)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->history->snapshots.n; i++) {
        const struct snapshot *s = &j->history->snapshots.v[i];
        const struct sample *x = snapshot_link(s, l->id);
        uint64_t ago = (j->report->wall_us - s->wall_us) / 60000000;

        if (j->report->wall_us - s->wall_us <= j->thresholds.flapping_us)
            r = judge_evidence(f, arena_printf(j->arena, "%" PRIu64 " min ago", ago),
                               x && x->state == LINK_UP ? (x->label ? x->label : "up") : "not up",
                               "an earlier capture");
    }
    return r;
}

int judge_flapping(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];
        unsigned n = l->bundle ? 0 : count_changes(j, l);
        struct finding *f;

        if (n < j->thresholds.flapping_changes)
            continue;
        f = judge_add(j, "link-flapping");
        r = f ? judge_subject_link(j, f, l) : -ENOMEM;
        if (r == 0)
            r = add_steps(j, f, l);
        if (r == 0)
            r = judge_say(j, f, "%s changed its state or mode %u times within %" PRIu64 " min",
                          l->kernel_name, n, j->thresholds.flapping_us / 60000000);
    }
    return r;
}

/* ---- errors-growing ---- */

static bool counter_of(const struct sample *s, const struct fact_key *key, uint64_t *ret)
{
    for (size_t i = 0; i < s->n_counters; i++) {
        if (s->counters[i].key != key)
            continue;
        *ret = s->counters[i].value;
        return true;
    }
    return false;
}

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

        if (c->key->kind == FACT_EVENTS && counter_of(a->sample, c->key, &before) &&
            before != c->value)
            return true;
    }
    return false;
}

static bool host_was_reset(const struct look *a, const struct look *b)
{
    const struct past *x = b->sample->host_id ? snapshot_host(a->snapshot, b->sample->host_id)
                                              : NULL;
    const struct past *y = b->sample->host_id ? snapshot_host(b->snapshot, b->sample->host_id)
                                              : NULL;

    return x && y && x->has_resets && y->has_resets && x->resets != y->resets;
}

static bool same_end(const char *a, const char *b)
{
    return !a || !b || strcmp(a, b) == 0;
}

/* Can errors between the two looks be held against the link? */
static bool is_comparable(const struct look *a, const struct look *b)
{
    return a->sample && b->sample && a->sample->state == LINK_UP && b->sample->state == LINK_UP &&
           b->snapshot->mono_us > a->snapshot->mono_us &&
           same_end(a->sample->far_id, b->sample->far_id) &&
           rate_compare(a->sample->rate, b->sample->rate) == 0 && !had_events(a, b) &&
           !host_was_reset(a, b);
}

/* Growth of a counter over rounds, going back from now until `span_us` have been looked at. A counter that
 * is smaller than before was reset, or has wrapped: that round says nothing, nor does one in which it
 * stands still at its end (all ones of 32 bits). */
static uint64_t growth_over(const struct history *all, const char *id, const struct fact_key *key,
                            uint64_t span_us, uint64_t *ret_us)
{
    uint64_t grown = 0;

    *ret_us = 0;
    for (size_t i = all->snapshots.n; i > 1 && *ret_us < span_us; i--) {
        struct look b = { snapshot_link(&all->snapshots.v[i - 1], id), &all->snapshots.v[i - 1] };
        struct look a = { snapshot_link(&all->snapshots.v[i - 2], id), &all->snapshots.v[i - 2] };
        uint64_t before, after;

        if (!is_comparable(&a, &b) || !counter_of(a.sample, key, &before) ||
            !counter_of(b.sample, key, &after) || after < before)
            continue;
        grown += after - before;
        *ret_us += b.snapshot->mono_us - a.snapshot->mono_us;
    }
    return grown;
}

struct growth {
    const struct fact_key *key;
    uint64_t grown, us, per_hour;
};

/* Does the counter grow beyond a threshold? Over at least an hour, so that a short burst between two quick
 * looks is not taken for a rate. */
static bool grows(const struct judging *j, const struct history *all, const struct link *l,
                  const struct fact_key *key, struct growth *ret)
{
    uint64_t us;

    ret->key = key;
    ret->grown = growth_over(all, l->id, key, HOUR_US, &ret->us);
    us = ret->us > HOUR_US ? ret->us : HOUR_US;
    ret->per_hour = (uint64_t)((double)ret->grown * (double)HOUR_US / (double)us);
    if (ret->per_hour >= j->thresholds.errors_per_hour)
        return true;
    ret->grown = growth_over(all, l->id, key, j->thresholds.slow_errors_us, &ret->us);
    if (!ret->us || ret->us < j->thresholds.slow_errors_us)
        return false;
    ret->per_hour = (uint64_t)((double)ret->grown * (double)HOUR_US / (double)ret->us);
    return ret->per_hour >= j->thresholds.slow_errors_per_hour;
}

static int add_growth(struct judging *j, struct finding **f, const struct link *l,
                      const struct growth *g)
{
    bool is_soft = g->key->kind == FACT_SOFT_ERRORS;
    int r = 0;

    if (!*f) {
        *f = judge_add(j, "errors-growing");
        r = *f ? judge_subject_link(j, *f, l) : -ENOMEM;
        if (r == 0) {
            (*f)->severity = SEVERITY_INFO;
            r = judge_say(j, *f, "%s counts %s: %" PRIu64 " more within %" PRIu64 " min",
                          l->kernel_name, g->key->name, g->grown, g->us / 60000000);
        }
    }
    if (r < 0)
        return r;
    if (!is_soft || g->per_hour >= j->thresholds.soft_errors_per_hour)
        (*f)->severity = SEVERITY_WARNING;
    return judge_evidence(
        *f, g->key->name,
        arena_printf(j->arena, "%" PRIu64 " more, %" PRIu64 " an hour", g->grown, g->per_hour),
        "earlier captures");
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

/* ---- path-lost, host-resetting ---- */

/* Is another port of the same target up, on any link? */
static bool has_other_path(const struct judging *j, const struct remote *gone)
{
    for (size_t i = 0; i < j->model->remotes.n; i++) {
        const struct remote *p = &j->model->remotes.v[i];

        if (p != gone && p->is_up && p->node && gone->node && strcmp(p->node, gone->node) == 0)
            return true;
    }
    return false;
}

int judge_paths(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->remotes.n; i++) {
        const struct remote *p = &j->model->remotes.v[i];
        bool other;
        struct finding *f;

        if (p->is_up || p->link->state != LINK_UP)
            continue;
        other = has_other_path(j, p);
        f = judge_add(j, "path-lost");
        r = f ? judge_subject(f, p->id, p->kernel_name) : -ENOMEM;
        if (r == 0)
            r = judge_subject_link(j, f, p->link);
        if (r == 0)
            r = judge_evidence(f, "port state", p->state, p->kernel_name);
        if (r < 0)
            break;
        f->severity = other ? SEVERITY_WARNING : SEVERITY_CRITICAL;
        r = judge_say(j, f, "%s behind %s is %s%s", p->kernel_name, p->link->kernel_name, p->state,
                      other ? "; another port of its target is up"
                            : ", and no other port of its target is up");
    }
    return r;
}

int judge_resets(struct judging *j)
{
    const struct snapshot *last = j->history->snapshots.n
                                      ? &j->history->snapshots.v[j->history->snapshots.n - 1]
                                      : NULL;
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->hosts.n; i++) {
        const struct host *h = j->model->hosts.v[i];
        const struct past *before = last ? snapshot_host(last, h->id) : NULL;
        bool recovers = h->state && strstr(h->state, "recovery");
        uint64_t resets;
        struct finding *f;

        if (!recovers &&
            (!before || !before->has_resets || last->mono_us > j->report->mono_us ||
             !fact_number(h->own, &KEY_RESET_COUNT, &resets) || resets <= before->resets))
            continue;
        f = judge_add(j, "host-resetting");
        r = f ? judge_subject_host(j, f, h) : -ENOMEM;
        if (r == 0)
            r = judge_evidence(f, "state", h->state, "scsi_host");
        if (r == 0)
            r = recovers ? judge_say(j, f, "%s is in error recovery", h->kernel_name)
                         : judge_say(j, f, "%s was reset %" PRIu64 " times since the last look",
                                     h->kernel_name, resets - before->resets);
    }
    return r;
}
