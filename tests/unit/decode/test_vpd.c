/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>

#include "decode/identify.h"
#include "decode/rotation.h"
#include "decode/vpd.h"
#include "exact.h"

static void head_is_checked(void **state)
{
    uint8_t page[] = { 0x0d, 0x80, 0, 4, 'A', 'B', 'C', 'D', 'E' };
    struct vpd vpd;

    (void)state;
    assert_int_equal(vpd_decode(BYTES(page), 0x80, &vpd), 0);
    assert_int_equal(vpd.type, 0x0d);
    assert_int_equal(vpd.code, 0x80);
    assert_int_equal(vpd.body.len, 4);
    assert_false(vpd.cut);
    assert_int_equal(vpd_decode(BYTES(page), 0x83, &vpd), -EBADMSG);
    page[0] = 0x2d; /* nothing connected now: what is known still counts */
    assert_int_equal(vpd_decode(BYTES(page), 0x80, &vpd), 0);
    assert_int_equal(vpd.qualifier, 1);
    page[0] = 0x7f;
    assert_int_equal(vpd_decode(BYTES(page), 0x80, &vpd), -ENODATA);
    page[0] = 0;
    page[2] = 0xff;
    assert_int_equal(vpd_decode(BYTES(page), 0x80, &vpd), 0);
    assert_int_equal(vpd.body.len, 5);
    assert_true(vpd.cut);
    assert_int_equal(vpd_decode((struct bytes){ page, 3 }, 0x80, &vpd), -EBADMSG);
    assert_int_equal(vpd_decode((struct bytes){ 0 }, 0x80, &vpd), -EBADMSG);
}

static void page_00h_is_told_from_standard_inquiry_data(void **state)
{
    const uint8_t standard[36] = { 0x00, 0x00, 0x05, 0x02, 0x1f };
    const uint8_t list[] = { 0x00, 0x00, 0x00, 0x03, 0x00, 0x80, 0x83, 0x89 };
    struct vpd vpd;

    (void)state;
    assert_int_equal(vpd_decode(BYTES(standard), VPD_SUPPORTED_PAGES, &vpd), -EBADMSG);
    assert_int_equal(vpd_decode(BYTES(list), VPD_SUPPORTED_PAGES, &vpd), 0);
    assert_true(vpd_lists(&vpd, 0x83));
    assert_false(vpd_lists(&vpd, 0x89)); /* behind the page's end */
    vpd.code = 0x80;
    assert_false(vpd_lists(&vpd, 0x83));
}

static int serial(const char *text, struct bytes *ret)
{
    static uint8_t page[64];
    size_t len = strlen(text);

    memset(page, 0, sizeof(page));
    page[1] = 0x80;
    page[3] = (uint8_t)len;
    memcpy(page + 4, text, len);
    return vpd_serial_number((struct bytes){ page, 4 + len }, ret);
}

static void blank_serial_numbers_are_none(void **state)
{
    struct bytes s = { 0 };

    (void)state;
    assert_int_equal(serial("", &s), -ENODATA);
    assert_int_equal(serial("        ", &s), -ENODATA);
    assert_int_equal(s.len, 0);
    assert_int_equal(serial("   3HY0  ", &s), 0);
    assert_int_equal(s.len, 9); /* as the device padded it */
}

enum { ATA_PAGE = 60 + IDENTIFY_SIZE };

static void make_ata(uint8_t page[ATA_PAGE])
{
    memset(page, 0, ATA_PAGE);
    memcpy(page, "\x00\x89\x02\x38\x00\x00\x00\x00linux   libata          3.00", 36);
    page[36] = 0x34;
    page[56] = 0xec;
    page[60] = 0x40;
    page[571] = 0x77;
}

static void reads_ata_information(void **state)
{
    uint8_t page[ATA_PAGE];
    struct vpd_ata ata;

    (void)state;
    make_ata(page);
    assert_int_equal(vpd_ata_information(BYTES(page), &ata), 0);
    assert_memory_equal(ata.sat_vendor.data, "linux   ", 8);
    assert_int_equal(ata.sat_product.len, 16);
    assert_memory_equal(ata.sat_revision.data, "3.00", 4);
    assert_true(ata.serial);
    assert_int_equal(ata.command, 0xec);
    assert_int_equal(ata.identify.len, IDENTIFY_SIZE);
    assert_int_equal(ata.identify.data[0], 0x40);
    assert_int_equal(ata.identify.data[511], 0x77);
    page[36] = 0x00;
    assert_int_equal(vpd_ata_information(BYTES(page), &ata), 0);
    assert_false(ata.serial);
}

static void ata_information_stands_any_length(void **state)
{
    uint8_t page[ATA_PAGE];

    (void)state;
    make_ata(page);
    for (size_t len = 0; len <= sizeof(page); len++) {
        _cleanup_exact_ struct bytes b = exact(page, len);
        struct vpd_ata ata;

        assert_int_equal(vpd_ata_information(b, &ata), len < 57 ? -EBADMSG : 0);
        if (len >= 57)
            assert_int_equal(ata.identify.len, len < ATA_PAGE ? 0 : IDENTIFY_SIZE);
    }
    page[3] = 0x30; /* by its own length, too */
    struct vpd_ata ata;
    assert_int_equal(vpd_ata_information(BYTES(page), &ata), 0);
    assert_int_equal(ata.identify.len, 0);
}

static void reads_rotation(void **state)
{
    uint8_t page[64] = { 0x00, 0xb1, 0x00, 0x3c, 0x1c, 0x20 };
    uint16_t rpm;

    (void)state;
    assert_int_equal(vpd_rotation(BYTES(page), &rpm), 0);
    assert_int_equal(rpm, 7200);
    page[4] = 0;
    page[5] = 1;
    assert_int_equal(vpd_rotation(BYTES(page), &rpm), 0);
    assert_int_equal(rpm, ROTATION_NONE);
    page[5] = 0;
    assert_int_equal(vpd_rotation(BYTES(page), &rpm), -ENODATA);
    page[5] = 1;
    assert_int_equal(vpd_rotation((struct bytes){ page, 5 }, &rpm), -ENODATA);
    page[3] = 1;
    assert_int_equal(vpd_rotation(BYTES(page), &rpm), -ENODATA);
    assert_int_equal(vpd_rotation((struct bytes){ page, 3 }, &rpm), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_is_checked),
        cmocka_unit_test(page_00h_is_told_from_standard_inquiry_data),
        cmocka_unit_test(blank_serial_numbers_are_none),
        cmocka_unit_test(reads_ata_information),
        cmocka_unit_test(ata_information_stands_any_length),
        cmocka_unit_test(reads_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
