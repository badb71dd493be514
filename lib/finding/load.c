/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about what hops carry, and about what cannot be seen (judge.h).
 */
#include "finding/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

        /* Lanes and their rate count each by itself: a faster port of fewer lanes is no help to an older card. */
        if (!judge_is_slot(l) || l->verdict != VERDICT_OK || !card || !port ||
            rate_compare(rate_common(port->mode.rate, card->mode.rate), card->mode.rate) >= 0)
            continue;
        f = judge_add(j, "slot-limit");
        r = f ? judge_subject_link(j, f, l) : -ENOMEM;
        if (r == 0)
            r = judge_evidence(f, "card", judge_mode(j, &card->mode), card->via);
        if (r == 0)
            r = judge_evidence(f, "slot", judge_mode(j, &port->mode), port->via);
        if (r == 0)
            r = judge_say(j, f, "%s can do %s: its card %s, the slot %s", judge_link_name(j, l),
                          judge_mode(j, &l->expected), judge_mode(j, &card->mode),
                          judge_mode(j, &port->mode));
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

/* How many hops are above a link. */
static unsigned depth_of(const struct link *l)
{
    unsigned n = 0;

    for (; l->up && n < 64; l = l->up)
        n++;
    return n;
}

static bool is_on_bus(const struct link *l)
{
    return l->host && l->host->is_bus && !judge_is_slot(l);
}

/* What the links of a host that is a bus ask of it. */
static uint64_t asked_of_bus(const struct model *m, const struct host *h, const struct demand *d)
{
    uint64_t below = 0;

    for (size_t i = 0; i < m->links.n; i++)
        if (m->links.v[i]->host == h && is_on_bus(m->links.v[i]))
            below += d->own[i];
    return below;
}

/* What one link asks of the one above it: what hangs below it, or its devices, as far as it carries that. */
static void ask_above(const struct link *l, struct demand *d)
{
    uint64_t payload = link_payload_kb_per_s(l), *own = &d->own[l->index];

    if (l->bundle)
        return;
    if (*own != UINT64_MAX)
        *own = d->below[l->index];
    *own = *own < payload ? *own : payload;
    if (l->up && !is_on_bus(l))
        d->below[l->up->index] += *own;
}

/* A bus asks of its slot what it carries, however many targets are on it. */
static void ask_of_slots(const struct model *m, struct demand *d)
{
    for (size_t i = 0; i < m->hosts.n; i++) {
        uint64_t below, carries;

        if (!m->hosts.v[i]->is_bus || !m->hosts.v[i]->slot)
            continue;
        below = asked_of_bus(m, m->hosts.v[i], d);
        carries = model_bus_kb_per_s(m, m->hosts.v[i]);
        d->below[m->hosts.v[i]->slot->index] += below < carries ? below : carries;
    }
}

/* Goes from the deepest links up. */
static void sum_demands(const struct model *m, struct demand *d)
{
    unsigned deepest = 0;

    for (size_t i = 0; i < m->devices.n; i++)
        if (m->devices.v[i]->link && moves_data(m->devices.v[i]))
            d->own[m->devices.v[i]->link->index] = UINT64_MAX;
    for (size_t i = 0; i < m->links.n; i++)
        deepest = depth_of(m->links.v[i]) > deepest ? depth_of(m->links.v[i]) : deepest;
    for (unsigned depth = deepest + 1; depth; depth--)
        for (size_t i = 0; i < m->links.n; i++)
            if (depth_of(m->links.v[i]) == depth - 1)
                ask_above(m->links.v[i], d);
    ask_of_slots(m, d);
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
                             bus ? bus->kernel_name : judge_link_name(j, hop),
                             ratio(j, below, carries));
}

static bool is_too_much(uint64_t below, uint64_t carries)
{
    return carries && below > carries + carries / 100;
}

static int judge_bus(struct judging *j, const struct host *h, const struct demand *d)
{
    uint64_t below = asked_of_bus(j->model, h, d), carries = model_bus_kb_per_s(j->model, h);

    return is_too_much(below, carries) ? add_load(j, NULL, h, below, carries) : 0;
}

int judge_loads(struct judging *j)
{
    const struct model *m = j->model;
    struct demand d = { calloc(m->links.n + 1, sizeof(uint64_t)),
                        calloc(m->links.n + 1, sizeof(uint64_t)) };
    int r = d.own && d.below ? 0 : -ENOMEM;

    if (r == 0)
        sum_demands(m, &d);
    for (size_t i = 0; r == 0 && i < m->links.n; i++)
        if (is_too_much(d.below[i], link_payload_kb_per_s(m->links.v[i])))
            r = add_load(j, m->links.v[i], NULL, d.below[i], link_payload_kb_per_s(m->links.v[i]));
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
