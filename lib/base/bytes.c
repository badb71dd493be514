/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bounds-checked cursor of bytes.h.
 */
#include "base/bytes.h"

#include <string.h>

struct cursor cursor_over(struct bytes bytes)
{
    return (struct cursor){ .data = bytes.data, .len = bytes.len };
}

size_t cursor_left(const struct cursor *c)
{
    return c->failed ? 0 : c->len - c->pos;
}

/* The next n bytes, or NULL with the failure noted. */
static const uint8_t *cursor_next(struct cursor *c, size_t n)
{
    const uint8_t *p;

    if (c->failed || c->len - c->pos < n) {
        c->failed = true;
        return NULL;
    }
    p = c->data + c->pos;
    c->pos += n;
    return p;
}

static uint64_t cursor_be(struct cursor *c, size_t n)
{
    const uint8_t *p = cursor_next(c, n);
    uint64_t value = 0;

    for (size_t i = 0; p && i < n; i++)
        value = value << 8 | p[i];
    return value;
}

uint8_t cursor_u8(struct cursor *c)
{
    return (uint8_t)cursor_be(c, 1);
}

uint16_t cursor_be16(struct cursor *c)
{
    return (uint16_t)cursor_be(c, 2);
}

uint32_t cursor_be24(struct cursor *c)
{
    return (uint32_t)cursor_be(c, 3);
}

uint32_t cursor_be32(struct cursor *c)
{
    return (uint32_t)cursor_be(c, 4);
}

uint64_t cursor_be64(struct cursor *c)
{
    return cursor_be(c, 8);
}

uint16_t cursor_le16(struct cursor *c)
{
    const uint8_t *p = cursor_next(c, 2);

    return p ? (uint16_t)(p[0] | p[1] << 8) : 0;
}

void cursor_skip(struct cursor *c, size_t n)
{
    cursor_next(c, n);
}

void cursor_seek(struct cursor *c, size_t pos)
{
    if (pos > c->len)
        c->failed = true;
    else
        c->pos = pos;
}

struct bytes cursor_take(struct cursor *c, size_t n)
{
    const uint8_t *p = cursor_next(c, n);

    return p ? (struct bytes){ p, n } : (struct bytes){ 0 };
}

struct bytes cursor_take_up_to(struct cursor *c, size_t n, bool *ret_short)
{
    size_t left = cursor_left(c), take = n < left ? n : left;
    struct bytes run = { take ? c->data + c->pos : NULL, take };

    if (!c->failed)
        c->pos += take;
    if (ret_short)
        *ret_short = take < n;
    return run;
}

uint8_t bytes_at(struct bytes b, size_t pos)
{
    return pos < b.len ? b.data[pos] : 0;
}

struct bytes bytes_slice(struct bytes b, size_t pos, size_t len)
{
    if (pos >= b.len)
        return (struct bytes){ 0 };
    return (struct bytes){ b.data + pos, len < b.len - pos ? len : b.len - pos };
}

bool bytes_equal(struct bytes a, struct bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}
