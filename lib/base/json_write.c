/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The JSON writer of json_write.h.
 */
#include "base/json_write.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

struct json_writer json_writer(FILE *out, bool pretty)
{
    return (struct json_writer){ .out = out, .pretty = pretty };
}

static void put(const struct json_writer *w, char c)
{
    putc_unlocked(c, w->out);
}

static bool on_lines(const struct json_writer *w)
{
    return w->pretty && (w->compact == 0 || w->depth < w->compact);
}

static void new_line(const struct json_writer *w)
{
    put(w, '\n');
    for (unsigned i = 0; i < w->depth; i++)
        fputs_unlocked("  ", w->out);
}

/* What stands between this value (or key) and what came before it. */
static void separate(struct json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->need_comma)
        put(w, ',');
    if (w->depth && on_lines(w))
        new_line(w);
    else if (w->need_comma && w->pretty)
        put(w, ' ');
    w->need_comma = true;
}

static void begin(struct json_writer *w, char bracket, bool one_line)
{
    separate(w);
    put(w, bracket);
    w->depth++;
    if (one_line && w->compact == 0)
        w->compact = w->depth;
    w->need_comma = false;
}

static void end(struct json_writer *w, char bracket)
{
    bool empty = !w->need_comma, lines = on_lines(w);

    if (w->compact == w->depth)
        w->compact = 0;
    w->depth--;
    if (!empty && lines)
        new_line(w);
    put(w, bracket);
    w->need_comma = true;
}

void json_write_begin_object(struct json_writer *w)
{
    begin(w, '{', false);
}

void json_write_end_object(struct json_writer *w)
{
    end(w, '}');
}

void json_write_begin_array(struct json_writer *w)
{
    begin(w, '[', false);
}

void json_write_end_array(struct json_writer *w)
{
    end(w, ']');
}

void json_write_begin_object_on_one_line(struct json_writer *w)
{
    begin(w, '{', true);
}

void json_write_begin_array_on_one_line(struct json_writer *w)
{
    begin(w, '[', true);
}

static void escape(const struct json_writer *w, unsigned c)
{
    switch (c) {
    case '"':
        fputs_unlocked("\\\"", w->out);
        break;
    case '\\':
        fputs_unlocked("\\\\", w->out);
        break;
    case '\n':
        fputs_unlocked("\\n", w->out);
        break;
    case '\t':
        fputs_unlocked("\\t", w->out);
        break;
    default:
        fprintf(w->out, "\\u%04x", c);
    }
}

static bool must_be_escaped(uint8_t c)
{
    return c < 0x20 || c == '"' || c == '\\' || c == 0x7f;
}

/* The length of the character of more than one byte at that place, where a terminal would obey it instead of showing it (all of these
 * have two or three: base/text.h), and its code; else 0. */
static size_t command_at(struct bytes text, size_t i, unsigned *ret_code)
{
    const uint8_t *p = text.data + i;
    size_t n = p[0] == 0xe2 ? 3 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : 0;

    if (!n || n > text.len - i || !text_is_command(p, n))
        return 0;
    *ret_code = n == 2 ? (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu)
                       : (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    return n;
}

/* Text that may hold bytes which are not UTF-8: each becomes U+FFFD. */
static void quote_dirty(const struct json_writer *w, struct bytes text)
{
    unsigned code;

    for (size_t i = 0, n; i < text.len; i += n) {
        for (n = 1; n <= 4 && !text_is_utf8(bytes_slice(text, i, n));)
            n++;
        if (n > 4) {
            fputs_unlocked("\xef\xbf\xbd", w->out);
            n = 1;
        } else if (n == 1 && must_be_escaped(text.data[i])) {
            escape(w, text.data[i]);
        } else if (n > 1 && command_at(text, i, &code)) {
            escape(w, code);
        } else {
            fwrite_unlocked(text.data + i, 1, n, w->out);
        }
    }
}

static void quote(const struct json_writer *w, struct bytes text)
{
    size_t start = 0;

    put(w, '"');
    if (!text_is_utf8(text)) {
        quote_dirty(w, text);
        start = text.len;
    }
    for (size_t i = start; i < text.len; i++) {
        unsigned code = text.data[i];
        size_t n = must_be_escaped(text.data[i]) ? 1 : command_at(text, i, &code);

        if (!n)
            continue;
        fwrite_unlocked(text.data + start, 1, i - start, w->out);
        escape(w, code);
        start = i + n;
        i += n - 1;
    }
    if (start < text.len)
        fwrite_unlocked(text.data + start, 1, text.len - start, w->out);
    put(w, '"');
}

void json_write_string_bytes(struct json_writer *w, struct bytes text)
{
    separate(w);
    quote(w, text);
}

void json_write_string(struct json_writer *w, const char *text)
{
    if (text)
        json_write_string_bytes(w, (struct bytes){ (const uint8_t *)text, strlen(text) });
    else
        json_write_null(w);
}

void json_write_key_bytes(struct json_writer *w, struct bytes key)
{
    json_write_string_bytes(w, key);
    put(w, ':');
    if (w->pretty)
        put(w, ' ');
    w->after_key = true;
}

void json_write_key(struct json_writer *w, const char *key)
{
    json_write_key_bytes(w, (struct bytes){ (const uint8_t *)key, strlen(key) });
}

void json_write_u64(struct json_writer *w, uint64_t value)
{
    separate(w);
    fprintf(w->out, "%" PRIu64, value);
}

void json_write_i64(struct json_writer *w, int64_t value)
{
    separate(w);
    fprintf(w->out, "%" PRId64, value);
}

void json_write_decimal(struct json_writer *w, uint64_t value, unsigned digits)
{
    uint64_t unit = 1;

    for (unsigned i = 0; i < digits; i++)
        unit *= 10;
    for (; digits > 1 && value % 10 == 0; digits--) {
        value /= 10;
        unit /= 10;
    }
    separate(w);
    if (digits == 0)
        fprintf(w->out, "%" PRIu64 ".0", value);
    else
        fprintf(w->out, "%" PRIu64 ".%0*" PRIu64, value / unit, (int)digits, value % unit);
}

void json_write_bool(struct json_writer *w, bool value)
{
    separate(w);
    fputs_unlocked(value ? "true" : "false", w->out);
}

void json_write_null(struct json_writer *w)
{
    separate(w);
    fputs_unlocked("null", w->out);
}

void json_write_hex(struct json_writer *w, struct bytes bytes, bool spaced)
{
    static const char DIGITS[] = "0123456789abcdef";

    separate(w);
    put(w, '"');
    for (size_t i = 0; i < bytes.len; i++) {
        if (i && spaced)
            put(w, ' ');
        put(w, DIGITS[bytes.data[i] >> 4]);
        put(w, DIGITS[bytes.data[i] & 0xf]);
    }
    put(w, '"');
}

void json_write_text_member(struct json_writer *w, const char *key, const char *text)
{
    json_write_key(w, key);
    json_write_string(w, text);
}

void json_write_u64_member(struct json_writer *w, const char *key, uint64_t value)
{
    json_write_key(w, key);
    json_write_u64(w, value);
}

void json_write_bool_member(struct json_writer *w, const char *key, bool value)
{
    json_write_key(w, key);
    json_write_bool(w, value);
}
