/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text in columns that fits the width it is given: columns that matter least are cut where that is enough, else they
 * go; then the widest of the others are cut. What room is left is given back.
 */
#pragma once

#include "output/output.h"

enum colour { COLOUR_NONE, COLOUR_GOOD, COLOUR_BAD, COLOUR_DIM, COLOUR_BOLD };

struct column {
    const char *title; /* NULL in tables without a head */
    bool right;        /* numbers: aligned at the right */
    bool wraps;        /* the last one only: goes on in the next line instead of being cut */
    unsigned drop;     /* left out when there is no room, the highest first; 0: never */
    unsigned least;    /* cut to this width at the least; 0: never cut */
};

struct table;

/* A table of these columns, which must outlive it; NULL without memory. */
struct table *table_new(const struct column *columns, size_t n);
struct table *table_free(struct table *t);
DEFINE_CLEANUP(struct table, table_free)

/* Begins a row. Its cells are set one by one; one that is not set is empty. Returns 0 or -ENOMEM. */
int table_row(struct table *t);

/* Sets a cell of the last row; text is copied, NULL is empty. Returns 0 or -ENOMEM. */
int table_cell(struct table *t, size_t column, enum colour colour, const char *text);
int table_cellf(struct table *t, size_t column, enum colour colour, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Replaces the last row by a line of text that is no part of the columns. */
int table_line(struct table *t, enum colour colour, const char *text);

size_t table_rows(const struct table *t);

/* Prints the table, with its titles unless the style says no_legend; nothing where it has no rows. */
void table_print(const struct table *t, const struct text_style *style, FILE *out);

/* The same as a table of HTML: all columns that have any text, the first cell of a row its head. */
void table_html(const struct table *t, FILE *out);

/* Writes text in a colour where the style has them. */
void text_coloured(const struct text_style *style, enum colour colour, const char *text, FILE *out);

/* Writes lines of text, those that are too wide broken at their spaces and gone on with below, a little
 * further in. A line that ends with a backslash is one of a command, and broken already. */
void text_wrapped(const struct text_style *style, const char *text, FILE *out);

/* Columns that a text takes: its code points. All text that is printed is one column a code point. */
size_t text_width(const char *text);
