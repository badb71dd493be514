/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of a configuration file (lines.h).
 */
#include "config/lines.h"

#include <string.h>

#include "config/config.h"

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

/* The next line as it stands in the file, without its end; false at the end of the text. */
static bool take(struct config_lines *l, struct bytes *ret)
{
    struct bytes rest = bytes_slice(l->text, l->pos, l->text.len);
    const uint8_t *end = rest.len ? memchr(rest.data, '\n', rest.len) : NULL;
    size_t len = end ? (size_t)(end - rest.data) : rest.len;

    if (!rest.len)
        return false;
    l->pos += len + (end != NULL);
    l->number++;
    if (len && rest.data[len - 1] == '\r')
        len--;
    *ret = bytes_slice(rest, 0, len);
    return true;
}

static struct bytes without_blanks_before(struct bytes b)
{
    size_t n = 0;

    while (n < b.len && is_blank(b.data[n]))
        n++;
    return bytes_slice(b, n, b.len);
}

/* Ends it in a backslash that is not itself behind one? */
static bool goes_on(struct bytes b)
{
    size_t n = 0;

    while (n < b.len && b.data[b.len - 1 - n] == '\\')
        n++;
    return n % 2 == 1;
}

/* Adds a part, a blank before it where something is there already. What is too long is cut. */
static int join(struct config_lines *l, struct bytes part, struct config_line *line)
{
    size_t room = CONFIG_LINE_BYTES - l->joined.n;

    while (part.len && is_blank(part.data[part.len - 1]))
        part.len--;
    if (!part.len)
        return 0;
    if (vec_reserve(&l->joined, part.len + 1) < 0)
        return -ENOMEM;
    if (l->joined.n && room) {
        l->joined.v[l->joined.n++] = ' ';
        room--;
    }
    if (part.len > room) {
        line->is_too_long = true;
        part.len = room;
    }
    memcpy(l->joined.v + l->joined.n, part.data, part.len);
    l->joined.n += part.len;
    return 0;
}

int config_lines_next(struct config_lines *l, struct config_line *ret)
{
    struct config_line line = { 0 };
    struct bytes part;
    bool more = false;

    l->joined.n = 0;
    while ((more || !l->joined.n) && take(l, &part)) {
        part = without_blanks_before(part);
        if (bytes_at(part, 0) == '#' || bytes_at(part, 0) == ';')
            continue;
        if (!l->joined.n && !more)
            line = (struct config_line){ .number = l->number };
        more = goes_on(part);
        if (more)
            part.len--;
        if (join(l, part, &line) < 0)
            return -ENOMEM;
    }
    if (!l->joined.n)
        return 0;
    line.len = l->joined.n;
    if (vec_push(&l->joined, '\0') < 0)
        return -ENOMEM;
    line.text = l->joined.v;
    *ret = line;
    return 1;
}
