/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>

#include "decode/modesense.h"
#include "exact.h"

/* A block descriptor, page 02h in page_0 format and page 19h/03h in sub_page format. */
#define DESCRIPTOR 0, 0x11, 0x22, 0x33, 0, 0, 2, 0
#define PAGES      0x82, 2, 0xaa, 0xbb, 0x59, 0x03, 0, 3, 0, 0x01, 0x08

static const uint8_t SIX[] = { 22, 0x01, 0x10, 8, DESCRIPTOR, PAGES };
static const uint8_t TEN[] = { 0, 25, 0x01, 0x10, 0, 0, 0, 8, DESCRIPTOR, PAGES };

static void check(const struct modesense *m)
{
    struct mode_page p;

    assert_int_equal(m->medium_type, 1);
    assert_int_equal(m->device_specific, 0x10);
    assert_int_equal(m->descriptors.len, 8);
    assert_int_equal(m->pages.len, 11);
    assert_false(m->longlba || m->cut);
    assert_int_equal(modesense_find(m, 0x19, 0x03, &p), 0);
    assert_int_equal(p.bytes.len, 7);
    assert_int_equal(p.bytes.data[6], 0x08);
    assert_false(p.savable || p.cut);
    assert_int_equal(modesense_find(m, 0x02, 0, &p), 0);
    assert_int_equal(p.bytes.len, 4);
    assert_true(p.savable);
    assert_int_equal(modesense_find(m, 0x19, 0, &p), -ENOENT);
    assert_int_equal(modesense_find(m, 0x03, 0, &p), -ENOENT);
}

static void reads_both_forms(void **state)
{
    struct modesense m;

    (void)state;
    assert_int_equal(modesense_decode(BYTES(SIX), MODESENSE_6, &m), 0);
    assert_int_equal(m.length, sizeof(SIX));
    check(&m);
    assert_int_equal(modesense_decode(BYTES(TEN), MODESENSE_10, &m), 0);
    assert_int_equal(m.length, sizeof(TEN));
    check(&m);
}

static void data_length_is_an_upper_bound(void **state)
{
    uint8_t six[sizeof(SIX)];
    struct mode_page p;
    struct modesense m;

    (void)state;
    memcpy(six, SIX, sizeof(six));
    six[0] = 15; /* behind the first page there is nothing that counts */
    assert_int_equal(modesense_decode(BYTES(six), MODESENSE_6, &m), 0);
    assert_int_equal(m.pages.len, 4);
    assert_int_equal(modesense_find(&m, 0x19, 0x03, &p), -ENOENT);
    six[0] = 255;
    assert_int_equal(modesense_decode(BYTES(six), MODESENSE_6, &m), 0);
    assert_true(m.cut);
    assert_int_equal(modesense_find(&m, 0x19, 0x03, &p), 0);
}

static void block_descriptors_must_fit(void **state)
{
    const uint8_t long_ones[] = { 0, 38, 0, 0, 1, 0, 0, 32, 0 };
    uint8_t ten[sizeof(TEN)];
    struct modesense m;

    (void)state;
    memcpy(ten, TEN, sizeof(ten));
    ten[7] = 20;
    assert_int_equal(modesense_decode(BYTES(ten), MODESENSE_10, &m), -EBADMSG);
    ten[6] = 0xff;
    assert_int_equal(modesense_decode(BYTES(ten), MODESENSE_10, &m), -EBADMSG);
    assert_int_equal(modesense_decode(BYTES(long_ones), MODESENSE_10, &m), 0);
    assert_true(m.longlba && m.cut);
    assert_int_equal(m.descriptors.len, 1);
    assert_int_equal(m.pages.len, 0);
}

static unsigned count(struct bytes pages, bool *cut)
{
    struct modesense_walk walk = { cursor_over(pages) };
    struct mode_page p;
    unsigned n = 0;

    *cut = false;
    while (modesense_next(&walk, &p)) {
        assert_true(p.bytes.len >= 2);
        *cut = p.cut;
        n++;
    }
    return n;
}

static void walks_end(void **state)
{
    static const uint8_t pages[] = { PAGES };
    static const uint8_t zeros[7] = { 0 };
    bool cut;

    (void)state;
    for (size_t len = 0; len <= sizeof(pages); len++) {
        _cleanup_exact_ struct bytes b = exact(pages, len);
        unsigned n = count(b, &cut);

        assert_int_equal(n, len < 2 ? 0 : len < 8 ? 1 : 2);
        assert_int_equal(cut, (len >= 2 && len < 4) || (len >= 8 && len < 11));
    }
    assert_int_equal(count(BYTES(zeros), &cut), 3); /* empty pages with code 0, and half a one */
}

static void headers_of_any_length(void **state)
{
    (void)state;
    for (size_t len = 0; len <= sizeof(TEN); len++) {
        _cleanup_exact_ struct bytes six = exact(SIX, len < sizeof(SIX) ? len : sizeof(SIX));
        _cleanup_exact_ struct bytes ten = exact(TEN, len);
        struct modesense m;

        assert_int_equal(modesense_decode(six, MODESENSE_6, &m), len < 4 ? -EBADMSG : 0);
        assert_int_equal(modesense_decode(ten, MODESENSE_10, &m), len < 8 ? -EBADMSG : 0);
        if (len >= 8)
            assert_int_equal(m.pages.len, len < 16 ? 0 : len - 16);
    }
}

static void converts_both_ways(void **state)
{
    uint8_t out[64];

    (void)state;
    assert_int_equal(modesense_convert(BYTES(SIX), MODESENSE_6, out, sizeof(out)), sizeof(TEN));
    assert_memory_equal(out, TEN, sizeof(TEN));
    assert_int_equal(modesense_convert(BYTES(TEN), MODESENSE_10, out, sizeof(out)), sizeof(SIX));
    assert_memory_equal(out, SIX, sizeof(SIX));
}

/* An answer that was cut keeps its claim, and is cut further by the room there is. */
static void conversion_cuts_as_a_device_does(void **state)
{
    (void)state;
    for (size_t size = 0; size <= sizeof(TEN) + 3; size++) {
        uint8_t *out = malloc(size ? size : 1);
        int n = modesense_convert(BYTES(SIX), MODESENSE_6, out, size);

        assert_int_equal(n, size < sizeof(TEN) ? size : sizeof(TEN));
        assert_memory_equal(out, TEN, (size_t)n);
        free(out);
    }
    for (size_t len = 8; len <= sizeof(TEN); len++) {
        _cleanup_exact_ struct bytes ten = exact(TEN, len);
        uint8_t out[64];

        assert_int_equal(modesense_convert(ten, MODESENSE_10, out, sizeof(out)), len - 4);
        assert_memory_equal(out, SIX, len - 4);
    }
}

static void conversion_says_what_has_no_other_form(void **state)
{
    uint8_t ten[300] = { 0x00, 0xfe, 0, 0, 1, 0, 0, 16 }, out[400];

    (void)state;
    assert_int_equal(modesense_convert(BYTES(ten), MODESENSE_10, out, sizeof(out)), -ENOTSUP);
    ten[7] = 0; /* LONGLBA without any descriptor is no obstacle */
    assert_int_equal(modesense_convert(BYTES(ten), MODESENSE_10, out, sizeof(out)), 252);
    assert_int_equal(out[0], 251);
    ten[0] = 1;
    ten[1] = 2; /* 260 bytes: 256 in the other form, the most there can be */
    assert_int_equal(modesense_convert(BYTES(ten), MODESENSE_10, out, sizeof(out)), 256);
    assert_int_equal(out[0], 255);
    ten[1] = 3;
    assert_int_equal(modesense_convert(BYTES(ten), MODESENSE_10, out, sizeof(out)), -EOVERFLOW);
    assert_int_equal(modesense_convert((struct bytes){ ten, 7 }, MODESENSE_10, out, sizeof(out)),
                     -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_both_forms),
        cmocka_unit_test(data_length_is_an_upper_bound),
        cmocka_unit_test(block_descriptors_must_fit),
        cmocka_unit_test(walks_end),
        cmocka_unit_test(headers_of_any_length),
        cmocka_unit_test(converts_both_ways),
        cmocka_unit_test(conversion_cuts_as_a_device_does),
        cmocka_unit_test(conversion_says_what_has_no_other_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
