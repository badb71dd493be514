/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is kept in memory of what was seen (daemon/past.h). */
#include "world.h"

#include "daemon/past.h"

static void add(struct past_looks *past, const struct snapshot *s)
{
    assert_int_equal(past_add(past, s), 0);
}

/* Time goes on by a minute, and nothing else happens. */
static void wait_a_minute(struct world *w)
{
    w->wall_us += MINUTE_US;
    w->mono_us += MINUTE_US;
}

static const struct sample *then(const struct past_looks *past, size_t i)
{
    return snapshot_link(&past->history->snapshots.v[i], "pci-0000:01:00.0-phy-00");
}

static void test_quiet(void **state)
{
    struct world w = world_new(1);
    struct past_looks past = { 0 };
    uint64_t first_us = w.wall_us;
    size_t used = 0;

    (void)state;
    assert_null(past_newest(&past));
    for (unsigned i = 0; i < 2000; i++, wait_a_minute(&w)) {
        add(&past, world_look(&w));
        if (i == 100)
            used = arena_used(past.history->arena);
    }
    assert_int_equal(past.history->snapshots.n, 2);
    assert_int_equal(past.history->snapshots.v[0].wall_us, first_us);
    assert_int_equal(past_newest(&past)->wall_us, w.wall_us - MINUTE_US);
    assert_ptr_equal(past.history->snapshots.v[0].links, past_newest(&past)->links);
    assert_true(arena_used(past.history->arena) < used + 2000 * 64);
    past_done(&past);
    world_done(&w);
}

/* What is different is there with when it was so last, and when it was otherwise first. */
static void test_edges(void **state)
{
    struct world w = world_new(2);
    struct past_looks past = { 0 };

    (void)state;
    for (unsigned i = 0; i < 30; i++, wait_a_minute(&w)) {
        w.links[0].speed = i >= 10 && i < 20 ? 2 : 3;
        add(&past, world_look(&w));
    }
    assert_int_equal(past.history->snapshots.n, 6);
    for (unsigned i = 0; i < 6; i++) {
        static const unsigned MINUTES[] = { 0, 9, 10, 19, 20, 29 };

        assert_int_equal(past.history->snapshots.v[i].wall_us,
                         1000 * DAY_US + MINUTES[i] * MINUTE_US);
        assert_int_equal(then(&past, i)->rate.lane_kb_per_s, i == 2 || i == 3 ? 300000 : 600000);
    }
    past_done(&past);
    world_done(&w);
}

/* A month in which a counter grows all the time, a day of a better mode in it, and in the end a link that flaps. */
static void test_bounds(void **state)
{
    struct world w = world_new(3);
    struct past_looks past = { 0 };
    bool has_best = false;
    unsigned changes = 0;
    size_t most = 0;

    (void)state;
    for (unsigned i = 0; i < 30 * 288; i++) {
        w.links[1].errors++;
        w.links[0].speed = i / 288 == 10 ? 4 : 3;
        if (i >= 30 * 288 - 12)
            w.links[2].state = i & 1 ? LINK_UP : LINK_EMPTY;
        add(&past, world_look(&w));
        assert_true(past.history->snapshots.n <= PAST_MAX);
        if (arena_used(past.history->arena) > most)
            most = arena_used(past.history->arena);
        w.wall_us += 5 * MINUTE_US;
        w.mono_us += 5 * MINUTE_US;
    }
    assert_int_equal(past.history->snapshots.n, PAST_MAX);
    assert_int_equal(past.history->snapshots.v[0].wall_us, 1000 * DAY_US);
    for (size_t i = 1; i < PAST_MAX; i++) {
        const struct snapshot *a = &past.history->snapshots.v[i - 1], *b = a + 1;

        assert_true(a->wall_us < b->wall_us);
        if (i > PAST_MAX - PAST_RECENT)
            assert_int_equal(b->wall_us - a->wall_us, 5 * MINUTE_US);
        has_best |= then(&past, i)->rate.lane_kb_per_s == 1200000;
        changes += snapshot_link(a, "pci-0000:01:00.0-phy-02")->state !=
                   snapshot_link(b, "pci-0000:01:00.0-phy-02")->state;
    }
    assert_true(has_best);
    assert_int_equal(changes, 12);
    assert_true(most < 4 << 20);
    past_done(&past);
    world_done(&w);
}

/* Whatever happens: what is kept is what was seen. */
static void test_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world w = world_new(seed);
        struct past_looks past = { 0 };

        for (unsigned i = 0; i < 300; i++) {
            const struct snapshot *truth;

            world_live(&w, MINUTE_US);
            truth = world_look(&w);
            add(&past, truth);
        }
        for (size_t i = 0, k = 0; i < past.history->snapshots.n; i++) {
            const struct snapshot *s = &past.history->snapshots.v[i];
            struct look look;

            while (w.truth->snapshots.v[k].mono_us != s->mono_us ||
                   w.truth->snapshots.v[k].wall_us != s->wall_us)
                assert_true(++k < w.truth->snapshots.n);
            assert_int_equal(look_between(&w.truth->snapshots.v[k], s, &look), 0);
            assert_true(look_is_quiet(&look));
            look_done(&look);
        }
        past_done(&past);
        world_done(&w);
    }
}

/* "As before", said again and again of what was kept itself, while the memory of it is written down anew. */
static void test_still(void **state)
{
    struct world w = world_new(7);
    struct past_looks past = { 0 };

    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        struct snapshot still;

        world_live(&w, MINUTE_US);
        add(&past, world_look(&w));
        still = *past_newest(&past);
        still.wall_us += MINUTE_US / 2;
        still.mono_us += MINUTE_US / 2;
        add(&past, &still);
        assert_int_equal(past_newest(&past)->wall_us, still.wall_us);
        assert_string_equal(past_newest(&past)->hosts[0]->id, "pci-0000:01:00.0");
    }
    past_done(&past);
    world_done(&w);
}

static void test_without_that_time(void **state)
{
    struct world w = world_new(5);
    struct past_looks past = { 0 };
    struct history *before = NULL;

    (void)state;
    assert_int_equal(past_before(&past, 0, &before), 0);
    assert_int_equal(before->snapshots.n, 0);
    before = history_free(before);
    add(&past, world_look(&w));
    wait_a_minute(&w);
    add(&past, world_look(&w));
    assert_int_equal(past_before(&past, w.wall_us, &before), 0);
    assert_int_equal(before->snapshots.n, 1);
    assert_int_equal(before->snapshots.v[0].wall_us, w.wall_us - MINUTE_US);
    history_free(before);
    past_done(&past);
    world_done(&w);
}

/* A clock that is set back an hour: looks since boot are as long ago as before, those of before are left alone. */
static void test_clock_is_set_back(void **state)
{
    struct world w = world_new(6);
    struct past_looks past = { 0 };
    const struct snapshot *v;
    uint64_t first_us = w.wall_us;

    (void)state;
    add(&past, world_look(&w));
    w.mono_us = MINUTE_US; /* a boot, after a day */
    w.wall_us += DAY_US;
    for (unsigned i = 0; i < 3; i++, wait_a_minute(&w)) {
        w.links[0].speed = 1 + i;
        add(&past, world_look(&w));
    }
    past_follow_clock(&past, w.wall_us, w.mono_us); /* nothing was set */
    v = past.history->snapshots.v;
    assert_int_equal(v[3].wall_us, w.wall_us - MINUTE_US);
    w.wall_us -= 60 * MINUTE_US;
    past_follow_clock(&past, w.wall_us, w.mono_us);
    assert_int_equal(past.history->snapshots.n, 4);
    assert_int_equal(v[0].wall_us, first_us);
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(v[i].wall_us, w.wall_us - (4 - i) * MINUTE_US);
    w.wall_us -= 2 * MINUTE_US;
    w.links[0].speed = 1;
    add(&past, world_look(&w));
    v = past.history->snapshots.v;
    assert_int_equal(v[3].wall_us, v[4].wall_us - MINUTE_US);
    w.mono_us = 0; /* another boot: nobody knows how long ago that was */
    w.wall_us -= 60 * MINUTE_US;
    past_follow_clock(&past, w.wall_us, w.mono_us);
    assert_int_equal(v[4].wall_us, w.wall_us + 60 * MINUTE_US);
    past_done(&past);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_still),
        cmocka_unit_test(test_without_that_time),
        cmocka_unit_test(test_clock_is_set_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
