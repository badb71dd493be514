/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a verdict is what it is: the sentences, and what they follow from, as every output that explains has them.
 */
#pragma once

#include <stdio.h>

#include "finding/report.h"

/* "target0:0:2, to SEAGATE ST3146807LC: BELOW", without an end of line. */
void argument_head(const struct report *r, const struct link *l, FILE *out);

/* The rule that decided, in a sentence or two, a line each. */
void argument_rule(const struct link *l, FILE *out);

/* What was taken into account. */
enum argument_kind { ARGUMENT_RUNS, ARGUMENT_ABLE, ARGUMENT_ALLOWED, _ARGUMENT_MAX };
struct argument_claims {
    const char *what; /* "what it runs at" */
    const struct claim *v;
    size_t n;
};
struct argument_claims argument_claims(const struct link *l, enum argument_kind kind);
#define ARGUMENT_TITLE   "What was taken into account"
#define ARGUMENT_NOTHING "nobody says anything about its mode"

/* Measured rates of its devices that are typical of something, a line each, `before` in front of it. */
void argument_hints(const struct report *r, const struct link *l, const char *before, FILE *out);

/* "host0, LSI53C1030 B2: 5 links, 4 ok, 1 below.", a line. The numbers add up. */
void argument_standings(const struct report *r, const struct host *h, FILE *out);

/* ---- of a finding ---- */
#define ARGUMENT_CAUSES   "What causes it, the likeliest first"
#define ARGUMENT_REMEDIES "What to do, in this order"
#define ARGUMENT_NOT_THIS "Not to be confused with"
#define ARGUMENT_USERS    "Who is hit"
#define ARGUMENT_PLACES   "Where it is"

/* "0:0:2:0: bay 3 of enclosure 1, ledctl locate=/dev/sdc", into the buffer; false where the device's place is not known. */
bool argument_place(const struct device *d, char *buffer, size_t size);
