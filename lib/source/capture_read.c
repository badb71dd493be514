/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads captures (capture.h). The functions follow the format from the outside in; each knows the
 * member it is in, so that an error can say where it is.
 */
#include "source/capture.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/vec.h"
#include "source/errno_name.h"

enum { VERSION = 1 };

struct loader {
    struct json_reader *json;
    struct store *store;
    struct arena *arena; /* of the caller: what is reported */
    struct capture_reading *reading;
    struct capture_progress *progress; /* may be NULL */
    struct json_token token;
    const char *where[3]; /* member, and what is inside it: in keys[], or NULL */
    VEC(char) keys[3];
    bool ended;            /* the object said that it is the last one */
    struct arena *scratch; /* what one member needs until it is stored */
    uint8_t *hex;          /* CAPTURE_VALUE_MAX bytes for decoding, from the first hex on */
};

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

/* Notes what is wrong, with the member path, and returns -EBADMSG. */
static int wrong(struct loader *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int wrong(struct loader *l, const char *format, ...)
{
    const char *path = arena_strdup(l->arena, l->where[0] ? l->where[0] : "top level");
    va_list args;

    for (size_t i = 1; path && l->where[0] && i < ELEMENTS(l->where) && l->where[i]; i++)
        path = arena_printf(l->arena, "%s.%s", path, l->where[i]);
    va_start(args, format);
    l->reading->why = arena_vprintf(l->arena, format, args);
    va_end(args);
    l->reading->where = path;
    return l->reading->why && path ? -EBADMSG : -ENOMEM;
}

/* The next token, with JSON errors explained. */
static int next(struct loader *l)
{
    int r = json_next(l->json, &l->token);

    if (r == -EBADMSG)
        return wrong(l, "not JSON: %s", json_reader_error(l->json));
    return r;
}

static int expect(struct loader *l, enum json_event event, const char *what)
{
    int r = next(l);

    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    return l->token.event == event ? 0 : wrong(l, "%s expected", what);
}

/* Notes the name of what is being read at that depth. */
static int enter(struct loader *l, unsigned depth, struct bytes name)
{
    int r;

    l->keys[depth].n = 0;
    r = vec_reserve(&l->keys[depth], name.len + 1);
    if (r < 0)
        return r;
    memcpy(l->keys[depth].v, name.data, name.len);
    l->keys[depth].v[name.len] = '\0';
    l->where[depth] = l->keys[depth].v;
    return 0;
}

/* Goes to the next key of the object under way. Returns 1 with it in where[depth], 0 at the object's
 * end. */
static int next_key(struct loader *l, unsigned depth)
{
    int r;

    l->where[depth] = NULL;
    r = next(l);
    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    if (l->token.event == JSON_EVENT_OBJECT_END)
        return 0;
    if (memchr(l->token.text.data, '\0', l->token.text.len))
        return wrong(l, "a key holds a NUL");
    r = enter(l, depth, l->token.text);
    return r < 0 ? r : 1;
}

/* The string that must come now; NULs in it are refused. */
static int take_text(struct loader *l, struct bytes *ret)
{
    int r = expect(l, JSON_EVENT_STRING, "text");

    if (r < 0)
        return r;
    if (!text_is_plain(l->token.text))
        return wrong(l, "text holds a NUL");
    *ret = l->token.text;
    return 0;
}

static int take_kept_text(struct loader *l, const char **ret)
{
    struct bytes text = { 0 };
    int r = take_text(l, &text);

    if (r < 0)
        return r;
    *ret = arena_strndup(l->scratch, (const char *)text.data, text.len);
    return *ret ? 0 : -ENOMEM;
}

static int take_number(struct loader *l, uint64_t max, uint64_t *ret)
{
    int r = expect(l, JSON_EVENT_INTEGER, "a whole number");

    if (r < 0)
        return r;
    if (l->token.integer < 0 || (uint64_t)l->token.integer > max)
        return wrong(l, "number out of range");
    *ret = (uint64_t)l->token.integer;
    return 0;
}

/* Hex text as bytes, in l->hex. */
static int take_hex(struct loader *l, struct bytes *ret)
{
    struct bytes text = { 0 };
    int64_t n;
    int r = take_text(l, &text);

    if (r < 0)
        return r;
    if (!l->hex)
        l->hex = malloc(CAPTURE_VALUE_MAX);
    if (!l->hex)
        return -ENOMEM;
    n = hex_decode((const char *)text.data, text.len, l->hex, CAPTURE_VALUE_MAX);
    if (n < 0)
        return wrong(l, n == -E2BIG ? "more than 512 KiB of hex" : "not hex");
    *ret = (struct bytes){ l->hex, (size_t)n };
    return 0;
}

static int take_kept_hex(struct loader *l, struct bytes *ret)
{
    struct bytes found;
    int r = take_hex(l, &found);

    if (r < 0)
        return r;
    *ret = arena_bytes(l->scratch, found);
    return ret->data ? 0 : -ENOMEM;
}

static int take_errno(struct loader *l, int *ret)
{
    struct bytes text = { 0 };
    char name[32];
    int r = take_text(l, &text);

    if (r < 0)
        return r;
    if (text.len >= sizeof(name))
        return wrong(l, "unknown errno name");
    memcpy(name, text.data, text.len);
    name[text.len] = '\0';
    r = errno_from_name(name);
    if (r < 0)
        return wrong(l, "unknown errno name %s", name);
    *ret = r;
    return 0;
}

/* Explains a refusal of the store. */
static int stored(struct loader *l, int r)
{
    switch (r) {
    case -EINVAL:
        return wrong(l, "not a canonical path or name");
    case -ENOTDIR:
        return wrong(l, "lies below a file or link");
    case -EISDIR:
        return wrong(l, "is a directory elsewhere in the capture");
    case -E2BIG:
        return wrong(l, "longer than 1 MiB");
    default:
        return r;
    }
}

/* Members of a flat object, as a table: where each goes in the struct that is filled. */
enum member_type { TEXT, HEX, NUMBER, ERRNO, FLAG };

struct member {
    const char *name;
    enum member_type type;
    size_t offset;
    uint64_t max; /* of a NUMBER */
    bool required;
};

static int take_member(struct loader *l, const struct member *m, void *target)
{
    void *place = (char *)target + m->offset;
    int r;

    switch (m->type) {
    case TEXT:
        return take_kept_text(l, place);
    case HEX:
        return take_kept_hex(l, place);
    case NUMBER:
        return take_number(l, m->max, place);
    case ERRNO:
        return take_errno(l, place);
    case FLAG:
        r = next(l);
        if (r <= 0)
            return r < 0 ? r : -ENODATA;
        if (l->token.event != JSON_EVENT_TRUE && l->token.event != JSON_EVENT_FALSE)
            return wrong(l, "true or false expected");
        *(bool *)place = l->token.event == JSON_EVENT_TRUE;
        return 0;
    }
    return -EINVAL;
}

/* Fills `target` from the object that comes now. `*ret_seen` has a bit for each member that was there.
 * Unknown members are skipped. */
static int read_members(struct loader *l, unsigned depth, const struct member *members, size_t n,
                        void *target, unsigned *ret_seen)
{
    unsigned seen = 0;
    size_t i;
    int r = 0;

    while (r >= 0 && (r = next_key(l, depth)) > 0) {
        for (i = 0; i < n && strcmp(members[i].name, l->where[depth]) != 0; i++)
            ;
        if (i == n) {
            r = next(l);
            if (r == 0)
                r = -ENODATA;
            if (r > 0)
                r = json_skip(l->json, &l->token);
            if (r == -EBADMSG)
                r = wrong(l, "not JSON: %s", json_reader_error(l->json));
            continue;
        }
        if (seen & 1u << i)
            return wrong(l, "is there twice");
        seen |= 1u << i;
        r = take_member(l, &members[i], target);
    }
    for (i = 0; r >= 0 && i < n; i++)
        if (members[i].required && !(seen & 1u << i))
            return wrong(l, "has no %s", members[i].name);
    if (ret_seen)
        *ret_seen = seen;
    return r;
}

static int read_taken(struct loader *l)
{
    static const struct member MEMBERS[] = {
        { "wall_us", NUMBER, offsetof(struct taken, wall_us), INT64_MAX },
        { "mono_us", NUMBER, offsetof(struct taken, mono_us), INT64_MAX },
        { "kernel", TEXT, offsetof(struct taken, kernel) },
        { "machine", TEXT, offsetof(struct taken, machine) },
        { "hostname", TEXT, offsetof(struct taken, hostname) },
        { "scrubbed", FLAG, offsetof(struct taken, scrubbed) },
    };
    struct taken taken = { .kernel = "", .machine = "", .hostname = "" };
    int r = expect(l, JSON_EVENT_OBJECT_BEGIN, "an object");

    if (r == 0)
        r = read_members(l, 1, MEMBERS, ELEMENTS(MEMBERS), &taken, NULL);
    return r < 0 ? r : store_set_taken(l->store, &taken);
}

/* {"hex": …}, {"link": …} or {"errno": …}, the brace consumed. */
static int read_special_value(struct loader *l, store_node dir, struct bytes name,
                              store_node *ret_node)
{
    struct bytes value = { 0 };
    enum store_kind kind = STORE_FILE;
    int error = 0, r = next(l);

    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    if (bytes_equal(l->token.text, bytes_of("hex"))) {
        r = take_hex(l, &value);
    } else if (bytes_equal(l->token.text, bytes_of("link"))) {
        kind = STORE_LINK;
        r = take_text(l, &value);
    } else if (bytes_equal(l->token.text, bytes_of("errno"))) {
        kind = STORE_ERRNO;
        r = take_errno(l, &error);
    } else {
        return wrong(l, "hex, link or errno expected");
    }
    if (r == 0)
        r = stored(l, store_put(l->store, dir, name, kind, value, error, ret_node));
    return r < 0 ? r : expect(l, JSON_EVENT_OBJECT_END, "the end of the value");
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
    struct bytes name = bytes_of(l->where[2]);
    int r = next(l);

    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    if (l->token.event == JSON_EVENT_OBJECT_BEGIN)
        return read_special_value(l, dir, name, ret_node);
    if (l->token.event != JSON_EVENT_STRING)
        return wrong(l, "text or an object expected");
    if (!text_is_plain(l->token.text))
        return wrong(l, "text holds a NUL");
    return stored(l, store_put(l->store, dir, name, STORE_FILE, l->token.text, 0, ret_node));
}

/* A property of a device: text. */
static int read_prop(struct loader *l, store_node *ret_node)
{
    struct bytes text = { 0 };
    int r = take_text(l, &text);

    return r < 0 ? r
                 : stored(l, store_put_prop(l->store, bytes_of(l->where[1]), bytes_of(l->where[2]),
                                            text, ret_node));
}

/* The entries of one directory or properties of one device. A name that an earlier object of the stream
 * gave may come again; within one object it stands once. */
static int read_entries(struct loader *l, bool props, store_node dir)
{
    store_node start = store_node_count(l->store), node = 0;
    VEC(store_node) again = { 0 };
    int r = expect(l, JSON_EVENT_OBJECT_BEGIN, "an object");

    while (r >= 0 && (r = next_key(l, 2)) > 0) {
        store_node before = store_node_count(l->store);

        r = props ? read_prop(l, &node) : read_entry(l, dir, &node);
        if (r == 0 && node >= start && node < before)
            r = wrong(l, "is there twice");
        else if (r == 0 && node < start)
            r = vec_push(&again, node);
    }
    if (r == 0 && has_twice(again.v, again.n))
        r = wrong(l, "holds a name twice");
    free(again.v);
    return r;
}

static int read_dirs(struct loader *l)
{
    VEC(store_node) listed = { 0 };
    int r = expect(l, JSON_EVENT_OBJECT_BEGIN, "an object");

    while (r >= 0 && (r = next_key(l, 1)) > 0) {
        store_node dir;

        r = stored(l, store_dir(l->store, bytes_of(l->where[1]), &dir));
        if (r == 0)
            r = vec_push(&listed, dir);
        if (r == 0)
            r = read_entries(l, false, dir);
    }
    if (r == 0 && has_twice(listed.v, listed.n))
        r = wrong(l, "holds a directory twice");
    free(listed.v);
    return r;
}

static int read_props(struct loader *l)
{
    int r = expect(l, JSON_EVENT_OBJECT_BEGIN, "an object");

    while (r >= 0 && (r = next_key(l, 1)) > 0)
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
        { "device", TEXT, offsetof(struct numbers, c.hctl), 0, true },
        { "cdb", HEX, offsetof(struct numbers, c.cdb), 0, true },
        { "status", NUMBER, offsetof(struct numbers, status), UINT8_MAX },
        { "data", HEX, offsetof(struct numbers, c.data) },
        { "sense", HEX, offsetof(struct numbers, c.sense) },
        { "host_status", NUMBER, offsetof(struct numbers, host_status), UINT16_MAX },
        { "driver_status", NUMBER, offsetof(struct numbers, driver_status), UINT16_MAX },
        { "us", NUMBER, offsetof(struct numbers, c.duration_us), INT64_MAX },
        { "errno", ERRNO, offsetof(struct numbers, c.error) },
    };
    unsigned seen = 0;
    int r = read_members(l, 2, MEMBERS, ELEMENTS(MEMBERS), &n, &seen);

    if (r < 0)
        return r;
    if (!hctl_is_valid(n.c.hctl))
        return wrong(l, "device is not H:C:T:L");
    if (n.c.cdb.len == 0 || n.c.cdb.len > CDB_MAX)
        return wrong(l, "cdb is not of 1 to 16 bytes");
    if (!(seen & 1u << 2) && !n.c.error)
        return wrong(l, "has neither status nor errno");
    n.c.status = (uint8_t)n.status;
    n.c.host_status = (uint16_t)n.host_status;
    n.c.driver_status = (uint16_t)n.driver_status;
    return stored(l, store_put_command(l->store, &n.c));
}

static int read_measure(struct loader *l)
{
    struct numbers {
        struct store_measure m;
        uint64_t depth;
    } n = { .depth = 1 };
    static const struct member MEMBERS[] = {
        { "device", TEXT, offsetof(struct numbers, m.hctl), 0, true },
        { "method", TEXT, offsetof(struct numbers, m.method), 0, true },
        { "block", NUMBER, offsetof(struct numbers, m.block_bytes), INT64_MAX, true },
        { "bytes", NUMBER, offsetof(struct numbers, m.bytes), INT64_MAX, true },
        { "us", NUMBER, offsetof(struct numbers, m.us), INT64_MAX, true },
        { "cpu_us", NUMBER, offsetof(struct numbers, m.cpu_us), INT64_MAX },
        { "depth", NUMBER, offsetof(struct numbers, depth), 65536 },
    };
    int r = read_members(l, 2, MEMBERS, ELEMENTS(MEMBERS), &n, NULL);

    if (r < 0)
        return r;
    if (!hctl_is_valid(n.m.hctl))
        return wrong(l, "device is not H:C:T:L");
    n.m.depth = (unsigned)n.depth;
    return stored(l, store_put_measure(l->store, &n.m));
}

/* An array of objects, each read by `read_one` from behind its brace. */
static int read_array(struct loader *l, int (*read_one)(struct loader *))
{
    int r = expect(l, JSON_EVENT_ARRAY_BEGIN, "an array");

    for (unsigned i = 0; r >= 0; i++) {
        char place[16];
        int n = snprintf(place, sizeof(place), "%u", i);

        r = next(l);
        if (r <= 0 || l->token.event == JSON_EVENT_ARRAY_END)
            return r == 0 ? -ENODATA : r < 0 ? r : 0;
        r = enter(l, 1, (struct bytes){ (uint8_t *)place, (size_t)n });
        if (r == 0)
            r = l->token.event == JSON_EVENT_OBJECT_BEGIN ? read_one(l)
                                                          : wrong(l, "an object expected");
        l->where[1] = l->where[2] = NULL;
        arena_clear(l->scratch);
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
    int r = next(l);

    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    if (l->token.event != JSON_EVENT_INTEGER)
        return wrong(l, "the version is not a whole number");
    if (l->token.integer != VERSION)
        return wrong(l, "version %lld is not known (1 is)", (long long)l->token.integer);
    return 0;
}

static int read_end(struct loader *l)
{
    int r = next(l);

    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    if (l->token.event != JSON_EVENT_TRUE)
        return wrong(l, "true expected");
    l->ended = true;
    return 0;
}

/* What a collector is about to ask: {"device": …, "cdb": …}. */
static int read_progress(struct loader *l)
{
    struct capture_progress p = { 0 };
    static const struct member MEMBERS[] = {
        { "device", TEXT, offsetof(struct capture_progress, hctl), 0, true },
        { "cdb", HEX, offsetof(struct capture_progress, cdb), 0, true },
    };
    int r = expect(l, JSON_EVENT_OBJECT_BEGIN, "an object");

    if (r == 0)
        r = read_members(l, 1, MEMBERS, ELEMENTS(MEMBERS), &p, NULL);
    if (r < 0 || !l->progress)
        return r;
    l->progress->hctl = arena_strdup(l->arena, p.hctl);
    l->progress->cdb = arena_bytes(l->arena, p.cdb);
    return l->progress->hctl && l->progress->cdb.data ? 0 : -ENOMEM;
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
    int r = expect(l, JSON_EVENT_OBJECT_BEGIN, "an object");

    while (r >= 0 && (r = next_key(l, 0)) > 0) {
        for (i = 0; i < ELEMENTS(MEMBERS) && strcmp(MEMBERS[i].name, l->where[0]) != 0; i++)
            ;
        if (i == ELEMENTS(MEMBERS)) {
            r = next(l);
            if (r > 0)
                r = json_skip(l->json, &l->token);
            if (r == -EBADMSG)
                r = wrong(l, "not JSON: %s", json_reader_error(l->json));
            continue;
        }
        if (seen & 1u << i)
            return wrong(l, "is there twice");
        seen |= 1u << i;
        r = MEMBERS[i].read(l);
        l->where[1] = l->where[2] = NULL;
        arena_clear(l->scratch);
    }
    l->where[0] = NULL;
    if (r == 0 && !(seen & 1u))
        return wrong(l, "is no capture: it has no member hbad-capture");
    if (r == 0)
        r = next(l); /* nothing may follow but white space or NUL */
    return r;
}

int capture_read_object(struct json_reader *reader, struct store *store, struct arena *arena,
                        struct capture_reading *ret, struct capture_progress *ret_progress)
{
    struct loader l = { reader, store, arena, ret, ret_progress };
    int r = -ENOMEM;

    ret->stopped = false;
    ret->where = ret->why = NULL;
    if (ret_progress)
        *ret_progress = (struct capture_progress){ 0 };
    l.scratch = arena_new();
    if (l.scratch)
        r = read_object(&l);
    ret->offset = json_reader_offset(reader);
    if (r == -ENODATA) {
        ret->stopped = true;
        ret->where = l.where[0] ? arena_strdup(arena, l.where[0]) : "top level";
        ret->why = "the text breaks off";
        r = 0;
    } else if (r == 0) {
        ret->complete = l.ended;
    }
    for (size_t i = 0; i < ELEMENTS(l.keys); i++)
        free(l.keys[i].v);
    arena_free(l.scratch);
    free(l.hex);
    return r;
}

int capture_read(struct json_reader *reader, struct store *store, struct arena *arena,
                 struct capture_reading *ret)
{
    unsigned objects = 0;
    int r;

    ret->complete = false;
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
    return 0;
}
