/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whose turn it is: single steps, and ten thousand schedules made at random of which each keeps all promises.
 */
#include "../cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/schedule.h"

#define HOUR UINT64_C(3600000000)
#define DAY  (24 * HOUR)
#define NOW  (20000 * DAY + 7 * HOUR)

static const struct config_probe DAILY = {
    .bytes = 4 << 20, .longest_us = 1000000, .interval_us = DAY, .per_day = 64 << 20
};

static void first_time(void **state)
{
    struct schedule_state s = { .known_us = NOW };
    uint64_t least = UINT64_MAX, most = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        uint64_t due = schedule_due(&s, &DAILY, seed, NOW);

        assert_int_equal(due, schedule_due(&s, &DAILY, seed, NOW + HOUR));
        least = due < least ? due : least;
        most = due > most ? due : most;
    }
    /* spread over a quarter of the interval */
    assert_in_range(least, NOW, NOW + HOUR / 4);
    assert_in_range(most, NOW + 5 * HOUR, NOW + 6 * HOUR);
}

static void next_time(void **state)
{
    struct schedule_state s = { .known_us = NOW };
    uint64_t due;

    (void)state;
    schedule_begin(&s, DAILY.bytes, NOW);
    assert_int_equal(s.bytes, DAILY.bytes);
    schedule_finish(&s, SCHEDULE_DONE, DAILY.bytes, 1000);
    assert_int_equal(s.bytes, 1000);
    due = schedule_due(&s, &DAILY, 5, NOW);
    assert_in_range(due, NOW + DAY, NOW + DAY + 6 * HOUR);
    assert_true(schedule_due(&s, &DAILY, 6, NOW) != due);
}

/* What may fall asleep is not kept awake, however short the interval. */
static void sleepers(void **state)
{
    struct config_probe often = DAILY;
    struct schedule_state s = { .known_us = NOW, .may_sleep = true };

    (void)state;
    for (often.interval_us = 1000; often.interval_us <= DAY; often.interval_us *= 10) {
        uint64_t least = often.interval_us < HOUR ? HOUR : often.interval_us, due;

        schedule_begin(&s, 0, NOW);
        schedule_finish(&s, SCHEDULE_DONE, 0, 0);
        due = schedule_due(&s, &often, 5, NOW);
        assert_in_range(due, NOW + least, NOW + least * 5 / 4);
    }
    s.may_sleep = false;
    often.interval_us = 1000;
    assert_in_range(schedule_due(&s, &often, 5, NOW), NOW + 1000, NOW + 1250);
}

/* A busy device is tried again in an hour, then in two, and so on up to the interval. */
static void busy(void **state)
{
    static const unsigned HOURS[] = { 1, 2, 4, 8, 16, 24, 24, 24 };
    struct schedule_state s = { .known_us = NOW };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(HOURS); i++) {
        schedule_begin(&s, 0, NOW);
        schedule_finish(&s, SCHEDULE_BUSY, 0, 0);
        assert_in_range(schedule_due(&s, &DAILY, i, NOW), NOW + HOURS[i] * HOUR,
                        NOW + HOURS[i] * HOUR * 5 / 4);
    }
    s.busy = 4000000000u;
    assert_true(schedule_due(&s, &DAILY, 0, NOW) <= NOW + DAY * 5 / 4);
    schedule_finish(&s, SCHEDULE_DONE, 0, 0);
    assert_int_equal(s.busy, 0);
}

static void failing(void **state)
{
    static const unsigned DAYS[] = { 2, 4, 8, 16, 16, 16 };
    struct schedule_state s = { .known_us = NOW };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(DAYS); i++) {
        schedule_begin(&s, 0, NOW);
        schedule_finish(&s, SCHEDULE_FAILED, 0, 0);
        assert_in_range(schedule_due(&s, &DAILY, i, NOW), NOW + DAYS[i] * DAY,
                        NOW + DAYS[i] * DAY + 6 * HOUR);
    }
    s.failures = 4000000000u;
    assert_true(schedule_due(&s, &DAILY, 0, NOW) <= NOW + 17 * DAY);
}

/* What a day allows is spent: on the next day, UTC. */
static void budget(void **state)
{
    struct config_probe often = DAILY;
    struct schedule_state s = { .known_us = NOW };

    (void)state;
    often.interval_us = HOUR;
    often.per_day = 2 * often.bytes + 1;
    schedule_begin(&s, often.bytes, NOW);
    schedule_begin(&s, often.bytes, NOW + HOUR);
    assert_int_equal(schedule_due(&s, &often, 1, NOW + HOUR), 20001 * DAY);
    schedule_finish(&s, SCHEDULE_DONE, often.bytes, often.bytes / 2);
    assert_int_equal(schedule_due(&s, &often, 1, NOW + HOUR), 20001 * DAY);
    schedule_finish(&s, SCHEDULE_DONE, often.bytes / 2, 0);
    assert_true(schedule_due(&s, &often, 1, NOW + HOUR) < NOW + 3 * HOUR);
    often.per_day = often.bytes - 1;
    assert_true(schedule_due(&s, &often, 1, NOW) == UINT64_MAX);
}

/* The clock was a year ahead, and was set right. */
static void clock_set_back(void **state)
{
    struct schedule_state s = { .known_us = NOW + 365 * DAY };
    uint64_t spent = 15 * DAILY.bytes + 1;

    (void)state;
    assert_true(schedule_due(&s, &DAILY, 1, NOW) <= NOW + 6 * HOUR);
    schedule_begin(&s, spent, NOW + 365 * DAY);
    assert_true(schedule_due(&s, &DAILY, 1, NOW) > NOW + 365 * DAY); /* what was read, was read */
    schedule_begin(&s, 1, NOW);
    assert_int_equal(s.bytes, spent + 1);
}

static void pick(void **state)
{
    const struct schedule_entry entries[] = {
        { NOW - 5, "bus1", false },  { NOW - 9, "bus1", false }, { NOW - 7, "bus2", false },
        { NOW + 1, "bus3", false },  { NOW - 8, "bus4", false }, { NOW - 1, "bus4", true },
        { NOW - 20, "bus5", false },
    };
    size_t v[8];

    (void)state;
    assert_int_equal(schedule_pick(entries, ELEMENTS(entries), NOW, v, 8), 3);
    assert_int_equal(v[0], 6);
    assert_int_equal(v[1], 1);
    assert_int_equal(v[2], 2);
    assert_int_equal(schedule_pick(entries, ELEMENTS(entries), NOW, v, 1), 1);
    assert_int_equal(v[0], 6);
    assert_int_equal(schedule_pick(entries, 0, NOW, v, 8), 0);
}

static void seeds(void **state)
{
    (void)state;
    assert_true(schedule_seed("a", "b") == schedule_seed("a", "b"));
    assert_true(schedule_seed("a", "b") != schedule_seed("a", "c"));
    assert_true(schedule_seed("a", "b") != schedule_seed("c", "b"));
    assert_true(schedule_seed("ab", "") != schedule_seed("a", "b"));
    assert_true(schedule_seed(NULL, NULL) == schedule_seed("", ""));
}

/* ---- at random ---- */

enum { DEVICES_MOST = 8, GROUPS = 3 };

/* A small generator, so that a failure can be run again by its number (Knuth's MMIX multiplier). */
static unsigned chance(uint64_t *x, unsigned n)
{
    *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*x >> 33) % n;
}

struct run {
    struct config_probe config;
    struct schedule_state states[DEVICES_MOST];
    struct schedule_entry entries[DEVICES_MOST];
    uint64_t ends_us[DEVICES_MOST], read[DEVICES_MOST], day[DEVICES_MOST], last_us[DEVICES_MOST];
    unsigned probes[DEVICES_MOST];
    size_t n;
    bool always_well;
};

static struct run make_run(uint64_t *x)
{
    static const char *const NAMES[GROUPS] = { "bus", "port", "expander" };
    struct run r = { .n = 1 + chance(x, DEVICES_MOST), .always_well = chance(x, 2) };

    r.config.bytes = 65536u << chance(x, 8);
    r.config.per_day = r.config.bytes * (1 + chance(x, 20));
    r.config.interval_us = HOUR / 60 + chance(x, 48) * HOUR / 2;
    r.config.longest_us = 1000000;
    for (size_t i = 0; i < r.n; i++) {
        r.states[i].known_us = NOW + chance(x, 3) * HOUR;
        r.states[i].may_sleep = chance(x, 2);
        r.entries[i].group = NAMES[chance(x, GROUPS)];
        r.last_us[i] = r.states[i].known_us;
    }
    return r;
}

static void finish_run(struct run *r, size_t i, uint64_t *x)
{
    enum schedule_end end = r->always_well ? SCHEDULE_DONE : (enum schedule_end)chance(x, 3);
    uint64_t read = end == SCHEDULE_DONE ? r->config.bytes : chance(x, (unsigned)r->config.bytes);

    r->entries[i].is_running = false;
    schedule_finish(&r->states[i], end, r->config.bytes, read);
    r->read[i] -= r->config.bytes - read;
}

/* Nothing runs beside another of its group, and the day's bytes are kept. */
static void begin_run(struct run *r, size_t i, uint64_t now, uint64_t *x)
{
    for (size_t k = 0; k < r->n; k++)
        assert_false(r->entries[k].is_running &&
                     strcmp(r->entries[k].group, r->entries[i].group) == 0);
    assert_true(r->entries[i].due_us <= now);
    if (r->states[i].may_sleep && r->always_well && r->probes[i])
        assert_true(now - r->last_us[i] >= SCHEDULE_SLEEPERS_US);
    schedule_begin(&r->states[i], r->config.bytes, now);
    r->entries[i].is_running = true;
    r->ends_us[i] = now + 1 + chance(x, 1000000);
    if (r->day[i] != now / DAY)
        r->read[i] = 0;
    r->day[i] = now / DAY;
    r->read[i] += r->config.bytes;
    r->last_us[i] = now;
    r->probes[i]++;
    assert_true(r->read[i] <= r->config.per_day);
}

static void step_run(struct run *r, uint64_t now, uint64_t *x)
{
    size_t v[DEVICES_MOST], n;

    for (size_t i = 0; i < r->n; i++) {
        if (r->entries[i].is_running && r->ends_us[i] <= now)
            finish_run(r, i, x);
        r->entries[i].due_us = schedule_due(&r->states[i], &r->config, schedule_seed("m", NULL) + i,
                                            now);
    }
    n = schedule_pick(r->entries, r->n, now, v, 1 + chance(x, DEVICES_MOST));
    for (size_t i = 0; i < n; i++)
        begin_run(r, v[i], now, x);
    /* nobody who does well waits longer than the interval, its jitter, and what a day's bytes cost */
    for (size_t i = 0; r->always_well && i < r->n; i++)
        if (now >= r->last_us[i])
            assert_true(now - r->last_us[i] <=
                        (r->config.interval_us + SCHEDULE_SLEEPERS_US) * 5 / 4 + DAY + HOUR);
}

static void ten_thousand_at_random(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        uint64_t x = i, now = NOW;
        struct run r = make_run(&x);

        for (unsigned k = 0; k < 300; k++) {
            now += 1 + chance(&x, 1800) * UINT64_C(1000000);
            step_run(&r, now, &x);
        }
        for (size_t d = 0; d < r.n; d++)
            assert_true(r.probes[d] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_time),     cmocka_unit_test(next_time),
        cmocka_unit_test(sleepers),       cmocka_unit_test(busy),
        cmocka_unit_test(failing),        cmocka_unit_test(budget),
        cmocka_unit_test(clock_set_back), cmocka_unit_test(pick),
        cmocka_unit_test(seeds),          cmocka_unit_test(ten_thousand_at_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
