/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * History (history.h): each snapshot's lists are sorted by id and searched.
 */
#include "link/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "facts/key.h"

struct history *history_free(struct history *h)
{
    if (!h)
        return NULL;
    arena_free(h->arena);
    free(h->snapshots.v);
    free(h);
    return NULL;
}

struct history *history_new(void)
{
    struct history *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->arena = arena_new();
    return h->arena ? h : history_free(h);
}

static int compare_samples(const void *a, const void *b)
{
    return strcmp((*(const struct sample *const *)a)->id, (*(const struct sample *const *)b)->id);
}

static int compare_past(const void *a, const void *b)
{
    return strcmp((*(const struct past *const *)a)->id, (*(const struct past *const *)b)->id);
}

/* Copies the text; NULL stays NULL. `*r` is -ENOMEM where there is no memory. */
static const char *keep(struct history *h, const char *text, int *r)
{
    char *copy = arena_strdup(h->arena, text);

    if (text && !copy)
        *r = -ENOMEM;
    return copy;
}

static int keep_counters(struct history *h, const struct link *l, struct sample *s)
{
    s->counters = arena_new_array(h->arena, struct counter_sample, l->counters.n);
    if (!s->counters)
        return -ENOMEM;
    for (size_t i = 0; i < l->counters.n; i++)
        s->counters[i] = (struct counter_sample){ l->counters.v[i]->key, l->counters.v[i]->number };
    s->n_counters = l->counters.n;
    return 0;
}

static int keep_link(struct history *h, const struct link *l, struct sample *ret)
{
    int r = 0;

    *ret = (struct sample){
        .id = keep(h, l->id, &r),
        .kernel_name = keep(h, l->kernel_name, &r),
        .far = keep(h, l->far, &r),
        .far_id = keep(h, l->far_id, &r),
        .up_id = keep(h, l->up ? l->up->id : NULL, &r),
        .bundle_id = keep(h, l->bundle ? l->bundle->id : NULL, &r),
        .host_id = keep(h, l->host ? l->host->id : NULL, &r),
        .wire = keep(h, l->far_is_network ? l->near : NULL, &r),
        .state = l->state,
        .known = l->actual.known,
        .rate = l->actual.rate,
        .label = keep(h, l->actual.label, &r),
        .may_go = l->may_go || l->has_no_link,
        .judged_above = l->judged_above,
        .is_slot = l->host && l == l->host->slot,
        .describe = l->describe,
        .path = keep(h, l->subject->path, &r),
        .class_name = keep(h, l->subject->class_name, &r),
    };
    return r < 0 ? r : keep_counters(h, l, ret);
}

/* An empty list with room for `n`, and those `n`. Returns 0 or -ENOMEM. */
static int make_list(struct history *h, size_t n, const struct past ***ret_list, struct past **ret)
{
    *ret_list = arena_new_array(h->arena, const struct past *, n);
    *ret = arena_new_array(h->arena, struct past, n);
    return *ret_list && *ret ? 0 : -ENOMEM;
}

static int keep_hosts(struct history *h, const struct model *m, struct snapshot *s)
{
    struct past *p;
    int r = make_list(h, m->hosts.n, &s->hosts, &p);

    if (r < 0)
        return r;
    for (size_t i = 0; i < m->hosts.n; i++, p++) {
        s->hosts[s->n_hosts++] = p;
        p->id = keep(h, m->hosts.v[i]->id, &r);
        p->pci_id = keep(h, m->hosts.v[i]->pci_id, &r);
        p->has_count = fact_number(m->hosts.v[i]->own, &KEY_RESET_COUNT, &p->count);
        p->is_unread = m->hosts.v[i]->is_unread;
    }
    if (r == 0)
        qsort(s->hosts, s->n_hosts, sizeof(*s->hosts), compare_past);
    return r;
}

static int keep_remotes(struct history *h, const struct model *m, struct snapshot *s)
{
    struct past *x;
    int r = make_list(h, m->remotes.n, &s->remotes, &x);

    if (r < 0)
        return r;
    for (size_t i = 0; i < m->remotes.n; i++, x++) {
        const struct remote *p = &m->remotes.v[i];

        *x = (struct past){ .id = keep(h, p->id, &r),
                            .kernel_name = keep(h, p->kernel_name, &r),
                            .link_id = keep(h, p->link->id, &r),
                            .node = keep(h, p->node, &r),
                            .path = keep(h, p->subject->path, &r),
                            .class_name = keep(h, p->subject->class_name, &r),
                            .is_up = p->is_up };
        s->remotes[s->n_remotes++] = x;
    }
    if (r == 0)
        qsort(s->remotes, s->n_remotes, sizeof(*s->remotes), compare_past);
    return r;
}

static int keep_devices(struct history *h, const struct model *m, struct snapshot *s)
{
    struct past *p;
    int r = make_list(h, m->devices.n, &s->devices, &p);

    if (r < 0)
        return r;
    for (size_t i = 0; i < m->devices.n; i++) {
        const struct device *d = m->devices.v[i];

        if (!d->id)
            continue;
        s->devices[s->n_devices++] = p;
        p->has_count = fact_number(d->subject, &KEY_IOTMO, &p->count);
        p->id = keep(h, d->id, &r);
        p->kernel_name = keep(h, d->hctl, &r);
        p->link_id = keep(h, d->link ? d->link->id : NULL, &r);
        p++;
    }
    if (r == 0)
        qsort(s->devices, s->n_devices, sizeof(*s->devices), compare_past);
    return r;
}

static int compare_measures(const void *a, const void *b)
{
    return strcmp(((const struct past_measure *)a)->device_id,
                  ((const struct past_measure *)b)->device_id);
}

static int keep_measures(struct history *h, const struct model *m, struct snapshot *s)
{
    int r = 0;

    s->measures = arena_new_array(h->arena, struct past_measure, m->measures.n);
    if (!s->measures)
        return -ENOMEM;
    for (size_t i = 0; i < m->measures.n; i++) {
        const struct measured *x = &m->measures.v[i];

        s->measures[s->n_measures++] = (struct past_measure){
            keep(h, x->device->id, &r),
            keep(h, x->method, &r),
            x->block_bytes,
            x->kb_per_s,
            x->median_us,
            x->wall_us,
        };
    }
    if (r == 0)
        qsort(s->measures, s->n_measures, sizeof(*s->measures), compare_measures);
    return r;
}

int history_add(struct history *h, const struct model *m, uint64_t wall_us, uint64_t mono_us)
{
    struct snapshot s = { .wall_us = wall_us, .mono_us = mono_us, .scrubbed = m->scrubbed };
    struct sample *x = arena_new_array(h->arena, struct sample, m->links.n);
    int r = 0;

    s.hostname = keep(h, m->hostname, &r);
    s.links = arena_new_array(h->arena, const struct sample *, m->links.n);
    if (!x || !s.links)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < m->links.n; i++, x++) {
        r = keep_link(h, m->links.v[i], x);
        s.links[s.n_links++] = x;
    }
    if (r == 0)
        r = keep_hosts(h, m, &s);
    if (r == 0)
        r = keep_remotes(h, m, &s);
    if (r == 0)
        r = keep_devices(h, m, &s);
    if (r == 0)
        r = keep_measures(h, m, &s);
    if (r < 0)
        return r;
    qsort(s.links, s.n_links, sizeof(*s.links), compare_samples);
    return vec_push(&h->snapshots, s);
}

int history_name(struct history *h, const char *name)
{
    int r = 0;

    h->snapshots.v[h->snapshots.n - 1].name = keep(h, name, &r);
    return r;
}

int history_with(const struct history *h, const struct model *m, uint64_t wall_us, uint64_t mono_us,
                 struct history **ret)
{
    _cleanup_(history_freep) struct history *all = history_new();
    int r = all ? vec_reserve(&all->snapshots, h->snapshots.n + 1) : -ENOMEM;

    if (r < 0)
        return r;
    for (size_t i = 0; i < h->snapshots.n; i++)
        all->snapshots.v[all->snapshots.n++] = h->snapshots.v[i];
    r = history_add(all, m, wall_us, mono_us);
    if (r < 0)
        return r;
    *ret = TAKE_PTR(all);
    return 0;
}

const struct sample *snapshot_link(const struct snapshot *s, const char *id)
{
    const struct sample key = { .id = id }, *const at = &key;
    const struct sample **found =
        s->n_links ? bsearch(&at, s->links, s->n_links, sizeof(at), compare_samples) : NULL;

    return found ? *found : NULL;
}

static const struct past *find_past(const struct past **list, size_t n, const char *id)
{
    const struct past key = { .id = id }, *const at = &key;
    const struct past **found = n ? bsearch(&at, list, n, sizeof(at), compare_past) : NULL;

    return found ? *found : NULL;
}

const struct past *snapshot_host(const struct snapshot *s, const char *id)
{
    return find_past(s->hosts, s->n_hosts, id);
}

bool snapshot_unread(const struct snapshot *s, const char *host_id)
{
    const struct past *host = host_id ? snapshot_host(s, host_id) : NULL;

    return host && host->is_unread;
}

const struct past *snapshot_remote(const struct snapshot *s, const char *id)
{
    return find_past(s->remotes, s->n_remotes, id);
}

const struct past *snapshot_device(const struct snapshot *s, const char *id)
{
    return find_past(s->devices, s->n_devices, id);
}

const struct past_measure *snapshot_measures(const struct snapshot *s, const char *device_id,
                                             size_t *ret_n)
{
    struct past_measure key = { .device_id = device_id };
    const struct past_measure *first = s->n_measures ? bsearch(&key, s->measures, s->n_measures,
                                                               sizeof(key), compare_measures)
                                                     : NULL;
    const struct past_measure *end = first;

    while (first && first > s->measures && strcmp(first[-1].device_id, device_id) == 0)
        first--;
    while (end && end < s->measures + s->n_measures && strcmp(end->device_id, device_id) == 0)
        end++;
    *ret_n = first ? (size_t)(end - first) : 0;
    return first;
}

/* A PCI address alone is that of many machines' adapters. */
static bool is_same_adapter(const struct past *then, const struct host *now)
{
    return then && (!then->pci_id || !now->pci_id || strcmp(then->pci_id, now->pci_id) == 0);
}

static bool same_machine(const struct snapshot *s, const struct model *m)
{
    if (s->hostname && m->hostname) {
        if (strcmp(s->hostname, m->hostname) != 0)
            return false;
        if (!s->scrubbed && !m->scrubbed)
            return true;
    }
    for (size_t i = 0; i < m->hosts.n; i++)
        if (is_same_adapter(snapshot_host(s, m->hosts.v[i]->id), m->hosts.v[i]))
            return true;
    return !s->n_hosts || !m->hosts.n;
}

int history_fits(const struct snapshot *s, const struct model *m, uint64_t wall_us)
{
    if (!same_machine(s, m))
        return -EXDEV;
    if (!s->wall_us || !wall_us)
        return -ENODATA;
    return s->wall_us > wall_us ? -EINVAL : 0;
}

int history_of(const struct history *h, const struct model *m, uint64_t wall_us,
               struct history **ret)
{
    _cleanup_(history_freep) struct history *fit = history_new();
    int r = fit ? vec_reserve(&fit->snapshots, h->snapshots.n) : -ENOMEM;

    if (r < 0)
        return r;
    for (size_t i = 0; i < h->snapshots.n; i++) {
        const struct snapshot *s = &h->snapshots.v[i];
        size_t at = fit->snapshots.n;

        if (history_fits(s, m, wall_us) < 0)
            continue;
        for (; at && fit->snapshots.v[at - 1].wall_us > s->wall_us; at--)
            fit->snapshots.v[at] = fit->snapshots.v[at - 1];
        fit->snapshots.v[at] = *s;
        fit->snapshots.n++;
    }
    *ret = TAKE_PTR(fit);
    return 0;
}

static bool link_is_shown(const struct history *h, size_t i, const struct sample *s)
{
    bool speed = !s->known, lanes = !s->known, later = false;

    for (size_t k = 0; k < h->snapshots.n && !(speed && lanes && later); k++) {
        const struct sample *x = k == i ? NULL : snapshot_link(&h->snapshots.v[k], s->id);

        if (!x || x->state != LINK_UP)
            continue;
        later = later || k > i;
        if (!x->known || !text_same(x->far_id, s->far_id))
            continue;
        speed = speed || rate_compare(x->rate, s->rate) >= 0;
        lanes = lanes || x->rate.lanes >= s->rate.lanes;
    }
    return speed && lanes && later;
}

static bool remote_is_shown(const struct history *h, size_t i, const char *id)
{
    for (size_t k = i + 1; k < h->snapshots.n; k++) {
        const struct past *p = snapshot_remote(&h->snapshots.v[k], id);

        if (p && p->is_up)
            return true;
    }
    return false;
}

bool history_can_spare(const struct history *h, size_t i)
{
    const struct snapshot *s = &h->snapshots.v[i];

    for (size_t k = 0; k < s->n_links; k++)
        if (s->links[k]->state == LINK_UP && !link_is_shown(h, i, s->links[k]))
            return false;
    for (size_t k = 0; k < s->n_remotes; k++)
        if (s->remotes[k]->is_up && !remote_is_shown(h, i, s->remotes[k]->id))
            return false;
    return true;
}

bool snapshot_same_boot(const struct snapshot *a, const struct snapshot *b)
{
    enum { CORRECTION_US = 60 * 1000000 };
    int64_t wall = (int64_t)(b->wall_us - a->wall_us), mono = (int64_t)(b->mono_us - a->mono_us);

    return mono >= 0 && llabs(wall - mono) <= CORRECTION_US;
}

static bool same_end(const char *a, const char *b)
{
    return !a || !b || strcmp(a, b) == 0;
}

bool sample_is_of(const struct sample *s, const struct link *l)
{
    return same_end(s->far_id, l->far_id);
}

/* Within one link a name and a kind are one counter. */
static bool same_counter(const struct fact_key *a, const struct fact_key *b)
{
    return a == b || (a->kind == b->kind && strcmp(a->name, b->name) == 0);
}

bool sample_counter(const struct sample *s, const struct fact_key *key, uint64_t *ret)
{
    for (size_t i = 0; i < s->n_counters; i++) {
        if (!same_counter(s->counters[i].key, key))
            continue;
        *ret = s->counters[i].value;
        return true;
    }
    return false;
}

/* Was something on the link when it was last seen otherwise than without anything? */
static bool was_up(const struct history *h, const char *id)
{
    for (size_t k = h->snapshots.n; k; k--) {
        const struct sample *s = snapshot_link(&h->snapshots.v[k - 1], id);

        if (s && s->state != LINK_EMPTY && s->state != LINK_DOWN)
            return s->state == LINK_UP && !s->may_go;
    }
    return false;
}

void history_apply(const struct history *h, struct model *m)
{
    for (size_t i = 0; i < m->links.n; i++) {
        struct link *l = m->links.v[i];

        if (l->state == LINK_EMPTY && !l->may_go && was_up(h, l->id))
            l->state = LINK_DOWN;
    }
}

static const struct sample *best_of(const struct history *h, const struct link *l, bool any_far)
{
    const struct sample *best = NULL;

    for (size_t i = 0; i < h->snapshots.n; i++) {
        const struct sample *s = snapshot_link(&h->snapshots.v[i], l->id);

        if (s && s->state == LINK_UP && s->known && (any_far || sample_is_of(s, l)) &&
            (!best || rate_compare(s->rate, best->rate) > 0))
            best = s;
    }
    return best;
}

const struct sample *history_best(const struct history *h, const struct link *l)
{
    return best_of(h, l, false);
}

const struct sample *history_best_near(const struct history *h, const struct link *l)
{
    return best_of(h, l, true);
}

/* The link as it was, or the wide one of which it was a lane then. */
static const struct sample *whole_link(const struct snapshot *s, const struct link *l)
{
    const struct sample *x = snapshot_link(s, l->id), *wide;

    if (!x || !x->bundle_id || l->bundle)
        return x;
    wide = snapshot_link(s, x->bundle_id);
    return wide && wide->far_id && l->far_id && strcmp(wide->far_id, l->far_id) == 0 ? wide : x;
}

const struct sample *history_widest(const struct history *h, const struct link *l)
{
    const struct sample *widest = NULL;

    for (size_t i = 0; i < h->snapshots.n; i++) {
        const struct sample *s = whole_link(&h->snapshots.v[i], l);

        if (s && s->state == LINK_UP && s->known && sample_is_of(s, l) &&
            (!widest || s->rate.lanes > widest->rate.lanes))
            widest = s;
    }
    return widest;
}
