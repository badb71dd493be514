/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patches of a store (patch.h): the tree of what is new is walked, and each directory of it looked up once.
 */
#include "source/patch.h"

#include <errno.h>
#include <string.h>

enum { PATH_BYTES = 4096 }; /* PATH_MAX, include/uapi/linux/limits.h */

struct patching {
    struct store *to;
    const struct store *with;
    struct patch_result *result;
    char path[PATH_BYTES]; /* of the directory under way */
    size_t len;
};

/* Appends "/name"; false where it does not fit. */
static bool enter(struct patching *p, struct bytes name)
{
    if (p->len + name.len + 2 > sizeof(p->path))
        return false;
    p->path[p->len++] = '/';
    memcpy(p->path + p->len, name.data, name.len);
    p->len += name.len;
    p->path[p->len] = '\0';
    return true;
}

static void leave(struct patching *p, size_t len)
{
    p->len = len;
    p->path[len] = '\0';
}

/* What the store has of that name in the directory under way. */
static store_node known(struct patching *p, struct bytes name)
{
    size_t len = p->len;
    store_node n = enter(p, name) ? store_resolve(p->to, p->path, false) : STORE_NO_NODE;

    leave(p, len);
    return n;
}

static bool is_same(const struct patching *p, store_node old, store_node new)
{
    struct bytes a, b;

    if (store_kind_of(p->to, old) != store_kind_of(p->with, new))
        return false;
    if (store_kind_of(p->with, new) == STORE_ERRNO)
        return store_error_of(p->to, old) == store_error_of(p->with, new);
    a = store_value_of(p->to, old);
    b = store_value_of(p->with, new);
    return a.len == b.len && (!a.len || memcmp(a.data, b.data, a.len) == 0);
}

static bool says_gone(const struct patching *p, store_node n)
{
    int error = store_kind_of(p->with, n) == STORE_ERRNO ? store_error_of(p->with, n) : 0;

    return error == ENOENT || error == ENODEV || error == ENXIO;
}

static int put_entry(struct patching *p, store_node dir, store_node entry)
{
    struct bytes name = store_name_of(p->with, entry), nothing = { 0 };
    enum store_kind kind = store_kind_of(p->with, entry);
    store_node old = known(p, name);
    bool was_there = old != STORE_NO_NODE && store_kind_of(p->to, old) != STORE_ERRNO;

    if (old == STORE_NO_NODE && kind == STORE_ERRNO)
        return 0;
    if (old != STORE_NO_NODE && (store_kind_of(p->to, old) == STORE_DIR || is_same(p, old, entry)))
        return 0;
    p->result->changed++;
    p->result->gone += was_there && says_gone(p, entry);
    return store_put(p->to, dir, name, kind,
                     kind == STORE_ERRNO ? nothing : store_value_of(p->with, entry),
                     kind == STORE_ERRNO ? store_error_of(p->with, entry) : 0, NULL);
}

static int patch_dir(struct patching *p, store_node from)
{
    size_t len = p->len;
    store_node dir = store_resolve(p->to, len ? p->path : "/", false);
    bool is_known = dir != STORE_NO_NODE && store_kind_of(p->to, dir) == STORE_DIR;
    int r = 0;

    for (store_node n = store_first(p->with, from); r == 0 && n != STORE_NO_NODE;
         n = store_next(p->with, n)) {
        if (store_kind_of(p->with, n) != STORE_DIR) {
            p->result->foreign += !is_known;
            r = is_known ? put_entry(p, dir, n) : 0;
        } else if (enter(p, store_name_of(p->with, n))) {
            r = patch_dir(p, n);
            leave(p, len);
        }
    }
    return r;
}

int store_patch(struct store *to, const struct store *with, struct patch_result *ret)
{
    struct patching p = { .to = to, .with = with, .result = ret };

    *ret = (struct patch_result){ 0 };
    return patch_dir(&p, store_resolve(with, "/", false));
}
