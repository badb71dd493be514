/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text in columns (table.h).
 */
#include "output/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/markup.h"

enum { GAP = 2, INDENT = 2, COLUMNS_MAX = 16 };

struct cell {
    const char *text; /* NULL: empty */
    enum colour colour;
};

struct row {
    struct cell *cells; /* NULL: a line */
    struct cell line;
};

struct table {
    const struct column *columns;
    size_t n_columns;
    struct arena *arena;
    VEC(struct row) rows;
};

struct table *table_free(struct table *t)
{
    if (!t)
        return NULL;
    arena_free(t->arena);
    free(t->rows.v);
    free(t);
    return NULL;
}

struct table *table_new(const struct column *columns, size_t n)
{
    struct table *t = n <= COLUMNS_MAX ? calloc(1, sizeof(*t)) : NULL;

    if (!t)
        return NULL;
    t->columns = columns;
    t->n_columns = n;
    t->arena = arena_new();
    return t->arena ? t : table_free(t);
}

int table_row(struct table *t)
{
    struct cell *cells = arena_new_array(t->arena, struct cell, t->n_columns);

    return cells ? vec_push(&t->rows, (struct row){ .cells = cells }) : -ENOMEM;
}

int table_cell(struct table *t, size_t column, enum colour colour, const char *text)
{
    char *copy = arena_strdup(t->arena, text);

    if (text && !copy)
        return -ENOMEM;
    t->rows.v[t->rows.n - 1].cells[column] = (struct cell){ copy, colour };
    return 0;
}

int table_cellf(struct table *t, size_t column, enum colour colour, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = arena_vprintf(t->arena, format, args);
    va_end(args);
    if (!text)
        return -ENOMEM;
    t->rows.v[t->rows.n - 1].cells[column] = (struct cell){ text, colour };
    return 0;
}

int table_line(struct table *t, enum colour colour, const char *text)
{
    char *copy = arena_strdup(t->arena, text);

    return copy ? vec_push(&t->rows, (struct row){ .line = { copy, colour } }) : -ENOMEM;
}

size_t table_rows(const struct table *t)
{
    return t->rows.n;
}

size_t text_width(const char *text)
{
    size_t n = 0;

    for (; text && *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void text_coloured(const struct text_style *style, enum colour colour, const char *text, FILE *out)
{
    static const char *const CODES[] = {
        [COLOUR_GOOD] = "\033[32m",
        [COLOUR_BAD] = "\033[1;31m",
        [COLOUR_DIM] = "\033[2m",
        [COLOUR_BOLD] = "\033[1m",
    };

    if (!style->colour || colour == COLOUR_NONE)
        fputs(text, out);
    else
        fprintf(out, "%s%s\033[0m", CODES[colour], text);
}

static void pad(size_t n, FILE *out)
{
    for (; n; n--)
        putc(' ', out);
}

/* Columns of one word of a sentence; what switches colours takes none. */
static size_t word_width(const char *word, size_t len)
{
    size_t n = 0;
    bool in_escape = false;

    for (size_t i = 0; i < len; i++) {
        in_escape |= word[i] == '\033';
        n += !in_escape && ((unsigned char)word[i] & 0xc0) != 0x80;
        in_escape &= word[i] != 'm';
    }
    return n;
}

/* How much further in a line goes on: behind the number of "1. text", else a little. */
static size_t further_in(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits && strncmp(text + digits, ". ", 2) == 0 ? digits + 2 : INDENT;
}

void text_wrapped(const struct text_style *style, const char *text, FILE *out)
{
    while (*text) {
        size_t indent = strspn(text, " "), column = indent, len, line = strcspn(text, "\n");
        bool broken = line && text[line - 1] == '\\';
        size_t further = indent + further_in(text + indent);

        pad(indent, out);
        for (text += indent; *text && *text != '\n'; text += len) {
            size_t spaces = strspn(text, " "), width;

            len = spaces + strcspn(text + spaces, " \n");
            width = spaces + word_width(text + spaces, len - spaces);
            if (style->columns && !broken && spaces && column + width > style->columns) {
                putc('\n', out);
                pad(further, out);
                text += spaces;
                len -= spaces;
                column = further;
                width -= spaces;
            }
            fwrite(text, 1, len, out);
            column += width;
        }
        putc('\n', out);
        text += *text == '\n';
    }
}

/* Widths of the columns as their cells want them; a column without any text has none. */
static void natural_widths(const struct table *t, const struct text_style *style, size_t *ret)
{
    bool filled;

    for (size_t c = 0; c < t->n_columns; c++) {
        ret[c] = 0;
        filled = false;
        for (size_t i = 0; i < t->rows.n; i++) {
            size_t width = t->rows.v[i].cells ? text_width(t->rows.v[i].cells[c].text) : 0;

            filled |= width > 0;
            ret[c] = width > ret[c] ? width : ret[c];
        }
        if (filled && t->columns[c].title && !style->no_legend &&
            text_width(t->columns[c].title) > ret[c])
            ret[c] = text_width(t->columns[c].title);
    }
}

static size_t total_width(const struct table *t, const size_t *widths)
{
    size_t total = 0;

    for (size_t c = 0; c < t->n_columns; c++)
        total += widths[c] ? widths[c] + (total ? GAP : 0) : 0;
    return total;
}

/* Cuts a column by as much as the table is too wide, but not below its least width. */
static void cut(const struct table *t, size_t columns, size_t *widths, size_t c)
{
    size_t total = total_width(t, widths), least = t->columns[c].least;

    if (total > columns && widths[c] > least)
        widths[c] = widths[c] - least > total - columns ? widths[c] - (total - columns) : least;
}

/* Columns that may go, the highest first: cut where that is enough, else dropped. */
static void give_way(const struct table *t, size_t columns, size_t *widths)
{
    unsigned level = 0;

    for (size_t c = 0; c < t->n_columns; c++)
        level = t->columns[c].drop > level ? t->columns[c].drop : level;
    for (; level; level--)
        for (size_t c = 0; c < t->n_columns && total_width(t, widths) > columns; c++) {
            if (t->columns[c].drop != level)
                continue;
            if (t->columns[c].least)
                cut(t, columns, widths, c);
            if (total_width(t, widths) > columns)
                widths[c] = 0;
        }
}

/* Of those that are never dropped the widest is cut by one, until the table fits or nothing more can go. */
static void cut_widest(const struct table *t, size_t columns, size_t *widths)
{
    while (total_width(t, widths) > columns) {
        size_t widest = t->n_columns;

        for (size_t c = 0; c < t->n_columns; c++)
            if (t->columns[c].least && widths[c] > t->columns[c].least &&
                (widest == t->n_columns || widths[c] > widths[widest]))
                widest = c;
        if (widest == t->n_columns)
            return;
        widths[widest]--;
    }
}

static void fit(const struct table *t, size_t columns, size_t *widths)
{
    size_t wanted[COLUMNS_MAX];

    if (!columns)
        return;
    memcpy(wanted, widths, sizeof(wanted));
    give_way(t, columns, widths);
    cut_widest(t, columns, widths);
    for (size_t c = 0; c < t->n_columns; c++) {
        size_t total = total_width(t, widths), room = columns > total ? columns - total : 0;

        if (widths[c] && widths[c] < wanted[c])
            widths[c] += wanted[c] - widths[c] < room ? wanted[c] - widths[c] : room;
    }
}

/* The first `width` columns of the text, its last one a sign that there was more where it is cut. */
static void print_cut(const struct text_style *style, enum colour colour, const char *text,
                      size_t width, FILE *out)
{
    const char *end = text;
    char *cut = NULL;

    for (size_t n = 0; n + 1 < width && *end; n++)
        do
            end++;
        while (((unsigned char)*end & 0xc0) == 0x80);
    if (asprintf(&cut, "%.*s%s", (int)(end - text), text, style->utf8 ? "…" : "~") >= 0)
        text_coloured(style, colour, cut, out);
    free(cut);
}

/* The text in lines of at most `width` columns where its spaces allow that, all below each other. */
static void print_wrapped(const struct text_style *style, enum colour colour, const char *text,
                          size_t width, size_t indent, FILE *out)
{
    size_t column = 0;

    while (*text) {
        size_t spaces = strspn(text, " "), len = spaces + strcspn(text + spaces, " ");
        char *word = strndup(text + (column ? 0 : spaces), len - (column ? 0 : spaces));

        if (word && column && column + text_width(word) > width) {
            putc('\n', out);
            pad(indent, out);
            column = 0;
            memmove(word, word + spaces, strlen(word + spaces) + 1);
        }
        text_coloured(style, colour, word ? word : "", out);
        column += text_width(word);
        text += len;
        free(word);
    }
}

static void print_cell(const struct text_style *style, const struct column *column,
                       const struct cell *cell, size_t width, size_t indent, bool last, FILE *out)
{
    const char *text = cell->text ? cell->text : "";
    size_t own = text_width(text);

    if (own > width && column->wraps) {
        print_wrapped(style, cell->colour, text, width, indent, out);
        return;
    }
    if (own > width) {
        print_cut(style, cell->colour, text, width, out);
        return;
    }
    if (column->right)
        pad(width - own, out);
    text_coloured(style, cell->colour, text, out);
    if (!column->right && !last)
        pad(width - own, out);
}

static void print_row(const struct table *t, const struct cell *cells, const size_t *widths,
                      const struct text_style *style, FILE *out)
{
    size_t last = 0, gap = 0, indent = 0;

    for (size_t c = 0; c < t->n_columns; c++)
        if (widths[c] && cells[c].text && *cells[c].text)
            last = c;
    for (size_t c = 0; c <= last; c++) {
        if (!widths[c])
            continue;
        pad(gap, out);
        indent += gap;
        print_cell(style, &t->columns[c], &cells[c], widths[c], indent, c == last, out);
        indent += widths[c];
        gap = GAP;
    }
    putc('\n', out);
}

void table_print(const struct table *t, const struct text_style *style, FILE *out)
{
    size_t widths[COLUMNS_MAX] = { 0 };
    struct cell titles[COLUMNS_MAX] = { 0 };
    bool has_titles = false;

    natural_widths(t, style, widths);
    fit(t, style->columns, widths);
    for (size_t c = 0; c < t->n_columns; c++) {
        titles[c] = (struct cell){ t->columns[c].title, COLOUR_BOLD };
        has_titles |= t->columns[c].title != NULL;
    }
    if (has_titles && t->rows.n && !style->no_legend)
        print_row(t, titles, widths, style, out);
    for (size_t i = 0; i < t->rows.n; i++) {
        if (t->rows.v[i].cells) {
            print_row(t, t->rows.v[i].cells, widths, style, out);
            continue;
        }
        if (style->columns && text_width(t->rows.v[i].line.text) > style->columns)
            print_cut(style, t->rows.v[i].line.colour, t->rows.v[i].line.text, style->columns, out);
        else
            text_coloured(style, t->rows.v[i].line.colour, t->rows.v[i].line.text, out);
        putc('\n', out);
    }
}

static void html_cell(const struct table *t, const struct cell *c, size_t column, bool is_head,
                      FILE *out)
{
    static const char *const CLASSES[] = { [COLOUR_NONE] = "",
                                           [COLOUR_GOOD] = " good",
                                           [COLOUR_BAD] = " bad",
                                           [COLOUR_DIM] = " dim",
                                           [COLOUR_BOLD] = " bold" };
    const char *right = t->columns[column].right ? "r" : "l", *colour = CLASSES[c->colour];

    if (is_head)
        markup(out, "<th scope=\"row\">%s</th>", c->text);
    else
        markup(out, "<td class=\"%s%s\">%s</td>", right, colour, c->text);
}

void table_html(const struct table *t, FILE *out)
{
    static const struct text_style PLAIN = { .utf8 = true };
    size_t widths[COLUMNS_MAX] = { 0 };

    natural_widths(t, &PLAIN, widths);
    fputs("<table><thead><tr>", out);
    for (size_t c = 0; c < t->n_columns; c++)
        if (widths[c])
            markup(out, "<th scope=\"col\" class=\"%s\">%s</th>", t->columns[c].right ? "r" : "l",
                   t->columns[c].title);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct row *row = &t->rows.v[i];
        bool is_head = true;

        fputs("<tr>", out);
        for (size_t c = 0; row->cells && c < t->n_columns; c++) {
            if (!widths[c])
                continue;
            html_cell(t, &row->cells[c], c, is_head && *t->columns[c].title, out);
            is_head &= !*t->columns[c].title;
        }
        if (!row->cells)
            markup(out, "<td colspan=\"%zu\">%s</td>", t->n_columns, row->line.text);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}
