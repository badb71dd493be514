/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whose turn it is, over the days of a machine whose devices come, go, fail and are used.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/turns.h"

#define MINUTE UINT64_C(60000000)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define NOW    (20000 * DAY + 7 * HOUR)

enum { MOST = 12, OWNERS = 3, BYTES = 4 << 20 };

static const struct config_probe DAILY = {
    .bytes = BYTES, .longest_us = 1000000, .interval_us = DAY, .per_day = 64 << 20
};

struct machine {
    struct device devices[MOST];
    char names[MOST][8], groups[MOST][8];
    struct plan_entry entries[MOST];
    struct plan plan;
    struct turns turns;
    bool is_busy[OWNERS];
};

static struct machine *machine_new(size_t n)
{
    struct machine *m = calloc(1, sizeof(*m));

    for (size_t i = 0; i < MOST; i++) {
        snprintf(m->names[i], sizeof(m->names[i]), "disk%zu", i);
        snprintf(m->groups[i], sizeof(m->groups[i]), "port%zu", i % 5);
        m->devices[i].id = m->devices[i].hctl = m->names[i];
        m->entries[i] = (struct plan_entry){ .device = &m->devices[i], .group = m->groups[i] };
    }
    m->plan = (struct plan){ m->entries, n };
    return m;
}

static void update(struct machine *m, uint64_t now)
{
    assert_int_equal(turns_update(&m->turns, &m->plan, "machine", now), 0);
    for (size_t i = 0; i < m->turns.v.n; i++) {
        struct turn *t = m->turns.v.v[i];

        if (t->entry)
            t->owner = &m->is_busy[(t->entry - m->entries) % OWNERS];
    }
}

static struct turn *turn_of(struct machine *m, size_t i)
{
    for (size_t k = 0; k < m->turns.v.n; k++)
        if (strcmp(m->turns.v.v[k]->id, m->names[i]) == 0)
            return m->turns.v.v[k];
    fail_msg("%s has no turn", m->names[i]);
    abort();
}

static void machine_done(struct machine *m)
{
    turns_done(&m->turns);
    free(m);
}

static bool is_free(const void *owner)
{
    return !*(const bool *)owner;
}

static struct measurement result(int error, const char *disturbed, uint64_t bytes)
{
    return (struct measurement){ .error = error,
                                 .hctl = "disk",
                                 .method = "read-cached/sg",
                                 .block_bytes = 65536,
                                 .bytes = bytes,
                                 .us = 1000,
                                 .disturbed = disturbed };
}

/* ---- what is known at first ---- */

static void nothing_at_the_start(void **state)
{
    struct machine *m = machine_new(3);
    struct turn *picked[MOST];

    (void)state;
    update(m, NOW);
    for (uint64_t now = NOW; now < NOW + DAY; now += HOUR)
        assert_int_equal(turns_pick(&m->turns, &DAILY, now, NULL, picked, MOST), 0);
    assert_true(turns_pick(&m->turns, &DAILY, NOW + 31 * HOUR, NULL, picked, MOST) > 0);
    m->plan.n = 4; /* one is plugged in */
    update(m, NOW + HOUR);
    assert_true(turn_due(turn_of(m, 3), &DAILY, NOW + HOUR) < NOW + 7 * HOUR);
    machine_done(m);
}

static void what_is_remembered(void **state)
{
    struct past_measure read[] = {
        { "disk0", "read-cached/sg", 65536, 100, 0, NOW - 20 * HOUR },
        { "disk1", "read-cached/sg", 65536, 100, 0, 0 },
        { "disk2", "read-cached/sg", 65536, 100, 0, NOW + DAY }, /* the clock was wrong */
    };
    struct snapshot past = { .wall_us = NOW - 2 * HOUR, .measures = read, .n_measures = 3 };
    struct machine *m = machine_new(4);
    struct turn *t[4];

    (void)state;
    update(m, NOW);
    for (size_t i = 0; i < 4; i++) {
        t[i] = turn_of(m, i);
        assert_true(t[i]->is_assumed);
        turn_recall(t[i], &past, BYTES, NOW);
        assert_int_equal(t[i]->is_assumed, i >= 2);
        assert_int_equal(t[i]->read_us, i == 0 ? NOW - 20 * HOUR : i == 1 ? NOW - 2 * HOUR : 0);
    }
    assert_in_range(turn_due(t[0], &DAILY, NOW), NOW + 4 * HOUR, NOW + 10 * HOUR);
    assert_in_range(turn_due(t[1], &DAILY, NOW), NOW + 22 * HOUR, NOW + 28 * HOUR);
    assert_in_range(turn_due(t[2], &DAILY, NOW), NOW + DAY, NOW + 30 * HOUR);
    assert_int_equal(t[0]->state.bytes, 0); /* that was yesterday */
    assert_int_equal(t[1]->state.bytes, BYTES);
    past.wall_us -= HOUR; /* an earlier one adds to the day's bytes, and is not the last */
    read[1].wall_us = 0;
    turn_recall(t[1], &past, BYTES, NOW);
    assert_int_equal(t[1]->state.bytes, 2 * BYTES);
    assert_int_equal(t[1]->state.last_us, NOW - 2 * HOUR);
    machine_done(m);
}

/* ---- who may not ---- */

static void refused_and_gone(void **state)
{
    struct machine *m = machine_new(3);
    struct turn *picked[MOST];
    uint64_t later = NOW + 2 * DAY;

    (void)state;
    update(m, NOW);
    m->entries[0].refused = "it is a tape";
    m->entries[2] = m->entries[1]; /* the last is gone; two of one name are one */
    m->plan.n = 3;
    update(m, later);
    assert_int_equal(m->turns.v.n, 2);
    assert_int_equal(turn_due(turn_of(m, 0), &DAILY, later), UINT64_MAX);
    assert_int_equal(turns_pick(&m->turns, &DAILY, later, NULL, picked, MOST), 1);
    assert_string_equal(picked[0]->id, "disk1");
    m->is_busy[1] = true;
    assert_int_equal(turns_pick(&m->turns, &DAILY, later, is_free, picked, MOST), 0);
    assert_int_equal(turns_pick(&m->turns, &DAILY, later, NULL, picked, 0), 0);
    machine_done(m);
}

/* Who is pulled and plugged in again has no more bytes than others. */
static void plugged_in_again(void **state)
{
    struct machine *m = machine_new(1);
    struct config_probe once = DAILY;
    struct measurement good = result(0, NULL, BYTES);

    (void)state;
    once.per_day = BYTES;
    update(m, NOW);
    turn_begin(turn_of(m, 0), &once, NOW);
    turn_end(turn_of(m, 0), &good);
    m->plan.n = 0;
    update(m, NOW + HOUR);
    m->plan.n = 1;
    update(m, NOW + 2 * HOUR);
    assert_false(turn_has_bytes(turn_of(m, 0), &once, NOW + 2 * HOUR));
    m->plan.n = 0;
    update(m, NOW + DAY);
    assert_int_equal(m->turns.v.n, 0);
    machine_done(m);
}

/* ---- results ---- */

static void ends(void **state)
{
    static const struct {
        int error;
        const char *disturbed, *why;
        unsigned busy, failures;
    } ENDS[] = {
        { 0, NULL, NULL, 0, 0 },
        { 0, "somebody came", "somebody came", 1, 0 },
        { EBUSY, "3 requests are under way", "3 requests are under way", 1, 0 },
        { EPERM, "it sleeps", "it sleeps", 1, 0 },
        { EIO, NULL, "EIO", 0, 1 },
        { ETIMEDOUT, "no answer", "no answer", 0, 1 },
        { 123456, NULL, "it failed", 0, 1 },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(ENDS); i++) {
        struct machine *m = machine_new(1);
        struct measurement good = result(0, NULL, BYTES - 65536),
                           end = result(ENDS[i].error, ENDS[i].disturbed, 65536);
        struct turn *t;

        update(m, NOW);
        t = turn_of(m, 0);
        good.beside = 1;
        turn_begin(t, &DAILY, NOW);
        assert_int_equal(turn_due(t, &DAILY, NOW), UINT64_MAX);
        assert_int_equal(turn_end(t, &good), 0);
        assert_int_equal(t->state.bytes, BYTES); /* what does not count is read, too */
        turn_begin(t, &DAILY, NOW + HOUR);
        assert_int_equal(turn_end(t, &end), 0);
        assert_int_equal(t->state.bytes, BYTES + 65536);
        assert_int_equal(t->state.busy, ENDS[i].busy);
        assert_int_equal(t->state.failures, ENDS[i].failures);
        assert_int_equal(t->read_us, ENDS[i].why ? NOW : NOW + HOUR);
        assert_int_equal(t->kept.bytes, ENDS[i].why ? BYTES - 65536 : 65536);
        assert_string_equal(t->kept.method, "read-cached/sg");
        assert_null(t->kept.hctl);
        if (ENDS[i].why)
            assert_string_equal(t->why, ENDS[i].why);
        else
            assert_null(t->why);
        machine_done(m);
    }
}

/* Another disk in the same place, or another mode of the same link: what was read says nothing of it. */
static void outdated(void **state)
{
    struct machine *m = machine_new(1);
    struct measurement good = result(0, NULL, BYTES);
    struct link link = { .state = LINK_UP,
                         .actual = { .known = true,
                                     .rate = { .lanes = 1, .lane_kb_per_s = 600000 } } };
    struct device *d = &m->devices[0];
    struct turn *t;

    (void)state;
    d->link = &link;
    d->serial = "A";
    update(m, NOW);
    t = turn_of(m, 0);
    assert_false(turn_is_outdated(t, d));
    for (unsigned i = 0; i < 4; i++) {
        turn_begin(t, &DAILY, NOW);
        turn_end(t, &good);
        assert_false(turn_is_outdated(t, d));
        d->serial = i == 0 ? "B" : d->serial;
        d->wwid = i == 1 ? "W" : d->wwid;
        link.actual.rate.lane_kb_per_s = i == 2 ? 300000 : link.actual.rate.lane_kb_per_s;
        link.state = i == 3 ? LINK_DOWN : LINK_UP;
        assert_true(turn_is_outdated(t, d));
        assert_null(t->kept.method);
        assert_false(turn_is_outdated(t, d));
    }
    machine_done(m);
}

static void lost(void **state)
{
    struct machine *m = machine_new(1);
    struct turn *t;

    (void)state;
    update(m, NOW);
    t = turn_of(m, 0);
    turn_begin(t, &DAILY, NOW);
    turn_lost(t, false, "another one hung");
    assert_int_equal(t->state.bytes, 0);
    assert_int_equal(t->state.busy, 1);
    turn_begin(t, &DAILY, NOW);
    turn_lost(t, true, "it has not answered");
    assert_int_equal(t->state.bytes, BYTES + 65536);
    assert_int_equal(t->state.failures, 1);
    assert_string_equal(t->why, "it has not answered");
    machine_done(m);
}

/* ---- days ---- */

static unsigned chance(uint64_t *x, unsigned n)
{
    *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*x >> 33) % n;
}

/* What the test itself knows of a device. */
struct watched {
    uint64_t day, bytes, began_us;
    unsigned reads;
};

/* One run: everybody in it is due or nearly so, of one owner, and within his bytes. Returns how long it took. */
static uint64_t run(struct machine *m, const struct config_probe *config, struct turn **v, int n,
                    uint64_t now, struct watched *watched, bool always_well, uint64_t *x)
{
    uint64_t began = now;

    for (int i = 0; i < n; i++) {
        struct watched *w = &watched[v[i]->entry - m->entries];

        assert_ptr_equal(v[i]->owner, v[0]->owner);
        assert_false(v[i]->is_running);
        assert_null(v[i]->entry->refused);
        assert_true(turn_has_bytes(v[i], config, now));
        if (always_well)
            assert_true(now - w->began_us >= config->interval_us);
        turn_begin(v[i], config, began);
        if (w->day != began / DAY)
            *w = (struct watched){ .day = began / DAY, .reads = w->reads };
        w->began_us = began;
        w->reads++;
    }
    for (int i = 0; i < n; i++) {
        struct watched *w = &watched[v[i]->entry - m->entries];
        unsigned how = always_well ? 0 : chance(x, 4);
        struct measurement end = result(how == 1   ? EIO
                                        : how == 2 ? EBUSY
                                                   : 0,
                                        how == 2 ? "busy" : NULL,
                                        how == 0 ? config->bytes : chance(x, BYTES));

        end.beside = 1;

        now += 1000000;
        if (how == 3)
            turn_lost(v[i], chance(x, 2), "the run ended");
        else
            turn_end(v[i], &end);
        w->bytes += how == 3 ? 0 : end.bytes + end.beside * end.block_bytes;
        assert_true(w->bytes <= config->per_day);
    }
    return now - began;
}

/* Days of one machine: intervals and bytes are kept, and everybody is read. */
static void days(uint64_t seed)
{
    uint64_t x = seed, now = NOW;
    size_t n = 1 + chance(&x, MOST - 1);
    struct config_probe config = DAILY;
    struct machine *m = machine_new(n);
    struct watched watched[MOST] = { 0 };
    bool always_well = seed % 2;

    config.interval_us = MINUTE * (10 + chance(&x, 3000));
    config.per_day = BYTES + 65536 + chance(&x, 10 * BYTES);
    for (size_t i = 0; i < n; i++) {
        m->entries[i].may_sleep = chance(&x, 2);
        watched[i].began_us = NOW;
    }
    update(m, now);
    while (now < NOW + 9 * DAY) {
        struct turn *picked[MOST];
        int k = turns_pick(&m->turns, &config, now, is_free, picked, 1 + chance(&x, MOST));

        assert_true(k >= 0);
        now += k ? run(m, &config, picked, k, now, watched, always_well, &x) : 0;
        now += MINUTE * chance(&x, 20);
        m->is_busy[chance(&x, OWNERS)] = chance(&x, 3) == 0;
        if (chance(&x, 10) == 0)
            update(m, now);
    }
    for (size_t i = 0; always_well && i < n; i++)
        assert_true(watched[i].reads > 0);
    machine_done(m);
}

static void thousands_of_days(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 500; i++)
        days(i);
}

/* Who is due soon goes along, so that runs are few. */
static void along(void **state)
{
    struct machine *m = machine_new(MOST);
    struct measurement good = result(0, NULL, BYTES);
    unsigned runs = 0, reads = 0;

    (void)state;
    update(m, NOW);
    for (uint64_t now = NOW; now < NOW + 20 * DAY; now += MINUTE) {
        struct turn *picked[MOST];
        int n = turns_pick(&m->turns, &DAILY, now, NULL, picked, MOST);

        runs += n > 0;
        for (int i = 0; i < n; i++) {
            turn_begin(picked[i], &DAILY, now);
            turn_end(picked[i], &good);
            reads++;
        }
    }
    assert_in_range(reads, 16 * MOST, 20 * MOST);
    assert_true(runs < reads);
    machine_done(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_at_the_start),
        cmocka_unit_test(what_is_remembered),
        cmocka_unit_test(refused_and_gone),
        cmocka_unit_test(plugged_in_again),
        cmocka_unit_test(ends),
        cmocka_unit_test(outdated),
        cmocka_unit_test(lost),
        cmocka_unit_test(thousands_of_days),
        cmocka_unit_test(along),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
