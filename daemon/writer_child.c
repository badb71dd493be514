/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The writer's child (writer.h): records in, replies out. It may wait for a disk.
 *
 * All that has come is put into the database in one transaction, for that is one wait for the disk.
 */
#include "daemon/writer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    READ_BYTES = 65536,
    BATCH = 256,      /* records in one transaction */
    BUSY_MS = 100,    /* after which a database is tried again that an earlier child still has */
    BUSY_TRIES = 100, /* so for ten seconds */
    REPLY_EVERY_TRIES = 5, /* an "alive" meanwhile */
};

struct child {
    int fd;
    const struct writer_options *options;
    struct history_db *db;
    uint64_t now_us;     /* the latest time that a record spoke of */
    VEC(uint8_t) in;     /* what has come and is not complete */
    struct arena *arena; /* of the batch */
    VEC(struct record) batch;
    bool is_over; /* nobody hears us any more: what has come is written all the same */
};

/* ---- out ---- */

static int send_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

static int reply(struct child *c, const struct reply *what)
{
    _cleanup_free_ char *text = NULL;
    size_t len = 0;
    FILE *f = c->is_over ? NULL : open_memstream(&text, &len);
    int r;

    if (!f)
        return c->is_over ? -EPIPE : -ENOMEM;
    reply_write(what, f);
    fputc('\0', f);
    if (fclose(f) != 0)
        return -ENOMEM;
    r = send_all(c->fd, text, len);
    if (r < 0)
        c->is_over = true;
    return r;
}

static void settle(struct child *c, uint64_t n, int error)
{
    reply(c, &(struct reply){ .n = n, .is_done = error == 0, .error = (uint32_t)-error });
}

/* ---- the database ---- */

static void say(struct child *c, const char *text)
{
    if (text)
        reply(c, &(struct reply){ .said = text });
}

/* Where the database is open already, its file may have been taken away. */
static int open_db(struct child *c)
{
    bool has_moved = c->db && history_db_has_moved(c->db);
    char *note = NULL;
    int r = -EBUSY;

    if (has_moved)
        c->db = history_db_close(c->db);
    if (c->db)
        return 0;
    if (!c->options->path)
        return -ENODEV;
    for (int i = 0; r == -EBUSY && i < BUSY_TRIES; i++) {
        if (i)
            poll(NULL, 0, BUSY_MS);
        if (i % REPLY_EVERY_TRIES == 1)
            reply(c, &(struct reply){ .is_alive = true });
        r = history_db_open(c->options->path, &c->options->limits, c->now_us, &c->db, &note);
    }
    say(c, has_moved ? "the history was taken away; it is opened anew" : NULL);
    say(c, note);
    free(note);
    if (r == 0 && (has_moved || history_db_is_fresh(c->db)))
        reply(c, &(struct reply){ .is_fresh = true });
    return r;
}

/* Runs `what` on the database. One that turns out to be damaged is closed, moved aside by opening it again, and tried
 * once more. */
static int with_db(struct child *c, int (*what)(struct child *c, const struct record *record),
                   const struct record *record)
{
    int r = open_db(c);

    if (r == 0)
        r = what(c, record);
    if (r != -EBADMSG)
        return r;
    c->db = history_db_close(c->db);
    r = open_db(c);
    return r < 0 ? r : what(c, record);
}

static int append(struct child *c, const struct record *record)
{
    (void)record;
    return history_db_append(c->db, c->batch.v, c->batch.n);
}

static void flush_batch(struct child *c)
{
    int r = c->batch.n ? with_db(c, append, NULL) : 0;

    for (size_t i = 0; i < c->batch.n; i++) {
        settle(c, c->batch.v[i].n, r);
        record_done(&c->batch.v[i]);
    }
    c->batch.n = 0;
    arena_clear(c->arena);
}

static int thin(struct child *c, const struct record *record)
{
    return history_db_thin(c->db, record->thin.now_us);
}

static int query(struct child *c, const struct record *record)
{
    struct reply answer = { .n = record->n, .has_answer = true };
    int r = history_db_query(c->db, &record->query, &answer.answer);

    if (r < 0)
        return r;
    r = reply(c, &answer);
    history_answer_done(&answer.answer);
    return r;
}

struct loading {
    struct child *c;
    uint64_t n;
};

static int pass_look(void *userdata, const struct look *look)
{
    const struct loading *l = userdata;

    return reply(l->c, &(struct reply){ .n = l->n, .has_look = true, .look = *look });
}

static int load(struct child *c, const struct record *record)
{
    struct loading loading = { c, record->n };
    struct reply start = { .n = record->n, .has_start = true };
    int r = history_db_start(c->db, record->load.now_us, &start.start);

    if (r < 0)
        return r;
    r = reply(c, &start);
    history_start_done(&start.start);
    return r < 0 ? r : history_db_looks(c->db, &record->load, pass_look, &loading);
}

/* ---- in ---- */

static uint64_t time_of(const struct record *record)
{
    switch (record->kind) {
    case RECORD_LOOK:
        return record->look.wall_us;
    case RECORD_FINDING:
        return record->finding.changed_us;
    case RECORD_THIN:
        return record->thin.now_us;
    case RECORD_LOAD:
        return record->load.now_us;
    case RECORD_ACKNOWLEDGE:
    case RECORD_MEASURE:
    case RECORD_QUERY:
    case _RECORD_KIND_MAX:
        break;
    }
    return 0;
}

/* What is asked sees everything that was put in before. */
static void ask(struct child *c, const struct record *record)
{
    int r = 0;

    flush_batch(c);
    if (record->kind == RECORD_THIN)
        r = with_db(c, thin, record);
    else if (record->kind == RECORD_QUERY)
        r = with_db(c, query, record);
    else
        r = with_db(c, load, record);
    settle(c, record->n, r);
}

static int take(struct child *c, struct bytes json)
{
    struct record record;
    int r = record_read(json, c->arena, &record);

    if (r < 0)
        return r;
    if (time_of(&record) > c->now_us)
        c->now_us = time_of(&record);
    switch (record.kind) {
    case RECORD_THIN:
    case RECORD_QUERY:
    case RECORD_LOAD:
        /* Flushing clears the arena: what is asked is read again. */
        record_done(&record);
        flush_batch(c);
        r = record_read(json, c->arena, &record);
        if (r < 0)
            return r;
        ask(c, &record);
        record_done(&record);
        break;
    case RECORD_LOOK:
    case RECORD_FINDING:
    case RECORD_ACKNOWLEDGE:
    case RECORD_MEASURE:
    case _RECORD_KIND_MAX:
        r = vec_push(&c->batch, record);
        if (r < 0)
            record_done(&record);
        break;
    }
    if (c->batch.n >= BATCH)
        flush_batch(c);
    return r;
}

/* Takes each complete message. */
static int take_all(struct child *c)
{
    size_t at = 0;
    const uint8_t *end;
    int r = 0;

    while (r == 0 && at < c->in.n && (end = memchr(c->in.v + at, 0, c->in.n - at)) != NULL) {
        size_t len = (size_t)(end - c->in.v) - at;

        r = take(c, (struct bytes){ c->in.v + at, len });
        at += len + 1;
    }
    c->in.n -= at;
    if (at && c->in.n)
        memmove(c->in.v, c->in.v + at, c->in.n);
    flush_batch(c);
    return r;
}

/* Returns 1, 0 at the end, or a negative errno. */
static int receive(struct child *c)
{
    ssize_t n;
    int r = vec_reserve(&c->in, READ_BYTES);

    if (r < 0)
        return r;
    n = recv(c->fd, c->in.v + c->in.n, READ_BYTES, 0);
    if (n < 0)
        /* The daemon is gone, and did not read all that was said to it: unix(7). */
        return errno == EINTR ? 1 : errno == ECONNRESET ? 0 : -errno;
    c->in.n += (size_t)n;
    return n > 0;
}

int writer_child(int fd, const struct writer_options *options)
{
    struct child c = {
        .fd = fd, .options = options, .now_us = options->wall_us, .arena = arena_new()
    };
    int r = c.arena ? 1 : -ENOMEM;

    while (r > 0) {
        int e;

        r = receive(&c);
        e = r < 0 ? r : take_all(&c);
        if (e < 0)
            r = e;
    }
    free(c.batch.v);
    free(c.in.v);
    history_db_close(c.db);
    arena_free(c.arena);
    return r;
}
