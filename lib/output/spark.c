/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers as a line of signs (spark.h).
 */
#include "output/spark.h"

#include <string.h>

/* The mean of the numbers that share that column. */
static uint64_t mean_of(const uint64_t *v, size_t n, size_t columns, size_t column)
{
    size_t from = n * column / columns, to = n * (column + 1) / columns;
    uint64_t mean = 0, rest = 0, here = to > from ? to - from : 1;

    for (size_t i = from; i < to; i++) { /* without a sum that could be too large */
        mean += v[i] / here;
        rest += v[i] % here;
    }
    return mean + rest / here;
}

/* 0 for nothing, `steps` for the most. */
static unsigned level_of(uint64_t value, uint64_t most, unsigned steps)
{
    double part = most ? (double)value / (double)most * steps : 0;
    unsigned level = (unsigned)(part + 0.5);

    return value && !level ? 1 : level;
}

const char *spark(const uint64_t *v, size_t n, bool utf8, char buffer[SPARK_SIZE])
{
    size_t columns = n < SPARK_MAX ? n : SPARK_MAX;
    uint64_t most = 0;
    char *to = buffer;

    for (size_t i = 0; i < columns; i++) {
        uint64_t mean = mean_of(v, n, columns, i);

        most = mean > most ? mean : most;
    }
    for (size_t i = 0; i < columns; i++) {
        unsigned level = level_of(mean_of(v, n, columns, i), most, utf8 ? 7 : 9);

        if (utf8) {
            memcpy(to, "\xe2\x96\x81", 3);
            to[2] = (char)(to[2] + (char)level);
            to += 3;
        } else {
            *to++ = (char)('0' + level);
        }
    }
    *to = '\0';
    return buffer;
}

void spark_by_time(const struct spark_time *v, size_t n, uint64_t from_us, uint64_t ret[SPARK_MAX])
{
    uint64_t to_us = from_us;

    memset(ret, 0, SPARK_MAX * sizeof(*ret));
    for (size_t i = 0; i < n; i++)
        to_us = v[i].at_us > to_us ? v[i].at_us : to_us;
    for (size_t i = 0; i < n; i++) {
        uint64_t in_us = v[i].at_us > from_us ? v[i].at_us - from_us : 0;
        double part = to_us > from_us ? (double)in_us / (double)(to_us - from_us) : 0;
        size_t column = (size_t)(part * SPARK_MAX);

        column = column < SPARK_MAX ? column : SPARK_MAX - 1;
        ret[column] = ret[column] + v[i].value < ret[column] ? UINT64_MAX
                                                             : ret[column] + v[i].value;
    }
}
