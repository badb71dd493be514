/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What several devices get of what they share.
 */
#include "../model_machine.h"

#include "probe/together.h"

enum { DISKS = 4 };

struct bench {
    struct machine k;
    struct host *host;
    struct device *disks[DISKS];
    struct measurement alone[DISKS], cells[DISKS];
    const struct measurement *alone_of[DISKS], *cell_of[DISKS];
    struct together together;
};

static struct measurement reading(const char *hctl, uint64_t block, uint64_t kb)
{
    return (struct measurement){ .hctl = hctl,
                                 .method = "read-media/sg",
                                 .block_bytes = block,
                                 .bytes = kb * 1000,
                                 .us = 1000000,
                                 .depth = 1 };
}

/* Four disks on a bus at 160 MB/s, each with so many MB/s alone and together. */
static struct bench *bench_new(uint64_t alone_kb, uint64_t together_kb)
{
    static const char *const NAMES[DISKS] = { "0", "1", "2", "3" };
    struct bench *b = calloc(1, sizeof(*b));

    assert_non_null(b);
    b->k = machine_new();
    b->host = host(&b->k, "host0", "0000:02:04.0");
    b->host->is_bus = true;
    for (size_t i = 0; i < DISKS; i++) {
        struct link *l = wire(&b->k, b->host, text(&b->k, "target0:0:", NAMES[i]), 1,
                              i ? MB(160) : MB(80));

        b->disks[i] = disk(&b->k, b->host, l, text(&b->k, "0:0:0:", NAMES[i]));
        b->alone[i] = reading(b->disks[i]->hctl, 65536, alone_kb);
        b->cells[i] = reading(b->disks[i]->hctl, 65536, together_kb);
        b->cells[i].together = DISKS;
        b->alone_of[i] = &b->alone[i];
        b->cell_of[i] = &b->cells[i];
    }
    return b;
}

static void bench_done(struct bench *b)
{
    machine_done(&b->k);
    free(b);
}

static void judge(struct bench *b)
{
    struct shared_hop hop = sweep_shared_hop(b->k.model, b->disks, DISKS);

    assert_int_equal(
        sweep_together(b->cell_of, b->alone_of, DISKS, &hop, b->k.model->arena, &b->together), 0);
    assert_non_null(b->together.sentence);
}

static void a_bus_is_full(void **state)
{
    struct bench *b = bench_new(85000, 38000);

    (void)state;
    judge(b);
    assert_int_equal(b->together.limit, TOGETHER_HOP);
    assert_int_equal(b->together.kb_per_s, 152000);
    assert_string_equal(
        b->together.sentence,
        "the bus of host0 carries 152.0 of 160.0 MB/s; 4 devices could deliver 340.0");
    b->alone_of[2] = NULL;
    judge(b);
    assert_int_equal(b->together.limit, TOGETHER_HOP);
    assert_string_equal(b->together.sentence, "the bus of host0 carries 152.0 of 160.0 MB/s");
    bench_done(b);
}

/* One disk gives 3 MB/s at 1 KiB and 10 at 4 KiB; four at 512 bytes each the half of that, as nothing is shared. */
static void nothing_is_shared(void **state)
{
    struct bench *b = bench_new(3000, 2990);

    (void)state;
    judge(b);
    assert_int_equal(b->together.limit, TOGETHER_NOTHING);
    assert_string_equal(
        b->together.sentence,
        "nothing that they share limits them: 12.0 MB/s together, each alone 12.0 in all, of "
        "160.0 MB/s that the bus of host0 can carry");
    bench_done(b);
}

/* What cannot be is no good news of the bus. */
static void more_than_the_bus_carries(void **state)
{
    struct bench *b = bench_new(50000, 50000);

    (void)state;
    judge(b);
    assert_int_equal(b->together.limit, TOGETHER_UNKNOWN);
    assert_string_equal(b->together.sentence,
                        "200.0 MB/s are more than the 160.0 MB/s that the bus of host0 is said to "
                        "carry: its mode is another one, or the data came from elsewhere");
    bench_done(b);
}

static void processors_are_busy(void **state)
{
    struct bench *b = bench_new(35000, 20000);

    (void)state;
    judge(b);
    assert_int_equal(b->together.limit, TOGETHER_UNKNOWN);
    assert_string_equal(
        b->together.sentence,
        "what limits them together is not seen: 80.0 MB/s, of 160.0 MB/s that the bus "
        "of host0 can carry; 4 devices could deliver 140.0");
    for (size_t i = 0; i < DISKS; i++)
        b->cells[i].idle_permille = 900;
    b->cells[1].idle_permille = 31;
    judge(b);
    assert_int_equal(b->together.limit, TOGETHER_CPU);
    assert_string_equal(b->together.sentence,
                        "the processors limit: they are idle for 3.1 % of the time at 80.0 MB/s; 4 "
                        "devices could deliver 140.0");
    bench_done(b);
}

static void some_fail(void **state)
{
    struct bench *b = bench_new(85000, 70000);

    (void)state;
    b->cells[0].error = EIO;
    b->cells[1].disturbed = "somebody reads";
    judge(b);
    assert_int_equal(b->together.n, 2);
    assert_int_equal(b->together.kb_per_s, 140000);
    assert_int_equal(b->together.alone_kb_per_s, 170000);
    assert_int_equal(b->together.limit, TOGETHER_HOP);
    b->cells[2].error = EIO;
    judge(b);
    assert_int_equal(b->together.limit, TOGETHER_UNKNOWN);
    assert_string_equal(b->together.sentence, "not two of them were measured together");
    bench_done(b);
}

static void hops(void **state)
{
    struct bench *b = bench_new(1, 1);
    struct link *slot = wire(&b->k, b->host, "0000:02:04.0", 1, MB(133)), *wide;
    struct shared_hop hop;

    (void)state;
    for (size_t i = 0; i < DISKS; i++)
        b->disks[i]->link->up = slot;
    b->host->slot = slot;
    hop = sweep_shared_hop(b->k.model, b->disks, DISKS);
    assert_string_equal(hop.name, "0000:02:04.0");
    assert_int_equal(hop.kb_per_s, MB(133));
    slot->actual.rate.lane_kb_per_s = MB(533);
    hop = sweep_shared_hop(b->k.model, b->disks, DISKS);
    assert_string_equal(hop.name, "host0");
    assert_true(hop.is_bus);
    hop = sweep_shared_hop(b->k.model, b->disks, 1);
    assert_string_equal(hop.name, "target0:0:0"); /* its own */

    b->host->is_bus = false;
    wide = wire(&b->k, b->host, "port-0:0", 1, MB(300));
    wide->up = slot;
    b->disks[0]->link->up = b->disks[1]->link->up = wide;
    hop = sweep_shared_hop(b->k.model, b->disks, 2);
    assert_string_equal(hop.name, "port-0:0");
    assert_false(hop.is_bus);
    hop = sweep_shared_hop(b->k.model, b->disks, DISKS);
    assert_string_equal(hop.name, "0000:02:04.0");
    slot->state = LINK_UNKNOWN;
    hop = sweep_shared_hop(b->k.model, b->disks, DISKS);
    assert_null(hop.name);
    hop = sweep_shared_hop(b->k.model, NULL, 0);
    assert_null(hop.name);
    bench_done(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bus_is_full),
        cmocka_unit_test(nothing_is_shared),
        cmocka_unit_test(more_than_the_bus_carries),
        cmocka_unit_test(processors_are_busy),
        cmocka_unit_test(some_fail),
        cmocka_unit_test(hops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
