/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HTML as text: markup comes from formats, which are the program's own, and every text that is put into them is escaped. So no
 * model name of a disk is ever markup, whatever it holds.
 *
 * What is written is HTML that is well formed XML besides: each element is closed, each attribute has a value in double quotes.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>

/* Writes a text, good for elements and for attributes in double quotes: & < > " ' are escaped. What is no UTF-8 (each byte), what readers
 * would obey (text_is_command() in base/text.h), and U+FFFE and U+FFFF, which XML 1.0 (2.2) does not know, become U+FFFD. NULL: nothing. */
void markup_text(const char *text, FILE *out);

/* As fprintf(): what stands for %s is escaped (NULL: nothing). Nothing but %s, %u, %d, %zu, %PRIu64 and %% is known. */
void markup(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sentences that are printed as text for people, a line each, and then written as markup. */
struct markup_lines {
    FILE *text; /* where to print them */
    char *v;
    size_t n;
};

/* Begins some. Returns 0, or -ENOMEM, and there is nothing to end. */
int markup_lines_begin(struct markup_lines *lines);

/* Writes each line but empty ones as an element, "p" or "li" (NULL: all of it as text). Returns 0 or -ENOMEM; the lines are freed in
 * either case. */
int markup_lines_end(struct markup_lines *lines, const char *element, FILE *out);
