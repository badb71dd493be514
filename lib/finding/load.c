/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about what hops carry, and about devices (judge.h).
 */
#include "finding/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "facts/key.h"

/* ---- slot-limit ---- */

static const struct claim *able_of(const struct link *l, enum who who)
{
    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who == who)
            return &l->able.v[i];
    return NULL;
}

int judge_slots(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];
        const struct claim *card = able_of(l, WHO_INITIATOR), *port = able_of(l, WHO_TARGET);
        struct finding *f;

        if (!l->host || l != l->host->slot || l->verdict != VERDICT_OK || !card || !port ||
            rate_compare(port->mode.rate, card->mode.rate) >= 0)
            continue;
        f = judge_add(j, "slot-limit");
        r = f ? judge_subject_link(j, f, l) : -ENOMEM;
        if (r == 0)
            r = judge_evidence(f, "card", judge_mode(j, &card->mode), card->via);
        if (r == 0)
            r = judge_evidence(f, "slot", judge_mode(j, &port->mode), port->via);
        if (r == 0)
            r = judge_say(j, f, "%s can do %s, its slot only %s", l->kernel_name,
                          judge_mode(j, &card->mode), judge_mode(j, &port->mode));
    }
    return r;
}

/* ---- oversubscribed ---- */

/* What a link's devices can ask of the hops above it, in kB/s, by index of the link in the model. */
struct demand {
    uint64_t *own;   /* of the link: never more than it carries */
    uint64_t *below; /* sum of those that hang below it */
};

static bool moves_data(const struct device *d)
{
    return d->type && (strcmp(d->type, "disk") == 0 || strcmp(d->type, "tape") == 0 ||
                       strcmp(d->type, "cd") == 0 || strcmp(d->type, "zbc") == 0);
}

static size_t index_of(const struct model *m, const struct link *l)
{
    for (size_t i = 0; i < m->links.n; i++)
        if (m->links.v[i] == l)
            return i;
    return SIZE_MAX;
}

static uint64_t payload_of(const struct link *l)
{
    return l->state == LINK_UP && l->actual.known && !l->has_no_link ? rate_kb_per_s(l->actual.rate)
                                                                     : 0;
}

/* How many hops are above a link. */
static unsigned depth_of(const struct link *l)
{
    unsigned n = 0;

    for (; l->up && n < 64; l = l->up)
        n++;
    return n;
}

/* Goes from the deepest links up: each asks of the one above it what hangs below it, or its devices, as far as
 * it carries that. */
static int sum_demands(const struct model *m, struct demand *d)
{
    size_t *up = calloc(m->links.n + 1, sizeof(*up));
    unsigned deepest = 0;

    if (!up)
        return -ENOMEM;
    for (size_t i = 0; i < m->devices.n; i++)
        if (m->devices.v[i]->link && moves_data(m->devices.v[i]))
            d->own[index_of(m, m->devices.v[i]->link)] = UINT64_MAX;
    for (size_t i = 0; i < m->links.n; i++) {
        up[i] = m->links.v[i]->up ? index_of(m, m->links.v[i]->up) : SIZE_MAX;
        deepest = depth_of(m->links.v[i]) > deepest ? depth_of(m->links.v[i]) : deepest;
    }
    for (unsigned depth = deepest + 1; depth; depth--) {
        for (size_t i = 0; i < m->links.n; i++) {
            uint64_t payload = payload_of(m->links.v[i]);

            if (depth_of(m->links.v[i]) != depth - 1 || m->links.v[i]->bundle)
                continue;
            if (d->own[i] != UINT64_MAX)
                d->own[i] = d->below[i];
            d->own[i] = d->own[i] < payload ? d->own[i] : payload;
            if (up[i] != SIZE_MAX)
                d->below[up[i]] += d->own[i];
        }
    }
    free(up);
    return 0;
}

/* "7.5" */
static const char *ratio(struct judging *j, uint64_t a, uint64_t b)
{
    uint64_t tenths = (a * 10 + b / 2) / b;

    return arena_printf(j->arena, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

static int add_load(struct judging *j, const struct link *hop, const struct host *bus,
                    uint64_t below, uint64_t carries)
{
    struct finding *f = judge_add(j, "oversubscribed");
    int r = !f ? -ENOMEM : bus ? judge_subject_host(j, f, bus) : judge_subject_link(j, f, hop);

    if (r == 0)
        r = judge_evidence(f, "what hangs below",
                           arena_printf(j->arena, "%" PRIu64 " MB/s", below / 1000), NULL);
    if (r == 0)
        r = judge_evidence(f, "carries", arena_printf(j->arena, "%" PRIu64 " MB/s", carries / 1000),
                           NULL);
    return r < 0 ? r
                 : judge_say(j, f, "what hangs below %s can send %s times what it carries",
                             bus ? bus->kernel_name : hop->kernel_name, ratio(j, below, carries));
}

/* A host that is a bus carries the fastest mode agreed on it. */
static int judge_bus(struct judging *j, const struct host *h, const struct demand *d)
{
    uint64_t below = 0, carries = 0;

    for (size_t i = 0; i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];

        if (l->host != h || l == h->slot)
            continue;
        below += d->own[i];
        carries = payload_of(l) > carries ? payload_of(l) : carries;
    }
    return carries && below > carries + carries / 100 ? add_load(j, NULL, h, below, carries) : 0;
}

int judge_loads(struct judging *j)
{
    const struct model *m = j->model;
    struct demand d = { calloc(m->links.n + 1, sizeof(uint64_t)),
                        calloc(m->links.n + 1, sizeof(uint64_t)) };
    int r = d.own && d.below ? sum_demands(m, &d) : -ENOMEM;

    for (size_t i = 0; r == 0 && i < m->links.n; i++) {
        uint64_t carries = payload_of(m->links.v[i]);

        if (carries && d.below[i] > carries + carries / 100)
            r = add_load(j, m->links.v[i], NULL, d.below[i], carries);
    }
    for (size_t i = 0; r == 0 && i < m->hosts.n; i++)
        if (m->hosts.v[i]->is_bus)
            r = judge_bus(j, m->hosts.v[i], &d);
    free(d.own);
    free(d.below);
    return r;
}

/* ---- no-link-facts ---- */

int judge_hidden(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->hosts.n; i++) {
        const struct host *h = j->model->hosts.v[i];
        struct finding *f;

        if (!h->reason || h->emulated)
            continue;
        f = judge_add(j, "no-link-facts");
        r = f ? judge_subject_host(j, f, h) : -ENOMEM;
        if (r == 0)
            r = judge_evidence(f, "driver", h->driver, "scsi_host");
        if (r == 0)
            r = judge_say(j, f, "nothing is known of the links of %s: %s", h->kernel_name,
                          h->reason);
    }
    return r;
}

/* ---- device-stuck ---- */

/* Commands to the device that were not answered in time, and the first of them. */
static unsigned count_timeouts(const struct device *d, const struct fact **ret_first)
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

int judge_stuck(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->devices.n; i++) {
        const struct device *d = j->model->devices.v[i];
        const char *state = fact_text(d->subject, &KEY_STATE);
        bool is_off = state &&
                      (strcmp(state, "offline") == 0 || strcmp(state, "transport-offline") == 0);
        const struct fact *first = NULL;
        unsigned n = count_timeouts(d, &first);
        struct finding *f;

        if (n < j->thresholds.stuck_timeouts &&
            !(is_off && (!d->link || d->link->state == LINK_UP)))
            continue;
        f = judge_add(j, "device-stuck");
        r = f ? judge_subject_device(j, f, d) : -ENOMEM;
        if (r == 0 && d->link)
            r = judge_subject(f, d->link->id, d->link->kernel_name);
        if (r == 0)
            r = judge_evidence(f, "state", state, "scsi_device");
        if (r == 0 && first)
            r = judge_evidence(f, "not answered", first->why ? first->why : "timed out",
                               first->origin);
        if (r == 0)
            r = is_off ? judge_say(j, f, "%s (%s) is %s: the kernel has given it up", d->hctl,
                                   d->model ? d->model : "", state)
                       : judge_say(j, f, "%s (%s) has not answered %u commands", d->hctl,
                                   d->model ? d->model : "", n);
    }
    return r;
}

/* ---- read-below-link ---- */

static bool same_measure(const struct past_measure *p, const char *id, const struct measured *x)
{
    return strcmp(p->device_id, id) == 0 && strcmp(p->method, x->method) == 0 &&
           p->block_bytes == x->block_bytes;
}

/* The device's own best by the same method and block, earlier. */
static uint64_t own_best(const struct judging *j, const struct measured *x)
{
    uint64_t best = 0;

    for (size_t i = 0; i < j->history->snapshots.n; i++) {
        const struct snapshot *s = &j->history->snapshots.v[i];

        for (size_t k = 0; k < s->n_measures; k++)
            if (same_measure(&s->measures[k], x->device->id, x) && s->measures[k].kb_per_s > best)
                best = s->measures[k].kb_per_s;
    }
    return best;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static bool same_model(const struct device *a, const struct device *b)
{
    return a->model && b->model && strcmp(a->model, b->model) == 0 && a->host == b->host;
}

/* The median of at least two siblings, measured alike; 0 where there are fewer. */
static int sibling_median(const struct judging *j, const struct measured *x, uint64_t *ret)
{
    VEC(uint64_t) rates = { 0 };
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->measures.n; i++) {
        const struct measured *y = &j->model->measures.v[i];

        if (y->device != x->device && same_model(y->device, x->device) &&
            y->block_bytes == x->block_bytes && strcmp(y->method, x->method) == 0)
            r = vec_push(&rates, y->kb_per_s);
    }
    if (rates.n)
        qsort(rates.v, rates.n, sizeof(*rates.v), compare_u64);
    *ret = rates.n >= 2 ? rates.v[rates.n / 2] : 0;
    free(rates.v);
    return r;
}

/* Was it below that rate already, long enough ago? */
static bool was_slow_before(const struct judging *j, const struct measured *x, uint64_t below)
{
    for (size_t i = 0; i < j->history->snapshots.n; i++) {
        const struct snapshot *s = &j->history->snapshots.v[i];

        if (j->report->wall_us - s->wall_us < j->thresholds.read_below_apart_us)
            continue;
        for (size_t k = 0; k < s->n_measures; k++)
            if (same_measure(&s->measures[k], x->device->id, x) && s->measures[k].kb_per_s < below)
                return true;
    }
    return false;
}

static int add_slow_read(struct judging *j, const struct measured *x, uint64_t best,
                         uint64_t median)
{
    const struct device *d = x->device;
    struct finding *f = judge_add(j, "read-below-link");
    int r = f ? judge_subject_device(j, f, d) : -ENOMEM;

    if (r == 0 && d->link)
        r = judge_subject(f, d->link->id, d->link->kernel_name);
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
    return r < 0 ? r
                 : judge_say(j, f,
                             "%s reads %" PRIu64 " MB/s; it did %" PRIu64
                             " before, and its link carries more",
                             d->hctl, x->kb_per_s / 1000, best / 1000);
}

int judge_reads(struct judging *j)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->measures.n; i++) {
        const struct measured *x = &j->model->measures.v[i];
        uint64_t best = own_best(j, x), median, base, limit;

        r = best ? sibling_median(j, x, &median) : 0;
        if (r < 0 || !best ||
            judge_is_named(j, x->device->id, (const char *const[]){ "read-below-link", NULL }))
            continue;
        base = median && median < best ? median : best;
        limit = base * j->thresholds.read_below_percent / 100;
        if (x->kb_per_s < limit && was_slow_before(j, x, limit))
            r = add_slow_read(j, x, best, median);
    }
    return r;
}
