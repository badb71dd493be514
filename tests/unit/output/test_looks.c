/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Snapshots told as a history.
 */
#include "../cmocka_all.h"

#include "output/looks.h"

#define MINUTE (UINT64_C(60) * 1000000)
#define START  (UINT64_C(1700000000) * 1000000)

static const struct fact_key ERRORS = { .name = "errors" };

enum { LOOKS = 4 };

/* A link at four times, a minute apart: fast, slow, not there, fast again; its counter, which begins anew at the end. */
struct machine {
    struct counter_sample counters[LOOKS];
    struct sample links[LOOKS];
    const struct sample *lists[LOOKS][1];
    struct past_measure measures[LOOKS];
    struct snapshot snapshots[LOOKS];
    struct history history;
};

static void set_up(struct machine *m)
{
    static const uint64_t VALUES[LOOKS] = { 5, 12, 0, 3 };

    *m = (struct machine){ 0 };
    for (size_t i = 0; i < LOOKS; i++) {
        m->counters[i] = (struct counter_sample){ &ERRORS, VALUES[i] };
        m->links[i] = (struct sample){
            .id = "link",
            .kernel_name = "phy-0:0",
            .state = LINK_UP,
            .known = true,
            .rate = { 1, 0, i == 1 ? 600000 : 1200000 },
            .label = i == 1 ? "slow" : "fast",
            .counters = &m->counters[i],
            .n_counters = 1,
        };
        m->lists[i][0] = &m->links[i];
        m->measures[i] = (struct past_measure){
            .device_id = "disk",
            .method = "read-buffer/sg",
            .block_bytes = 65536,
            .kb_per_s = 500000 + i,
            .median_us = 100 + i,
        };
        m->snapshots[i] = (struct snapshot){
            .wall_us = START + i * MINUTE,
            .mono_us = MINUTE + i * MINUTE,
            .links = m->lists[i],
            .n_links = i == 2 ? 0 : 1,
            .measures = &m->measures[i],
            .n_measures = 1,
        };
    }
    m->history.snapshots.v = m->snapshots;
    m->history.snapshots.n = LOOKS;
}

static void changes_have_their_time(void **state)
{
    static const char *const NAMES[] = { "fast", "slow", "fast" };
    struct history_answer a;
    struct machine m;

    (void)state;
    set_up(&m);
    assert_int_equal(looks_answer(&m.history, "link", NULL, 0, &a), 0);
    assert_int_equal(a.changes.n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(a.changes.v[i].label, NAMES[i]);
    assert_int_equal(a.changes.v[0].until_us, START + MINUTE);
    assert_int_equal(a.changes.v[1].since_us, START + MINUTE);
    assert_int_equal(a.changes.v[1].until_us, START + 2 * MINUTE); /* it was gone then */
    assert_int_equal(a.changes.v[2].since_us, START + 3 * MINUTE);
    assert_int_equal(a.changes.v[2].until_us, 0);
    looks_done(&a);
}

/* Between two looks in a row, and not over one in which it was not there. */
static void counters_grow(void **state)
{
    struct history_answer a;
    struct machine m;

    (void)state;
    set_up(&m);
    assert_int_equal(looks_answer(&m.history, "link", NULL, 0, &a), 0);
    assert_int_equal(a.growths.n, 1);
    assert_int_equal(a.growths.v[0].grown, 7);
    assert_int_equal(a.growths.v[0].value, 12);
    assert_false(a.growths.v[0].is_unknown);
    looks_done(&a);
}

/* Over looks in which they were not read. */
static void counters_that_were_not_read(void **state)
{
    struct past unread = { .id = "host", .is_unread = true }, read = { .id = "host" };
    const struct past *lists[LOOKS] = { &read, &unread, &unread, &read };
    struct history_answer a;
    struct machine m;

    (void)state;
    set_up(&m);
    m.snapshots[2].n_links = 1;
    for (size_t i = 0; i < LOOKS; i++) {
        m.links[i].host_id = "host";
        m.snapshots[i].hosts = &lists[i];
        m.snapshots[i].n_hosts = 1;
        m.counters[i].value = i < LOOKS - 1 ? 5 : 45;
    }
    assert_int_equal(looks_answer(&m.history, "link", NULL, 0, &a), 0);
    assert_int_equal(a.growths.n, 1);
    assert_int_equal(a.growths.v[0].grown, 40);
    assert_int_equal(a.growths.v[0].from_us, START);
    assert_int_equal(a.growths.v[0].at_us, START + 3 * MINUTE);
    looks_done(&a);
}

static void what_began_anew_is_not_known(void **state)
{
    struct history_answer a;
    struct machine m;

    (void)state;
    set_up(&m);
    m.snapshots[2].n_links = 1; /* there, at 0 after 12, and then at 3 after a reboot */
    m.snapshots[3].mono_us = MINUTE / 60;
    assert_int_equal(looks_answer(&m.history, "link", NULL, 0, &a), 0);
    assert_int_equal(a.growths.n, 3);
    assert_true(a.growths.v[1].is_unknown);
    assert_int_equal(a.growths.v[1].grown, 0);
    assert_true(a.growths.v[2].is_unknown);
    looks_done(&a);
}

static void probes_are_those_of_its_devices(void **state)
{
    static const char *const DEVICES[] = { "disk", "other" };
    struct history_answer a;
    struct machine m;

    (void)state;
    set_up(&m);
    m.measures[1].wall_us = START + MINUTE + 7;
    assert_int_equal(looks_answer(&m.history, "link", DEVICES, 2, &a), 0);
    assert_int_equal(a.probes.n, LOOKS);
    assert_int_equal(a.probes.v[0].at_us,
                     START); /* that of the look where it has none of its own */
    assert_int_equal(a.probes.v[1].at_us, START + MINUTE + 7);
    assert_int_equal(a.probes.v[3].kb_per_s, 500003);
    assert_int_equal(a.probes.v[3].median_us, 103);
    looks_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_have_their_time),
        cmocka_unit_test(counters_grow),
        cmocka_unit_test(counters_that_were_not_read),
        cmocka_unit_test(what_began_anew_is_not_known),
        cmocka_unit_test(probes_are_those_of_its_devices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
