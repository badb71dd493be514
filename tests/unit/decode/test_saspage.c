/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>

#include "decode/protopage.h"
#include "decode/saspage.h"
#include "exact.h"

enum { TWO_PHYS = 8 + 2 * 48 };

static void make_phys(uint8_t page[TWO_PHYS])
{
    memset(page, 0, TWO_PHYS);
    memcpy(page, "\x59\x01\x00\x64\x00\x06\x05\x02", 8);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *d = page + 8 + (size_t)48 * i;

        d[1] = (uint8_t)i;
        d[4] = 0xa4; /* expander, and a reserved bit before it */
        d[5] = i ? 0x12 : 0x1b;
        d[6] = 0x0e;
        d[7] = 0x02;
        memcpy(d + 8, "\x50\x00\xc5\x00\x00\x00\x01\x01", 8);
        d[15] = (uint8_t)(1 + i);
        memcpy(d + 16, "\x50\x06\x05\xb0\x00\xa1\x00\x00", 8);
        d[24] = 5;
        d[32] = 0x98;
        d[33] = 0xab;
    }
}

static void reads_all_phys(void **state)
{
    uint8_t page[TWO_PHYS];
    struct saspage_phys phys;
    struct saspage_phy p;

    (void)state;
    make_phys(page);
    assert_int_equal(saspage_phys(BYTES(page), &phys), 0);
    assert_int_equal(phys.generation, 5);
    assert_int_equal(phys.n_phys, 2);
    assert_true(saspage_phys_next(&phys, &p));
    assert_int_equal(p.phy.phy, 0);
    assert_int_equal(p.phy.attached_type, SAS_ATTACHED_EXPANDER);
    assert_int_equal(p.phy.attached_reason, SAS_REASON_LOSS_OF_SYNC);
    assert_int_equal(p.phy.reason, SAS_REASON_POWER_ON);
    assert_int_equal(sas_rate_mbps(p.phy.logical_rate), 12000);
    assert_int_equal(p.phy.attached_initiator,
                     SAS_PROTOCOL_SSP | SAS_PROTOCOL_STP | SAS_PROTOCOL_SMP);
    assert_int_equal(p.phy.attached_target, SAS_PROTOCOL_SMP);
    assert_true(p.phy.address == 0x5000c50000000101);
    assert_true(p.phy.attached_address == 0x500605b000a10000);
    assert_int_equal(p.phy.attached_phy, 5);
    assert_int_equal(p.programmed_min, 9);
    assert_int_equal(p.hardware_min, 8);
    assert_int_equal(p.programmed_max, 10);
    assert_int_equal(p.hardware_max, 11);
    assert_true(saspage_phys_next(&phys, &p));
    assert_true(p.phy.address == 0x5000c50000000102);
    assert_int_equal(sas_state_of(p.phy.logical_rate), SAS_STATE_RESET_PROBLEM);
    assert_false(saspage_phys_next(&phys, &p));
    assert_false(saspage_phys_next(&phys, &p));
    assert_false(phys.cut);
}

/* How many phys the walk gives of this page; cut tells whether it noticed that some are missing. */
static unsigned count(struct bytes page, bool *cut)
{
    struct saspage_phys phys;
    struct saspage_phy p;
    unsigned n = 0;

    assert_int_equal(saspage_phys(page, &phys), 0);
    while (saspage_phys_next(&phys, &p))
        n++;
    *cut = phys.cut;
    return n;
}

static void number_of_phys_is_not_trusted(void **state)
{
    uint8_t page[TWO_PHYS];
    bool cut;

    (void)state;
    make_phys(page);
    page[7] = 255;
    assert_int_equal(count(BYTES(page), &cut), 2);
    assert_true(cut);
    page[7] = 1;
    assert_int_equal(count(BYTES(page), &cut), 1);
    assert_false(cut);
    page[7] = 0;
    assert_int_equal(count(BYTES(page), &cut), 0);
    assert_false(cut);
    page[7] = 2;
    page[3] = 0x63; /* one byte short by the page's own length */
    assert_int_equal(count(BYTES(page), &cut), 1);
    assert_true(cut);
}

static void phys_stand_any_length(void **state)
{
    uint8_t page[TWO_PHYS];

    (void)state;
    make_phys(page);
    for (size_t len = 0; len <= sizeof(page); len++) {
        _cleanup_exact_ struct bytes b = exact(page, len);
        struct saspage_phys phys;
        bool cut;

        if (len < 8) {
            assert_int_equal(saspage_phys(b, &phys), -EBADMSG);
            continue;
        }
        assert_int_equal(count(b, &cut), (len - 8) / 48);
        assert_int_equal(cut, len < sizeof(page));
    }
}

static const uint8_t ENHANCED[] = {
    0x59,
    0x03,
    0x00,
    0x30,
    0x00,
    0x06,
    0x07,
    0x02,
    /* a descriptor longer than what is defined of it */
    0x00,
    0x03,
    0x00,
    0x14,
    0x80,
    0xff,
    0x00,
    0x00,
    0x80,
    0x0c,
    0x00,
    0x00,
    0x80,
    0xfc,
    0x00,
    0x01,
    0x00,
    0x00,
    0x3b,
    0x00,
    0xee,
    0xee,
    0xee,
    0xee,
    /* and one of just that length */
    0x00,
    0x04,
    0x00,
    0x10,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x05,
    0x00,
};

static void enhanced_descriptors_have_a_length(void **state)
{
    struct saspage_enhanced e;
    struct saspage_enhanced_phy p;

    (void)state;
    assert_int_equal(saspage_enhanced(BYTES(ENHANCED), &e), 0);
    assert_int_equal(e.generation, 7);
    assert_true(saspage_enhanced_next(&e, &p));
    assert_int_equal(p.phy, 3);
    assert_int_equal(sas_capabilities_max_mbps(p.programmed_capabilities), 12000);
    assert_int_equal(sas_capabilities_max_mbps(p.current_capabilities), 6000);
    assert_int_equal(p.attached_capabilities, 0x80fc0001);
    assert_true(p.optical && p.ssc);
    assert_int_equal(p.physical_rate, 11);
    assert_true(saspage_enhanced_next(&e, &p));
    assert_int_equal(p.phy, 4);
    assert_int_equal(sas_state_of(p.physical_rate), SAS_STATE_RESETTING);
    assert_false(saspage_enhanced_next(&e, &p));
    assert_false(e.cut);
}

static unsigned count_enhanced(struct bytes page, bool *cut)
{
    struct saspage_enhanced e;
    struct saspage_enhanced_phy p;
    unsigned n = 0;

    assert_int_equal(saspage_enhanced(page, &e), 0);
    while (saspage_enhanced_next(&e, &p))
        n++;
    *cut = e.cut;
    return n;
}

static void enhanced_lengths_are_not_trusted(void **state)
{
    uint8_t page[sizeof(ENHANCED)];
    bool cut;

    (void)state;
    memcpy(page, ENHANCED, sizeof(page));
    page[11] = 0x0f; /* shorter than its fields */
    assert_int_equal(count_enhanced(BYTES(page), &cut), 0);
    assert_true(cut);
    page[10] = 0xff; /* longer than the page */
    assert_int_equal(count_enhanced(BYTES(page), &cut), 0);
    assert_true(cut);
    page[10] = 0;
    page[11] = 0; /* a length of 0 must not stop the world */
    assert_int_equal(count_enhanced(BYTES(page), &cut), 0);
    for (size_t len = 8; len <= sizeof(ENHANCED); len++) {
        _cleanup_exact_ struct bytes b = exact(ENHANCED, len);

        assert_int_equal(count_enhanced(b, &cut), len < 32 ? 0 : len < 52 ? 1 : 2);
        assert_int_equal(cut, len < 52);
    }
}

static void reads_short_and_shared(void **state)
{
    const uint8_t short_page[] = { 0x99, 0x06, 0x16, 0, 0x07, 0xd0, 0xff, 0xff };
    const uint8_t shared[] = {
        0x59, 0x02, 0, 0x0c, 0, 0x06, 0x01, 0x02, 0, 3, 0x05, 0, 0, 0, 0, 0
    };
    struct saspage_shared s;
    struct saspage_timers t;

    (void)state;
    assert_int_equal(saspage_timers(BYTES(short_page), &t), 0);
    assert_true(t.ready_led_meaning);
    assert_int_equal(t.nexus_loss_ms, 2000);
    assert_int_equal(t.initiator_response_ms, 0xffff);
    assert_int_equal(saspage_timers((struct bytes){ short_page, 7 }, &t), -EBADMSG);
    assert_int_equal(saspage_shared(BYTES(shared), &s), 0);
    assert_int_equal(s.power_loss_ms, 0x0102);
    assert_int_equal(s.power_grant_s, 3);
    assert_true(s.has_port_mode && s.four_phys && s.one_phy && !s.two_phys);
    assert_int_equal(saspage_shared((struct bytes){ shared, 10 }, &s), 0);
    assert_false(s.has_port_mode || s.one_phy);
    assert_int_equal(saspage_shared((struct bytes){ shared, 7 }, &s), -EBADMSG);
}

static void rate_codes_are_rates_or_states(void **state)
{
    static const uint32_t MBPS[16] = { [8] = 1500, 3000, 6000, 12000, 22500 };

    (void)state;
    for (unsigned code = 0; code < 256; code++) {
        unsigned low = code & 0xf;

        assert_int_equal(sas_rate_mbps((uint8_t)code), MBPS[low]);
        if (low < 7)
            assert_int_equal(sas_state_of((uint8_t)code), low);
        else
            assert_int_equal(sas_state_of((uint8_t)code),
                             MBPS[low] ? SAS_STATE_UP : SAS_STATE_RESERVED);
    }
    assert_string_equal(sas_state_to_string(SAS_STATE_SPINUP_HOLD), "spinup hold");
    assert_string_equal(sas_state_to_string(SAS_STATE_UP), "up");
    assert_null(sas_state_to_string(SAS_STATE_MAX));
}

static void capabilities_go_down_from_the_best(void **state)
{
    (void)state;
    assert_int_equal(sas_capabilities_max_mbps(0), 0);
    assert_int_equal(sas_capabilities_max_mbps(0xff003fff), 0); /* everything but rates */
    assert_int_equal(sas_capabilities_max_mbps(0x00400000), 1500);
    assert_int_equal(sas_capabilities_max_mbps(0x00100000), 3000);
    assert_int_equal(sas_capabilities_max_mbps(0x00040000), 6000);
    assert_int_equal(sas_capabilities_max_mbps(0x00010000), 12000);
    assert_int_equal(sas_capabilities_max_mbps(0x00020000), 12000);
    assert_int_equal(sas_capabilities_max_mbps(0x00008000), 22500);
    assert_int_equal(sas_capabilities_max_mbps(0x80ffc001), 22500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_phys),
        cmocka_unit_test(number_of_phys_is_not_trusted),
        cmocka_unit_test(phys_stand_any_length),
        cmocka_unit_test(enhanced_descriptors_have_a_length),
        cmocka_unit_test(enhanced_lengths_are_not_trusted),
        cmocka_unit_test(reads_short_and_shared),
        cmocka_unit_test(rate_codes_are_rates_or_states),
        cmocka_unit_test(capabilities_go_down_from_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
