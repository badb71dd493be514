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
