/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timed reads of a model as tables, and those of two models beside each other.
 */
#include "../model_machine.h"

#include "probe/bench.h"
#include "probe/rates.h"

static int setup(void **state)
{
    struct machine *k = calloc(1, sizeof(*k));
    struct host *h;

    assert_non_null(k);
    *k = machine_new();
    h = host(k, "host0", "0000:02:04.0");
    for (size_t i = 0; i < 3; i++) {
        static const char *const NAMES[] = { "a", "b", "c" };

        disk(k, h, wire(k, h, NAMES[i], 1, MB(300)), NAMES[i]);
    }
    *state = k;
    return 0;
}

static int teardown(void **state)
{
    machine_done(*state);
    free(*state);
    return 0;
}

/* A second of reading the i-th device at so many MB/s, so many at a time. */
static struct measurement *timed(struct machine *k, size_t i, uint64_t block, unsigned mb,
                                 unsigned together)
{
    struct measurement *m = arena_alloc(k->model->arena, sizeof(*m));
    struct timed t = { .device = k->model->devices.v[i], .read = m };

    assert_non_null(m);
    *m = (struct measurement){ .hctl = t.device->hctl,
                               .method = "read-media/sg",
                               .block_bytes = block,
                               .bytes = mb * UINT64_C(1000000),
                               .us = 1000000,
                               .depth = 1,
                               .together = together };
    assert_int_equal(vec_push(&k->model->timed, t), 0);
    return m;
}

static struct bench *bench(struct machine *k, size_t n)
{
    struct bench *b;

    assert_int_equal(bench_new(k->model, k->model->devices.v, n, &b), 0);
    return b;
}

static void nothing_was_read(void **state)
{
    struct bench *b = bench(*state, 0);

    assert_int_equal(b->devices.n, 0);
    bench_free(b);
    b = bench(*state, 2);
    assert_int_equal(b->devices.n, 2);
    assert_int_equal(b->devices.v[1].cells.n, 0);
    assert_null(b->devices.v[1].sweep.best);
    assert_null(b->best);
    bench_free(b);
}

static void alone_and_together(void **state)
{
    struct machine *k = *state;
    struct bench *b;

    timed(k, 0, 4096, 90, 0);
    timed(k, 0, 4096, 95, 1);
    timed(k, 1, 4096, 85, 0);
    for (size_t round = 0; round < 2; round++) /* the same once more: another run */
        for (size_t i = 0; i < 2; i++)
            timed(k, i, 4096, 60 + (unsigned)round, 2);
    timed(k, 2, 512, 10, 2)->error = EIO; /* its partner is not there */
    b = bench(k, 0);
    assert_int_equal(b->devices.n, 3);
    assert_int_equal(b->devices.v[0].cells.n, 2);
    assert_string_equal(b->devices.v[0].path.hop, "a");
    assert_int_equal(b->devices.v[0].path.kb_per_s, MB(300));
    assert_int_equal(b->cells.n, 3);
    assert_ptr_equal(b->best, &b->cells.v[1]);
    assert_int_equal(b->cells.v[0].together.kb_per_s, MB(120));
    assert_int_equal(b->cells.v[1].together.kb_per_s, MB(122));
    assert_int_equal(b->cells.v[1].together.alone_kb_per_s, MB(180)); /* the fastest of each */
    assert_int_equal(b->cells.v[2].together.n, 0);
    bench_free(b);

    b = bench(k, 1);
    assert_int_equal(b->devices.n, 1);
    assert_int_equal(b->cells.n, 0);
    bench_free(b);
    b = bench(k, 2);
    assert_int_equal(b->cells.n, 2);
    bench_free(b);
}

static void two_models(void **state)
{
    struct machine *k = *state, *after;
    struct rates rates;

    assert_int_equal(setup((void **)&after), 0);
    timed(k, 0, 4096, 100, 0);
    timed(k, 0, 4096, 90, 0);
    timed(k, 1, 4096, 100, 0);
    timed(k, 2, 4096, 100, 0);
    timed(after, 0, 4096, 94, 0);
    timed(after, 1, 4096, 105, 0);
    timed(after, 2, 8192, 100, 0);
    assert_int_equal(rates_compare(k->model, after->model, k->model->arena, &rates), 0);
    assert_int_equal(rates.n, 2);
    assert_int_equal(rates.differ, 1);
    assert_ptr_equal(rates.v[0].device, after->model->devices.v[0]);
    assert_int_equal(rates.v[0].permille, -60);
    assert_true(rates.v[0].differs);
    assert_int_equal(rates.v[1].permille, 50);
    assert_false(rates.v[1].differs);
    teardown((void **)&after);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = { TEST(nothing_was_read), TEST(alone_and_together),
                                        TEST(two_models) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
