/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The configuration: sections, rules and what they say of an object, messages and their places.
 */
#include "../cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "config/config.h"

static struct bytes text_of(const char *text)
{
    return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

static struct config empty(void)
{
    struct config c;

    assert_int_equal(config_init(&c), 0);
    return c;
}

static void add(struct config *c, const char *file, const char *text, struct config_messages *m)
{
    assert_int_equal(config_parse(c, file, text_of(text), m), 0);
}

/* A configuration of one file, of which nothing is complained. */
static struct config config_of(const char *text)
{
    struct config_messages m = { 0 };
    struct config c = empty();

    add(&c, "f", text, &m);
    for (size_t i = 0; i < m.list.n; i++)
        print_error("%u: %s\n", m.list.v[i].place.line, m.list.v[i].text);
    assert_int_equal(m.list.n, 0);
    config_messages_done(&m);
    return c;
}

/* What is complained of a text, a message a line; "W" before warnings. */
static const char *complaints(struct bytes text, char *buffer, size_t size)
{
    struct config_messages m = { 0 };
    struct config c = empty();
    size_t n = 0, errors = 0;

    assert_int_equal(config_parse(&c, "f", text, &m), 0);
    buffer[0] = '\0';
    for (size_t i = 0; i < m.list.n && n < size; i++) {
        const struct config_message *x = &m.list.v[i];

        assert_string_equal(x->place.file, "f");
        errors += !x->is_warning;
        n += (size_t)snprintf(buffer + n, size - n, "%s%u: %s\n", x->is_warning ? "W" : "",
                              x->place.line, x->text);
    }
    assert_int_equal(errors, m.n_errors);
    config_messages_done(&m);
    config_done(&c);
    return buffer;
}

static enum config_answer physical(const struct config *c, const char *name)
{
    const char *const names[] = { NULL, name };

    return config_host_physical(c, names, 2, NULL);
}

static struct config_link link_at(const struct config *c, const char *name, uint64_t wall_us)
{
    return config_link_rule(c, &name, 1, wall_us);
}

static void nothing_said(void **state)
{
    struct config c = config_of("");
    struct config_place place;
    const char *name = "host0";

    (void)state;
    assert_int_equal(config_host_physical(&c, &name, 1, &place), CONFIG_UNSAID);
    assert_null(place.file);
    assert_int_equal(link_at(&c, "phy-0:0", 0).given, 0);
    assert_int_equal(c.thresholds.errors_growing_per_hour, 100);
    assert_int_equal(c.thresholds.errors_growing_slow_per_hour, 10);
    assert_int_equal(c.thresholds.errors_growing_slow_us, 6 * 3600 * 1000000ull);
    assert_int_equal(c.thresholds.aer_info_per_hour, 1000);
    assert_int_equal(c.thresholds.flapping_changes, 3);
    assert_int_equal(c.thresholds.flapping_within_us, 3600 * 1000000ull);
    assert_int_equal(c.thresholds.flapping_quiet_us, 3600 * 1000000ull);
    assert_int_equal(c.thresholds.device_stuck_timeouts, 2);
    assert_int_equal(c.thresholds.read_below_percent, 25);
    assert_int_equal(c.thresholds.read_below_apart_us, 30 * 60 * 1000000ull);
    assert_int_equal(c.thresholds.clock_margin_percent, 105);
    assert_int_equal(c.daemon.interval_us, 24 * 3600 * 1000000ull);
    assert_int_equal(c.daemon.watch_us, 60 * 1000000ull);
    assert_int_equal(c.daemon.counters_us, 300 * 1000000ull);
    assert_int_equal(c.daemon.costly_reads, 600);
    assert_int_equal(c.daemon.settle_us, 2 * 1000000ull);
    assert_int_equal(c.daemon.patience_us, 20 * 1000000ull);
    assert_int_equal(c.daemon.quarantine_us, 60 * 1000000ull);
    assert_int_equal(c.daemon.clear_after_us, 5 * 60 * 1000000ull);
    assert_int_equal(c.history.raw_us, 7 * 86400 * 1000000ull);
    assert_int_equal(c.history.hourly_us, 90 * 86400 * 1000000ull);
    assert_int_equal(c.history.keep_us, 730 * 86400 * 1000000ull);
    assert_int_equal(c.history.size, 256ull << 20);
    assert_int_equal(config_device_tier(&c, &name, 1, &place), CONFIG_TIER_UNSAID);
    assert_null(place.file);
    assert_int_equal(c.probe.tier, CONFIG_TIER_READ);
    assert_int_equal(c.probe.bytes, 4 * 1024 * 1024);
    assert_int_equal(c.probe.longest_us, 1000000);
    assert_int_equal(c.probe.interval_us, 24 * 3600 * 1000000ull);
    assert_int_equal(c.probe.per_day, 64 * 1024 * 1024);
    assert_int_equal(c.probe.arrays, CONFIG_NO);
    config_done(&c);
}

/* Who forbids something, in a word that is none, has not allowed the most. */
static void tier_that_is_none(void **state)
{
    static const char TEXT[] =
        "[device \"sda\"]\ntier = sysf\n[probe]\ntier = none\ntier = readonly\n";
    const char *const sda[] = { "sda" };
    struct config_messages m = { 0 };
    struct config c = empty();
    struct config_place place;

    (void)state;
    add(&c, "f", TEXT, &m);
    assert_int_equal(config_device_tier(&c, sda, 1, &place), CONFIG_TIER_SYSFS);
    assert_int_equal(place.line, 2);
    assert_int_equal(c.probe.tier, CONFIG_TIER_SYSFS);
    assert_int_equal(m.list.n, 3);
    assert_string_equal(m.list.v[0].text,
                        "tier: must be sysfs, identify or read; it is taken as sysfs");
    config_messages_done(&m);
    config_done(&c);
}

static void hosts(void **state)
{
    struct config c = config_of("# emulated, but what we test with\n"
                                "[host \"pci-0000:0[1-3]:*\"]\n"
                                "physical = yes\n"
                                "  [host \"pci-0000:02:*\" ]\n"
                                "\tphysical=no\t\n");
    const char *name = "pci-0000:02:00.0";
    struct config_place place;

    (void)state;
    assert_int_equal(physical(&c, "pci-0000:01:00.0"), CONFIG_YES);
    assert_int_equal(physical(&c, "pci-0000:04:00.0"), CONFIG_UNSAID);
    assert_int_equal(config_host_physical(&c, &name, 1, &place), CONFIG_NO);
    assert_string_equal(place.file, "f");
    assert_int_equal(place.line, 5);
    config_done(&c);
}

/* A later file takes back or changes what an earlier one says in the same section; other sections that
 * match go on counting, in the order in which they began. */
static void later_files(void **state)
{
    struct config_messages m = { 0 };
    struct config c = config_of("[host \"*\"]\nphysical = no\n[host \"host1\"]\nphysical = yes\n");

    (void)state;
    assert_int_equal(physical(&c, "host0"), CONFIG_NO);
    assert_int_equal(physical(&c, "host1"), CONFIG_YES);
    add(&c, "g", "[host \"host1\"]\nphysical =\n", &m);
    assert_int_equal(physical(&c, "host1"), CONFIG_NO);
    add(&c, "h", "[host \"host1\"]\nphysical = yes\n[host \"*\"]\nphysical = no\n", &m);
    assert_int_equal(physical(&c, "host1"), CONFIG_YES);
    add(&c, "i", "[thresholds]\nflapping_changes = 9\nflapping_changes = 7\n", &m);
    assert_int_equal(c.thresholds.flapping_changes, 7);
    add(&c, "j", "[daemon]\ninterval = 250ms\n[daemon]\npatience = 1s\n", &m);
    assert_int_equal(c.daemon.interval_us, 250 * 1000ull);
    assert_int_equal(c.daemon.patience_us, 1000000);
    add(&c, "k", "[thresholds]\nflapping_changes =\n", &m);
    assert_int_equal(c.thresholds.flapping_changes, 3);
    assert_int_equal(m.list.n, 0);
    config_messages_done(&m);
    config_done(&c);
}

static void links(void **state)
{
    struct config c = config_of("[link \"phy-*\"]\n"
                                "expect = 6.0 Gb/s\n"
                                "ignore = yes\n"
                                "until = 2027-03-01\n"
                                "reason = a # and a ; are text, \"quotes\" too\n"
                                "[link \"phy-0:1\"]\n"
                                "expect = 300 MB/s\n"
                                "[link \"phy-0:2\"]\n");
    /* 2027-03-02 00:00 UTC by date(1) */
    const uint64_t end_us = 1803945600ull * 1000000;
    struct config_link all = link_at(&c, "phy-0:2", end_us - 1), one = link_at(&c, "phy-0:1", 0);

    (void)state;
    assert_int_equal(all.given, CONFIG_LINK_EXPECT | CONFIG_LINK_IGNORE | CONFIG_LINK_REASON |
                                    CONFIG_LINK_UNTIL);
    assert_string_equal(all.glob, "phy-*");
    assert_int_equal(all.place.line, 1);
    assert_int_equal(config_link_place(&all, CONFIG_LINK_EXPECT)->line, 2);
    assert_int_equal(config_link_place(&all, CONFIG_LINK_IGNORE)->line, 3);
    assert_int_equal(config_link_place(&all, CONFIG_LINK_UNTIL)->line, 4);
    assert_int_equal(config_link_place(&all, CONFIG_LINK_REASON)->line, 5);
    assert_null(config_link_place(&all, CONFIG_LINK_FAR_BEST)->file);
    assert_string_equal(all.expect.label, "6.0 Gb/s");
    assert_int_equal(all.expect.kb_per_s, 0);
    assert_int_equal(all.ignore, CONFIG_YES);
    assert_int_equal(all.until_us, end_us);
    assert_string_equal(all.reason, "a # and a ; are text, \"quotes\" too");
    assert_string_equal(one.glob, "phy-0:1");
    assert_int_equal(one.place.line, 6);
    assert_int_equal(config_link_place(&one, CONFIG_LINK_EXPECT)->line, 7);
    assert_int_equal(config_link_place(&one, CONFIG_LINK_IGNORE)->line, 3);
    assert_null(one.expect.label);
    assert_int_equal(one.expect.kb_per_s, 300000);
    assert_int_equal(one.ignore, CONFIG_YES);
    /* when the day is over, the first section is as if it were not there */
    assert_int_equal(link_at(&c, "phy-0:2", end_us).given, 0);
    one = link_at(&c, "phy-0:1", end_us);
    assert_int_equal(one.given, CONFIG_LINK_EXPECT);
    assert_int_equal(one.ignore, CONFIG_UNSAID);
    assert_null(one.reason);
    config_done(&c);
}

/* The word of the section that began last counts; one that says nothing says nothing. */
static void devices(void **state)
{
    struct config c = config_of("[device \"SEAGATE *\"]\n"
                                "tier = identify\n"
                                "[device \"sda\"]\n"
                                "tier = sysfs\n"
                                "[device \"*\"]\n"
                                "[probe]\n"
                                "tier = identify\n"
                                "arrays = yes\n"
                                "bytes = 512K\n"
                                "bytes =\n");
    const char *const both[] = { NULL, "SEAGATE ST3146807LC", "sda" };
    struct config_place place;

    (void)state;
    assert_int_equal(config_device_tier(&c, both, 3, &place), CONFIG_TIER_SYSFS);
    assert_int_equal(place.line, 4);
    assert_int_equal(config_device_tier(&c, both, 2, &place), CONFIG_TIER_IDENTIFY);
    assert_int_equal(place.line, 2);
    assert_int_equal(config_device_tier(&c, both, 1, NULL), CONFIG_TIER_UNSAID);
    assert_int_equal(c.probe.tier, CONFIG_TIER_IDENTIFY);
    assert_int_equal(c.probe.arrays, CONFIG_YES);
    assert_int_equal(c.probe.bytes, 4 * 1024 * 1024);
    config_done(&c);
}

/* What is wrong costs its own line; a section that cannot be read, those below it. */
static void rest_goes_on(void **state)
{
    struct config_messages m = { 0 };
    struct config c = empty();

    (void)state;
    add(&c, "f",
        "[thresholds]\n"
        "flapping_changes = many\n"
        "flapping_changs = 4\n"
        "device_stuck_timeouts = 5\n"
        "[host \"host0\"]\n"
        "[host \"h\xff\"]\n"
        "physical = yes\n"
        "[host \"host1\"\n"
        "physical = yes\n"
        "[host \"host2\"]\n"
        "physical = yes\n",
        &m);
    assert_int_equal(c.thresholds.flapping_changes, 3);
    assert_int_equal(c.thresholds.device_stuck_timeouts, 5);
    assert_int_equal(physical(&c, "host0"), CONFIG_UNSAID);
    assert_int_equal(physical(&c, "host1"), CONFIG_UNSAID);
    assert_int_equal(physical(&c, "host2"), CONFIG_YES);
    assert_int_equal(m.list.n, 4);
    assert_int_equal(m.n_errors, 3);
    add(&c, "g", "[thresholds]\nflapping_changes = 4\n", &m);
    assert_int_equal(c.thresholds.flapping_changes, 4);
    assert_int_equal(m.list.n, 4);
    config_messages_done(&m);
    config_done(&c);
}

/* What cannot stand in a text file of its own; the rest is in tests/config. */
static void bytes_that_are_no_text(void **state)
{
    static const char NUL[] = "[thresholds]\nflapping_changes = 4\n\0";
    static const struct {
        const char *text, *complaint;
    } CASES[] = {
        { "[thresholds]\nflapping_changes = 4\xff\n", "2: the line is not UTF-8\n" },
        { "[thresholds]\n# \xff, but nobody reads this\n", "" },
        { "[thresholds]\nflapping_changes = 4\x1b[1m\n", "2: control character 1bh\n" },
        { "[thresholds]\nflapping_changes = 4\r5\n", "2: control character 0dh\n" },
        { "[link \"x\"]\nreason = \xc3\xa4\x7f\n", "2: control character 7fh\n" },
        { "\xef\xbb\xbf[thresholds]\r\nflapping_changes = 4\r\n", "" },
        { "\xef\xbb[thresholds]\n", "1: the line is not UTF-8\n" },
        { "[thresholds]\xef\xbb\xbf\n", "1: no ] at the end of the section's head\n" },
    };
    char buffer[512];

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++)
        assert_string_equal(complaints(text_of(CASES[i].text), buffer, sizeof(buffer)),
                            CASES[i].complaint);
    assert_string_equal(
        complaints((struct bytes){ (const uint8_t *)NUL, sizeof(NUL) }, buffer, sizeof(buffer)),
        "3: a NUL byte: this is no text file, and nothing of it is used\n");
}

/* Long words are cut in messages, between characters. */
static void long_words(void **state)
{
    char text[256] = "[thresholds]\n", buffer[512], expected[128];

    (void)state;
    memset(text + strlen(text), 'x', 63);
    strcat(text, "\xc3\xa4 = 1\n");
    snprintf(expected, sizeof(expected), "W2: unknown key %.63s in [thresholds]\n",
             text + strlen("[thresholds]\n"));
    assert_string_equal(complaints(text_of(text), buffer, sizeof(buffer)), expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_said), cmocka_unit_test(hosts),
        cmocka_unit_test(later_files),  cmocka_unit_test(links),
        cmocka_unit_test(devices),      cmocka_unit_test(tier_that_is_none),
        cmocka_unit_test(rest_goes_on), cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(long_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
