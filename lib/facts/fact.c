/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fact sets (fact.h): subjects in lists by class, found by class and name through a hash table. The
 * facts of the open subject grow in one scratch array and are copied, exactly sized, when it closes.
 */
#include "facts/fact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "base/vec.h"

static const char *const QUALITIES[] = {
    [QUALITY_OK] = "ok",
    [QUALITY_SILENT] = "silent",
    [QUALITY_DENIED] = "denied",
    [QUALITY_FAILED] = "failed",
    [QUALITY_REFUSED] = "refused",
    [QUALITY_TIMED_OUT] = "timed out",
    [QUALITY_MALFORMED] = "malformed",
    [QUALITY_UNASKED] = "not asked",
};
DEFINE_NAMES(enum quality, quality, QUALITIES)

struct class_list {
    const char *name;
    struct subject *first, *last;
};

struct fact_set {
    struct arena *arena;
    VEC(struct class_list) classes;
    VEC(struct fact) open_facts;
    struct subject *open;
    struct subject **slots; /* NULL where free */
    size_t n_slots, n_subjects;
};

struct fact_set *fact_set_free(struct fact_set *set)
{
    if (!set)
        return NULL;
    arena_free(set->arena);
    free(set->classes.v);
    free(set->open_facts.v);
    free(set->slots);
    free(set);
    return NULL;
}

struct fact_set *fact_set_new(void)
{
    struct fact_set *set = calloc(1, sizeof(*set));

    if (!set)
        return NULL;
    set->arena = arena_new();
    return set->arena ? set : fact_set_free(set);
}

struct arena *fact_set_arena(struct fact_set *set)
{
    return set->arena;
}

static size_t hash_of(const char *class_name, const char *name)
{
    size_t h = 14695981039346656037u;

    for (; *class_name; class_name++)
        h = (h ^ (uint8_t)*class_name) * 1099511628211u;
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 1099511628211u;
    return h ^ h >> 29;
}

static size_t slot_for(const struct fact_set *set, const char *class_name, const char *name)
{
    size_t mask = set->n_slots - 1, i = hash_of(class_name, name) & mask;

    while (set->slots[i] && (strcmp(set->slots[i]->name, name) != 0 ||
                             strcmp(set->slots[i]->class_name, class_name) != 0))
        i = (i + 1) & mask;
    return i;
}

static int grow_slots(struct fact_set *set)
{
    size_t n_old = set->n_slots, n = n_old ? n_old * 2 : 128;
    struct subject **old = set->slots, **grown = calloc(n, sizeof(*grown));

    if (!grown)
        return -ENOMEM;
    set->slots = grown;
    set->n_slots = n;
    for (size_t i = 0; i < n_old; i++)
        if (old[i])
            grown[slot_for(set, old[i]->class_name, old[i]->name)] = old[i];
    free(old);
    return 0;
}

static struct class_list *class_list(const struct fact_set *set, const char *class_name)
{
    for (size_t i = 0; i < set->classes.n; i++)
        if (strcmp(set->classes.v[i].name, class_name) == 0)
            return &set->classes.v[i];
    return NULL;
}

int fact_set_seal(struct fact_set *set)
{
    struct subject *s = set->open;

    set->open = NULL;
    if (!s || set->open_facts.n == 0)
        return 0;
    s->facts = arena_new_array(set->arena, struct fact, set->open_facts.n);
    if (!s->facts)
        return -ENOMEM;
    memcpy(s->facts, set->open_facts.v, set->open_facts.n * sizeof(*s->facts));
    s->n_facts = (uint32_t)set->open_facts.n;
    set->open_facts.n = 0;
    return 0;
}

static int append_to_class(struct fact_set *set, struct subject *s)
{
    struct class_list *list = class_list(set, s->class_name);
    int r;

    if (!list) {
        r = vec_push(&set->classes, (struct class_list){ .name = s->class_name });
        if (r < 0)
            return r;
        list = &set->classes.v[set->classes.n - 1];
    }
    if (list->last)
        list->last->next_of_class = s;
    else
        list->first = s;
    list->last = s;
    return 0;
}

struct subject *fact_set_add(struct fact_set *set, const char *class_name, const char *name,
                             const char *path, struct subject *host, bool *ret_is_new)
{
    struct subject *s;

    if (fact_set_seal(set) < 0 || (set->n_subjects >= set->n_slots / 4 * 3 && grow_slots(set) < 0))
        return NULL;
    s = set->slots[slot_for(set, class_name, name)];
    *ret_is_new = !s;
    if (s)
        return s;
    s = arena_alloc(set->arena, sizeof(*s));
    if (!s)
        return NULL;
    s->class_name = class_name;
    s->name = arena_strdup(set->arena, name);
    s->path = arena_strdup(set->arena, path);
    s->host = host;
    if (!s->name || !s->path || append_to_class(set, s) < 0)
        return NULL;
    set->slots[slot_for(set, class_name, name)] = s;
    set->n_subjects++;
    set->open = s;
    return s;
}

/* The open subject's facts are those of the scratch array, so that they can be asked for already. */
static int put(struct fact_set *set, struct fact f)
{
    int r = set->open ? vec_push(&set->open_facts, f) : -EINVAL;

    if (r == 0) {
        set->open->facts = set->open_facts.v;
        set->open->n_facts = (uint32_t)set->open_facts.n;
    }
    return r;
}

int fact_put_number(struct fact_set *set, const struct fact_key *key, const char *origin,
                    uint64_t value)
{
    return put(set, (struct fact){ .key = key, .origin = origin, .number = value });
}

int fact_put_bytes(struct fact_set *set, const struct fact_key *key, const char *origin,
                   struct bytes bytes)
{
    struct bytes kept = arena_bytes(set->arena, bytes);

    if (!kept.data)
        return -ENOMEM;
    return put(set,
               (struct fact){
                   .key = key, .origin = origin, .data = kept.data, .len = (uint32_t)kept.len });
}

int fact_put_refusal(struct fact_set *set, const struct fact_key *key, const char *origin,
                     enum quality quality, const char *why)
{
    return put(set, (struct fact){ .key = key, .origin = origin, .quality = quality, .why = why });
}

int fact_put_text(struct fact_set *set, const struct fact_key *key, const char *origin,
                  const char *text)
{
    if (!*text)
        return fact_put_refusal(set, key, origin, QUALITY_SILENT, NULL);
    return fact_put_bytes(set, key, origin, (struct bytes){ (const uint8_t *)text, strlen(text) });
}

const struct fact *fact_find(const struct subject *s, const struct fact_key *key)
{
    const struct fact *best = NULL;

    for (uint32_t i = 0; s && i < s->n_facts; i++)
        if (s->facts[i].key == key && (!best || s->facts[i].quality < best->quality))
            best = &s->facts[i];
    return best;
}

const struct fact *fact_find_from(const struct subject *s, const struct fact_key *key,
                                  const char *origin)
{
    for (uint32_t i = 0; s && i < s->n_facts; i++)
        if (s->facts[i].key == key && strcmp(s->facts[i].origin, origin) == 0)
            return &s->facts[i];
    return NULL;
}

bool fact_number(const struct subject *s, const struct fact_key *key, uint64_t *ret)
{
    const struct fact *f = fact_find(s, key);

    if (!f || f->quality != QUALITY_OK)
        return false;
    *ret = f->number;
    return true;
}

uint64_t fact_number_or(const struct subject *s, const struct fact_key *key, uint64_t fallback)
{
    fact_number(s, key, &fallback);
    return fallback;
}

const char *fact_text(const struct subject *s, const struct fact_key *key)
{
    const struct fact *f = fact_find(s, key);

    return f && f->quality == QUALITY_OK ? f->text : NULL;
}

struct bytes fact_bytes(const struct subject *s, const struct fact_key *key)
{
    const struct fact *f = fact_find(s, key);

    return f && f->quality == QUALITY_OK ? (struct bytes){ f->data, f->len } : (struct bytes){ 0 };
}

size_t fact_set_classes(const struct fact_set *set)
{
    return set->classes.n;
}

const char *fact_set_class(const struct fact_set *set, size_t i)
{
    return set->classes.v[i].name;
}

struct subject *fact_set_first(const struct fact_set *set, const char *class_name)
{
    const struct class_list *list = class_list(set, class_name);

    return list ? list->first : NULL;
}

struct subject *fact_set_find(const struct fact_set *set, const char *class_name, const char *name)
{
    return set->n_slots ? set->slots[slot_for(set, class_name, name)] : NULL;
}

struct subject *fact_set_above(const struct fact_set *set, const char *class_name, const char *path,
                               const char *prefix)
{
    size_t end = strlen(path), start;
    char name[128];

    for (; end; end = start ? start - 1 : 0) {
        for (start = end; start && path[start - 1] != '/'; start--)
            ;
        if (end - start >= sizeof(name) || !text_starts_with(path + start, prefix))
            continue;
        memcpy(name, path + start, end - start);
        name[end - start] = '\0';
        return fact_set_find(set, class_name, name);
    }
    return NULL;
}
