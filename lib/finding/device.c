/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about devices (judge.h): those that do not answer, those that read far slower than they did.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expect/expect.h"
#include "facts/key.h"
#include "finding/judge.h"

static int add_device(struct judging *j, struct finding *f, const struct device *d)
{
    int r = judge_subject_device(j, f, d);

    return r < 0 || !d->link ? r : judge_subject(f, d->link->id, d->link->kernel_name);
}

/* ---- device-stuck ---- */

/* Commands of ours that were not answered in time, and the first of them. */
static unsigned count_unanswered(const struct device *d, const struct fact **ret_first)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < d->subject->n_facts; i++) {
        const struct fact *f = &d->subject->facts[i];

        if (f->quality != QUALITY_TIMED_OUT)
            continue;
        *ret_first = n++ ? *ret_first : f;
    }
    return n;
}

/* Commands of anybody that timed out since the first look within the threshold's time, or the last look
 * where that is longer ago: a total says nothing. */
static uint64_t count_timed_out(const struct judging *j, const struct device *d)
{
    struct snapshot now = judge_now(j);
    uint64_t count, before = 0;
    bool is_known = false;

    if (!fact_number(d->subject, &KEY_IOTMO, &count))
        return 0;
    for (size_t i = j->history->snapshots.n; i; i--) {
        const struct snapshot *s = &j->history->snapshots.v[i - 1];
        const struct past *p = snapshot_device(s, d->id);

        if (!p || !p->has_count)
            continue;
        if (!snapshot_same_boot(s, &now) || (is_known && judge_ago(j, s) > j->thresholds.stuck_us))
            break;
        before = p->count;
        is_known = true;
    }
    return is_known && count > before ? count - before : 0;
}

/* Is it not known whether the way through a network is up: the link into it, or the remote port? */
static bool is_way_unclear(const struct judging *j, const struct device *d)
{
    if (d->link && d->link->far_is_network && d->link->state == LINK_UNKNOWN)
        return true;
    for (size_t i = 0; d->remote && i < j->model->remotes.n; i++)
        if (strcmp(j->model->remotes.v[i].id, d->remote) == 0)
            return j->model->remotes.v[i].is_unclear;
    return d->remote != NULL;
}

/* Is it explained: its link is down or switched off, or its path is lost? Where the way is not known, that may
 * be what its transport has to say of the device. */
static bool is_explained(const struct judging *j, const struct device *d, const char *state)
{
    if (strcmp(state, "offline") != 0 && is_way_unclear(j, d))
        return true;
    for (const struct link *l = d->link; l; l = l->up)
        if (l->state == LINK_DOWN || l->state == LINK_DISABLED)
            return true;
    return d->remote && judge_is_named(j, d->remote, (const char *const[]){ "path-lost", NULL });
}

/* Has the kernel given the device up: states that recovery ends in, drivers/scsi/scsi_error.c; blocked, while
 * the host is in no recovery, means that nothing goes to it any more. */
static bool is_given_up(const struct judging *j, const struct device *d, const char *state)
{
    bool recovers = d->host && d->host->state && strstr(d->host->state, "recovery");

    if (!state || is_explained(j, d, state))
        return false;
    return strcmp(state, "offline") == 0 || strcmp(state, "transport-offline") == 0 ||
           (strcmp(state, "blocked") == 0 && !recovers);
}

static int add_stuck(struct judging *j, const struct device *d, const char *given_up,
                     const struct fact *first, uint64_t n)
{
    const char *state = fact_text(d->subject, &KEY_STATE), *name = judge_device_name(j, d);
    struct finding *f = judge_add(j, "device-stuck");
    int r = f ? add_device(j, f, d) : -ENOMEM;

    if (r == 0)
        r = judge_evidence(f, "state", state, "scsi_device");
    if (r == 0 && first)
        r = judge_evidence(f, "not answered", first->why ? first->why : "timed out", first->origin);
    if (r == 0 && n)
        r = judge_evidence(f, "commands timed out", arena_printf(j->arena, "%" PRIu64, n), NULL);
    if (r < 0)
        return r;
    return given_up ? judge_say(j, f, "%s is %s: the kernel has given it up", name, state)
                    : judge_say(j, f, "%s has not answered %" PRIu64 " commands", name, n);
}

int judge_stuck(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->devices.n; i++) {
        const struct device *d = j->model->devices.v[i];
        const char *state = fact_text(d->subject, &KEY_STATE);
        const char *given_up = is_given_up(j, d, state) ? state : NULL;
        const struct fact *first = NULL;
        uint64_t unanswered = count_unanswered(d, &first), n = count_timed_out(j, d);

        n = n > unanswered ? n : unanswered;
        if (given_up || n >= j->thresholds.stuck_timeouts)
            r = add_stuck(j, d, given_up, first, n);
    }
    return r;
}

/* ---- read-below-link ---- */

/* The best of a device's measurements by one method with one block, in a snapshot; 0 where there is none. */
static uint64_t best_then(const struct snapshot *s, const struct measured *x)
{
    size_t n;
    const struct past_measure *p = snapshot_measures(s, x->device->id, &n);
    uint64_t best = 0;

    for (; n; n--, p++)
        if (p->block_bytes == x->block_bytes && strcmp(p->method, x->method) == 0 &&
            p->kb_per_s > best)
            best = p->kb_per_s;
    return best;
}

/* The device's own best by the same method and block, earlier. */
static uint64_t own_best(const struct judging *j, const struct measured *x)
{
    uint64_t best = 0;

    for (size_t i = 0; i < j->history->snapshots.n; i++) {
        uint64_t then = best_then(&j->history->snapshots.v[i], x);

        best = then > best ? then : best;
    }
    return best;
}

/* The best measurement of each device by each method and block: what was slower beside it was disturbed. */
struct bests {
    const struct measured **v;
    size_t n;
};

static bool is_alike(const struct measured *a, const struct measured *b)
{
    return a->block_bytes == b->block_bytes && strcmp(a->method, b->method) == 0;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* By device, block and method, the fastest first. */
static int compare_measured(const void *a, const void *b)
{
    const struct measured *x = *(const struct measured *const *)a;
    const struct measured *y = *(const struct measured *const *)b;
    int r = strcmp(x->device->id, y->device->id);

    if (r == 0)
        r = compare_u64(&x->block_bytes, &y->block_bytes);
    if (r == 0)
        r = strcmp(x->method, y->method);
    return r ? r : compare_u64(&y->kb_per_s, &x->kb_per_s);
}

static int find_bests(struct judging *j, struct bests *ret)
{
    size_t n = j->model->measures.n;

    ret->n = 0;
    ret->v = arena_new_array(j->arena, const struct measured *, n);
    if (!ret->v)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        ret->v[i] = &j->model->measures.v[i];
    qsort(ret->v, n, sizeof(*ret->v), compare_measured);
    for (size_t i = 0; i < n; i++) {
        const struct measured *last = ret->n ? ret->v[ret->n - 1] : NULL;

        if (!last || last->device != ret->v[i]->device || !is_alike(last, ret->v[i]))
            ret->v[ret->n++] = ret->v[i];
    }
    return 0;
}

static bool same_model(const struct device *a, const struct device *b)
{
    return a->model && b->model && strcmp(a->model, b->model) == 0 && a->host && b->host &&
           expect_same_card(a->host, b->host);
}

/* The median of at least two siblings, measured alike; 0 where there are fewer. */
static int sibling_median(const struct bests *all, const struct measured *x, uint64_t *ret)
{
    VEC(uint64_t) rates = { 0 };
    int r = 0;

    for (size_t i = 0; r == 0 && i < all->n; i++) {
        const struct measured *y = all->v[i];

        if (y->device != x->device && is_alike(x, y) && same_model(y->device, x->device))
            r = vec_push(&rates, y->kb_per_s);
    }
    if (rates.n)
        qsort(rates.v, rates.n, sizeof(*rates.v), compare_u64);
    *ret = rates.n < 2 ? 0 : (rates.v[(rates.n - 1) / 2] + rates.v[rates.n / 2]) / 2;
    free(rates.v);
    return r;
}

/* Has it been below that rate for long enough: in each measurement back to one so long ago? */
static bool was_slow_before(const struct judging *j, const struct measured *x, uint64_t below)
{
    for (size_t i = j->history->snapshots.n; i; i--) {
        const struct snapshot *s = &j->history->snapshots.v[i - 1];
        uint64_t then = best_then(s, x);

        if (then >= below)
            return false;
        if (then && judge_ago(j, s) >= j->thresholds.read_below_apart_us)
            return true;
    }
    return false;
}

static int add_slow_read(struct judging *j, const struct measured *x, uint64_t best,
                         uint64_t median)
{
    const struct device *d = x->device;
    struct finding *f = judge_add(j, "read-below-link");
    int r = f ? add_device(j, f, d) : -ENOMEM;

    if (r == 0)
        r = judge_evidence(f, "measured",
                           arena_printf(j->arena, "%" PRIu64 " MB/s", x->kb_per_s / 1000),
                           x->method);
    if (r == 0)
        r = judge_evidence(f, "its own best",
                           arena_printf(j->arena, "%" PRIu64 " MB/s", best / 1000), x->method);
    if (r == 0 && median)
        r = judge_evidence(f, "median of its siblings",
                           arena_printf(j->arena, "%" PRIu64 " MB/s", median / 1000), x->method);
    if (r == 0)
        r = judge_evidence(f, "often the rate of", x->hint, "throughput: a hint, no proof");
    return r < 0 ? r
                 : judge_say(j, f,
                             "%s reads %" PRIu64 " MB/s; it did %" PRIu64
                             " before, and its link carries more",
                             judge_device_name(j, d), x->kb_per_s / 1000, best / 1000);
}

int judge_reads(struct judging *j)
{
    static const char *const SAID[] = { "read-below-link", NULL };
    uint64_t percent = j->thresholds.read_below_percent;
    struct bests all;
    int r = find_bests(j, &all);

    for (size_t i = 0; r == 0 && i < all.n; i++) {
        const struct measured *x = all.v[i];
        uint64_t own = own_best(j, x), best = own, median;

        /* What is below that share of the smaller is below it of its own best; and it has to be slow for long. */
        if (x->kb_per_s * 100 >= own * percent ||
            !was_slow_before(j, x, (own * percent + 99) / 100) ||
            judge_is_named(j, x->device->id, SAID))
            continue;
        r = sibling_median(&all, x, &median);
        if (r < 0)
            break;
        best = median && median < best ? median : best;
        if (x->kb_per_s * 100 < best * percent &&
            was_slow_before(j, x, (best * percent + 99) / 100))
            r = add_slow_read(j, x, own, median);
    }
    return r;
}
