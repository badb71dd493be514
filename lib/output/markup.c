/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HTML as text (markup.h).
 */
#include "output/markup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* U+FFFE and U+FFFF. */
static bool is_no_character(const uint8_t *p, size_t n)
{
    return n == 3 && p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe;
}

void markup_text(const char *text, FILE *out)
{
    for (size_t left = text ? strlen(text) : 0, n; left; text += n, left -= n) {
        const uint8_t *p = (const uint8_t *)text;
        const char *entity = entity_of(*text);

        n = text_character(p, left);
        if (entity)
            fputs_unlocked(entity, out);
        else if (n && !text_is_command(p, n) && !is_no_character(p, n))
            fwrite_unlocked(text, 1, n, out);
        else
            fputs_unlocked("\xef\xbf\xbd", out);
        n = n ? n : 1;
    }
}

enum conversion { TEXT, INT, UNSIGNED, LONG, LONG_LONG, SIZE, PERCENT };

/* The conversion that begins behind a '%'; `*format` is moved behind it. */
static enum conversion conversion_at(const char **format)
{
    size_t longs = strspn(*format, "l"), sizes = strspn(*format, "z");
    char what = (*format)[longs + sizes];

    *format += longs + sizes + 1;
    if (what == 's')
        return TEXT;
    if (what == '%')
        return PERCENT;
    if (what == 'd')
        return INT;
    return sizes ? SIZE : longs == 2 ? LONG_LONG : longs ? LONG : UNSIGNED;
}

void markup(FILE *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    while (*format) {
        size_t plain = strcspn(format, "%");

        fwrite_unlocked(format, 1, plain, out);
        format += plain;
        if (!*format++)
            break;
        switch (conversion_at(&format)) {
        case TEXT:
            markup_text(va_arg(args, const char *), out);
            break;
        case INT:
            fprintf(out, "%d", va_arg(args, int));
            break;
        case UNSIGNED:
            fprintf(out, "%u", va_arg(args, unsigned));
            break;
        case LONG:
            fprintf(out, "%lu", va_arg(args, unsigned long));
            break;
        case LONG_LONG:
            fprintf(out, "%llu", va_arg(args, unsigned long long));
            break;
        case SIZE:
            fprintf(out, "%zu", va_arg(args, size_t));
            break;
        case PERCENT:
            putc_unlocked('%', out);
            break;
        }
    }
    va_end(args);
}

int markup_lines_begin(struct markup_lines *lines)
{
    *lines = (struct markup_lines){ 0 };
    lines->text = open_memstream(&lines->v, &lines->n);
    return lines->text ? 0 : -ENOMEM;
}

int markup_lines_end(struct markup_lines *lines, const char *element, FILE *out)
{
    int r = fclose(lines->text) == 0 ? 0 : -ENOMEM;
    char *rest = NULL;

    if (r == 0 && !element)
        markup_text(lines->v, out);
    for (char *line = r == 0 && element ? strtok_r(lines->v, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        markup(out, "<%s>%s</%s>\n", element, line, element);
    free(lines->v);
    *lines = (struct markup_lines){ 0 };
    return r;
}
