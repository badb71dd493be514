/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sentences below a tree: what the links run at, what is wrong, what could not be seen.
 */
#pragma once

#include "output/output.h"

void output_closing(const struct report *report, const struct text_style *style, FILE *out);
