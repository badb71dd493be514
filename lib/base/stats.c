/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/stats.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

uint64_t stats_median(uint64_t *v, size_t n)
{
    uint64_t low, high;

    qsort(v, n, sizeof(*v), compare);
    low = v[(n - 1) / 2];
    high = v[n / 2];
    return low + (high - low) / 2;
}

uint64_t stats_deviation(uint64_t *v, size_t n, uint64_t center)
{
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] > center ? v[i] - center : center - v[i];
    return stats_median(v, n);
}
