/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What changes and grows: flapping, error counters, resets of hosts, reads that became slow.
 */
#include "machine.h"

/* ---- link-flapping ---- */

/* A look: a minute, and how the link is: 0 not up, else what it runs at. */
struct looked {
    unsigned minute, mb;
};

static void look(struct machine *k, struct link *l, unsigned mb)
{
    l->state = mb ? LINK_UP : LINK_EMPTY;
    if (mb)
        runs(k, l, 1, MB(mb));
}

static bool flaps(const struct looked *looks, size_t n)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 600, 600);
    bool found;

    for (size_t i = 0; i + 1 < n; i++) {
        look(&k, l, looks[i].mb);
        remember(&k, looks[i].minute);
    }
    look(&k, l, looks[n - 1].mb);
    found = count_of(judged(&k, looks[n - 1].minute), "link-flapping");
    if (found) {
        assert_severity(only(k.report, "link-flapping"), SEVERITY_WARNING);
        assert_first(only(k.report, "link-flapping"), l->id);
    }
    judged_done(&k);
    return found;
}

#define FLAPS(...)                                \
    flaps((const struct looked[]){ __VA_ARGS__ }, \
          sizeof((const struct looked[]){ __VA_ARGS__ }) / sizeof(struct looked))

static void link_flapping(void **state)
{
    (void)state;
    assert_true(FLAPS({ 0, 600 }, { 10, 0 }, { 20, 600 }, { 30, 0 }));
    assert_true(FLAPS({ 0, 600 }, { 20, 300 }, { 40, 600 }, { 60, 150 }));
    /* Two changes, or three in more than an hour. */
    assert_false(FLAPS({ 0, 600 }, { 10, 0 }, { 20, 600 }, { 30, 600 }));
    assert_false(FLAPS({ 0, 600 }, { 10, 0 }, { 45, 600 }, { 75, 0 }));
    /* Until an hour was quiet. */
    assert_true(FLAPS({ 0, 600 }, { 10, 0 }, { 20, 600 }, { 30, 0 }, { 40, 600 }, { 99, 600 }));
    assert_false(FLAPS({ 0, 600 }, { 10, 0 }, { 20, 600 }, { 30, 0 }, { 40, 600 }, { 100, 600 }));
    assert_false(FLAPS({ 0, 600 }, { 10, 0 }, { 20, 600 }, { 30, 0 }, { 40, 600 }, { 110, 300 }));
}

static void flapping_of_another_disk(void **state)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 600, 600);

    (void)state;
    l->far_id = "wwn-1";
    remember(&k, 0);
    runs(&k, l, 1, MB(300));
    remember(&k, 10);
    l->far_id = "wwn-2";
    runs(&k, l, 1, MB(600));
    remember(&k, 20);
    runs(&k, l, 1, MB(300));
    judged(&k, 30);
    assert_int_equal(count_of(k.report, "link-flapping"), 0);
    judged_done(&k);
}

/* What flaps together is one finding; what hangs below it none. */
static void flapping_together(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *a = lane(&k, h, "a", 600, 600), *b = lane(&k, h, "b", 600, 600);
    struct link *below = lane(&k, h, "c", 600, 600);

    (void)state;
    below->up = a;
    for (unsigned i = 0; i < 4; i++) {
        a->state = b->state = below->state = i % 2 ? LINK_EMPTY : LINK_UP;
        remember(&k, i * 10);
    }
    a->state = b->state = below->state = LINK_UP;
    assert_subjects(only(judged(&k, 40), "link-flapping"), 2);
    judged_done(&k);
}

/* ---- errors-growing ---- */

/* Counts at minutes; what happened in the last round. */
enum event { NOTHING, RESET, FAR_END, MODE, STATE, HOST_RESET, REBOOT };

struct counted {
    unsigned minute;
    uint64_t count;
};

static enum severity grown(const struct fact_key *key, const struct counted *c, size_t n,
                           enum event event)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l = lane(&k, h, "a", 600, 600);
    enum severity severity = SEVERITY_NONE;

    l->far_id = "wwn-1";
    put(&k, h->own, &KEY_RESET_COUNT, 0, NULL);
    for (size_t i = 0; i < n; i++) {
        bool is_last = i + 1 == n;

        counter(&k, l, key, c[i].count);
        counter(&k, l, &PHY_RESETS, is_last && event == RESET);
        if (!is_last && event == STATE)
            l->state = i + 2 == n ? LINK_UNKNOWN : LINK_UP;
        if (is_last) {
            l->state = LINK_UP;
            l->far_id = event == FAR_END ? "wwn-2" : "wwn-1";
            if (event == MODE)
                runs(&k, l, 1, MB(300));
            if (event == HOST_RESET)
                put(&k, h->own, &KEY_RESET_COUNT, 1, NULL);
            if (event == REBOOT)
                k.boot_us += 30 * MINUTE_US;
        } else {
            remember(&k, c[i].minute);
        }
    }
    judged(&k, c[n - 1].minute);
    if (count_of(k.report, "errors-growing")) {
        severity = only(k.report, "errors-growing")->severity;
        assert_first(only(k.report, "errors-growing"), l->id);
    }
    judged_done(&k);
    return severity;
}

#define GROWN(key, event, ...)                          \
    grown(key, (const struct counted[]){ __VA_ARGS__ }, \
          sizeof((const struct counted[]){ __VA_ARGS__ }) / sizeof(struct counted), event)

static void errors_growing(void **state)
{
    (void)state;
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 5000 }, { 60, 5100 }), SEVERITY_WARNING);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 5000 }, { 60, 5099 }), SEVERITY_NONE);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 5000 }, { 30, 5050 }), SEVERITY_WARNING);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 5000 }, { 30, 5049 }), SEVERITY_NONE);
    /* A few errors between two quick looks are no rate. */
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 0 }, { 1, 16 }), SEVERITY_NONE);
    /* Ten an hour over six hours. */
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 0 }, { 360, 60 }), SEVERITY_WARNING);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 0 }, { 360, 59 }), SEVERITY_NONE);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 0 }, { 180, 30 }, { 360, 60 }),
                     SEVERITY_WARNING);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 0 }, { 300, 90 }), SEVERITY_NONE);
    /* A quiet day before, of which only its ends were kept, does not thin out what grows now. */
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 5 }, { 600, 5 }, { 650, 105 }),
                     SEVERITY_WARNING);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 5 }, { 600, 5 }, { 650, 65 }),
                     SEVERITY_WARNING);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 5 }, { 600, 5 }, { 650, 64 }),
                     SEVERITY_NONE);
    /* What was long ago does not grow. */
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 0 }, { 60, 900 }, { 120, 900 }),
                     SEVERITY_NONE);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 0 }, { 60, 900 }, { 1440, 900 }),
                     SEVERITY_NONE);
}

/* 120 errors while 0.5 TB went in and 0.1 TB out. */
static void errors_per_terabyte(void **state)
{
    static const struct fact_key IN = { "in", FACT_NUMBER, FACT_MEGABYTES };
    static const struct fact_key OUT = { "out", FACT_NUMBER, FACT_MEGABYTES };

    (void)state;
    for (int counted = 0; counted < 2; counted++) {
        struct machine k = machine_new();
        struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 600, 600);

        for (unsigned look = 0; look < 2; look++) {
            counter(&k, l, &WORD_ERRORS, 7 + 120 * look);
            if (counted) {
                counter(&k, l, &IN, 1000 + 500000 * look);
                counter(&k, l, &OUT, 100000 * look);
            }
            if (look == 0)
                remember(&k, 0);
        }
        assert_string_equal(only(judged(&k, 60), "errors-growing")->evidence.v[0].value,
                            counted ? "120 more, 120 an hour, 200 per TB moved"
                                    : "120 more, 120 an hour");
        judged_done(&k);
    }
}

/* 300 errors in ten hours, of which eight the adapter was not read, are 30 an hour and no burst at their end. Those of a
 * link of another adapter are counted as ever. */
static void counters_that_were_not_read(void **state)
{
    struct machine k = machine_new();
    struct host *h = host(&k, "host0", "0000:01:00.0");
    struct link *l = lane(&k, h, "a", 600, 600);
    struct link *other = lane(&k, host(&k, "host1", "0000:02:00.0"), "b", 600, 600);

    (void)state;
    counter(&k, l, &WORD_ERRORS, 0);
    for (unsigned hour = 0; hour < 9; hour++) {
        h->is_unread = hour > 0;
        counter(&k, other, &WORD_ERRORS, 110 * hour);
        remember(&k, 60 * hour);
    }
    h->is_unread = false;
    counter(&k, l, &WORD_ERRORS, 300);
    counter(&k, other, &WORD_ERRORS, 110 * 9);
    judged(&k, 60 * 10);
    assert_int_equal(count_of(k.report, "errors-growing"), 2);
    for (size_t i = 0; i < k.report->findings.n; i++) {
        const struct finding *f = k.report->findings.v[i];

        assert_string_equal(f->evidence.v[0].value, strcmp(f->subjects.v[0], l->id) == 0
                                                        ? "300 more, 30 an hour"
                                                        : "550 more, 91 an hour");
    }
    judged_done(&k);
}

static void rounds_that_say_nothing(void **state)
{
    (void)state;
    for (enum event e = RESET; e <= REBOOT; e++)
        assert_int_equal(GROWN(&WORD_ERRORS, e, { 0, 0 }, { 60, 0 }, { 120, 9000 }), SEVERITY_NONE);
}

static void counters_end(void **state)
{
    const uint64_t end = UINT32_MAX;

    (void)state;
    /* Reset. */
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 9000 }, { 60, 8000 }), SEVERITY_NONE);
    /* Went on from 0. */
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, end - 100 }, { 60, 400 }), SEVERITY_WARNING);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, end - 10 }, { 60, 4 }), SEVERITY_NONE);
    /* Stands at its end; a read that failed. */
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, end }, { 60, end }), SEVERITY_NONE);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, end }, { 60, 500 }), SEVERITY_NONE);
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, 5 }, { 60, end }), SEVERITY_NONE);
    /* 64 bits. */
    assert_int_equal(GROWN(&WORD_ERRORS, NOTHING, { 0, end + 5 }, { 60, end + 500 }),
                     SEVERITY_WARNING);
}

static void soft_errors(void **state)
{
    (void)state;
    assert_int_equal(GROWN(&SOFT_ERRORS, NOTHING, { 0, 0 }, { 60, 99 }), SEVERITY_NONE);
    assert_int_equal(GROWN(&SOFT_ERRORS, NOTHING, { 0, 0 }, { 60, 999 }), SEVERITY_INFO);
    assert_int_equal(GROWN(&SOFT_ERRORS, NOTHING, { 0, 0 }, { 60, 1000 }), SEVERITY_WARNING);
}

/* A phy inside a chip has no cable. */
static void no_cable_no_errors(void **state)
{
    struct machine k = machine_new();
    struct link *l = lane(&k, host(&k, "host0", "0000:01:00.0"), "a", 600, 600);

    (void)state;
    l->has_no_link = true;
    counter(&k, l, &WORD_ERRORS, 0);
    remember(&k, 0);
    counter(&k, l, &WORD_ERRORS, 5000);
    assert_nothing(judged(&k, 60));
    judged_done(&k);
}

/* ---- host-resetting ---- */

static void host_resetting(void **state)
{
    static const struct {
        const char *state;
        unsigned before, after;
        bool rebooted, resets;
    } CASES[] = {
        { "running", 3, 3, false, false }, { "running", 3, 4, false, true },
        { "running", 3, 4, true, false },  { "running", 3, 0, false, false },
        { "recovery", 3, 3, false, true },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");

        put(&k, h->own, &KEY_RESET_COUNT, CASES[i].before, NULL);
        remember(&k, 0);
        put(&k, h->own, &KEY_RESET_COUNT, CASES[i].after, NULL);
        h->state = CASES[i].state;
        if (CASES[i].rebooted)
            k.boot_us += 30 * MINUTE_US;
        judged(&k, 60);
        assert_int_equal(count_of(k.report, "host-resetting"), CASES[i].resets);
        if (CASES[i].resets) {
            assert_severity(only(k.report, "host-resetting"), SEVERITY_WARNING);
            assert_first(only(k.report, "host-resetting"), h->id);
        }
        judged_done(&k);
    }
}

/* ---- read-below-link ---- */

/* MB/s of the device at its best, in two looks, and of two siblings in the last one; 0: not measured. */
struct reading {
    unsigned best, then, minutes, now, siblings[2];
    bool slow;
};

static void read_below_link(void **state)
{
    static const struct reading READINGS[] = {
        { 200, 49, 30, 49, { 0, 0 }, true },     { 200, 50, 30, 49, { 0, 0 }, false },
        { 200, 49, 30, 50, { 0, 0 }, false },    { 200, 49, 29, 49, { 0, 0 }, false },
        { 200, 49, 30, 49, { 0, 200 }, true }, /* one sibling says nothing */
        { 200, 24, 30, 24, { 100, 100 }, true }, { 200, 24, 30, 26, { 100, 100 }, false },
        { 200, 24, 30, 24, { 40, 120 }, false }, { 200, 49, 30, 49, { 900, 900 }, true },
        { 0, 0, 30, 2, { 200, 200 }, false }, /* never the payload, nor siblings alone */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(READINGS) / sizeof(READINGS[0]); i++) {
        const struct reading *x = &READINGS[i];
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct link *l = lane(&k, h, "a", 1200, 1200);
        struct device *d = disk(&k, h, l, "0:0:0:0");
        struct device *siblings[2] = { disk(&k, h, lane(&k, h, "b", 1200, 1200), "0:0:1:0"),
                                       disk(&k, h, lane(&k, h, "c", 1200, 1200), "0:0:2:0") };

        if (x->best)
            measured(&k, d, x->best);
        remember(&k, 0);
        k.model->measures.n = 0;
        if (x->then)
            measured(&k, d, x->then);
        remember(&k, 60);
        k.model->measures.n = 0;
        measured(&k, d, x->now);
        for (unsigned n = 0; n < 2; n++)
            if (x->siblings[n])
                measured(&k, siblings[n], x->siblings[n]);
        judged(&k, 60 + x->minutes);
        assert_int_equal(count_of(k.report, "read-below-link"), x->slow);
        if (x->slow) {
            const struct finding *f = only(k.report, "read-below-link");

            assert_severity(f, SEVERITY_WARNING);
            assert_subjects(f, 2);
            assert_first(f, d->id);
            assert_string_equal(f->subjects.v[1], l->id);
            assert_verdict(l, VERDICT_OK);
        }
        judged_done(&k);
    }
}

/* Fast in between, or once more in the same look: it was disturbed. Another method is another thing. */
static void disturbed_reads(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct machine k = machine_new();
        struct host *h = host(&k, "host0", "0000:01:00.0");
        struct device *d = disk(&k, h, lane(&k, h, "a", 1200, 1200), "0:0:0:0");

        measured(&k, d, 200);
        remember(&k, 0);
        k.model->measures.n = 0;
        measured(&k, d, 10);
        remember(&k, 60);
        k.model->measures.n = 0;
        measured(&k, d, i == 1 ? 190 : 10);
        remember(&k, 90);
        k.model->measures.n = 0;
        measured(&k, d, 10);
        if (i == 2)
            measured(&k, d, 190);
        if (i == 3)
            k.model->measures.v[0].method = "read-buffer";
        judged(&k, 120);
        assert_int_equal(count_of(k.report, "read-below-link"), i == 0);
        judged_done(&k);
    }
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(link_flapping),
        cmocka_unit_test(flapping_of_another_disk),
        cmocka_unit_test(flapping_together),
        cmocka_unit_test(errors_growing),
        cmocka_unit_test(counters_that_were_not_read),
        cmocka_unit_test(errors_per_terabyte),
        cmocka_unit_test(rounds_that_say_nothing),
        cmocka_unit_test(counters_end),
        cmocka_unit_test(soft_errors),
        cmocka_unit_test(no_cable_no_errors),
        cmocka_unit_test(host_resetting),
        cmocka_unit_test(read_below_link),
        cmocka_unit_test(disturbed_reads),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
