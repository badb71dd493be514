/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Points in time as people write them.
 */
#include "../cmocka_all.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/when.h"

/* 2026-11-30 10:20:30 UTC */
static const uint64_t NOW = UINT64_C(1796034030) * 1000000, DAY = UINT64_C(86400) * 1000000,
                      MIDNIGHT = UINT64_C(1795996800) * 1000000, HOUR = UINT64_C(3600) * 1000000;

static void assert_when(const char *text, bool is_ahead, uint64_t want)
{
    uint64_t got = 0;

    if (when_parse(text, NOW, is_ahead, &got) != 0)
        fail_msg("%s", text);
    assert_int_equal(got, want);
}

static void test_lengths(void **state)
{
    (void)state;
    assert_when("2h", false, NOW - 2 * HOUR);
    assert_when("2h", true, NOW + 2 * HOUR);
    assert_when("90min", false, NOW - 3 * HOUR / 2);
    assert_when("1d12h", false, NOW - 3 * DAY / 2);
    assert_when("1w", true, NOW + 7 * DAY);
    assert_when("0s", false, NOW);
}

static void test_days(void **state)
{
    (void)state;
    assert_when("now", false, NOW);
    assert_when("today", false, MIDNIGHT);
    assert_when("today", true, MIDNIGHT + DAY);
    assert_when("yesterday", false, MIDNIGHT - DAY);
    assert_when("tomorrow", true, MIDNIGHT + 2 * DAY);
    assert_when("2026-11-30", false, MIDNIGHT);
    assert_when("2026-11-30", true, MIDNIGHT + DAY);
    assert_when("1970-01-01", false, 0);
    assert_when("2024-02-29", false, UINT64_C(1709164800) * 1000000);
}

static void test_times(void **state)
{
    (void)state;
    assert_when("2026-11-30 10:20:30", false, NOW);
    assert_when("2026-11-30T10:20:30Z", true, NOW);
    assert_when("2026-11-30 10:20", false, NOW - 30 * UINT64_C(1000000));
    assert_when("@1796034030", false, NOW);
}

static void test_others(void **state)
{
    static const char *const TEXTS[] = {
        "",
        "h",
        "2",
        "2 h",
        "-2h",
        "2hours",
        "2h3",
        "@",
        "@-1",
        "@1x",
        "2026-11-31",
        "2026-13-01",
        "2026-00-01",
        "2026-11-00",
        "2026-1-1",
        "26-11-30",
        "1969-12-31",
        "2026-02-29",
        "2026-11-30 24:00",
        "2026-11-30 10:60",
        "2026-11-30 10",
        "2026-11-30 10:20:61",
        "2026-11-30 10:20+01:00",
        "2026-11-30x",
        "soon",
        "9999999999999w",
        "999999999999w",
        "9999999h9999999h999999999999h",
        "2026-11-30 ",
        "100000d",
    };
    uint64_t at = 7;

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        if (when_parse(TEXTS[i], NOW, false, &at) != -EINVAL)
            fail_msg("%s", TEXTS[i]);
        assert_int_equal(at, 7);
    }
    assert_int_equal(when_parse("3000000d", NOW, true, &at), -EINVAL); /* beyond the year 9999 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_days),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
