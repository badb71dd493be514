/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which devices may be read from, and how (plan.h). Why others may not is refusal.c's matter.
 */
#include "probe/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe/refusal.h"
#include "transport/sleep.h"
#include "transport/transport.h"

/* A plan under way. */
struct planning {
    struct arena *arena;
    const struct model *model;
    const struct plan_options *options;
    struct plan *plan;
    size_t *below;                  /* of each link, by its index: devices that it leads to */
    const struct device **read;     /* of each link: whose LUN is read for it; NULL: nobody's yet */
    const struct device ***watches; /* of each link: all devices below it; NULL: not listed yet */
};

static int add_name(const char *names[PLAN_NAMES], size_t *n, const char *name)
{
    if (name && *n < PLAN_NAMES)
        names[(*n)++] = name;
    return 0;
}

int plan_names(struct arena *a, const struct device *d, const char *names[PLAN_NAMES])
{
    const char *both = d->vendor && d->model ? arena_printf(a, "%s %s", d->vendor, d->model) : NULL;
    const char *const v[] = { d->id, d->hctl, d->model, both, d->serial, d->wwid };
    size_t n = 0;

    if (d->vendor && d->model && !both)
        return -ENOMEM;
    memset(names, 0, PLAN_NAMES * sizeof(*names));
    for (size_t i = 0; i < ELEMENTS(v); i++)
        add_name(names, &n, v[i]);
    for (uint32_t i = 0; i < d->subject->n_facts; i++) {
        const struct fact *f = &d->subject->facts[i];
        const char *file;

        if (f->quality != QUALITY_OK || (f->key != &KEY_NODE && f->key != &KEY_BY_ID))
            continue;
        file = f->key == &KEY_NODE ? arena_printf(a, "/dev/%s", f->text) : f->text;
        if (!file)
            return -ENOMEM;
        add_name(names, &n, f->text);
        add_name(names, &n, file);
    }
    return 0;
}

static bool is_among(const char *const *v, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i], word) == 0)
            return true;
    return false;
}

/* Lists the devices below a link, or (NULL) on the bus of a host. NULL without memory. */
static const struct device **list_below(struct planning *p, const struct link *hop,
                                        const struct host *bus, size_t *ret_n)
{
    const struct model *m = p->model;
    const struct device **v;
    size_t n = 0;

    for (size_t i = 0; i < m->devices.n; i++)
        n += hop ? device_is_behind(m->devices.v[i], hop) : m->devices.v[i]->host == bus;
    v = arena_new_array(p->arena, const struct device *, n ? n : 1);
    *ret_n = 0;
    for (size_t i = 0; v && i < m->devices.n; i++)
        if (hop ? device_is_behind(m->devices.v[i], hop) : m->devices.v[i]->host == bus)
            v[(*ret_n)++] = m->devices.v[i];
    return v;
}

static size_t count_on(const struct model *m, const struct host *bus)
{
    size_t n = 0;

    for (size_t i = 0; i < m->devices.n; i++)
        n += m->devices.v[i]->host == bus;
    return n;
}

/* Finds the narrowest hop that the device shares with others; one of which the rate is not known counts as narrower
 * than all, and of equal ones the upper. `*ret_is_bus`: it is the bus that the host is. */
static const struct link *narrowest(struct planning *p, const struct device *d, bool *ret_is_bus)
{
    const struct link *best = NULL;
    uint64_t least = UINT64_MAX;

    *ret_is_bus = false;
    for (const struct link *l = d->link; l; l = l->up) {
        uint64_t rate = link_payload_kb_per_s(l);

        if (l == d->link && d->host->is_bus && count_on(p->model, d->host) > 1) {
            least = model_bus_kb_per_s(p->model, d->host);
            *ret_is_bus = true;
        }
        if (p->below[l->index] < 2 || rate > least)
            continue;
        if (*ret_is_bus && l == d->link) /* a part of the bus */
            continue;
        least = rate;
        best = l;
        *ret_is_bus = false;
    }
    return best;
}

/* Only one may be read at a time of what hangs on one port of the adapter, or on one bus. */
static const char *group_of(const struct device *d)
{
    const struct link *top = d->link;

    if (d->host->is_bus)
        return d->host->id;
    while (top->up && top->up != d->host->slot)
        top = top->up;
    return top->id;
}

static int fill_watch(struct planning *p, struct plan_entry *e)
{
    const struct device *d = e->device;
    bool is_bus;

    e->shared = narrowest(p, d, &is_bus);
    if (is_bus) {
        e->watch = list_below(p, NULL, d->host, &e->n_watch);
        return e->watch ? 0 : -ENOMEM;
    }
    if (!e->shared) {
        e->watch = arena_new_array(p->arena, const struct device *, 1);
        if (!e->watch)
            return -ENOMEM;
        e->watch[0] = d;
        e->n_watch = 1;
        return 0;
    }
    e->n_watch = p->below[e->shared->index];
    if (!p->watches[e->shared->index])
        p->watches[e->shared->index] = list_below(p, e->shared, NULL, &e->n_watch);
    e->watch = p->watches[e->shared->index];
    return e->watch ? 0 : -ENOMEM;
}

enum { LEVEL_SPC_2 = 5 }; /* of the kernel's scsi_level */

/* May it be asked for its buffer? That of an array is its controller's; libata knows no READ BUFFER
 * (drivers/ata/libata-scsi.c); before SPC-2 it is asked only where the configuration names it: a request
 * that does says nothing of what its firmware stands. */
static bool has_buffer(const struct device *d, bool is_switched_on)
{
    const struct transport *t = transport_named(d->host->transport);

    if (sleep_is_hidden(d->subject) || (t && t->arrays))
        return false;
    return is_switched_on || fact_number_or(d->subject, &KEY_SCSI_LEVEL, 0) >= LEVEL_SPC_2;
}

/* How a device that may be read is read. */
static int fill(struct planning *p, struct plan_entry *e, bool is_switched_on)
{
    const struct device *d = e->device;
    bool is_hidden = sleep_is_hidden(d->subject), buffer = has_buffer(d, is_switched_on);

    e->method = buffer ? "read-buffer/sg" : "read-cached/sg";
    e->fallback = buffer ? "read-cached/sg" : NULL;
    e->block_bytes = PLAN_BLOCK_BYTES;
    e->total_bytes = p->options->config->probe.bytes;
    e->longest_us = p->options->config->probe.longest_us;
    e->may_sleep = fact_number_or(d->subject, &KEY_ROTATIONAL, 1);
    e->ask_sense = e->may_sleep && !is_hidden;
    e->needs_use = e->may_sleep && is_hidden && !(e->is_named && p->options->forced);
    e->group = group_of(d);
    return fill_watch(p, e);
}

/* Decides about the devices that are named, or about the others. */
static int decide(struct planning *p, bool named)
{
    const struct model *m = p->model;
    int r = 0;

    for (size_t i = 0; r == 0 && i < m->devices.n; i++) {
        struct plan_entry *e = &p->plan->v[i];
        const struct device *d = m->devices.v[i], **read;
        bool is_switched_on;

        if (e->is_named != named)
            continue;
        r = refusal_of(p->arena, m, d, p->options, named, &is_switched_on, &e->refused);
        if (r < 0 || e->refused || !d->link) /* what may be read has a link */
            continue;
        read = &p->read[d->link->index];
        if (*read) {
            e->refused = arena_printf(
                p->arena, "%s, which is on the same link, is read: one of a link is enough",
                (*read)->hctl);
            r = e->refused ? 0 : -ENOMEM;
            continue;
        }
        *read = d;
        r = fill(p, e, is_switched_on);
    }
    return r;
}

int plan_make(struct arena *a, const struct model *m, const struct plan_options *options,
              struct plan *ret)
{
    struct plan plan = { .n = m->devices.n };
    struct planning p = { .arena = a, .model = m, .options = options, .plan = &plan };
    int r;

    plan.v = arena_new_array(a, struct plan_entry, plan.n + 1);
    p.below = arena_new_array(a, size_t, m->links.n + 1);
    p.read = arena_new_array(a, const struct device *, m->links.n + 1);
    p.watches = arena_new_array(a, const struct device **, m->links.n + 1);
    if (!plan.v || !p.below || !p.read || !p.watches)
        return -ENOMEM;
    for (size_t i = 0; i < plan.n; i++) {
        plan.v[i].device = m->devices.v[i];
        plan.v[i].is_named = is_among(options->named, options->n_named, m->devices.v[i]->hctl);
        for (const struct link *l = m->devices.v[i]->link; l; l = l->up)
            p.below[l->index]++;
    }
    r = decide(&p, true);
    if (r == 0)
        r = decide(&p, false);
    if (r == 0)
        *ret = plan;
    return r;
}

const struct plan_entry *plan_of(const struct plan *plan, const char *hctl)
{
    for (size_t i = 0; i < plan->n; i++)
        if (strcmp(plan->v[i].device->hctl, hctl) == 0)
            return &plan->v[i];
    return NULL;
}
