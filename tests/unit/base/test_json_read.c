/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The JSON reader: against jansson on good and bad texts and on every golden capture, and against itself
 * with the text given in pieces of a few bytes. Longer than most files: so is the table of bad texts.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json_read.h"

static struct bytes slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data;
    long size;

    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);
    data = malloc((size_t)size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)size, f), size);
    fclose(f);
    return (struct bytes){ data, (size_t)size };
}

/* Text that is given out `piece` bytes at a time. */
struct pieces {
    struct bytes text;
    size_t at, piece;
    size_t fail_at; /* an error instead of what begins here; SIZE_MAX: never */
};

static int64_t next_piece(void *userdata, uint8_t *buffer, size_t size)
{
    struct pieces *p = userdata;
    struct bytes piece = bytes_slice(p->text, p->at, p->piece < size ? p->piece : size);

    if (p->at >= p->fail_at)
        return -EIO;
    if (piece.len)
        memcpy(buffer, piece.data, piece.len);
    p->at += piece.len;
    return (int64_t)piece.len;
}

/* All that the reader says of a text, over all its documents, as text of our own. */
static char *transcript(struct json_reader *r, int *ret_last)
{
    struct json_token t;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int n;

    do {
        while ((n = json_next(r, &t)) > 0) {
            fprintf(out, "%d %" PRIi64 " %" PRIu64 " ", (int)t.event, t.integer,
                    json_reader_offset(r));
            if (t.text.len)
                fwrite(t.text.data, 1, t.text.len, out);
            putc('\n', out);
        }
        fprintf(out, "= %d %s\n", n, json_reader_error(r) ? json_reader_error(r) : "");
    } while (n == 0 && json_reader_next_document(r));
    *ret_last = n;
    fclose(out);
    return text;
}

static char *in_one_go(struct bytes text, int *ret_last)
{
    struct json_reader *r = json_reader_over(text);
    char *said;

    assert_non_null(r);
    said = transcript(r, ret_last);
    json_reader_free(r);
    return said;
}

static char *in_pieces(struct bytes text, size_t piece, int *ret_last)
{
    struct pieces p = { text, 0, piece, SIZE_MAX };
    struct json_reader *r = json_reader_new(next_piece, &p);
    char *said;

    assert_non_null(r);
    said = transcript(r, ret_last);
    json_reader_free(r);
    return said;
}

static void check_pieces(struct bytes text)
{
    static const size_t PIECES[] = { 1, 2, 3, 7, 4096 };
    int want_last, last;
    char *want = in_one_go(text, &want_last);

    for (size_t i = 0; i < sizeof(PIECES) / sizeof(PIECES[0]); i++) {
        char *said = in_pieces(text, PIECES[i], &last);

        if (strcmp(want, said) != 0)
            print_error("%.200s\nin pieces of %zu:\n%s\nin one go:\n%s", (const char *)text.data,
                        PIECES[i], strlen(said) < 4000 ? said : "…",
                        strlen(want) < 4000 ? want : "…");
        assert_string_equal(want, said);
        assert_int_equal(want_last, last);
        free(said);
    }
    free(want);
}

/* ---- against jansson ---- */

static void expect_event(struct json_reader *r, struct json_token *t, enum json_event event)
{
    assert_int_equal(json_next(r, t), 1);
    assert_int_equal(t->event, event);
}

static void check_same(struct json_reader *r, const struct json_token *t, json_t *value);

static void check_same_object(struct json_reader *r, json_t *value)
{
    struct json_token t;
    const char *key;
    json_t *member;

    json_object_foreach(value, key, member)
    {
        expect_event(r, &t, JSON_EVENT_KEY);
        assert_int_equal(t.text.len, strlen(key));
        assert_memory_equal(t.text.data, key, t.text.len);
        assert_int_equal(json_next(r, &t), 1);
        check_same(r, &t, member);
    }
    expect_event(r, &t, JSON_EVENT_OBJECT_END);
}

static void check_same_array(struct json_reader *r, json_t *value)
{
    struct json_token t;
    size_t i;
    json_t *member;

    json_array_foreach(value, i, member)
    {
        assert_int_equal(json_next(r, &t), 1);
        check_same(r, &t, member);
    }
    expect_event(r, &t, JSON_EVENT_ARRAY_END);
}

static void check_same_number(const struct json_token *t, json_t *value)
{
    char text[64];

    if (json_typeof(value) == JSON_INTEGER) {
        assert_int_equal(t->event, JSON_EVENT_INTEGER);
        assert_true(t->integer == json_integer_value(value));
        return;
    }
    assert_int_equal(t->event, JSON_EVENT_REAL);
    assert_true(t->text.len < sizeof(text));
    memcpy(text, t->text.data, t->text.len);
    text[t->text.len] = '\0';
    assert_true(strtod(text, NULL) == json_real_value(value));
}

/* The value that begins with the token is that of jansson's tree. */
static void check_same(struct json_reader *r, const struct json_token *t, json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        assert_int_equal(t->event, JSON_EVENT_OBJECT_BEGIN);
        check_same_object(r, value);
        break;
    case JSON_ARRAY:
        assert_int_equal(t->event, JSON_EVENT_ARRAY_BEGIN);
        check_same_array(r, value);
        break;
    case JSON_STRING:
        assert_int_equal(t->event, JSON_EVENT_STRING);
        assert_int_equal(t->text.len, json_string_length(value));
        assert_memory_equal(t->text.data, json_string_value(value), t->text.len);
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        check_same_number(t, value);
        break;
    case JSON_TRUE:
        assert_int_equal(t->event, JSON_EVENT_TRUE);
        break;
    case JSON_FALSE:
        assert_int_equal(t->event, JSON_EVENT_FALSE);
        break;
    case JSON_NULL:
        assert_int_equal(t->event, JSON_EVENT_NULL);
        break;
    }
}

/* Both take the text and see the same in it, or both refuse it. */
static void check_against_jansson(struct bytes text)
{
    json_t *tree = json_loadb((const char *)text.data, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL,
                              NULL);
    struct json_reader *r = json_reader_over(text);
    struct json_token t;
    int n;

    if (tree) {
        n = json_next(r, &t);
        if (n != 1)
            fail_msg("%.100s: refused: %s", (const char *)text.data, json_reader_error(r));
        check_same(r, &t, tree);
        assert_int_equal(json_next(r, &t), 0);
        assert_int_equal(t.event, JSON_EVENT_END);
        assert_null(json_reader_error(r));
    } else {
        while ((n = json_next(r, &t)) > 0)
            ;
        if (n == 0)
            fail_msg("%.100s: accepted", (const char *)text.data);
        assert_true(n == -EBADMSG || n == -ENODATA);
        assert_true((n == -EBADMSG) == (json_reader_error(r) != NULL));
        /* It stays so. */
        assert_int_equal(json_next(r, &t), n);
    }
    json_decref(tree);
    json_reader_free(r);
}

/* Without a NUL in them, and within what both can hold. */
static const char *const TEXTS[] = {
    "",
    " ",
    "\n",
    "{",
    "}",
    "[",
    "]",
    "{}",
    "[]",
    " [ ] ",
    "{ }",
    "[{}]",
    "[[],[]]",
    "[,]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,}",
    "{\"a\" 1}",
    "{\"a\":1 \"b\":2}",
    "{a:1}",
    "{1:1}",
    "{\"a\":1}",
    "{\"a\":{\"b\":[1,{\"c\":null}]},\"d\":[]}",
    "{\"\":\"\"}",
    "[}",
    "{]",
    "[[]",
    "{\"a\":[}",
    "[1]x",
    "[1] ]",
    "1 2",
    "0",
    "-0",
    "-",
    "+1",
    "01",
    "-01",
    "1.",
    ".5",
    "1.5",
    "1e5",
    "1E+5",
    "1e-5",
    "1e",
    "1e+",
    "1.5e3",
    "0.0",
    "00",
    "0x10",
    "9223372036854775807",
    "-9223372036854775808",
    "123abc",
    "1,",
    "--1",
    "1.2.3",
    "1e5e5",
    "Infinity",
    "NaN",
    "-Infinity",
    "true",
    "false",
    "null",
    "tru",
    "truee",
    "nul",
    "True",
    "nulll",
    "[true,false,null]",
    "t",
    "\"a",
    "\"",
    "\"a\\",
    "'a'",
    "\"\"",
    "\"a\"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\\a\"",
    "\"\\x41\"",
    "\"\\u\"",
    "\"\\u12\"",
    "\"\\u00g0\"",
    "\"\\u0041\"",
    "\"\\u00e4\\u20ac\"",
    "\"\\u0000\"",
    "\"a\\u0000b\"",
    "\"\\uD83D\\uDE00\"",
    "\"\\uD83D\"",
    "\"\\uD83Dx\"",
    "\"\\uD83D\\n\"",
    "\"\\uDE00\"",
    "\"\\uD83D\\uD83D\"",
    "\"\\uDE00\\uD83D\"",
    "\"\\ud83d\\u0041\"",
    "\"\xc3\xa4\"",
    "\"\xe2\x82\xac\"",
    "\"\xf0\x9f\x98\x80\"",
    "\"\xc3\"",
    "\"\xc3(\"",
    "\"\xc0\x80\"",
    "\"\xe0\x80\x80\"",
    "\"\xed\xa0\x80\"",
    "\"\xf4\x90\x80\x80\"",
    "\"\xf5\x80\x80\x80\"",
    "\"\xff\"",
    "\"\x80\"",
    "\"\xf0\x9f\x98\"",
    "\"\xef\xbf\xbd\"",
    "\"\xf4\x8f\xbf\xbf\"",
    "\xc3\xa4",
    "\xef\xbb\xbf{}",
    "\"a\nb\"",
    "\"a\tb\"",
    "\"\x1f\"",
    "\"\x7f\"",
    "\t{\r\n\"a\"\n:\t1 , \"b\" :[ ]\n}\n",
    "[1,\f2]",
    "[1,\v2]",
    "\xa0[]",
    "/* */ []",
    "[] // x",
    "[\"a\",\"b\\n\",1.5,-3]",
    "{\"a\":1}{\"b\":2}",
    "{\"a\\u0041\":1}",
    "{\"a\nb\":1}",
    "{\"\\ud800\":1}",
    "{\"a\":\"\\",
    "[\"\\u12",
    "[-",
    "[1e",
    "[tr",
};

static void same_as_jansson(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        check_against_jansson((struct bytes){ (const uint8_t *)TEXTS[i], strlen(TEXTS[i]) });
}

/* Where we differ from jansson on purpose. */
static void our_own_limits(void **state)
{
    static const char BEHIND_NUL[] = "{}\0rubbish",
                      LONG_NUMBER[] = "1234567890123456789012345678901234567890"
                                      "1234567890123456789012345678901234567890";
    struct json_token t;
    char *said, deep[2 * 70 + 1];
    int last;

    (void)state;
    said = in_one_go((struct bytes){ (const uint8_t *)BEHIND_NUL, 2 }, &last);
    assert_int_equal(last, 0);
    free(said);
    for (size_t depth = 63; depth <= 66; depth++) {
        memset(deep, '[', depth);
        memset(deep + depth, ']', depth);
        said = in_one_go((struct bytes){ (uint8_t *)deep, 2 * depth }, &last);
        assert_int_equal(last, depth <= 64 ? 0 : -EBADMSG);
        assert_int_equal(strstr(said, "nested too deeply") != NULL, depth > 64);
        free(said);
    }
    said = in_one_go((struct bytes){ (const uint8_t *)LONG_NUMBER, strlen(LONG_NUMBER) }, &last);
    assert_int_equal(last, -EBADMSG);
    free(said);
    /* Beyond 64 bits, or any double: a number all the same. */
    for (int i = 0; i < 2; i++) {
        static const char *const BIG[] = { "9223372036854775808", "1e999" };
        struct json_reader *r = json_reader_over(
            (struct bytes){ (const uint8_t *)BIG[i], strlen(BIG[i]) });

        assert_int_equal(json_next(r, &t), 1);
        assert_int_equal(t.event, JSON_EVENT_REAL);
        assert_int_equal(t.text.len, strlen(BIG[i]));
        json_reader_free(r);
    }
    /* Duplicate keys are the caller's to see. */
    said = in_one_go((struct bytes){ (const uint8_t *)"{\"a\":1,\"a\":2}", 13 }, &last);
    assert_int_equal(last, 0);
    free(said);
}

/* Strings of 1 MiB are taken, with an escape or without, and no longer ones. */
static void strings_up_to_a_mebibyte(void **state)
{
    enum { MIB = 1024 * 1024 };
    uint8_t *text = malloc(MIB + 16);

    (void)state;
    assert_non_null(text);
    for (int escaped = 0; escaped < 2; escaped++) {
        for (size_t more = 0; more < 2; more++) {
            size_t n = 0, wanted = MIB + more;
            struct json_token t;

            text[n++] = '"';
            memset(text + n, 'x', wanted);
            if (escaped) {
                memcpy(text + n, "\\n", 2); /* two bytes of text, one of string */
                text[n + wanted] = 'x';
                n++;
            }
            n += wanted;
            text[n++] = '"';
            for (int mode = 0; mode < 2; mode++) {
                struct pieces p = { { text, n }, 0, 100000, SIZE_MAX };
                struct json_reader *r = mode ? json_reader_new(next_piece, &p)
                                             : json_reader_over((struct bytes){ text, n });

                assert_int_equal(json_next(r, &t), more ? -EBADMSG : 1);
                if (!more)
                    assert_int_equal(t.text.len, wanted);
                else
                    assert_non_null(strstr(json_reader_error(r), "longer than 1 MiB"));
                json_reader_free(r);
            }
        }
    }
    free(text);
}

static void golden_captures_as_jansson_sees_them(void **state)
{
    glob_t g;

    (void)state;
    assert_int_equal(glob(TESTS_DIR "/golden/*/*.json", 0, NULL, &g), 0);
    assert_true(g.gl_pathc > 100);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        struct bytes text = slurp(g.gl_pathv[i]);

        check_against_jansson(text);
        free((void *)(uintptr_t)text.data);
    }
    globfree(&g);
}

static void pieces_change_nothing(void **state)
{
    static const char STREAM[] = "{\"a\":1}\0{\"b\":\"\\u00e4\"}\0\0 [2]\0\n\0",
                      CUT[] = "{\"a\":1}\0{\"b\":";
    static const char ODD[] = "[1]\0x";

    (void)state;
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        check_pieces((struct bytes){ (const uint8_t *)TEXTS[i], strlen(TEXTS[i]) });
    check_pieces((struct bytes){ (const uint8_t *)STREAM, sizeof(STREAM) - 1 });
    check_pieces((struct bytes){ (const uint8_t *)CUT, sizeof(CUT) - 1 });
    check_pieces((struct bytes){ (const uint8_t *)ODD, sizeof(ODD) - 1 });
}

static void pieces_of_golden_captures(void **state)
{
    glob_t g;

    (void)state;
    assert_int_equal(glob(TESTS_DIR "/golden/*/[0-9].json", 0, NULL, &g), 0);
    assert_true(g.gl_pathc > 50);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        struct bytes text = slurp(g.gl_pathv[i]);

        check_pieces(text);
        free((void *)(uintptr_t)text.data);
    }
    globfree(&g);
}

/* A text that is cut anywhere has not been read to its end, or is a number that may have gone on. */
static void cut_texts_are_not_whole(void **state)
{
    static const char TEXT[] = "{\"a\": [1, true, \"x\\u00e4\\n\", {\"b\": null}], \"c\": -1.5e+3}";

    (void)state;
    for (size_t len = 0; len < sizeof(TEXT) - 1; len++) {
        int last;
        char *said = in_one_go((struct bytes){ (const uint8_t *)TEXT, len }, &last);

        assert_true(last < 0);
        free(said);
    }
}

static void errors_of_the_refill_come_through(void **state)
{
    static const char TEXT[] = "{\"a\": [1, true, \"x\\u00e4\\n\", {\"b\": null}], \"c\": -1.5e+3}";

    (void)state;
    for (size_t at = 0; at < sizeof(TEXT) - 1; at++) {
        struct pieces p = { { (const uint8_t *)TEXT, sizeof(TEXT) - 1 }, 0, 1, at };
        struct json_reader *r = json_reader_new(next_piece, &p);
        struct json_token t;
        int n;

        while ((n = json_next(r, &t)) > 0)
            ;
        assert_int_equal(n, -EIO);
        json_reader_free(r);
    }
}

static void skipping(void **state)
{
    static const char TEXT[] =
        "{\"a\": {\"b\": [1, {\"c\": []}]}, \"d\": [[]], \"e\": \"x\", \"f\": 7}";
    struct json_reader *r = json_reader_over(
        (struct bytes){ (const uint8_t *)TEXT, sizeof(TEXT) - 1 });
    struct json_token t;

    (void)state;
    expect_event(r, &t, JSON_EVENT_OBJECT_BEGIN);
    for (const char *key = "ade"; *key; key++) {
        expect_event(r, &t, JSON_EVENT_KEY);
        assert_int_equal(t.text.data[0], *key);
        assert_int_equal(json_next(r, &t), 1);
        assert_int_equal(json_skip(r, &t), 0);
    }
    expect_event(r, &t, JSON_EVENT_KEY);
    expect_event(r, &t, JSON_EVENT_INTEGER);
    assert_true(t.integer == 7);
    assert_int_equal(json_skip(r, &t), 0);
    expect_event(r, &t, JSON_EVENT_OBJECT_END);
    assert_int_equal(json_next(r, &t), 0);
    assert_int_equal(json_next(r, &t), 0);
    assert_int_equal(json_reader_offset(r), sizeof(TEXT) - 1);
    json_reader_free(r);
    /* What is skipped must be well formed, too. */
    r = json_reader_over((struct bytes){ (const uint8_t *)"[[1,]]", 6 });
    expect_event(r, &t, JSON_EVENT_ARRAY_BEGIN);
    assert_int_equal(json_skip(r, &t), -EBADMSG);
    json_reader_free(r);
    r = json_reader_over((struct bytes){ (const uint8_t *)"[[1,", 4 });
    expect_event(r, &t, JSON_EVENT_ARRAY_BEGIN);
    assert_int_equal(json_skip(r, &t), -ENODATA);
    json_reader_free(r);
    assert_null(json_reader_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_jansson),
        cmocka_unit_test(our_own_limits),
        cmocka_unit_test(strings_up_to_a_mebibyte),
        cmocka_unit_test(golden_captures_as_jansson_sees_them),
        cmocka_unit_test(pieces_change_nothing),
        cmocka_unit_test(pieces_of_golden_captures),
        cmocka_unit_test(cut_texts_are_not_whole),
        cmocka_unit_test(errors_of_the_refill_come_through),
        cmocka_unit_test(skipping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
