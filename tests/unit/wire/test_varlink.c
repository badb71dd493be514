/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls as clients write them, what is no call, and answers to the byte.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_write.h"
#include "wire/service.h"

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

static void test_calls(void **state)
{
    _cleanup_(arena_freep) struct arena *a = arena_new();
    struct varlink_call c;
    const char *why;

    (void)state;
    assert_int_equal(varlink_parse(bytes_of("{\"method\":\"a.b.C\"}"), a, &c, &why), 0);
    assert_string_equal(c.method, "a.b.C");
    assert_int_equal(c.parameters.len, 0);
    assert_false(c.oneway || c.more || c.upgrade);
    /* White space around it; members in any order; null is none; unknown members of any kind. */
    assert_int_equal(
        varlink_parse(bytes_of("\n {\"x-y.z\":{\"a\":[1,{}]}, \"more\":true,\"parameters\":null,"
                               "\"method\":\"a.b.C\"}\r\n"),
                      a, &c, &why),
        0);
    assert_true(c.more);
    assert_int_equal(c.parameters.len, 0);
    assert_int_equal(varlink_parse(bytes_of("{\"parameters\": {\"a\": {\"b\":1}, \"c\": \"}\"} ,"
                                            "\"method\":\"M\",\"oneway\":true,\"more\":false}"),
                                   a, &c, &why),
                     0);
    assert_true(c.oneway);
    assert_int_equal(c.parameters.len, strlen("{\"a\": {\"b\":1}, \"c\": \"}\"}"));
    assert_memory_equal(c.parameters.data, "{\"a\": {\"b\":1}, \"c\": \"}\"}", c.parameters.len);
}

static void test_no_calls(void **state)
{
    static const struct {
        const char *text, *why;
    } TEXTS[] = {
        { "", "the text breaks off" },
        { "null", "no object" },
        { "[]", "no object" },
        { "\"GET / HTTP/1.1\"", "no object" },
        { "{}", "no method" },
        { "{\"method\":7}", "method is no string" },
        { "{\"method\":null}", "method is no string" },
        { "{\"method\":\"a\\u0000b\"}", "a NUL in the name of the method" },
        { "{\"method\":\"a\",\"method\":\"b\"}", "a member is given twice" },
        { "{\"method\":\"a\",\"parameters\":[]}", "parameters is no object" },
        { "{\"method\":\"a\",\"parameters\":\"\"}", "parameters is no object" },
        { "{\"method\":\"a\",\"more\":1}", "oneway, more or upgrade is neither true nor false" },
        { "{\"method\":\"a\",\"oneway\":\"true\"}",
          "oneway, more or upgrade is neither true nor false" },
        { "{\"method\":\"a\",\"upgrade\":null}",
          "oneway, more or upgrade is neither true nor false" },
        { "{\"method\":\"a\",\"oneway\":true,\"more\":true}", "both oneway and more" },
        { "{\"method\":\"a\"", "the text breaks off" },
        { "{\"method\":\"a\",\"parameters\":{", "the text breaks off" },
    };
    _cleanup_(arena_freep) struct arena *a = arena_new();
    struct varlink_call c;
    const char *why = NULL;

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        assert_int_equal(varlink_parse(bytes_of(TEXTS[i].text), a, &c, &why), -EBADMSG);
        assert_string_equal(why, TEXTS[i].why);
    }
    assert_int_equal(varlink_parse(bytes_of("{\"method\":\"a\"}{}"), a, &c, &why), -EBADMSG);
    assert_int_equal(varlink_parse(bytes_of("{\"method\":\"\xff\"}"), a, &c, &why), -EBADMSG);
    assert_int_equal(varlink_parse(bytes_of("GET / HTTP/1.1"), a, &c, &why), -EBADMSG);
    assert_true(why && *why);
}

struct wanted {
    const char *name;
    bool flag;
    int64_t count;
};

static const struct varlink_argument ARGUMENTS[] = {
    { "name", VARLINK_STRING, false, offsetof(struct wanted, name) },
    { "flag", VARLINK_BOOL, true, offsetof(struct wanted, flag) },
    { "count", VARLINK_INT, true, offsetof(struct wanted, count) },
    { 0 },
};

static void test_arguments(void **state)
{
    static const struct {
        const char *text, *bad; /* NULL: right */
    } TEXTS[] = {
        { "{\"name\":\"x\"}", NULL },
        { "{\"name\":\"x\",\"flag\":null,\"count\":null}", NULL },
        { "{\"count\":-5,\"flag\":true,\"name\":\"x\"}", NULL },
        { "", "name" },
        { "{}", "name" },
        { "{\"name\":null}", "name" },
        { "{\"name\":1}", "name" },
        { "{\"name\":\"a\\u0000b\"}", "name" },
        { "{\"name\":\"x\",\"name\":\"x\"}", "name" },
        { "{\"name\":\"x\",\"flag\":null,\"flag\":true}", "flag" },
        { "{\"name\":\"x\",\"flag\":0}", "flag" },
        { "{\"name\":\"x\",\"count\":1.0}", "count" },
        { "{\"name\":\"x\",\"count\":\"1\"}", "count" },
        { "{\"name\":\"x\",\"other\":{\"a\":[]}}", "other" },
        { "{\"name\\u0000\":\"x\"}", "name" },
    };
    _cleanup_(arena_freep) struct arena *a = arena_new();

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        struct wanted w = { .count = 42 };
        const char *bad = NULL;
        int r = varlink_arguments(bytes_of(TEXTS[i].text), a, ARGUMENTS, &w, &bad);

        assert_int_equal(r, TEXTS[i].bad ? -EINVAL : 0);
        if (TEXTS[i].bad)
            assert_string_equal(bad, TEXTS[i].bad);
        else
            assert_string_equal(w.name, "x");
        if (!TEXTS[i].bad)
            assert_int_equal(w.count, w.flag ? -5 : 42);
    }
    assert_int_equal(varlink_arguments(bytes_of("{\"a\":1}"), a, NULL, NULL, &(const char *){ 0 }),
                     -EINVAL);
    assert_int_equal(varlink_arguments(bytes_of("{}"), a, NULL, NULL, &(const char *){ 0 }), 0);
}

static void test_lists(void **state)
{
    struct wanted_list {
        struct varlink_strings names;
    };
    static const struct varlink_argument LIST[] = {
        { "names", VARLINK_STRINGS, true, offsetof(struct wanted_list, names) },
        { 0 },
    };
    static const struct {
        const char *text;
        int n; /* -1: refused */
    } TEXTS[] = {
        { "{}", 0 },
        { "{\"names\":null}", 0 },
        { "{\"names\":[]}", 0 },
        { "{\"names\":[\"a\"]}", 1 },
        { "{\"names\":[\"a\",\"\",\"a\",\"\u00e4\"]}", 4 },
        { "{\"names\":\"a\"}", -1 },
        { "{\"names\":{}}", -1 },
        { "{\"names\":[null]}", -1 },
        { "{\"names\":[\"a\",[\"b\"]]}", -1 },
        { "{\"names\":[\"a\",{}]}", -1 },
        { "{\"names\":[\"a\\u0000\"]}", -1 },
        { "{\"names\":[\"a\"],\"names\":[\"a\"]}", -1 },
    };
    _cleanup_(arena_freep) struct arena *a = arena_new();

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        struct wanted_list w = { 0 };
        const char *bad = NULL;
        int r = varlink_arguments(bytes_of(TEXTS[i].text), a, LIST, &w, &bad);

        assert_int_equal(r, TEXTS[i].n < 0 ? -EINVAL : 0);
        if (r < 0)
            assert_string_equal(bad, "names");
        else
            assert_int_equal(w.names.n, TEXTS[i].n);
        if (r == 0 && w.names.n)
            assert_string_equal(w.names.v[0], "a");
    }
}

/* ---- a service ---- */

static int greet(void *userdata, const struct varlink_call *call, const void *arguments, FILE *out)
{
    const struct wanted *w = arguments;
    struct json_writer json = json_writer(out, false);

    *(unsigned *)userdata += 1;
    varlink_begin(out);
    json_write_begin_object(&json);
    json_write_key(&json, "greeting");
    json_write_string(&json, w->name);
    json_write_end_object(&json);
    varlink_end(out, NULL, call->more);
    return call->more ? VARLINK_STREAMS : VARLINK_REPLIED;
}

static const struct varlink_method METHODS[] = {
    { "Greet", ARGUMENTS, sizeof(struct wanted), false, greet },
    { "Watch", ARGUMENTS, sizeof(struct wanted), true, greet },
    { 0 },
};

static const struct varlink_interface INTERFACES[] = {
    { "org.example.greet", "interface org.example.greet\n", METHODS },
    { 0 },
};

static const struct varlink_service SERVICE = { "V", "P", "1", "http://x", INTERFACES };

/* Serves the call; the answer must be that text, with its NUL. Returns the outcome. */
static int assert_answer(const char *text, const char *answer)
{
    _cleanup_(arena_freep) struct arena *a = arena_new();
    _cleanup_free_ char *said = NULL;
    size_t size;
    FILE *out = open_memstream(&said, &size);
    struct varlink_call call;
    const char *why;
    unsigned greeted = 0;
    int r;

    assert_int_equal(varlink_parse(bytes_of(text), a, &call, &why), 0);
    r = varlink_serve(&SERVICE, &call, a, &greeted, out);
    fclose(out);
    assert_int_equal(size, strlen(said) + 1); /* one message */
    assert_string_equal(said, answer);
    return r;
}

static void test_service(void **state)
{
    static const struct {
        const char *call, *answer;
    } CALLS[] = {
        { "{\"method\":\"org.example.greet.Greet\",\"parameters\":{\"name\":\"x\"}}",
          "{\"parameters\":{\"greeting\":\"x\"}}" },
        { "{\"method\":\"org.example.greet.Greet\"}",
          "{\"parameters\":{\"parameter\":\"name\"},"
          "\"error\":\"org.varlink.service.InvalidParameter\"}" },
        { "{\"method\":\"org.example.greet.Watch\",\"parameters\":{\"name\":\"x\"}}",
          "{\"parameters\":{},\"error\":\"org.varlink.service.ExpectedMore\"}" },
        { "{\"method\":\"org.example.greet.Other\"}",
          "{\"parameters\":{\"method\":\"org.example.greet.Other\"},"
          "\"error\":\"org.varlink.service.MethodNotFound\"}" },
        { "{\"method\":\"org.example.Greet\"}",
          "{\"parameters\":{\"interface\":\"org.example\"},"
          "\"error\":\"org.varlink.service.InterfaceNotFound\"}" },
        { "{\"method\":\"Greet\"}", "{\"parameters\":{\"interface\":\"\"},"
                                    "\"error\":\"org.varlink.service.InterfaceNotFound\"}" },
        { "{\"method\":\"org.example.greet.\"}",
          "{\"parameters\":{\"method\":\"org.example.greet.\"},"
          "\"error\":\"org.varlink.service.MethodNotFound\"}" },
        { "{\"method\":\"org.example.greet.Greet\",\"upgrade\":true}",
          "{\"parameters\":{\"method\":\"org.example.greet.Greet\"},"
          "\"error\":\"org.varlink.service.MethodNotImplemented\"}" },
        { "{\"method\":\"org.varlink.service.GetInfo\"}",
          "{\"parameters\":{\"vendor\":\"V\",\"product\":\"P\",\"version\":\"1\",\"url\":\"http://"
          "x\",\"interfaces\":[\"org.varlink.service\",\"org.example.greet\"]}}" },
        { "{\"method\":\"org.varlink.service.GetInfo\",\"parameters\":{\"x\":1}}",
          "{\"parameters\":{\"parameter\":\"x\"},"
          "\"error\":\"org.varlink.service.InvalidParameter\"}" },
        { "{\"method\":\"org.varlink.service.GetInterfaceDescription\","
          "\"parameters\":{\"interface\":\"org.example.greet\"}}",
          "{\"parameters\":{\"description\":\"interface org.example.greet\\n\"}}" },
        { "{\"method\":\"org.varlink.service.GetInterfaceDescription\","
          "\"parameters\":{\"interface\":\"no.such\"}}",
          "{\"parameters\":{\"interface\":\"no.such\"},"
          "\"error\":\"org.varlink.service.InterfaceNotFound\"}" },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CALLS); i++)
        assert_int_equal(assert_answer(CALLS[i].call, CALLS[i].answer), VARLINK_REPLIED);
    assert_int_equal(assert_answer("{\"method\":\"org.example.greet.Watch\",\"more\":true,"
                                   "\"parameters\":{\"name\":\"x\"}}",
                                   "{\"parameters\":{\"greeting\":\"x\"},\"continues\":true}"),
                     VARLINK_STREAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),     cmocka_unit_test(test_no_calls),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_service),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
