/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Years of numbers in the columns of a picture. Each column keeps the least and the most of its stretch of time, so what lasted a second
 * is seen in a plot of a year.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stretch of time in columns of the same length. */
struct plot_time {
    uint64_t from_us, to_us; /* to_us > from_us */
    size_t columns;          /* > 0 */
};

/* What there was in a column. */
struct plot_column {
    bool is_known; /* something is known of some of its time */
    uint64_t first, last, least, most;
};

/* The column of a time; the first or last of what is before or behind. */
size_t plot_column_of(const struct plot_time *t, uint64_t at_us);

/* A value that held from a time to another: it counts in each column that it touches. Values are to come in the order of time.
 * `columns` are t->columns, zeroed at first. */
void plot_hold(const struct plot_time *t, uint64_t value, uint64_t from_us, uint64_t until_us,
               struct plot_column *columns);

/* The least 1, 2 or 5 times a power of ten that is not less than the value: where an axis ends. */
uint64_t plot_axis(uint64_t most);

/* How far apart the marks of a time axis are: minutes, hours, days or weeks, so that there are at most `marks` of them. */
uint64_t plot_tick(const struct plot_time *t, size_t marks);
