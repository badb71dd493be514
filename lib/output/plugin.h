/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a monitoring plugin says, as lines of text.
 *
 * Nagios, Icinga and whoever starts their plugins (Monitoring Plugins Development Guidelines):
 *
 *   HBAD WARNING - TEXT | 'label'=value[UOM];warn;crit;min;max 'label'=…
 *   LINE
 *   …
 *
 * Checkmk's local checks (docs.checkmk.com, "Local checks"), where all of it is one line, and "\n" stands for a new one:
 *
 *   1 "HBA links" label=value;warn;crit;min;max|label=… TEXT\nLINE\n…
 *
 * Texts are of devices, too, and whoever gets them may put them into a shell's double quotes, or into a page: of what comes
 * in, no character that ends a field, a line or a quotation goes out, nor one that a shell or a browser would obey.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"
#include "finding/report.h"

/* Exit statuses of plugins. */
enum plugin_status { PLUGIN_OK, PLUGIN_WARNING, PLUGIN_CRITICAL, PLUGIN_UNKNOWN };

/* What a report says in these words: critical or warning where something is found that is; unknown where an adapter was not
 * examined, there is none, or no link at all can be judged; else ok. `is_strict`: also unknown where one link cannot be judged, or
 * something is info. */
enum plugin_status plugin_status_of(const struct summary *s, size_t unexamined, bool is_strict);

struct plugin_number {
    const char *label;
    const char *unit; /* "", "s", "c": none, seconds, a counter */
    uint64_t value;
    const char *warning, *critical; /* ranges, as range_parse() takes them; NULL: none */
    uint64_t most;                  /* it cannot be more; 0: that is not known */
};

struct plugin {
    enum plugin_status status;
    const char *about; /* what it is about, beside the machine; NULL: nothing else */
    const char *text;  /* the first line: what is wrong, worst first */
    VEC(struct plugin_number) numbers;
    VEC(const char *) lines; /* the long output */
};

/* So much is written of the text, of a line, and of all lines together, in bytes: Nagios 4 takes 8192 of all
 * (MAX_PLUGIN_OUTPUT_LENGTH), and the numbers need some. */
enum { PLUGIN_TEXT_MAX = 400, PLUGIN_LINES_MAX = 4000 };

void plugin_print(const struct plugin *p, bool is_checkmk, FILE *out);
