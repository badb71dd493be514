/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads captures (capture.h). The functions follow the format from the outside in; each knows the
 * member it is in, so that an error can say where it is.
 */
#include "source/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "source/members.h"

enum { VERSION = 1 };

struct loader {
    struct members m;
    struct store *store;
    struct capture_progress *progress; /* may be NULL */
    bool has_dirs;                     /* the object holds directories */
    bool ended;                        /* the object said that it is the last one */
};

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

/* Explains a refusal of the store. */
static int stored(struct loader *l, int r)
{
    switch (r) {
    case -EINVAL:
        return members_wrong(&l->m, "not a canonical path or name");
    case -ENOTDIR:
        return members_wrong(&l->m, "lies below a file or link");
    case -EISDIR:
        return members_wrong(&l->m, "is a directory elsewhere in the capture");
    case -E2BIG:
        return members_wrong(&l->m, "longer than 1 MiB");
    default:
        return r;
    }
}

static int read_taken(struct loader *l)
{
    static const struct member MEMBERS[] = {
        { "wall_us", MEMBER_NUMBER, offsetof(struct taken, wall_us), INT64_MAX },
        { "mono_us", MEMBER_NUMBER, offsetof(struct taken, mono_us), INT64_MAX },
        { "kernel", MEMBER_TEXT, offsetof(struct taken, kernel) },
        { "machine", MEMBER_TEXT, offsetof(struct taken, machine) },
        { "hostname", MEMBER_TEXT, offsetof(struct taken, hostname) },
        { "scrubbed", MEMBER_FLAG, offsetof(struct taken, scrubbed) },
    };
    struct taken taken = { .kernel = "", .machine = "", .hostname = "" };
    int r = members_expect(&l->m, JSON_EVENT_OBJECT_BEGIN, "an object");

    if (r == 0)
        r = members_read(&l->m, 1, MEMBERS, ELEMENTS(MEMBERS), &taken, NULL);
    return r < 0 ? r : store_set_taken(l->store, &taken);
}

/* {"hex": …}, {"link": …} or {"errno": …}, the brace consumed. */
static int read_special_value(struct loader *l, store_node dir, struct bytes name,
                              store_node *ret_node)
{
    struct bytes value = { 0 };
    enum store_kind kind = STORE_FILE;
    int error = 0, r = members_next(&l->m);

    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    if (bytes_equal(l->m.token.text, bytes_of("hex"))) {
        r = members_take_hex(&l->m, &value);
    } else if (bytes_equal(l->m.token.text, bytes_of("link"))) {
        kind = STORE_LINK;
        r = members_take_text(&l->m, &value);
    } else if (bytes_equal(l->m.token.text, bytes_of("errno"))) {
        kind = STORE_ERRNO;
        r = members_take_errno(&l->m, &error);
    } else {
        return members_wrong(&l->m, "hex, link or errno expected");
    }
    if (r == 0)
        r = stored(l, store_put(l->store, dir, name, kind, value, error, ret_node));
    return r < 0 ? r : members_expect(&l->m, JSON_EVENT_OBJECT_END, "the end of the value");
}

static int compare_nodes(const void *a, const void *b)
{
    store_node x = *(const store_node *)a, y = *(const store_node *)b;

    return (x > y) - (x < y);
}

/* Is one of the nodes there twice? Sorts them. */
static bool has_twice(store_node *nodes, size_t n)
{
    if (n)
        qsort(nodes, n, sizeof(*nodes), compare_nodes);
    for (size_t i = 1; i < n; i++)
        if (nodes[i] == nodes[i - 1])
            return true;
    return false;
}

/* One entry of a directory, its name read. */
static int read_entry(struct loader *l, store_node dir, store_node *ret_node)
{
    struct bytes name = bytes_of(l->m.where[2]);
    int r = members_next(&l->m);

    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    if (l->m.token.event == JSON_EVENT_OBJECT_BEGIN)
        return read_special_value(l, dir, name, ret_node);
    if (l->m.token.event != JSON_EVENT_STRING)
        return members_wrong(&l->m, "text or an object expected");
    if (!text_is_plain(l->m.token.text))
        return members_wrong(&l->m, "text holds a NUL");
    return stored(l, store_put(l->store, dir, name, STORE_FILE, l->m.token.text, 0, ret_node));
}

/* A property of a device: text. */
static int read_prop(struct loader *l, store_node *ret_node)
{
    struct bytes text = { 0 };
    int r = members_take_text(&l->m, &text);

    return r < 0 ? r
                 : stored(l, store_put_prop(l->store, bytes_of(l->m.where[1]),
                                            bytes_of(l->m.where[2]), text, ret_node));
}

/* The entries of one directory or properties of one device. A name that an earlier object of the stream
 * gave may come again; within one object it stands once. */
static int read_entries(struct loader *l, bool props, store_node dir)
{
    store_node start = store_node_count(l->store), node = 0;
    VEC(store_node) again = { 0 };
    int r = members_expect(&l->m, JSON_EVENT_OBJECT_BEGIN, "an object");

    while (r >= 0 && (r = members_next_key(&l->m, 2)) > 0) {
        store_node before = store_node_count(l->store);

        r = props ? read_prop(l, &node) : read_entry(l, dir, &node);
        if (r == 0 && node >= start && node < before)
            r = members_wrong(&l->m, "is there twice");
        else if (r == 0 && node < start)
            r = vec_push(&again, node);
    }
    if (r == 0 && has_twice(again.v, again.n))
        r = members_wrong(&l->m, "holds a name twice");
    free(again.v);
    return r;
}

static int read_dirs(struct loader *l)
{
    VEC(store_node) listed = { 0 };
    int r = members_expect(&l->m, JSON_EVENT_OBJECT_BEGIN, "an object");

    l->has_dirs = true;
    while (r >= 0 && (r = members_next_key(&l->m, 1)) > 0) {
        store_node dir;

        r = stored(l, store_dir(l->store, bytes_of(l->m.where[1]), &dir));
        if (r == 0)
            r = vec_push(&listed, dir);
        if (r == 0)
            r = read_entries(l, false, dir);
    }
    if (r == 0 && has_twice(listed.v, listed.n))
        r = members_wrong(&l->m, "holds a directory twice");
    free(listed.v);
    return r;
}

static int read_props(struct loader *l)
{
    int r = members_expect(&l->m, JSON_EVENT_OBJECT_BEGIN, "an object");

    while (r >= 0 && (r = members_next_key(&l->m, 1)) > 0)
        r = read_entries(l, true, 0);
    return r;
}

static int read_command(struct loader *l)
{
    struct numbers {
        struct store_command c;
        uint64_t status, host_status, driver_status;
    } n = { 0 };
    static const struct member MEMBERS[] = {
        { "device", MEMBER_TEXT, offsetof(struct numbers, c.hctl), 0, true },
        { "cdb", MEMBER_HEX, offsetof(struct numbers, c.cdb), 0, true },
        { "status", MEMBER_NUMBER, offsetof(struct numbers, status), UINT8_MAX },
        { "data", MEMBER_HEX, offsetof(struct numbers, c.data) },
        { "sense", MEMBER_HEX, offsetof(struct numbers, c.sense) },
        { "host_status", MEMBER_NUMBER, offsetof(struct numbers, host_status), UINT16_MAX },
        { "driver_status", MEMBER_NUMBER, offsetof(struct numbers, driver_status), UINT16_MAX },
        { "us", MEMBER_NUMBER, offsetof(struct numbers, c.duration_us), INT64_MAX },
        { "errno", MEMBER_ERRNO, offsetof(struct numbers, c.error) },
    };
    unsigned seen = 0;
    int r = members_read(&l->m, 2, MEMBERS, ELEMENTS(MEMBERS), &n, &seen);

    if (r < 0)
        return r;
    if (!hctl_is_valid(n.c.hctl))
        return members_wrong(&l->m, "device is not H:C:T:L");
    if (n.c.cdb.len == 0 || n.c.cdb.len > CDB_MAX)
        return members_wrong(&l->m, "cdb is not of 1 to 16 bytes");
    if (!(seen & 1u << 2) && !n.c.error)
        return members_wrong(&l->m, "has neither status nor errno");
    n.c.status = (uint8_t)n.status;
    n.c.host_status = (uint16_t)n.host_status;
    n.c.driver_status = (uint16_t)n.driver_status;
    return stored(l, store_put_command(l->store, &n.c));
}

/* A word that has one meaning; others, and none (NULL), are as if it were not there. */
static bool says(const char *word, const char *meant)
{
    return word && strcmp(word, meant) == 0;
}

static int read_measure(struct loader *l)
{
    struct numbers {
        struct measurement m;
        uint64_t depth, together;
        const char *memory, *pattern;
    } n = { .depth = 1 };
#define NUMBER(name, field)                                             \
    {                                                                   \
        name, MEMBER_NUMBER, offsetof(struct numbers, field), INT64_MAX \
    }
    static const struct member MEMBERS[] = {
        { "device", MEMBER_TEXT, offsetof(struct numbers, m.hctl), 0, true },
        { "method", MEMBER_TEXT, offsetof(struct numbers, m.method), 0, true },
        { "block", MEMBER_NUMBER, offsetof(struct numbers, m.block_bytes), INT64_MAX, true },
        { "bytes", MEMBER_NUMBER, offsetof(struct numbers, m.bytes), INT64_MAX, true },
        { "us", MEMBER_NUMBER, offsetof(struct numbers, m.us), INT64_MAX, true },
        NUMBER("cpu_us", m.cpu_us),
        { "depth", MEMBER_NUMBER, offsetof(struct numbers, depth), 65536 },
        NUMBER("commands", m.commands),
        NUMBER("user_us", m.user_us),
        NUMBER("system_us", m.system_us),
        NUMBER("min_us", m.min_us),
        NUMBER("median_us", m.median_us),
        NUMBER("p95_us", m.p95_us),
        NUMBER("p99_us", m.p99_us),
        NUMBER("max_us", m.max_us),
        NUMBER("retries", m.retries),
        NUMBER("asked", m.asked),
        NUMBER("beside", m.beside),
        NUMBER("short_bytes", m.short_bytes),
        NUMBER("errors", m.errors),
        NUMBER("direct", m.direct),
        { "together", MEMBER_NUMBER, offsetof(struct numbers, together), 65536 },
        { "idle_permille", MEMBER_NUMBER, offsetof(struct numbers, m.idle_permille), 1000 },
        NUMBER("wall_us", m.wall_us),
        { "sense", MEMBER_HEX, offsetof(struct numbers, m.sense) },
        { "memory", MEMBER_TEXT, offsetof(struct numbers, memory) },
        { "pattern", MEMBER_TEXT, offsetof(struct numbers, pattern) },
        { "error", MEMBER_ERRNO, offsetof(struct numbers, m.error) },
        { "disturbed", MEMBER_TEXT, offsetof(struct numbers, m.disturbed) },
    };
#undef NUMBER
    int r = members_read(&l->m, 2, MEMBERS, ELEMENTS(MEMBERS), &n, NULL);

    if (r < 0)
        return r;
    if (!hctl_is_valid(n.m.hctl))
        return members_wrong(&l->m, "device is not H:C:T:L");
    n.m.depth = (unsigned)n.depth;
    n.m.together = (unsigned)n.together;
    n.m.cold = says(n.memory, "cold");
    n.m.random = says(n.pattern, "random");
    return stored(l, store_put_measure(l->store, &n.m));
}

/* An array of objects, each read by `read_one` from behind its brace. */
static int read_array(struct loader *l, int (*read_one)(struct loader *))
{
    int r = members_expect(&l->m, JSON_EVENT_ARRAY_BEGIN, "an array");

    for (unsigned i = 0; r >= 0; i++) {
        char place[16];
        int n = snprintf(place, sizeof(place), "%u", i);

        r = members_next(&l->m);
        if (r <= 0 || l->m.token.event == JSON_EVENT_ARRAY_END)
            return r == 0 ? -ENODATA : r < 0 ? r : 0;
        r = members_enter(&l->m, 1, (struct bytes){ (uint8_t *)place, (size_t)n });
        if (r == 0)
            r = l->m.token.event == JSON_EVENT_OBJECT_BEGIN
                    ? read_one(l)
                    : members_wrong(&l->m, "an object expected");
        l->m.where[1] = l->m.where[2] = NULL;
        arena_clear(l->m.scratch);
    }
    return r;
}

static int read_commands(struct loader *l)
{
    return read_array(l, read_command);
}

static int read_measures(struct loader *l)
{
    return read_array(l, read_measure);
}

static int read_version(struct loader *l)
{
    int r = members_next(&l->m);

    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    if (l->m.token.event != JSON_EVENT_INTEGER)
        return members_wrong(&l->m, "the version is not a whole number");
    if (l->m.token.integer != VERSION)
        return members_wrong(&l->m, "version %lld is not known (1 is)",
                             (long long)l->m.token.integer);
    return 0;
}

static int read_end(struct loader *l)
{
    int r = members_next(&l->m);

    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    if (l->m.token.event != JSON_EVENT_TRUE)
        return members_wrong(&l->m, "true expected");
    l->ended = true;
    return 0;
}

/* What a collector is about to do: {"device": …, "cdb": …, "method": …}. */
static int read_progress(struct loader *l)
{
    struct capture_progress p = { 0 };
#define NUMBER(name, field)                                                      \
    {                                                                            \
        name, MEMBER_NUMBER, offsetof(struct capture_progress, field), INT64_MAX \
    }
    static const struct member MEMBERS[] = {
        { "device", MEMBER_TEXT, offsetof(struct capture_progress, hctl), 0, true },
        { "cdb", MEMBER_HEX, offsetof(struct capture_progress, cdb), 0, true },
        { "method", MEMBER_TEXT, offsetof(struct capture_progress, method) },
        NUMBER("block", block_bytes),
        NUMBER("depth", depth),
        NUMBER("cell", cell),
        NUMBER("cells", cells),
        NUMBER("bytes", bytes),
    };
#undef NUMBER
    int r = members_expect(&l->m, JSON_EVENT_OBJECT_BEGIN, "an object");

    if (r == 0)
        r = members_read(&l->m, 1, MEMBERS, ELEMENTS(MEMBERS), &p, NULL);
    if (r < 0 || !l->progress)
        return r;
    *l->progress = p;
    l->progress->hctl = arena_strdup(l->m.arena, p.hctl);
    l->progress->cdb = arena_bytes(l->m.arena, p.cdb);
    l->progress->method = arena_strdup(l->m.arena, p.method);
    return l->progress->hctl && l->progress->cdb.data && !p.method == !l->progress->method
               ? 0
               : -ENOMEM;
}

/* The members of a capture. Order of this table is the bit in `seen`. */
static const struct {
    const char *name;
    int (*read)(struct loader *l);
} MEMBERS[] = {
    { "hbad-capture", read_version }, { "taken", read_taken },       { "dirs", read_dirs },
    { "props", read_props },          { "commands", read_commands }, { "measures", read_measures },
    { "at", read_progress },          { "end", read_end },
};

static int read_object(struct loader *l)
{
    unsigned seen = 0;
    size_t i;
    int r = members_expect(&l->m, JSON_EVENT_OBJECT_BEGIN, "an object");

    while (r >= 0 && (r = members_next_key(&l->m, 0)) > 0) {
        for (i = 0; i < ELEMENTS(MEMBERS) && strcmp(MEMBERS[i].name, l->m.where[0]) != 0; i++)
            ;
        if (i == ELEMENTS(MEMBERS)) {
            r = members_next(&l->m);
            if (r > 0)
                r = json_skip(l->m.json, &l->m.token);
            if (r == -EBADMSG)
                r = members_wrong(&l->m, "not JSON: %s", json_reader_error(l->m.json));
            continue;
        }
        if (seen & 1u << i)
            return members_wrong(&l->m, "is there twice");
        seen |= 1u << i;
        r = MEMBERS[i].read(l);
        l->m.where[1] = l->m.where[2] = NULL;
        arena_clear(l->m.scratch);
    }
    l->m.where[0] = NULL;
    if (r == 0 && !(seen & 1u))
        return members_wrong(&l->m, "is no capture: it has no member hbad-capture");
    if (r == 0)
        r = members_next(&l->m); /* nothing may follow but white space or NUL */
    return r;
}

int capture_read_object(struct json_reader *reader, struct store *store, struct arena *arena,
                        struct capture_reading *ret, struct capture_progress *ret_progress)
{
    struct loader l = { .store = store, .progress = ret_progress };
    int r = members_init(&l.m, reader, arena);

    ret->stopped = false;
    ret->where = ret->why = NULL;
    if (ret_progress)
        *ret_progress = (struct capture_progress){ 0 };
    if (r == 0)
        r = read_object(&l);
    ret->where = l.m.path;
    ret->why = l.m.why;
    ret->offset = json_reader_offset(reader);
    if (r == -ENODATA) {
        ret->stopped = true;
        ret->where = l.m.where[0] ? arena_strdup(arena, l.m.where[0]) : "top level";
        ret->why = "the text breaks off";
        r = 0;
    } else if (r == 0) {
        ret->complete = l.ended;
    }
    ret->has_dirs = l.has_dirs;
    members_done(&l.m);
    return r;
}

int capture_read(struct json_reader *reader, struct store *store, struct arena *arena,
                 struct capture_reading *ret)
{
    unsigned objects = 0;
    int r;

    ret->complete = ret->followed = false;
    do {
        r = capture_read_object(reader, store, arena, ret, NULL);
        if (r < 0)
            return r;
        objects++;
    } while (!ret->stopped && !ret->complete && json_reader_next_document(reader));
    if (objects == 1 && !ret->stopped) {
        ret->complete = true;
    } else if (objects == 1) {
        return -EBADMSG;
    } else if (!ret->complete) {
        ret->stopped = true;
    }
    ret->followed = !ret->stopped && json_reader_next_document(reader);
    return 0;
}
