/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads that are slow: of one device, of all that share something, of one among its siblings.
 */
#include "machine.h"

#include <stdio.h>

enum { DISKS = 6 };

/* Disks below one port of an adapter, or on a bus. */
struct shelf {
    struct machine k;
    struct host *host;
    struct link *port;
    struct device *disks[DISKS];
    size_t n;
};

static struct shelf shelf_of(size_t n)
{
    static const char *const NAMES[DISKS] = { "0:0:0:0", "0:0:1:0", "0:0:2:0",
                                              "0:0:3:0", "0:0:4:0", "0:0:5:0" };
    struct shelf s = { .k = machine_new(), .n = n };

    s.host = host(&s.k, "host0", "0000:01:00.0");
    s.port = proven(&s.k, wire(&s.k, s.host, "port-0:0", 8, MB(600)), 8, MB(600));
    for (size_t i = 0; i < n; i++) {
        struct link *l = lane(&s.k, s.host, text(&s.k, "phy-", NAMES[i]), 600, 600);

        l->up = s.port;
        s.disks[i] = disk(&s.k, s.host, l, NAMES[i]);
        s.disks[i]->hctl = NAMES[i];
    }
    return s;
}

/* All are measured anew, at these MB/s (0: not), and at latencies of so many microseconds (NULL: not known). */
static void measure(struct shelf *s, const unsigned *rates, const unsigned *latencies)
{
    s->k.model->measures.n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!rates[i])
            continue;
        measured(&s->k, s->disks[i], rates[i]);
        s->k.model->measures.v[s->k.model->measures.n - 1].median_us = latencies ? latencies[i] : 0;
    }
}

/* The report after these looks, an hour apart, of which the last is judged. */
static const struct report *after(struct shelf *s, const unsigned looks[][DISKS], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        measure(s, looks[i], NULL);
        if (i + 1 < n)
            remember(&s->k, (unsigned)i * 60);
    }
    return judged(&s->k, (unsigned)(n - 1) * 60);
}

static void all_fell_together(void **state)
{
    static const unsigned LOOKS[][DISKS] = { { 180, 190, 170, 185 },
                                             { 18, 19, 17, 18 },
                                             { 18, 19, 17, 18 } };
    struct shelf s = shelf_of(4);
    const struct finding *f = only(after(&s, LOOKS, 3), "read-below-link");

    (void)state;
    assert_first(f, s.port->id);
    assert_subjects(f, 5);
    assert_severity(f, SEVERITY_WARNING);
    assert_true(has_evidence(f, "0:0:3:0"));
    assert_string_equal(f->subjects.v[4], s.disks[3]->id);
    judged_done(&s.k);
}

static void all_on_a_bus(void **state)
{
    static const unsigned LOOKS[][DISKS] = { { 80, 82 }, { 8, 8 }, { 8, 9 } };
    struct shelf s = shelf_of(2);
    const struct finding *f;

    (void)state;
    s.host->is_bus = true;
    for (size_t i = 0; i < s.n; i++)
        s.disks[i]->link->up = NULL;
    f = only(after(&s, LOOKS, 3), "read-below-link");
    assert_first(f, s.host->id);
    assert_subjects(f, 3);
    judged_done(&s.k);
}

/* One that did not fall makes it a matter of each. */
static void all_but_one(void **state)
{
    static const unsigned LOOKS[][DISKS] = { { 180, 190, 170, 185, 180 },
                                             { 18, 190, 170, 185, 180 },
                                             { 18, 190, 170, 185, 180 } };
    struct shelf s = shelf_of(5);
    const struct finding *f = only(after(&s, LOOKS, 3), "read-below-link");

    (void)state;
    assert_first(f, s.disks[0]->id);
    assert_subjects(f, 2);
    judged_done(&s.k);
}

static void not_long_enough(void **state)
{
    static const unsigned LOOKS[][DISKS] = { { 180, 190, 170, 185 }, { 18, 19, 17, 18 } };
    struct shelf s = shelf_of(4);

    (void)state;
    assert_nothing(after(&s, LOOKS, 2));
    judged_done(&s.k);
}

/* All that were measured began at that minute. */
static void began(struct shelf *s, unsigned minute)
{
    for (size_t i = 0; i < s->k.model->measures.n; i++)
        s->k.model->measures.v[i].wall_us = (minute + 1) * UINT64_C(60000000);
}

/* A daemon looks often and reads rarely: what it knows of one read at several looks is one read. */
static void one_read_at_many_looks(void **state)
{
    static const unsigned FAST[DISKS] = { 180, 190, 170, 185 }, SLOW[DISKS] = { 18, 19, 17, 18 };
    static const struct {
        unsigned again; /* when the second slow read began */
        bool is_told;
    } CASES[] = { { 10, false }, { 39, false }, { 40, true }, { 110, true } };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct shelf s = shelf_of(4);

        measure(&s, FAST, NULL);
        began(&s, 0);
        remember(&s.k, 0);
        measure(&s, SLOW, NULL);
        began(&s, 10);
        for (unsigned minute = 10; minute < 110; minute += 20)
            remember(&s.k, minute);
        measure(&s, SLOW, NULL);
        began(&s, CASES[i].again);
        assert_int_equal(count_of(judged(&s.k, 120), "read-below-link"), CASES[i].is_told);
        judged_done(&s.k);
    }
}

/* The same among siblings. */
static void one_read_is_not_left_behind(void **state)
{
    static const unsigned RATES[DISKS] = { 100, 190, 185, 188, 186, 191 };

    (void)state;
    for (unsigned again = 0; again < 60; again += 45) {
        struct shelf s = shelf_of(6);

        measure(&s, RATES, NULL);
        began(&s, 0);
        remember(&s.k, 0);
        remember(&s.k, 60);
        began(&s, again);
        assert_int_equal(count_of(judged(&s.k, 120), "slower-than-sibling"), again != 0);
        judged_done(&s.k);
    }
}

static void always_slow(void **state)
{
    static const unsigned LOOKS[][DISKS] = { { 18, 19, 17, 18 },
                                             { 18, 19, 17, 18 },
                                             { 18, 19, 17, 18 } };
    struct shelf s = shelf_of(4);

    (void)state;
    assert_nothing(after(&s, LOOKS, 3));
    judged_done(&s.k);
}

/* ---- one among its siblings ---- */

static void left_behind(void **state)
{
    static const unsigned LOOKS[][DISKS] = { { 100, 190, 185, 188, 186, 191 },
                                             { 101, 190, 185, 188, 186, 191 } };
    struct shelf s = shelf_of(6);
    const struct finding *f = only(after(&s, LOOKS, 2), "slower-than-sibling");

    (void)state;
    assert_first(f, s.disks[0]->id);
    assert_subjects(f, 2);
    assert_severity(f, SEVERITY_INFO);
    judged_done(&s.k);
}

static void few_siblings(void **state)
{
    static const unsigned LOOKS[][DISKS] = { { 100, 190, 185 }, { 100, 190, 185 } };
    static const unsigned TWO[][DISKS] = { { 100, 190 }, { 100, 190 } };
    static const unsigned APART[][DISKS] = { { 100, 190, 160 }, { 100, 190, 160 } };
    struct shelf s = shelf_of(3);

    (void)state;
    only(after(&s, LOOKS, 2), "slower-than-sibling");
    judged_done(&s.k);
    s = shelf_of(2);
    assert_nothing(after(&s, TWO, 2));
    judged_done(&s.k);
    s = shelf_of(3); /* they differ among themselves, too */
    assert_nothing(after(&s, APART, 2));
    judged_done(&s.k);
}

/* What is not so twice, nor long enough, nor by a third, is no finding. */
static void no_false_alarm(void **state)
{
    static const struct {
        unsigned looks[3][DISKS];
        size_t n;
    } CASES[] = {
        { { { 186, 190, 185, 188, 186, 191 }, { 100, 190, 185, 188, 186, 191 } }, 2 },
        { { { 100, 190, 185, 188, 186, 191 } }, 1 },
        { { { 131, 190, 185, 188, 186, 191 }, { 135, 190, 185, 188, 186, 191 } }, 2 },
        { { { 100, 190, 110, 150, 186, 90 }, { 100, 190, 110, 150, 186, 90 } }, 2 },
        { { { 100, 190, 185, 188, 186, 191 },
            { 188, 190, 185, 188, 186, 191 },
            { 100, 190, 185, 188, 186, 191 } },
          3 },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct shelf s = shelf_of(6);

        assert_nothing(after(&s, CASES[i].looks, CASES[i].n));
        judged_done(&s.k);
    }
}

/* Where the rate is the same and each read takes longer. */
static void latency_alone(void **state)
{
    static const unsigned RATES[DISKS] = { 180, 190, 185, 188, 186, 191 };
    static const unsigned SLOW[DISKS] = { 900, 340, 345, 350, 341, 347 };
    static const unsigned NORMAL[DISKS] = { 350, 340, 345, 350, 341, 347 };
    struct shelf s = shelf_of(6);
    const struct finding *f;

    (void)state;
    measure(&s, RATES, SLOW);
    remember(&s.k, 0);
    measure(&s, RATES, SLOW);
    f = only(judged(&s.k, 60), "slower-than-sibling");
    assert_first(f, s.disks[0]->id);
    assert_true(has_evidence(f, "one read takes"));
    judged_done(&s.k);
    s = shelf_of(6);
    measure(&s, RATES, NORMAL);
    remember(&s.k, 0);
    measure(&s, RATES, SLOW);
    assert_nothing(judged(&s.k, 60));
    judged_done(&s.k);
}

/* A slower link explains it, and has a finding of its own. */
static void explained_by_its_link(void **state)
{
    static const unsigned LOOKS[][DISKS] = { { 100, 190, 185, 188, 186, 191 },
                                             { 100, 190, 185, 188, 186, 191 } };
    struct shelf s = shelf_of(6);
    const struct report *r;

    (void)state;
    runs(&s.k, s.disks[0]->link, 1, MB(150));
    r = after(&s, LOOKS, 2);
    assert_int_equal(count_of(r, "slower-than-sibling"), 0);
    assert_int_equal(count_of(r, "rate-below-expected"), 1);
    judged_done(&s.k);
}

/* Another model, adapter, method or block is nothing to compare with. */
static void others_are_no_siblings(void **state)
{
    static const unsigned LOOKS[][DISKS] = { { 100, 190, 185, 188, 186, 191 },
                                             { 100, 190, 185, 188, 186, 191 } };
    struct shelf s = shelf_of(6);

    (void)state;
    s.disks[0]->model = "ANOTHER";
    assert_nothing(after(&s, LOOKS, 2));
    judged_done(&s.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_fell_together),
        cmocka_unit_test(all_on_a_bus),
        cmocka_unit_test(all_but_one),
        cmocka_unit_test(not_long_enough),
        cmocka_unit_test(one_read_at_many_looks),
        cmocka_unit_test(one_read_is_not_left_behind),
        cmocka_unit_test(always_slow),
        cmocka_unit_test(left_behind),
        cmocka_unit_test(few_siblings),
        cmocka_unit_test(no_false_alarm),
        cmocka_unit_test(latency_alone),
        cmocka_unit_test(explained_by_its_link),
        cmocka_unit_test(others_are_no_siblings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
