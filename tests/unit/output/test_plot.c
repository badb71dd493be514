/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include "output/plot.h"

#define SECOND UINT64_C(1000000)
#define DAY    (86400 * SECOND)

static const struct plot_time YEAR = { 1000 * DAY, 1365 * DAY, 100 };

static void columns_of_times(void **state)
{
    (void)state;
    assert_int_equal(plot_column_of(&YEAR, 0), 0);
    assert_int_equal(plot_column_of(&YEAR, YEAR.from_us), 0);
    assert_int_equal(plot_column_of(&YEAR, YEAR.from_us + (YEAR.to_us - YEAR.from_us) / 2), 50);
    assert_int_equal(plot_column_of(&YEAR, YEAR.to_us), 99);
    assert_int_equal(plot_column_of(&YEAR, UINT64_MAX), 99);
}

/* A second of a year is seen. */
static void a_burst_stays(void **state)
{
    struct plot_column c[100] = { 0 };
    size_t at = plot_column_of(&YEAR, 1200 * DAY);

    (void)state;
    plot_hold(&YEAR, 5, YEAR.from_us, 1200 * DAY, c);
    plot_hold(&YEAR, 1000, 1200 * DAY, 1200 * DAY + SECOND, c);
    plot_hold(&YEAR, 5, 1200 * DAY + SECOND, YEAR.to_us, c);
    for (size_t i = 0; i < 100; i++) {
        assert_true(c[i].is_known);
        assert_int_equal(c[i].least, 5);
        assert_int_equal(c[i].most, i == at ? 1000 : 5);
        assert_int_equal(c[i].first, 5);
        assert_int_equal(c[i].last, 5);
    }
}

/* And so is a second in which it was down. */
static void a_gap_stays(void **state)
{
    struct plot_column c[100] = { 0 };
    size_t at = plot_column_of(&YEAR, 1100 * DAY);

    (void)state;
    plot_hold(&YEAR, 320, YEAR.from_us, 1100 * DAY, c);
    plot_hold(&YEAR, 0, 1100 * DAY, 1100 * DAY + SECOND, c);
    plot_hold(&YEAR, 320, 1100 * DAY + SECOND, YEAR.to_us, c);
    assert_int_equal(c[at].least, 0);
    assert_int_equal(c[at].most, 320);
    assert_int_equal(c[at - 1].least, 320);
    assert_int_equal(c[at + 1].least, 320);
}

static void what_is_not_known_stays_so(void **state)
{
    struct plot_column c[100] = { 0 };

    (void)state;
    plot_hold(&YEAR, 7, 1000 * DAY, 1010 * DAY, c);
    plot_hold(&YEAR, 7, 1300 * DAY, 1310 * DAY, c);
    assert_true(c[0].is_known);
    assert_false(c[50].is_known);
    assert_true(c[plot_column_of(&YEAR, 1305 * DAY)].is_known);
    assert_false(c[99].is_known);
    /* What is over before, or begins behind, is no part of it. */
    plot_hold(&YEAR, 9, 10 * DAY, 20 * DAY, c);
    plot_hold(&YEAR, 9, 2000 * DAY, 2001 * DAY, c);
    assert_int_equal(c[0].most, 7);
    assert_false(c[99].is_known);
}

static void what_reaches_in_is_cut(void **state)
{
    struct plot_column c[100] = { 0 };

    (void)state;
    plot_hold(&YEAR, 3, 0, UINT64_MAX, c);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(c[i].most, 3);
}

static void axes_end_at_round_numbers(void **state)
{
    (void)state;
    assert_int_equal(plot_axis(0), 1);
    assert_int_equal(plot_axis(1), 1);
    assert_int_equal(plot_axis(3), 5);
    assert_int_equal(plot_axis(5), 5);
    assert_int_equal(plot_axis(1871), 2000);
    assert_int_equal(plot_axis(320000), 500000);
    assert_true(plot_axis(UINT64_MAX) == UINT64_MAX);
}

static void ticks_are_round_times(void **state)
{
    const struct plot_time hour = { 0, 3600 * SECOND, 10 }, moment = { 0, 1, 10 },
                           ages = { 0, 100 * 365 * DAY, 10 };

    (void)state;
    assert_int_equal(plot_tick(&hour, 6), 600 * SECOND);
    assert_int_equal(plot_tick(&hour, 4), 900 * SECOND);
    assert_int_equal(plot_tick(&YEAR, 6), 60 * DAY);
    assert_int_equal(plot_tick(&moment, 6), 60 * SECOND);
    assert_true(100 * 365 * DAY / plot_tick(&ages, 6) <= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_times),
        cmocka_unit_test(a_burst_stays),
        cmocka_unit_test(a_gap_stays),
        cmocka_unit_test(what_is_not_known_stays_so),
        cmocka_unit_test(what_reaches_in_is_cut),
        cmocka_unit_test(axes_end_at_round_numbers),
        cmocka_unit_test(ticks_are_round_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
