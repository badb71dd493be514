/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which interface a routing table sends an address to.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "transport/iscsi.h"

#define HEAD                                                                                     \
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT       " \
    "                                                        \n"

/* A default route over eno1, 192.168.0.0/24 on ens1f0, 192.168.1.0/24 on eno1. */
static const char LITTLE[] = HEAD "eno1\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
                                  "eno1\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n"
                                  "ens1f0\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n";

/* The same as s390x prints it. */
static const char BIG[] = HEAD "eno1\t00000000\tC0A80101\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
                               "eno1\tC0A80100\t00000000\t0001\t0\t0\t100\tFFFFFF00\t0\t0\t0\n"
                               "ens1f0\tC0A80000\t00000000\t0001\t0\t0\t0\tFFFFFF00\t0\t0\t0\n";

#define assert_routed(routes, address, on_link, expected)                 \
    do {                                                                  \
        char got_[32];                                                    \
        assert_int_equal(iscsi_route(routes, address, on_link, got_), 0); \
        assert_string_equal(got_, expected);                              \
    } while (0)

static void the_longest_prefix_wins(void **state)
{
    (void)state;
    assert_routed(LITTLE, "192.168.1.3", false, "eno1");
    assert_routed(LITTLE, "192.168.0.3", false, "ens1f0");
    assert_routed(LITTLE, "10.1.2.3", false, "eno1");
}

static void either_byte_order(void **state)
{
    (void)state;
    assert_routed(BIG, "192.168.1.3", false, "eno1");
    assert_routed(BIG, "192.168.0.3", false, "ens1f0");
    assert_routed(BIG, "10.1.2.3", false, "eno1");
}

/* Own addresses are looked up among the networks the machine is in: no default route. */
static void on_link_means_without_a_gateway(void **state)
{
    char interface[32];

    (void)state;
    assert_routed(LITTLE, "192.168.1.10", true, "eno1");
    assert_int_equal(iscsi_route(LITTLE, "10.1.2.3", true, interface), -ENOENT);
}

static void the_metric_decides_between_equal_prefixes(void **state)
{
    static const char TIED[] = HEAD "a\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n"
                                    "b\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n";
    static const char UNEQUAL[] = HEAD
        "a\t0001A8C0\t00000000\t0001\t0\t0\t200\t00FFFFFF\t0\t0\t0\n"
        "b\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n";
    char interface[32];

    (void)state;
    assert_int_equal(iscsi_route(TIED, "192.168.1.3", false, interface), -ENOTUNIQ);
    assert_routed(UNEQUAL, "192.168.1.3", false, "b");
}

static void routes_that_are_down_or_reject_do_not_count(void **state)
{
    static const char OFF[] = HEAD "a\t0001A8C0\t00000000\t0000\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
                                   "b\t0001A8C0\t00000000\t0201\t0\t0\t0\t00FFFFFF\t0\t0\t0\n";
    char interface[32];

    (void)state;
    assert_int_equal(iscsi_route(OFF, "192.168.1.3", false, interface), -ENOENT);
}

static void what_is_no_table_or_address(void **state)
{
    char interface[32];

    (void)state;
    assert_int_equal(iscsi_route(LITTLE, "array.example", false, interface), -EINVAL);
    assert_int_equal(iscsi_route(LITTLE, "", false, interface), -EINVAL);
    assert_int_equal(iscsi_route(LITTLE, "2001:db8::1", false, interface), -EINVAL);
    assert_int_equal(iscsi_route("", "192.168.1.3", false, interface), -ENOENT);
    assert_int_equal(iscsi_route(HEAD "eno1\t\n\n\x01garbage\n", "192.168.1.3", false, interface),
                     -ENOENT);
}

static void loopback(void **state)
{
    (void)state;
    assert_true(iscsi_is_loopback("127.0.0.1"));
    assert_true(iscsi_is_loopback("127.1.2.3"));
    assert_true(iscsi_is_loopback("::1"));
    assert_false(iscsi_is_loopback("192.168.1.1"));
    assert_false(iscsi_is_loopback("::2"));
    assert_false(iscsi_is_loopback("localhost"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_prefix_wins),
        cmocka_unit_test(either_byte_order),
        cmocka_unit_test(on_link_means_without_a_gateway),
        cmocka_unit_test(the_metric_decides_between_equal_prefixes),
        cmocka_unit_test(routes_that_are_down_or_reject_do_not_count),
        cmocka_unit_test(what_is_no_table_or_address),
        cmocka_unit_test(loopback),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
