/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>

#include "decode/smp.h"
#include "exact.h"

enum { DISCOVER = 124 }; /* SPL-4: 4 + 4 * 1Eh bytes */

static void make_discover(uint8_t r[DISCOVER])
{
    memset(r, 0, DISCOVER);
    memcpy(r, "\x41\x10\x00\x1e", 4);
    r[9] = 17;
    r[12] = 0x12;
    r[13] = 0xfa; /* the upper half is reserved here */
    r[14] = 0x01;
    r[15] = 0x80 | 0x10 | 0x01;
    memcpy(r + 16, "\x50\x03\x04\x80\x00\x00\xa0\x7f", 8);
    memcpy(r + 24, "\x50\x00\xc5\x00\x00\x00\x01\x01", 8);
    r[32] = 1;
    r[40] = 0x98;
    r[41] = 0xab;
    r[42] = 33;
    r[43] = 0x80;
    r[44] = 0x02;
    r[45] = 0x20;
    r[46] = 4;
    r[47] = 2;
    memcpy(r + 76, "\x80\xff\x00\x00\x80\x0c\x00\x00\x80\xfc\x00\x01", 12);
    r[94] = 0x4b;
    r[95] = 0x06;
}

static void reads_discover(void **state)
{
    uint8_t r[DISCOVER];
    struct smp_discover d;

    (void)state;
    make_discover(r);
    assert_int_equal(smp_discover(BYTES(r), &d), 0);
    assert_int_equal(d.phy.phy, 17);
    assert_int_equal(d.phy.attached_type, SAS_ATTACHED_END_DEVICE);
    assert_int_equal(d.phy.attached_reason, SAS_REASON_HARD_RESET);
    assert_int_equal(d.phy.reason, SAS_REASON_LOSS_OF_SYNC);
    assert_int_equal(sas_rate_mbps(d.phy.logical_rate), 6000);
    assert_int_equal(d.phy.attached_initiator, SAS_PROTOCOL_SATA);
    assert_int_equal(d.phy.attached_target, SAS_PROTOCOL_SATA_PORT_SELECTOR |
                                                SAS_PROTOCOL_BUFFER_TOO_SMALL | SAS_PROTOCOL_SATA);
    assert_true(d.phy.address == 0x500304800000a07f);
    assert_true(d.phy.attached_address == 0x5000c50000000101);
    assert_int_equal(d.phy.attached_phy, 1);
    assert_int_equal(d.programmed_min, 9);
    assert_int_equal(d.hardware_min, 8);
    assert_int_equal(d.programmed_max, 10);
    assert_int_equal(d.hardware_max, 11);
    assert_int_equal(d.change_count, 33);
    assert_true(d.virtual_phy);
    assert_int_equal(d.routing, SMP_ROUTING_TABLE);
    assert_int_equal(d.connector_type, 0x20);
    assert_int_equal(d.connector_element, 4);
    assert_int_equal(d.connector_link, 2);
    assert_true(d.has_capabilities && d.has_physical_rate);
    assert_int_equal(sas_capabilities_max_mbps(d.programmed_capabilities), 12000);
    assert_int_equal(sas_capabilities_max_mbps(d.current_capabilities), 6000);
    assert_int_equal(d.attached_capabilities, 0x80fc0001);
    assert_int_equal(sas_rate_mbps(d.physical_rate), 12000);
    assert_true(d.optical && d.ssc);
}

/* SAS-1: 52 bytes and a CRC behind them, RESPONSE LENGTH 0. */
static void sas_1_says_less(void **state)
{
    uint8_t r[DISCOVER];
    struct smp_discover d;

    (void)state;
    make_discover(r);
    r[3] = 0;
    assert_int_equal(smp_discover(BYTES(r), &d), 0);
    assert_false(d.has_capabilities || d.has_physical_rate || d.optical || d.ssc);
    assert_int_equal(d.attached_capabilities, 0);
    assert_int_equal(d.physical_rate, 0);
    assert_int_equal(d.phy.reason, SAS_REASON_UNKNOWN);
    assert_int_equal(d.hardware_max, 11);
}

static void discover_stands_any_length(void **state)
{
    uint8_t r[DISCOVER];

    (void)state;
    make_discover(r);
    for (size_t len = 0; len <= sizeof(r); len++) {
        _cleanup_exact_ struct bytes b = exact(r, len);
        struct smp_discover d;

        assert_int_equal(smp_discover(b, &d), len < 48 ? -EBADMSG : 0);
        if (len < 48)
            continue;
        assert_int_equal(d.has_capabilities, len >= 88);
        assert_int_equal(d.programmed_capabilities, len >= 88 ? 0x80ff0000 : 0);
        assert_int_equal(d.has_physical_rate, len >= 96);
    }
}

static void refusals_are_told_from_nonsense(void **state)
{
    uint8_t r[] = { 0x41, 0x10, 0x16, 0x00 };
    struct smp_discover d;
    struct smp_errors e;

    (void)state;
    assert_int_equal(smp_result(BYTES(r), SMP_DISCOVER), SMP_RESULT_PHY_VACANT);
    assert_int_equal(smp_discover(BYTES(r), &d), -ENODATA);
    assert_int_equal(smp_phy_error_log(BYTES(r), &e), -EBADMSG);
    r[2] = 0;
    assert_int_equal(smp_discover(BYTES(r), &d), -EBADMSG);
    r[0] = 0x40; /* a request */
    assert_int_equal(smp_result(BYTES(r), SMP_DISCOVER), -EBADMSG);
    assert_int_equal(smp_result((struct bytes){ r, 3 }, SMP_DISCOVER), -EBADMSG);
}

static void reads_report_general(void **state)
{
    uint8_t r[32] = { 0x41, 0x00, 0x00, 0x06, 0x01, 0x02, 0, 0, 0x80, 37, 0x82 };
    struct smp_general g;

    (void)state;
    memcpy(r + 12, "\x50\x03\x04\x80\x00\x00\xa0\x7f", 8);
    assert_int_equal(smp_general(BYTES(r), &g), 0);
    assert_int_equal(g.change_count, 0x0102);
    assert_int_equal(g.n_phys, 37);
    assert_true(g.table_to_table && g.configuring && g.has_enclosure_id);
    assert_true(g.enclosure_id == 0x500304800000a07f);
    memset(r + 12, 0, 8);
    r[3] = 0;
    assert_int_equal(smp_general(BYTES(r), &g), 0);
    assert_false(g.has_enclosure_id);
    assert_int_equal(smp_general((struct bytes){ r, 19 }, &g), -EBADMSG);
    r[3] = 3; /* too short by its own word */
    assert_int_equal(smp_general(BYTES(r), &g), -EBADMSG);
}

static void reads_the_error_log(void **state)
{
    uint8_t r[32] = { 0x41, 0x11, 0x00, 0x00, 0, 0, 0, 0, 0, 5 };
    struct smp_errors e;

    (void)state;
    memcpy(r + 12, "\0\0\0\1\0\0\0\2\0\0\0\3\xff\xff\xff\xff", 16);
    assert_int_equal(smp_phy_error_log(BYTES(r), &e), 0);
    assert_int_equal(e.phy, 5);
    assert_int_equal(e.invalid_dword, 1);
    assert_int_equal(e.running_disparity, 2);
    assert_int_equal(e.loss_of_sync, 3);
    assert_int_equal(e.reset_problem, 0xffffffff);
    assert_int_equal(smp_phy_error_log((struct bytes){ r, 27 }, &e), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_discover),
        cmocka_unit_test(sas_1_says_less),
        cmocka_unit_test(discover_stands_any_length),
        cmocka_unit_test(refusals_are_told_from_nonsense),
        cmocka_unit_test(reads_report_general),
        cmocka_unit_test(reads_the_error_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
