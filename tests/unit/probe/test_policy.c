/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whose word about a device counts.
 */
#include "../cmocka_all.h"

#include <string.h>

#include "probe/policy.h"

static struct config config_of(const char *text)
{
    struct config_messages m = { 0 };
    struct config c;

    assert_int_equal(config_init(&c), 0);
    assert_int_equal(
        config_parse(&c, "f", (struct bytes){ (const uint8_t *)text, strlen(text) }, &m), 0);
    assert_int_equal(m.list.n, 0);
    config_messages_done(&m);
    return c;
}

/* The tier of a device called "sda" by a configuration and a property. */
static struct policy of_sda(const char *text, const char *property)
{
    static const char *const NAMES[] = { NULL, "0:0:1:0", "sda" };
    struct config c = config_of(text);
    struct policy p = policy_of(&c, NAMES, 3, property);

    p.place.file = NULL; /* goes with the configuration */
    config_done(&c);
    return p;
}

static void nobody_says_anything(void **state)
{
    struct policy p = policy_of(NULL, NULL, 0, NULL);

    (void)state;
    assert_int_equal(p.tier, CONFIG_TIER_READ);
    assert_false(p.is_named || p.by_property);
    assert_int_equal(of_sda("", NULL).tier, CONFIG_TIER_READ);
}

static void stricter_of_two(void **state)
{
    struct policy p = of_sda("[probe]\ntier = identify\n", "sysfs");

    (void)state;
    assert_int_equal(p.tier, CONFIG_TIER_SYSFS);
    assert_true(p.by_property);
    p = of_sda("[probe]\ntier = identify\n", "read");
    assert_int_equal(p.tier, CONFIG_TIER_IDENTIFY);
    assert_false(p.by_property);
    assert_int_equal(of_sda("[probe]\ntier = sysfs\n", "identify").tier, CONFIG_TIER_SYSFS);
    assert_int_equal(of_sda("", "identify").tier, CONFIG_TIER_IDENTIFY);
}

static void a_name_decides(void **state)
{
    struct policy p = of_sda("[probe]\ntier = sysfs\n[device \"sd?\"]\ntier = read\n", "sysfs");

    (void)state;
    assert_int_equal(p.tier, CONFIG_TIER_READ);
    assert_true(p.is_named);
    assert_false(p.by_property);
    p = of_sda("[device \"sd?\"]\ntier = read\n[device \"0:0:1:0\"]\ntier = identify\n", NULL);
    assert_int_equal(p.tier, CONFIG_TIER_IDENTIFY);
    assert_true(p.is_named);
    p = of_sda("[device \"sdb\"]\ntier = sysfs\n", NULL);
    assert_int_equal(p.tier, CONFIG_TIER_READ);
    assert_false(p.is_named);
}

static void the_line_is_named(void **state)
{
    const char *name = "sda";
    struct config c = config_of("[device \"*\"]\ntier = sysfs\n");
    struct policy p = policy_of(&c, &name, 1, NULL);

    (void)state;
    assert_string_equal(p.place.file, "f");
    assert_int_equal(p.place.line, 2);
    config_done(&c);
}

static void other_words_say_nothing(void **state)
{
    (void)state;
    assert_int_equal(of_sda("", "").tier, CONFIG_TIER_READ);
    assert_int_equal(of_sda("", "0").tier, CONFIG_TIER_READ);
    assert_int_equal(of_sda("", "SYSFS").tier, CONFIG_TIER_READ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_says_anything),    cmocka_unit_test(stricter_of_two),
        cmocka_unit_test(a_name_decides),          cmocka_unit_test(the_line_is_named),
        cmocka_unit_test(other_words_say_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
