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

static const char SIX[] =
    "20010db8000000010000000000000000 40 00000000000000000000000000000000 00 "
    "00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0\n"
    "20010db8000000010000000000000010 80 00000000000000000000000000000000 00 "
    "00000000000000000000000000000000 00000000 00000002 00000000 80200001       lo\n"
    "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
    "fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth1\n"
    "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
    "00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n";

#define assert_routed(four, six, address, on_link, expected)                 \
    do {                                                                     \
        char got_[32];                                                       \
        assert_int_equal(iscsi_route(four, six, address, on_link, got_), 0); \
        assert_string_equal(got_, expected);                                 \
    } while (0)

static void the_longest_prefix_wins(void **state)
{
    (void)state;
    assert_routed(LITTLE, NULL, "192.168.1.3", false, "eno1");
    assert_routed(LITTLE, NULL, "192.168.0.3", false, "ens1f0");
    assert_routed(LITTLE, NULL, "10.1.2.3", false, "eno1");
}

static void either_byte_order(void **state)
{
    (void)state;
    assert_routed(BIG, NULL, "192.168.1.3", false, "eno1");
    assert_routed(BIG, NULL, "192.168.0.3", false, "ens1f0");
    assert_routed(BIG, NULL, "10.1.2.3", false, "eno1");
}

/* Own addresses are looked up among the networks the machine is in: no default route. */
static void on_link_means_without_a_gateway(void **state)
{
    char interface[32];

    (void)state;
    assert_routed(LITTLE, NULL, "192.168.1.10", true, "eno1");
    assert_int_equal(iscsi_route(LITTLE, NULL, "10.1.2.3", true, interface), -ENOENT);
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
    assert_int_equal(iscsi_route(TIED, NULL, "192.168.1.3", false, interface), -ENOTUNIQ);
    assert_routed(UNEQUAL, NULL, "192.168.1.3", false, "b");
}

static void routes_that_are_down_or_reject_do_not_count(void **state)
{
    static const char OFF[] = HEAD "a\t0001A8C0\t00000000\t0000\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
                                   "b\t0001A8C0\t00000000\t0201\t0\t0\t0\t00FFFFFF\t0\t0\t0\n";
    char interface[32];

    (void)state;
    assert_int_equal(iscsi_route(OFF, NULL, "192.168.1.3", false, interface), -ENOENT);
}

static void version_six(void **state)
{
    char interface[32];

    (void)state;
    assert_routed(NULL, SIX, "2001:db8:0:1::99", false, "eth0");
    assert_routed(NULL, SIX, "2001:db8:0:1::10", true, "eth0");
    assert_routed(NULL, SIX, "2001:db8:0:2::1", false, "eth1");
    assert_int_equal(iscsi_route(NULL, SIX, "2001:db8:0:2::1", true, interface), -ENOENT);
}

static void what_is_no_table_or_address(void **state)
{
    char interface[32];

    (void)state;
    assert_int_equal(iscsi_route(LITTLE, SIX, "array.example", false, interface), -EINVAL);
    assert_int_equal(iscsi_route(LITTLE, SIX, "", false, interface), -EINVAL);
    assert_int_equal(iscsi_route(NULL, NULL, "192.168.1.3", false, interface), -ENOENT);
    assert_int_equal(
        iscsi_route(HEAD "eno1\t\n\n\x01garbage\n", "x\ny\n", "192.168.1.3", false, interface),
        -ENOENT);
    assert_int_equal(iscsi_route(NULL, "zz\n\n\n", "::2", false, interface), -ENOENT);
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
        cmocka_unit_test(version_six),
        cmocka_unit_test(what_is_no_table_or_address),
        cmocka_unit_test(loopback),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
