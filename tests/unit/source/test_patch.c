/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a watcher passes on, put into what a collector read.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/capture.h"
#include "source/patch.h"

static struct store *read_store(const char *dirs)
{
    struct store *store = store_new();
    struct arena *arena = arena_new();
    char *text = NULL;
    struct json_reader *json;
    struct capture_reading reading = { 0 };

    assert_true(asprintf(&text, "{\"hbad-capture\":1,\"dirs\":{%s}}", dirs) > 0);
    json = json_reader_over((struct bytes){ (const uint8_t *)text, strlen(text) });
    assert_int_equal(capture_read(json, store, arena, &reading), 0);
    json_reader_free(json);
    arena_free(arena);
    free(text);
    return store;
}

static const char PHY[] = "\"/sys/devices/phy\":{\"rate\":\"12.0 Gbit\\n\",\"count\":\"0\\n\","
                          "\"port\":{\"link\":\"../port-0:0\"},\"no\":{\"errno\":\"EIO\"}}";

static char *text_of(const struct store *s)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(capture_write_chunk(s, out), 0);
    fclose(out);
    return text;
}

/* Patches PHY; what comes out is as if it had been read so at once. */
static void check(const char *with, struct patch_result want, const char *then)
{
    _cleanup_(store_freep) struct store *to = read_store(PHY), *patch = read_store(with),
                                        *wanted = read_store(then);
    struct patch_result got = { 7, 7, 7 };
    char *a, *b;

    assert_int_equal(store_patch(to, patch, &got), 0);
    assert_int_equal(got.changed, want.changed);
    assert_int_equal(got.gone, want.gone);
    assert_int_equal(got.foreign, want.foreign);
    a = text_of(to);
    b = text_of(wanted);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void what_is_as_it_was_changes_nothing(void **state)
{
    (void)state;
    check(PHY, (struct patch_result){ 0 }, PHY);
    check("", (struct patch_result){ 0 }, PHY);
    check("\"/sys/devices/phy\":{\"rate\":\"12.0 Gbit\\n\"}", (struct patch_result){ 0 }, PHY);
    check("\"/sys/devices/phy\":{}", (struct patch_result){ 0 }, PHY);
}

static void what_is_new_takes_its_place(void **state)
{
    (void)state;
    check("\"/sys/devices/phy\":{\"rate\":\"6.0 Gbit\\n\",\"port\":{\"link\":\"../port-0:1\"},"
          "\"no\":\"yes\",\"count\":\"\"}",
          (struct patch_result){ .changed = 4 },
          "\"/sys/devices/phy\":{\"rate\":\"6.0 Gbit\\n\",\"count\":\"\","
          "\"port\":{\"link\":\"../port-0:1\"},\"no\":\"yes\"}");
    /* Of another kind, and one that was not known. */
    check("\"/sys/devices/phy\":{\"rate\":{\"link\":\"x\"},\"more\":\"1\"}",
          (struct patch_result){ .changed = 2 },
          "\"/sys/devices/phy\":{\"rate\":{\"link\":\"x\"},\"count\":\"0\\n\",\"more\":\"1\","
          "\"port\":{\"link\":\"../port-0:0\"},\"no\":{\"errno\":\"EIO\"}}");
}

static void what_is_gone_is_refused(void **state)
{
    (void)state;
    check("\"/sys/devices/phy\":{\"rate\":{\"errno\":\"ENODEV\"},\"port\":{\"errno\":\"ENOENT\"},"
          "\"count\":{\"errno\":\"EIO\"},\"no\":{\"errno\":\"ENODEV\"}}",
          (struct patch_result){ .changed = 4, .gone = 2 },
          "\"/sys/devices/phy\":{\"rate\":{\"errno\":\"ENODEV\"},\"port\":{\"errno\":\"ENOENT\"},"
          "\"count\":{\"errno\":\"EIO\"},\"no\":{\"errno\":\"ENODEV\"}}");
    /* Gone again: nothing new, nor is that something was never there. */
    check("\"/sys/devices/phy\":{\"no\":{\"errno\":\"EIO\"},\"never\":{\"errno\":\"ENOENT\"}}",
          (struct patch_result){ 0 }, PHY);
}

static void what_is_not_known_is_left_out(void **state)
{
    (void)state;
    check(
        "\"/sys/devices/other\":{\"rate\":\"1\"},\"/sys/devices/phy/rate\":{\"x\":\"1\"},"
        "\"/\":{\"top\":\"1\"}",
        (struct patch_result){ .changed = 1, .foreign = 2 },
        "\"/\":{\"top\":\"1\"},\"/sys/devices/phy\":{\"rate\":\"12.0 Gbit\\n\",\"count\":\"0\\n\","
        "\"port\":{\"link\":\"../port-0:0\"},\"no\":{\"errno\":\"EIO\"}}");
    /* A file where a directory is known. */
    check("\"/sys/devices\":{\"phy\":\"file\"}", (struct patch_result){ 0 }, PHY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_as_it_was_changes_nothing),
        cmocka_unit_test(what_is_new_takes_its_place),
        cmocka_unit_test(what_is_gone_is_refused),
        cmocka_unit_test(what_is_not_known_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
