/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gathering what rides on block devices (holders.h).
 *
 * sysfs names what is built on a device in its folder `holders`; /proc/1/mountinfo (proc(5)) says where
 * what is mounted, as the first process sees it: a collector may live in a mount namespace of its own.
 */
#include "diagnose/holders.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "source/mounts.h"

static const struct fact_key KEY_DEV = { "dev", FACT_TEXT, FACT_IDENTITY };
const struct fact_key HOLDERS_PART = { "partition", FACT_TEXT, FACT_GAUGE };
const struct fact_key HOLDERS_HOLDER = { "holder", FACT_TEXT, FACT_GAUGE };
const struct fact_key HOLDERS_MOUNT = { "mounted_on", FACT_TEXT, FACT_GAUGE };
const struct fact_key HOLDERS_DM_NAME = { "dm_name", FACT_TEXT, FACT_IDENTITY };
const struct fact_key HOLDERS_DM_UUID = { "dm_uuid", FACT_TEXT, FACT_IDENTITY };
const struct fact_key HOLDERS_MD_LEVEL = { "md_level", FACT_TEXT, FACT_IDENTITY };

static const struct attribute BLOCK[] = {
    { "dev", &KEY_DEV, NULL, LEVEL_ALL },
    { 0 },
};
static const struct attribute MAP[] = {
    { "dm/name", &HOLDERS_DM_NAME, NULL, LEVEL_ALL },
    { "dm/uuid", &HOLDERS_DM_UUID, NULL, LEVEL_ALL },
    { 0 },
};
static const struct attribute ARRAY[] = {
    { "md/level", &HOLDERS_MD_LEVEL, NULL, LEVEL_ALL },
    { 0 },
};

enum {
    DEEP_ENOUGH = 16,       /* maps on maps; the kernel's own limit is lower */
    MOUNTS_BYTES = 1 << 20, /* thousands of mounts */
};

/* A place where a block device is mounted. */
struct mount {
    const char *dev; /* "8:1"; "0:35" where the file system has no device of its own; "" for swap */
    const char *source; /* "/dev/sda1", "/dev/mapper/vg-root" */
    const char *point;
};

struct walk {
    struct gathering *g;
    struct {
        struct mount *v;
        size_t n, cap;
    } mounts;
};

static int add_mount(struct walk *w, struct bytes dev, struct bytes source, const char *point)
{
    struct arena *a = fact_set_arena(w->g->facts);
    struct mount m = { arena_strndup(a, (const char *)dev.data, dev.len), mounts_text(a, source),
                       point };

    return m.dev && m.source && m.point ? vec_push(&w->mounts, m) : -ENOMEM;
}

static int read_mounts(struct walk *w)
{
    struct value v;
    struct mount_fields f;
    int r = source_read(w->g->source, "/proc/1/mountinfo", MOUNTS_BYTES, &v);

    if (r < 0 || v.error)
        return r;
    while (r == 0 && mounts_next(&v.bytes, &f))
        r = add_mount(w, f.dev, f.source, mounts_text(fact_set_arena(w->g->facts), f.point));
    return r;
}

/* "/dev/dm-1  partition  975868  0  -2" */
static int read_swaps(struct walk *w)
{
    struct value v;
    int r = source_read(w->g->source, "/proc/swaps", MOUNTS_BYTES, &v);

    if (r < 0 || v.error)
        return r;
    for (size_t at = 0; r == 0 && at < v.bytes.len;) {
        size_t end = at;

        while (end < v.bytes.len && v.bytes.data[end] > ' ')
            end++;
        if (v.bytes.data[at] == '/')
            r = add_mount(w, (struct bytes){ 0 }, bytes_slice(v.bytes, at, end - at), "swap");
        while (end < v.bytes.len && v.bytes.data[end] != '\n')
            end++;
        at = end + 1;
    }
    return r;
}

/* Is it this block device? By number; file systems that have none of a device, and swap, by name. */
static bool is_on(const struct mount *m, const struct subject *block)
{
    const char *dev = fact_text(block, &KEY_DEV), *name = fact_text(block, &HOLDERS_DM_NAME);
    const char *node = text_starts_with(m->source, "/dev/") ? m->source + strlen("/dev/") : "";

    if (dev && strcmp(m->dev, dev) == 0)
        return true;
    if (*m->dev && !text_starts_with(m->dev, "0:"))
        return false;
    return strcmp(node, block->name) == 0 || (name && text_starts_with(node, "mapper/") &&
                                              strcmp(node + strlen("mapper/"), name) == 0);
}

/* The names in a folder as facts on the open subject. */
static int put_names(struct walk *w, const char *dir, const char *folder, const char *prefix,
                     const struct fact_key *key)
{
    char path[4096];
    struct names names;
    int r;

    if ((size_t)snprintf(path, sizeof(path), "%s%s", dir, folder) >= sizeof(path))
        return 0;
    r = source_list(w->g->source, path, prefix, &names);
    if (r < 0 || names.error)
        return r;
    names_sort_naturally(&names);
    for (size_t i = 0; r == 0 && i < names.n; i++)
        r = fact_put_text(w->g->facts, key, "block", names.v[i]);
    names_done(&names);
    return r;
}

/* Adds one block device and closes it again. */
static int add_block(struct walk *w, const char *name, const char *path, struct subject *host,
                     struct subject **ret)
{
    bool is_new;
    struct subject *s = fact_set_add(w->g->facts, "block", name, path, host, &is_new);
    int r = 0;

    *ret = is_new ? s : NULL;
    if (!s)
        return -ENOMEM;
    if (!is_new)
        return 0;
    r = gather_attributes(w->g, BLOCK, path, path, "block", false);
    if (r == 0 && text_starts_with(name, "dm-"))
        r = gather_attributes(w->g, MAP, path, path, "block", false);
    if (r == 0 && text_starts_with(name, "md"))
        r = gather_attributes(w->g, ARRAY, path, path, "block", false);
    for (size_t i = 0; r == 0 && i < w->mounts.n; i++)
        if (is_on(&w->mounts.v[i], s))
            r = fact_put_text(w->g->facts, &HOLDERS_MOUNT, "mounts", w->mounts.v[i].point);
    if (r == 0)
        r = put_names(w, path, "/holders", "", &HOLDERS_HOLDER);
    if (r == 0)
        r = put_names(w, path, "", name, &HOLDERS_PART);
    return r < 0 ? r : fact_set_seal(w->g->facts);
}

/* Adds a block device, its partitions, and what is built on either. */
static int add_all(struct walk *w, const char *name, const char *path, struct subject *host,
                   unsigned depth)
{
    struct subject *s;
    int r = depth < DEEP_ENOUGH ? add_block(w, name, path, host, &s) : 0;

    if (r < 0 || depth >= DEEP_ENOUGH || !s)
        return r;
    for (uint32_t i = 0; r == 0 && i < s->n_facts; i++) {
        const struct fact *f = &s->facts[i];
        char *below = NULL;

        if (f->key == &HOLDERS_PART)
            below = arena_printf(fact_set_arena(w->g->facts), "%s/%s", path, f->text);
        else if (f->key == &HOLDERS_HOLDER)
            r = gather_canonical(w->g, "/sys/class/block", f->text, &below);
        if (r >= 0 && below)
            r = add_all(w, f->text, below, host, depth + 1);
        r = r > 0 ? 0 : r;
    }
    return r;
}

int gather_holders(struct gathering *g)
{
    struct walk w = { .g = g };
    int r = 0;

    if (g->level < LEVEL_ALL)
        return 0;
    r = read_mounts(&w);
    if (r == 0)
        r = read_swaps(&w);
    for (struct subject *d = fact_set_first(g->facts, "scsi_device"); r == 0 && d;
         d = d->next_of_class)
        for (uint32_t i = 0; r == 0 && i < d->n_facts; i++) {
            const struct fact *f = &d->facts[i];
            char path[4096];

            if (f->key != &KEY_NODE || strcmp(f->origin, "block") != 0 ||
                (size_t)snprintf(path, sizeof(path), "%s/block/%s", d->path, f->text) >=
                    sizeof(path))
                continue;
            r = add_all(&w, f->text, path, NULL, 0);
        }
    free(w.mounts.v);
    return r;
}
