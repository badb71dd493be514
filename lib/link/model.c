/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Building the model (model.h), and the path of a device through it.
 */
#include "link/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

static const char *const STATES[] = {
    [LINK_UP] = "up",           [LINK_DOWN] = "down",
    [LINK_EMPTY] = "empty",     [LINK_DISABLED] = "disabled",
    [LINK_UNKNOWN] = "unknown",
};
DEFINE_NAMES(enum link_state, link_state, STATES)

static const char *const VERDICTS[] = {
    [VERDICT_OK] = "ok",           [VERDICT_BELOW] = "below", [VERDICT_CAPPED] = "capped",
    [VERDICT_UNKNOWN] = "unknown", [VERDICT_NONE] = "none",
};
DEFINE_NAMES(enum verdict, verdict, VERDICTS)

static const char *const WHOS[] = {
    [WHO_INITIATOR] = "initiator",
    [WHO_TARGET] = "target",
    [WHO_HOP] = "hop",
    [WHO_CLOCK] = "clock",
    [WHO_SIBLING] = "sibling",
    [WHO_HISTORY] = "history",
    [WHO_ADMINISTRATOR] = "administrator",
};
DEFINE_NAMES(enum who, who, WHOS)

struct model *model_new(void)
{
    struct model *m = calloc(1, sizeof(*m));

    if (!m)
        return NULL;
    m->arena = arena_new();
    return m->arena ? m : model_free(m);
}

struct model *model_free(struct model *m)
{
    if (!m)
        return NULL;
    for (size_t i = 0; i < m->links.n; i++) {
        free(m->links.v[i]->witnesses.v);
        free(m->links.v[i]->able.v);
        free(m->links.v[i]->allowed.v);
        free(m->links.v[i]->expected_from.v);
        free(m->links.v[i]->counters.v);
        free(m->links.v[i]->findings.v);
    }
    for (size_t i = 0; i < m->hosts.n; i++) {
        free(m->hosts.v[i]->parameters.v);
        free(m->hosts.v[i]->findings.v);
    }
    for (size_t i = 0; i < m->devices.n; i++) {
        free(m->devices.v[i]->users.v);
        free(m->devices.v[i]->findings.v);
    }
    free(m->hosts.v);
    free(m->links.v);
    free(m->devices.v);
    free(m->remotes.v);
    free(m->measures.v);
    free(m->timed.v);
    free(m->unseen.v);
    free(m->names);
    arena_free(m->arena);
    free(m);
    return NULL;
}

struct host *model_add_host(struct model *m, const struct subject *subject)
{
    struct host *h = arena_alloc(m->arena, sizeof(*h));

    if (!h || vec_push(&m->hosts, h) < 0)
        return NULL;
    h->subject = subject;
    h->kernel_name = subject->name;
    return h;
}

static struct link_name *name_slot(const struct model *m, const char *name)
{
    size_t h = 14695981039346656037u; /* FNV-1a */

    for (const char *c = name; *c; c++)
        h = (h ^ (uint8_t)*c) * 1099511628211u;
    for (h ^= h >> 29;; h++) {
        struct link_name *slot = &m->names[h & (m->n_name_slots - 1)];

        if (!slot->name || strcmp(slot->name, name) == 0)
            return slot;
    }
}

static int grow_names(struct model *m)
{
    struct link_name *old = m->names;
    size_t n_old = m->n_name_slots, n = n_old ? n_old * 2 : 64;
    struct link_name *grown = calloc(n, sizeof(*grown));

    if (!grown)
        return -ENOMEM;
    m->names = grown;
    m->n_name_slots = n;
    for (size_t i = 0; i < n_old; i++)
        if (old[i].name)
            *name_slot(m, old[i].name) = old[i];
    free(old);
    return 0;
}

int model_name_link(struct model *m, const char *name, struct link *link)
{
    struct link_name *slot;

    if (m->n_names >= m->n_name_slots / 4 * 3 && grow_names(m) < 0)
        return -ENOMEM;
    slot = name_slot(m, name);
    if (!slot->name) {
        *slot = (struct link_name){ name, link };
        m->n_names++;
    }
    return 0;
}

struct link *model_add_link(struct model *m, struct host *host, const struct subject *subject,
                            const char *kernel_name)
{
    struct link *l = arena_alloc(m->arena, sizeof(*l));

    if (!l || vec_push(&m->links, l) < 0 || model_name_link(m, kernel_name, l) < 0)
        return NULL;
    l->index = m->links.n - 1;
    l->host = host;
    l->subject = subject;
    l->kernel_name = kernel_name;
    l->state = LINK_UNKNOWN;
    l->verdict = VERDICT_UNKNOWN;
    return l;
}

struct device *model_add_device(struct model *m, struct host *host, const struct subject *subject)
{
    struct device *d = arena_alloc(m->arena, sizeof(*d));

    if (!d || vec_push(&m->devices, d) < 0)
        return NULL;
    d->host = host;
    d->subject = subject;
    d->hctl = subject->name;
    return d;
}

struct host *model_host_named(const struct model *m, const char *kernel_name)
{
    for (size_t i = 0; i < m->hosts.n; i++)
        if (strcmp(m->hosts.v[i]->kernel_name, kernel_name) == 0)
            return m->hosts.v[i];
    return NULL;
}

struct link *model_link_named(const struct model *m, const char *kernel_name)
{
    return m->n_name_slots ? name_slot(m, kernel_name)->link : NULL;
}

int link_add_witness(struct link *l, enum who who, const char *via, struct mode mode)
{
    return mode.known ? vec_push(&l->witnesses, (struct claim){ who, via, mode, false }) : 0;
}

int link_add_able(struct link *l, enum who who, const char *via, struct mode mode, bool at_most)
{
    return mode.known ? vec_push(&l->able, (struct claim){ who, via, mode, at_most }) : 0;
}

int link_add_allowed(struct link *l, enum who who, const char *via, struct mode mode)
{
    return mode.known ? vec_push(&l->allowed, (struct claim){ who, via, mode, false }) : 0;
}

int link_add_counter(struct link *l, const struct subject *s, const struct fact_key *key)
{
    const struct fact *f = fact_find(s, key);

    return f && f->quality == QUALITY_OK ? vec_push(&l->counters, f) : 0;
}

uint64_t link_payload_kb_per_s(const struct link *l)
{
    return l && l->state == LINK_UP && l->actual.known && !l->has_no_link
               ? rate_kb_per_s(l->actual.rate)
               : 0;
}

uint64_t model_bus_kb_per_s(const struct model *m, const struct host *bus)
{
    uint64_t fastest = 0;

    for (size_t i = 0; i < m->links.n; i++) {
        const struct link *l = m->links.v[i];
        uint64_t rate = l->host == bus && l != bus->slot ? link_payload_kb_per_s(l) : 0;

        fastest = rate > fastest ? rate : fastest;
    }
    return fastest;
}

bool device_is_behind(const struct device *d, const struct link *hop)
{
    const struct link *l = d->link;

    while (l && l != hop)
        l = l->up;
    return l != NULL;
}

uint64_t device_path_kb_per_s(const struct device *d, struct link **ret_hop)
{
    struct link *narrowest = NULL;
    uint64_t least = 0;

    if (!d->link || !d->link->actual.known || !rate_kb_per_s(d->link->actual.rate)) {
        if (ret_hop)
            *ret_hop = NULL;
        return 0;
    }
    for (struct link *l = d->link; l; l = l->up) {
        uint64_t rate = l->actual.known ? rate_kb_per_s(l->actual.rate) : 0;

        if (rate && (!narrowest || rate < least)) {
            narrowest = l;
            least = rate;
        }
    }
    if (ret_hop)
        *ret_hop = narrowest;
    return least;
}
