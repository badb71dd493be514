/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The store of store.h. Every directory, file, link and property is one 16-byte node, found by its
 * parent and name through one open-addressed table; strings live in a string table. 5,000 devices with
 * 60 attributes each make some 400,000 nodes.
 */
#include "source/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/vec.h"

enum { LINKS_MAX = 40, NAME_BYTES = 255, PATH_BYTES = 4095 };
enum { ROOT = 0, PROPS_ROOT = 1, NODES_MAX = 1 << 30 };

struct node {
    uint32_t parent;
    uint32_t name;  /* in the string table */
    uint32_t value; /* FILE, LINK: string; ERRNO: number; DIR: first entry */
    uint32_t next : 30, kind : 2;
};

#define NEXT_NONE ((1u << 30) - 1)

struct command_record {
    uint32_t hctl, cdb, data, sense, next;
    uint32_t duration_us;
    int16_t error;
    uint16_t host_status, driver_status;
    uint8_t status;
};

/* The texts of `m` are not set. */
struct measure_record {
    struct measurement m;
    uint32_t hctl, method, sense, disturbed; /* disturbed: STRTAB_NONE for none */
};

/* First and last command of a device. */
struct device_commands {
    uint32_t hctl, first, last;
};

struct store {
    struct strtab *strings;
    VEC(struct node) nodes;
    uint32_t *slots; /* node indexes, STORE_NO_NODE where free */
    size_t n_slots;  /* a power of two */
    VEC(struct command_record) commands;
    VEC(struct device_commands) devices; /* sorted by hctl's number */
    VEC(struct measure_record) measures;
    struct taken taken;
    bool has_taken;
};

struct store *store_free(struct store *s)
{
    if (!s)
        return NULL;
    strtab_free(s->strings);
    free(s->nodes.v);
    free(s->slots);
    free(s->commands.v);
    free(s->devices.v);
    free(s->measures.v);
    free(s);
    return NULL;
}

static size_t hash_of(uint32_t parent, uint32_t name)
{
    uint64_t h = ((uint64_t)parent << 32 | name) * 0x9e3779b97f4a7c15u;

    return (size_t)(h >> 32);
}

/* The slot of that child, or the free one where it belongs. */
static size_t slot_for(const struct store *s, uint32_t parent, uint32_t name)
{
    size_t mask = s->n_slots - 1, i = hash_of(parent, name) & mask;

    while (s->slots[i] != STORE_NO_NODE) {
        const struct node *n = &s->nodes.v[s->slots[i]];

        if (n->parent == parent && n->name == name)
            break;
        i = (i + 1) & mask;
    }
    return i;
}

static int grow_slots(struct store *s)
{
    size_t n = s->n_slots ? s->n_slots * 2 : 256;
    uint32_t *grown = malloc(n * sizeof(*grown));

    if (!grown)
        return -ENOMEM;
    memset(grown, 0xff, n * sizeof(*grown));
    free(s->slots);
    s->slots = grown;
    s->n_slots = n;
    for (uint32_t i = 0; i < s->nodes.n; i++)
        grown[slot_for(s, s->nodes.v[i].parent, s->nodes.v[i].name)] = i;
    return 0;
}

static uint32_t child_of(const struct store *s, uint32_t parent, uint32_t name)
{
    return name == STRTAB_NONE ? STORE_NO_NODE : s->slots[slot_for(s, parent, name)];
}

static int add_node(struct store *s, uint32_t parent, uint32_t name, enum store_kind kind,
                    uint32_t *ret)
{
    struct node n = { parent, name, kind == STORE_DIR ? NEXT_NONE : 0, NEXT_NONE, kind };
    uint32_t at = (uint32_t)s->nodes.n;
    int r;

    if (at >= NODES_MAX - 1)
        return -ENOMEM;
    if (s->nodes.n >= s->n_slots / 4 * 3) {
        r = grow_slots(s);
        if (r < 0)
            return r;
    }
    if (parent < at)
        n.next = s->nodes.v[parent].value & NEXT_NONE;
    r = vec_push(&s->nodes, n);
    if (r < 0)
        return r;
    if (parent < at)
        s->nodes.v[parent].value = at;
    s->slots[slot_for(s, parent, name)] = at;
    *ret = at;
    return 0;
}

struct store *store_new(void)
{
    struct store *s = calloc(1, sizeof(*s));
    uint32_t empty, node;

    if (!s)
        return NULL;
    s->taken = (struct taken){ .kernel = "", .machine = "", .hostname = "" };
    s->strings = strtab_new();
    /* Two roots, each its own parent. Their empty name is never that of a path component. */
    if (!s->strings || strtab_put(s->strings, (struct bytes){ 0 }, &empty) < 0 ||
        add_node(s, ROOT, empty, STORE_DIR, &node) < 0 ||
        add_node(s, PROPS_ROOT, empty, STORE_DIR, &node) < 0)
        return store_free(s);
    return s;
}

static bool name_is_possible(struct bytes name)
{
    if (name.len == 0 || name.len > NAME_BYTES || memchr(name.data, '/', name.len) ||
        memchr(name.data, '\0', name.len))
        return false;
    return !(name.data[0] == '.' && (name.len == 1 || (name.len == 2 && name.data[1] == '.')));
}

/* The next component of a path, moving *path behind it. Empty at the end. */
static struct bytes next_component(struct bytes *path)
{
    const uint8_t *slash;
    struct bytes part;

    while (path->len && *path->data == '/') {
        path->data++;
        path->len--;
    }
    slash = path->len ? memchr(path->data, '/', path->len) : NULL;
    part = (struct bytes){ path->data, slash ? (size_t)(slash - path->data) : path->len };
    path->data += part.len;
    path->len -= part.len;
    return part;
}

static bool path_is_canonical(struct bytes path)
{
    if (path.len == 0 || path.len > PATH_BYTES || path.data[0] != '/')
        return false;
    for (size_t i = 1; i < path.len; i++)
        if (path.data[i] == '/' && (path.data[i - 1] == '/' || i + 1 == path.len))
            return false;
    return true;
}

/* Makes sure that there is a directory of that name. */
static int put_dir(struct store *s, store_node dir, uint32_t name, store_node *ret_node)
{
    uint32_t child = child_of(s, dir, name);
    int r = 0;

    if (child == STORE_NO_NODE)
        r = add_node(s, dir, name, STORE_DIR, &child);
    else if (s->nodes.v[child].kind != STORE_DIR)
        return -ENOTDIR;
    if (r == 0)
        *ret_node = child;
    return r;
}

int store_subdir(struct store *s, store_node dir, struct bytes name, store_node *ret)
{
    uint32_t id;
    int r;

    if (!name_is_possible(name))
        return -EINVAL;
    r = strtab_put(s->strings, name, &id);
    return r < 0 ? r : put_dir(s, dir, id, ret);
}

static int dir_below(struct store *s, uint32_t root, struct bytes path, store_node *ret)
{
    uint32_t at = root;
    struct bytes part;

    if (!path_is_canonical(path))
        return -EINVAL;
    while ((part = next_component(&path)).len) {
        int r = store_subdir(s, at, part, &at);

        if (r < 0)
            return r;
    }
    *ret = at;
    return 0;
}

int store_dir(struct store *s, struct bytes path, store_node *ret)
{
    return dir_below(s, ROOT, path, ret);
}

int store_put(struct store *s, store_node dir, struct bytes name, enum store_kind kind,
              struct bytes value, int error, store_node *ret_node)
{
    uint32_t id, child, stored = (uint32_t)error;
    int r;

    if (!name_is_possible(name))
        return -EINVAL;
    r = strtab_put(s->strings, name, &id);
    if (r == 0 && kind != STORE_ERRNO)
        r = strtab_put(s->strings, value, &stored);
    if (r < 0)
        return r;
    if (kind == STORE_DIR)
        return put_dir(s, dir, id, ret_node ? ret_node : &child);
    child = child_of(s, dir, id);
    if (child != STORE_NO_NODE && s->nodes.v[child].kind == STORE_DIR)
        return -EISDIR;
    if (child == STORE_NO_NODE) {
        r = add_node(s, dir, id, kind, &child);
        if (r < 0)
            return r;
    }
    s->nodes.v[child].kind = kind;
    s->nodes.v[child].value = stored;
    if (ret_node)
        *ret_node = child;
    return 0;
}

int store_put_prop(struct store *s, struct bytes device_path, struct bytes name, struct bytes value,
                   store_node *ret_node)
{
    store_node dir;
    int r = dir_below(s, PROPS_ROOT, device_path, &dir);

    return r < 0 ? r : store_put(s, dir, name, STORE_FILE, value, 0, ret_node);
}

/* The place of a device in the sorted list of those with commands. */
static size_t device_place(const struct store *s, uint32_t hctl)
{
    size_t low = 0, high = s->devices.n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (s->devices.v[mid].hctl < hctl)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool device_is_at(const struct store *s, size_t place, uint32_t hctl)
{
    return place < s->devices.n && s->devices.v[place].hctl == hctl;
}

/* Puts command `at` behind the others of its device. */
static int chain_command(struct store *s, uint32_t hctl, uint32_t at)
{
    size_t place = device_place(s, hctl);
    struct device_commands *d;
    int r;

    if (device_is_at(s, place, hctl)) {
        d = &s->devices.v[place];
        s->commands.v[d->last].next = at;
        d->last = at;
        return 0;
    }
    r = vec_reserve(&s->devices, 1);
    if (r < 0)
        return r;
    d = &s->devices.v[place];
    memmove(d + 1, d, (s->devices.n - place) * sizeof(*d));
    *d = (struct device_commands){ hctl, at, at };
    s->devices.n++;
    return 0;
}

static struct bytes text_bytes(const char *text)
{
    return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

int store_put_command(struct store *s, const struct store_command *c)
{
    struct command_record record = {
        .next = STORE_NO_NODE,
        .duration_us = c->duration_us < UINT32_MAX ? (uint32_t)c->duration_us : UINT32_MAX,
        .error = (int16_t)c->error,
        .host_status = c->host_status,
        .driver_status = c->driver_status,
        .status = c->status,
    };
    int r = strtab_put(s->strings, text_bytes(c->hctl), &record.hctl);

    if (r == 0)
        r = strtab_put(s->strings, c->cdb, &record.cdb);
    if (r == 0)
        r = strtab_put(s->strings, c->data, &record.data);
    if (r == 0)
        r = strtab_put(s->strings, c->sense, &record.sense);
    if (r == 0)
        r = vec_push(&s->commands, record);
    if (r == 0)
        r = chain_command(s, record.hctl, (uint32_t)s->commands.n - 1);
    return r;
}

void store_forget_measures(struct store *s)
{
    s->measures.n = 0;
}

int store_put_measure(struct store *s, const struct measurement *m)
{
    struct measure_record record = { .m = *m, .disturbed = STRTAB_NONE };
    int r = strtab_put(s->strings, text_bytes(m->hctl), &record.hctl);

    if (r == 0)
        r = strtab_put(s->strings, text_bytes(m->method), &record.method);
    if (r == 0)
        r = strtab_put(s->strings, m->sense, &record.sense);
    if (r == 0 && m->disturbed)
        r = strtab_put(s->strings, text_bytes(m->disturbed), &record.disturbed);
    return r < 0 ? r : vec_push(&s->measures, record);
}

static int keep_text(struct store *s, const char *text, const char **ret)
{
    uint32_t id;
    int r = strtab_put(s->strings, text_bytes(text ? text : ""), &id);

    if (r == 0)
        *ret = strtab_text(s->strings, id);
    return r;
}

int store_set_taken(struct store *s, const struct taken *taken)
{
    struct taken kept = *taken;
    int r;

    if (s->has_taken)
        return 0;
    r = keep_text(s, taken->kernel, &kept.kernel);
    if (r == 0)
        r = keep_text(s, taken->machine, &kept.machine);
    if (r == 0)
        r = keep_text(s, taken->hostname, &kept.hostname);
    if (r < 0)
        return r;
    s->taken = kept;
    s->has_taken = true;
    return 0;
}

const struct taken *store_taken(const struct store *s)
{
    return &s->taken;
}

/* Walks `path` from directory `at`; *links counts the links followed so far. */
static uint32_t walk(const struct store *s, uint32_t at, struct bytes path, bool follow_last,
                     unsigned *links)
{
    struct bytes part;

    while ((part = next_component(&path)).len) {
        bool last = path.len == 0;
        uint32_t child;

        if (s->nodes.v[at].kind != STORE_DIR)
            return STORE_NO_NODE;
        if (part.len == 1 && part.data[0] == '.')
            continue;
        if (part.len == 2 && memcmp(part.data, "..", 2) == 0) {
            at = s->nodes.v[at].parent;
            continue;
        }
        child = child_of(s, at, strtab_find(s->strings, part));
        if (child == STORE_NO_NODE)
            return STORE_NO_NODE;
        if (s->nodes.v[child].kind == STORE_LINK && (!last || follow_last)) {
            struct bytes target = strtab_get(s->strings, s->nodes.v[child].value);

            if (++*links > LINKS_MAX)
                return STORE_NO_NODE;
            child = walk(s, target.len && *target.data == '/' ? ROOT : at, target, true, links);
            if (child == STORE_NO_NODE)
                return STORE_NO_NODE;
        }
        at = child;
    }
    return at;
}

store_node store_resolve(const struct store *s, const char *path, bool follow_last)
{
    unsigned links = 0;

    return *path == '/' ? walk(s, ROOT, text_bytes(path), follow_last, &links) : STORE_NO_NODE;
}

enum store_kind store_kind_of(const struct store *s, store_node n)
{
    return s->nodes.v[n].kind;
}

struct bytes store_name_of(const struct store *s, store_node n)
{
    return strtab_get(s->strings, s->nodes.v[n].name);
}

struct bytes store_value_of(const struct store *s, store_node n)
{
    return strtab_get(s->strings, s->nodes.v[n].value);
}

int store_error_of(const struct store *s, store_node n)
{
    return (int)s->nodes.v[n].value;
}

static store_node node_or_none(uint32_t next)
{
    return next == NEXT_NONE ? STORE_NO_NODE : next;
}

store_node store_first(const struct store *s, store_node dir)
{
    return s->nodes.v[dir].kind == STORE_DIR ? node_or_none(s->nodes.v[dir].value) : STORE_NO_NODE;
}

store_node store_next(const struct store *s, store_node n)
{
    return node_or_none(s->nodes.v[n].next);
}

store_node store_props_root(const struct store *s)
{
    (void)s;
    return PROPS_ROOT;
}

store_node store_find_prop(const struct store *s, const char *device_path, const char *name)
{
    unsigned links = 0;
    uint32_t at = walk(s, PROPS_ROOT, text_bytes(device_path), true, &links);

    return at == STORE_NO_NODE ? at : child_of(s, at, strtab_find(s->strings, text_bytes(name)));
}

size_t store_commands(const struct store *s)
{
    return s->commands.n;
}

struct store_command store_command_at(const struct store *s, size_t i)
{
    const struct command_record *c = &s->commands.v[i];

    return (struct store_command){
        .hctl = strtab_text(s->strings, c->hctl),
        .cdb = strtab_get(s->strings, c->cdb),
        .error = c->error,
        .status = c->status,
        .host_status = c->host_status,
        .driver_status = c->driver_status,
        .data = strtab_get(s->strings, c->data),
        .sense = strtab_get(s->strings, c->sense),
        .duration_us = c->duration_us,
    };
}

size_t store_first_command(const struct store *s, const char *hctl)
{
    uint32_t id = strtab_find(s->strings, text_bytes(hctl));
    size_t place = device_place(s, id);

    return device_is_at(s, place, id) ? s->devices.v[place].first : SIZE_MAX;
}

size_t store_next_command(const struct store *s, size_t i)
{
    return s->commands.v[i].next == STORE_NO_NODE ? SIZE_MAX : s->commands.v[i].next;
}

size_t store_measures(const struct store *s)
{
    return s->measures.n;
}

struct measurement store_measure_at(const struct store *s, size_t i)
{
    const struct measure_record *record = &s->measures.v[i];
    struct measurement m = record->m;

    m.hctl = strtab_text(s->strings, record->hctl);
    m.method = strtab_text(s->strings, record->method);
    m.sense = strtab_get(s->strings, record->sense);
    m.disturbed = record->disturbed == STRTAB_NONE ? NULL
                                                   : strtab_text(s->strings, record->disturbed);
    return m;
}

store_node store_node_count(const struct store *s)
{
    return (store_node)s->nodes.n;
}
