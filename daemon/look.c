/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks (look.h): snapshots' lists are sorted by id, so that two of them are walked side by side.
 */
#include "daemon/look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void look_done(struct look *look)
{
    free(look->objects.v);
    free(look->counts.v);
    free(look->measures.v);
    *look = (struct look){ 0 };
}

bool look_is_quiet(const struct look *look)
{
    return !look->is_whole && !look->objects.n && !look->counts.n && !look->measures.n;
}

/* ---- what is different ---- */

static int note_counts(struct look *look, const struct sample *before, const struct sample *after,
                       bool is_late)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < after->n_counters; i++) {
        const struct counter_sample *c = &after->counters[i];
        uint64_t value;

        if (before && sample_counter(before, c->key, &value) && value == c->value)
            continue;
        r = vec_push(&look->counts, (struct look_count){ after->id, c->key->name, c->key->kind,
                                                         c->value, is_late });
    }
    return r;
}

static int note_gone(struct look *look, enum object_kind kind, const char *id)
{
    return vec_push(&look->objects,
                    (struct look_object){ .kind = kind, .id = id, .is_gone = true });
}

/* `is_late`: its counters were not read in the look before. */
static int note_link(struct look *look, const struct sample *before, const struct sample *after,
                     bool is_late)
{
    struct look_object object = { .kind = OBJECT_LINK };
    int r = 0;

    if (!after)
        return before ? note_gone(look, OBJECT_LINK, before->id) : 0;
    object.id = after->id;
    object.link = *after;
    object.link.counters = NULL;
    object.link.n_counters = 0;
    if (!before || !fields_same(SAMPLE_FIELDS, before, after))
        r = vec_push(&look->objects, object);
    return r < 0 ? r : note_counts(look, before, after, is_late);
}

static int note_past(struct look *look, enum object_kind kind, const struct past *before,
                     const struct past *after)
{
    if (!after)
        return before ? note_gone(look, kind, before->id) : 0;
    if (before && fields_same(PAST_FIELDS, before, after))
        return 0;
    return vec_push(&look->objects,
                    (struct look_object){ .kind = kind, .id = after->id, .other = *after });
}

/* Which of two lists' heads comes first, 0 for both; NULL is behind everything. */
static int heads(const char *a, const char *b)
{
    return !a ? 1 : !b ? -1 : strcmp(a, b);
}

static int compare_links(const struct snapshot *before, const struct snapshot *after,
                         struct look *look)
{
    size_t i = 0, k = 0, n = before ? before->n_links : 0;
    int r = 0;

    while (r == 0 && (i < n || k < after->n_links)) {
        const struct sample *a = i < n ? before->links[i] : NULL;
        const struct sample *b = k < after->n_links ? after->links[k] : NULL;
        int first = a == b ? 0 : heads(a ? a->id : NULL, b ? b->id : NULL);

        if (a != b)
            r = note_link(look, first <= 0 ? a : NULL, first >= 0 ? b : NULL,
                          a && snapshot_unread(before, a->host_id));
        i += first <= 0;
        k += first >= 0;
    }
    return r;
}

struct pasts {
    const struct past **v;
    size_t n;
};

static struct pasts pasts_of(const struct snapshot *s, enum object_kind kind)
{
    if (!s)
        return (struct pasts){ 0 };
    if (kind == OBJECT_HOST)
        return (struct pasts){ s->hosts, s->n_hosts };
    if (kind == OBJECT_REMOTE)
        return (struct pasts){ s->remotes, s->n_remotes };
    return (struct pasts){ s->devices, s->n_devices };
}

static int compare_pasts(const struct snapshot *before, const struct snapshot *after,
                         enum object_kind kind, struct look *look)
{
    struct pasts old = pasts_of(before, kind), new = pasts_of(after, kind);
    size_t i = 0, k = 0;
    int r = 0;

    while (r == 0 && (i < old.n || k < new.n)) {
        const struct past *a = i < old.n ? old.v[i] : NULL;
        const struct past *b = k < new.n ? new.v[k] : NULL;
        int first = a == b ? 0 : heads(a ? a->id : NULL, b ? b->id : NULL);

        if (a != b)
            r = note_past(look, kind, first <= 0 ? a : NULL, first >= 0 ? b : NULL);
        i += first <= 0;
        k += first >= 0;
    }
    return r;
}

int look_between(const struct snapshot *before, const struct snapshot *after, struct look *ret)
{
    struct look look = { .wall_us = after->wall_us,
                         .mono_us = after->mono_us,
                         .before_us = before ? before->wall_us : 0,
                         .before_mono_us = before ? before->mono_us : 0,
                         .hostname = after->hostname,
                         .is_whole = !before };
    int r = compare_links(before, after, &look);

    for (enum object_kind kind = OBJECT_HOST; r == 0 && kind < _OBJECT_KIND_MAX; kind++)
        r = compare_pasts(before, after, kind, &look);
    if (r < 0)
        look_done(&look);
    *ret = look;
    return r;
}

/* ---- and back ---- */

static int by_kind_and_id(const void *a, const void *b)
{
    const struct look_object *x = *(const struct look_object *const *)a;
    const struct look_object *y = *(const struct look_object *const *)b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->id, y->id);
}

static int by_link(const void *a, const void *b)
{
    const struct look_count *x = *(const struct look_count *const *)a;
    const struct look_count *y = *(const struct look_count *const *)b;
    int r = strcmp(x->link_id, y->link_id);

    return r ? r : strcmp(x->name, y->name);
}

static int by_device(const void *a, const void *b)
{
    return strcmp(((const struct past_measure *)a)->device_id,
                  ((const struct past_measure *)b)->device_id);
}

struct applying {
    struct history *h;
    const struct snapshot *before; /* NULL: nothing is kept of it */
    const struct look *look;
    const struct look_object **objects; /* by kind and id */
    const struct look_count **counts;   /* by link */
    size_t next_object, next_count;
    VEC(const struct fact_key *) keys; /* of counters that are new */
    struct snapshot made;
};

/* The object of the look that is next in order, where it is of that kind; NULL. */
static const struct look_object *next_of(const struct applying *a, enum object_kind kind)
{
    const struct look_object *o = a->next_object < a->look->objects.n ? a->objects[a->next_object]
                                                                      : NULL;

    return o && o->kind == kind ? o : NULL;
}

/* Objects of a kind are walked in order, the old and the new: which is it? Both go on then. */
static bool take_next(struct applying *a, const char *old_id, enum object_kind kind, bool *ret_old,
                      const struct look_object **ret_new)
{
    const struct look_object *new = next_of(a, kind);
    int first;

    if (!old_id && !new)
        return false;
    first = heads(old_id, new ? new->id : NULL);
    *ret_old = first <= 0;
    *ret_new = first >= 0 ? new : NULL;
    a->next_object += first >= 0;
    return true;
}

/* There are few kinds of counters and many links: all counters of a kind share the key that this look made. */
static const struct fact_key *key_of(struct applying *a, const struct look_count *c)
{
    struct fact_key *key;

    for (size_t i = 0; i < a->keys.n; i++)
        if (a->keys.v[i]->kind == c->kind && strcmp(a->keys.v[i]->name, c->name) == 0)
            return a->keys.v[i];
    key = arena_alloc(a->h->arena, sizeof(*key));
    if (!key)
        return NULL;
    *key = (struct fact_key){ arena_strdup(a->h->arena, c->name), FACT_NUMBER, c->kind };
    return key->name && vec_push(&a->keys, key) == 0 ? key : NULL;
}

static int set_count(struct applying *a, struct sample *s, const struct look_count *c)
{
    const struct fact_key *key;

    for (size_t i = 0; i < s->n_counters; i++)
        if (strcmp(s->counters[i].key->name, c->name) == 0 && s->counters[i].key->kind == c->kind) {
            s->counters[i].value = c->value;
            return 0;
        }
    key = key_of(a, c);
    if (!key)
        return -ENOMEM;
    s->counters[s->n_counters++] = (struct counter_sample){ key, c->value };
    return 0;
}

/* How many of the look's next counters are the link's. */
static size_t counts_of(struct applying *a, const char *link_id)
{
    size_t end, n = a->look->counts.n;

    while (a->next_count < n && strcmp(a->counts[a->next_count]->link_id, link_id) < 0)
        a->next_count++;
    for (end = a->next_count; end < n && strcmp(a->counts[end]->link_id, link_id) == 0;)
        end++;
    return end - a->next_count;
}

/* The look's next `n` counters replace or join those that the link had. */
static int apply_counts(struct applying *a, struct sample *s, size_t n)
{
    struct counter_sample *old = s->counters;
    size_t end = a->next_count + n;
    int r = 0;

    if (!n)
        return 0;
    s->counters = arena_new_array(a->h->arena, struct counter_sample, s->n_counters + n);
    if (!s->counters)
        return -ENOMEM;
    if (s->n_counters)
        memcpy(s->counters, old, s->n_counters * sizeof(*old));
    for (; r == 0 && a->next_count < end; a->next_count++)
        r = set_count(a, s, a->counts[a->next_count]);
    return r;
}

static int keep_link(struct applying *a, const struct sample *old, const struct look_object *new,
                     const struct sample **ret)
{
    size_t n = counts_of(a, new ? new->id : old->id);
    struct sample *s = NULL;
    int r = 0;

    if (!new && !n) {
        *ret = old;
        return 0;
    }
    *ret = s = arena_alloc(a->h->arena, sizeof(*s));
    if (!s)
        return -ENOMEM;
    if (new) {
        *s = new->link;
        s->id = old ? old->id : arena_strdup(a->h->arena, new->id);
        s->counters = old ? old->counters : NULL;
        s->n_counters = old ? old->n_counters : 0;
        r = s->id ? fields_keep(SAMPLE_FIELDS, s, a->h->arena) : -ENOMEM;
    } else {
        *s = *old;
    }
    return r < 0 ? r : apply_counts(a, s, n);
}

/* Does the look name no object of that kind? */
static bool names_none(const struct applying *a, enum object_kind kind)
{
    return a->before && !next_of(a, kind);
}

static int apply_links(struct applying *a)
{
    size_t i = 0, n = a->before ? a->before->n_links : 0;
    const struct look_object *new;
    bool is_old;
    int r = 0;

    if (names_none(a, OBJECT_LINK) && !a->look->counts.n) {
        a->made.links = a->before->links;
        a->made.n_links = n;
        return 0;
    }
    a->made.links = arena_new_array(a->h->arena, const struct sample *, n + a->look->objects.n);
    if (!a->made.links)
        return -ENOMEM;
    while (r == 0 &&
           take_next(a, i < n ? a->before->links[i]->id : NULL, OBJECT_LINK, &is_old, &new)) {
        const struct sample *old = is_old ? a->before->links[i++] : NULL;

        if (!new || !new->is_gone)
            r = keep_link(a, old, new, &a->made.links[a->made.n_links++]);
    }
    return r;
}

static int keep_past(struct applying *a, const struct past *old, const struct look_object *new,
                     const struct past **ret)
{
    struct past *p;

    if (!new) {
        *ret = old;
        return 0;
    }
    *ret = p = arena_alloc(a->h->arena, sizeof(*p));
    if (!p)
        return -ENOMEM;
    *p = new->other;
    p->id = old ? old->id : arena_strdup(a->h->arena, new->id);
    return p->id ? fields_keep(PAST_FIELDS, p, a->h->arena) : -ENOMEM;
}

static int apply_pasts(struct applying *a, enum object_kind kind, const struct past ***ret,
                       size_t *ret_n)
{
    struct pasts old = pasts_of(a->before, kind);
    const struct look_object *new;
    size_t i = 0;
    bool is_old;
    int r = 0;

    if (names_none(a, kind)) {
        *ret = old.v;
        *ret_n = old.n;
        return 0;
    }
    *ret = arena_new_array(a->h->arena, const struct past *, old.n + a->look->objects.n);
    if (!*ret)
        return -ENOMEM;
    while (r == 0 && take_next(a, i < old.n ? old.v[i]->id : NULL, kind, &is_old, &new)) {
        const struct past *was = is_old ? old.v[i++] : NULL;

        if (!new || !new->is_gone)
            r = keep_past(a, was, new, &(*ret)[(*ret_n)++]);
    }
    return r;
}

static bool has_same_measures(const struct snapshot *s, const struct look *look)
{
    if (s->n_measures != look->measures.n)
        return false;
    for (size_t i = 0; i < s->n_measures; i++) {
        const struct past_measure *a = &s->measures[i], *b = &look->measures.v[i];

        if (strcmp(a->device_id, b->device_id) != 0 || strcmp(a->method, b->method) != 0 ||
            a->block_bytes != b->block_bytes || a->kb_per_s != b->kb_per_s ||
            a->median_us != b->median_us || a->wall_us != b->wall_us)
            return false;
    }
    return true;
}

static int apply_measures(struct applying *a)
{
    const struct look *look = a->look;
    struct past_measure *v;

    if (a->before && has_same_measures(a->before, look)) {
        a->made.measures = a->before->measures;
        a->made.n_measures = a->before->n_measures;
        return 0;
    }
    v = arena_new_array(a->h->arena, struct past_measure, look->measures.n);
    if (!v)
        return -ENOMEM;
    for (size_t i = 0; i < look->measures.n; i++) {
        v[i] = look->measures.v[i];
        v[i].device_id = arena_strdup(a->h->arena, v[i].device_id);
        v[i].method = arena_strdup(a->h->arena, v[i].method);
        if (!v[i].device_id || !v[i].method)
            return -ENOMEM;
    }
    if (look->measures.n)
        qsort(v, look->measures.n, sizeof(*v), by_device);
    a->made.measures = v;
    a->made.n_measures = look->measures.n;
    return 0;
}

static int sort_look(struct applying *a)
{
    const struct look *look = a->look;

    a->objects = calloc(look->objects.n + 1, sizeof(*a->objects));
    a->counts = calloc(look->counts.n + 1, sizeof(*a->counts));
    if (!a->objects || !a->counts)
        return -ENOMEM;
    for (size_t i = 0; i < look->objects.n; i++)
        a->objects[i] = &look->objects.v[i];
    for (size_t i = 0; i < look->counts.n; i++)
        a->counts[i] = &look->counts.v[i];
    qsort(a->objects, look->objects.n, sizeof(*a->objects), by_kind_and_id);
    qsort(a->counts, look->counts.n, sizeof(*a->counts), by_link);
    return 0;
}

int look_apply(struct history *h, const struct look *look)
{
    struct applying a = { .h = h, .look = look };
    struct snapshot *s = &a.made;
    int r = sort_look(&a);

    if (!look->is_whole && h->snapshots.n)
        a.before = &h->snapshots.v[h->snapshots.n - 1];
    s->wall_us = look->wall_us;
    s->mono_us = look->mono_us;
    s->hostname = arena_strdup(h->arena, look->hostname);
    if (r == 0 && look->hostname && !s->hostname)
        r = -ENOMEM;
    if (r == 0)
        r = apply_links(&a);
    if (r == 0)
        r = apply_pasts(&a, OBJECT_HOST, &s->hosts, &s->n_hosts);
    if (r == 0)
        r = apply_pasts(&a, OBJECT_REMOTE, &s->remotes, &s->n_remotes);
    if (r == 0)
        r = apply_pasts(&a, OBJECT_DEVICE, &s->devices, &s->n_devices);
    if (r == 0)
        r = apply_measures(&a);
    if (r == 0)
        r = vec_push(&h->snapshots, a.made);
    free(a.objects);
    free(a.counts);
    free(a.keys.v);
    return r;
}
