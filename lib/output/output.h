/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reports as bytes: JSON for machines (schema: report.schema.json in this folder), text for people.
 * Nothing here writes to anywhere but the stream it is given.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/json_write.h"
#include "finding/compare.h"
#include "finding/life.h"
#include "finding/report.h"
#include "probe/rates.h"

/* The whole report as one JSON object, with a newline behind it. */
void output_json(const struct report *report, bool pretty, FILE *out);

/* Its parts: the array of hosts, links, devices or findings; or one object, of which exactly one is not NULL. */
void output_json_hosts(const struct report *report, bool pretty, FILE *out);
void output_json_links(const struct report *report, bool pretty, FILE *out);
void output_json_devices(const struct report *report, bool pretty, FILE *out);
void output_json_findings(const struct report *report, bool pretty, FILE *out);
void output_json_object(const struct host *h, const struct link *l, const struct device *d,
                        bool pretty, FILE *out);

/* One of the findings, as a value. */
void output_json_finding(const struct finding *f, struct json_writer *w);

/* How many there are of what, an object without a newline behind it. */
void output_json_summary(const struct report *report, FILE *out);

/* The report in pieces that change one by one, each an object without a newline behind it: a host with its links and devices;
 * and what is of no host: summary, findings, gaps, and links that belong to none. */
void output_json_host_part(const struct report *report, const struct host *h, FILE *out);
void output_json_machine_part(const struct report *report, FILE *out);

/* How text is laid out. */
struct text_style {
    unsigned columns; /* width to fit in; 0: unlimited */
    bool utf8;        /* lines and signs beyond ASCII may be used */
    bool colour;
    bool no_legend;      /* neither heads of tables nor the sentence at the end */
    const char *command; /* what to type to ask again: "hbactl --capture 1.json"; NULL: "hbactl" */
};

/* The tree: hosts, links, devices, then a sentence. */
void output_status(const struct report *report, const struct text_style *style, FILE *out);

/* Tables. */
void output_hosts(const struct report *report, const struct text_style *style, FILE *out);
void output_links(const struct report *report, const struct text_style *style, FILE *out);
void output_devices(const struct report *report, const struct text_style *style, FILE *out);

void output_findings(const struct report *report, const struct text_style *style, FILE *out);

/* What a code means, with causes and remedies. */
void output_json_code(const struct catalog_entry *entry, bool pretty, FILE *out);
void output_code(const struct catalog_entry *entry, const struct text_style *style, FILE *out);

/* A table of all codes: how bad each is as a rule, and what it says. */
void output_codes(const struct text_style *style, FILE *out);

/* Why an object is judged as it is: the rule, every input, and the findings that name it. */
void output_explain_host(const struct report *report, const struct host *h,
                         const struct text_style *style, FILE *out);
void output_explain_link(const struct report *report, const struct link *l,
                         const struct text_style *style, FILE *out);
void output_explain_device(const struct report *report, const struct device *d,
                           const struct text_style *style, FILE *out);

/* What is found of something that is not there any more: the findings that name it. Returns how many there are. */
size_t output_explain_gone(const struct report *report, const char *name,
                           const struct text_style *style, FILE *out);

/* One object, of which exactly one is not NULL, but for a device also its link; and the findings that name them. */
void output_json_explanation(const struct report *report, const struct host *h,
                             const struct link *l, const struct device *d, bool pretty, FILE *out);

/* Everything known of one object. Exactly one of the three is not NULL. */
void output_host(const struct report *report, const struct host *h, const struct text_style *style,
                 FILE *out);
void output_link(const struct report *report, const struct link *l, const struct text_style *style,
                 FILE *out);
void output_device(const struct report *report, const struct device *d,
                   const struct text_style *style, FILE *out);

/* What differs between two reports, then the rates of timed reads side by side: tables, or an array of { kind, id, name, what,
 * before, after }. Rates are of the kind "rate", all of them, and have numbers besides; "same" is true of those that differ by no
 * more than noise. */
void output_comparison(const struct comparison *c, const struct rates *rates,
                       const struct text_style *style, FILE *out);
void output_json_comparison(const struct comparison *c, const struct rates *rates, bool pretty,
                            FILE *out);

/* What is remembered of an object (history.c). */
struct history_of {
    const char *id, *name; /* `name`: what people call it */
    const struct history_answer *answer;
};

/* Tables of how it was, how its counters grew, what probes measured, and what was found; or that nothing is remembered. */
void output_history(const struct history_of *h, const struct text_style *style, FILE *out);

/* The same tables as HTML, each with a heading (h4). Returns 0 or a negative number without memory. */
int output_html_history(const struct history_answer *answer, FILE *out);

/* The same as one object, without a newline behind it. */
void output_json_history(const struct history_of *h, FILE *out);
