/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quantiles of a histogram against those of the sorted values.
 */
#include "../cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/histogram.h"

enum { VALUES = 20000 };

static const unsigned QUANTILES[] = { 0, 1, 10, 250, 500, 900, 950, 990, 999, 1000 };

/* splitmix64: numbers that look random, the same in each run. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void expect_near(const struct histogram *h, uint64_t *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare);
    for (size_t i = 0; i < sizeof(QUANTILES) / sizeof(QUANTILES[0]); i++) {
        size_t rank = (n * QUANTILES[i] + 999) / 1000;
        uint64_t want = values[rank ? rank - 1 : 0], got = histogram_quantile(h, QUANTILES[i]);
        uint64_t off = got > want ? got - want : want - got;

        if (off * 100 > want)
            print_error("quantile %u: %llu, not %llu\n", QUANTILES[i], (unsigned long long)got,
                        (unsigned long long)want);
        assert_true(off * 100 <= want);
    }
    assert_int_equal(h->n, n);
    assert_int_equal(h->min, values[0]);
    assert_int_equal(h->max, values[n - 1]);
}

/* Distributions: uniform; over all magnitudes; two peaks a thousand apart, as a cache makes them. */
static uint64_t draw(int kind, uint64_t *state)
{
    uint64_t x = next(state);

    switch (kind) {
    case 0:
        return x % 1000000;
    case 1:
        return x >> (22 + next(state) % 42);
    default:
        return x % 10 ? 20000 + x % 3000 : 8000000 + x % 4000000;
    }
}

static void quantiles_within_a_percent(void **state)
{
    static uint64_t values[VALUES];

    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct histogram *h = calloc(1, sizeof(*h));
        uint64_t seed = (uint64_t)kind + 1;

        for (size_t i = 0; i < VALUES; i++) {
            values[i] = draw(kind, &seed);
            histogram_add(h, values[i]);
        }
        expect_near(h, values, VALUES);
        free(h);
    }
}

static void small_values_are_exact(void **state)
{
    struct histogram *h = calloc(1, sizeof(*h));

    (void)state;
    assert_int_equal(histogram_quantile(h, 500), 0);
    for (uint64_t i = 0; i < 256; i++)
        histogram_add(h, i);
    for (unsigned q = 1; q <= 1000; q++)
        assert_int_equal(histogram_quantile(h, q), (256 * q + 999) / 1000 - 1);
    free(h);
}

static void merged_is_as_if_added(void **state)
{
    struct histogram *all = calloc(1, sizeof(*all)), *a = calloc(1, sizeof(*a)),
                     *b = calloc(1, sizeof(*b)), *none = calloc(1, sizeof(*none));
    uint64_t seed = 7;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t value = draw(1, &seed);

        histogram_add(all, value);
        histogram_add(i % 3 ? a : b, value);
    }
    histogram_merge(none, a);
    histogram_merge(a, b);
    assert_memory_equal(a, all, sizeof(*a));
    histogram_merge(none, b);
    assert_memory_equal(none, all, sizeof(*a));
    memset(b, 0, sizeof(*b));
    histogram_merge(a, b);
    assert_memory_equal(a, all, sizeof(*a));
    free(all);
    free(a);
    free(b);
    free(none);
}

/* Every power of two and its neighbours, and what is too great. */
static void edges(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 64; bits++)
        for (int by = -1; by <= 1; by++) {
            struct histogram *h = calloc(1, sizeof(*h));
            uint64_t value = (UINT64_C(1) << bits) + (uint64_t)(int64_t)by;

            for (int i = 0; i < 3; i++)
                histogram_add(h, value);
            assert_int_equal(histogram_quantile(h, 500), value); /* brought between min and max */
            free(h);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_within_a_percent),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(merged_is_as_if_added),
        cmocka_unit_test(edges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
