/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a collector takes of who has fewer rights than it has.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "wire/request.h"

static void test_both_ways(void **state)
{
    static const struct collect_request REQUESTS[] = {
        { "/sys/devices/pci0000:00/0000:00:0a.0/", NULL, false },
        { "/sys/devices/platform/host5/", "5:0:12:4294967295", true },
        { "/sys/devices/a \"quoted\" \xc3\xa4/", "0:0:0:0", false },
    };
    _cleanup_(arena_freep) struct arena *arena = arena_new();

    (void)state;
    for (size_t i = 0; i < ELEMENTS(REQUESTS); i++) {
        _cleanup_free_ char *text = NULL;
        struct collect_request got;
        const char *why;
        size_t size;
        FILE *out = open_memstream(&text, &size);

        collect_request_write(&REQUESTS[i], out);
        fclose(out);
        assert_int_equal(size, strlen(text) + 1);
        assert_int_equal(
            collect_request_parse((struct bytes){ (uint8_t *)text, size - 1 }, arena, &got, &why),
            0);
        assert_string_equal(got.below, REQUESTS[i].below);
        assert_int_equal(got.unasked, REQUESTS[i].unasked);
        assert_int_equal(!got.after, !REQUESTS[i].after);
        if (got.after)
            assert_string_equal(got.after, REQUESTS[i].after);
    }
}

static void test_refused(void **state)
{
#define CALL(parameters) "{\"method\":\"io.hbad.collect.Adapter\",\"parameters\":{" parameters "}}"
    static const char *const TEXTS[] = {
        "",
        "{}",
        "{\"method\":\"io.hbad.collect.Adapter\"}",
        "{\"method\":\"io.hbad.collect.Adapter2\",\"parameters\":{\"below\":\"/sys/devices/a/\"}}",
        "{\"method\":\"io.hbad.collect.Adapter\",\"upgrade\":true,"
        "\"parameters\":{\"below\":\"/sys/devices/a/\"}}",
        CALL("\"below\":\"/\""),
        CALL("\"below\":\"/sys/devices\""),
        CALL("\"below\":\"/sys/devices/a\""),
        CALL("\"below\":\"/sys/devices//\""),
        CALL("\"below\":\"/sys/devices/./a/\""),
        CALL("\"below\":\"/sys/devices/a/../../../etc/\""),
        CALL("\"below\":\"/sys/devices/a/\\u0000/\""),
        CALL("\"below\":\"sys/devices/a/\""),
        CALL("\"below\":[\"/sys/devices/a/\"]"),
        CALL("\"below\":\"/sys/devices/a/\",\"after\":\"\""),
        CALL("\"below\":\"/sys/devices/a/\",\"after\":\"--force\""),
        CALL("\"below\":\"/sys/devices/a/\",\"unasked\":1"),
        CALL("\"below\":\"/sys/devices/a/\",\"forced\":true"),
    };
    _cleanup_(arena_freep) struct arena *arena = arena_new();

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        struct collect_request got;
        const char *why = NULL;

        assert_int_equal(
            collect_request_parse((struct bytes){ (const uint8_t *)TEXTS[i], strlen(TEXTS[i]) },
                                  arena, &got, &why),
            -EBADMSG);
        assert_true(why && *why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
