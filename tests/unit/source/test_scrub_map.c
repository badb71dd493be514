/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The permutations of scrubbing: what stays, that nothing collides, and that all notations agree.
 */
#include "../cmocka_all.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/scrub_map.h"
#include "source/siphash.h"

static const struct scrub_key KEY = { "0123456789abcdef" }, OTHER = { "0123456789abcdeF" };

/* The vector of the paper's appendix A. */
static void siphash_is_siphash(void **state)
{
    uint8_t key[16], message[15];

    (void)state;
    for (uint8_t i = 0; i < 16; i++)
        key[i] = i;
    for (uint8_t i = 0; i < 15; i++)
        message[i] = i;
    assert_true(siphash(key, (struct bytes){ message, 15 }) == 0xa129ca6149be45e5);
    assert_true(siphash(key, (struct bytes){ NULL, 0 }) == 0x726fdb47dd0e0e31);
    assert_true(siphash(key, (struct bytes){ message, 8 }) == 0x93f5f5799a932462);
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, 8);
}

static void addresses_keep_oui_and_low_bits_and_never_collide(void **state)
{
    enum { N = 65536 };
    uint64_t *v = malloc(N * sizeof(*v));

    (void)state;
    assert_non_null(v);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t wwn = 0x5000c50000000000 + (i << 8) + (i & 0xff), out = scrub_wwn(&KEY, wwn);

        assert_int_equal(out >> 36, wwn >> 36);
        assert_int_equal(out & 0xff, wwn & 0xff);
        v[i] = out >> 8;
    }
    qsort(v, N, sizeof(*v), compare);
    for (size_t i = 1; i < N; i++)
        assert_true(v[i] != v[i - 1]);
    free(v);
}

/* The 16 bits that are permuted in a MAC address: all of them, once. */
static void mac_addresses_are_permuted(void **state)
{
    static uint8_t seen[65536];

    (void)state;
    for (uint64_t i = 0; i < 65536; i++) {
        uint64_t mac = 0x0024ff000011 | i << 8, out = scrub_mac(&KEY, mac);

        assert_int_equal(out & 0xffffff0000ff, mac & 0xffffff0000ff);
        assert_int_equal(seen[out >> 8 & 0xffff]++, 0);
        /* The names that are made from it go with it. */
        assert_int_equal(scrub_wwn(&KEY, 0x2000000000000000 | mac), 0x2000000000000000 | out);
        assert_int_equal(scrub_wwn(&KEY, 0x2100000000000000 | mac), 0x2100000000000000 | out);
        assert_int_equal(scrub_wwn(&KEY, 0x1000000000000000 | mac), 0x1000000000000000 | out);
    }
}

static void what_is_no_address_stays(void **state)
{
    static const uint64_t STAY[] = { 0,
                                     UINT64_MAX,
                                     1,
                                     0x660000,
                                     0xfffffffffull,
                                     0x1000000000000000,
                                     0x2000ffffff123456,
                                     0xfffffffe12345678 };

    (void)state;
    for (size_t i = 0; i < sizeof(STAY) / sizeof(STAY[0]); i++)
        assert_true(scrub_wwn(&KEY, STAY[i]) == STAY[i]);
    assert_int_equal(scrub_mac(&KEY, 0), 0);
    assert_int_equal(scrub_mac(&KEY, 0xffffffffffff), 0xffffffffffff);
}

static void neighbours_stay_neighbours(void **state)
{
    (void)state;
    for (uint64_t i = 1; i < 256; i++)
        assert_true(
            (scrub_wwn(&KEY, 0x500304800000a000 | i) ^ scrub_wwn(&KEY, 0x500304800000a000)) == i);
    assert_true(scrub_wwn(&KEY, 0x5000c50012345601) != 0x5000c50012345601);
    assert_true(scrub_wwn(&KEY, 0x5000c50012345601) != scrub_wwn(&OTHER, 0x5000c50012345601));
    /* An array's port and the units behind it have its number in common. */
    assert_true((scrub_wwn(&KEY, 0x50060e8012345601) & 0xfffffffff) ==
                (scrub_wwn(&KEY, 0x60060e8012345601) & 0xfffffffff));
}

static void check_hex(const char *in, bool upper, uint64_t wwn)
{
    char text[64], want[64];

    snprintf(text, sizeof(text), "%s", in);
    if (upper)
        snprintf(want, sizeof(want), "%0*" PRIX64, (int)strlen(in), wwn);
    else
        snprintf(want, sizeof(want), "%0*" PRIx64, (int)strlen(in), wwn);
    scrub_hex(&KEY, (uint8_t *)text, strlen(text));
    assert_string_equal(text, want);
}

static void notations_agree(void **state)
{
    uint64_t wwn = scrub_wwn(&KEY, 0x5000c500a1b2c3d4), high = 0x600a0b8000123456,
             low = 0x789abcdef0123456;
    char text[] = "600A0B8000123456789ABCDEF0123456", want[64],
         colons[] = "50:00:c5:00:a1:b2:c3:d4";
    uint64_t back_high, back_low;

    (void)state;
    check_hex("5000c500a1b2c3d4", false, wwn);
    check_hex("5000C500A1B2C3D4", true, wwn);
    scrub_hex(&KEY, (uint8_t *)colons, strlen(colons));
    assert_int_equal(
        hex_number((struct bytes){ (uint8_t *)colons, strlen(colons) }, &back_high, &back_low), 16);
    assert_true(back_low == wwn);
    assert_int_equal(colons[2], ':');
    /* Printed by %llx, without leading zeros. */
    check_hex("24ff00a1b2c3d4", false, scrub_wwn(&KEY, 0x24ff00a1b2c3d4));
    scrub_wwn128(&KEY, &high, &low);
    snprintf(want, sizeof(want), "%016" PRIX64 "%016" PRIX64, high, low);
    scrub_hex(&KEY, (uint8_t *)text, strlen(text));
    assert_string_equal(text, want);
    assert_true(high == scrub_wwn(&KEY, 0x600a0b8000123456));
    assert_true(low == scrub_wwn_extension(&KEY, 0x789abcdef0123456));
    /* A GID: the prefix stays, the GUID is the one of node_guid. */
    high = 0xfe80000000000000;
    low = 0x0002c90300a05de2;
    scrub_wwn128(&KEY, &high, &low);
    assert_true(high == 0xfe80000000000000 && low == scrub_wwn(&KEY, 0x0002c90300a05de2));
    assert_true(low != 0x0002c90300a05de2);
}

static void check_serial(const char *in)
{
    char out[64] = "", twice[64] = "";
    size_t n = strlen(in);

    scrub_serial(&KEY, (struct bytes){ (const uint8_t *)in, n }, (uint8_t *)out);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(!isdigit((unsigned char)in[i]), !isdigit((unsigned char)out[i]));
        assert_int_equal(!isupper((unsigned char)in[i]), !isupper((unsigned char)out[i]));
        assert_int_equal(!islower((unsigned char)in[i]), !islower((unsigned char)out[i]));
        if (!isalnum((unsigned char)in[i]))
            assert_int_equal(in[i], out[i]);
    }
    if (n > 3)
        assert_string_not_equal(in, out);
    memcpy(twice, in, n);
    scrub_serial(&KEY, (struct bytes){ (uint8_t *)twice, n }, (uint8_t *)twice);
    assert_string_equal(out, twice);
}

static void serial_numbers_keep_their_form(void **state)
{
    static const char *const SERIALS[] = { "",
                                           "A",
                                           "42",
                                           "ZA100002",
                                           "WD-WCC4N1234567",
                                           "50 00001",
                                           "0123456789ABCDEF",
                                           "ZA1000020000C8151XYZ",
                                           "550e8400-e29b-41d4-a716-446655440000",
                                           "\xc3\xa4-12345" };

    (void)state;
    for (size_t i = 0; i < sizeof(SERIALS) / sizeof(SERIALS[0]); i++)
        check_serial(SERIALS[i]);
}

static void text_of(const char *in, char *out)
{
    memset(out, 0, 64);
    scrub_serial(&KEY, (struct bytes){ (const uint8_t *)in, strlen(in) }, (uint8_t *)out);
}

static void serial_numbers_agree_where_they_should(void **state)
{
    char whole[64], part[64], other[64];

    (void)state;
    /* The beginning of a number is the number's beginning. */
    text_of("ZA1000020000C8151XYZ", whole);
    text_of("ZA100002", part);
    assert_memory_equal(whole, part, 8);
    text_of("ZA1000020000C815", part);
    assert_memory_equal(whole, part, 16);
    text_of("ZA1000030000C8151XYZ", other);
    assert_memory_not_equal(whole + 8, other + 8, 12);
    /* udev's underscore, and letters of the other case. */
    text_of("50 00001a", whole);
    text_of("50_00001A", part);
    assert_int_equal(part[2], '_');
    part[2] = ' ';
    part[8] = (char)tolower(part[8]);
    assert_string_equal(whole, part);
    /* An address in place of a number is an address. */
    text_of("5000C500A1B2C3D4", whole);
    check_hex("5000c500a1b2c3d4", false, scrub_wwn(&KEY, 0x5000c500a1b2c3d4));
    assert_int_equal(strtoull(whole, NULL, 16), scrub_wwn(&KEY, 0x5000c500a1b2c3d4));
}

/* All numbers of one form: three digits, a letter and a digit. */
static void serial_numbers_never_collide(void **state)
{
    static uint8_t seen[1000], letters[260];
    char in[8], out[8];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        snprintf(in, sizeof(in), "%03d", i);
        scrub_serial(&KEY, (struct bytes){ (uint8_t *)in, 3 }, (uint8_t *)out);
        out[3] = '\0';
        assert_int_equal(seen[atoi(out)]++, 0);
    }
    for (int i = 0; i < 260; i++) {
        snprintf(in, sizeof(in), "%c%d", 'A' + i / 10, i % 10);
        scrub_serial(&KEY, (struct bytes){ (uint8_t *)in, 2 }, (uint8_t *)out);
        assert_int_equal(letters[(out[0] - 'A') * 10 + out[1] - '0']++, 0);
    }
}

static void opaque_bytes_are_permuted(void **state)
{
    static uint8_t seen[65536];

    (void)state;
    for (unsigned i = 0; i < 65536; i++) {
        uint8_t b[2] = { (uint8_t)(i >> 8), (uint8_t)i };

        scrub_opaque(&KEY, (struct bytes){ b, 2 }, b);
        assert_int_equal(seen[b[0] << 8 | b[1]]++, 0);
    }
}

static void iqns_keep_their_structure(void **state)
{
    char a[] = "iqn.2026-01.com.example:array.lun0", b[] = "iqn.2026-01.com.example:array.lun1",
         c[] = "iqn.x:y";

    (void)state;
    scrub_iqn(&KEY, (struct bytes){ (uint8_t *)a, strlen(a) }, (uint8_t *)a);
    scrub_iqn(&KEY, (struct bytes){ (uint8_t *)b, strlen(b) }, (uint8_t *)b);
    scrub_iqn(&KEY, (struct bytes){ (uint8_t *)c, strlen(c) }, (uint8_t *)c);
    assert_memory_equal(a, "iqn.2026-01.", 12);
    assert_memory_equal(a, b, strlen(a) - 4);
    assert_string_not_equal(a, b);
    assert_null(strstr(a, "com"));
    assert_null(strstr(a, "example"));
    assert_null(strstr(a, "array"));
    assert_int_equal(a[15], '.');
    assert_int_equal(a[23], ':');
    assert_memory_equal(c, "iqn.", 4);
}

static uint32_t v4(const char *text)
{
    struct in_addr a;

    assert_int_equal(inet_pton(AF_INET, text, &a), 1);
    return ntohl(a.s_addr);
}

static void networks_stay_networks(void **state)
{
    static const char *const KEPT[] = { "0.0.0.0", "127.0.0.1", "255.255.255.255", "224.0.0.1" };
    static uint8_t seen[256];

    (void)state;
    for (size_t i = 0; i < sizeof(KEPT) / sizeof(KEPT[0]); i++)
        assert_int_equal(scrub_ipv4(&KEY, v4(KEPT[i])), v4(KEPT[i]));
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t a = scrub_ipv4(&KEY, v4("192.168.0.7") | i << 8);

        assert_int_equal(a >> 16, v4("192.168.0.0") >> 16);
        assert_int_equal(a & 0xff, 7);
        assert_int_equal(seen[a >> 8 & 0xff]++, 0);
    }
    assert_int_equal(scrub_ipv4(&KEY, v4("172.31.5.6")) >> 20, v4("172.16.0.0") >> 20);
    assert_int_equal(scrub_ipv4(&KEY, v4("10.1.2.3")) >> 24, 10);
    /* As many leading bits in common as before. */
    for (unsigned bit = 8; bit < 24; bit++) {
        uint32_t a = v4("10.77.130.9"), b = a ^ 1u << (31 - bit);

        assert_int_equal(__builtin_clz(scrub_ipv4(&KEY, a) ^ scrub_ipv4(&KEY, b)), bit);
    }
}

static void ipv6_keeps_prefixes_and_follows_the_mac(void **state)
{
    uint8_t a[16], b[16];
    uint64_t mac = scrub_mac(&KEY, 0x001122334455);

    (void)state;
    assert_int_equal(inet_pton(AF_INET6, "fe80::211:22ff:fe33:4455", a), 1);
    scrub_ipv6(&KEY, a);
    assert_int_equal(inet_pton(AF_INET6, "fe80::211:22ff:fe00:0", b), 1);
    assert_memory_equal(a, b, 13);
    assert_int_equal(a[13] << 16 | a[14] << 8 | a[15], mac & 0xffffff);
    assert_int_equal(inet_pton(AF_INET6, "2001:db8:1:2::3", a), 1);
    assert_int_equal(inet_pton(AF_INET6, "2001:db8:1:2::4", b), 1);
    scrub_ipv6(&KEY, a);
    scrub_ipv6(&KEY, b);
    assert_memory_equal(a, b, 15);
    assert_int_equal(a[15], 3);
    assert_int_equal(a[0] << 8 | a[1], 0x2001);
    assert_int_equal(inet_pton(AF_INET6, "::1", a), 1);
    memcpy(b, a, 16);
    scrub_ipv6(&KEY, a);
    assert_memory_equal(a, b, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siphash_is_siphash),
        cmocka_unit_test(addresses_keep_oui_and_low_bits_and_never_collide),
        cmocka_unit_test(mac_addresses_are_permuted),
        cmocka_unit_test(what_is_no_address_stays),
        cmocka_unit_test(neighbours_stay_neighbours),
        cmocka_unit_test(notations_agree),
        cmocka_unit_test(serial_numbers_keep_their_form),
        cmocka_unit_test(serial_numbers_agree_where_they_should),
        cmocka_unit_test(serial_numbers_never_collide),
        cmocka_unit_test(opaque_bytes_are_permuted),
        cmocka_unit_test(iqns_keep_their_structure),
        cmocka_unit_test(networks_stay_networks),
        cmocka_unit_test(ipv6_keeps_prefixes_and_follows_the_mac),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
