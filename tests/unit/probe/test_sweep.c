/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a table of one device says: made-up tables for each limit, and tables as people posted them.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "probe/cell.h"
#include "probe/sweep.h"

#define KIB 1024u

struct table {
    VEC(struct measurement *) cells;
    struct arena *arena;
    struct sweep_path path;
    struct sweep sweep;
};

static int setup(void **state)
{
    struct table *t = calloc(1, sizeof(*t));

    assert_non_null(t);
    t->arena = arena_new();
    assert_non_null(t->arena);
    t->path = (struct sweep_path){ "target0:0:1", 160000 };
    *state = t;
    return 0;
}

static int teardown(void **state)
{
    struct table *t = *state;

    free(t->cells.v);
    arena_free(t->arena);
    free(t);
    return 0;
}

/* A second of reading at so many kB/s, with so much of a processor. */
static struct measurement *cell(struct table *t, const char *method, uint64_t block, uint64_t kb,
                                unsigned cpu_percent)
{
    struct measurement *m = arena_alloc(t->arena, sizeof(*m));

    assert_non_null(m);
    *m = (struct measurement){
        .hctl = "0:0:1:0",
        .method = method,
        .block_bytes = block,
        .bytes = kb * 1000,
        .us = 1000000,
        .cpu_us = cpu_percent * 10000,
        .depth = 1,
        .commands = kb * 1000 / block,
    };
    assert_int_equal(vec_push(&t->cells, m), 0);
    return m;
}

static void judge(struct table *t)
{
    assert_int_equal(sweep_judge((const struct measurement *const *)t->cells.v, t->cells.n,
                                 &t->path, t->arena, &t->sweep),
                     0);
    assert_non_null(t->sweep.sentence);
}

static void says(const struct table *t, const char *what)
{
    if (!strstr(t->sweep.sentence, what))
        fail_msg("\"%s\" lacks \"%s\"", t->sweep.sentence, what);
}

static void nothing_counts(void **state)
{
    struct table *t = *state;

    judge(t);
    assert_null(t->sweep.best);
    cell(t, "read-buffer/sg", 64 * KIB, 150000, 5)->disturbed = "somebody reads";
    cell(t, "read-buffer/sg", 128 * KIB, 150000, 5)->error = EIO;
    cell(t, "read-by-magic", 128 * KIB, 150000, 5);
    cell(t, "read-buffer/sg", 64 * KIB, 150000, 5)->us = 0;
    judge(t);
    assert_null(t->sweep.best);
    assert_int_equal(t->sweep.limit, SWEEP_UNKNOWN);
    says(t, "Nothing was measured that counts");
}

static void full_link(void **state)
{
    static const struct {
        unsigned kb;
        enum sweep_limit limit;
        const char *says;
    } RATES[] = {
        { 135999, SWEEP_UNKNOWN, "136.0 of the 160.0 MB/s that target0:0:1 carries" },
        { 136000, SWEEP_LINK, "136.0 MB/s are 85 % of the 160.0 MB/s that target0:0:1 carries" },
        { 168000, SWEEP_LINK, "105 %" },
        { 168001, SWEEP_UNKNOWN, "its mode is another one" },
    };

    struct table *t = *state;
    struct measurement *m = cell(t, "read-buffer/sg", 64 * KIB, 0, 5);

    for (size_t i = 0; i < ELEMENTS(RATES); i++) {
        m->bytes = RATES[i].kb * 1000ull;
        judge(t);
        assert_ptr_equal(t->sweep.best, m);
        assert_int_equal(t->sweep.limit, RATES[i].limit);
        says(t, RATES[i].says);
    }
    t->path = (struct sweep_path){ NULL, 0 };
    judge(t);
    says(t, "what the link carries is not known");
}

static void page_cache_is_no_best(void **state)
{
    struct table *t = *state;
    struct measurement *direct = cell(t, "read-media/block-direct", 64 * KIB, 84000, 5),
                       *buffered = cell(t, "read-media/block-buffered", 64 * KIB, 2000000, 95);

    judge(t);
    assert_ptr_equal(t->sweep.best, direct);
    buffered->bytes = 90000000;
    judge(t);
    assert_ptr_equal(t->sweep.best, buffered);
}

static void medium(void **state)
{
    struct table *t = *state;

    cell(t, "read-media/sg", 64 * KIB, 84000, 5);
    judge(t);
    assert_int_equal(t->sweep.limit, SWEEP_UNKNOWN);
    says(t, "side by side");
    cell(t, "read-buffer/sg", 128 * KIB, 152000, 5);
    judge(t);
    assert_int_equal(t->sweep.limit, SWEEP_LINK); /* another block: not comparable */
    cell(t, "read-buffer/sg", 64 * KIB, 150000, 5);
    judge(t);
    assert_int_equal(t->sweep.limit, SWEEP_MEDIUM);
    says(t, "it gives 84.0 MB/s, the device's memory 150.0 MB/s (read-buffer/sg)");
}

static void random_places(void **state)
{
    struct table *t = *state;
    struct measurement *m = cell(t, "read-media/sg", 4 * KIB, 496, 1);

    m->random = true;
    judge(t);
    assert_int_equal(t->sweep.limit, SWEEP_MEDIUM);
    says(t, "121.0 reads a second at random places, 8.3 ms for one");
    m->median_us = 7949;
    judge(t);
    says(t, "7.9 ms for one");
}

/* Where nothing has to be found, in large blocks, the link is as full as by reads in sequence. */
static void random_places_that_fill_the_link(void **state)
{
    struct table *t = *state;
    struct measurement *m = cell(t, "read-media/sg", 4096 * KIB, 155000, 10);

    m->random = true;
    m->depth = 32;
    judge(t);
    assert_int_equal(t->sweep.limit, SWEEP_LINK);
}

static void processor(void **state)
{
    struct table *t = *state;
    struct measurement *m = cell(t, "read-buffer/sg", 64 * KIB, 100000, 98);

    judge(t);
    assert_int_equal(t->sweep.limit, SWEEP_CPU);
    says(t, "98 % of one busy, 9.8 ms for a MB");
    m->depth = 4; /* each of four threads a quarter */
    judge(t);
    assert_int_equal(t->sweep.limit, SWEEP_UNKNOWN);
}

static void command_rate(void **state)
{
    struct table *t = *state;

    cell(t, "read-buffer/sg", 1 * KIB, 3000, 9);
    cell(t, "read-buffer/sg", 4 * KIB, 11900, 9);
    cell(t, "read-buffer/sg-mmap", 16 * KIB, 11000, 9); /* another way */
    judge(t);
    assert_int_equal(t->sweep.limit, SWEEP_COMMANDS);
    says(t,
         "2905.0 commands/s with blocks of 4096 bytes, 2929.0 with 1024; larger blocks give more");
    cell(t, "read-buffer/sg", 8 * KIB, 12000, 9); /* they do not */
    judge(t);
    assert_int_equal(t->sweep.limit, SWEEP_UNKNOWN);
}

/* dd through the page cache, sg_dd, sgm_dd: each faster and cheaper than the one before. */
static void copying_of_2002(void **state)
{
    struct table *t = *state;
    const struct measurement *best;

    for (unsigned kib = 2; kib <= 256; kib *= 2) {
        cell(t, "read-media/block-buffered", kib * KIB, 51000, 45);
        cell(t, "read-media/sg", kib * KIB, kib < 32 ? 20000 + kib * 1000 : 78000, 30);
        best = cell(t, "read-media/sg-mmap", kib * KIB, kib < 32 ? 22000 + kib * 1000 : 90000 + kib,
                    6);
    }
    judge(t);
    assert_ptr_equal(t->sweep.best, best);
    assert_string_equal(
        t->sweep.copying,
        "Copying costs: read-media/sg gives 78.0 MB/s for 3.8 ms of processor time a "
        "MB, read-media/sg-mmap 90.3 MB/s for 0.7 ms");
    assert_int_equal(t->sweep.limit, SWEEP_COPYING);
    t->path.kb_per_s = 100000;
    judge(t);
    assert_int_equal(t->sweep.limit, SWEEP_LINK);
    assert_non_null(t->sweep.copying);
}

static void direct_only_where_it_was(void **state)
{
    struct table *t = *state;
    struct measurement *m;

    cell(t, "read-buffer/sg", 64 * KIB, 70000, 30);
    m = cell(t, "read-buffer/sg-direct", 64 * KIB, 90000, 5);
    judge(t);
    assert_null(t->sweep.copying);
    m->direct = m->commands;
    judge(t);
    assert_non_null(t->sweep.copying);
    assert_int_equal(t->sweep.limit, SWEEP_COPYING);
}

/* As fast, but dearer: said, and no limit; where both cost next to nothing, not said. */
static void copying_costs(void **state)
{
    struct table *t = *state;
    struct measurement *m = cell(t, "read-buffer/sg", 64 * KIB, 100000, 12);

    cell(t, "read-buffer/sg-mmap", 64 * KIB, 100000, 4);
    judge(t);
    assert_non_null(t->sweep.copying);
    assert_int_equal(t->sweep.limit, SWEEP_UNKNOWN);
    m->cpu_us = 40000;
    t->cells.v[1]->cpu_us = 10000;
    judge(t);
    assert_null(t->sweep.copying);
}

static void numbers_that_cannot_be(void **state)
{
    struct measurement m = { .method = "read-buffer", .bytes = UINT64_MAX, .us = 1 };

    (void)state;
    assert_int_equal(cell_kb_per_s(&m), 0);
    assert_int_equal(cell_commands_per_1000s(&m), 0);
    assert_int_equal(cell_latency_us(&m), 0);
    m.us = 0;
    m.commands = UINT64_MAX;
    assert_int_equal(cell_commands_per_1000s(&m), 0);
    assert_int_equal(cell_cpu_permille(&m), 0);
    assert_int_equal(tenths_of(UINT64_MAX).whole, UINT64_MAX / 1000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(nothing_counts),
        TEST(full_link),
        TEST(page_cache_is_no_best),
        TEST(medium),
        TEST(random_places),
        TEST(random_places_that_fill_the_link),
        TEST(processor),
        TEST(command_rate),
        TEST(copying_of_2002),
        TEST(direct_only_where_it_was),
        TEST(copying_costs),
        TEST(numbers_that_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
