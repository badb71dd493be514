/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What reads prove of a link of 600 MB/s.
 */
#include "../model_machine.h"

#include "probe/meaning.h"

static struct measurement read_of(const char *method, uint64_t block, uint64_t mb_per_s)
{
    return (struct measurement){ .hctl = "0:0:0:0",
                                 .method = method,
                                 .block_bytes = block,
                                 .bytes = mb_per_s * 100000,
                                 .us = 100000,
                                 .depth = 1 };
}

static void expect_meaning(const struct measurement *x, const struct link *l,
                           enum meaning_kind kind, const char *why)
{
    struct arena *a = arena_new();
    struct meaning m;

    assert_int_equal(meaning_of(a, l, x, 105, &m), 0);
    assert_string_equal(m.why, why);
    assert_int_equal(m.kind, kind);
    assert_non_null(meaning_to_string(m.kind));
    arena_free(a);
}

static const char FIRMWARE[] = "READ BUFFER is slow on many devices for their firmware";
static const char SMALL[] = "blocks are so small that commands take the time, not their data";

static void rates(void **state)
{
    struct machine k = machine_new();
    struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "phy-0:0", 1, MB(600));
    static const struct {
        const char *method;
        unsigned block, rate;
        enum meaning_kind kind;
        const char *why;
    } CASES[] = {
        { "read-buffer/sg", 65536, 550, MEANING_CONSISTENT, "550.0 of the 600.0 MB/s of its mode" },
        { "read-buffer", 65536, 360, MEANING_CONSISTENT, "360.0 of the 600.0 MB/s of its mode" },
        { "read-buffer", 65536, 359, MEANING_TOO_WEAK, FIRMWARE },
        { "read-buffer", 4096, 359, MEANING_TOO_WEAK, SMALL },
        { "read-cached/sg-mmap", 65536, 359, MEANING_LOWER_BOUND,
          "the link carries at least 359.0 MB/s" },
        { "read-cached/sg", 4096, 359, MEANING_TOO_WEAK, SMALL },
        { "read-media/block-direct", 65536, 180, MEANING_LOWER_BOUND,
          "the link carries at least 180.0 MB/s" },
        { "read-media/bsg", 512, 400, MEANING_CONSISTENT, "400.0 of the 600.0 MB/s of its mode" },
        { "read-cached/sg", 65536, 630, MEANING_CONSISTENT, "630.0 of the 600.0 MB/s of its mode" },
        { "read-cached/sg", 65536, 631, MEANING_CONTRADICTING,
          "631.0 MB/s is more than the 600.0 MB/s that its mode can carry" },
        { "read-cached/block-buffered", 65536, 5000, MEANING_TOO_WEAK,
          "the page cache is faster than any link" },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct measurement x = read_of(CASES[i].method, CASES[i].block, CASES[i].rate);

        expect_meaning(&x, l, CASES[i].kind, CASES[i].why);
    }
    machine_done(&k);
}

static void of_no_mode(void **state)
{
    struct machine k = machine_new();
    struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "phy-0:0", 1, MB(600));
    struct measurement x = read_of("read-buffer/sg", 65536, 100);

    (void)state;
    expect_meaning(&x, NULL, MEANING_LOWER_BOUND, "the link carries at least 100.0 MB/s");
    l->actual.known = false;
    expect_meaning(&x, l, MEANING_LOWER_BOUND, "the link carries at least 100.0 MB/s");
    machine_done(&k);
}

static void weak_ones(void **state)
{
    struct machine k = machine_new();
    struct link *l = wire(&k, host(&k, "host0", "0000:01:00.0"), "phy-0:0", 1, MB(600));
    struct measurement x = read_of("read-cached/sg", 65536, 2000);

    (void)state;
    x.together = 2;
    expect_meaning(&x, l, MEANING_TOO_WEAK,
                   "several devices were read at a time, and this is the share of one");
    x.random = true;
    expect_meaning(&x, l, MEANING_TOO_WEAK, "at random places the medium is timed, not the link");
    x.disturbed = "3 commands of 0:0:1:0 came between";
    expect_meaning(&x, l, MEANING_TOO_WEAK, x.disturbed);
    x.error = 5;
    expect_meaning(&x, l, MEANING_TOO_WEAK, "it failed");
    x = read_of("read-cached/sg", 65536, 2000);
    x.us = 4999;
    expect_meaning(&x, l, MEANING_TOO_WEAK, "it was too short to be timed");
    x.us = 0;
    expect_meaning(&x, l, MEANING_TOO_WEAK, "it was too short to be timed");
    x = read_of("read-cached/sg", 65536, 0);
    expect_meaning(&x, l, MEANING_TOO_WEAK, "it was too short to be timed");
    machine_done(&k);
}

/* ---- plateaus ---- */

enum { CELLS = 6 };

struct table {
    struct machine k;
    struct link *l;
    struct measurement cells[CELLS];
    const struct measurement *v[CELLS];
    size_t n;
};

/* Three blocks from the buffer, three from the cache. */
static struct table table_of(const unsigned rates[CELLS])
{
    static const unsigned BLOCKS[] = { 65536, 262144, 1048576 };
    struct table t = { .k = machine_new(), .n = CELLS };

    t.l = wire(&t.k, host(&t.k, "host0", "0000:01:00.0"), "phy-0:0", 1, MB(600));
    for (size_t i = 0; i < CELLS; i++)
        t.cells[i] = read_of(i < 3 ? "read-buffer/sg" : "read-cached/sg", BLOCKS[i % 3], rates[i]);
    return t;
}

static const char *said(struct table *t)
{
    const char *why;

    for (size_t i = 0; i < t->n; i++)
        t->v[i] = &t->cells[i];
    assert_int_equal(meaning_of_plateau(t->k.model->arena, t->l, t->v, t->n, &why), 0);
    return why;
}

static void plateaus(void **state)
{
    static const struct {
        unsigned rates[CELLS];
        bool is_plateau;
    } CASES[] = {
        { { 200, 300, 305, 210, 290, 299 }, true },  { { 100, 340, 355, 100, 345, 350 }, true },
        { { 100, 340, 355, 100, 345, 361 }, false }, /* 60 % */
        { { 100, 280, 300, 210, 290, 299 }, false }, /* still rising */
        { { 200, 300, 305, 210, 250, 260 }, false }, /* another end */
        { { 200, 300, 305, 400, 299, 300 }, false }, /* it can do more */
        { { 305, 300, 285, 310, 299, 300 }, true },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct table t = table_of(CASES[i].rates);

        assert_int_equal(said(&t) != NULL, CASES[i].is_plateau);
        machine_done(&t.k);
    }
}

static void plateau_of_depths(void **state)
{
    static const unsigned RATES[CELLS] = { 200, 300, 305, 210, 290, 299 };
    struct table t = table_of(RATES);

    (void)state;
    for (size_t i = 0; i < CELLS; i++) {
        t.cells[i].block_bytes = 65536;
        t.cells[i].depth = 1u << i % 3;
    }
    assert_string_equal(said(&t), "reads end at 305.0 MB/s, from the device's buffer as from its "
                                  "cache, in blocks of any size: the link seems to carry less than "
                                  "the 600.0 MB/s that it claims");
    t.cells[5].depth = 8; /* neither the same block nor the next depth matters: it is a row */
    assert_non_null(said(&t));
    machine_done(&t.k);
}

static void no_plateau_without_both(void **state)
{
    static const unsigned RATES[CELLS] = { 200, 300, 305, 210, 290, 299 };
    struct table t = table_of(RATES);

    (void)state;
    t.n = 3; /* the buffer alone: trap of firmware */
    assert_null(said(&t));
    t.n = CELLS;
    t.cells[5].disturbed = "somebody";
    assert_null(said(&t)); /* 210 and 290 rise */
    t.cells[5].disturbed = NULL;
    assert_non_null(said(&t));
    for (size_t i = 0; i < CELLS; i++) /* the processor ends it, not the link */
        t.cells[i].cpu_us = t.cells[i].us * 95 / 100;
    assert_null(said(&t));
    for (size_t i = 0; i < CELLS; i++)
        t.cells[i].cpu_us = 0;
    assert_non_null(said(&t));
    t.l->actual.known = false;
    assert_null(said(&t));
    machine_done(&t.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates),
        cmocka_unit_test(of_no_mode),
        cmocka_unit_test(weak_ones),
        cmocka_unit_test(plateaus),
        cmocka_unit_test(plateau_of_depths),
        cmocka_unit_test(no_plateau_without_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
