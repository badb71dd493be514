/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A configuration file, any bytes: what is kept is within its bounds, and what is wrong has a place.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run where an invariant does not hold; assert() is off in release builds. */
#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static unsigned count_lines(const uint8_t *data, size_t size)
{
    unsigned n = 0;

    for (size_t i = 0; i < size; i++)
        n += data[i] == '\n' || i + 1 == size;
    return n;
}

static void check_text(const char *text)
{
    CHECK(*text && text_is_utf8((struct bytes){ (const uint8_t *)text, strlen(text) }));
    for (; *text; text++)
        CHECK((unsigned char)*text >= 0x20 || *text == '\t');
}

static void check_place(struct config_place place, unsigned lines)
{
    CHECK(strcmp(place.file, "f") == 0 && place.line >= 1 && place.line <= lines);
}

/* Numbers of a section without a name are within their bounds. */
static void check_numbers(const char *section, const void *object)
{
    for (const struct config_key *key = CONFIG_KEYS; key->section; key++) {
        uint64_t value;

        if (strcmp(key->section, section) != 0 || key->least == key->most)
            continue;
        memcpy(&value, (const char *)object + key->offset, sizeof(value));
        CHECK(value >= key->least && value <= key->most);
    }
}

static void check_devices(const struct config *c, unsigned lines)
{
    for (size_t i = 0; i < c->devices.n; i++) {
        const struct config_device *d = &c->devices.v[i];

        check_text(d->glob);
        CHECK(!d->given == (d->tier == CONFIG_TIER_UNSAID));
        CHECK(d->tier == CONFIG_TIER_UNSAID || config_tier_to_string(d->tier));
        check_place(d->place, lines);
        if (d->given)
            check_place(d->tier_place, lines);
    }
    CHECK(config_tier_to_string(c->probe.tier));
}

static void check_rules(const struct config *c, unsigned lines)
{
    for (size_t i = 0; i < c->hosts.n; i++) {
        const struct config_host *h = &c->hosts.v[i];

        check_text(h->glob);
        CHECK(!h->given == (h->physical == CONFIG_UNSAID));
        check_place(h->place, lines);
        if (h->given)
            check_place(h->physical_place, lines);
    }
    for (size_t i = 0; i < c->links.n; i++) {
        const struct config_link *l = &c->links.v[i];

        check_text(l->glob);
        CHECK(!(l->given & CONFIG_LINK_EXPECT) == (!l->expect.label && !l->expect.kb_per_s));
        CHECK(!(l->given & CONFIG_LINK_IGNORE) == (l->ignore == CONFIG_UNSAID));
        CHECK(!(l->given & CONFIG_LINK_REASON) == !l->reason);
        CHECK(!(l->given & CONFIG_LINK_UNTIL) == !l->until_us);
        check_place(l->place, lines);
        for (unsigned k = 0; k < CONFIG_LINK_KEYS; k++)
            if (l->given & 1u << k)
                check_place(l->places[k], lines);
        if (l->reason)
            check_text(l->reason);
        if (l->expect.label)
            check_text(l->expect.label);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const NAMES[] = { "host0", "pci-0000:01:01.0-spi-0:2", NULL, "" };
    struct config_messages messages = { 0 };
    unsigned lines = count_lines(data, size);
    struct config config;

    CHECK(config_init(&config) == 0);
    CHECK(config_parse(&config, "f", (struct bytes){ data, size }, &messages) == 0);
    CHECK(messages.n_errors <= messages.list.n && messages.list.n <= lines);
    for (size_t i = 0; i < messages.list.n; i++) {
        check_place(messages.list.v[i].place, lines);
        check_text(messages.list.v[i].text);
    }
    check_numbers("thresholds", &config.thresholds);
    check_numbers("probe", &config.probe);
    check_rules(&config, lines);
    check_devices(&config, lines);
    config_host_physical(&config, NAMES, 4, NULL);
    config_device_tier(&config, NAMES, 4, NULL);
    CHECK(!(config_link_rule(&config, NAMES, 4, 1).given >> CONFIG_LINK_KEYS));
    config_messages_done(&messages);
    config_done(&config);
    return 0;
}
