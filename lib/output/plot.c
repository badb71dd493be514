/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers in columns (plot.h).
 */
#include "output/plot.h"

#define MINUTE_US (UINT64_C(60) * 1000000)

size_t plot_column_of(const struct plot_time *t, uint64_t at_us)
{
    double part;
    size_t column;

    if (at_us <= t->from_us)
        return 0;
    part = (double)(at_us - t->from_us) / (double)(t->to_us - t->from_us);
    column = (size_t)(part * (double)t->columns);
    return column < t->columns ? column : t->columns - 1;
}

static void add(struct plot_column *c, uint64_t value)
{
    if (!c->is_known)
        *c = (struct plot_column){ true, value, value, value, value };
    c->last = value;
    c->least = value < c->least ? value : c->least;
    c->most = value > c->most ? value : c->most;
}

void plot_hold(const struct plot_time *t, uint64_t value, uint64_t from_us, uint64_t until_us,
               struct plot_column *columns)
{
    size_t end = plot_column_of(t, until_us);

    if (until_us < t->from_us || from_us > t->to_us)
        return;
    for (size_t i = plot_column_of(t, from_us); i <= end; i++)
        add(&columns[i], value);
}

uint64_t plot_axis(uint64_t most)
{
    static const uint64_t STEPS[] = { 1, 2, 5 };

    for (uint64_t power = 1; power <= UINT64_MAX / 100; power *= 10)
        for (size_t i = 0; i < sizeof(STEPS) / sizeof(*STEPS); i++)
            if (STEPS[i] * power >= most)
                return STEPS[i] * power;
    return most;
}

uint64_t plot_tick(const struct plot_time *t, size_t marks)
{
    /* Minutes: up to half an hour, hours up to half a day, days, weeks, then (nearly) months. */
    static const uint64_t STEPS[] = { 1,     2,     5,     10,    15,     30,     60,
                                      120,   180,   360,   720,   1440,   2880,   4320,
                                      10080, 20160, 43200, 86400, 129600, 259200, 525600 };
    uint64_t span = t->to_us - t->from_us, step = 0;

    for (size_t i = 0; i < sizeof(STEPS) / sizeof(*STEPS); i++) {
        step = STEPS[i] * MINUTE_US;
        if (span / step <= marks)
            break;
    }
    while (span / step > marks)
        step *= 2;
    return step;
}
