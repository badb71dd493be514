/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that are read again and again (collect_watched.h).
 */
#include "daemon/collect_watched.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "source/capture.h"
#include "source/errno_name.h"

enum {
    SENT_AT_ONCE = 4096, /* files in one object: some hundred KiB */
};

static void forget_files(struct watched_files *files)
{
    for (size_t i = 0; i < files->list.n; i++) {
        struct watched_file *f = &files->list.v[i];

        if (f->fd >= 0)
            close(f->fd);
        free(f->value);
    }
    free(files->list.v);
    *files = (struct watched_files){ 0 };
}

static void forget(struct watched *a)
{
    forget_files(&a->states);
    forget_files(&a->counters);
    a->arena = arena_free(a->arena);
    a->n_costly = 0;
}

struct watched *watched_free(struct watched *a)
{
    if (!a)
        return NULL;
    forget(a);
    free(a->below);
    free(a);
    return NULL;
}

struct watched *watched_new(const char *below)
{
    struct watched *a = calloc(1, sizeof(*a));

    if (!a)
        return NULL;
    a->below = strdup(below);
    return a->below ? a : watched_free(a);
}

/* ---- what is read ---- */

/* What is no errno with a name is one that escaped from the kernel (524: ENOTSUPP). */
static int refusal(int error)
{
    return error == 524 ? EOPNOTSUPP : errno_name(error) ? error : EIO;
}

/* Keeps what the file says now; whether that is something else is seen here. */
static int keep(struct watched_file *f, int error, const void *value, size_t len)
{
    uint8_t *copy;

    if (f->is_known && f->error == error && f->len == len && memcmp(f->value, value, len) == 0)
        return 0;
    copy = malloc(len + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, value, len);
    free(f->value);
    f->value = copy;
    f->len = (uint32_t)len;
    f->error = error;
    f->is_known = f->differs = true;
    return 0;
}

/* A file that is gone stays so: what comes again is another one, and is found by the next walk. One that is closed to us is
 * open to the collector, perhaps: nothing is said of it. */
static int keep_refusal(struct watched_file *f, int error)
{
    bool is_closed = error == EACCES || error == EPERM;

    f->is_gone = is_closed || error == ENOENT || error == ENODEV;
    if (f->is_gone && f->fd >= 0) {
        close(f->fd);
        f->fd = -1;
    }
    return is_closed ? 0 : keep(f, refusal(error), "", 0);
}

/* Does the device sleep? So it does where nobody can tell. */
static bool is_asleep(struct watching *w, const char *power)
{
    char status[32];
    int fd = below_open(&w->root, power, O_RDONLY | O_NOCTTY);
    ssize_t n = fd < 0 ? 0 : read(fd, status, sizeof(status) - 1);

    if (fd < 0)
        return fd != -ENOENT; /* it has no part in power management */
    close(fd);
    status[n > 0 ? n : 0] = '\0';
    status[strcspn(status, "\n")] = '\0';
    return strcmp(status, "active") != 0 && strcmp(status, "unsupported") != 0;
}

int watched_read(struct watching *w, struct watched_file *f)
{
    char value[ATTRIBUTE_BYTES];
    bool is_kept = f->fd >= 0;
    ssize_t n;
    int fd;

    if (f->is_gone)
        return 0;
    if (f->power && is_asleep(w, f->power)) {
        w->asleep++;
        return 0;
    }
    w->reads++;
    w->costly += f->is_costly;
    if (f->is_link) {
        n = below_readlink(&w->root, f->path, value, sizeof(value));
        return n < 0 ? keep_refusal(f, (int)-n) : keep(f, 0, value, (size_t)n);
    }
    fd = is_kept ? f->fd : below_open(&w->root, f->path, O_RDONLY | O_NOCTTY);
    if (fd < 0)
        return keep_refusal(f, -fd);
    do
        n = is_kept ? pread(fd, value, sizeof(value), 0) : read(fd, value, sizeof(value));
    while (n < 0 && errno == EINTR);
    n = n < 0 ? -errno : n;
    if (!is_kept)
        close(fd);
    return n < 0 ? keep_refusal(f, (int)-n) : keep(f, 0, value, (size_t)n);
}

/* ---- the walk ---- */

struct walk {
    struct watching *watching;
    struct watched *adapter;
};

/* What is read each time stays open, as far as that goes. In a copied tree nothing does: a file that takes another's place
 * there is another file, which a file of sysfs never is. */
static void hold_open(struct watching *w, struct watched_file *f)
{
    if (!f->is_link && !f->is_costly && w->root.root < 0)
        f->fd = below_open(&w->root, f->path, O_RDONLY | O_NOCTTY);
}

static int see(void *userdata, const struct attribute *a, const char *path, const char *device_dir,
               const struct value *v)
{
    struct walk *walk = userdata;
    struct watched *x = walk->adapter;
    struct watched_file f = { .fd = -1,
                              .is_link = a->flags & ATTR_IS_LINK,
                              .is_costly = attribute_is_costly(a),
                              .is_state = !fact_kind_counts(a->key->kind) };
    bool is_each_round = f.is_state && !f.is_costly;
    int r = 0;

    if (!attribute_is_watched(a) || (v && (v->error == EACCES || v->error == EPERM)))
        return 0;
    f.path = arena_strdup(x->arena, path);
    if (a->flags & ATTR_WAKES)
        f.power = arena_printf(x->arena, "%s/power/runtime_status", device_dir);
    if (!f.path || (a->flags & ATTR_WAKES && !f.power))
        return -ENOMEM;
    if (v)
        r = v->error ? keep_refusal(&f, v->error) : keep(&f, 0, v->bytes.data, v->bytes.len);
    if (r == 0 && is_each_round)
        hold_open(walk->watching, &f);
    if (r == 0)
        r = vec_push(is_each_round ? &x->states.list : &x->counters.list, f);
    if (r < 0) {
        free(f.value);
        return r;
    }
    x->n_costly += f.is_costly;
    return 0;
}

int watched_walk(struct watching *w, struct watched *a)
{
    struct walk walk = { w, a };
    const struct gather_options options = {
        .level = LEVEL_ALL,
        .only_below = a->below,
        .unasked = true,
        .file = see,
        .userdata = &walk,
    };
    struct source *live = live_new(&w->live);
    struct fact_set *facts = NULL;
    int r = live ? 0 : -errno;

    forget(a);
    a->arena = arena_new();
    if (r == 0 && !a->arena)
        r = -ENOMEM;
    if (r == 0)
        r = gather(live, &options, &facts);
    fact_set_free(facts);
    source_close(live);
    return r;
}

/* ---- what is sent ---- */

static int put(struct store *store, const struct watched_file *f)
{
    const char *name = path_last(f->path);
    struct bytes dir = { (const uint8_t *)f->path, (size_t)(name - f->path - 1) },
                 value = { f->value, f->len };
    enum store_kind kind = f->error ? STORE_ERRNO : f->is_link ? STORE_LINK : STORE_FILE;
    store_node node;
    int r = store_dir(store, dir, &node);

    if (r == 0)
        r = store_put(store, node, (struct bytes){ (const uint8_t *)name, strlen(name) }, kind,
                      value, f->error, NULL);
    return r == -ENOMEM ? r : 0; /* what no capture can hold, nobody has */
}

bool watched_differ(const struct watched_files *files, bool states)
{
    for (size_t i = 0; i < files->list.n; i++)
        if (files->list.v[i].differs && files->list.v[i].is_state == states)
            return true;
    return false;
}

/* Those from `*at` on, as many as go at once. */
static int send_some(struct watched_files *files, bool states, size_t *at)
{
    _cleanup_(store_freep) struct store *store = NULL;
    size_t n = 0;
    int r = 0;

    for (; r == 0 && *at < files->list.n && n < SENT_AT_ONCE; ++*at) {
        struct watched_file *f = &files->list.v[*at];

        if (!f->differs || f->is_state != states)
            continue;
        f->differs = false;
        n++;
        if (!store)
            store = store_new();
        r = store ? put(store, f) : -ENOMEM;
    }
    return r < 0 || !store ? r : capture_write_chunk(store, stdout);
}

int watched_send(struct watched_files *files, bool states)
{
    int r = 0;

    for (size_t at = 0; r == 0 && at < files->list.n;)
        r = send_some(files, states, &at);
    return r;
}
