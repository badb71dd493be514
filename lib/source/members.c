/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading JSON objects member by member (members.h).
 */
#include "source/members.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "source/errno_name.h"
#include "source/capture.h"

int members_wrong(struct members *m, const char *format, ...)
{
    const char *path = arena_strdup(m->arena, m->where[0] ? m->where[0] : "top level");
    va_list args;

    for (size_t i = 1; path && m->where[0] && i < ELEMENTS(m->where) && m->where[i]; i++)
        path = arena_printf(m->arena, "%s.%s", path, m->where[i]);
    va_start(args, format);
    m->why = arena_vprintf(m->arena, format, args);
    va_end(args);
    m->path = path;
    return m->why && path ? -EBADMSG : -ENOMEM;
}

int members_next(struct members *m)
{
    int r = json_next(m->json, &m->token);

    if (r == -EBADMSG)
        return members_wrong(m, "not JSON: %s", json_reader_error(m->json));
    return r;
}

int members_expect(struct members *m, enum json_event event, const char *what)
{
    int r = members_next(m);

    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    return m->token.event == event ? 0 : members_wrong(m, "%s expected", what);
}

int members_enter(struct members *m, unsigned depth, struct bytes name)
{
    int r;

    m->keys[depth].n = 0;
    r = vec_reserve(&m->keys[depth], name.len + 1);
    if (r < 0)
        return r;
    memcpy(m->keys[depth].v, name.data, name.len);
    m->keys[depth].v[name.len] = '\0';
    m->where[depth] = m->keys[depth].v;
    return 0;
}

/* Goes to the next key of the object under way. Returns 1 with it in where[depth], 0 at the object's
 * end. */
int members_next_key(struct members *m, unsigned depth)
{
    int r;

    m->where[depth] = NULL;
    r = members_next(m);
    if (r <= 0)
        return r < 0 ? r : -ENODATA;
    if (m->token.event == JSON_EVENT_OBJECT_END)
        return 0;
    if (memchr(m->token.text.data, '\0', m->token.text.len))
        return members_wrong(m, "a key holds a NUL");
    r = members_enter(m, depth, m->token.text);
    return r < 0 ? r : 1;
}

int members_take_text(struct members *m, struct bytes *ret)
{
    int r = members_expect(m, JSON_EVENT_STRING, "text");

    if (r < 0)
        return r;
    if (!text_is_plain(m->token.text))
        return members_wrong(m, "text holds a NUL");
    *ret = m->token.text;
    return 0;
}

static int take_kept_text(struct members *m, const char **ret)
{
    struct bytes text = { 0 };
    int r = members_take_text(m, &text);

    if (r < 0)
        return r;
    *ret = arena_strndup(m->scratch, (const char *)text.data, text.len);
    return *ret ? 0 : -ENOMEM;
}

int members_take_number(struct members *m, uint64_t max, uint64_t *ret)
{
    int r = members_expect(m, JSON_EVENT_INTEGER, "a whole number");

    if (r < 0)
        return r;
    if (m->token.integer < 0 || (uint64_t)m->token.integer > max)
        return members_wrong(m, "number out of range");
    *ret = (uint64_t)m->token.integer;
    return 0;
}

int members_take_hex(struct members *m, struct bytes *ret)
{
    struct bytes text = { 0 };
    int64_t n;
    int r = members_take_text(m, &text);

    if (r < 0)
        return r;
    if (!m->hex)
        m->hex = malloc(CAPTURE_VALUE_MAX);
    if (!m->hex)
        return -ENOMEM;
    n = hex_decode((const char *)text.data, text.len, m->hex, CAPTURE_VALUE_MAX);
    if (n < 0)
        return members_wrong(m, n == -E2BIG ? "more than 512 KiB of hex" : "not hex");
    *ret = (struct bytes){ m->hex, (size_t)n };
    return 0;
}

static int take_kept_hex(struct members *m, struct bytes *ret)
{
    struct bytes found = { 0 };
    int r = members_take_hex(m, &found);

    if (r < 0)
        return r;
    *ret = arena_bytes(m->scratch, found);
    return ret->data ? 0 : -ENOMEM;
}

int members_take_errno(struct members *m, int *ret)
{
    struct bytes text = { 0 };
    char name[32];
    int r = members_take_text(m, &text);

    if (r < 0)
        return r;
    if (!text.len || text.len >= sizeof(name))
        return members_wrong(m, "unknown errno name");
    memcpy(name, text.data, text.len);
    name[text.len] = '\0';
    r = errno_from_name(name);
    if (r < 0)
        return members_wrong(m, "unknown errno name %s", name);
    *ret = r;
    return 0;
}

static int take_member(struct members *m, const struct member *member, void *target)
{
    void *place = (char *)target + member->offset;
    int r;

    switch (member->type) {
    case MEMBER_TEXT:
        return take_kept_text(m, place);
    case MEMBER_HEX:
        return take_kept_hex(m, place);
    case MEMBER_NUMBER:
        return members_take_number(m, member->max, place);
    case MEMBER_ERRNO:
        return members_take_errno(m, place);
    case MEMBER_FLAG:
        r = members_next(m);
        if (r <= 0)
            return r < 0 ? r : -ENODATA;
        if (m->token.event != JSON_EVENT_TRUE && m->token.event != JSON_EVENT_FALSE)
            return members_wrong(m, "true or false expected");
        *(bool *)place = m->token.event == JSON_EVENT_TRUE;
        return 0;
    }
    return -EINVAL;
}

/* Fills `target` from the object that comes now. `*ret_seen` has a bit for each member that was there.
 * Unknown members are skipped. */
int members_read(struct members *m, unsigned depth, const struct member *members, size_t n,
                 void *target, unsigned *ret_seen)
{
    unsigned seen = 0;
    size_t i;
    int r = 0;

    while (r >= 0 && (r = members_next_key(m, depth)) > 0) {
        for (i = 0; i < n && strcmp(members[i].name, m->where[depth]) != 0; i++)
            ;
        if (i == n) {
            r = members_next(m);
            if (r == 0)
                r = -ENODATA;
            if (r > 0)
                r = json_skip(m->json, &m->token);
            if (r == -EBADMSG)
                r = members_wrong(m, "not JSON: %s", json_reader_error(m->json));
            continue;
        }
        if (seen & 1u << i)
            return members_wrong(m, "is there twice");
        seen |= 1u << i;
        r = take_member(m, &members[i], target);
    }
    for (i = 0; r >= 0 && i < n; i++)
        if (members[i].required && !(seen & 1u << i))
            return members_wrong(m, "has no %s", members[i].name);
    if (ret_seen)
        *ret_seen = seen;
    return r;
}

int members_init(struct members *m, struct json_reader *json, struct arena *arena)
{
    *m = (struct members){ .json = json, .arena = arena, .scratch = arena_new() };
    return m->scratch ? 0 : -ENOMEM;
}

void members_done(struct members *m)
{
    for (size_t i = 0; i < ELEMENTS(m->keys); i++)
        free(m->keys[i].v);
    arena_free(m->scratch);
    free(m->hex);
}
