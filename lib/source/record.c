/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The recorder of record.h.
 *
 * An answer is first asked of the wrapped source, then put into the store under the path without links.
 * A path of which the store knows the directory costs no question; of others each component is asked
 * whether it is a link. What cannot be put because the machine changed under way (a file that became a
 * directory) is left out: the first state stays.
 */
#include "source/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "source/capture.h"
#include "source/resolve.h"
#include "source/storage_words.h"

struct record {
    struct source source;
    struct source *inner;
    struct store *store;
    struct arena *arena;                                                /* what the filter left */
    void (*asking)(void *userdata, const char *hctl, struct bytes cdb); /* may be NULL */
    void *userdata;
};

static struct record *record_of(struct source *s)
{
    return (struct record *)s;
}

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

/* Of what the store says, only the lack of memory ends a recording. */
static int only_enomem(int r)
{
    return r == -ENOMEM ? r : 0;
}

static bool store_has(const struct record *r, const char *path, enum store_kind kind)
{
    store_node n = store_resolve(r->store, path, false);

    return n != STORE_NO_NODE && store_kind_of(r->store, n) == kind;
}

/* The directory part of a path, "/" of "/a". */
static struct bytes parent_of(const char *path)
{
    size_t len = (size_t)(path_last(path) - path);

    return (struct bytes){ (const uint8_t *)path, len > 1 ? len - 1 : len };
}

/* Puts a link at a path without links. */
static int put_link(struct record *r, const char *path, struct bytes target)
{
    store_node dir;
    int e = store_dir(r->store, parent_of(path), &dir);

    if (e == 0)
        e = store_put(r->store, dir, bytes_of(path_last(path)), STORE_LINK, target, 0, NULL);
    return only_enomem(e);
}

/* For resolve_links(): what the store knows, else what the source says, which is kept. */
static int link_at(void *user, const char *path, char *ret, size_t size)
{
    struct record *r = user;
    store_node known = store_resolve(r->store, path, false);
    struct value v = { 0 };
    int e = 0;

    if (known == STORE_NO_NODE)
        e = source_link(r->inner, path, &v);
    else if (store_kind_of(r->store, known) != STORE_LINK)
        return 0;
    else
        v.bytes = store_value_of(r->store, known);
    if (e < 0 || v.error)
        return v.error == EINVAL ? 0 : e < 0 ? e : -v.error;
    if (v.bytes.len >= size)
        return -ENAMETOOLONG;
    memcpy(ret, v.bytes.data, v.bytes.len);
    if (known == STORE_NO_NODE && text_is_plain(v.bytes))
        e = put_link(r, path, v.bytes);
    return e < 0 ? e : (int)v.bytes.len;
}

/* The node of a directory that exists, made where the store has it not. STORE_NO_NODE where that cannot
 * be. */
static int make_dir(struct record *r, const char *path, store_node *ret)
{
    store_node n = store_resolve(r->store, path, true);
    char plain[RESOLVED_MAX];
    int e = 0;

    if (n == STORE_NO_NODE || store_kind_of(r->store, n) != STORE_DIR) {
        n = STORE_NO_NODE;
        e = resolve_links(path, true, link_at, r, plain);
        if (e == 0)
            e = store_dir(r->store, bytes_of(plain), &n);
    }
    if (e != 0)
        n = STORE_NO_NODE;
    *ret = n;
    return only_enomem(e);
}

/* Where what was found at a path is put. */
struct place {
    store_node dir; /* STORE_NO_NODE: nowhere */
    struct bytes name;
    char text[RESOLVED_MAX]; /* of the directory, then of the name */
};

/* A last component that the store knows as a link is followed. */
static int find_place(struct record *r, const char *path, struct place *ret)
{
    char *slash;
    int e = 0;

    ret->dir = STORE_NO_NODE;
    if (store_has(r, path, STORE_LINK))
        e = resolve_links(path, true, link_at, r, ret->text);
    else if (strlen(path) < RESOLVED_MAX)
        strcpy(ret->text, path);
    else
        return 0;
    slash = e == 0 ? strrchr(ret->text, '/') : NULL;
    if (!slash || !slash[1])
        return only_enomem(e);
    *slash = '\0';
    ret->name = bytes_of(slash + 1);
    return make_dir(r, slash == ret->text ? "/" : ret->text, &ret->dir);
}

/* Puts an entry where find_place() says, if anywhere. */
static int put_at(struct record *r, const char *path, enum store_kind kind, struct bytes value,
                  int error)
{
    struct place at;
    int e = find_place(r, path, &at);

    if (e < 0 || at.dir == STORE_NO_NODE)
        return e;
    return only_enomem(store_put(r->store, at.dir, at.name, kind, value, error, NULL));
}

/* Keeps a refusal of a path, unless something is known of it. */
static int keep_refusal(struct record *r, const char *path, int error)
{
    if (error == ENOENT || store_resolve(r->store, path, true) != STORE_NO_NODE)
        return 0;
    return put_at(r, path, STORE_ERRNO, (struct bytes){ 0 }, error);
}

/* What the store has as a file's content at a path; data is NULL where it has none. */
static struct bytes known_content(const struct record *r, const char *path, bool follow_last)
{
    store_node n = store_resolve(r->store, path, follow_last);

    if (n == STORE_NO_NODE || store_kind_of(r->store, n) != STORE_FILE)
        return (struct bytes){ 0 };
    return store_value_of(r->store, n);
}

/* `cut`: the file may say more, the limit was reached. */
static int keep_content(struct record *r, const char *path, bool cut, struct bytes content)
{
    if (cut && known_content(r, path, true).len > content.len)
        return 0;
    return put_at(r, path, STORE_FILE, content, 0);
}

/* Keeps where a link points. Content that was read through it, before it was known as one, moves to
 * where it points. */
static int keep_link(struct record *r, const char *path, struct bytes target)
{
    struct bytes content = known_content(r, path, false);
    int e;

    if (store_has(r, path, STORE_LINK))
        return 0;
    e = put_at(r, path, STORE_LINK, target, 0);
    if (e == 0 && content.data)
        e = put_at(r, path, STORE_FILE, content, 0);
    return e;
}

/* Keeps what a path was read as. */
static int keep_value(struct record *r, const char *path, bool cut, const struct value *v)
{
    store_node dir;

    if (v->error == EISDIR)
        return make_dir(r, path, &dir);
    return v->error ? keep_refusal(r, path, v->error) : keep_content(r, path, cut, v->bytes);
}

static int record_read(struct source *s, const char *path, size_t limit, struct value *ret)
{
    struct record *r = record_of(s);
    struct value v;
    bool cut;
    int e = source_read(r->inner, path, limit, &v);

    if (e < 0)
        return e;
    cut = v.bytes.len == limit;
    if (v.bytes.len > CAPTURE_VALUE_MAX)
        v = (struct value){ .error = EFBIG };
    if (!v.error)
        e = storage_filter(r->arena, path, v.bytes, &v.bytes);
    if (e == 0)
        e = keep_value(r, path, cut, &v);
    if (e == 0)
        *ret = v;
    return e;
}

/* Takes the names out that no capture can hold. */
static void drop_unspeakable(struct names *names)
{
    size_t kept = 0;

    for (size_t i = 0; i < names->n; i++) {
        if (!text_is_plain(bytes_of(names->v[i]))) {
            free(names->v[i]);
            continue;
        }
        names->v[kept] = names->v[i];
        names->kinds[kept++] = names->kinds[i];
    }
    names->n = kept;
}

/* Keeps what a name in the directory stands for. */
static int keep_name(struct record *r, const char *dir, store_node node, const char *name,
                     uint8_t kind)
{
    char path[RESOLVED_MAX];
    struct value v;
    int n, e;

    if (kind == NAME_FILE)
        return 0;
    if (kind == NAME_DIR)
        return only_enomem(
            store_put(r->store, node, bytes_of(name), STORE_DIR, (struct bytes){ 0 }, 0, NULL));
    n = snprintf(path, sizeof(path), "%s/%s", dir[1] ? dir : "", name);
    if (n < 0 || (size_t)n >= sizeof(path))
        return 0;
    e = source_link(r->inner, path, &v);
    if (e < 0 || v.error || !text_is_plain(v.bytes))
        return e;
    return only_enomem(store_put(r->store, node, bytes_of(name), STORE_LINK, v.bytes, 0, NULL));
}

static int record_list(struct source *s, const char *dir, const char *prefix, struct names *ret)
{
    struct record *r = record_of(s);
    struct names names = { 0 };
    store_node node = STORE_NO_NODE;
    int e = source_list(r->inner, dir, prefix, &names);

    if (e == 0 && names.error)
        e = keep_refusal(r, dir, names.error);
    else if (e == 0)
        e = make_dir(r, dir, &node);
    if (e == 0 && !names.error)
        drop_unspeakable(&names);
    for (size_t i = 0; e == 0 && i < names.n && node != STORE_NO_NODE; i++)
        e = keep_name(r, dir, node, names.v[i], names.kinds[i]);
    if (e < 0)
        names_done(&names);
    else
        *ret = names;
    return e;
}

static int record_link(struct source *s, const char *path, struct value *ret)
{
    struct record *r = record_of(s);
    struct value v;
    int e = source_link(r->inner, path, &v);

    if (e == 0 && !v.error && !text_is_plain(v.bytes))
        v = (struct value){ .error = ENOENT };
    if (e == 0 && !v.error)
        e = keep_link(r, path, v.bytes);
    if (e == 0)
        *ret = v;
    return e;
}

static int record_prop(struct source *s, const char *path, const char *name, struct value *ret)
{
    struct record *r = record_of(s);
    struct value v;
    int e = source_prop(r->inner, path, name, &v);

    if (e == 0 && !v.error && !text_is_plain(v.bytes))
        v = (struct value){ .error = ENOENT };
    if (e == 0 && !v.error)
        e = only_enomem(store_put_prop(r->store, bytes_of(path), bytes_of(name), v.bytes, NULL));
    if (e == 0)
        *ret = v;
    return e;
}

static int keep_answer(struct record *r, const struct command_target *target, struct bytes cdb,
                       const struct answer *a)
{
    struct store_command c = {
        .hctl = target->hctl,
        .cdb = cdb,
        .error = a->error,
        .status = a->status,
        .host_status = a->host_status,
        .driver_status = a->driver_status,
        .sense = a->sense,
        .duration_us = a->duration_us,
    };

    if (a->refused || a->error == ENODATA || !hctl_is_valid(target->hctl))
        return 0;
    if (!command_reads_data(cdb))
        c.data = a->data;
    return store_put_command(r->store, &c);
}

static int record_command(struct source *s, const struct command_target *target,
                          const struct command *command, struct answer *ret)
{
    struct record *r = record_of(s);
    struct bytes cdb = { command->cdb, command->cdb_len };
    struct answer a;
    int e;

    if (r->asking)
        r->asking(r->userdata, target->hctl, cdb);
    e = source_command(r->inner, target, command, &a);
    if (e < 0)
        return e;
    if (a.data.len > CAPTURE_VALUE_MAX && !command_reads_data(cdb))
        a = (struct answer){ .error = EFBIG };
    e = keep_answer(r, target, cdb, &a);
    if (e == 0)
        *ret = a;
    return e;
}

static int record_measure(struct source *s, const struct measure_request *request,
                          struct measurement *ret)
{
    struct record *r = record_of(s);
    struct measurement m;
    int e = source_measure(r->inner, request, &m);

    if (e == 0 && m.hctl)
        e = store_put_measure(r->store, &m);
    if (e == 0)
        *ret = m;
    return e;
}

static int record_next_event(struct source *s, struct source_event *ret)
{
    return source_next_event(record_of(s)->inner, ret);
}

static int record_now(struct source *s, struct taken *ret)
{
    struct record *r = record_of(s);
    struct taken t;
    int e = source_now(r->inner, &t);

    if (e == 0)
        e = store_set_taken(r->store, &t);
    if (e == 0)
        *ret = t;
    return e;
}

static void record_close(struct source *s)
{
    struct record *r = record_of(s);

    arena_free(r->arena);
    free(r);
}

static const struct source_ops RECORD = {
    .list = record_list,
    .read = record_read,
    .link = record_link,
    .prop = record_prop,
    .command = record_command,
    .measure = record_measure,
    .next_event = record_next_event,
    .now = record_now,
    .close = record_close,
};

struct source *record_new(struct source *inner, struct store *store)
{
    struct record *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->source = (struct source){ .ops = &RECORD, .asking_costs = inner->asking_costs };
    r->inner = inner;
    r->store = store;
    r->arena = arena_new();
    if (!r->arena) {
        free(r);
        return NULL;
    }
    return &r->source;
}

void record_set_store(struct source *record, struct store *store)
{
    record_of(record)->store = store;
}

void record_set_asking(struct source *record,
                       void (*asking)(void *userdata, const char *hctl, struct bytes cdb),
                       void *userdata)
{
    record_of(record)->asking = asking;
    record_of(record)->userdata = userdata;
}
