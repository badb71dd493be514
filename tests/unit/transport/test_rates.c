/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rates of Ethernet and InfiniBand ports: names and payloads.
 */
#include "../cmocka_all.h"

#include <errno.h>

#include <string.h>

#include "base/cleanup.h"
#include "transport/ethernet.h"
#include "transport/infiniband.h"

static void ethernet_labels(void **state)
{
    static const struct {
        uint64_t mbit;
        const char *label;
        uint64_t kb_per_s;
    } PORTS[] = {
        { 10, "10 Mb/s Ethernet", 1250 },          { 100, "100 Mb/s Ethernet", 12500 },
        { 1000, "1 Gb/s Ethernet", 125000 },       { 2500, "2.5 Gb/s Ethernet", 312500 },
        { 10000, "10 Gb/s Ethernet", 1250000 },    { 25000, "25 Gb/s Ethernet", 3125000 },
        { 100000, "100 Gb/s Ethernet", 12500000 },
    };
    struct arena *arena = arena_new();

    (void)state;
    assert_non_null(arena);
    for (size_t i = 0; i < ELEMENTS(PORTS); i++) {
        struct mode mode;

        assert_int_equal(ethernet_describe(arena, ethernet_rate(PORTS[i].mbit), &mode), 0);
        assert_true(mode.known);
        assert_string_equal(mode.label, PORTS[i].label);
        assert_int_equal(rate_kb_per_s(mode.rate), PORTS[i].kb_per_s);
    }
    arena_free(arena);
}

/* 8b/10b up to QDR, 64b/66b from FDR10 on; the file counts before encoding up to QDR, and for FDR. */
static void infiniband_payloads(void **state)
{
    static const struct {
        const char *text;
        unsigned lanes;
        uint64_t kb_per_s, mbit;
    } PORTS[] = {
        { "2.5 Gb/sec (1X SDR)", 1, 250000, 2500 },
        { "10 Gb/sec (4X)", 4, 1000000, 10000 }, /* old kernels do not name SDR */
        { "20 Gb/sec (4X DDR)", 4, 2000000, 20000 },
        { "40 Gb/sec (4X QDR)", 4, 4000000, 40000 },
        { "40 Gb/sec (4X FDR10)", 4, 5000000, 40000 },
        { "56 Gb/sec (4X FDR)", 4, 6818000, 56000 },
        { "100 Gb/sec (4X EDR)", 4, 12500000, 100000 },
        { "100 Gb/sec (2X HDR)", 2, 12500000, 100000 },
        { "200 Gb/sec (4X HDR)", 4, 25000000, 200000 },
        { "400 Gb/sec (4X NDR)", 4, 50000000, 400000 },
        { "800 Gb/sec (4X XDR)", 4, 100000000, 800000 },
    };

    struct arena *arena = arena_new();

    (void)state;
    for (size_t i = 0; i < ELEMENTS(PORTS); i++) {
        struct rate rate;
        struct mode mode;
        uint64_t mbit;

        assert_true(infiniband_parse(PORTS[i].text, &rate, &mbit));
        assert_int_equal(infiniband_describe(arena, rate, &mode), 0);
        assert_string_equal(mode.label, i == 1 ? "10 Gb/sec (4X SDR)" : PORTS[i].text);
        assert_int_equal(rate.lanes, PORTS[i].lanes);
        assert_int_equal(rate_kb_per_s(rate), PORTS[i].kb_per_s);
        assert_int_equal(mbit, PORTS[i].mbit);
    }
    arena_free(arena);
}

static void infiniband_rate_without_a_name(void **state)
{
    struct arena *arena = arena_new();
    struct mode mode;

    (void)state;
    assert_int_equal(infiniband_describe(arena, (struct rate){ 4, 0, 123000 }, &mode), 0);
    assert_true(mode.known);
    assert_null(mode.label);
    assert_string_equal(mode.detail, "492.0 MB/s");
    arena_free(arena);
}

static void labels_lead_back_to_rates(void **state)
{
    struct rate rate;

    (void)state;
    assert_int_equal(rate_of_label(ethernet_describe, "2.5 Gb/s Ethernet", 0, &rate), 0);
    assert_int_equal(rate_kb_per_s(rate), 312500);
    assert_int_equal(rate_of_label(ethernet_describe, "40 Gb/s Ethernet", 0, &rate), 0);
    assert_int_equal(rate.lanes, 1);
    assert_int_equal(rate_of_label(ethernet_describe, "40 Gb/s Ethernet", 4, &rate), 0);
    assert_int_equal(rate.lanes, 4);
    assert_int_equal(rate.lane_kb_per_s, 1250000);
    assert_int_equal(rate_of_label(infiniband_describe, "56 Gb/sec (4X FDR)", 0, &rate), 0);
    assert_int_equal(rate.lanes, 4);
    assert_int_equal(rate_of_label(ethernet_describe, "56 Gb/sec (4X FDR)", 0, &rate), -ENOENT);
    assert_int_equal(rate_of_label(ethernet_describe, "", 0, &rate), -ENOENT);
}

static void other_texts_are_no_rate(void **state)
{
    static const char *const TEXTS[] = { "",
                                         "fast",
                                         "10 Gb/sec",
                                         "10 Gb/sec (0X EDR)",
                                         "10 Gb/sec (4X ABC)",
                                         "10 Gb/s (4X EDR)",
                                         "(4X EDR)" };
    struct rate rate;
    uint64_t mbit;

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++)
        assert_false(infiniband_parse(TEXTS[i], &rate, &mbit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ethernet_labels),
        cmocka_unit_test(infiniband_payloads),
        cmocka_unit_test(infiniband_rate_without_a_name),
        cmocka_unit_test(labels_lead_back_to_rates),
        cmocka_unit_test(other_texts_are_no_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
