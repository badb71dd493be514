/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timed reads in words and JSON, as several outputs show them.
 */
#pragma once

#include "base/json_write.h"
#include "link/model.h"
#include "source/measure.h"

/* "512", "64K", "4M": bytes as options take them, into a buffer of 24 that is returned. */
const char *timed_block(uint64_t bytes, char *buffer);

/* "read-media/sg random cold" into a buffer that is returned: the method, and what is unusual. */
const char *timed_method(const struct measurement *m, char *buffer, size_t size);

/* What became of one that does not count, in a word: "refused", "failed", "disturbed"; NULL of one that counts. */
const char *timed_trouble(const struct measurement *m);

/* Why it does not count: "EIO (sense 70 00 03 …): 3 commands of 0:0:1:0 came between", into a buffer that is returned. */
const char *timed_reason(const struct measurement *m, char *buffer, size_t size);

/* "read-media/sg, 64K: 84.2 MB/s, 3.1 % of a processor; consistent: …", or why it does not count, into a buffer that is
 * returned. */
const char *timed_line(const struct timed *t, char *buffer, size_t size);

/* One object: the members of a capture's measure, the device's id, and what follows from them. */
void output_json_timed(struct json_writer *w, const struct timed *t);
