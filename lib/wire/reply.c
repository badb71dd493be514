/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replies, and values in them (reply.h).
 */
#include "wire/reply.h"

#include <errno.h>
#include <string.h>

#include "base/json_read.h"

/* The reader's own complaints are all one here. */
static int complaint(int r)
{
    return r == -ENODATA ? -EBADMSG : r;
}

/* A value that is read: where it begins and ends. White space is before it, and the ':' of a member or the ',' of an
 * element. */
static struct bytes value_between(struct bytes text, uint64_t begin, uint64_t end)
{
    while (begin < end && strchr(" \t\r\n:,", text.data[begin]))
        begin++;
    return bytes_slice(text, (size_t)begin, (size_t)(end - begin));
}

/* Reads the next value whole. `*ret_event` is what it begins with: the end of what it is in, where none is left. */
static int next_value(struct json_reader *json, struct bytes text, struct bytes *ret,
                      enum json_event *ret_event)
{
    uint64_t begin = json_reader_offset(json);
    struct json_token t;
    int r = json_next(json, &t);

    if (r <= 0)
        return r < 0 ? complaint(r) : -EBADMSG;
    *ret_event = t.event;
    if (t.event == JSON_EVENT_ARRAY_END || t.event == JSON_EVENT_OBJECT_END)
        return 0;
    r = json_skip(json, &t);
    if (r < 0)
        return complaint(r);
    *ret = value_between(text, begin, json_reader_offset(json));
    return 0;
}

/* Begins with the text of an object or an array. */
static int open_text(struct bytes text, enum json_event begin, struct json_reader **ret)
{
    struct json_reader *json = json_reader_over(text);
    struct json_token t;
    int r = json ? json_next(json, &t) : -ENOMEM;

    if (r > 0 && t.event == begin) {
        *ret = json;
        return 0;
    }
    json_reader_free(json);
    return r < 0 ? complaint(r) : -EBADMSG;
}

/* Nothing but white space may follow. */
static int close_text(struct json_reader *json)
{
    struct json_token t;
    int r = json_next(json, &t);

    return r > 0 ? -EBADMSG : complaint(r);
}

int varlink_each_member(struct bytes object,
                        int (*each)(void *userdata, struct bytes name, struct bytes value),
                        void *userdata)
{
    _cleanup_(json_reader_freep) struct json_reader *json = NULL;
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct json_token t;
    int r = arena ? open_text(object, JSON_EVENT_OBJECT_BEGIN, &json) : -ENOMEM;

    while (r == 0 && (r = json_next(json, &t)) > 0 && t.event == JSON_EVENT_KEY) {
        struct bytes name = arena_bytes(arena, t.text), value = { 0 };
        enum json_event event = JSON_EVENT_END;

        r = name.data ? next_value(json, object, &value, &event) : -ENOMEM;
        if (r == 0)
            r = each(userdata, name, event == JSON_EVENT_NULL ? (struct bytes){ 0 } : value);
        arena_clear(arena);
    }
    if (r < 0)
        return complaint(r);
    return r == 0 ? -EBADMSG : close_text(json);
}

struct finding_members {
    const char *const *names;
    size_t n;
    struct bytes *ret;
    uint64_t seen; /* a bit each */
};

static int take_member(void *userdata, struct bytes name, struct bytes value)
{
    struct finding_members *f = userdata;

    for (size_t i = 0; i < f->n; i++) {
        if (name.len != strlen(f->names[i]) || memcmp(name.data, f->names[i], name.len) != 0)
            continue;
        if (f->seen & UINT64_C(1) << i)
            return -EBADMSG;
        f->seen |= UINT64_C(1) << i;
        f->ret[i] = value;
    }
    return 0;
}

int varlink_members(struct bytes object, const char *const *names, size_t n, struct bytes *ret)
{
    struct finding_members f = { names, n, ret, 0 };

    for (size_t i = 0; i < n; i++)
        ret[i] = (struct bytes){ 0 };
    return varlink_each_member(object, take_member, &f);
}

static int walk_elements(struct bytes array, int (*each)(void *userdata, struct bytes element),
                         void *userdata)
{
    _cleanup_(json_reader_freep) struct json_reader *json = NULL;
    int r = open_text(array, JSON_EVENT_ARRAY_BEGIN, &json);

    while (r == 0) {
        struct bytes element = { 0 };
        enum json_event event = JSON_EVENT_END;

        r = next_value(json, array, &element, &event);
        if (r == 0 && event == JSON_EVENT_ARRAY_END)
            return close_text(json);
        if (r == 0 && each)
            r = each(userdata, element);
    }
    return r;
}

int varlink_elements(struct bytes array, int (*each)(void *userdata, struct bytes element),
                     void *userdata)
{
    int r = array.len ? walk_elements(array, NULL, NULL) : 0;

    return r < 0 || !array.len ? r : walk_elements(array, each, userdata);
}

/* The one token of a text. Its bytes are gone with the reader. */
static int one_token(struct bytes text, struct json_reader **ret_json, struct json_token *ret)
{
    *ret_json = json_reader_over(text);
    if (!*ret_json)
        return -ENOMEM;
    return complaint(json_next(*ret_json, ret));
}

int varlink_string(struct bytes text, struct arena *arena, const char **ret)
{
    _cleanup_(json_reader_freep) struct json_reader *json = NULL;
    struct json_token t;
    const char *value;
    int r;

    if (!text.len) {
        *ret = NULL;
        return 0;
    }
    r = one_token(text, &json, &t);
    if (r < 0)
        return r;
    if (t.event != JSON_EVENT_STRING || (t.text.len && memchr(t.text.data, '\0', t.text.len)))
        return -EBADMSG;
    value = arena_strndup(arena, (const char *)t.text.data, t.text.len);
    if (!value)
        return -ENOMEM;
    r = close_text(json);
    if (r == 0)
        *ret = value;
    return r;
}

int varlink_count(struct bytes text, uint64_t *ret)
{
    _cleanup_(json_reader_freep) struct json_reader *json = NULL;
    struct json_token t;
    int r;

    if (!text.len) {
        *ret = 0;
        return 0;
    }
    r = one_token(text, &json, &t);
    if (r < 0)
        return r;
    if (t.event != JSON_EVENT_INTEGER || t.integer < 0)
        return -EBADMSG;
    *ret = (uint64_t)t.integer;
    return close_text(json);
}

int varlink_parse_reply(struct bytes text, struct arena *arena, struct varlink_reply *ret)
{
    enum { PARAMETERS, ERROR, CONTINUES, MEMBERS };
    static const char *const NAMES[MEMBERS] = { "parameters", "error", "continues" };
    struct bytes found[MEMBERS] = { 0 };
    struct varlink_reply reply;
    int r = varlink_members(text, NAMES, MEMBERS, found);

    if (r < 0)
        return r;
    reply.parameters = found[PARAMETERS];
    if (reply.parameters.len && reply.parameters.data[0] != '{')
        return -EBADMSG;
    reply.continues = found[CONTINUES].len && found[CONTINUES].data[0] == 't';
    if (found[CONTINUES].len && !strchr("tf", found[CONTINUES].data[0]))
        return -EBADMSG;
    r = varlink_string(found[ERROR], arena, &reply.error);
    if (r == 0)
        *ret = reply;
    return r;
}

static int print_piece(void *userdata, struct bytes element)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    const char *text = NULL;
    int r = arena ? varlink_string(element, arena, &text) : -ENOMEM;

    if (r == 0 && !text)
        r = -EBADMSG;
    if (r == 0)
        fputs(text, userdata);
    return r;
}

int varlink_print_text(struct bytes pieces, FILE *out)
{
    return varlink_elements(pieces, print_piece, out);
}

const char *varlink_failure(int error)
{
    switch (error) {
    case -ENOENT:
    case -ECONNREFUSED:
        return "is not running";
    case -ETIMEDOUT:
        return "does not answer";
    case -ECONNRESET:
        return "closed the connection";
    case -EBADMSG:
        return "answers with what is no Varlink";
    case -EMSGSIZE:
        return "answers with more than can be read";
    default:
        return NULL;
    }
}
