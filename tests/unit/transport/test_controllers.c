/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The whole table of controllers: sorted, nothing twice, rates that exist, transports that exist.
 */
#include "../cmocka_all.h"

#include <string.h>

#include "transport/controllers.h"

static bool is_transport(const char *name)
{
    for (size_t i = 0; TRANSPORTS[i]; i++)
        if (strcmp(TRANSPORTS[i]->name, name) == 0)
            return true;
    return false;
}

static int order(const struct controller *a, const struct controller *b)
{
    int transport = strcmp(a->transport, b->transport);

    if (transport)
        return transport;
    return a->vendor != b->vendor ? (int)a->vendor - (int)b->vendor
                                  : (int)a->device - (int)b->device;
}

static void rows_are_sorted_and_unique(void **state)
{
    (void)state;
    assert_true(CONTROLLERS[0].vendor);
    for (const struct controller *c = CONTROLLERS + 1; c->vendor; c++)
        if (order(c - 1, c) >= 0)
            fail_msg("%04x:%04x does not come before %04x:%04x", c[-1].vendor, c[-1].device,
                     c->vendor, c->device);
}

static void rows_are_plausible(void **state)
{
    (void)state;
    for (const struct controller *c = CONTROLLERS; c->vendor; c++) {
        uint64_t kb = rate_kb_per_s(c->best);

        if (!is_transport(c->transport) || !c->name || !*c->name || kb < 1000 || kb > 100000000)
            fail_msg("%04x:%04x %s", c->vendor, c->device, c->name);
    }
}

/* Ids whose meaning is known beyond doubt, and the best each chip can do in MB/s. */
static void well_known_chips(void **state)
{
    static const struct {
        uint16_t vendor, device;
        unsigned mb_per_s;
    } KNOWN[] = {
        { 0x1000, 0x0001, 10 },  { 0x1000, 0x000f, 40 },  { 0x1000, 0x0012, 80 },
        { 0x1000, 0x0021, 160 }, { 0x1000, 0x0030, 320 }, { 0x9004, 0x7178, 20 },
        { 0x9004, 0x8178, 40 },  { 0x9005, 0x0010, 80 },  { 0x9005, 0x0080, 160 },
        { 0x9005, 0x801f, 320 }, { 0x1077, 0x1216, 160 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++) {
        const struct controller *c = CONTROLLERS;

        while (c->vendor && (c->vendor != KNOWN[i].vendor || c->device != KNOWN[i].device))
            c++;
        assert_int_equal(rate_kb_per_s(c->best), KNOWN[i].mb_per_s * 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_and_unique),
        cmocka_unit_test(rows_are_plausible),
        cmocka_unit_test(well_known_chips),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
