/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers as a line of signs.
 */
#include "../cmocka_all.h"

#include <string.h>

#include "output/spark.h"

static void test_blocks(void **state)
{
    const uint64_t v[] = { 0, 100, 200, 700, 350, 1 };
    char line[SPARK_SIZE];

    (void)state;
    assert_string_equal(spark(v, 6, true, line), "▁▂▃█▅▂");
    assert_string_equal(spark(v, 6, false, line), "013951");
    assert_string_equal(spark(v, 1, true, line), "▁");
    assert_string_equal(spark(v, 0, true, line), "");
}

static void test_all_alike(void **state)
{
    const uint64_t v[] = { 5, 5, 5 }, huge[] = { UINT64_MAX, UINT64_MAX / 2, 0 };
    char line[SPARK_SIZE];

    (void)state;
    assert_string_equal(spark(v, 3, true, line), "███");
    assert_string_equal(spark(huge, 3, false, line), "950");
}

/* Neighbours share a column, and what is more than nothing is seen. */
static void test_many(void **state)
{
    uint64_t v[1000] = { 0 };
    char line[SPARK_SIZE];

    (void)state;
    v[999] = 1000000;
    v[0] = 1;
    spark(v, 1000, false, line);
    assert_int_equal(strlen(line), SPARK_MAX);
    assert_string_equal(line, "000000000000000000000009");
    v[0] = 42;
    assert_string_equal(spark(v, 1000, false, line), "100000000000000000000009");
}

static void test_time(void **state)
{
    const struct spark_time v[] = { { 100, 3 }, { 150, 4 }, { 340, 5 }, { 340, UINT64_MAX } };
    uint64_t columns[SPARK_MAX];

    (void)state;
    spark_by_time(v, 3, 100, columns);
    assert_int_equal(columns[0], 3);
    assert_int_equal(columns[5], 4);
    assert_int_equal(columns[SPARK_MAX - 1], 5);
    spark_by_time(v, 4, 100, columns);
    assert_true(columns[SPARK_MAX - 1] == UINT64_MAX);
    spark_by_time(v, 1, 100, columns); /* all at one time */
    assert_int_equal(columns[0], 3);
    spark_by_time(v, 0, 100, columns);
    assert_int_equal(columns[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_all_alike),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
