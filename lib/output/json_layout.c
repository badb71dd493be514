/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * JSON laid out (json_layout.h).
 */
#include "output/json_layout.h"

#include <stdbool.h>
#include <string.h>

/* The end of a string that begins there, behind its quotes. */
static size_t end_of_string(struct bytes json, size_t i)
{
    for (i++; i < json.len && json.data[i] != '"'; i++)
        i += json.data[i] == '\\';
    return i + 1;
}

/* Has an object nothing in it that has something in it? Then it stays on one line. */
static bool is_flat(struct bytes json, size_t i)
{
    if (json.data[i] != '{')
        return false;
    for (i++; i < json.len; i++) {
        if (json.data[i] == '"')
            i = end_of_string(json, i) - 1;
        else if (strchr("{[", json.data[i]))
            return false;
        else if (json.data[i] == '}')
            return true;
    }
    return false;
}

struct layout {
    FILE *out;
    unsigned depth;
    bool is_flat; /* within an object that stays on one line */
};

static void new_line(const struct layout *l)
{
    if (!l->is_flat)
        fprintf(l->out, "\n%*s", (int)l->depth * 2, "");
}

/* One sign outside of strings. `next` is the one behind it. */
static void put_sign(struct layout *l, struct bytes json, size_t i)
{
    const uint8_t c = json.data[i], next = bytes_at(json, i + 1);
    bool closes = c == '}' || c == ']', opens = c == '{' || c == '[';

    if (closes)
        l->depth--;
    if (closes && json.data[i - 1] != '{' && json.data[i - 1] != '[')
        new_line(l);
    putc_unlocked(c, l->out);
    if (opens) {
        l->depth++;
        l->is_flat = is_flat(json, i);
    }
    if ((opens && next != '}' && next != ']') || c == ',')
        new_line(l);
    if (c == ':' || (c == ',' && l->is_flat))
        putc_unlocked(' ', l->out);
    if (closes)
        l->is_flat = false;
}

void json_layout(struct bytes json, FILE *out)
{
    struct layout l = { .out = out };

    for (size_t i = 0, end; i < json.len; i = end) {
        end = json.data[i] == '"' ? end_of_string(json, i) : i + 1;
        if (json.data[i] == '"')
            fwrite_unlocked(json.data + i, 1, end - i, out);
        else if (!strchr(" \t\r\n", json.data[i]))
            put_sign(&l, json, i);
    }
}
