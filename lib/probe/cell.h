/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of one cell of a table: one measurement by a method, block and depth. All are 0 where the measurement has none, and
 * where what it says cannot be (more than 10^15).
 */
#pragma once

#include <inttypes.h>

#include "source/measure.h"

uint64_t cell_kb_per_s(const struct measurement *m);           /* kB/s, of 1000 bytes */
uint64_t cell_commands_per_1000s(const struct measurement *m); /* reads in 1000 s: three decimals */
uint64_t cell_cpu_permille(const struct measurement *m);       /* of one processor */
uint64_t cell_cpu_ns_per_mb(const struct measurement *m);      /* per 1,000,000 bytes */
uint64_t cell_latency_us(
    const struct measurement *m); /* the median; else what depth and rate give */

/* Is it the processor that limits: does each thread keep nine tenths of one busy? */
bool cell_is_bound_by_cpu(const struct measurement *m);

/* Is it the same cell of the same table: method, block, depth, memory and places? Not: device, and how many at a time. */
bool cell_same(const struct measurement *a, const struct measurement *b);

/* a × scale / b, rounded; 0 where b is 0 or the result is 10^15 or more. */
uint64_t cell_ratio(uint64_t a, double scale, uint64_t b);

/* A number of thousandths with one decimal: printf(TENTHS, TENTHS_OF(152340)) is "152.3". */
struct tenths {
    uint64_t whole;
    unsigned tenth;
};

static inline struct tenths tenths_of(uint64_t thousandths)
{
    uint64_t t = thousandths / 100 + (thousandths % 100 >= 50);

    return (struct tenths){ t / 10, (unsigned)(t % 10) };
}

#define TENTHS       "%" PRIu64 ".%u"
#define TENTHS_OF(x) tenths_of(x).whole, tenths_of(x).tenth
