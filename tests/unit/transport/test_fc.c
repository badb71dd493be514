/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Texts of Fibre Channel ports, as kernels print them.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "transport/fc.h"

static const struct fact_key KEY = { "key", FACT_NUMBER, FACT_GAUGE };

/* What a parser makes of a text: the number, or its negative errno. */
static int64_t parsed(fact_parser parse, const char *text)
{
    struct fact_set *set = fact_set_new();
    struct bytes raw = { (const uint8_t *)text, strlen(text) };
    uint64_t number = 0;
    struct subject *s;
    bool is_new;
    int r;

    assert_non_null(set);
    s = fact_set_add(set, "fc_host", "host0", "/sys/devices/host0", NULL, &is_new);
    r = parse(set, &KEY, "test", raw);
    assert_int_equal(fact_set_seal(set), 0);
    assert_int_equal(fact_number(s, &KEY, &number), r == 0);
    fact_set_free(set);
    return r < 0 ? r : (int64_t)number;
}

static void one_speed(void **state)
{
    (void)state;
    assert_int_equal(parsed(fc_parse_speed, "16 Gbit\n"), 16);
    assert_int_equal(parsed(fc_parse_speed, "10 Gbit\n"), 10);
    assert_int_equal(parsed(fc_parse_speed, "unknown\n"), -ENODATA);
    assert_int_equal(parsed(fc_parse_speed, "Not Negotiated\n"), -ENODATA);
    assert_int_equal(parsed(fc_parse_speed, "\n"), -ENODATA);
    assert_int_equal(parsed(fc_parse_speed, ""), -ENODATA);
    assert_int_equal(parsed(fc_parse_speed, "4 Gbit, 8 Gbit\n"), -EBADMSG);
    assert_int_equal(parsed(fc_parse_speed, "0 Gbit\n"), -EBADMSG);
    assert_int_equal(parsed(fc_parse_speed, "16 Mbit\n"), -EBADMSG);
    assert_int_equal(parsed(fc_parse_speed, "99999999999999999999 Gbit\n"), -EBADMSG);
}

/* The kernel lists 10 before 8, 128 after 64 and 25, "Not Negotiated" last. */
static void the_greatest_of_several_in_any_order(void **state)
{
    (void)state;
    assert_int_equal(parsed(fc_parse_speeds, "4 Gbit, 8 Gbit, 16 Gbit\n"), 16);
    assert_int_equal(parsed(fc_parse_speeds, "1 Gbit, 2 Gbit, 4 Gbit, 10 Gbit, 8 Gbit\n"), 10);
    assert_int_equal(parsed(fc_parse_speeds, "32 Gbit, 20 Gbit\n"), 32);
    assert_int_equal(parsed(fc_parse_speeds, "8 Gbit, Not Negotiated\n"), 8);
    assert_int_equal(parsed(fc_parse_speeds, "Not Negotiated\n"), -ENODATA);
    assert_int_equal(parsed(fc_parse_speeds, "unknown\n"), -ENODATA);
    assert_int_equal(parsed(fc_parse_speeds, "\n"), -ENODATA);
    assert_int_equal(parsed(fc_parse_speeds, "8 Gbit; 16 Gbit\n"), -EBADMSG);
    assert_int_equal(parsed(fc_parse_speeds, "fast\n"), -EBADMSG);
}

static void all_ones_is_no_count(void **state)
{
    (void)state;
    assert_int_equal(parsed(fc_parse_statistic, "0x0\n"), 0);
    assert_int_equal(parsed(fc_parse_statistic, "0x9e\n"), 0x9e);
    assert_int_equal(parsed(fc_parse_statistic, "0xffffffff\n"), 0xffffffff);
    assert_int_equal(parsed(fc_parse_statistic, "0xffffffffffffffff\n"), -ENODATA);
    assert_int_equal(parsed(fc_parse_statistic, "many\n"), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_speed),
        cmocka_unit_test(the_greatest_of_several_in_any_order),
        cmocka_unit_test(all_ones_is_no_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
