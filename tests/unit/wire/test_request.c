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

static const char *const DEVICES[] = { "0:0:0:0", "10:3:99:18446744073709551615" },
                         *const NAMED[] = { "0:0:1:0" };

static void assert_same(const struct varlink_strings *a, const struct varlink_strings *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++)
        assert_string_equal(a->v[i], b->v[i]);
}

static void test_both_ways(void **state)
{
    static const struct collect_request REQUESTS[] = {
        { "/sys/devices/pci0000:00/0000:00:0a.0/", NULL, false },
        { "/sys/devices/platform/host5/", "5:0:12:4294967295", true },
        { "/sys/devices/a \"quoted\" \xc3\xa4/", "0:0:0:0", false },
        { "/sys/devices/a/", .probes = true, .devices = { DEVICES, 2 }, .await_s = 60 },
        { "/sys/devices/a/", .probes = true, .named = { NAMED, 1 }, .forced = true },
        { "/sys/devices/a/", .probes = true, .devices = { DEVICES, 2 }, .named = { NAMED, 1 } },
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
        assert_int_equal(got.probes, REQUESTS[i].probes);
        assert_int_equal(got.await_s, REQUESTS[i].await_s);
        assert_int_equal(got.forced, REQUESTS[i].forced);
        assert_same(&got.devices, &REQUESTS[i].devices);
        assert_same(&got.named, &REQUESTS[i].named);
    }
}

/* The longest request there can be is taken: a path and devices in their longest forms. */
static void test_longest(void **state)
{
    static char texts[COLLECT_PROBED_MAX + 1][64], below[4096];
    static const char *devices[COLLECT_PROBED_MAX + 1];
    struct collect_request request = { below, .probes = true, .devices = { devices, 0 } };

    (void)state;
    memset(below, 'x', sizeof(below) - 1);
    memcpy(below, "/sys/devices/", strlen("/sys/devices/"));
    below[sizeof(below) - 2] = '/';
    for (size_t i = 0; i <= COLLECT_PROBED_MAX; i++) {
        snprintf(texts[i], sizeof(texts[i]), "4294967295:4294967295:%zu:18446744073709551615",
                 4294967000 + i);
        devices[i] = texts[i];
    }
    for (unsigned more = 0; more < 2; more++) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        _cleanup_free_ char *text = NULL;
        struct collect_request got;
        const char *why;
        size_t size;
        FILE *out = open_memstream(&text, &size);

        request.devices.n = COLLECT_PROBED_MAX + more;
        collect_request_write(&request, out);
        fclose(out);
        assert_true(size - 1 <= COLLECT_REQUEST_MAX);
        assert_int_equal(
            collect_request_parse((struct bytes){ (uint8_t *)text, size - 1 }, arena, &got, &why),
            more ? -EBADMSG : 0);
    }
}

static void test_refused(void **state)
{
#define CALL(parameters) "{\"method\":\"io.hbad.collect.Adapter\",\"parameters\":{" parameters "}}"
#define PROBE(more) \
    "{\"method\":\"io.hbad.collect.Probe\",\"parameters\":{\"below\":\"/sys/devices/a/\"" more "}}"
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
        CALL("\"below\":\"/sys/devices/a/\",\"devices\":[\"0:0:0:0\"]"),
        PROBE(""),
        PROBE(",\"devices\":[],\"named\":[]"),
        PROBE(",\"devices\":\"0:0:0:0\""),
        PROBE(",\"devices\":[0]"),
        PROBE(",\"devices\":[[\"0:0:0:0\"]]"),
        PROBE(",\"devices\":[\"0:0:0:0\\u0000\"]"),
        PROBE(",\"devices\":[\"--force\"]"),
        PROBE(",\"devices\":[\"0:0:0:0\",\"0:0:0:0\"]"),
        PROBE(",\"devices\":[\"0:0:0:0\"],\"named\":[\"0:0:0:0\"]"),
        PROBE(",\"devices\":[\"0:0:0:0\"],\"await\":-1"),
        PROBE(",\"devices\":[\"0:0:0:0\"],\"await\":91"),
        PROBE(",\"devices\":[\"0:0:0:0\"],\"await\":1.5"),
        PROBE(",\"devices\":[\"0:0:0:0\"],\"unasked\":true"),
        "{\"method\":\"io.hbad.collect.Probe\",\"parameters\":{\"below\":\"/etc/\",\"devices\":"
        "[\"0:0:0:0\"]}}",
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
        cmocka_unit_test(test_longest),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
