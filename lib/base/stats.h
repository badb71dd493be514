/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Statistics that a few wild values do not move.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The median of n > 0 numbers, which are sorted for it; the mean of the two middle ones (rounded down) where n is
 * even. */
uint64_t stats_median(uint64_t *v, size_t n);

/* The median of their distances from `center` (the median absolute deviation, where that is their median). They are
 * replaced by the distances. For numbers that are normally distributed it is 0.6745 of the standard deviation. */
uint64_t stats_deviation(uint64_t *v, size_t n, uint64_t center);
