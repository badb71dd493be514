/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>

#include "decode/designator.h"
#include "decode/protopage.h"
#include "exact.h"

/* A page that designators are added to. */
struct page {
    uint8_t data[1024];
    size_t len;
};

static void add(struct page *p, unsigned association, unsigned type, const void *id, size_t len)
{
    uint8_t *d = p->data + p->len;

    if (p->len == 0) {
        memcpy(p->data, "\x00\x83\x00\x00", 4);
        p->len = 4;
        d = p->data + 4;
    }
    d[0] = 0x61;
    d[1] = (uint8_t)(association << 4 | type | (association ? 0x80 : 0));
    d[2] = 0;
    d[3] = (uint8_t)len;
    memcpy(d + 4, id, len);
    p->len += 4 + len;
    p->data[2] = (uint8_t)((p->len - 4) >> 8);
    p->data[3] = (uint8_t)(p->len - 4);
}

static struct bytes bytes_of(const struct page *p)
{
    return (struct bytes){ p->data, p->len };
}

static void assert_name(const struct page *p, const char *expected)
{
    char name[DESIGNATOR_NAME_MAX];

    assert_int_equal(designator_unit_name(bytes_of(p), name, sizeof(name)), strlen(expected));
    assert_string_equal(name, expected);
}

static void walks(void **state)
{
    struct page p = { 0 };
    struct designator_walk walk;
    struct designator d;

    (void)state;
    add(&p, 0, DESIGNATOR_NAA, "\x50\x00\xc5\x00\x30\x11\xcb\x2b", 8);
    add(&p, 1, DESIGNATOR_RELATIVE_PORT, "\x00\x00\x00\x02", 4);
    add(&p, 2, DESIGNATOR_VENDOR, "", 0);
    assert_int_equal(designator_walk(bytes_of(&p), &walk), 0);
    assert_true(designator_next(&walk, &d));
    assert_int_equal(d.association, DESIGNATOR_UNIT);
    assert_int_equal(d.type, DESIGNATOR_NAA);
    assert_int_equal(d.code_set, 1);
    assert_false(d.has_protocol); /* it has no meaning for a logical unit */
    assert_int_equal(d.id.len, 8);
    assert_true(designator_next(&walk, &d));
    assert_int_equal(d.association, DESIGNATOR_PORT);
    assert_true(d.has_protocol);
    assert_int_equal(d.protocol, PROTOCOL_SAS);
    assert_true(designator_next(&walk, &d));
    assert_int_equal(d.id.len, 0);
    assert_false(designator_next(&walk, &d));
    assert_false(walk.cut);
}

static void walks_end_where_the_page_ends(void **state)
{
    struct page p = { 0 };

    (void)state;
    add(&p, 0, DESIGNATOR_NAA, "\x50\x00\xc5\x00\x30\x11\xcb\x2b", 8);
    add(&p, 0, DESIGNATOR_T10, "VENDOR  x", 9);
    for (size_t len = 0; len <= p.len; len++) {
        _cleanup_exact_ struct bytes b = exact(p.data, len);
        struct designator_walk walk;
        struct designator d;
        unsigned n = 0;

        assert_int_equal(designator_walk(b, &walk), len < 4 ? -EBADMSG : 0);
        if (len < 4)
            continue;
        while (designator_next(&walk, &d))
            n++;
        assert_int_equal(n, len < 16 ? 0 : len < p.len ? 1 : 2);
        assert_int_equal(walk.cut, len < p.len);
    }
}

static void a_length_beyond_the_page_ends_the_walk(void **state)
{
    struct page p = { 0 };
    struct designator_walk walk;
    struct designator d;

    (void)state;
    add(&p, 0, DESIGNATOR_NAA, "\x50\x00\xc5\x00\x30\x11\xcb\x2b", 8);
    p.data[7] = 9;
    assert_int_equal(designator_walk(bytes_of(&p), &walk), 0);
    assert_false(designator_next(&walk, &d));
    assert_true(walk.cut);
}

static void formats_as_wwid(void **state)
{
    /* clang-format off */
    static const struct {
        uint8_t type;
        const char *id;
        size_t len;
        const char *name; /* NULL: has no form */
    } CASES[] = {
        { DESIGNATOR_NAA, "\x50\x00\xc5\x00\x30\x11\xcb\x2b", 8, "naa.5000c5003011cb2b" },
        { DESIGNATOR_NAA, "\x60\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f", 16,
          "naa.600102030405060708090a0b0c0d0e0f" },
        { DESIGNATOR_NAA, "\x50\x00\xc5", 3, NULL },
        { DESIGNATOR_EUI64, "\x00\x25\x38\x51\x71\xb0\x1f\x4e", 8, "eui.0025385171b01f4e" },
        { DESIGNATOR_EUI64, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c", 12,
          "eui.0102030405060708090a0b0c" },
        { DESIGNATOR_EUI64, "\x01\x02", 2, NULL },
        { DESIGNATOR_T10, "ATA     DISK", 12, "t10.ATA     DISK" },
        { DESIGNATOR_T10, "A\0\t\x01\\\x7f\xe4", 7, "t10.A\\0\\t\\001\\\\177\\344" },
        { DESIGNATOR_T10, "", 0, NULL },
        { DESIGNATOR_NAME, "iqn.1995-05.com.x:y\0\0", 21, "iqn.1995-05.com.x:y" },
        { DESIGNATOR_NAME, "naa.\xc3\xa4\n", 7, "naa.\xc3\xa4\\n" },
        { DESIGNATOR_NAME, "naa.\xe4", 5, "naa.\\344" },
        { DESIGNATOR_NAME, "\0\0\0\0", 4, NULL },
        { DESIGNATOR_VENDOR, "x", 1, NULL },
        { DESIGNATOR_UUID, "x", 1, NULL },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        const struct designator d = { .type = CASES[i].type,
                                      .id = { (const uint8_t *)CASES[i].id, CASES[i].len } };
        size_t len = CASES[i].name ? strlen(CASES[i].name) : 0;
        char name[DESIGNATOR_NAME_MAX];

        if (!CASES[i].name) {
            assert_int_equal(designator_format(&d, name, sizeof(name)), -ENODATA);
            continue;
        }
        assert_int_equal(designator_format(&d, name, len + 1), len);
        assert_string_equal(name, CASES[i].name);
        assert_int_equal(designator_format(&d, name, len), -E2BIG);
        assert_int_equal(designator_format(&d, name, 0), -E2BIG);
    }
}

static void the_longest_name_fits(void **state)
{
    char name[DESIGNATOR_NAME_MAX];
    uint8_t id[255];
    const struct designator d = { .type = DESIGNATOR_T10, .id = BYTES(id) };

    (void)state;
    memset(id, 0x01, sizeof(id));
    assert_int_equal(designator_format(&d, name, sizeof(name)), DESIGNATOR_NAME_MAX - 1);
}

/* Names from the worst to the best: each one that is added becomes the unit's name. */
static void prefers_what_the_kernel_prefers(void **state)
{
    /* clang-format off */
    static const struct {
        uint8_t type;
        const char *id;
        size_t len;
        const char *name;
    } BETTER[] = {
        { DESIGNATOR_NAA, "\x21\0\0\0\0\0\0\1", 8, "naa.2100000000000001" },
        { DESIGNATOR_T10, "VENDOR  1", 9, "t10.VENDOR  1" },
        { DESIGNATOR_EUI64, "\1\0\0\0\0\0\0\1", 8, "eui.0100000000000001" },
        { DESIGNATOR_NAA, "\x41\0\0\0\0\0\0\1", 8, "naa.4100000000000001" },
        { DESIGNATOR_NAA, "\x51\0\0\0\0\0\0\1", 8, "naa.5100000000000001" },
        { DESIGNATOR_EUI64, "\1\0\0\0\0\0\0\1\0\0\0\2", 12, "eui.010000000000000100000002" },
        { DESIGNATOR_EUI64, "\1\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3", 16,
          "eui.01000000000000010000000200000003" },
        { DESIGNATOR_NAA, "\x61\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3", 16,
          "naa.61000000000000010000000200000003" },
        { DESIGNATOR_NAME, "iqn.2005-11.test:0123", 21, "iqn.2005-11.test:0123" },
    };
    /* clang-format on */
    struct page up = { 0 }, down = { 0 };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(BETTER); i++) {
        add(&up, 0, BETTER[i].type, BETTER[i].id, BETTER[i].len);
        assert_name(&up, BETTER[i].name);
    }
    for (size_t i = ELEMENTS(BETTER); i-- > 0;)
        add(&down, 0, BETTER[i].type, BETTER[i].id, BETTER[i].len);
    assert_name(&down, "iqn.2005-11.test:0123");
}

static void equals_and_short_texts(void **state)
{
    struct page p = { 0 }, shorter = { 0 };

    (void)state;
    add(&p, 0, DESIGNATOR_NAA, "\x51\0\0\0\0\0\0\1", 8);
    add(&p, 0, DESIGNATOR_NAA, "\x51\0\0\0\0\0\0\2", 8);
    assert_name(&p, "naa.5100000000000002");
    add(&p, 0, DESIGNATOR_NAME, "short",
        5); /* shorter than what is there: the kernel passes it over */
    assert_name(&p, "naa.5100000000000002");
    add(&shorter, 0, DESIGNATOR_T10, "VENDOR  12", 10);
    add(&shorter, 0, DESIGNATOR_T10, "VENDOR  3", 9);
    assert_name(&shorter, "t10.VENDOR  12");
    add(&shorter, 0, DESIGNATOR_T10, "VENDOR  34", 10);
    assert_name(&shorter, "t10.VENDOR  34");
}

static void names_of_others_are_not_the_units(void **state)
{
    char name[DESIGNATOR_NAME_MAX];
    struct page p = { 0 };

    (void)state;
    add(&p, 1, DESIGNATOR_NAA, "\x51\0\0\0\0\0\0\1", 8);
    add(&p, 2, DESIGNATOR_NAME, "iqn.2005-11.test:0123", 21);
    add(&p, 0, DESIGNATOR_VENDOR, "x", 1);
    add(&p, 0, DESIGNATOR_NAA, "\x71\0\0\0\0\0\0\1", 8); /* NAA 7h is reserved */
    assert_int_equal(designator_unit_name(bytes_of(&p), name, sizeof(name)), -ENODATA);
    p.data[1] = 0x80;
    assert_int_equal(designator_unit_name(bytes_of(&p), name, sizeof(name)), -EBADMSG);
}

static void knows_the_port(void **state)
{
    struct designator_port port;
    struct page p = { 0 };

    (void)state;
    add(&p, 0, DESIGNATOR_NAA, "\x50\0\0\0\0\0\0\1", 8);
    assert_int_equal(designator_port(bytes_of(&p), &port), 0);
    assert_false(port.has_naa || port.has_relative || port.has_group);
    add(&p, 1, DESIGNATOR_RELATIVE_PORT, "\0\0\1", 3); /* too short to count */
    add(&p, 1, DESIGNATOR_NAA, "\x60\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0", 16);
    add(&p, 1, DESIGNATOR_NAA, "\x50\0\0\0\0\0\0\2", 8);
    add(&p, 1, DESIGNATOR_NAA, "\x50\0\0\0\0\0\0\3", 8);
    add(&p, 1, DESIGNATOR_RELATIVE_PORT, "\0\0\1\2", 4);
    add(&p, 1, DESIGNATOR_PORT_GROUP, "\xff\xff\0\0", 4);
    assert_int_equal(designator_port(bytes_of(&p), &port), 0);
    assert_true(port.has_naa && port.has_relative && port.has_group);
    assert_true(port.naa == 0x5000000000000002);
    assert_int_equal(port.relative, 0x0102);
    assert_int_equal(port.group, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks),
        cmocka_unit_test(walks_end_where_the_page_ends),
        cmocka_unit_test(a_length_beyond_the_page_ends_the_walk),
        cmocka_unit_test(formats_as_wwid),
        cmocka_unit_test(the_longest_name_fits),
        cmocka_unit_test(prefers_what_the_kernel_prefers),
        cmocka_unit_test(equals_and_short_texts),
        cmocka_unit_test(names_of_others_are_not_the_units),
        cmocka_unit_test(knows_the_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
