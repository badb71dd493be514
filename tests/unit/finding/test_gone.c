/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is gone: links and paths, and devices that do not answer.
 */
#include "machine.h"

/* ---- link-lost ---- */

static void six_phys_one_finding(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l[6];
    const struct finding *f;

    (void)state;
    lane(&k, h, "stays", 1200, 1200);
    for (unsigned i = 0; i < 6; i++)
        l[i] = lane(&k, h, text(&k, "phy-", (const char *[]){ "0", "1", "2", "3", "4", "5" }[i]),
                    1200, 1200);
    remember(&k, 0);
    for (unsigned i = 0; i < 6; i++)
        l[i]->state = LINK_EMPTY;
    f = only(judged(&k, 10), "link-lost");
    assert_severity(f, SEVERITY_CRITICAL);
    assert_subjects(f, 6);
    assert_int_equal(l[0]->state, LINK_DOWN);
    assert_false(l[0]->actual.known);
    assert_int_equal(k.report->findings.n, 1);
    judged_done(&k);
}

/* Never up, free from the start, switched off: nothing is lost. */
static void not_lost(void **state)
{
    static const struct {
        enum link_state then, now;
    } STATES[] = { { LINK_EMPTY, LINK_EMPTY },
                   { LINK_UP, LINK_DISABLED },
                   { LINK_UP, LINK_UNKNOWN },
                   { LINK_UNKNOWN, LINK_EMPTY },
                   { LINK_EMPTY, LINK_UP } };

    (void)state;
    for (unsigned i = 0; i < sizeof(STATES) / sizeof(STATES[0]); i++) {
        struct machine k = machine_new();
        struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 600, 600);

        l->state = STATES[i].then;
        remember(&k, 0);
        l->state = STATES[i].now;
        judged(&k, 10);
        assert_int_equal(count_of(k.report, "link-lost"), 0);
        assert_int_equal(l->state, STATES[i].now);
        judged_done(&k);
    }
}

/* Who may go, is virtual, or was moved to another place. */
static void may_go(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct link *l = lane(&k, h, "a", 600, 600), *other = lane(&k, h, "b", 600, 600);

        l->far_id = "wwn-1";
        other->far_id = i == 3 ? "wwn-1" : NULL; /* the second path to it was there before */
        other->state = i == 2 ? LINK_EMPTY : LINK_UP;
        l->may_go = i == 0;
        l->has_no_link = i == 1;
        remember(&k, 0);
        drop(&k, l);
        other->far_id = "wwn-1";
        other->state = LINK_UP;
        judged(&k, 10);
        assert_int_equal(count_of(k.report, "link-lost"), i == 3);
        judged_done(&k);
    }
}

/* The newest sample counts, and what was lost at another time is another finding. */
static void two_losses(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *a = lane(&k, h, "a", 300, 600), *b = lane(&k, h, "b", 600, 600);

    (void)state;
    remember(&k, 0);
    runs(&k, a, 1, MB(600));
    remember(&k, 10);
    a->state = LINK_EMPTY;
    remember(&k, 20);
    drop(&k, b);
    judged(&k, 30);
    assert_int_equal(count_of(k.report, "link-lost"), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_subjects(k.report->findings.v[i], 1);
        assert_string_equal(k.report->findings.v[i]->evidence.v[0].value, "was up at 1 x 600");
    }
    judged_done(&k);
}

/* What hung below something lost is explained by that; lanes go with their wide link. */
static void below_something_lost(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *wide = proven(&k, wire(&k, h, "port", 2, MB(1200)), 2, MB(1200));
    struct link *a = lane(&k, h, "phy-0", 1200, 1200), *b = lane(&k, h, "phy-1", 1200, 1200);
    struct link *below = lane(&k, h, "disk", 600, 600);
    const struct finding *f;

    (void)state;
    a->bundle = b->bundle = wide;
    below->up = wide;
    remember(&k, 0);
    drop(&k, wide);
    drop(&k, below);
    a->bundle = b->bundle = NULL;
    a->state = b->state = LINK_EMPTY;
    f = only(judged(&k, 10), "link-lost");
    assert_subjects(f, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_not_equal(f->subjects.v[i], below->id);
    judged_done(&k);
}

/* A lane of a wide link that lives on is missing, not lost. */
static void lane_of_a_port_that_lives(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *wide = proven(&k, wire(&k, h, "port", 4, MB(1200)), 4, MB(1200));
    struct link *a = lane(&k, h, "phy-0", 1200, 1200);

    (void)state;
    a->bundle = wide;
    remember(&k, 0);
    a->bundle = NULL;
    a->state = LINK_EMPTY;
    runs(&k, wide, 3, MB(1200));
    judged(&k, 10);
    assert_int_equal(count_of(k.report, "link-lost"), 0);
    only(k.report, "width-below-expected");
    judged_done(&k);
}

/* The far end of a cable goes with its near one. */
static void far_end_of_a_cable(void **state)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 600, 600);

    (void)state;
    l->judged_above = true;
    remember(&k, 0);
    l->judged_above = false;
    l->state = LINK_EMPTY;
    assert_nothing(judged(&k, 10));
    judged_done(&k);
}

/* A driver's own word that something should be there needs no history. */
static void down_by_its_own_word(void **state)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 600, 600);

    (void)state;
    l->state = LINK_DOWN;
    assert_first(only(judged(&k, 0), "link-lost"), l->id);
    judged_done(&k);
}

/* ---- path-lost ---- */

static void path_lost(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine k = machine_new();
        struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 1600, 1600);
        const struct finding *f;

        remote(&k, l, "rport-0", "node-1", false);
        remote(&k, l, "rport-1", i ? "node-1" : "node-2", true);
        f = only(judged(&k, 0), "path-lost");
        assert_severity(f, i ? SEVERITY_WARNING : SEVERITY_CRITICAL);
        assert_subjects(f, 2);
        assert_string_equal(f->names.v[0], "rport-0");
        judged_done(&k);
    }
}

/* All ports up; or the link itself is down, which says it all. */
static void no_path_lost(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine k = machine_new();
        struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 1600, 1600);

        remote(&k, l, "rport-0", "node-1", i == 0);
        l->state = i ? LINK_DOWN : LINK_UP;
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "path-lost"), 0);
        judged_done(&k);
    }
}

static void ports_of_one_target(void **state)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 1600, 1600);
    const struct finding *f;

    (void)state;
    remote(&k, l, "rport-0", "node-1", false);
    remote(&k, l, "rport-1", "node-1", false);
    f = only(judged(&k, 0), "path-lost");
    assert_severity(f, SEVERITY_CRITICAL);
    assert_subjects(f, 3);
    judged_done(&k);
}

/* Ports that the kernel has forgotten; not where the link leads to another network now. */
static void forgotten_port(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine k = machine_new();
        struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 1600, 1600);

        l->far_id = "fabric 1";
        remote(&k, l, "rport-0", "node-1", true);
        remember(&k, 0);
        k.model->remotes.n = 0;
        l->far_id = i ? "fabric 2" : "fabric 1";
        judged(&k, 10);
        assert_int_equal(count_of(k.report, "path-lost"), i == 0);
        judged_done(&k);
    }
}

/* A port whose state is not known is not lost; and may be the other path of one that is. */
static void port_that_does_not_tell(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine k = machine_new();
        struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "a", 1, MB(1600));

        l->far_is_network = true;
        remote(&k, l, "rport-0", "node-1", false);
        k.model->remotes.v[0].is_unclear = true;
        if (i)
            remote(&k, l, "rport-1", "node-1", false);
        judged(&k, 0);
        if (i)
            assert_severity(only(k.report, "path-lost"), SEVERITY_WARNING);
        else
            assert_int_equal(k.report->findings.n, 0);
        judged_done(&k);
    }
}

/* Controllers of one array may be nodes of their own: the units tell whether there is another path. */
static void path_by_units(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l = lane(&k, h, "a", 1600, 1600);
    struct device *d[2] = { disk(&k, h, l, "0:0:0:0"), disk(&k, h, l, "0:0:1:0") };

    (void)state;
    remote(&k, l, "rport-0", "node-1", false);
    remote(&k, l, "rport-1", "node-2", true);
    for (unsigned i = 0; i < 2; i++) {
        d[i]->wwid = "naa.1";
        d[i]->remote = k.model->remotes.v[i].id;
    }
    put(&k, d[0]->subject, &KEY_STATE, 0, "transport-offline");
    assert_severity(only(judged(&k, 0), "path-lost"), SEVERITY_WARNING);
    /* The path explains its device. */
    assert_int_equal(count_of(k.report, "device-stuck"), 0);
    judged_done(&k);
}

/* ---- device-stuck ---- */

/* Behind a remote port that is not seen, that does not tell its state, and that is up. */
static void given_up_by_its_transport(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct link *l = lane(&k, h, "a", 1600, 1600);
        struct device *d = disk(&k, h, l, "0:0:0:0");

        remote(&k, l, "rport-0", "node-1", i == 2);
        k.model->remotes.v[0].is_unclear = i < 2;
        d->remote = i ? k.model->remotes.v[0].id : "elsewhere";
        put(&k, d->subject, &KEY_STATE, 0, "transport-offline");
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "device-stuck"), i == 2);
        judged_done(&k);
    }
}

static void given_up(void **state)
{
    static const struct {
        const char *device, *host;
        enum link_state link;
        bool stuck, is_network;
    } STATES[] = {
        { "running", "running", LINK_UP, false },
        { "offline", "running", LINK_UP, true },
        { "transport-offline", "running", LINK_UNKNOWN, true },
        { "transport-offline", "running", LINK_DOWN, false },
        { "transport-offline", "running", LINK_UNKNOWN, false, true },
        { "offline", "running", LINK_UNKNOWN, true, true },
        { "offline", "running", LINK_DISABLED, false },
        { "blocked", "running", LINK_UP, true },
        { "blocked", "recovery", LINK_UP, false },
        { "quiesce", "running", LINK_UP, false },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(STATES) / sizeof(STATES[0]); i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct link *l = lane(&k, h, "a", 600, 600);
        struct device *d = disk(&k, h, l, "0:0:0:0");

        h->state = STATES[i].host;
        l->state = STATES[i].link;
        l->far_is_network = STATES[i].is_network;
        put(&k, d->subject, &KEY_STATE, 0, STATES[i].device);
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "device-stuck"), STATES[i].stuck);
        if (STATES[i].stuck) {
            const struct finding *f = only(k.report, "device-stuck");

            assert_severity(f, SEVERITY_CRITICAL);
            assert_subjects(f, 2);
            assert_first(f, d->id);
            assert_string_equal(f->subjects.v[1], l->id);
        }
        judged_done(&k);
    }
}

static void commands_not_answered(void **state)
{
    (void)state;
    for (unsigned n = 1; n < 3; n++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct device *d = disk(&k, h, lane(&k, h, "a", 600, 600), "0:0:0:0");

        put(&k, d->subject, &KEY_VPD_80, 1, NULL);
        put(&k, d->subject, &KEY_VPD_83, 1, NULL);
        for (unsigned i = 0; i < n; i++)
            d->subject->facts[i].quality = QUALITY_TIMED_OUT;
        judged(&k, 0);
        assert_int_equal(count_of(k.report, "device-stuck"), n == 2);
        judged_done(&k);
    }
}

/* The kernel's own count, against the past: within an hour, or since the last look. */
static void timeouts_counted(void **state)
{
    static const struct {
        unsigned minutes[2], counts[3];
        bool stuck;
    } CASES[] = {
        { { 0, 50 }, { 0, 1, 2 }, true },
        { { 0, 50 }, { 7, 7, 8 }, false },
        { { 0, 300 }, { 0, 1, 2 }, false }, /* one in five hours, one in the last */
        { { 0, 50 }, { 9, 0, 1 }, false },  /* reset */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct device *d = disk(&k, h, lane(&k, h, "a", 600, 600), "0:0:0:0");

        for (unsigned n = 0; n < 2; n++) {
            put(&k, d->subject, &KEY_IOTMO, CASES[i].counts[n], NULL);
            remember(&k, CASES[i].minutes[n]);
        }
        put(&k, d->subject, &KEY_IOTMO, CASES[i].counts[2], NULL);
        judged(&k, CASES[i].minutes[1] + 10);
        assert_int_equal(count_of(k.report, "device-stuck"), CASES[i].stuck);
        judged_done(&k);
    }
}

/* A total of a lifetime says nothing. */
static void timeouts_of_a_lifetime(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct device *d = disk(&k, h, lane(&k, h, "a", 600, 600), "0:0:0:0");

    (void)state;
    put(&k, d->subject, &KEY_IOTMO, 50, NULL);
    assert_nothing(judged(&k, 0));
    judged_done(&k);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(six_phys_one_finding),
        cmocka_unit_test(not_lost),
        cmocka_unit_test(may_go),
        cmocka_unit_test(two_losses),
        cmocka_unit_test(below_something_lost),
        cmocka_unit_test(lane_of_a_port_that_lives),
        cmocka_unit_test(far_end_of_a_cable),
        cmocka_unit_test(down_by_its_own_word),
        cmocka_unit_test(path_lost),
        cmocka_unit_test(no_path_lost),
        cmocka_unit_test(ports_of_one_target),
        cmocka_unit_test(port_that_does_not_tell),
        cmocka_unit_test(forgotten_port),
        cmocka_unit_test(path_by_units),
        cmocka_unit_test(given_up),
        cmocka_unit_test(given_up_by_its_transport),
        cmocka_unit_test(commands_not_answered),
        cmocka_unit_test(timeouts_counted),
        cmocka_unit_test(timeouts_of_a_lifetime),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
