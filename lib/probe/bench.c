/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of timed reads (bench.h).
 */
#include "probe/bench.h"

#include <errno.h>
#include <stdlib.h>

#include "probe/cell.h"
#include "probe/meaning.h"

struct bench *bench_free(struct bench *b)
{
    if (!b)
        return NULL;
    for (size_t i = 0; i < b->devices.n; i++)
        free(b->devices.v[i].cells.v);
    for (size_t i = 0; i < b->cells.n; i++)
        free(b->cells.v[i].reads.v);
    free(b->devices.v);
    free(b->cells.v);
    arena_free(b->arena);
    free(b);
    return NULL;
}

static struct bench_device *find_device(struct bench *b, const struct device *d)
{
    for (size_t i = 0; i < b->devices.n; i++)
        if (b->devices.v[i].device == d)
            return &b->devices.v[i];
    return NULL;
}

static int add_device(struct bench *b, struct device *d)
{
    struct bench_device x = { .device = d };
    struct link *hop;

    x.path.kb_per_s = device_path_kb_per_s(d, &hop);
    x.path.hop = hop ? hop->kernel_name : NULL;
    return find_device(b, d) ? 0 : vec_push(&b->devices, x);
}

static bool has_read(const struct bench_cell *c, const struct device *d)
{
    for (size_t i = 0; i < c->reads.n; i++)
        if (c->reads.v[i]->device == d)
            return true;
    return false;
}

/* Adds it to the cell that it belongs to: the last one like it that is not complete. */
static int add_together(struct bench *b, const struct timed *t)
{
    struct bench_cell *c = NULL;

    for (size_t i = b->cells.n; i && !c; i--) {
        struct bench_cell *x = &b->cells.v[i - 1];
        const struct measurement *first = x->reads.v[0]->read;

        if (cell_same(first, t->read) && first->together == t->read->together &&
            x->reads.n < first->together && !has_read(x, t->device))
            c = x;
    }
    if (!c && vec_push(&b->cells, (struct bench_cell){ 0 }) < 0)
        return -ENOMEM;
    c = c ? c : &b->cells.v[b->cells.n - 1];
    return vec_push(&c->reads, t);
}

static int add_reads(struct bench *b, const struct timed *reads, size_t n, bool all)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++) {
        const struct timed *t = &reads[i];
        struct bench_device *d;

        if (all)
            r = add_device(b, t->device);
        d = find_device(b, t->device);
        if (r == 0 && t->read->together > 1)
            r = add_together(b, t);
        else if (r == 0 && d)
            r = vec_push(&d->cells, t);
    }
    return r;
}

/* Are all devices of the cell among those that are asked for? */
static bool is_asked_for(struct bench *b, const struct bench_cell *c)
{
    for (size_t i = 0; i < c->reads.n; i++)
        if (!find_device(b, c->reads.v[i]->device))
            return false;
    return true;
}

/* A share means nothing without the others. */
static void drop_parts(struct bench *b)
{
    size_t n = 0;

    for (size_t i = 0; i < b->cells.n; i++) {
        if (is_asked_for(b, &b->cells.v[i]))
            b->cells.v[n++] = b->cells.v[i];
        else
            free(b->cells.v[i].reads.v);
    }
    b->cells.n = n;
}

/* Its fastest by itself that counts. */
static const struct measurement *alone(struct bench *b, const struct timed *t)
{
    const struct bench_device *d = find_device(b, t->device);
    const struct measurement *best = NULL;

    for (size_t i = 0; d && i < d->cells.n; i++) {
        const struct measurement *x = d->cells.v[i]->read;

        if (cell_same(x, t->read) && measurement_counts(x) &&
            (!best || cell_kb_per_s(x) > cell_kb_per_s(best)))
            best = x;
    }
    return best;
}

static int judge_device(struct bench *b, struct bench_device *d)
{
    const struct measurement **cells = arena_new_array(b->arena, const struct measurement *,
                                                       d->cells.n + 1);
    int r;

    for (size_t i = 0; cells && i < d->cells.n; i++)
        cells[i] = d->cells.v[i]->read;
    r = cells ? sweep_judge(cells, d->cells.n, &d->path, b->arena, &d->sweep) : -ENOMEM;
    return r < 0 ? r
                 : meaning_of_plateau(b->arena, d->device->link, cells, d->cells.n, &d->plateau);
}

static int judge_cell(struct bench *b, const struct model *m, struct bench_cell *c)
{
    const struct measurement **cells = arena_new_array(b->arena, const struct measurement *,
                                                       c->reads.n);
    struct device **devices = arena_new_array(b->arena, struct device *, c->reads.n);

    c->alone = arena_new_array(b->arena, const struct measurement *, c->reads.n);
    if (!cells || !devices || !c->alone)
        return -ENOMEM;
    for (size_t i = 0; i < c->reads.n; i++) {
        cells[i] = c->reads.v[i]->read;
        devices[i] = c->reads.v[i]->device;
        c->alone[i] = alone(b, c->reads.v[i]);
    }
    c->hop = sweep_shared_hop(m, devices, c->reads.n);
    return sweep_together(cells, c->alone, c->reads.n, &c->hop, b->arena, &c->together);
}

static int judge(struct bench *b, const struct model *m)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < b->devices.n; i++)
        r = judge_device(b, &b->devices.v[i]);
    for (size_t i = 0; r == 0 && i < b->cells.n; i++) {
        const struct bench_cell *c = &b->cells.v[i];

        r = judge_cell(b, m, &b->cells.v[i]);
        if (r == 0 && c->together.n > 1 &&
            (!b->best || c->together.kb_per_s > b->best->together.kb_per_s))
            b->best = c;
    }
    return r;
}

int bench_of(const struct model *m, const struct timed *reads, size_t n_reads,
             struct device *const *devices, size_t n, struct bench **ret)
{
    _cleanup_(bench_freep) struct bench *b = calloc(1, sizeof(*b));
    int r = 0;

    if (!b || !(b->arena = arena_new()))
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < n; i++)
        r = add_device(b, devices[i]);
    if (r == 0)
        r = add_reads(b, reads, n_reads, n == 0);
    drop_parts(b);
    if (r == 0)
        r = judge(b, m);
    if (r == 0)
        *ret = TAKE_PTR(b);
    return r;
}

int bench_new(const struct model *m, struct device *const *devices, size_t n, struct bench **ret)
{
    return bench_of(m, m->timed.v, m->timed.n, devices, n, ret);
}
