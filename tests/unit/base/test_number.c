/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers in text: what is one, to the last digit, and what is none.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/number.h"

static const struct {
    const char *text;
    unsigned base;
    int r;
    uint64_t value;
} UNSIGNED[] = {
    { "0", 10, 0, 0 },
    { "007", 10, 0, 7 },
    { "18446744073709551615", 10, 0, UINT64_MAX },
    { "18446744073709551616", 10, -ERANGE, 0 },
    { "18446744073709551620", 10, -ERANGE, 0 },
    { "99999999999999999999999", 10, -ERANGE, 0 },
    { "", 10, -EBADMSG, 0 },
    { " 1", 10, -EBADMSG, 0 },
    { "1 ", 10, -EBADMSG, 0 },
    { "1\n", 10, -EBADMSG, 0 },
    { "-1", 10, -EBADMSG, 0 },
    { "+1", 10, -EBADMSG, 0 },
    { "1a", 10, -EBADMSG, 0 },
    { "0x1", 10, -EBADMSG, 0 },
    { "1:", 10, -EBADMSG, 0 },
    { "/", 10, -EBADMSG, 0 },
    { "0x1f", 16, 0, 0x1f },
    { "0X1F", 16, 0, 0x1f },
    { "1f", 16, 0, 0x1f },
    { "aBcDeF", 16, 0, 0xabcdef },
    { "ffffffffffffffff", 16, 0, UINT64_MAX },
    { "10000000000000000", 16, -ERANGE, 0 },
    { "0x", 16, -EBADMSG, 0 },
    { "x1", 16, -EBADMSG, 0 },
    { "g", 16, -EBADMSG, 0 },
    { "@", 16, -EBADMSG, 0 },
    { "`", 16, -EBADMSG, 0 },
    { "0x0x1", 16, -EBADMSG, 0 },
    { "0x10", 0, 0, 16 },
    { "10", 0, 0, 10 },
    { "010", 0, 0, 10 },
    { "1f", 0, -EBADMSG, 0 },
    { "0x", 0, -EBADMSG, 0 },
    { "0", 0, 0, 0 },
};

static void unsigned_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(UNSIGNED) / sizeof(UNSIGNED[0]); i++) {
        uint64_t value = 4711;
        int r = number_u64(UNSIGNED[i].text, UNSIGNED[i].base, &value);

        if (r != UNSIGNED[i].r || value != (r < 0 ? 4711 : UNSIGNED[i].value))
            fail_msg("\"%s\" (%u): %d, %" PRIu64, UNSIGNED[i].text, UNSIGNED[i].base, r, value);
    }
}

static const struct {
    const char *text;
    int r;
    int64_t value;
} SIGNED[] = {
    { "0", 0, 0 },
    { "-0", 0, 0 },
    { "-1", 0, -1 },
    { "9223372036854775807", 0, INT64_MAX },
    { "9223372036854775808", -ERANGE, 0 },
    { "-9223372036854775807", 0, -INT64_MAX },
    { "-9223372036854775808", 0, INT64_MIN },
    { "-9223372036854775809", -ERANGE, 0 },
    { "-", -EBADMSG, 0 },
    { "--1", -EBADMSG, 0 },
    { "-0x1", -EBADMSG, 0 },
    { "", -EBADMSG, 0 },
    { "- 1", -EBADMSG, 0 },
};

static void signed_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(SIGNED) / sizeof(SIGNED[0]); i++) {
        int64_t value = 4711;
        int r = number_i64(SIGNED[i].text, &value);

        if (r != SIGNED[i].r || value != (r < 0 ? 4711 : SIGNED[i].value))
            fail_msg("\"%s\": %d, %" PRIi64, SIGNED[i].text, r, value);
    }
}

static const struct {
    const char *text;
    unsigned digits;
    int r;
    uint64_t value;
    const char *rest;
} DECIMALS[] = {
    { "12.5 ns", 3, 0, 12500, " ns" },
    { "6.25", 3, 0, 6250, "" },
    { "3.125\n", 3, 0, 3125, "\n" },
    { "25", 3, 0, 25000, "" },
    { "30.3", 0, 0, 30, "" },
    { "1.23456789", 3, 0, 1234, "" },
    { "0.0005", 3, 0, 0, "" },
    { "8.0 GT/s PCIe", 1, 0, 80, " GT/s PCIe" },
    { "5 GT/s", 1, 0, 50, " GT/s" },
    { "1.", 2, 0, 100, "" },
    { "1.2.3", 1, 0, 12, ".3" },
    { ".5", 1, -EBADMSG, 0, NULL },
    { "", 1, -EBADMSG, 0, NULL },
    { "-1", 1, -EBADMSG, 0, NULL },
    { " 1", 1, -EBADMSG, 0, NULL },
    { "reserved", 3, -EBADMSG, 0, NULL },
    { "18446744073709551615", 0, 0, UINT64_MAX, "" },
    { "18446744073709551615", 1, -ERANGE, 0, NULL },
    { "18446744073709551616", 0, -ERANGE, 0, NULL },
    { "1844674407370955161.5", 1, 0, UINT64_MAX, "" },
    { "1844674407370955161.6", 1, -ERANGE, 0, NULL },
};

static void decimal_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(DECIMALS) / sizeof(DECIMALS[0]); i++) {
        const char *rest = "untouched";
        uint64_t value = 4711;
        int r = number_decimal(DECIMALS[i].text, DECIMALS[i].digits, &value, &rest);

        if (r != DECIMALS[i].r || value != (r < 0 ? 4711 : DECIMALS[i].value) ||
            strcmp(rest, r < 0 ? "untouched" : DECIMALS[i].rest) != 0)
            fail_msg("\"%s\": %d, %" PRIu64 ", \"%s\"", DECIMALS[i].text, r, value, rest);
        if (DECIMALS[i].r == 0) /* all of it must be the number */
            assert_int_equal(number_decimal(DECIMALS[i].text, DECIMALS[i].digits, &value, NULL),
                             *DECIMALS[i].rest ? -EBADMSG : 0);
    }
}

static void hex(void **state)
{
    static const struct {
        const char *text;
        int64_t n;
        uint8_t bytes[4];
    } HEX[] = {
        { "", 0, { 0 } },
        { " \n\t\r ", 0, { 0 } },
        { "00", 1, { 0 } },
        { "12aBfF", 3, { 0x12, 0xab, 0xff } },
        { " 12 ab\nff\t", 3, { 0x12, 0xab, 0xff } },
        { "12 3", -EBADMSG, { 0 } },
        { "1 2", -EBADMSG, { 0 } },
        { "g0", -EBADMSG, { 0 } },
        { "0g", -EBADMSG, { 0 } },
        { "0x12", -EBADMSG, { 0 } },
        { "1", -EBADMSG, { 0 } },
        { "12,34", -EBADMSG, { 0 } },
        { "0102030405", -E2BIG, { 0 } },
        { "01020304", 4, { 1, 2, 3, 4 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(HEX) / sizeof(HEX[0]); i++) {
        uint8_t out[5] = { 0, 0, 0, 0, 0xee };

        assert_int_equal(hex_decode(HEX[i].text, strlen(HEX[i].text), out, 4), HEX[i].n);
        if (HEX[i].n > 0)
            assert_memory_equal(out, HEX[i].bytes, (size_t)HEX[i].n);
        assert_int_equal(out[4], 0xee);
    }
    assert_int_equal(hex_decode("1234", 2, (uint8_t[1]){ 0 }, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_numbers),
        cmocka_unit_test(signed_numbers),
        cmocka_unit_test(decimal_numbers),
        cmocka_unit_test(hex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
