/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of configuration keys, and the table of keys.
 */
#include "../cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "config/value.h"

/* A key by its name, or where sections share that, "section.name". */
static const struct config_key *key_named(const char *name)
{
    const char *dot = strchr(name, '.');
    size_t section = dot ? (size_t)(dot - name) : 0;
    const struct config_key *key = CONFIG_KEYS;

    while (key->section && (strcmp(key->name, dot ? dot + 1 : name) != 0 ||
                            strncmp(key->section, name, section) != 0))
        key++;
    assert_non_null(key->section);
    return key;
}

/* Is the value taken? Where it is not, something is said, and the object stays as it is. */
static bool takes(const char *name, const char *value, void *object, size_t size)
{
    struct arena *arena = arena_new();
    const char *want = NULL;
    char before[256];
    int r;

    assert_true(size <= sizeof(before));
    memcpy(before, object, size);
    r = config_value_set(key_named(name), object, arena, value, &want);
    if (r < 0) {
        assert_int_equal(r, -EBADMSG);
        assert_true(strlen(want) > 5);
        assert_memory_equal(before, object, size);
    }
    arena_free(arena);
    return r == 0;
}

/* The number that the key of a threshold or of [probe] gets; 0 where the value is not taken. */
static uint64_t threshold(const char *name, const char *value)
{
    union {
        struct config_thresholds thresholds;
        struct config_probe probe;
    } u;

    memset(&u, 0, sizeof(u));
    if (!takes(name, value, &u, sizeof(u)))
        return 0;
    return *(uint64_t *)((char *)&u + key_named(name)->offset);
}

static void counts(void **state)
{
    (void)state;
    assert_int_equal(threshold("flapping_changes", "1"), 1);
    assert_int_equal(threshold("flapping_changes", "1000000000"), 1000000000);
    assert_int_equal(threshold("flapping_changes", ""), 3);
    assert_int_equal(threshold("flapping_changes", "0"), 0);
    assert_int_equal(threshold("flapping_changes", "1000000001"), 0);
    assert_int_equal(threshold("flapping_changes", "99999999999999999999"), 0);
    assert_int_equal(threshold("flapping_changes", "-3"), 0);
    assert_int_equal(threshold("flapping_changes", "3.5"), 0);
    assert_int_equal(threshold("flapping_changes", "3 "), 0);
    assert_int_equal(threshold("flapping_changes", "0x3"), 0);
    assert_int_equal(threshold("read_below_percent", "100"), 100);
    assert_int_equal(threshold("read_below_percent", "101"), 0);
    assert_int_equal(threshold("read_below_percent", "25%"), 0);
    assert_int_equal(threshold("clock_margin_percent", "99"), 0);
}

static void times(void **state)
{
    (void)state;
    assert_int_equal(threshold("flapping_within", "1ms"), 1000);
    assert_int_equal(threshold("flapping_within", "250 ms"), 250000);
    assert_int_equal(threshold("flapping_within", "90s"), 90000000);
    assert_int_equal(threshold("flapping_within", "2min"), 120000000);
    assert_int_equal(threshold("flapping_within", "1.5h"), 5400000000);
    assert_int_equal(threshold("flapping_within", "36500d"), 36500ull * 86400 * 1000000);
    assert_int_equal(threshold("flapping_within", "0.001s"), 1000);
    assert_int_equal(threshold("flapping_within", "36501d"), 0);
    assert_int_equal(threshold("flapping_within", "0.5ms"), 0);
    assert_int_equal(threshold("flapping_within", "0s"), 0);
    assert_int_equal(threshold("flapping_within", "5"), 0);
    assert_int_equal(threshold("flapping_within", "5 m"), 0);
    assert_int_equal(threshold("flapping_within", "h"), 0);
    assert_int_equal(threshold("flapping_within", "1h 30min"), 0);
    assert_int_equal(threshold("flapping_within", "-1h"), 0);
    assert_int_equal(threshold("flapping_within", "18446744073709551d"), 0);
    assert_int_equal(threshold("flapping_within", "99999999999999999999d"), 0);
}

static void sizes(void **state)
{
    (void)state;
    assert_int_equal(threshold("per_day", "65536"), 65536);
    assert_int_equal(threshold("per_day", "64K"), 65536);
    assert_int_equal(threshold("per_day", "64 K"), 65536);
    assert_int_equal(threshold("per_day", "1.5M"), 1572864);
    assert_int_equal(threshold("per_day", "1G"), 1024 * 1024 * 1024);
    assert_int_equal(threshold("per_day", ""), 64 * 1024 * 1024);
    assert_int_equal(threshold("per_day", "63K"), 0);
    assert_int_equal(threshold("per_day", "1.1G"), 0);
    assert_int_equal(threshold("per_day", "70000.5"), 0);
    assert_int_equal(threshold("per_day", "64k"), 0);
    assert_int_equal(threshold("per_day", "64KB"), 0);
    assert_int_equal(threshold("per_day", "64 K "), 0);
    assert_int_equal(threshold("per_day", "K"), 0);
    assert_int_equal(threshold("per_day", "-1M"), 0);
    assert_int_equal(threshold("per_day", "18446744073709551G"), 0);
    assert_int_equal(threshold("interval", "365d"), 365 * 86400 * 1000000ull);
    assert_int_equal(threshold("interval", "366d"), 0);
}

static void tiers(void **state)
{
    static const char *const WORDS[] = { "sysfs", "identify", "read" }, *const OTHERS[] = {
        "Sysfs", "reads", "none", "2", "sysfs "
    };
    struct config_device device = { 0 };
    struct config_probe probe = { 0 };

    (void)state;
    for (unsigned i = 0; i < ELEMENTS(WORDS); i++) {
        assert_true(takes("device.tier", WORDS[i], &device, sizeof(device)));
        assert_int_equal(device.tier, CONFIG_TIER_SYSFS + i);
        assert_true(takes("probe.tier", WORDS[i], &probe, sizeof(probe)));
        assert_int_equal(probe.tier, CONFIG_TIER_SYSFS + i);
        assert_string_equal(config_tier_to_string(probe.tier), WORDS[i]);
    }
    for (size_t i = 0; i < ELEMENTS(OTHERS); i++)
        assert_false(takes("device.tier", OTHERS[i], &device, sizeof(device)));
    assert_true(takes("device.tier", "", &device, sizeof(device)));
    assert_int_equal(device.tier, CONFIG_TIER_UNSAID);
    assert_true(takes("probe.tier", "", &probe, sizeof(probe)));
    assert_int_equal(probe.tier, CONFIG_TIER_READ);
    assert_null(config_tier_to_string(CONFIG_TIER_UNSAID));
    assert_int_equal(config_tier_from_word(NULL), CONFIG_TIER_UNSAID);
}

static void answers(void **state)
{
    static const char *const YES[] = { "yes", "true", "on", "1" },
                             *const NO[] = { "no", "false", "off", "0" },
                             *const NEITHER[] = { "Yes", "y", "2", "yes no", "\xc3\xa4" };
    struct config_host host = { 0 };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_true(takes("physical", YES[i], &host, sizeof(host)));
        assert_int_equal(host.physical, CONFIG_YES);
        assert_true(takes("physical", NO[i], &host, sizeof(host)));
        assert_int_equal(host.physical, CONFIG_NO);
    }
    for (size_t i = 0; i < ELEMENTS(NEITHER); i++)
        assert_false(takes("physical", NEITHER[i], &host, sizeof(host)));
    assert_true(takes("physical", "", &host, sizeof(host)));
    assert_int_equal(host.physical, CONFIG_UNSAID);
}

/* Seconds since 1970 of the end of the day; 0 where it is no day. */
static uint64_t end_of(const char *day)
{
    struct config_link link = { 0 };

    if (!takes("until", day, &link, sizeof(link)))
        return 0;
    assert_int_equal(link.until_us % 1000000, 0);
    return link.until_us / 1000000;
}

/* Numbers by date(1): date -ud "DAY + 1 day" +%s. */
static void dates(void **state)
{
    struct config_link link = { .until_us = 1 };

    (void)state;
    assert_int_equal(end_of("1970-01-01"), 86400);
    assert_int_equal(end_of("1999-12-31"), 946684800);
    assert_int_equal(end_of("2000-02-29"), 951868800);
    assert_int_equal(end_of("2024-02-28"), 1709164800);
    assert_int_equal(end_of("2024-02-29"), 1709251200);
    assert_int_equal(end_of("2026-11-30"), 1796083200);
    assert_int_equal(end_of("2100-03-01"), 4107628800);
    assert_int_equal(end_of("9999-12-31"), 253402300800);
    assert_int_equal(end_of("1969-12-31"), 0);
    assert_int_equal(end_of("2100-02-29"), 0);
    assert_int_equal(end_of("2025-02-29"), 0);
    assert_int_equal(end_of("2025-04-31"), 0);
    assert_int_equal(end_of("2025-13-01"), 0);
    assert_int_equal(end_of("2025-00-01"), 0);
    assert_int_equal(end_of("2025-01-00"), 0);
    assert_int_equal(end_of("2025-1-01"), 0);
    assert_int_equal(end_of("2025-01-011"), 0);
    assert_int_equal(end_of("2025/01/01"), 0);
    assert_int_equal(end_of("20a5-01-01"), 0);
    assert_true(takes("until", "", &link, sizeof(link)));
    assert_int_equal(link.until_us, 0);
}

static void check_mode(const char *value, const char *label, uint64_t kb_per_s)
{
    struct arena *arena = arena_new();
    struct config_link link = { 0 };
    const char *want;

    assert_int_equal(config_value_set(key_named("expect"), &link, arena, value, &want), 0);
    if (label)
        assert_string_equal(link.expect.label, label);
    else
        assert_null(link.expect.label);
    assert_int_equal(link.expect.kb_per_s, kb_per_s);
    arena_free(arena);
}

static void modes(void **state)
{
    struct config_link link = { 0 };

    (void)state;
    check_mode("Ultra160", "Ultra160", 0);
    check_mode("16GFC", "16GFC", 0);
    check_mode("4 x 12.0 Gb/s", "4 x 12.0 Gb/s", 0);
    check_mode("8.0 GT/s x8", "8.0 GT/s x8", 0);
    check_mode("160", NULL, 160000);
    check_mode("984.6 MB/s", NULL, 984600);
    check_mode("3.3MB/s", NULL, 3300);
    check_mode("", NULL, 0);
    assert_false(takes("expect", "0", &link, sizeof(link)));
    assert_false(takes("expect", "0.0001 MB/s", &link, sizeof(link)));
}

/* The table is whole: each row can be written as it says, and no two are the same. */
static void keys(void **state)
{
    (void)state;
    for (const struct config_key *key = CONFIG_KEYS; key->section; key++) {
        bool is_number = key->type == CONFIG_COUNT || key->type == CONFIG_TIME ||
                         key->type == CONFIG_BYTES;
        bool has_name = strcmp(key->section, "thresholds") != 0 &&
                        strcmp(key->section, "probe") != 0 && strcmp(key->section, "daemon") != 0 &&
                        strcmp(key->section, "history") != 0;
        char name[64], object[256] __attribute__((aligned(8))) = { 0 };

        snprintf(name, sizeof(name), "%s.%s", key->section, key->name);
        assert_true(*key->name && *key->what);
        assert_int_equal(key->type == CONFIG_COUNT, key->unit != NULL);
        assert_int_equal(is_number, key->least < key->most);
        assert_int_equal(has_name, key->bit != 0);
        assert_int_equal(has_name, *key->standard == '\0');
        assert_ptr_equal(key_named(name), key);
        if (is_number)
            assert_true(threshold(name, key->standard) >= key->least);
        else
            assert_true(takes(name, key->standard, object, sizeof(object)));
        for (const struct config_key *other = CONFIG_KEYS; other < key; other++)
            assert_false(strcmp(other->section, key->section) == 0 &&
                         (strcmp(other->name, key->name) == 0 || other->offset == key->offset ||
                          (other->bit & key->bit)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts), cmocka_unit_test(times), cmocka_unit_test(answers),
        cmocka_unit_test(sizes),  cmocka_unit_test(tiers), cmocka_unit_test(dates),
        cmocka_unit_test(modes),  cmocka_unit_test(keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
