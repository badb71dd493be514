/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A report as a monitoring plugin judges it: hbactl check (output/plugin.h has the form).
 *
 * The state is that of what is found: critical, warning, or unknown where something could not be examined. With a range for
 * warnings or for criticals it is one number that is judged instead, of which only what is critical counts besides: what is lost or
 * hangs is told whatever is tolerated of modes. A report that is too old is unknown, whatever it says.
 *
 * Where a device is named, the hops on its way to the slot are judged with it, but that they are well does not make up for its own
 * link that cannot be judged: then it is unknown.
 *
 * Numbers, as perfdata and for ranges:
 *   links, up, down       links, and how many of them are so
 *   below, capped, unknown  links that run below their expected mode, are held down on purpose, or cannot be judged
 *   critical, warning, info  findings
 *   unexamined            adapters that could not be examined
 *   age                   of the report, in seconds
 */
#pragma once

#include "base/range.h"
#include "output/plugin.h"

struct check_options {
    const char *const
        *names; /* what it is about, as resolve_name() takes them; none: the whole machine */
    size_t n_names;
    const char *number;             /* the one that is judged; NULL: below */
    const char *warning, *critical; /* ranges for it; NULL: none */
    bool is_checkmk, is_verbose, is_strict;
    uint64_t now_us;     /* since 1970, for the age; 0: it has none */
    uint64_t max_age_us; /* with more it is too old */
};

/* The n-th name of a number, from 0; NULL: there are no more. */
const char *check_number(size_t n);

/* What of the options cannot be: "number", "warning" or "critical"; NULL: nothing. */
const char *check_wrong_option(const struct check_options *options);

/* Prints what is to be said of the report. Nothing of the options may be wrong. Returns an enum plugin_status, or -ENOMEM. */
int check(const struct report *report, const struct check_options *options, FILE *out);

/* What is said where there is no report, and why: unknown. */
void check_without_report(const struct check_options *options, const char *why, FILE *out);
