/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of timed reads (probe/bench.h) as text, JSON and CSV.
 */
#pragma once

#include "output/output.h"
#include "probe/bench.h"

/* A table a device, one of what was read together, and sentences. `chart`: with a bar in each row also where that leaves no room
 * for columns that matter less; else where it fits. */
void output_bench(const struct bench *b, const struct text_style *style, bool chart, FILE *out);

/* The same as HTML, of one device; and of what was read together. Return 0 or -ENOMEM. */
int output_html_bench(const struct bench_device *d, FILE *out);
int output_html_together(const struct bench *b, FILE *out);

/* One object { schema, devices, together }; its schema is bench.schema.json. */
void output_json_bench(const struct bench *b, bool pretty, FILE *out);

/* RFC 4180: a head that names units, then a record for each read. What is not known is empty. */
void output_csv_bench(const struct bench *b, FILE *out);

/* What probes gave: a row a device. */
void output_probes(const struct bench *b, const struct text_style *style, FILE *out);
int output_html_probes(const struct bench *b, FILE *out);
