/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USB binary device object stores.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "decode/usbbos.h"

static int decode(const char *hex, struct usbbos *ret)
{
    uint8_t data[256];
    int64_t n = hex_decode(hex, strlen(hex), data, sizeof(data));

    assert_true(n >= 0);
    return usbbos_decode((struct bytes){ data, (size_t)n }, ret);
}

static void test_superspeed(void **state)
{
    struct usbbos bos;

    (void)state;
    assert_int_equal(decode("050f160002 07100202000000 0a1003000e00010aff07", &bos), 0);
    assert_true(bos.has_superspeed);
    assert_int_equal(bos.speeds, USBBOS_FULL | USBBOS_HIGH | USBBOS_SUPER);
    assert_false(bos.has_plus);
    assert_int_equal(bos.min_lanes, 1);
}

/* A USB 2.0 device with link power management alone. */
static void test_usb2_only(void **state)
{
    struct usbbos bos;

    (void)state;
    assert_int_equal(decode("050f0c0001 07100206000000", &bos), 0);
    assert_false(bos.has_superspeed);
    assert_int_equal(bos.speeds, 0);
}

/* Two sublinks, receive and transmit, 10 Gb/s each; 100 in units of 1 Gb/s would be exponent 3. */
static void test_plus(void **state)
{
    struct usbbos bos;

    (void)state;
    assert_int_equal(decode("050f240002 0a1003000e00010aff07"
                            "14100a00 01000000 0011 0000 3040 0a00 b040 0a00",
                            &bos),
                     0);
    assert_true(bos.has_plus);
    assert_int_equal(bos.lane_bps, 10000000000);
    assert_int_equal(bos.min_lanes, 1);
    /* exponent 2: 10000 Mb/s; two lanes at least */
    assert_int_equal(decode("050f240001 10100a00 00000000 0022 0000 2040 1027", &bos), 0);
    assert_int_equal(bos.lane_bps, 10000000000);
    assert_int_equal(bos.min_lanes, 2);
}

static void test_cut_short(void **state)
{
    struct usbbos bos;

    (void)state;
    assert_int_equal(decode("050f160002 07100202000000 0a1003000e", &bos), 0);
    assert_false(bos.has_superspeed);
    /* a capability too short for its fields says nothing */
    assert_int_equal(decode("050f090001 04100300", &bos), 0);
    assert_false(bos.has_superspeed);
    /* sublinks promised that are not there */
    assert_int_equal(decode("050f240001 10100a00 05000000 0011 0000 3040 0a00", &bos), 0);
    assert_false(bos.has_plus);
    /* half of one that goes on: wTotalLength */
    assert_int_equal(decode("050f160002 07100202000000", &bos), 0);
    assert_true(bos.is_cut);
    /* a length of zero must not loop */
    assert_int_equal(decode("050f090001 000000 000000", &bos), 0);
}

static void test_not_a_store(void **state)
{
    struct usbbos bos;

    (void)state;
    assert_int_equal(decode("", &bos), -EBADMSG);
    assert_int_equal(decode("05", &bos), -EBADMSG);
    assert_int_equal(decode("050e160002", &bos), -EBADMSG);
    assert_int_equal(decode("040f1600", &bos), -EBADMSG);
    assert_int_equal(decode("200f160002", &bos), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_superspeed),  cmocka_unit_test(test_usb2_only),
        cmocka_unit_test(test_plus),        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_not_a_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
