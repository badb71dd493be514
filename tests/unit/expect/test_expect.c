/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verdicts: what the ends prove, what they allow, and what nobody knows.
 */
#include "../model_machine.h"

#include "expect/expect.h"

/* actual, what each end can do (0: says nothing; `proof`: is that certain?), limit (0: none) → verdict, expected
 * (0: nothing). MB/s of one lane. */
static const struct {
    unsigned runs, near, far, limit;
    bool proof;
    enum verdict verdict;
    unsigned expected;
} VERDICTS[] = {
    { 600, 1200, 600, 0, true, VERDICT_OK, 600 },
    { 600, 1200, 1200, 0, true, VERDICT_BELOW, 1200 },
    { 600, 1200, 1200, 0, false, VERDICT_UNKNOWN, 0 },
    { 1200, 1200, 1200, 0, false, VERDICT_OK, 1200 },
    /* A silent far end: well at the best of the near one, else not known. */
    { 1200, 1200, 0, 0, true, VERDICT_OK, 1200 },
    { 600, 1200, 0, 0, true, VERDICT_UNKNOWN, 0 },
    { 600, 0, 600, 0, true, VERDICT_OK, 600 },
    { 300, 0, 600, 0, true, VERDICT_UNKNOWN, 0 },
    { 600, 0, 0, 0, true, VERDICT_UNKNOWN, 0 },
    /* Faster than anybody says: nobody is right, and nothing is wrong. */
    { 1200, 600, 600, 0, true, VERDICT_OK, 1200 },
    /* Limits. */
    { 600, 1200, 1200, 600, true, VERDICT_CAPPED, 1200 },
    { 600, 1200, 1200, 600, false, VERDICT_CAPPED, 1200 },
    { 300, 1200, 1200, 600, true, VERDICT_BELOW, 600 },
    { 300, 1200, 1200, 600, false, VERDICT_UNKNOWN, 0 },
    { 600, 1200, 600, 600, true, VERDICT_OK, 600 },
    { 600, 1200, 1200, 300, true, VERDICT_BELOW,
      1200 }, /* a limit that is exceeded holds nothing */
    { 0, 320, 320, 0, true, VERDICT_BELOW, 320 },
    { 0, 320, 320, 160, true, VERDICT_BELOW, 160 },
};

static void verdicts(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2 * sizeof(VERDICTS) / sizeof(VERDICTS[0]); n++) {
        struct machine k = machine_new();
        unsigned i = n / 2;
        struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "a", 1, MB(VERDICTS[i].runs));

        /* What the transport says for the case that it is unknown is no reason of another verdict. */
        l->reason = n % 2 ? "its transport knows why" : NULL;
        if (VERDICTS[i].near)
            able(&k, l, WHO_INITIATOR, 1, MB(VERDICTS[i].near));
        if (VERDICTS[i].far && VERDICTS[i].proof)
            able(&k, l, WHO_TARGET, 1, MB(VERDICTS[i].far));
        else if (VERDICTS[i].far)
            at_most(&k, l, WHO_TARGET, 1, MB(VERDICTS[i].far));
        if (VERDICTS[i].limit)
            allowed(&k, l, 1, MB(VERDICTS[i].limit));
        assert_int_equal(expect_model(k.model, NULL), 0);
        if (l->verdict != VERDICTS[i].verdict)
            fail_msg("row %u: %s", i, verdict_to_string(l->verdict));
        assert_int_equal(rate_kb_per_s(l->expected.rate), MB(VERDICTS[i].expected));
        assert_int_equal(l->reason != NULL, l->verdict == VERDICT_UNKNOWN);
        assert_int_equal(l->expected_from.n > 0, VERDICTS[i].expected > 0);
        machine_done(&k);
    }
}

/* A limit takes nothing away that is known where its end does not say what it could do. */
static void limit_of_a_silent_end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine k = machine_new();
        struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "a", 1, MB(600));

        able(&k, l, i ? WHO_INITIATOR : WHO_TARGET, 1, MB(1200));
        if (i < 2)
            assert_int_equal(link_add_allowed(l, i ? WHO_TARGET : WHO_INITIATOR, "setting",
                                              mode(&k, 1, MB(600))),
                             0);
        allowed(&k, l, 1, i < 2 ? MB(1200) : MB(600));
        assert_int_equal(expect_model(k.model, NULL), 0);
        assert_int_equal(l->verdict, i < 2 ? VERDICT_UNKNOWN : VERDICT_CAPPED);
        assert_int_equal(l->expected.known, i == 2);
        assert_int_equal(l->reason != NULL, i < 2);
        machine_done(&k);
    }
}

/* Nor is a limited link slow by its past where nothing says what its ends can do. */
static void limit_of_silent_ends(void **state)
{
    struct machine k = machine_new();
    struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "a", 1, MB(1200));

    (void)state;
    remember(&k, 0);
    l->actual.rate.lane_kb_per_s = MB(600);
    allowed(&k, l, 1, MB(600));
    assert_int_equal(expect_model(k.model, k.past), 0);
    assert_int_equal(l->verdict, VERDICT_UNKNOWN);
    assert_false(l->expected.known);
    assert_non_null(l->reason);
    machine_done(&k);
}

/* Where a limit cannot be read, neither the ends nor others nor the past prove that a slow link is at fault; that a
 * fast one is well needs no limit. */
static void limit_that_cannot_be_read(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct link *l = i == 1 ? wire(&k, h, "a", 1, MB(1200)) : lane(&k, h, "a", 1200, 1200);

        l->limit_unknown = true;
        l->peers_prove = true;
        if (i == 2)
            lane(&k, h, "b", 1200, 1200)->far = lane(&k, h, "c", 1200, 1200)->far = l->far = "X";
        remember(&k, 0);
        if (i < 3)
            l->actual.rate.lane_kb_per_s = MB(600);
        assert_int_equal(expect_model(k.model, k.past), 0);
        assert_int_equal(l->verdict, i < 3 ? VERDICT_UNKNOWN : VERDICT_OK);
        assert_int_equal(l->expected.known, i == 3);
        assert_int_equal(l->reason != NULL, i < 3);
        machine_done(&k);
    }
}

/* Only those that set the expectation are named. */
static void who_set_it(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *rate = wire(&k, h, "a", 1, MB(600)), *width = wire(&k, h, "b", 4, MB(600));

    (void)state;
    able(&k, rate, WHO_INITIATOR, 1, MB(1200));
    able(&k, rate, WHO_TARGET, 1, MB(600));
    able(&k, width, WHO_INITIATOR, 8, MB(600));
    able(&k, width, WHO_TARGET, 4, MB(1200));
    able(&k, width, WHO_HOP, 8, MB(1200));
    assert_int_equal(expect_model(k.model, NULL), 0);
    assert_int_equal(rate->expected_from.n, 1);
    assert_int_equal(rate->expected_from.v[0].who, WHO_TARGET);
    assert_int_equal(width->expected_from.n, 2);
    machine_done(&k);
}

/* What is not up has no mode, whatever is left over. */
static void states(void **state)
{
    static const enum verdict OF[] = {
        [LINK_UP] = VERDICT_OK,           [LINK_DOWN] = VERDICT_UNKNOWN,
        [LINK_EMPTY] = VERDICT_NONE,      [LINK_DISABLED] = VERDICT_NONE,
        [LINK_UNKNOWN] = VERDICT_UNKNOWN,
    };

    (void)state;
    for (int s = 0; s < _LINK_STATE_MAX; s++) {
        struct machine k = machine_new();
        struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 600, 600);

        l->state = (enum link_state)s;
        assert_int_equal(expect_model(k.model, NULL), 0);
        assert_int_equal(l->verdict, OF[s]);
        assert_int_equal(l->actual.known, s == LINK_UP);
        assert_int_equal(l->reason != NULL, s != LINK_UP);
        machine_done(&k);
    }
}

static void no_physical_link(void **state)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 300, 600);

    (void)state;
    l->has_no_link = true;
    assert_int_equal(expect_model(k.model, NULL), 0);
    assert_int_equal(l->verdict, VERDICT_NONE);
    machine_done(&k);
}

/* The far end of a cable is judged from the near one, whatever others do. */
static void judged_above(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l = wire(&k, h, "a", 1, MB(600));

    (void)state;
    at_most(&k, l, WHO_INITIATOR, 1, MB(1200));
    l->judged_above = l->peers_prove = true;
    lane(&k, h, "b", 1200, 1200);
    lane(&k, h, "c", 1200, 1200);
    assert_int_equal(expect_model(k.model, NULL), 0);
    assert_int_equal(l->verdict, VERDICT_UNKNOWN);
    machine_done(&k);
}

static void one_card(void **state)
{
    struct machine k = machine_new();
    struct host *a = host(&k, "host0", "0000:01:00.0"), *b = host(&k, "host1", "0000:01:00.1");
    struct host *c = host(&k, "host2", "0000:01:01.0"), *d = host(&k, "host3", "0000:01:00.0");

    (void)state;
    assert_true(expect_same_card(a, a));
    assert_true(expect_same_card(a, b));
    assert_false(expect_same_card(a, c));
    d->pci_address = NULL;
    assert_true(expect_same_card(d, d));
    assert_false(expect_same_card(a, d));
    assert_false(expect_same_card(d, a));
    machine_done(&k);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(limit_of_a_silent_end),
        cmocka_unit_test(limit_of_silent_ends),
        cmocka_unit_test(limit_that_cannot_be_read),
        cmocka_unit_test(who_set_it),
        cmocka_unit_test(states),
        cmocka_unit_test(no_physical_link),
        cmocka_unit_test(judged_above),
        cmocka_unit_test(one_card),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
