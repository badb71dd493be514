/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What scrubbing leaves of ids.
 */
#include "../cmocka_all.h"

#include "finding/kept.h"

static void check(const char *id, const char *expected)
{
    struct arena *arena = arena_new();

    assert_non_null(arena);
    assert_string_equal(kept_of_id(arena, id), expected);
    arena_free(arena);
}

static void test_addresses(void **state)
{
    (void)state;
    check("pci-0000:06:00.1-fc-10000090fa123456", "pci-0000:06:00.1-fc-1000009???????56");
    check("0x5000c500a1b2c3d4", "0x5000c50???????d4");
    check("fe80:0000:0000:0000:0002:c903:0000:0e8b", "fe80:000?:????:????:????:????:????:??8b");
}

static void test_what_is_no_address(void **state)
{
    (void)state;
    check("", "");
    check("pci-0000:02:04.0-spi-0:1-lun-0", "pci-0000:02:04.0-spi-0:1-lun-0");
    check("123456789abcdef", "123456789abcdef");
    check("a:", "a:");
}

static void test_iscsi(void **state)
{
    (void)state;
    check("platform-iqn.2026-01.example:t1-10.0.7.3-default-lun-1", "platform-iqn.?-?-?-?-lun-1");
    check("platform-iqn.", "platform-iqn.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_what_is_no_address),
        cmocka_unit_test(test_iscsi),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
