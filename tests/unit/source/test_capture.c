/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Captures read into a store and written again.
 */
#include "../cmocka_all.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/capture.h"
#include "source/replay.h"

struct loaded {
    struct store *store;
    struct arena *arena;
    struct capture_reading reading;
    int r;
};

static struct loaded load(struct bytes text)
{
    struct loaded l = { .store = store_new(), .arena = arena_new() };
    struct json_reader *reader = json_reader_over(text);

    assert_non_null(l.store);
    assert_non_null(l.arena);
    l.r = capture_read(reader, l.store, l.arena, &l.reading);
    json_reader_free(reader);
    return l;
}

static struct loaded load_text(const char *text)
{
    return load((struct bytes){ (const uint8_t *)text, strlen(text) });
}

static void unload(struct loaded *l)
{
    store_free(l->store);
    arena_free(l->arena);
}

static struct bytes slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *data;
    long size;

    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);
    data = malloc((size_t)size + 1);
    assert_int_equal(fread(data, 1, (size_t)size, f), size);
    fclose(f);
    return (struct bytes){ (uint8_t *)data, (size_t)size };
}

static struct bytes written(const struct store *store, int (*write)(const struct store *, FILE *))
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(write(store, out), 0);
    fclose(out);
    return (struct bytes){ (uint8_t *)text, size };
}

/* Every golden capture: read, written, read again, written again: the two texts are equal. */
static void written_again_is_the_same(void **state)
{
    glob_t g;

    (void)state;
    assert_int_equal(glob(TESTS_DIR "/golden/*/[0-9].json", 0, NULL, &g), 0);
    assert_true(g.gl_pathc > 50);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        struct bytes text = slurp(g.gl_pathv[i]), once, twice;
        struct loaded a = load(text), b;

        if (a.r < 0)
            print_error("%s: %s: %s\n", g.gl_pathv[i], a.reading.where, a.reading.why);
        assert_int_equal(a.r, 0);
        assert_true(a.reading.complete);
        once = written(a.store, capture_write);
        b = load(once);
        assert_int_equal(b.r, 0);
        twice = written(b.store, capture_write);
        assert_true(bytes_equal(once, twice));
        assert_int_equal(store_commands(a.store), store_commands(b.store));
        free((void *)(uintptr_t)text.data);
        free((void *)(uintptr_t)once.data);
        free((void *)(uintptr_t)twice.data);
        unload(&a);
        unload(&b);
    }
    globfree(&g);
}

static const struct {
    const char *text, *where, *why;
} BAD[] = {
    { "", "top level", "breaks off" },
    { "[]", "top level", "an object expected" },
    { "{}", "top level", "no capture" },
    { "{\"hbad-capture\": 2}", "hbad-capture", "version 2" },
    { "{\"hbad-capture\": \"1\"}", "hbad-capture", "whole number" },
    { "{\"hbad-capture\": 1} x", "top level", "text behind" },
    { "{\"hbad-capture\": 1, \"dirs\": []}", "dirs", "object expected" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\": 1}}}", "dirs./sys.a",
      "text or an object" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\": \"1\", \"a\": \"2\"}}}", "dirs./sys.a",
      "twice" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {}, \"/sys\": {}}}", "dirs", "twice" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys/../etc\": {}}}", "dirs./sys/../etc", "canonical" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"sys\": {}}}", "dirs.sys", "canonical" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"..\": \"1\"}}}", "dirs./sys...", "canonical" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a/b\": \"1\"}}}", "dirs./sys.a/b",
      "canonical" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\": \"x\"}, \"/sys/a\": {}}}", "dirs./sys/a",
      "below a file" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys/a\": {}, \"/sys\": {\"a\": \"x\"}}}", "dirs./sys.a",
      "directory elsewhere" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\": \"\\u0000\"}}}", "dirs./sys.a", "NUL" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\\u0000b\": \"\"}}}", "dirs./sys", "NUL" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\": \"\xff\"}}}", "dirs./sys.a", "UTF-8" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\": \"\\ud800\"}}}", "dirs./sys.a",
      "surrogate" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\": {\"hex\": \"0\"}}}}", "dirs./sys.a",
      "not hex" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\": {\"hex\": \"zz\"}}}}", "dirs./sys.a",
      "not hex" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\": {\"errno\": \"EWHAT\"}}}}", "dirs./sys.a",
      "EWHAT" },
    { "{\"hbad-capture\": 1, \"dirs\": {\"/sys\": {\"a\": {\"errno\": \"EIO\", \"hex\": \"\"}}}}",
      "dirs./sys.a", "end of the value" },
    { "{\"hbad-capture\": 1, \"commands\": [{\"device\": \"0:0:0\", \"cdb\": \"00\", \"status\": 0}]}",
      "commands.0", "H:C:T:L" },
    { "{\"hbad-capture\": 1, \"commands\": [{\"device\": \"0:0:0:0\", \"status\": 0}]}",
      "commands.0", "no cdb" },
    { "{\"hbad-capture\": 1, \"commands\": [{\"device\": \"0:0:0:0\", \"cdb\": \"\", \"status\": 0}]}",
      "commands.0", "16 bytes" },
    { "{\"hbad-capture\": 1, \"commands\": [{\"device\": \"0:0:0:0\", \"cdb\": \"12\"}]}",
      "commands.0", "neither" },
    { "{\"hbad-capture\": 1, \"commands\": [{\"device\": \"0:0:0:0\", \"cdb\": \"12\", \"status\": 256}]}",
      "commands.0.status", "range" },
    { "{\"hbad-capture\": 1, \"commands\": [{\"device\": \"0:0:0:0\", \"cdb\": \"12\", \"status\": 1e99}]}",
      "commands.0.status", "whole number" },
    { "{\"hbad-capture\": 1, \"commands\": [{\"device\": \"0:0:0:0\", \"cdb\": \"12\", \"cdb\": \"12\"}]}",
      "commands.0.cdb", "twice" },
    { "{\"hbad-capture\": 1, \"taken\": {\"wall_us\": -1}}", "taken.wall_us", "range" },
    { "{\"hbad-capture\": 1, \"taken\": {\"wall_us\": 99999999999999999999}}", "taken.wall_us",
      "whole number" },
    { "{\"hbad-capture\": 1, \"x\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
      "x", "deeply" },
};

static void bad_captures_are_refused_with_place_and_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        struct loaded l = load_text(BAD[i].text);

        if (l.r != -EBADMSG || !strstr(l.reading.why, BAD[i].why) ||
            strcmp(l.reading.where, BAD[i].where) != 0)
            print_error("%s\n  r=%d where=%s why=%s\n", BAD[i].text, l.r, l.reading.where,
                        l.reading.why);
        assert_int_equal(l.r, -EBADMSG);
        assert_string_equal(l.reading.where, BAD[i].where);
        assert_non_null(strstr(l.reading.why, BAD[i].why));
        unload(&l);
    }
}

/* A path deeper than any kernel's is refused before anything walks it. */
static void paths_are_no_longer_than_the_kernels(void **state)
{
    static const struct {
        size_t len;
        const char *component;
        int r;
    } ROWS[] = {
        { 4095, "/a", -EBADMSG }, /* ends with '/' */
        { 4094, "/a", 0 },
        { 4096, "/a", -EBADMSG },
        { 1000000, "/a", -EBADMSG },
        { 256, "/nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char *text = malloc(ROWS[i].len + 100), *to = text;
        struct loaded l;

        to += sprintf(to, "{\"hbad-capture\":1,\"dirs\":{\"");
        for (size_t n = 0; n < ROWS[i].len; n++)
            *to++ = ROWS[i].component[n % strlen(ROWS[i].component)];
        sprintf(to, "\":{\"x\":\"1\"}}}");
        l = load_text(text);
        assert_int_equal(l.r, ROWS[i].r);
        unload(&l);
        free(text);
    }
}

/* Entries of "/" itself, and a time that is not known, survive being written. */
static void little_things_are_written(void **state)
{
    struct loaded l = load_text("{\"hbad-capture\":1,\"taken\":{\"wall_us\":0,\"hostname\":\"h\"},"
                                "\"dirs\":{\"/\":{\"f\":\"1\"}}}"),
                  again;
    struct bytes text = written(l.store, capture_write);

    (void)state;
    again = load(text);
    assert_int_equal(again.r, 0);
    assert_int_not_equal(store_resolve(again.store, "/f", true), STORE_NO_NODE);
    assert_string_equal(store_taken(again.store)->hostname, "h");
    free((void *)(uintptr_t)text.data);
    unload(&l);
    unload(&again);
}

static void unknown_members_are_ignored(void **state)
{
    struct loaded l = load_text("{\"later\": {\"a\": [1, {\"b\": null}]}, \"hbad-capture\": 1,"
                                " \"dirs\": {\"/sys/a\": {\"b\": \"c\\n\"}}}");
    struct source *s = replay_new(l.store);
    struct value v;

    (void)state;
    assert_int_equal(l.r, 0);
    assert_int_equal(source_read(s, "/sys/a/b", 100, &v), 0);
    assert_int_equal(v.error, 0);
    assert_string_equal((const char *)v.bytes.data, "c\n");
    source_close(s);
    unload(&l);
}

#define CHUNK1 "{\"hbad-capture\":1,\"dirs\":{\"/sys/a\":{\"x\":\"1\"}}}"
#define CHUNK2 "{\"hbad-capture\":1,\"dirs\":{\"/sys/a\":{\"y\":\"2\"}}}"
#define END    "{\"hbad-capture\":1,\"end\":true}"

static void a_stream_is_the_union_of_its_objects(void **state)
{
    static const char WHOLE[] = CHUNK1 "\0" CHUNK2 "\0" END;
    struct loaded l = load((struct bytes){ (const uint8_t *)WHOLE, sizeof(WHOLE) });

    (void)state;
    assert_int_equal(l.r, 0);
    assert_true(l.reading.complete);
    assert_false(l.reading.stopped);
    assert_false(l.reading.followed);
    assert_int_not_equal(store_resolve(l.store, "/sys/a/x", true), STORE_NO_NODE);
    assert_int_not_equal(store_resolve(l.store, "/sys/a/y", true), STORE_NO_NODE);
    unload(&l);
}

static void what_follows_the_end_is_told(void **state)
{
    static const char WHOLE[] = CHUNK1 "\0" END "\0" CHUNK2;
    struct loaded l = load((struct bytes){ (const uint8_t *)WHOLE, sizeof(WHOLE) });

    (void)state;
    assert_int_equal(l.r, 0);
    assert_true(l.reading.complete);
    assert_true(l.reading.followed);
    assert_int_equal(store_resolve(l.store, "/sys/a/y", true), STORE_NO_NODE);
    unload(&l);
}

/* Cut at every byte: what came before is kept, and it is said that the rest is missing. */
static void a_broken_end_keeps_what_came_before(void **state)
{
    static const char WHOLE[] = CHUNK1 "\0" CHUNK2 "\0" END;

    (void)state;
    for (size_t len = sizeof(CHUNK1) + 1; len < sizeof(WHOLE) - 1; len++) {
        struct loaded l = load((struct bytes){ (const uint8_t *)WHOLE, len });

        assert_int_equal(l.r, 0);
        assert_true(l.reading.stopped);
        assert_false(l.reading.complete);
        assert_int_not_equal(store_resolve(l.store, "/sys/a/x", true), STORE_NO_NODE);
        unload(&l);
    }
}

static void links_that_turn_in_circles_lead_nowhere(void **state)
{
    struct loaded l = load_text(
        "{\"hbad-capture\": 1, \"dirs\": {\"/sys/a\": {"
        "\"b\": {\"link\": \"c\"}, \"c\": {\"link\": \"b\"}, \"d\": {\"link\": \"../../../..\"},"
        "\"e\": {\"link\": \"/proc/../sys/a/f\"}, \"f\": \"ok\"}, \"/proc\": {}}}");
    struct source *s = replay_new(l.store);
    struct value v;

    (void)state;
    assert_int_equal(l.r, 0);
    assert_int_equal(source_read(s, "/sys/a/b", 10, &v), 0);
    assert_int_equal(v.error, ENOENT);
    assert_int_equal(source_read(s, "/sys/a/d", 10, &v), 0);
    assert_int_equal(v.error, EISDIR);
    assert_int_equal(source_read(s, "/sys/a/e", 10, &v), 0);
    assert_string_equal((const char *)v.bytes.data, "ok");
    source_close(s);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_again_is_the_same),
        cmocka_unit_test(bad_captures_are_refused_with_place_and_reason),
        cmocka_unit_test(paths_are_no_longer_than_the_kernels),
        cmocka_unit_test(little_things_are_written),
        cmocka_unit_test(unknown_members_are_ignored),
        cmocka_unit_test(a_stream_is_the_union_of_its_objects),
        cmocka_unit_test(what_follows_the_end_is_told),
        cmocka_unit_test(a_broken_end_keeps_what_came_before),
        cmocka_unit_test(links_that_turn_in_circles_lead_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
