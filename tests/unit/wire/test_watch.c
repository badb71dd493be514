/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the daemon and its watcher take of each other.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "wire/watch.h"

#define BELOW "/sys/devices/pci0000:00/0000:00:0a.0/"

static int parse(const char *text, bool of_watcher, struct arena *arena, struct watch_message *ret,
                 const char **why)
{
    _cleanup_(store_freep) struct store *changes = store_new();

    *why = NULL;
    return watch_message_parse((struct bytes){ (const uint8_t *)text, strlen(text) }, of_watcher,
                               arena, ret, changes, why);
}

static void test_both_ways(void **state)
{
    static const struct {
        struct watch_message m;
        bool of_watcher;
    } MESSAGES[] = {
        { { .what = WATCH_BEGIN,
            .watch_us = 60000000,
            .counters_us = 300000000,
            .costly_reads = 7 },
          false },
        { { .what = WATCH_ADAPTER, .below = BELOW }, false },
        { { .what = WATCH_LEAVE, .below = BELOW }, false },
        { { .what = WATCH_AT, .below = BELOW, .at = WATCH_AT_WALK }, true },
        { { .what = WATCH_AT, .below = BELOW, .at = WATCH_AT_STATES }, true },
        { { .what = WATCH_AT, .below = BELOW, .at = WATCH_AT_COUNTERS }, true },
        { { .what = WATCH_ROUND,
            .counters = true,
            .files = 1,
            .reads = 2,
            .costly = 3,
            .asleep = 4,
            .cpu_us = 5,
            .took_us = 6,
            .behind_us = INT64_MAX },
          true },
    };
    _cleanup_(arena_freep) struct arena *arena = arena_new();

    (void)state;
    for (size_t i = 0; i < ELEMENTS(MESSAGES); i++) {
        const struct watch_message *want = &MESSAGES[i].m;
        _cleanup_free_ char *text = NULL;
        struct watch_message got;
        const char *why;
        size_t size;
        FILE *out = open_memstream(&text, &size);

        watch_message_write(want, out);
        fclose(out);
        assert_int_equal(size, strlen(text) + 1);
        assert_int_equal(parse(text, MESSAGES[i].of_watcher, arena, &got, &why), 0);
        /* Nobody is told what only the other side may say. */
        assert_int_equal(
            parse(text, !MESSAGES[i].of_watcher, arena, &(struct watch_message){ 0 }, &why),
            -EBADMSG);
        assert_int_equal(!got.below, !want->below);
        if (got.below)
            assert_string_equal(got.below, want->below);
        got.below = want->below;
        assert_memory_equal(&got, want, sizeof(got));
    }
}

static void test_changes(void **state)
{
    static const char TEXT[] =
        "{\"hbad-capture\":1,\"dirs\":{\"/sys/devices/x\":{\"rate\":\"6\"}}}";
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_(store_freep) struct store *changes = store_new();
    struct watch_message got;
    const char *why;

    (void)state;
    assert_int_equal(watch_message_parse((struct bytes){ (const uint8_t *)TEXT, strlen(TEXT) },
                                         true, arena, &got, changes, &why),
                     0);
    assert_int_equal(got.what, WATCH_CHANGES);
    assert_true(store_resolve(changes, "/sys/devices/x/rate", false) != STORE_NO_NODE);
    assert_int_equal(parse(TEXT, false, arena, &got, &why), -EBADMSG);
    assert_int_equal(parse("{\"hbad-capture\":1,\"dirs\":{\"x\":{}}}", true, arena, &got, &why),
                     -EBADMSG);
    assert_true(why && *why);
    assert_int_equal(parse("{\"hbad-capture\":1,\"dirs\":{", true, arena, &got, &why), -EBADMSG);
    assert_true(why && *why);
}

static void test_refused(void **state)
{
#define CALL(name, parameters) \
    "{\"method\":\"io.hbad.watch." name "\",\"parameters\":{" parameters "}}"
    static const struct {
        const char *text;
        bool of_watcher;
    } TEXTS[] = {
        { "", false },
        { "{}", true },
        { "{\"method\":\"io.hbad.watch.At\"}", true },
        { "{\"method\":\"io.hbad.collect.Adapter\",\"parameters\":{\"below\":\"" BELOW "\"}}",
          false },
        { CALL("Adapter", "\"below\":\"/etc/\""), false },
        { CALL("Adapter", "\"below\":\"" BELOW "../\""), false },
        { CALL("Adapter", "\"below\":\"" BELOW "\",\"more\":1"), false },
        { CALL("Begin", "\"watch_us\":0,\"counters_us\":1,\"costly_reads\":1"), false },
        { CALL("Begin", "\"watch_us\":1,\"counters_us\":0,\"costly_reads\":1"), false },
        { CALL("Begin", "\"watch_us\":1,\"counters_us\":1,\"costly_reads\":-1"), false },
        { CALL("Begin", "\"watch_us\":1,\"counters_us\":1"), false },
        { CALL("At", "\"below\":\"" BELOW "\""), true },
        { CALL("At", "\"below\":\"" BELOW "\",\"at\":\"home\""), true },
        { CALL("At", "\"below\":\"/\",\"at\":\"walk\""), true },
        { CALL("Round", "\"counters\":true"), true },
        { "{\"method\":\"io.hbad.watch.Leave\",\"upgrade\":true,\"parameters\":{\"below\":\"" BELOW
          "\"}}",
          false },
    };
    _cleanup_(arena_freep) struct arena *arena = arena_new();

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        struct watch_message got;
        const char *why;

        assert_int_equal(parse(TEXTS[i].text, TEXTS[i].of_watcher, arena, &got, &why), -EBADMSG);
        assert_true(why && *why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
