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

#include "finding/report.h"
#include "link/history.h"
#include "probe/bench.h"

struct html_page {
    const struct report *report;
    const struct history *past; /* what earlier captures say; NULL: nothing */
    const struct bench *bench;  /* tables of timed reads; NULL: none */
};

/* Writes it. Returns 0, or -ENOMEM where something is missing. Errors of the stream are for the caller to ask it: ferror(). */
int output_html(const struct html_page *page, FILE *out);
