/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whose turn it is next (turns.h).
 */
#include "probe/turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "source/errno_name.h"

#define DAY_US (UINT64_C(86400) * 1000000)

enum {
    ALONG_PART = 24, /* of the interval: whose turn comes so soon goes along; an hour of a day */
};

static void turn_free(struct turn *t)
{
    free(t->id);
    free(t->why);
    free((char *)(uintptr_t)t->kept.method);
    free(t);
}

void turns_done(struct turns *t)
{
    for (size_t i = 0; i < t->v.n; i++)
        turn_free(t->v.v[i]);
    free(t->v.v);
    *t = (struct turns){ 0 };
}

void turns_forget_plan(struct turns *t)
{
    for (size_t i = 0; i < t->v.n; i++)
        t->v.v[i]->entry = NULL;
}

/* ---- which there are ---- */

static int by_id(const void *a, const void *b)
{
    return strcmp((*(struct turn *const *)a)->id, (*(struct turn *const *)b)->id);
}

static int compare_id(const void *id, const void *turn)
{
    return strcmp(id, (*(struct turn *const *)turn)->id);
}

/* Among the first n, which are sorted. */
static struct turn *find(const struct turns *t, size_t n, const char *id)
{
    struct turn *const *found = n ? bsearch(id, t->v.v, n, sizeof(struct turn *), compare_id)
                                  : NULL;

    return found ? *found : NULL;
}

struct turn *turns_of(const struct turns *t, const char *id)
{
    return find(t, t->v.n, id);
}

static int add(struct turns *t, const struct plan_entry *e, const char *machine_id, uint64_t now_us)
{
    struct turn *turn = calloc(1, sizeof(*turn));

    if (!turn || !(turn->id = strdup(e->device->id)) || vec_push(&t->v, turn) < 0) {
        if (turn)
            turn_free(turn);
        return -ENOMEM;
    }
    turn->entry = e;
    turn->seed = schedule_seed(machine_id, turn->id);
    turn->state.known_us = now_us;
    turn->is_assumed = !t->has_begun;
    if (turn->is_assumed)
        turn->state.last_us = now_us;
    return 0;
}

static void forget_those_gone(struct turns *t, uint64_t now_us)
{
    size_t n = 0;

    for (size_t i = 0; i < t->v.n; i++) {
        struct turn *turn = t->v.v[i];

        if (turn->entry || turn->is_running || turn->state.day >= now_us / DAY_US)
            t->v.v[n++] = turn;
        else
            turn_free(turn);
    }
    t->v.n = n;
}

int turns_update(struct turns *t, const struct plan *plan, const char *machine_id, uint64_t now_us)
{
    size_t known = t->v.n;
    int r = 0;

    turns_forget_plan(t);
    for (size_t i = 0; r == 0 && i < plan->n; i++) {
        const struct plan_entry *e = &plan->v[i];
        struct turn *turn = find(t, known, e->device->id);

        if (!turn)
            r = add(t, e, machine_id, now_us);
        else if (!turn->entry) /* of two of one name the first */
            turn->entry = e;
        if (r == 0 && turn && !e->refused)
            turn->state.may_sleep = e->may_sleep;
        else if (r == 0 && !turn)
            t->v.v[t->v.n - 1]->state.may_sleep = e->may_sleep;
    }
    forget_those_gone(t, now_us);
    if (t->v.n)
        qsort(t->v.v, t->v.n, sizeof(struct turn *), by_id);
    t->has_begun = true;
    if (r < 0)
        turns_forget_plan(t);
    return r;
}

void turn_recall(struct turn *t, const struct snapshot *past, uint64_t bytes, uint64_t now_us)
{
    size_t n;
    const struct past_measure *m = snapshot_measures(past, t->id, &n);

    for (; n; n--, m++) {
        uint64_t began = m->wall_us ? m->wall_us : past->wall_us;

        if (!began || began > now_us || began == t->read_us)
            continue;
        if (began / DAY_US == now_us / DAY_US) {
            t->state.day = now_us / DAY_US;
            t->state.bytes += bytes;
        }
        if (t->is_assumed || began > t->state.last_us)
            t->state.last_us = began;
        t->is_assumed = false;
        t->read_us = began;
    }
}

/* ---- when ---- */

/* A probe reads one block more than is timed, to see whether it can. Where a day allows for one probe to the byte, it
 * allows for that, too. */
static struct config_probe with_trial(const struct config_probe *config)
{
    struct config_probe c = *config;

    c.bytes += PLAN_BLOCK_BYTES;
    if (c.per_day >= config->bytes && c.per_day < c.bytes)
        c.per_day = c.bytes;
    return c;
}

uint64_t turn_due(const struct turn *t, const struct config_probe *config, uint64_t now_us)
{
    const struct config_probe c = with_trial(config);

    return t->entry && !t->entry->refused && !t->is_running
               ? schedule_due(&t->state, &c, t->seed, now_us)
               : UINT64_MAX;
}

static bool goes_along(const struct turn *t, const struct turn *first,
                       const struct config_probe *config, uint64_t now_us)
{
    const struct config_probe c = with_trial(config);
    uint64_t due = turn_due(t, config, now_us);

    return t != first && t->owner == first->owner && due != UINT64_MAX &&
           due <= now_us + config->interval_us / ALONG_PART &&
           schedule_earliest(&t->state, &c, now_us) <= now_us;
}

int turns_pick(const struct turns *t, const struct config_probe *config, uint64_t now_us,
               bool (*is_free)(const void *owner), struct turn **ret, size_t max)
{
    _cleanup_free_ struct schedule_entry *entries = calloc(t->v.n + 1, sizeof(*entries));
    _cleanup_free_ size_t *of = calloc(t->v.n + 1, sizeof(*of));
    size_t n = 0, first, picked = 0;

    if (!entries || !of)
        return -ENOMEM;
    for (size_t i = 0; i < t->v.n; i++) {
        const struct turn *turn = t->v.v[i];
        uint64_t due = turn_due(turn, config, now_us);

        if (!turn->entry || turn->entry->refused ||
            !(turn->is_running || (due <= now_us && (!is_free || is_free(turn->owner)))))
            continue;
        of[n] = i;
        entries[n++] = (struct schedule_entry){ due, turn->entry->group, turn->is_running };
    }
    if (!max || !schedule_pick(entries, n, now_us, &first, 1))
        return 0;
    ret[picked++] = t->v.v[of[first]];
    for (size_t i = 0; i < t->v.n && picked < max; i++)
        if (goes_along(t->v.v[i], ret[0], config, now_us))
            ret[picked++] = t->v.v[i];
    return (int)picked;
}

bool turn_has_bytes(const struct turn *t, const struct config_probe *config, uint64_t now_us)
{
    const struct config_probe c = with_trial(config);

    return c.per_day >= c.bytes &&
           (now_us / DAY_US > t->state.day || t->state.bytes + c.bytes <= c.per_day);
}

/* ---- how it went ---- */

void turn_begin(struct turn *t, const struct config_probe *config, uint64_t now_us)
{
    t->is_running = true;
    t->is_assumed = false;
    t->reserved = with_trial(config).bytes;
    schedule_begin(&t->state, t->reserved, now_us);
}

static int set_text(char **text, const char *value)
{
    char *copy = value ? strdup(value) : NULL;

    if (value && !copy)
        return -ENOMEM;
    free(*text);
    *text = copy;
    return 0;
}

/* The device that is there, by what it says of itself, and what its link carries. */
static uint64_t stamp_of(const struct device *d)
{
    return schedule_seed(d->serial ? d->serial : d->model, d->wwid) +
           link_payload_kb_per_s(d->link);
}

bool turn_is_outdated(struct turn *t, const struct device *now)
{
    if (!t->kept.method || t->kept_of == stamp_of(now))
        return false;
    free((char *)(uintptr_t)t->kept.method);
    t->kept = (struct measurement){ 0 };
    return true;
}

static int keep(struct turn *t, const struct measurement *m)
{
    char *method = (char *)(uintptr_t)t->kept.method;
    int r = set_text(&method, m->method);

    t->kept = *m;
    t->kept.method = r == 0 ? method : NULL;
    t->kept.hctl = NULL;
    t->kept.sense = (struct bytes){ 0 };
    t->kept_of = t->entry ? stamp_of(t->entry->device) : 0;
    if (r < 0)
        free(method);
    return r;
}

/* Why it does not count. */
static const char *why_not(const struct measurement *m)
{
    const char *name = m->disturbed ? m->disturbed : errno_name(m->error);

    return name ? name : "it failed";
}

/* What was refused here, though the plan let it, sleeps, or is used: it may be otherwise soon. */
static enum schedule_end end_of(const struct measurement *m)
{
    if (measurement_counts(m))
        return SCHEDULE_DONE;
    return !m->error || m->error == EBUSY || m->error == EPERM ? SCHEDULE_BUSY : SCHEDULE_FAILED;
}

int turn_end(struct turn *t, const struct measurement *m)
{
    bool counts = measurement_counts(m);

    t->is_running = false;
    schedule_finish(&t->state, end_of(m), t->reserved, m->bytes + m->beside * m->block_bytes);
    if (!counts)
        return set_text(&t->why, why_not(m));
    t->read_us = t->state.last_us;
    set_text(&t->why, NULL);
    return keep(t, m);
}

int turn_lost(struct turn *t, bool was_at, const char *why)
{
    t->is_running = false;
    schedule_finish(&t->state, was_at ? SCHEDULE_FAILED : SCHEDULE_BUSY, t->reserved,
                    was_at ? t->reserved : 0);
    return set_text(&t->why, why);
}
