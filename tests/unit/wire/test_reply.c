/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replies as services write them, what is no reply, and values in them.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "wire/reply.h"

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

#define assert_text(bytes, text)                              \
    do {                                                      \
        assert_int_equal((bytes).len, strlen(text));          \
        assert_memory_equal((bytes).data, text, (bytes).len); \
    } while (0)

static void test_replies(void **state)
{
    _cleanup_(arena_freep) struct arena *a = arena_new();
    struct varlink_reply r;

    (void)state;
    assert_int_equal(varlink_parse_reply(bytes_of("{\"parameters\":{\"a\":[1,{}]}}"), a, &r), 0);
    assert_text(r.parameters, "{\"a\":[1,{}]}");
    assert_null(r.error);
    assert_false(r.continues);
    /* In any order, with white space, and members that are not known. */
    assert_int_equal(
        varlink_parse_reply(bytes_of(" {\"continues\" : true,\n\"x\":[\"parameters\"], "
                                     "\"parameters\" : {\"b\": \"}\"} } "),
                            a, &r),
        0);
    assert_text(r.parameters, "{\"b\": \"}\"}");
    assert_true(r.continues);
    assert_int_equal(varlink_parse_reply(bytes_of("{\"error\":\"a.b.C\",\"parameters\":null,"
                                                  "\"continues\":false}"),
                                         a, &r),
                     0);
    assert_string_equal(r.error, "a.b.C");
    assert_int_equal(r.parameters.len, 0);
    assert_false(r.continues);
    assert_int_equal(varlink_parse_reply(bytes_of("{}"), a, &r), 0);
}

static void test_no_replies(void **state)
{
    static const char *const TEXTS[] = {
        "",
        "null",
        "[]",
        "\"\"",
        "{",
        "{\"parameters\":{}",
        "{\"parameters\":{}}}",
        "{\"parameters\":{}} {}",
        "{\"parameters\":[]}",
        "{\"parameters\":\"{\"}",
        "{\"parameters\":{},\"parameters\":{}}",
        "{\"error\":7}",
        "{\"error\":\"a\\u0000b\"}",
        "{\"continues\":1}",
        "{\"continues\":\"true\"}",
        "{\"parameters\":{\"a\":01}}",
        "HTTP/1.1 400 Bad Request",
    };
    _cleanup_(arena_freep) struct arena *a = arena_new();
    struct varlink_reply r;

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++)
        assert_int_equal(varlink_parse_reply(bytes_of(TEXTS[i]), a, &r), -EBADMSG);
}

static void test_members(void **state)
{
    static const char *const NAMES[] = { "n", "s", "none", "null", "a", "last" };
    struct bytes found[ELEMENTS(NAMES)];

    (void)state;
    assert_int_equal(
        varlink_members(bytes_of("{\"n\" : -12.5e3 ,\"a\":[ 1 ] , \"s\":\"x\\\"y\",\"null\" : null,"
                                 "\"\":0,\"last\":7}"),
                        NAMES, ELEMENTS(NAMES), found),
        0);
    assert_text(found[0], "-12.5e3");
    assert_text(found[1], "\"x\\\"y\"");
    assert_int_equal(found[2].len, 0);
    assert_int_equal(found[3].len, 0);
    assert_text(found[4], "[ 1 ]");
    assert_text(found[5], "7");
    assert_int_equal(varlink_members(bytes_of("[]"), NAMES, ELEMENTS(NAMES), found), -EBADMSG);
    assert_int_equal(varlink_members(bytes_of(""), NAMES, ELEMENTS(NAMES), found), -EBADMSG);
    assert_int_equal(varlink_members(bytes_of("{\"n\":1,\"n\":2}"), NAMES, 1, found), -EBADMSG);
    assert_int_equal(varlink_members(bytes_of("{\"n\":1,\"q\":2,\"q\":2}"), NAMES, 1, found), 0);
}

static int append(void *userdata, struct bytes element)
{
    char *all = userdata;

    strncat(all, (const char *)element.data, element.len);
    strcat(all, "|");
    return element.len == 3 && memcmp(element.data, "\"!\"", 3) == 0 ? -ECANCELED : 0;
}

static int elements(const char *text, char *all)
{
    *all = '\0';
    return varlink_elements(bytes_of(text), append, all);
}

static void test_elements(void **state)
{
    char all[100];

    (void)state;
    assert_int_equal(elements("[1, {\"a\":[2]} ,\"x,y\",[ ],null]", all), 0);
    assert_string_equal(all, "1|{\"a\":[2]}|\"x,y\"|[ ]|null|");
    assert_int_equal(elements("[]", all), 0);
    assert_string_equal(all, "");
    assert_int_equal(elements("", all), 0);
    assert_string_equal(all, "");
    assert_int_equal(elements("[1,\"!\",2]", all), -ECANCELED);
    assert_string_equal(all, "1|\"!\"|");
    /* Nothing is given of what is not whole. */
    assert_int_equal(elements("[1,2", all), -EBADMSG);
    assert_string_equal(all, "");
    assert_int_equal(elements("[1,2]]", all), -EBADMSG);
    assert_string_equal(all, "");
    assert_int_equal(elements("{\"a\":1}", all), -EBADMSG);
}

static void test_values(void **state)
{
    _cleanup_(arena_freep) struct arena *a = arena_new();
    const char *text;
    uint64_t n;

    (void)state;
    assert_int_equal(varlink_string(bytes_of("\"a\\u00e4\\n\""), a, &text), 0);
    assert_string_equal(text, "a\xc3\xa4\n");
    assert_int_equal(varlink_string(bytes_of(""), a, &text), 0);
    assert_null(text);
    assert_int_equal(varlink_string(bytes_of("7"), a, &text), -EBADMSG);
    assert_int_equal(varlink_string(bytes_of("\"a\\u0000\""), a, &text), -EBADMSG);
    assert_int_equal(varlink_string(bytes_of("\"a\" 1"), a, &text), -EBADMSG);
    assert_int_equal(varlink_count(bytes_of("9223372036854775807"), &n), 0);
    assert_int_equal(n, INT64_MAX);
    assert_int_equal(varlink_count(bytes_of(""), &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(varlink_count(bytes_of("-1"), &n), -EBADMSG);
    assert_int_equal(varlink_count(bytes_of("1.0"), &n), -EBADMSG);
    assert_int_equal(varlink_count(bytes_of("\"1\""), &n), -EBADMSG);
}

/* What the pieces are as a text; where they are none, how it was refused. */
static int print(const char *pieces, char *all, size_t size)
{
    FILE *out = fmemopen(all, size, "w");
    int r;

    assert_non_null(out);
    r = varlink_print_text(bytes_of(pieces), out);
    assert_int_equal(fclose(out), 0);
    return r;
}

static void test_text(void **state)
{
    char all[100];

    (void)state;
    assert_int_equal(print("[\"a 1\\n\",\"b\",\" \\\"2\\\"\\n\"]", all, sizeof(all)), 0);
    assert_string_equal(all, "a 1\nb \"2\"\n");
    assert_int_equal(print("\"a\"", all, sizeof(all)), -EBADMSG);
    assert_int_equal(print("[\"a\",7]", all, sizeof(all)), -EBADMSG);
    assert_int_equal(print("[null]", all, sizeof(all)), -EBADMSG);
}

static void test_failures(void **state)
{
    (void)state;
    assert_string_equal(varlink_failure(-ENOENT), varlink_failure(-ECONNREFUSED));
    assert_string_equal(varlink_failure(-ETIMEDOUT), "does not answer");
    assert_null(varlink_failure(-EACCES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replies),  cmocka_unit_test(test_no_replies),
        cmocka_unit_test(test_members),  cmocka_unit_test(test_elements),
        cmocka_unit_test(test_values),   cmocka_unit_test(test_text),
        cmocka_unit_test(test_failures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
