/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about what links share: whole hosts, hops, wide links, slots, loads.
 */
#include "machine.h"

/* ---- host-wide-limit ---- */

static struct host *bus(struct machine *k, const char *name, const char *pci)
{
    struct host *h = host(k, name, pci);

    h->is_bus = true;
    return h;
}

static void all_at_one_mode(void **state)
{
    struct machine k = machine_new();
    struct host *h = bus(&k, "host0", "0000:01:00.0");
    struct link *older, *narrow;
    const struct finding *f;

    (void)state;
    lane(&k, h, "a", 80, 320);
    lane(&k, h, "b", 80, 160);
    /* Another code, the same mode. */
    older = wire(&k, h, "c", 1, MB(160));
    at_most(&k, older, WHO_TARGET, 1, MB(320));
    /* What cannot go faster does not count, however fast it is; nor what is slow below that mode. */
    lane(&k, h, "d", 40, 40);
    lane(&k, h, "e", 10, 20);
    /* Nor what somebody holds down. */
    narrow = lane(&k, h, "f", 40, 160);
    allowed(&k, narrow, 1, MB(40));
    remember(&k, 0);
    runs(&k, older, 1, MB(80));
    f = only(judged(&k, 60), "host-wide-limit");
    assert_severity(f, SEVERITY_WARNING);
    assert_subjects(f, 4);
    assert_first(f, h->id);
    assert_int_equal(count_of(k.report, "slower-than-before"), 0);
    assert_int_equal(count_of(k.report, "rate-below-expected"), 1);
    judged_done(&k);
}

static void two_are_not_a_host(void **state)
{
    struct machine k = machine_new();
    struct host *h = bus(&k, "host0", "0000:01:00.0");

    (void)state;
    lane(&k, h, "a", 80, 320);
    lane(&k, h, "b", 80, 320);
    judged(&k, 0);
    assert_int_equal(count_of(k.report, "host-wide-limit"), 0);
    assert_int_equal(count_of(k.report, "rate-below-expected"), 2);
    judged_done(&k);
}

/* With a third at that mode of which it is not known what it could do, they are; one of three is not. */
static void third_is_not_known(void **state)
{
    (void)state;
    for (unsigned n_proven = 1; n_proven <= 2; n_proven++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        const struct finding *f;

        for (unsigned i = 0; i < n_proven; i++)
            proven(&k, wire(&k, h, i ? "b" : "a", 2, MB(40)), 2, MB(80));
        for (unsigned i = n_proven; i < 3; i++)
            able(&k, wire(&k, h, i > 1 ? "d" : "c", 2, MB(40)), WHO_INITIATOR, 2, MB(80));
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "host-wide-limit"), n_proven == 2);
        assert_int_equal(count_of(k.report, "rate-below-expected"), n_proven == 1);
        if (n_proven == 2) {
            f = only(k.report, "host-wide-limit");
            assert_first(f, h->id);
            assert_subjects(f, 3);
        }
        judged_done(&k);
    }
}

/* One that is faster, or slow at another mode, or faster though nobody knows its ability: no limit of the host. */
static void not_all_at_one_mode(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine k = machine_new();
        struct host *h = bus(&k, "host0", "0000:01:00.0");

        lane(&k, h, "a", 80, 320);
        lane(&k, h, "b", 80, 320);
        lane(&k, h, "c", 80, 320);
        if (i == 0)
            lane(&k, h, "d", 160, 160);
        if (i == 1)
            lane(&k, h, "d", 40, 320);
        if (i == 2)
            wire(&k, h, "d", 1, MB(160));
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "host-wide-limit"), 0);
        judged_done(&k);
    }
}

static void all_async_is_async(void **state)
{
    struct machine k = machine_new();
    struct host *h = bus(&k, "host0", "0000:01:00.0");
    const struct finding *f;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        proven(&k, wire(&k, h, i ? i == 1 ? "b" : "c" : "a", 1 + i % 2, 0), 2, MB(80));
    f = only(judged(&k, 0), "async");
    assert_subjects(f, 4);
    assert_first(f, h->id);
    assert_true(has_evidence(f, "also host-wide-limit"));
    assert_int_equal(count_of(k.report, "host-wide-limit"), 0);
    judged_done(&k);
}

/* Another channel that is free of it: the cabling comes first; one that is limited too, or has other
 * parameters: the driver. */
static void order_of_causes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct machine k = machine_new();
        struct host *h = bus(&k, "host0", "0000:01:00.0");
        struct host *other = bus(&k, "host1", "0000:01:00.1");
        const struct finding *f = NULL;

        lane(&k, h, "a", 80, 320);
        lane(&k, h, "b", 80, 320);
        lane(&k, h, "c", 80, 320);
        if (i)
            lane(&k, other, "d", i == 1 ? 80 : 320, 320);
        if (i == 3)
            assert_int_equal(
                vec_push(&other->parameters, (struct parameter){ "width", "1", "cmdline" }), 0);
        f = only(judged(&k, 0), "host-wide-limit");
        if (i == 2)
            assert_non_null(strstr(f->entry->causes[0], "cable"));
        else
            assert_non_null(strstr(f->entry->causes[0], "driver"));
        judged_done(&k);
    }
}

/* ---- what hangs below one hop, or is one wide link ---- */

static void one_hop_one_finding(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *hop = proven(&k, wire(&k, h, "hop", 4, MB(1200)), 4, MB(1200));
    const struct finding *f;
    struct link *l;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        l = lane(&k, h, i ? i == 1 ? "b" : "c" : "a", 600, 1200);
        l->up = hop;
    }
    f = only(judged(&k, 0), "rate-below-expected");
    assert_subjects(f, 4);
    assert_first(f, hop->id);
    judged_done(&k);
}

static void wide_link_with_a_slow_lane(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *lanes[4], *wide;
    const struct finding *f;

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        lanes[i] = lane(&k, h, text(&k, "phy-", (const char *[]){ "0", "1", "2", "3" }[i]),
                        i == 2 ? 600 : 1200, 1200);
    wide = proven(&k, wire(&k, h, "port", 4, MB(600)), 4, MB(1200));
    for (unsigned i = 0; i < 4; i++)
        lanes[i]->bundle = wide;
    f = only(judged(&k, 0), "rate-below-expected");
    assert_subjects(f, 2);
    assert_first(f, wide->id);
    assert_string_equal(f->subjects.v[1], lanes[2]->id);
    assert_int_equal(k.report->findings.n, 1);
    judged_done(&k);
}

/* ---- lanes that nobody's ability tells ---- */

static struct link *port(struct machine *k, struct host *h, const char *name, unsigned lanes)
{
    struct link *l = proven(k, wire(k, h, name, lanes, MB(1200)), lanes, MB(1200));

    l->lanes_vary = true;
    l->far = name;
    l->far_model = "EXPANDER";
    return l;
}

static void lanes_it_had_before(void **state)
{
    struct machine k = machine_new();
    struct link *l = port(&k, host(&k, "host0", "0000:01:00.0"), "port", 4);
    const struct finding *f;

    (void)state;
    l->far_id = "500000";
    remember(&k, 0);
    runs(&k, l, 3, MB(1200));
    l->able.n = 0;
    proven(&k, l, 3, MB(1200));
    f = only(judged(&k, 10), "width-below-expected");
    assert_first(f, l->id);
    assert_verdict(l, VERDICT_BELOW);
    assert_expected(l, 4, 1200);
    assert_int_equal(count_of(k.report, "link-lost"), 0);
    judged_done(&k);
}

static void lanes_to_another_far_end(void **state)
{
    struct machine k = machine_new();
    struct link *l = port(&k, host(&k, "host0", "0000:01:00.0"), "port", 4);

    (void)state;
    l->far_id = "500000";
    remember(&k, 0);
    runs(&k, l, 2, MB(1200));
    l->able.n = 0;
    proven(&k, l, 2, MB(1200));
    l->far_id = "600000";
    assert_nothing(judged(&k, 10));
    assert_verdict(l, VERDICT_OK);
    judged_done(&k);
}

/* One lane is left, which is a link of its own now. */
static void one_lane_left(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *a = lane(&k, h, "phy-0", 1200, 1200), *b = lane(&k, h, "phy-1", 1200, 1200);
    struct link *wide = port(&k, h, "port", 2);
    const struct finding *f;

    (void)state;
    a->bundle = b->bundle = wide;
    a->far_id = b->far_id = wide->far_id = "500000";
    a->lanes_vary = b->lanes_vary = true;
    remember(&k, 0);
    drop(&k, wide);
    a->bundle = b->bundle = NULL;
    b->state = LINK_EMPTY;
    f = only(judged(&k, 10), "width-below-expected");
    assert_first(f, a->id);
    assert_expected(a, 2, 1200);
    assert_int_equal(k.report->findings.n, 1);
    judged_done(&k);
}

static void lanes_of_equal_ports(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct link *l = port(&k, h, "a", 2);

        port(&k, h, "b", 4);
        port(&k, h, "c", i ? 4 : 2);
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "width-below-expected"), i);
        assert_verdict(l, i ? VERDICT_BELOW : VERDICT_OK);
        judged_done(&k);
    }
}

/* A port that is programmed to less, and has lost a lane besides: below its cap. */
static void capped_and_a_lane_lost(void **state)
{
    struct machine k = machine_new();
    struct link *l = port(&k, host(&k, "host0", "0000:01:00.0"), "port", 4);

    (void)state;
    remember(&k, 0);
    runs(&k, l, 3, MB(600));
    l->able.n = 0;
    proven(&k, l, 3, MB(1200));
    allowed(&k, l, 3, MB(600));
    only(judged(&k, 10), "width-below-expected");
    only(k.report, "capped-by-configuration");
    assert_expected(l, 4, 600);
    judged_done(&k);
}

/* ---- slot-limit, oversubscribed, no-link-facts ---- */

static struct host *in_slot(struct machine *k, unsigned card_lanes, uint64_t card_kb,
                            unsigned slot_lanes, uint64_t slot_kb)
{
    struct host *h = host(k, "host0", "0000:01:00.0");
    struct rate common = rate_common((struct rate){ card_lanes, 0, card_kb },
                                     (struct rate){ slot_lanes, 0, slot_kb });

    h->slot = wire(k, h, "0000:01:00.0", common.lanes, common.lane_kb_per_s);
    h->slot->up = NULL;
    able(k, h->slot, WHO_INITIATOR, card_lanes, card_kb);
    able(k, h->slot, WHO_TARGET, slot_lanes, slot_kb);
    return h;
}

static void slot_limit(void **state)
{
    static const struct {
        unsigned lanes;
        uint64_t kb;
        bool limits;
    } SLOTS[] = {
        { 8, MB(1000), false }, { 16, MB(2000), false }, { 4, MB(1000), true },
        { 8, MB(500), true },   { 4, MB(2000), true }, /* as much in all, for a card that can use it */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(SLOTS) / sizeof(SLOTS[0]); i++) {
        struct machine k = machine_new();
        struct host *h = in_slot(&k, 8, MB(1000), SLOTS[i].lanes, SLOTS[i].kb);

        judged(&k, 0);
        assert_int_equal(k.report->findings.n, SLOTS[i].limits);
        assert_verdict(h->slot, VERDICT_OK);
        if (SLOTS[i].limits) {
            assert_severity(only(k.report, "slot-limit"), SEVERITY_INFO);
            assert_first(only(k.report, "slot-limit"), h->slot->id);
        }
        judged_done(&k);
    }
}

/* Without an upstream port in sight nothing is expected. */
static void slot_without_a_port(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");

    (void)state;
    h->slot = wire(&k, h, "0000:01:00.0", 4, MB(1000));
    able(&k, h->slot, WHO_INITIATOR, 8, MB(1000));
    assert_nothing(judged(&k, 0));
    assert_verdict(h->slot, VERDICT_UNKNOWN);
    judged_done(&k);
}

static void oversubscribed(void **state)
{
    (void)state;
    for (unsigned n = 2; n < 4; n++) {
        struct machine k = machine_new();
        struct host *h = in_slot(&k, 2, MB(600), 2, MB(600));
        const struct finding *f;

        for (unsigned i = 0; i < n; i++)
            disk(&k, h, lane(&k, h, i ? i == 1 ? "b" : "c" : "a", 600, 600), "0:0:0:0");
        lane(&k, h, "no-device", 600, 600);
        judged(&k, 0);
        assert_int_equal(k.report->findings.n, n == 3);
        if (n == 3) {
            f = only(k.report, "oversubscribed");
            assert_severity(f, SEVERITY_INFO);
            assert_first(f, h->slot->id);
            assert_non_null(strstr(f->summary, "1.5"));
        }
        judged_done(&k);
    }
}

/* The bus is a hop: its devices together ask no more of the slot than it carries. */
static void bus_is_a_hop(void **state)
{
    struct machine k = machine_new();
    struct host *h = in_slot(&k, 1, MB(500), 1, MB(500));

    (void)state;
    h->is_bus = true;
    for (unsigned i = 0; i < 4; i++)
        disk(&k, h, lane(&k, h, text(&k, "t", (const char *[]){ "0", "1", "2", "3" }[i]), 320, 320),
             "0:0:0:0");
    assert_first(only(judged(&k, 0), "oversubscribed"), h->id);
    assert_non_null(strstr(only(k.report, "oversubscribed")->summary, "4.0"));
    judged_done(&k);
}

static void no_link_facts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");

        h->reason = i == 1 ? NULL : "the firmware hides them";
        h->emulated = i == 2 ? "emulated" : NULL;
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "no-link-facts"), i == 0);
        if (i == 0) {
            assert_severity(only(k.report, "no-link-facts"), SEVERITY_INFO);
            assert_first(only(k.report, "no-link-facts"), h->id);
        }
        judged_done(&k);
    }
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(all_at_one_mode),        cmocka_unit_test(two_are_not_a_host),
        cmocka_unit_test(third_is_not_known),     cmocka_unit_test(not_all_at_one_mode),
        cmocka_unit_test(all_async_is_async),     cmocka_unit_test(order_of_causes),
        cmocka_unit_test(one_hop_one_finding),    cmocka_unit_test(wide_link_with_a_slow_lane),
        cmocka_unit_test(lanes_it_had_before),    cmocka_unit_test(lanes_to_another_far_end),
        cmocka_unit_test(one_lane_left),          cmocka_unit_test(lanes_of_equal_ports),
        cmocka_unit_test(capped_and_a_lane_lost), cmocka_unit_test(slot_limit),
        cmocka_unit_test(slot_without_a_port),    cmocka_unit_test(oversubscribed),
        cmocka_unit_test(bus_is_a_hop),           cmocka_unit_test(no_link_facts),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
