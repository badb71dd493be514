/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Codes that name why links are slow: each where it holds, and where it nearly does.
 */
#include "machine.h"

/* ---- one link ---- */

static void rate_below_expected(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *slow = lane(&k, h, "a", 600, 1200);
    const struct finding *f;

    (void)state;
    lane(&k, h, "b", 1200, 1200);
    f = only(judged(&k, 0), "rate-below-expected");
    assert_severity(f, SEVERITY_WARNING);
    assert_subjects(f, 1);
    assert_first(f, slow->id);
    assert_true(has_evidence(f, "also slower-than-sibling"));
    assert_int_equal(k.report->findings.n, 1);
    assert_string_equal(slow->findings.v[0]->entry->code, "rate-below-expected");
    judged_done(&k);
}

/* Without proof from both ends it is not below. */
static void unproven_is_not_below(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l = wire(&k, h, "a", 1, MB(600));

    (void)state;
    able(&k, l, WHO_INITIATOR, 1, MB(1200));
    at_most(&k, l, WHO_TARGET, 1, MB(1200));
    assert_nothing(judged(&k, 0));
    assert_verdict(l, VERDICT_UNKNOWN);
    assert_non_null(l->reason);
    judged_done(&k);
}

/* Narrow on a wide bus, and slow besides: one finding, of the stronger code. */
static void width_wins_over_rate(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    const struct finding *f;

    (void)state;
    proven(&k, wire(&k, h, "a", 1, MB(40)), 2, MB(160));
    f = only(judged(&k, 0), "width-below-expected");
    assert_true(has_evidence(f, "also rate-below-expected"));
    assert_int_equal(k.report->findings.n, 1);
    judged_done(&k);
}

static void async_where_both_can(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l = proven(&k, wire(&k, h, "a", 1, 0), 2, MB(20));

    (void)state;
    proven(&k, wire(&k, h, "b", 2, MB(20)), 2, MB(20));
    assert_first(only(judged(&k, 0), "async"), l->id);
    assert_int_equal(count_of(k.report, "width-below-expected"), 0);
    judged_done(&k);
}

/* Who cannot do better is right. */
static void async_is_right_for_some(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l = wire(&k, h, "a", 1, 0);

    (void)state;
    able(&k, l, WHO_INITIATOR, 2, MB(160));
    able(&k, l, WHO_TARGET, 1, 0);
    assert_nothing(judged(&k, 0));
    assert_verdict(l, VERDICT_OK);
    judged_done(&k);
}

static void bus_single_ended(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    const struct finding *f;

    (void)state;
    h->is_bus = true;
    for (unsigned i = 0; i < 4; i++) {
        struct link *l = proven(&k, wire(&k, h, i % 2 ? "b" : "a", 2, MB(i ? 20 : 10)), 2, MB(80));

        l->impaired = (struct impairment){ "bus-single-ended", "signalling", "SE", "spi_host" };
    }
    f = only(judged(&k, 0), "bus-single-ended");
    assert_first(f, h->id);
    assert_subjects(f, 5);
    assert_int_equal(count_of(k.report, "host-wide-limit"), 0);
    assert_int_equal(count_of(k.report, "rate-below-expected"), 0);
    judged_done(&k);
}

/* A bus that is impaired, and whose links do all that their ends can: nothing. */
static void single_ended_is_right_for_some(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l = proven(&k, wire(&k, h, "a", 2, MB(20)), 2, MB(20));

    (void)state;
    l->impaired = (struct impairment){ "bus-single-ended", "signalling", "SE", "spi_host" };
    assert_nothing(judged(&k, 0));
    judged_done(&k);
}

/* ---- the past and siblings ---- */

static struct link *unproven(struct machine *k, struct host *h, const char *name, unsigned runs_mb)
{
    struct link *l = wire(k, h, name, 1, MB(runs_mb));

    able(k, l, WHO_INITIATOR, 1, MB(1200));
    at_most(k, l, WHO_TARGET, 1, MB(1200));
    return l;
}

static void slower_than_before(void **state)
{
    struct machine k = machine_new();
    struct link *l = unproven(&k, host(&k, "host0", "0000:01:00.0"), "a", 1200);
    const struct finding *f;

    (void)state;
    l->far_id = "wwn-1";
    remember(&k, 0);
    runs(&k, l, 1, MB(600));
    f = only(judged(&k, 60), "slower-than-before");
    assert_severity(f, SEVERITY_WARNING);
    assert_verdict(l, VERDICT_BELOW);
    assert_expected(l, 1, 1200);
    assert_true(has_evidence(f, "earlier"));
    judged_done(&k);
}

/* Another far end starts a new life; that this end has done better proves only this end. */
static void another_disk_starts_anew(void **state)
{
    struct machine k = machine_new();
    struct link *l = unproven(&k, host(&k, "host0", "0000:01:00.0"), "a", 1200);

    (void)state;
    l->far_id = "wwn-1";
    remember(&k, 0);
    runs(&k, l, 1, MB(600));
    l->far_id = "wwn-2";
    assert_nothing(judged(&k, 60));
    assert_verdict(l, VERDICT_UNKNOWN);
    judged_done(&k);
}

/* A port that may be wired for less has run faster with another disk, and this disk says that it can. */
static void near_end_has_proven_itself(void **state)
{
    struct machine k = machine_new();
    struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "a", 1, MB(600));

    (void)state;
    at_most(&k, l, WHO_INITIATOR, 1, MB(600));
    able(&k, l, WHO_TARGET, 1, MB(600));
    l->far_id = "wwn-1";
    remember(&k, 0);
    runs(&k, l, 1, MB(300));
    l->far_id = "wwn-2";
    only(judged(&k, 60), "rate-below-expected");
    assert_expected(l, 1, 600);
    judged_done(&k);
}

static void slower_than_two_siblings(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *slow = unproven(&k, h, "a", 300);
    const struct finding *f;

    (void)state;
    slow->peers_prove = true;
    unproven(&k, h, "b", 600);
    unproven(&k, h, "c", 600);
    f = only(judged(&k, 0), "slower-than-sibling");
    assert_severity(f, SEVERITY_WARNING);
    assert_first(f, slow->id);
    assert_verdict(slow, VERDICT_BELOW);
    assert_expected(slow, 1, 600);
    judged_done(&k);
}

/* One sibling counts where it runs at the best that is possible here, or else not at all. */
static void one_sibling_at_the_best(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct link *slow = unproven(&k, h, "a", 300);

        slow->peers_prove = true;
        unproven(&k, h, "b", i ? 1200 : 600);
        judged(&k, 0);
        assert_verdict(slow, i ? VERDICT_BELOW : VERDICT_UNKNOWN);
        assert_int_equal(count_of(k.report, "slower-than-sibling"), i);
        judged_done(&k);
    }
}

/* Siblings are of one card and one model, and their ends agree. */
static void no_siblings(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct host *other = host(&k, "host1", "0000:02:00.0");
        struct link *slow = unproven(&k, h, "a", 300), *s[2];

        slow->peers_prove = true;
        for (unsigned n = 0; n < 2; n++) {
            s[n] = unproven(&k, i == 0 ? other : h, n ? "b" : "c", 1200);
            if (i == 1)
                s[n]->far = "ANOTHER";
            if (i == 2)
                s[n]->state = LINK_UNKNOWN;
            if (i == 3)
                assert_int_equal(link_add_witness(s[n], WHO_TARGET, "page", mode(&k, 1, MB(600))),
                                 0);
        }
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "slower-than-sibling"), 0);
        assert_verdict(slow, VERDICT_UNKNOWN);
        judged_done(&k);
    }
}

/* Ports into networks: a warning only within one fabric, or towards one target. */
static void network_ports(void **state)
{
    static const enum severity SEVERITIES[] = { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_WARNING };

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine k = machine_new();
        struct host *h[2] = { host(&k, "host0", "0000:01:00.0"),
                              host(&k, "host1", "0000:01:00.1") };
        struct link *l[2];
        const struct finding *f;

        for (unsigned n = 0; n < 2; n++) {
            l[n] = wire(&k, h[n], n ? "b" : "a", 1, MB(n ? 1600 : 800));
            at_most(&k, l[n], WHO_INITIATOR, 1, MB(1600));
            l[n]->far_is_network = true;
            l[n]->far_id = i == 1 || n ? "fabric 1" : "fabric 2";
            if (i == 2)
                remote(&k, l[n], n ? "rport-1" : "rport-0", "node", true);
        }
        f = only(judged(&k, 0), "slower-than-sibling");
        assert_severity(f, SEVERITIES[i]);
        assert_first(f, l[0]->id);
        judged_done(&k);
    }
}

/* In one fabric: no warning of a port that does not say what it can do, nor of one whose limit cannot be read;
 * and no word of one that runs at what it was told to. */
static void network_port_that_tells_little(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine k = machine_new();
        struct link *l[3];

        for (unsigned n = 0; n < 3; n++) {
            const char *name = (const char *[]){ "a", "b", "c" }[n];

            l[n] = wire(&k,
                        host(&k, name,
                             (const char *[]){ "0000:01:00.0", "0000:01:00.1", "0000:01:00.2" }[n]),
                        name, 1, MB(n ? 1600 : 800));
            l[n]->far_is_network = true;
            l[n]->far_id = "fabric 1";
            if (n || i == 1)
                at_most(&k, l[n], WHO_INITIATOR, 1, MB(1600));
        }
        l[0]->limit_unknown = i == 1;
        if (i == 2)
            assert_int_equal(link_add_allowed(l[0], WHO_INITIATOR, "limit", mode(&k, 1, MB(800))),
                             0);
        judged(&k, 0);
        if (i == 2)
            assert_int_equal(k.report->findings.n, 0);
        else
            assert_severity(only(k.report, "slower-than-sibling"), SEVERITY_INFO);
        assert_verdict(l[0], VERDICT_UNKNOWN);
        judged_done(&k);
    }
}

/* With nothing to compare with: unknown, and no word. */
static void lone_network_port(void **state)
{
    struct machine k = machine_new();
    struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "a", 1, MB(800));

    (void)state;
    at_most(&k, l, WHO_INITIATOR, 1, MB(1600));
    l->far_is_network = true;
    assert_nothing(judged(&k, 0));
    assert_verdict(l, VERDICT_UNKNOWN);
    judged_done(&k);
}

/* ---- limits ---- */

static void capped_by_configuration(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l[2];
    const struct finding *f;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        l[i] = lane(&k, h, i ? "b" : "a", 600, 1200);
        allowed(&k, l[i], 1, MB(600));
    }
    f = only(judged(&k, 0), "capped-by-configuration");
    assert_severity(f, SEVERITY_INFO);
    assert_subjects(f, 2);
    assert_int_equal(k.report->findings.n, 1);
    assert_verdict(l[0], VERDICT_CAPPED);
    assert_expected(l[0], 1, 1200);
    judged_done(&k);
}

/* Below its cap: expected is the cap, which is named beside. */
static void below_its_cap(void **state)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 300, 1200);
    bool is_named = false;

    (void)state;
    allowed(&k, l, 1, MB(600));
    only(judged(&k, 0), "capped-by-configuration");
    only(k.report, "rate-below-expected");
    assert_verdict(l, VERDICT_BELOW);
    assert_expected(l, 1, 600);
    for (size_t i = 0; i < l->expected_from.n; i++)
        is_named |= strcmp(l->expected_from.v[i].via, "setting") == 0;
    assert_true(is_named);
    judged_done(&k);
}

/* A limit that is no lower than what the ends can do is none. */
static void limit_that_limits_nothing(void **state)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 600, 600);

    (void)state;
    allowed(&k, l, 1, MB(1200));
    assert_nothing(judged(&k, 0));
    assert_verdict(l, VERDICT_OK);
    judged_done(&k);
}

/* The payload of the cap by other lanes is not the cap. */
static void other_lanes_are_not_the_cap(void **state)
{
    struct machine k = machine_new();
    struct link *l = proven(&k, wire(&k, host(&k, "host0", "0000:01:00.0"), "a", 2, MB(20)), 2,
                            MB(160));

    (void)state;
    allowed(&k, l, 1, MB(40));
    judged(&k, 0);
    assert_verdict(l, VERDICT_BELOW);
    assert_expected(l, 2, 160);
    judged_done(&k);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(rate_below_expected),
        cmocka_unit_test(unproven_is_not_below),
        cmocka_unit_test(width_wins_over_rate),
        cmocka_unit_test(async_where_both_can),
        cmocka_unit_test(async_is_right_for_some),
        cmocka_unit_test(bus_single_ended),
        cmocka_unit_test(single_ended_is_right_for_some),
        cmocka_unit_test(slower_than_before),
        cmocka_unit_test(another_disk_starts_anew),
        cmocka_unit_test(near_end_has_proven_itself),
        cmocka_unit_test(slower_than_two_siblings),
        cmocka_unit_test(one_sibling_at_the_best),
        cmocka_unit_test(no_siblings),
        cmocka_unit_test(network_ports),
        cmocka_unit_test(network_port_that_tells_little),
        cmocka_unit_test(lone_network_port),
        cmocka_unit_test(capped_by_configuration),
        cmocka_unit_test(below_its_cap),
        cmocka_unit_test(limit_that_limits_nothing),
        cmocka_unit_test(other_lanes_are_not_the_cap),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
