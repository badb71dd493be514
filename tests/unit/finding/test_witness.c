/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Witnesses that contradict each other, and such that nearly do.
 */
#include "machine.h"

static void ends_disagree(void **state)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 320, 320);
    const struct finding *f;

    (void)state;
    assert_int_equal(link_add_witness(l, WHO_TARGET, "page", mode(&k, 1, MB(160))), 0);
    f = only(judged(&k, 0), "ends-disagree");
    assert_severity(f, SEVERITY_WARNING);
    assert_first(f, l->id);
    assert_verdict(l, VERDICT_UNKNOWN);
    assert_int_equal(l->actual.rate.lane_kb_per_s, MB(320));
    assert_int_equal(k.report->findings.n, 1);
    judged_done(&k);
}

/* It replaces what else would be said of the mode. */
static void disagreement_replaces_modes(void **state)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 80, 320);

    (void)state;
    assert_int_equal(link_add_witness(l, WHO_TARGET, "page", mode(&k, 1, MB(320))), 0);
    only(judged(&k, 0), "ends-disagree");
    assert_int_equal(k.report->findings.n, 1);
    judged_done(&k);
}

/* The same but for rounding; the same payload by other lanes is not. */
static void ends_that_agree(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine k = machine_new();
        struct link *l = proven(&k, wire(&k, host(&k, "host0", "0000:01:00.0"), "a", 1, MB(40)), 1,
                                MB(40));

        assert_int_equal(
            link_add_witness(l, WHO_TARGET, "page", i ? mode(&k, 2, MB(20)) : mode(&k, 1, 39900)),
            0);
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "ends-disagree"), i);
        judged_done(&k);
    }
}

/* More than 105 % of the payload, past the page cache. */
static void clock_contradicts(void **state)
{
    static const struct {
        const char *method;
        unsigned mb;
        bool contradicts;
    } CLOCKS[] = {
        { "read-buffer", 169, true },
        { "read-buffer", 168, false },
        { "read-media/block-direct", 200, true },
        { "read-media/block-buffered", 900, false },
        { "read-buffer", 10, false },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(CLOCKS) / sizeof(CLOCKS[0]); i++) {
        struct machine k = machine_new();
        struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 160, 320);

        assert_int_equal(
            link_add_witness(l, WHO_CLOCK, CLOCKS[i].method, mode(&k, 1, MB(CLOCKS[i].mb))), 0);
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "ends-disagree"), CLOCKS[i].contradicts);
        assert_verdict(l, CLOCKS[i].contradicts ? VERDICT_UNKNOWN : VERDICT_BELOW);
        judged_done(&k);
    }
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(ends_disagree),
        cmocka_unit_test(disagreement_replaces_modes),
        cmocka_unit_test(ends_that_agree),
        cmocka_unit_test(clock_contradicts),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
