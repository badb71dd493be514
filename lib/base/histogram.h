/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How often which value came, in fixed memory: for latencies in nanoseconds, of which there are too many to
 * keep each.
 *
 * Log-linear: values below 256 have a bucket each; above, every power of two has 128 buckets of equal
 * width, so that a bucket is at most 1/128 of the values in it, and a quantile, which is the middle of
 * its bucket, is off by less than half a per cent. The least and the greatest value are kept exactly.
 */
#pragma once

#include <stdint.h>

enum {
    HISTOGRAM_LINEAR_BITS = 8, /* values of so few bits have a bucket each */
    HISTOGRAM_VALUE_BITS =
        42, /* 2^42 ns are 73 minutes; what is greater falls into the last bucket */
    HISTOGRAM_BUCKETS = (1 << HISTOGRAM_LINEAR_BITS) +
                        (HISTOGRAM_VALUE_BITS - HISTOGRAM_LINEAR_BITS) *
                            (1 << (HISTOGRAM_LINEAR_BITS - 1)),
};

/* All zero is an empty one. */
struct histogram {
    uint64_t n;
    uint64_t min, max; /* 0 where n is 0 */
    uint32_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *h, uint64_t value);

/* Adds all that another one has seen. */
void histogram_merge(struct histogram *h, const struct histogram *other);

/* The value that `permille` of a thousand values do not exceed (500: the median), between min and max;
 * 0 is min, 1000 max. 0 where there is none. */
uint64_t histogram_quantile(const struct histogram *h, unsigned permille);
