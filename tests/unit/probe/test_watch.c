/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks at devices: what the kernel's texts say, and who was in the way.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "probe/watch.h"

static void counts(void **state)
{
    struct watch_sample s = { 0 };

    (void)state;
    assert_int_equal(watch_parse_counts("0x1f\n", "0x1e\n", &s), 0);
    assert_true(s.has_counts);
    assert_int_equal(s.requested, 0x1f);
    assert_int_equal(s.done, 0x1e);
    assert_int_equal(watch_parse_counts("0x20\n", "no\n", &s), -EBADMSG);
    assert_int_equal(s.requested, 0x1f);
    assert_int_equal(watch_parse_counts("", "0x1", &s), -EBADMSG);
    assert_int_equal(watch_parse_counts("0x1", "0x11111111111111111111111", &s), -EBADMSG);
}

/* Documentation/block/stat.rst: 11 fields, 15 from 4.18 on, 17 from 5.5 on. */
static void stat(void **state)
{
    struct watch_sample s = { 0 };

    (void)state;
    assert_int_equal(watch_parse_stat("   10 1 800 5 20 2 160 7 3 99 12\n", &s), 0);
    assert_true(s.has_stat);
    assert_int_equal(s.completed, 30);
    assert_int_equal(s.moved, 960);
    assert_int_equal(s.in_flight, 3);
    assert_int_equal(watch_parse_stat("10 1 800 5 20 2 160 7 0 99 12 4 0 8 0", &s), 0);
    assert_int_equal(s.completed, 34);
    assert_int_equal(watch_parse_stat("10 1 800 5 20 2 160 7 0 99 12 4 0 8 0 5 6\n", &s), 0);
    assert_int_equal(s.completed, 39);
    assert_int_equal(watch_parse_stat("10 1 800 5 20 2 160 7 0 99 12 4 0 8 0 5 6 77 78\n", &s), 0);
    assert_int_equal(s.completed, 39);
    assert_int_equal(watch_parse_stat("10 1 800 5 20 2 160 7 0 99\n", &s), -EBADMSG);
    assert_int_equal(watch_parse_stat("10 1 800 5 20 2 -160 7 0 99 12\n", &s), -EBADMSG);
    assert_int_equal(watch_parse_stat("", &s), -EBADMSG);
    assert_int_equal(s.completed, 39);
}

static void inflight(void **state)
{
    struct watch_sample s = { 0 };

    (void)state;
    assert_int_equal(watch_parse_inflight("       2        5\n", &s), 0);
    assert_int_equal(s.in_flight, 7);
    /* the file of that name knows better than stat, which rounds */
    assert_int_equal(watch_parse_stat("10 1 800 5 20 2 160 7 1 99 12\n", &s), 0);
    assert_int_equal(s.in_flight, 7);
    assert_int_equal(watch_parse_inflight("2\n", &s), -EBADMSG);
    assert_int_equal(watch_parse_inflight("x 2\n", &s), -EBADMSG);
}

static struct watch_sample idle(void)
{
    return (struct watch_sample){ .has_counts = true,
                                  .has_stat = true,
                                  .has_inflight = true,
                                  .requested = 0xfffffff0,
                                  .done = 0xfffffff0,
                                  .completed = 100,
                                  .moved = 800,
                                  .is_running = true,
                                  .host_running = true };
}

static const char *between(struct arena *a, const struct watch_sample *after, uint64_t commands,
                           uint64_t block_reads)
{
    struct watch_sample before = idle();
    struct watch_own own = { commands, block_reads };

    return watch_disturbed(a, "0:0:1:0", &before, after, &own);
}

/* Own commands are subtracted, over the end of 32 bits too; begun and ended ones are looked at alike. */
static void own_commands(void **state)
{
    struct arena *a = arena_new();
    struct watch_sample after = idle();

    (void)state;
    assert_null(between(a, &after, 0, 0));
    after.requested += 0x20;
    after.done += 0x20;
    assert_null(between(a, &after, 0x20, 0));
    assert_string_equal(between(a, &after, 0x1f, 0), "1 command of 0:0:1:0 came between");
    assert_string_equal(between(a, &after, 0x1d, 0), "3 commands of 0:0:1:0 came between");
    after.done += 2; /* begun before the first look */
    assert_string_equal(between(a, &after, 0x20, 0), "2 commands of 0:0:1:0 came between");
    after.done -= 4; /* not over yet */
    assert_null(between(a, &after, 0x20, 0));
    arena_free(a);
}

/* Where SCSI commands are not counted, requests of the block layer are. */
static void block_layer_alone(void **state)
{
    struct arena *a = arena_new();
    struct watch_sample before = idle(), after = idle();
    struct watch_own own = { 50, 10 };

    (void)state;
    before.has_counts = false;
    after.completed += 10;
    assert_null(watch_disturbed(a, "0:0:1:0", &before, &after, &own));
    after.completed += 1;
    assert_string_equal(watch_disturbed(a, "0:0:1:0", &before, &after, &own),
                        "1 command of 0:0:1:0 came between");
    after.has_stat = false;
    assert_string_equal(watch_disturbed(a, "0:0:1:0", &before, &after, &own),
                        "it cannot be told whether 0:0:1:0 is used");
    arena_free(a);
}

static void busy(void **state)
{
    struct arena *a = arena_new();
    struct watch_sample s = idle();

    (void)state;
    assert_null(watch_busy(a, "0:0:1:0", &s));
    s.in_flight = 1;
    assert_string_equal(watch_busy(a, "0:0:1:0", &s), "1 request of 0:0:1:0 is under way");
    assert_string_equal(between(a, &s, 0, 0), "1 request of 0:0:1:0 is under way");
    s.in_flight = 12;
    assert_string_equal(watch_busy(a, "0:0:1:0", &s), "12 requests of 0:0:1:0 are under way");
    s.is_running = false;
    assert_string_equal(watch_busy(a, "0:0:1:0", &s), "0:0:1:0 is not running");
    s.host_running = false;
    assert_string_equal(watch_busy(a, "0:0:1:0", &s), "the host of 0:0:1:0 is not running");
    assert_string_equal(between(a, &s, 0, 0), "the host of 0:0:1:0 is not running");
    arena_free(a);
}

/* Only data that somebody moved shows that a disk is awake. */
static void moved(void **state)
{
    struct watch_sample before = idle(), after = idle();

    (void)state;
    after.requested += 5;
    after.completed += 5;
    assert_false(watch_moved(&before, &after));
    after.moved += 8;
    assert_true(watch_moved(&before, &after));
    after.has_stat = false;
    assert_false(watch_moved(&before, &after));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(stat),
        cmocka_unit_test(inflight),
        cmocka_unit_test(own_commands),
        cmocka_unit_test(block_layer_alone),
        cmocka_unit_test(busy),
        cmocka_unit_test(moved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
