/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buckets of histogram.h: the highest bits of a value say which one is its.
 */
#include "base/histogram.h"

#include <stddef.h>

enum { HALF = 1 << (HISTOGRAM_LINEAR_BITS - 1) };

/* By how many bits a value is longer than those with a bucket each. */
static unsigned excess_bits(uint64_t value)
{
    unsigned bits = value ? 64 - (unsigned)__builtin_clzll(value) : 0;

    return bits > HISTOGRAM_LINEAR_BITS ? bits - HISTOGRAM_LINEAR_BITS : 0;
}

static size_t bucket_of(uint64_t value)
{
    unsigned excess = excess_bits(value);

    if (value >> HISTOGRAM_VALUE_BITS)
        return HISTOGRAM_BUCKETS - 1;
    return (size_t)excess * HALF + (size_t)(value >> excess);
}

/* The middle of a bucket. */
static uint64_t value_of(size_t bucket)
{
    size_t excess = bucket < 2 * HALF ? 0 : bucket / HALF - 1;
    uint64_t low = (uint64_t)(bucket - excess * HALF) << excess;

    return low + ((UINT64_C(1) << excess) >> 1);
}

void histogram_add(struct histogram *h, uint64_t value)
{
    if (!h->n || value < h->min)
        h->min = value;
    if (value > h->max)
        h->max = value;
    h->n++;
    h->buckets[bucket_of(value)]++;
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
    if (!other->n)
        return;
    if (!h->n || other->min < h->min)
        h->min = other->min;
    if (other->max > h->max)
        h->max = other->max;
    h->n += other->n;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        h->buckets[i] += other->buckets[i];
}

uint64_t histogram_quantile(const struct histogram *h, unsigned permille)
{
    /* The rank-th of them in order, from 1; n is far below 2^54. */
    uint64_t rank = (h->n * permille + 999) / 1000, seen = 0, value;
    size_t i = 0;

    if (rank <= 1 || !h->n)
        return h->min;
    if (rank >= h->n)
        return h->max;
    while (seen + h->buckets[i] < rank)
        seen += h->buckets[i++];
    value = value_of(i);
    return value < h->min ? h->min : value > h->max ? h->max : value;
}
