/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A row of numbers as a line of signs, one each: so that it is seen how they went.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SPARK_MAX = 24,                 /* columns */
    SPARK_SIZE = SPARK_MAX * 3 + 1, /* bytes of the line: a block has three in UTF-8 */
};

/* From nothing to the most of them: U+2581 to U+2588 where UTF-8 may be used, else the digits 0 to 9. What is more than nothing is
 * seen to be. Of more than SPARK_MAX numbers, neighbours share a column, which shows their mean. Returns the buffer. */
const char *spark(const uint64_t *v, size_t n, bool utf8, char buffer[SPARK_SIZE]);

/* What happened at times, oldest first, as one number for each of SPARK_MAX stretches of time from the first to the last. */
struct spark_time {
    uint64_t at_us, value;
};
void spark_by_time(const struct spark_time *v, size_t n, uint64_t from_us, uint64_t ret[SPARK_MAX]);
