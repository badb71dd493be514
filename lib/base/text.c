/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text helpers (text.h).
 */
#include "base/text.h"

#include <string.h>

size_t text_character(const uint8_t *p, size_t left)
{
    uint8_t low = 0x80, high = 0xbf;
    size_t n;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (left < n)
        return 0;
    if (p[0] == 0xe0)
        low = 0xa0;
    else if (p[0] == 0xed)
        high = 0x9f;
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

/* How many bytes are ASCII for sure: looked at eight at once, so perhaps not all that are. */
static size_t ascii_run(const uint8_t *p, size_t left)
{
    size_t n = 0;

    for (uint64_t x; left - n >= sizeof(x); n += sizeof(x)) {
        memcpy(&x, p + n, sizeof(x));
        if (x & 0x8080808080808080)
            break;
    }
    return n;
}

bool text_is_utf8(struct bytes b)
{
    for (size_t i = 0, n; i < b.len; i += n) {
        n = ascii_run(b.data + i, b.len - i);
        if (n)
            continue;
        n = text_character(b.data + i, b.len - i);
        if (n == 0)
            return false;
    }
    return true;
}

bool text_is_plain(struct bytes b)
{
    return (b.len == 0 || !memchr(b.data, '\0', b.len)) && text_is_utf8(b);
}

bool text_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool text_same_known(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

bool text_starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool text_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && memcmp(text + n - m, end, m) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

char *text_trimmed(struct arena *a, const char *text, size_t len)
{
    while (len && is_space(text[len - 1]))
        len--;
    return arena_strndup(a, text, len);
}

char *text_clean(struct arena *a, struct bytes field)
{
    const char *text = (const char *)field.data;
    size_t len = field.len;
    char *clean;

    while (len && is_space(text[len - 1]))
        len--;
    while (len && is_space(*text)) {
        text++;
        len--;
    }
    clean = arena_strndup(a, len ? text : "", len);
    for (size_t i = 0; clean && i < len; i++)
        if (clean[i] < 0x20 || clean[i] > 0x7e)
            clean[i] = '?';
    return clean;
}

const char *path_last(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Length of a sequence that may stay (ECMA-48 8.3.117): colours, bold, faint and their end, but nothing that
 * hides text; 0 where there is none. */
static size_t colour_sequence(const char *text)
{
    static const char *const KEPT[] = { "\033[0m",  "\033[1m",  "\033[2m",    "\033[31m",
                                        "\033[32m", "\033[33m", "\033[1;31m", "\033[1;33m" };

    for (size_t i = 0; *text == '\033' && i < sizeof(KEPT) / sizeof(*KEPT); i++)
        if (text_starts_with(text, KEPT[i]))
            return strlen(KEPT[i]);
    return 0;
}

/* U+202A to U+202E and U+2066 to U+2069 turn the order of what follows around, the marks U+200E, U+200F and U+061C that of what is
 * beside them (UAX #9). U+2028 and U+2029 end a line, or a paragraph (UAX #14). */
static bool moves_text(const uint8_t *p, size_t n)
{
    bool is_mark = n == 2 && p[0] == 0xd8 && p[1] == 0x9c;

    return is_mark || (n == 3 && p[0] == 0xe2 &&
                       ((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
                        (p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f)) ||
                        (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)));
}

bool text_is_command(const uint8_t *p, size_t n)
{
    bool c0 = n == 1 && ((p[0] < 0x20 && p[0] != '\n') || p[0] == 0x7f);
    bool c1 = n == 2 && p[0] == 0xc2 && p[1] < 0xa0; /* U+0080 to U+009F */

    return c0 || c1 || moves_text(p, n);
}

void text_for_terminal(char *text, bool has_colours)
{
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        const uint8_t *p = (const uint8_t *)text;
        size_t colour = has_colours ? colour_sequence(text) : 0;

        n = colour ? colour : text_character(p, left);
        if (!colour && (n == 0 || text_is_command(p, n))) {
            n = n ? n : 1;
            memset(text, '?', n);
        }
    }
}
