/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sentences below a tree: what the links run at, what is wrong, what could not be seen.
 */
#pragma once

#include "output/output.h"

void output_closing(const struct report *report, const struct text_style *style, FILE *out);

/* One finding in a line: how bad it is, what it says, and whether somebody puts up with it; below one that is bad what to
 * type to have it explained. Not broken into lines that fit: text_wrapped() does that. */
void output_finding(const struct report *report, const struct text_style *style,
                    const struct finding *f, FILE *out);

/* Its parts, sentences of a line each. How many links run at what, how many do not run as they should, and which cannot be judged
 * (`style` NULL: plain, without what to type). */
void closing_counts(const struct report *report, const struct text_style *style, FILE *out);

/* Below a list of findings, so that its end is not taken for all being well: which links cannot be judged, what could not be seen,
 * and that there is nothing to judge. */
void closing_unsure(const struct report *report, const struct text_style *style, FILE *out);

/* What could not be seen and why, and what went wrong on the way. */
void closing_gaps(const struct report *report, FILE *out);
