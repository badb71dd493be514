/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A report as one page for people to look at, and to attach to a ticket: HTML with its style and its pictures (inline SVG) in it,
 * no script, and nothing that is fetched from anywhere; a Content-Security-Policy says so to the browser as well. The markup is well formed
 * XML besides, so that other programs can take it apart.
 *
 * What is wrong comes first, then the map of what hangs where. On large machines links that are alike share a row of the map and an
 * argument, and long tables are folded, so that the page grows with what differs.
 */
#pragma once

#include "finding/life.h"
#include "finding/report.h"
#include "link/history.h"
#include "probe/bench.h"

/* What is remembered of an object of that id. */
struct html_answer {
    const char *id;
    struct history_answer answer;
};

struct html_page {
    const struct report *report;
    const struct bench *bench;         /* tables of timed reads; NULL: none */
    const struct history *past;        /* what earlier captures say; NULL: nothing, or: */
    const struct html_answer *answers; /* what a memory says */
    size_t n_answers;
    const char *failed; /* why the memory does not say all of it; NULL: it does */
    uint64_t since_us;  /* nothing older is shown; 0: all of it */
};

/* The ids of links and devices whose past is worth asking a memory for, in that order: at most `most`, valid as long as the report. Returns
 * how many; none where memory is out. */
size_t html_wanted(const struct report *r, const char **ret, size_t most);

/* Writes it. Returns 0, or -ENOMEM where something is missing. Errors of the stream are for the caller to ask it: ferror(). */
int output_html(const struct html_page *page, FILE *out);
