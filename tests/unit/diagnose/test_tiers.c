/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is sent to live devices by what their administrator says: to one of tier `sysfs` nothing at all.
 */
#include "captures.h"

#include "diagnose/tiers.h"

static const char SPI[] = "spi-initiator-320-target-160";

/* Walks over the machine as over a live one, by a configuration. */
static void walk(struct counting *c, const char *text, const struct gather_options *asked)
{
    struct gather_options options = *asked;
    struct config config = config_of(text);
    struct fact_set *facts = NULL;
    struct tiers tiers;

    options.level = LEVEL_ALL;
    assert_int_equal(tiers_find(&c->source, &config, NULL, &tiers), 0);
    assert_int_equal(c->n, 0); /* to find out costs no command */
    options.tiers = &tiers;
    assert_int_equal(gather(&c->source, &options, &facts), 0);
    fact_set_free(facts);
    tiers_done(&tiers);
    config_done(&config);
}

static size_t sent(const char *text, const char *hctl)
{
    struct counting c;
    size_t n;

    counting_open(&c, SPI, true);
    walk(&c, text, &(struct gather_options){ 0 });
    n = hctl ? count_for(&c, hctl) : c.n;
    counting_done(&c);
    return n;
}

static void nothing_said(void **state)
{
    (void)state;
    assert_true(sent("", "0:0:0:0") > 0);
    assert_true(sent("", "0:0:1:0") > 0);
    assert_int_equal(sent("[probe]\ntier = identify\n", NULL), sent("", NULL));
}

static void nothing_sent(void **state)
{
    (void)state;
    assert_int_equal(sent("[probe]\ntier = sysfs\n", NULL), 0);
    assert_int_equal(sent("[device \"*\"]\ntier = sysfs\n", NULL), 0);
}

/* By each of its names, ids too. */
static void one_device(void **state)
{
    static const char *const NAMES[] = { "0:0:1:0", "sd?", "*-spi-0:1-lun-0", "FUJITSU MAW*" };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(NAMES); i++) {
        char text[128];

        snprintf(text, sizeof(text), "[device \"%s\"]\ntier = sysfs\n", NAMES[i]);
        assert_int_equal(sent(text, "0:0:1:0"), 0);
    }
    assert_true(sent("[device \"0:0:1:0\"]\ntier = sysfs\n", "0:0:0:0") > 0);
    assert_int_equal(
        sent("[probe]\ntier = sysfs\n[device \"0:0:1:0\"]\ntier = identify\n", "0:0:0:0"), 0);
    assert_true(sent("[probe]\ntier = sysfs\n[device \"0:0:1:0\"]\ntier = identify\n", "0:0:1:0") >
                0);
}

/* Not for a request that names it, nor for one that insists. */
static void named_and_forced(void **state)
{
    struct counting c;

    (void)state;
    counting_open(&c, SPI, true);
    walk(&c, "[device \"0:0:1:0\"]\ntier = sysfs\n",
         &(struct gather_options){ .named = "0:0:1:0", .forced = true });
    assert_int_equal(count_for(&c, "0:0:1:0"), 0);
    counting_done(&c);
}

/* What udev says of the SCSI device comes before what it says of the block device. */
static void udev_property(void **state)
{
    static const struct {
        const char *word, *config;
        bool is_asked;
    } CASES[] = {
        { "sysfs", "", false },
        { "identify", "", true },
        { "none", "", true },
        { "read", "[probe]\ntier = sysfs\n", false },
        { "sysfs", "[device \"0:0:1:0\"]\ntier = read\n", true },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        const char *word = CASES[i].word;
        struct counting c;
        struct value link;
        char path[512];

        counting_open(&c, SPI, true);
        assert_int_equal(source_link(&c.source, "/sys/bus/scsi/devices/0:0:1:0", &link), 0);
        assert_int_equal(link.error, 0);
        snprintf(path, sizeof(path), "/sys%s", strstr((const char *)link.bytes.data, "/devices/"));
        assert_int_equal(
            store_put_prop(c.store, (struct bytes){ (const uint8_t *)path, strlen(path) },
                           (struct bytes){ (const uint8_t *)"HBAD_TIER", 9 },
                           (struct bytes){ (const uint8_t *)word, strlen(word) }, NULL),
            0);
        walk(&c, CASES[i].config, &(struct gather_options){ 0 });
        assert_int_equal(count_for(&c, "0:0:1:0") > 0, CASES[i].is_asked);
        counting_done(&c);
    }
}

/* A capture that was taken is used, whatever is forbidden now. */
static void captures_are_used(void **state)
{
    struct counting c;

    (void)state;
    counting_open(&c, SPI, false);
    walk(&c, "[probe]\ntier = sysfs\n[device \"0:0:1:0\"]\ntier = sysfs\n",
         &(struct gather_options){ 0 });
    assert_true(count_for(&c, "0:0:1:0") > 0);
    counting_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_said),  cmocka_unit_test(nothing_sent),
        cmocka_unit_test(one_device),    cmocka_unit_test(named_and_forced),
        cmocka_unit_test(udev_property), cmocka_unit_test(captures_are_used),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
