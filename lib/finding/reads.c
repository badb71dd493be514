/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about reads (judge.h): devices that read far slower than they did, alone or with all of their kind on a
 * hop; devices that others like them leave behind.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "expect/expect.h"
#include "finding/judge.h"

/* ---- what was measured, now and then ---- */

/* The best of a device's measurements by one method with one block in a snapshot: the highest rate, the shortest median
 * latency. Zero where there is none. */
struct best {
    uint64_t kb_per_s, median_us;
    uint64_t wall_us; /* of the fastest; 0: not known */
};

/* Who looks often sees one read at many looks: that is one read. */
static bool is_same_read(const struct past_measure *then, const char *device_id,
                         const struct measured *now)
{
    return then->wall_us && then->wall_us == now->wall_us &&
           strcmp(device_id, now->device->id) == 0;
}

static struct best best_then(const struct snapshot *s, const char *device_id,
                             const struct measured *like)
{
    size_t n;
    const struct past_measure *p = snapshot_measures(s, device_id, &n);
    struct best best = { 0 };

    for (; n; n--, p++) {
        if (p->block_bytes != like->block_bytes || strcmp(p->method, like->method) != 0 ||
            is_same_read(p, device_id, like))
            continue;
        if (p->kb_per_s > best.kb_per_s) {
            best.kb_per_s = p->kb_per_s;
            best.wall_us = p->wall_us;
        }
        if (p->median_us && (!best.median_us || p->median_us < best.median_us))
            best.median_us = p->median_us;
    }
    return best;
}

/* How long before x that read of the snapshot was. */
static uint64_t apart_us(const struct judging *j, const struct measured *x,
                         const struct snapshot *s, const struct best *then)
{
    if (!x->wall_us || !then->wall_us)
        return judge_ago(j, s);
    return x->wall_us > then->wall_us ? x->wall_us - then->wall_us : 0;
}

/* The device's own best by the same method and block, earlier. */
static uint64_t own_best(const struct judging *j, const struct measured *x)
{
    uint64_t best = 0;

    for (size_t i = 0; i < j->history->snapshots.n; i++) {
        uint64_t then = best_then(&j->history->snapshots.v[i], x->device->id, x).kb_per_s;

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

/* Has it been below that rate for long enough: in each measurement back to one so long ago? */
static bool was_slow_before(const struct judging *j, const struct measured *x, uint64_t below)
{
    for (size_t i = j->history->snapshots.n; i; i--) {
        const struct snapshot *s = &j->history->snapshots.v[i - 1];
        struct best then = best_then(s, x->device->id, x);

        if (then.kb_per_s >= below)
            return false;
        if (then.kb_per_s && apart_us(j, x, s, &then) >= j->thresholds.read_below_apart_us)
            return true;
    }
    return false;
}

/* ---- read-below-link, of all that share a hop ---- */

/* The nearest hop that leads to both; NULL: none does. */
static const struct link *common_hop(const struct link *a, const struct device *d)
{
    for (; a; a = a->up)
        for (const struct link *l = d->link; l; l = l->up)
            if (l == a)
                return a;
    return NULL;
}

/* Devices of one model that were measured alike, and what all of them share. */
struct group {
    VEC(const struct measured *) members;
    const struct link *hop;  /* the nearest hop that leads to all; NULL: none does */
    const struct host *host; /* of all; NULL: they have several */
};

/* Those that can be compared with x, x first; `is_first`: none of them comes before x in the list. */
static int find_group(const struct bests *all, const struct measured *x, struct group *ret,
                      bool *ret_is_first)
{
    int r = vec_push(&ret->members, x);
    bool before = true;

    *ret_is_first = true;
    ret->hop = x->device->link;
    ret->host = x->device->host;
    for (size_t i = 0; r == 0 && i < all->n; i++) {
        const struct measured *y = all->v[i];

        before = before && y != x;
        if (y->device == x->device || !is_alike(x, y) || !same_model(y->device, x->device))
            continue;
        *ret_is_first = *ret_is_first && !before;
        ret->hop = common_hop(ret->hop, y->device);
        if (y->device->host != ret->host)
            ret->host = NULL;
        r = vec_push(&ret->members, y);
    }
    return r;
}

/* Is each of them far below what it did itself, for long enough? */
static bool all_fell(const struct judging *j, const struct group *g)
{
    uint64_t percent = j->thresholds.read_below_percent;

    for (size_t i = 0; i < g->members.n; i++) {
        const struct measured *x = g->members.v[i];
        uint64_t own = own_best(j, x);

        if (x->kb_per_s * 100 >= own * percent ||
            !was_slow_before(j, x, (own * percent + 99) / 100))
            return false;
    }
    return true;
}

/* What they share comes first: the bus or adapter where that is one host, else the hop. */
static int add_shared(struct judging *j, struct finding *f, const struct group *g)
{
    bool is_host = g->host && (g->host->is_bus || !g->hop || judge_is_slot(g->hop));

    if (is_host)
        return judge_subject_host(j, f, g->host);
    return g->hop ? judge_subject_link(j, f, g->hop) : 0;
}

static int add_fallen_group(struct judging *j, const struct group *g)
{
    const struct measured *x = g->members.v[0];
    struct finding *f = judge_add(j, "read-below-link");
    int r = f ? add_shared(j, f, g) : -ENOMEM;

    for (size_t i = 0; r == 0 && i < g->members.n; i++) {
        const struct measured *y = g->members.v[i];

        r = judge_subject_device(j, f, y->device);
        if (r == 0)
            r = judge_evidence(f, y->device->hctl,
                               arena_printf(j->arena, "%" PRIu64 " MB/s, its own best %" PRIu64,
                                            y->kb_per_s / 1000, own_best(j, y) / 1000),
                               y->method);
    }
    if (r == 0)
        r = judge_situation(j, f, SITUATION_SHARED);
    if (r < 0)
        return r;
    return judge_say(j, f,
                     "all %zu %s that were measured read far slower than before (%s: %" PRIu64
                     " MB/s, it did %" PRIu64 "): look at what they share",
                     g->members.n, x->device->model, x->device->hctl, x->kb_per_s / 1000,
                     own_best(j, x) / 1000);
}

/* Where all that can be compared fell together, what they share is what to look at, and not each of them. */
static int judge_groups(struct judging *j, const struct bests *all)
{
    static const char *const SAID[] = { "read-below-link", NULL };
    int r = 0;

    for (size_t i = 0; r == 0 && i < all->n; i++) {
        struct group g = { 0 };
        bool is_first;

        if (all->v[i]->kb_per_s * 100 >= own_best(j, all->v[i]) * j->thresholds.read_below_percent)
            continue; /* the cheap question first: almost always that is all */
        r = find_group(all, all->v[i], &g, &is_first);
        if (r == 0 && is_first && g.members.n > 1 && (g.hop || g.host) && all_fell(j, &g) &&
            !judge_is_named(j, all->v[i]->device->id, SAID))
            r = add_fallen_group(j, &g);
        free(g.members.v);
    }
    return r;
}

/* ---- read-below-link, of one device ---- */

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
    *ret = rates.n < 2 ? 0 : stats_median(rates.v, rates.n);
    free(rates.v);
    return r;
}

static int add_slow_read(struct judging *j, const struct measured *x, uint64_t best,
                         uint64_t median)
{
    const struct device *d = x->device;
    struct finding *f = judge_add(j, "read-below-link");
    int r = f ? judge_subject_device_and_link(j, f, d) : -ENOMEM;

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

    if (r == 0)
        r = judge_groups(j, &all);

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

/* ---- slower-than-sibling, by the clock ---- */

enum {
    FAR_PERCENT = 70,    /* of the siblings' median: a rate below it is far from theirs */
    FAR_DEVIATIONS = 74, /* in tenths, of their median absolute deviation: 5 standard deviations */
    FEW = 5,             /* of fewer, the deviation is taken from their whole range */
    SIBLINGS_LEAST = 2,
};

/* How one device stands among its siblings, at one time. */
struct standing {
    struct best own, median;
    bool is_known; /* it and enough of them were measured */
    bool is_slow;  /* its rate is far below theirs */
    bool is_late;  /* its latency is far above theirs */
};

/* Is `own` beyond the others by a third of them and by far more than they differ? `higher`: above them, else below. Sets
 * their median. The numbers are the caller's to lose. */
static bool is_far(uint64_t *v, size_t n, uint64_t own, bool higher, uint64_t *ret_median)
{
    uint64_t median = stats_median(v, n), spread, away;

    *ret_median = median;
    spread = n < FEW ? (v[n - 1] - v[0]) / 2 : stats_deviation(v, n, median);
    away = higher ? own - median : median - own;
    if (higher ? own * FAR_PERCENT <= median * 100 : own * 100 >= median * FAR_PERCENT)
        return false;
    return away * 10 > spread * FAR_DEVIATIONS;
}

/* Where one device stands, by what each was measured at in a snapshot, or (NULL) now. */
static int stand(const struct bests *all, const struct measured *x, const struct snapshot *then,
                 struct standing *ret)
{
    VEC(uint64_t) rates = { 0 }, times = { 0 };
    struct standing s = { .own = { x->kb_per_s, x->median_us, x->wall_us } };
    int r = 0;

    if (then)
        s.own = best_then(then, x->device->id, x);
    for (size_t i = 0; r == 0 && s.own.kb_per_s && i < all->n; i++) {
        const struct measured *y = all->v[i];
        struct best other = { y->kb_per_s, y->median_us };

        if (y->device == x->device || !is_alike(x, y) || !same_model(y->device, x->device))
            continue;
        if (then)
            other = best_then(then, y->device->id, x);
        if (other.kb_per_s)
            r = vec_push(&rates, other.kb_per_s);
        if (r == 0 && other.median_us)
            r = vec_push(&times, other.median_us);
    }
    s.is_known = rates.n >= SIBLINGS_LEAST;
    if (s.is_known)
        s.is_slow = is_far(rates.v, rates.n, s.own.kb_per_s, false, &s.median.kb_per_s);
    if (s.own.median_us && times.n >= SIBLINGS_LEAST)
        s.is_late = is_far(times.v, times.n, s.own.median_us, true, &s.median.median_us);
    free(rates.v);
    free(times.v);
    *ret = s;
    return r;
}

/* Was it so at each look, back to one long enough ago? */
static int stood_so(const struct judging *j, const struct bests *all, const struct measured *x,
                    bool *ret)
{
    int r = 0;

    *ret = false;
    for (size_t i = j->history->snapshots.n; r == 0 && i; i--) {
        const struct snapshot *s = &j->history->snapshots.v[i - 1];
        struct standing then;

        r = stand(all, x, s, &then);
        if (r < 0 || (then.is_known && !then.is_slow && !then.is_late))
            break;
        *ret = then.is_known && apart_us(j, x, s, &then.own) >= j->thresholds.read_below_apart_us;
        if (*ret)
            break;
    }
    return r;
}

/* Is its way narrower than that of any sibling? That is another finding's matter, or no fault at all. */
static bool has_lesser_way(const struct bests *all, const struct measured *x)
{
    uint64_t own = device_path_kb_per_s(x->device, NULL);

    for (size_t i = 0; i < all->n; i++) {
        const struct measured *y = all->v[i];

        if (is_alike(x, y) && same_model(y->device, x->device) &&
            device_path_kb_per_s(y->device, NULL) != own)
            return true;
    }
    return false;
}

static int add_left_behind(struct judging *j, const struct measured *x, const struct standing *s)
{
    const struct device *d = x->device;
    struct finding *f = judge_add(j, "slower-than-sibling");
    int r = f ? judge_subject_device_and_link(j, f, d) : -ENOMEM;

    if (r < 0)
        return r;
    f->severity = SEVERITY_INFO;
    r = judge_evidence(f, "measured",
                       arena_printf(j->arena, "%" PRIu64 " MB/s", s->own.kb_per_s / 1000),
                       x->method);
    if (r == 0)
        r = judge_evidence(f, "median of its siblings",
                           arena_printf(j->arena, "%" PRIu64 " MB/s", s->median.kb_per_s / 1000),
                           x->method);
    if (r == 0 && s->own.median_us && s->median.median_us)
        r = judge_evidence(f, "one read takes",
                           arena_printf(j->arena, "%" PRIu64 " us, its siblings' %" PRIu64 " us",
                                        s->own.median_us, s->median.median_us),
                           x->method);
    if (r == 0)
        r = judge_situation(j, f, SITUATION_READS);
    if (r < 0)
        return r;
    if (!s->is_slow)
        return judge_say(j, f,
                         "a read of %s takes %" PRIu64 " us; of others of its model on the same "
                         "adapter %" PRIu64 " us",
                         judge_device_name(j, d), s->own.median_us, s->median.median_us);
    return judge_say(j, f,
                     "%s reads %" PRIu64 " MB/s; others of its model on the same adapter read "
                     "%" PRIu64 " MB/s",
                     judge_device_name(j, d), s->own.kb_per_s / 1000, s->median.kb_per_s / 1000);
}

/* By what can be compared, then as they were. */
static int compare_kinds(const void *a, const void *b)
{
    const struct measured *x = *(const struct measured *const *)a;
    const struct measured *y = *(const struct measured *const *)b;
    int r = compare_u64(&x->block_bytes, &y->block_bytes);

    if (r == 0)
        r = strcmp(x->method, y->method);
    if (r == 0)
        r = strcmp(x->device->model ? x->device->model : "",
                   y->device->model ? y->device->model : "");
    return r ? r : compare_measured(a, b);
}

static bool same_kind(const struct measured *x, const struct measured *y)
{
    return is_alike(x, y) && text_same_known(x->device->model, y->device->model);
}

/* The best of all that can be compared: what is not far from that is not far from a median. */
static struct best best_of(const struct bests *run)
{
    struct best best = { 0 };

    for (size_t i = 0; i < run->n; i++) {
        const struct measured *x = run->v[i];

        best.kb_per_s = x->kb_per_s > best.kb_per_s ? x->kb_per_s : best.kb_per_s;
        if (x->median_us && (!best.median_us || x->median_us < best.median_us))
            best.median_us = x->median_us;
    }
    return best;
}

static int judge_slow_read(struct judging *j, const struct bests *run, const struct measured *x)
{
    static const char *const SAID[] = { "read-below-link", "slower-than-sibling", "ends-disagree",
                                        NULL };
    struct standing now;
    bool was_so = false;
    int r = stand(run, x, NULL, &now);

    if (r < 0 || !now.is_known || !(now.is_slow || now.is_late) || has_lesser_way(run, x) ||
        judge_is_named(j, x->device->id, SAID) ||
        (x->device->link && judge_is_named(j, x->device->link->id, SAID)))
        return r;
    r = stood_so(j, run, x, &was_so);
    return r < 0 || !was_so ? r : add_left_behind(j, x, &now);
}

int judge_slow_reads(struct judging *j)
{
    struct bests all, run;
    int r = find_bests(j, &all);

    if (r == 0 && all.n)
        qsort(all.v, all.n, sizeof(*all.v), compare_kinds);
    for (size_t i = 0; r == 0 && i < all.n; i += run.n) {
        struct best best;

        run = (struct bests){ all.v + i, 1 };
        while (i + run.n < all.n && same_kind(all.v[i], all.v[i + run.n]))
            run.n++;
        best = best_of(&run);
        for (size_t k = 0; r == 0 && run.n > SIBLINGS_LEAST && k < run.n; k++) {
            const struct measured *x = run.v[k];

            if (x->kb_per_s * 100 < best.kb_per_s * FAR_PERCENT ||
                x->median_us * FAR_PERCENT > best.median_us * 100)
                r = judge_slow_read(j, &run, x);
        }
    }
    return r;
}
