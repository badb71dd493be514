/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The past: what is found in it again, and of whom it speaks.
 */
#include "../model_machine.h"

#include <errno.h>

static void found_by_id(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    const struct snapshot *s;
    size_t n;

    (void)state;
    for (int i = 9; i >= 0; i--) {
        struct link *l = wire(&k, h, text(&k, "w", (char[]){ (char)('0' + i), '\0' }), 1,
                              MB(i + 1));
        struct device *d = disk(&k, h, l, "0:0:0:0");

        put(&k, d->subject, &KEY_IOTMO, (uint64_t)i, NULL);
        measured(&k, d, 10);
        measured(&k, d, 20);
    }
    remember(&k, 0);
    s = &k.past->snapshots.v[0];
    for (size_t i = 0; i < k.model->links.n; i++) {
        const struct link *l = k.model->links.v[i];
        const struct device *d = k.model->devices.v[i];

        assert_int_equal(snapshot_link(s, l->id)->rate.lane_kb_per_s, l->actual.rate.lane_kb_per_s);
        assert_int_equal(snapshot_device(s, d->id)->count, 9 - i);
        assert_non_null(snapshot_measures(s, d->id, &n));
        assert_int_equal(n, 2);
    }
    assert_non_null(snapshot_host(s, h->id));
    assert_null(snapshot_link(s, "nobody"));
    assert_null(snapshot_device(s, "nobody"));
    assert_null(snapshot_remote(s, "nobody"));
    assert_null(snapshot_measures(s, "nobody", &n));
    assert_int_equal(n, 0);
    machine_done(&k);
}

/* A snapshot of a machine of that name with that host, at that minute. */
static void snapshot(struct machine *k, const char *hostname, bool scrubbed, const char *pci,
                     unsigned minute)
{
    struct machine other = machine_new();

    if (pci)
        host(&other, "host0", pci);
    other.model->hostname = hostname;
    other.model->scrubbed = scrubbed;
    assert_int_equal(history_add(k->past, other.model, minute * MINUTE_US, minute * MINUTE_US), 0);
    machine_done(&other);
}

/* Whose past it is: names, where they say something, then hosts. */
static void of_this_machine(void **state)
{
    static const struct {
        const char *hostname;
        bool scrubbed;
        const char *pci;
        unsigned minute;
        int fits;
    } CASES[] = {
        { "a", false, "0000:01:00.0", 5, 0 },
        { "a", false, "0000:09:00.0", 5, 0 },     /* another adapter in the same machine */
        { "a", true, "0000:09:00.0", 5, -EXDEV }, /* the name says nothing */
        { "b", false, "0000:01:00.0", 5, -EXDEV },
        { NULL, false, "0000:01:00.0", 5, 0 },
        { NULL, false, "0000:09:00.0", 5, -EXDEV },
        { NULL, false, NULL, 5, 0 },
        { "a", false, "0000:01:00.0", 10, 0 },
        { "a", false, "0000:01:00.0", 11, -EINVAL },
        { "a", false, "0000:01:00.0", 0, -ENODATA },
    };
    struct machine k = machine_new();

    (void)state;
    host(&k, "host0", "0000:01:00.0");
    k.model->hostname = "a";
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        snapshot(&k, CASES[i].hostname, CASES[i].scrubbed, CASES[i].pci, CASES[i].minute);
        assert_int_equal(history_fits(&k.past->snapshots.v[i], k.model, 10 * MINUTE_US),
                         CASES[i].fits);
    }
    machine_done(&k);
}

static void oldest_first(void **state)
{
    static const unsigned GIVEN[] = { 3, 0, 1, 9, 2 }, WANTED[] = { 1, 2, 3 };
    struct machine k = machine_new();
    struct history *fit;

    (void)state;
    host(&k, "host0", "0000:01:00.0");
    for (size_t i = 0; i < sizeof(GIVEN) / sizeof(GIVEN[0]); i++)
        snapshot(&k, "a", false, "0000:01:00.0", GIVEN[i]);
    assert_int_equal(history_of(k.past, k.model, 5 * MINUTE_US, &fit), 0);
    assert_int_equal(fit->snapshots.n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(fit->snapshots.v[i].wall_us, WANTED[i] * MINUTE_US);
    history_free(fit);
    machine_done(&k);
}

/* The best of the pair; of the near end with anybody; where either far end is not known, it is the same. */
static void best_of_a_pair(void **state)
{
    struct machine k = machine_new();
    struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "a", 1, MB(600));

    (void)state;
    assert_null(history_best(k.past, l));
    l->far_id = "wwn-1";
    remember(&k, 0);
    runs(&k, l, 1, MB(1200));
    l->far_id = "wwn-2";
    remember(&k, 10);
    runs(&k, l, 1, MB(300));
    l->far_id = "wwn-1";
    remember(&k, 20);
    assert_int_equal(history_best(k.past, l)->rate.lane_kb_per_s, MB(600));
    assert_int_equal(history_best_near(k.past, l)->rate.lane_kb_per_s, MB(1200));
    l->far_id = NULL;
    assert_int_equal(history_best(k.past, l)->rate.lane_kb_per_s, MB(1200));
    l->far_id = "wwn-3";
    assert_null(history_best(k.past, l));
    machine_done(&k);
}

/* As a lane of a wide link, to an end that is known to be the same. */
static void widest(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct link *l = wire(&k, h, "phy", 1, MB(600)), *wide = wire(&k, h, "port", 4, MB(600));

        l->bundle = wide;
        wide->far_id = i == 1 ? NULL : "500000";
        remember(&k, 0);
        drop(&k, wide);
        l->bundle = NULL;
        l->far_id = i == 2 ? "600000" : "500000";
        assert_int_equal(history_widest(k.past, l)->rate.lanes, i == 0 ? 4 : 1);
        machine_done(&k);
    }
}

/* Down is what was up when something was last seen, and nothing else. */
static void down(void **state)
{
    static const struct {
        enum link_state then[2];
        bool may_go, is_down;
    } CASES[] = {
        { { LINK_UP, LINK_EMPTY }, false, true },     { { LINK_UP, LINK_UP }, false, true },
        { { LINK_UP, LINK_UP }, true, false },        { { LINK_UP, LINK_DISABLED }, false, false },
        { { LINK_EMPTY, LINK_EMPTY }, false, false }, { { LINK_UNKNOWN, LINK_UP }, false, true },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct machine k = machine_new();
        struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "a", 1, MB(600));

        l->may_go = CASES[i].may_go;
        for (unsigned n = 0; n < 2; n++) {
            l->state = CASES[i].then[n];
            remember(&k, n * 10);
        }
        l->may_go = false; /* what it was is remembered */
        l->state = LINK_EMPTY;
        history_apply(k.past, k.model);
        assert_int_equal(l->state, CASES[i].is_down ? LINK_DOWN : LINK_EMPTY);
        machine_done(&k);
    }
}

/* The best of each pair, the widest, and what was up last stay; all else can go. */
static void spared(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *a = wire(&k, h, "a", 4, MB(300)), *b = wire(&k, h, "b", 1, MB(600)), *gone;
    static const bool WANTED[] = { false, true, true, false, true, false, false };

    (void)state;
    a->far_id = b->far_id = "one";
    remember(&k, 0); /* as the next one */
    remember(&k, 1); /* the widest of a */
    runs(&k, a, 1, MB(1500));
    b->far_id = "two";
    remote(&k, a, "r", NULL, true);
    gone = wire(&k, h, "gone", 1, MB(600));
    remember(&k, 2); /* the best of a; the last of what is gone, and of the remote port */
    drop(&k, gone);
    k.model->remotes.n = 0;
    runs(&k, a, 1, MB(300));
    remember(&k, 3);
    b->far_id = "one";
    runs(&k, b, 1, MB(1200));
    remember(&k, 4); /* the best of b with the first end */
    runs(&k, b, 1, MB(300));
    remember(&k, 5);
    remember(&k, 6);
    for (size_t i = 0, n = 0; n < sizeof(WANTED) / sizeof(WANTED[0]); n++) {
        bool last = n + 1 == sizeof(WANTED) / sizeof(WANTED[0]);

        assert_int_equal(history_can_spare(k.past, i), !WANTED[n] && !last);
        if (WANTED[n] || last) {
            i++;
            continue;
        }
        k.past->snapshots.n--;
        memmove(&k.past->snapshots.v[i], &k.past->snapshots.v[i + 1],
                (k.past->snapshots.n - i) * sizeof(k.past->snapshots.v[0]));
    }
    assert_int_equal(k.past->snapshots.n, 4);
    machine_done(&k);
}

static void boots(void **state)
{
    struct snapshot a = { .wall_us = 5000 * MINUTE_US, .mono_us = 100 * MINUTE_US }, b = a;

    (void)state;
    b.wall_us += 60 * MINUTE_US;
    b.mono_us += 60 * MINUTE_US;
    assert_true(snapshot_same_boot(&a, &b));
    assert_true(snapshot_same_boot(&a, &a));
    b.wall_us += MINUTE_US; /* the clock was corrected */
    assert_true(snapshot_same_boot(&a, &b));
    b.wall_us += 1;
    assert_false(snapshot_same_boot(&a, &b));
    b = (struct snapshot){ .wall_us = a.wall_us + 60 * MINUTE_US, .mono_us = 5 * MINUTE_US };
    assert_false(snapshot_same_boot(&a, &b));
}

static void same_modes(void **state)
{
    (void)state;
    assert_true(rate_same((struct rate){ 2, 0, 33003 }, (struct rate){ 2, 1, 33000 }));
    assert_false(rate_same((struct rate){ 2, 0, 20000 }, (struct rate){ 1, 0, 40000 }));
    assert_false(rate_same((struct rate){ 1, 0, 20000 }, (struct rate){ 1, 0, 20300 }));
    assert_true(rate_same((struct rate){ 2, 0, 0 }, (struct rate){ 1, 0, 0 }));
    assert_false(rate_same((struct rate){ 1, 0, 0 }, (struct rate){ 1, 0, 5000 }));
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(found_by_id),  cmocka_unit_test(of_this_machine),
        cmocka_unit_test(oldest_first), cmocka_unit_test(best_of_a_pair),
        cmocka_unit_test(widest),       cmocka_unit_test(down),
        cmocka_unit_test(boots),        cmocka_unit_test(spared),
        cmocka_unit_test(same_modes),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
