/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/stats.h"

static void medians(void **state)
{
    static const struct {
        uint64_t v[5];
        size_t n;
        uint64_t median, deviation;
    } CASES[] = {
        { { 7 }, 1, 7, 0 },
        { { 9, 4 }, 2, 6, 2 },
        { { 9, 1, 5 }, 3, 5, 4 },
        { { 100, 101, 99, 5 }, 4, 99, 1 },
        { { 1, 2, 3, 4, 1000000 }, 5, 3, 1 },
        { { UINT64_MAX, UINT64_MAX - 2 }, 2, UINT64_MAX - 1, 1 },
        { { 0, UINT64_MAX }, 2, UINT64_MAX / 2, UINT64_MAX / 2 },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        uint64_t v[5];

        memcpy(v, CASES[i].v, sizeof(v));
        assert_true(stats_median(v, CASES[i].n) == CASES[i].median);
        assert_true(stats_deviation(v, CASES[i].n, CASES[i].median) == CASES[i].deviation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
