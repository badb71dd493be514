/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>

#include "decode/inquiry.h"
#include "exact.h"

/* An Ultra320 disk of 96 bytes, as far as byte 7, 56 and the version descriptors go. */
static void make(uint8_t data[96])
{
    memset(data, 0, 96);
    memcpy(data, "\x00\x00\x03\x02\x5b\x00\x00\x32SEAGATE ST3146807LW     0007", 36);
    data[56] = 0x0f;
    memcpy(data + 58, "\x0a\xc0\x00\x00\x0b\x56", 6);
}

static void reads_every_field(void **state)
{
    struct inquiry i;
    uint8_t data[96];

    (void)state;
    make(data);
    data[0] = 0x2e;
    data[1] = 0x80;
    data[2] = 0x92;
    data[6] = 0x10;
    data[7] = 0x62;
    assert_int_equal(inquiry_decode(BYTES(data), &i), 0);
    assert_int_equal(i.qualifier, 1);
    assert_int_equal(i.type, 0x0e);
    assert_true(i.removable);
    assert_int_equal(i.version, 0x92);
    assert_int_equal(i.ansi, 2);
    assert_int_equal(i.length, 96);
    assert_true(i.multiport && i.wbus32 && i.wbus16 && i.cmdque && !i.sync);
    assert_true(i.has_byte56 && i.qas && i.ius);
    assert_int_equal(i.clocking, INQUIRY_CLOCKING_ST_DT);
    assert_int_equal(i.n_standards, 2);
    assert_int_equal(i.standards[1], 0x0b56);
    assert_memory_equal(i.product.data, "ST3146807LW     ", 16);
}

static void byte_56_is_there_or_it_is_not(void **state)
{
    struct inquiry i;
    uint8_t data[96];

    (void)state;
    make(data);
    data[4] = 51; /* 56 bytes: the last one is byte 55 */
    assert_int_equal(inquiry_decode(BYTES(data), &i), 0);
    assert_false(i.has_byte56);
    assert_false(i.ius || i.qas);
    assert_int_equal(i.clocking, 0);
    assert_int_equal(i.n_standards, 0);
    data[4] = 52;
    assert_int_equal(inquiry_decode(BYTES(data), &i), 0);
    assert_true(i.has_byte56);
    data[4] = 255; /* claims more than is there */
    assert_int_equal(inquiry_decode((struct bytes){ data, 56 }, &i), 0);
    assert_false(i.has_byte56);
    assert_int_equal(i.length, 260);
    data[56] = 0; /* there, and says no */
    assert_int_equal(inquiry_decode(BYTES(data), &i), 0);
    assert_true(i.has_byte56);
    assert_false(i.ius);
}

static void the_first_36_bytes_need_no_additional_length(void **state)
{
    struct inquiry i;
    uint8_t data[96];

    (void)state;
    make(data);
    data[4] = 0;
    assert_int_equal(inquiry_decode(BYTES(data), &i), 0);
    assert_int_equal(i.length, 5);
    assert_int_equal(i.revision.len, 4);
    assert_false(i.has_byte56);
}

static void stands_any_length(void **state)
{
    uint8_t data[96];

    (void)state;
    make(data);
    for (size_t len = 0; len <= sizeof(data); len++) {
        _cleanup_exact_ struct bytes cut = exact(data, len);
        struct inquiry i;

        assert_int_equal(inquiry_decode(cut, &i), len < INQUIRY_DATA_MIN ? -EBADMSG : 0);
        if (len < INQUIRY_DATA_MIN)
            continue;
        assert_int_equal(i.vendor.len, len < 16 ? len - 8 : 8);
        assert_int_equal(i.product.len, len < 16 ? 0 : len < 32 ? len - 16 : 16);
        assert_int_equal(i.revision.len, len < 32 ? 0 : len < 36 ? len - 32 : 4);
        assert_int_equal(i.has_byte56, len > 56);
        assert_int_equal(i.n_standards, len < 60 ? 0 : len < 64 ? 1 : 2);
    }
}

static void names_transport_standards(void **state)
{
    (void)state;
    assert_string_equal(inquiry_standard_name(0x0afb), "SPI-2");
    assert_string_equal(inquiry_standard_name(0x0b60), "SPI-5");
    assert_string_equal(inquiry_standard_name(0x0c4e), "SAS-2.1");
    assert_string_equal(inquiry_standard_name(0x0a11), "FCP-3");
    assert_string_equal(inquiry_standard_name(0x1f02), "SAT-4");
    assert_null(inquiry_standard_name(0x05c0)); /* SPC-5: no transport */
    assert_null(inquiry_standard_name(0x0000));
    assert_null(inquiry_standard_name(0xffff));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_field),
        cmocka_unit_test(byte_56_is_there_or_it_is_not),
        cmocka_unit_test(the_first_36_bytes_need_no_additional_length),
        cmocka_unit_test(stands_any_length),
        cmocka_unit_test(names_transport_standards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
