/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Methods by name; measurements and their progress through the text of a capture, scrubbing and back.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/capture.h"
#include "source/record.h"
#include "source/replay.h"
#include "source/scrub.h"

static const uint8_t SENSE[] = { 0x70, 0, 0x03, 0, 0, 0, 0, 10 };

static const struct measurement FULL = {
    .error = EIO,
    .hctl = "0:0:2:0",
    .method = "read-media/sg-direct",
    .block_bytes = 65536,
    .bytes = 1 << 20,
    .us = 58000,
    .cpu_us = 900,
    .depth = 4,
    .commands = 17,
    .user_us = 300,
    .system_us = 600,
    .min_us = 11,
    .median_us = 12,
    .p95_us = 13,
    .p99_us = 14,
    .max_us = 15,
    .retries = 2,
    .asked = 2,
    .beside = 1,
    .short_bytes = 512,
    .errors = 1,
    .direct = 16,
    .sense = { SENSE, sizeof(SENSE) },
    .cold = true,
    .random = true,
    .together = 3,
    .idle_permille = 501,
    .wall_us = 1764500000000000,
    .disturbed = "3 commands of 0:0:1:0 came between",
};

static void expect_equal(const struct measurement *a, const struct measurement *b)
{
    struct measurement x = *a, y = *b;

    assert_string_equal(x.hctl, y.hctl);
    assert_string_equal(x.method, y.method);
    assert_int_equal(!x.disturbed, !y.disturbed);
    if (x.disturbed)
        assert_string_equal(x.disturbed, y.disturbed);
    assert_true(bytes_equal(x.sense, y.sense));
    x.hctl = y.hctl = x.method = y.method = x.disturbed = y.disturbed = NULL;
    x.sense = y.sense = (struct bytes){ 0 };
    assert_int_equal(x.error, y.error);
    assert_int_equal(x.depth, y.depth);
    assert_int_equal(x.together, y.together);
    assert_int_equal(x.cold, y.cold);
    assert_int_equal(x.random, y.random);
    assert_memory_equal(&x.block_bytes, &y.block_bytes, 4 * sizeof(uint64_t));
    assert_memory_equal(&x.commands, &y.commands, 12 * sizeof(uint64_t));
    assert_int_equal(x.idle_permille, y.idle_permille);
    assert_int_equal(x.wall_us, y.wall_us);
}

/* The store as text, read again. */
static struct store *reread(const struct store *store)
{
    struct store *again = store_new();
    struct arena *arena = arena_new();
    struct capture_reading reading = { 0 };
    struct json_reader *reader;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(capture_write(store, out), 0);
    fclose(out);
    reader = json_reader_over((struct bytes){ (uint8_t *)text, size });
    assert_int_equal(capture_read(reader, again, arena, &reading), 0);
    json_reader_free(reader);
    arena_free(arena);
    free(text);
    return again;
}

static void every_method_has_its_own_name(void **state)
{
    unsigned seen[_MEASURE_WHAT_MAX] = { 0 };

    (void)state;
    for (const struct measure_method *m = MEASURE_METHODS; m->name; m++) {
        assert_ptr_equal(measure_method_named(m->name), m);
        assert_non_null(m->about);
        assert_false(seen[m->what] & 1u << m->way);
        seen[m->what] |= 1u << m->way;
    }
    assert_int_equal(seen[MEASURE_READ_CACHED], (1u << _MEASURE_WAY_MAX) - 1);
    assert_int_equal(seen[MEASURE_READ_MEDIA], (1u << _MEASURE_WAY_MAX) - 1);
    assert_false(seen[MEASURE_READ_BUFFER] & (1u << WAY_BLOCK_DIRECT | 1u << WAY_BLOCK_BUFFERED));
}

static void short_names_are_sg(void **state)
{
    static const char *const NONE[] = { "",
                                        "read",
                                        "read-buffer/",
                                        "read-buffer/block-direct",
                                        "read-buffer/sg-",
                                        "read-cached/sg/sg" };

    (void)state;
    assert_string_equal(measure_method_named("read-buffer")->name, "read-buffer/sg");
    assert_string_equal(measure_method_named("read-media")->name, "read-media/sg");
    for (size_t i = 0; i < ELEMENTS(NONE); i++)
        assert_null(measure_method_named(NONE[i]));
}

static void everything_survives_text(void **state)
{
    struct measurement plain = { .hctl = "0:0:3:0", .method = "read-buffer", .depth = 1 }, m;
    struct store *store = store_new(), *again;

    (void)state;
    assert_int_equal(store_put_measure(store, &FULL), 0);
    assert_int_equal(store_put_measure(store, &plain), 0);
    again = reread(store);
    assert_int_equal(store_measures(again), 2);
    m = store_measure_at(again, 0);
    expect_equal(&m, &FULL);
    m = store_measure_at(again, 1);
    expect_equal(&m, &plain);
    assert_null(m.disturbed);
    store_free(again);
    store_free(store);
}

/* Through a replay, a recorder around it, and scrubbing. A failed one is no end of the list. */
static void everything_survives_copying(void **state)
{
    struct store *store = store_new(), *copy = store_new(), *scrubbed = store_new();
    struct scrub_key key = { 0 };
    struct measurement m;
    struct source *replay, *record;

    (void)state;
    assert_int_equal(store_put_measure(store, &FULL), 0);
    replay = replay_new(store);
    record = record_new(replay, copy);
    assert_int_equal(source_measure(record, &(struct measure_request){ .nth = 0 }, &m), 0);
    expect_equal(&m, &FULL);
    assert_int_equal(source_measure(record, &(struct measure_request){ .nth = 1 }, &m), 0);
    assert_int_equal(m.error, ENODATA);
    assert_null(m.hctl);
    assert_int_equal(store_measures(copy), 1);
    m = store_measure_at(copy, 0);
    expect_equal(&m, &FULL);
    assert_int_equal(scrub_store(copy, scrubbed, &key), 0);
    m = store_measure_at(scrubbed, 0);
    expect_equal(&m, &FULL);
    source_close(record);
    source_close(replay);
    store_free(scrubbed);
    store_free(copy);
    store_free(store);
}

static void only_whole_results_count(void **state)
{
    struct measurement m = FULL;

    (void)state;
    assert_false(measurement_counts(&m));
    m.error = 0;
    assert_false(measurement_counts(&m));
    m.disturbed = NULL;
    assert_true(measurement_counts(&m));
    m.error = EIO;
    assert_false(measurement_counts(&m));
}

/* One object of a stream. */
static int read_object(const char *text, size_t size, struct arena *arena,
                       struct capture_reading *reading, struct capture_progress *progress)
{
    struct json_reader *reader = json_reader_over((struct bytes){ (const uint8_t *)text, size });
    struct store *store = store_new();
    int r = capture_read_object(reader, store, arena, reading, progress);

    json_reader_free(reader);
    store_free(store);
    return r;
}

static void progress_of_measuring(void **state)
{
    static const uint8_t CDB[] = { 0x3c, 0x02 };
    struct capture_progress
        p = { "0:0:2:0", { CDB, sizeof(CDB) }, "read-buffer/sg", 65536, 8, 3, 12, 1 << 20 },
        got;
    struct arena *arena = arena_new();
    struct capture_reading reading = { 0 };
    char *text;
    size_t size;
    FILE *out;

    (void)state;
    for (int i = 0; i < 2; i++) {
        out = open_memstream(&text, &size);
        assert_int_equal(capture_write_progress(&p, out), 0);
        fclose(out);
        assert_int_equal(read_object(text, size, arena, &reading, &got), 0);
        assert_string_equal(got.hctl, "0:0:2:0");
        assert_true(bytes_equal(got.cdb, p.cdb));
        assert_string_equal(got.method, "read-buffer/sg");
        assert_int_equal(got.block_bytes, 65536);
        assert_int_equal(got.depth, 8);
        assert_int_equal(got.cell, 3);
        assert_int_equal(got.cells, 12);
        assert_int_equal(got.bytes, 1 << 20);
        free(text);
        p.cdb = (struct bytes){ 0 }; /* the block layer's */
    }
    arena_free(arena);
}

static void bad_members_are_named(void **state)
{
    static const struct {
        const char *member, *where;
    } CASES[] = {
        { "\"idle_permille\":1001", "measures.0" }, { "\"retries\":-1", "measures.0" },
        { "\"error\":\"ENOTHING\"", "measures.0" }, { "\"sense\":\"7\"", "measures.0" },
        { "\"memory\":1", "measures.0" },           { "\"us\":2", "measures.0" },
    };
    struct arena *arena = arena_new();
    struct capture_reading reading = { 0 };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        char text[256];
        int n = snprintf(
            text, sizeof(text),
            "{\"hbad-capture\":1,\"measures\":[{\"device\":\"0:0:0:0\",\"method\":\"x\","
            "\"block\":1,\"bytes\":1,\"us\":1,%s}]}",
            CASES[i].member);

        assert_int_equal(read_object(text, (size_t)n, arena, &reading, NULL), -EBADMSG);
        assert_true(strncmp(reading.where, CASES[i].where, strlen(CASES[i].where)) == 0);
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_has_its_own_name),
        cmocka_unit_test(short_names_are_sg),
        cmocka_unit_test(everything_survives_text),
        cmocka_unit_test(everything_survives_copying),
        cmocka_unit_test(only_whole_results_count),
        cmocka_unit_test(progress_of_measuring),
        cmocka_unit_test(bad_members_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
