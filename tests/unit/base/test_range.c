/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranges of monitoring plugins. tests/differential/base holds them against another reader of the same.
 */
#include "../cmocka_all.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/range.h"

static void test_alerts(void **state)
{
    static const struct {
        const char *range;
        double value;
        bool alerts;
    } CASES[] = {
        { "10", -1, true },      { "10", 0, false },     { "10", 10, false },
        { "10", 11, true },      { "10:", 9, true },     { "10:", 10, false },
        { "10:", 1e12, false },  { "~:10", -50, false }, { "~:10", 11, true },
        { "10:20", 9, true },    { "10:20", 20, false }, { "10:20", 21, true },
        { "@10:20", 9, false },  { "@10:20", 10, true }, { "@10:20", 20, true },
        { "@10:20", 21, false }, { "~:", -3, false },    { "@~:", 7, true },
        { ":5", 6, true },       { "0", 1, true },       { "-3:-1", -2, false },
        { "-3:-1", 0, true },    { "0.5:", 0, true },    { "0.5:1.5", 1, false },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct range r;

        if (range_parse(CASES[i].range, &r) != 0)
            fail_msg("%s is not read", CASES[i].range);
        if (range_alerts(&r, CASES[i].value) != CASES[i].alerts)
            fail_msg("%s and %g", CASES[i].range, CASES[i].value);
    }
}

static void test_what_is_none(void **state)
{
    static const char *const TEXTS[] = { "",     ":",     "@",    "~",    "@~",
                                         "-",    "ten",   "10:x", "10 ",  "5:3",
                                         "-5",   "1:2:3", "10:~", "~:~",  "@@1",
                                         "1,5",  "0x10",  "1e3",  "10@5", ".",
                                         "1..2", "--1:2", "1:-2", "nan",  "99999999999999999999" };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        struct range r;

        if (range_parse(TEXTS[i], &r) != -EINVAL)
            fail_msg("%s is read", TEXTS[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alerts),
        cmocka_unit_test(test_what_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
