/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes captures (capture.h): directories and names sorted, so that equal machines give equal text.
 */
#include "source/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "base/vec.h"
#include "source/errno_name.h"

/* The path being written, and the entries of the directories on it. */
struct writer {
    const struct store *store;
    struct json_writer json;
    VEC(char) path;
};

struct children {
    store_node *v;
    size_t n;
};

/* qsort_r() context: the store. */
static int compare_by_name(const void *a, const void *b, void *store)
{
    struct bytes x = store_name_of(store, *(const store_node *)a);
    struct bytes y = store_name_of(store, *(const store_node *)b);
    size_t n = x.len < y.len ? x.len : y.len;
    int r = n ? memcmp(x.data, y.data, n) : 0;

    return r ? r : (x.len > y.len) - (x.len < y.len);
}

static int sorted_children(const struct store *s, store_node dir, struct children *ret)
{
    struct children c = { 0 };

    for (store_node i = store_first(s, dir); i != STORE_NO_NODE; i = store_next(s, i))
        c.n++;
    c.v = malloc((c.n ? c.n : 1) * sizeof(*c.v));
    if (!c.v)
        return -ENOMEM;
    c.n = 0;
    for (store_node i = store_first(s, dir); i != STORE_NO_NODE; i = store_next(s, i))
        c.v[c.n++] = i;
    qsort_r(c.v, c.n, sizeof(*c.v), compare_by_name, (void *)(uintptr_t)s);
    *ret = c;
    return 0;
}

static void write_value(struct writer *w, store_node n)
{
    struct bytes value;

    switch (store_kind_of(w->store, n)) {
    case STORE_FILE:
        value = store_value_of(w->store, n);
        if (text_is_plain(value)) {
            json_write_string_bytes(&w->json, value);
            return;
        }
        json_write_begin_object(&w->json);
        json_write_key(&w->json, "hex");
        json_write_hex(&w->json, value, false);
        json_write_end_object(&w->json);
        return;
    case STORE_LINK:
        json_write_begin_object(&w->json);
        json_write_key(&w->json, "link");
        json_write_string_bytes(&w->json, store_value_of(w->store, n));
        json_write_end_object(&w->json);
        return;
    case STORE_ERRNO:
        json_write_begin_object(&w->json);
        json_write_key(&w->json, "errno");
        json_write_string(&w->json, errno_name(store_error_of(w->store, n)));
        json_write_end_object(&w->json);
        return;
    case STORE_DIR:
        return;
    }
}

/* The directory at w->path: a line with what is in it but directories. One without anything in it is
 * written (empty) only where nothing below it implies it. */
static void write_entries(struct writer *w, const struct children *c)
{
    size_t dirs = 0;

    for (size_t i = 0; i < c->n; i++)
        dirs += store_kind_of(w->store, c->v[i]) == STORE_DIR;
    if (dirs == c->n && (dirs || w->path.n == 0))
        return;
    if (w->path.n)
        json_write_key_bytes(&w->json, (struct bytes){ (uint8_t *)w->path.v, w->path.n });
    else
        json_write_key(&w->json, "/");
    json_write_begin_object_on_one_line(&w->json);
    for (size_t i = 0; i < c->n; i++) {
        if (store_kind_of(w->store, c->v[i]) == STORE_DIR)
            continue;
        json_write_key_bytes(&w->json, store_name_of(w->store, c->v[i]));
        write_value(w, c->v[i]);
    }
    json_write_end_object(&w->json);
}

static int append_component(struct writer *w, struct bytes name)
{
    int r = vec_reserve(&w->path, name.len + 1);

    if (r < 0)
        return r;
    w->path.v[w->path.n++] = '/';
    memcpy(w->path.v + w->path.n, name.data, name.len);
    w->path.n += name.len;
    return 0;
}

static int write_tree(struct writer *w, store_node dir)
{
    struct children c;
    size_t length = w->path.n;
    int r = sorted_children(w->store, dir, &c);

    if (r < 0)
        return r;
    write_entries(w, &c);
    for (size_t i = 0; r == 0 && i < c.n; i++) {
        if (store_kind_of(w->store, c.v[i]) != STORE_DIR)
            continue;
        r = append_component(w, store_name_of(w->store, c.v[i]));
        if (r == 0)
            r = write_tree(w, c.v[i]);
        w->path.n = length;
    }
    free(c.v);
    return r;
}

static void write_taken(struct writer *w)
{
    const struct taken *t = store_taken(w->store);

    if (!t->wall_us && !t->mono_us && !t->kernel[0] && !t->machine[0] && !t->hostname[0] &&
        !t->scrubbed)
        return;
    json_write_key(&w->json, "taken");
    json_write_begin_object_on_one_line(&w->json);
    json_write_key(&w->json, "wall_us");
    json_write_u64(&w->json, t->wall_us);
    json_write_key(&w->json, "mono_us");
    json_write_u64(&w->json, t->mono_us);
    json_write_key(&w->json, "kernel");
    json_write_string(&w->json, t->kernel);
    json_write_key(&w->json, "machine");
    json_write_string(&w->json, t->machine);
    json_write_key(&w->json, "hostname");
    json_write_string(&w->json, t->hostname);
    json_write_key(&w->json, "scrubbed");
    json_write_bool(&w->json, t->scrubbed);
    json_write_end_object(&w->json);
}

static void write_nonzero(struct json_writer *w, const char *key, uint64_t value)
{
    if (!value)
        return;
    json_write_key(w, key);
    json_write_u64(w, value);
}

static void write_command(struct writer *w, const struct store_command *c)
{
    json_write_begin_object_on_one_line(&w->json);
    json_write_key(&w->json, "device");
    json_write_string(&w->json, c->hctl);
    json_write_key(&w->json, "cdb");
    json_write_hex(&w->json, c->cdb, true);
    if (c->error) {
        json_write_key(&w->json, "errno");
        json_write_string(&w->json, errno_name(c->error));
        json_write_end_object(&w->json);
        return;
    }
    json_write_key(&w->json, "status");
    json_write_u64(&w->json, c->status);
    if (c->data.len) {
        json_write_key(&w->json, "data");
        json_write_hex(&w->json, c->data, true);
    }
    if (c->sense.len) {
        json_write_key(&w->json, "sense");
        json_write_hex(&w->json, c->sense, true);
    }
    write_nonzero(&w->json, "host_status", c->host_status);
    write_nonzero(&w->json, "driver_status", c->driver_status);
    write_nonzero(&w->json, "us", c->duration_us);
    json_write_end_object(&w->json);
}

static void write_commands(struct writer *w)
{
    if (!store_commands(w->store))
        return;
    json_write_key(&w->json, "commands");
    json_write_begin_array(&w->json);
    for (size_t i = 0; i < store_commands(w->store); i++) {
        struct store_command c = store_command_at(w->store, i);

        write_command(w, &c);
    }
    json_write_end_array(&w->json);
}

/* What is no number of a measurement, where it is there. */
static void write_remarks(struct json_writer *w, const struct measurement *m)
{
    if (m->sense.len) {
        json_write_key(w, "sense");
        json_write_hex(w, m->sense, true);
    }
    if (m->cold) {
        json_write_key(w, "memory");
        json_write_string(w, "cold");
    }
    if (m->random) {
        json_write_key(w, "pattern");
        json_write_string(w, "random");
    }
    if (m->error) {
        json_write_key(w, "error");
        json_write_string(w, errno_name(m->error));
    }
    if (m->disturbed) {
        json_write_key(w, "disturbed");
        json_write_string(w, m->disturbed);
    }
}

static void write_measure(struct json_writer *w, const struct measurement *m)
{
    json_write_begin_object_on_one_line(w);
    json_write_key(w, "device");
    json_write_string(w, m->hctl);
    json_write_key(w, "method");
    json_write_string(w, m->method);
    json_write_key(w, "block");
    json_write_u64(w, m->block_bytes);
    json_write_key(w, "bytes");
    json_write_u64(w, m->bytes);
    json_write_key(w, "us");
    json_write_u64(w, m->us);
    json_write_key(w, "cpu_us");
    json_write_u64(w, m->cpu_us);
    json_write_key(w, "depth");
    json_write_u64(w, m->depth);
    write_nonzero(w, "commands", m->commands);
    write_nonzero(w, "user_us", m->user_us);
    write_nonzero(w, "system_us", m->system_us);
    write_nonzero(w, "min_us", m->min_us);
    write_nonzero(w, "median_us", m->median_us);
    write_nonzero(w, "p95_us", m->p95_us);
    write_nonzero(w, "p99_us", m->p99_us);
    write_nonzero(w, "max_us", m->max_us);
    write_nonzero(w, "retries", m->retries);
    write_nonzero(w, "asked", m->asked);
    write_nonzero(w, "beside", m->beside);
    write_nonzero(w, "short_bytes", m->short_bytes);
    write_nonzero(w, "errors", m->errors);
    write_nonzero(w, "direct", m->direct);
    write_nonzero(w, "together", m->together);
    write_nonzero(w, "idle_permille", m->idle_permille);
    write_nonzero(w, "wall_us", m->wall_us);
    write_remarks(w, m);
    json_write_end_object(w);
}

static void write_measures(struct writer *w)
{
    if (!store_measures(w->store))
        return;
    json_write_key(&w->json, "measures");
    json_write_begin_array(&w->json);
    for (size_t i = 0; i < store_measures(w->store); i++) {
        struct measurement m = store_measure_at(w->store, i);

        write_measure(&w->json, &m);
    }
    json_write_end_array(&w->json);
}

static int write_object(const struct store *store, FILE *out, bool pretty)
{
    struct writer w = { .store = store, .json = json_writer(out, pretty) };
    int r;

    json_write_begin_object(&w.json);
    json_write_key(&w.json, "hbad-capture");
    json_write_u64(&w.json, 1);
    write_taken(&w);
    json_write_key(&w.json, "dirs");
    json_write_begin_object(&w.json);
    r = write_tree(&w, 0);
    json_write_end_object(&w.json);
    if (r == 0 && store_first(store, store_props_root(store)) != STORE_NO_NODE) {
        json_write_key(&w.json, "props");
        json_write_begin_object(&w.json);
        r = write_tree(&w, store_props_root(store));
        json_write_end_object(&w.json);
    }
    write_commands(&w);
    write_measures(&w);
    json_write_end_object(&w.json);
    free(w.path.v);
    return r;
}

/* 0, or why writing has failed since errno was cleared: a stream knows only that it did at some time, the write
 * that failed has left errno. */
static int stream_error(FILE *out)
{
    return !ferror(out) ? 0 : errno ? -errno : -EIO;
}

static int write_terminated(const struct store *store, FILE *out, bool pretty)
{
    int r;

    errno = 0;
    r = write_object(store, out, pretty);
    putc(pretty ? '\n' : '\0', out);
    return r < 0 ? r : stream_error(out);
}

int capture_write(const struct store *store, FILE *out)
{
    return write_terminated(store, out, true);
}

int capture_write_chunk(const struct store *store, FILE *out)
{
    return write_terminated(store, out, false);
}

static void write_measuring(struct json_writer *w, const struct capture_progress *progress)
{
    const struct {
        const char *name;
        uint64_t value;
    } NUMBERS[] = { { "block", progress->block_bytes },
                    { "depth", progress->depth },
                    { "cell", progress->cell },
                    { "cells", progress->cells },
                    { "bytes", progress->bytes } };

    json_write_key(w, "method");
    json_write_string(w, progress->method);
    for (size_t i = 0; i < ELEMENTS(NUMBERS); i++) {
        json_write_key(w, NUMBERS[i].name);
        json_write_u64(w, NUMBERS[i].value);
    }
}

int capture_write_progress(const struct capture_progress *progress, FILE *out)
{
    struct json_writer w = json_writer(out, false);

    errno = 0;
    json_write_begin_object(&w);
    json_write_key(&w, "hbad-capture");
    json_write_u64(&w, 1);
    if (progress->hctl) {
        json_write_key(&w, "at");
        json_write_begin_object(&w);
        json_write_key(&w, "device");
        json_write_string(&w, progress->hctl);
        json_write_key(&w, "cdb");
        json_write_hex(&w, progress->cdb, true);
        if (progress->method)
            write_measuring(&w, progress);
        json_write_end_object(&w);
    }
    json_write_end_object(&w);
    putc('\0', out);
    return stream_error(out);
}

int capture_write_measures(const struct measurement *m, size_t n, FILE *out)
{
    struct json_writer w = json_writer(out, false);

    errno = 0;
    json_write_begin_object(&w);
    json_write_key(&w, "hbad-capture");
    json_write_u64(&w, 1);
    json_write_key(&w, "measures");
    json_write_begin_array(&w);
    for (size_t i = 0; i < n; i++)
        write_measure(&w, &m[i]);
    json_write_end_array(&w);
    json_write_end_object(&w);
    putc('\0', out);
    return stream_error(out);
}

int capture_write_end(FILE *out)
{
    errno = 0;
    fputs("{\"hbad-capture\":1,\"end\":true}", out);
    putc('\0', out);
    return stream_error(out);
}
