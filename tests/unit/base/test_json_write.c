/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The JSON writer: its layout, its numbers, and that jansson reads back every string.
 */
#include "../cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json_write.h"

/* A writer and the text it has written. */
struct page {
    struct json_writer w;
    char *text;
    size_t size;
};

static void open_page(struct page *p, bool pretty)
{
    p->w = json_writer(open_memstream(&p->text, &p->size), pretty);
    assert_non_null(p->w.out);
}

static void expect(struct page *p, const char *want)
{
    assert_int_equal(fclose(p->w.out), 0);
    assert_string_equal(p->text, want);
    free(p->text);
}

static void write_sample(struct json_writer *w)
{
    json_write_begin_object(w);
    json_write_key(w, "a");
    json_write_begin_array(w);
    json_write_u64(w, 1);
    json_write_begin_object(w);
    json_write_end_object(w);
    json_write_begin_array(w);
    json_write_end_array(w);
    json_write_end_array(w);
    json_write_key_bytes(w, (struct bytes){ (const uint8_t *)"line", 4 });
    json_write_begin_object_on_one_line(w);
    json_write_key(w, "x");
    json_write_begin_array(w);
    json_write_bool(w, true);
    json_write_bool(w, false);
    json_write_null(w);
    json_write_end_array(w);
    json_write_key(w, "y");
    json_write_begin_array_on_one_line(w);
    json_write_end_array(w);
    json_write_end_object(w);
    json_write_key(w, "b");
    json_write_string(w, NULL);
    json_write_key(w, "c");
    json_write_begin_array_on_one_line(w);
    json_write_i64(w, -1);
    json_write_u64(w, 2);
    json_write_end_array(w);
    json_write_end_object(w);
}

static void layout(void **state)
{
    struct page p;

    (void)state;
    open_page(&p, false);
    write_sample(&p.w);
    expect(&p,
           "{\"a\":[1,{},[]],\"line\":{\"x\":[true,false,null],\"y\":[]},\"b\":null,\"c\":[-1,2]}");
    open_page(&p, true);
    write_sample(&p.w);
    expect(&p, "{\n"
               "  \"a\": [\n"
               "    1,\n"
               "    {},\n"
               "    []\n"
               "  ],\n"
               "  \"line\": {\"x\": [true, false, null], \"y\": []},\n"
               "  \"b\": null,\n"
               "  \"c\": [-1, 2]\n"
               "}");
}

static void numbers(void **state)
{
    static const struct {
        uint64_t value;
        unsigned digits;
        const char *text;
    } DECIMALS[] = {
        { 160000, 3, "160.0" },
        { 984600, 3, "984.6" },
        { 12500, 3, "12.5" },
        { 3125, 3, "3.125" },
        { 0, 3, "0.0" },
        { 5, 3, "0.005" },
        { 50, 3, "0.05" },
        { 7, 0, "7.0" },
        { 75, 1, "7.5" },
        { 70, 1, "7.0" },
        { 100000, 5, "1.0" },
        { 1000, 1, "100.0" },
        { 1, 19, "0.0000000000000000001" },
        { UINT64_MAX, 1, "1844674407370955161.5" },
        { UINT64_MAX, 19, "1.8446744073709551615" },
    };
    struct page p;

    (void)state;
    for (size_t i = 0; i < sizeof(DECIMALS) / sizeof(DECIMALS[0]); i++) {
        open_page(&p, false);
        json_write_decimal(&p.w, DECIMALS[i].value, DECIMALS[i].digits);
        expect(&p, DECIMALS[i].text);
    }
    open_page(&p, false);
    json_write_begin_array(&p.w);
    json_write_u64(&p.w, UINT64_MAX);
    json_write_i64(&p.w, INT64_MIN);
    json_write_end_array(&p.w);
    expect(&p, "[18446744073709551615,-9223372036854775808]");
}

static void hex(void **state)
{
    static const uint8_t BYTES[] = { 0x00, 0x5a, 0xff };
    struct page p;

    (void)state;
    open_page(&p, false);
    json_write_begin_array(&p.w);
    json_write_hex(&p.w, (struct bytes){ BYTES, 3 }, false);
    json_write_hex(&p.w, (struct bytes){ BYTES, 3 }, true);
    json_write_hex(&p.w, (struct bytes){ 0 }, true);
    json_write_end_array(&p.w);
    expect(&p, "[\"005aff\",\"00 5a ff\",\"\"]");
}

static void check_string(struct bytes in, const char *want, size_t want_len)
{
    struct page p;
    json_t *back;

    open_page(&p, false);
    json_write_string_bytes(&p.w, in);
    assert_int_equal(fclose(p.w.out), 0);
    back = json_loadb(p.text, p.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (!back)
        fail_msg("jansson refuses %s", p.text);
    assert_int_equal(json_string_length(back), want_len);
    assert_memory_equal(json_string_value(back), want, want_len);
    json_decref(back);
    free(p.text);
}

#define FFFD "\xef\xbf\xbd"

static void strings_come_back(void **state)
{
    static const struct {
        const char *in, *back;
    } DIRTY[] = {
        { "\xff", FFFD },
        { "a\x80z", "a" FFFD "z" },
        { "\xc3", FFFD },
        { "\xc3\n\"\\", FFFD "\n\"\\" },
        { "\xe2\x82", FFFD FFFD },
        { "\xe2\x82\xac\xff\xc3\xa4", "\xe2\x82\xac" FFFD "\xc3\xa4" },
        { "\xc0\x80", FFFD FFFD },
        { "\xed\xa0\x80", FFFD FFFD FFFD },
        { "\xc3\xa4\x80x", "\xc3\xa4" FFFD "x" },
        { "a\x80\x80\x80\x80z", "a" FFFD FFFD FFFD FFFD "z" },
    };

    (void)state;
    for (unsigned c = 0; c < 128; c++) {
        uint8_t text[3] = { 'x', (uint8_t)c, 'y' };

        check_string((struct bytes){ text, 3 }, (const char *)text, 3);
        check_string((struct bytes){ text + 1, 1 }, (const char *)text + 1, 1);
    }
    check_string((struct bytes){ 0 }, "", 0);
    check_string((struct bytes){ (const uint8_t *)"\xf0\x9f\x98\x80", 4 }, "\xf0\x9f\x98\x80", 4);
    for (size_t i = 0; i < sizeof(DIRTY) / sizeof(DIRTY[0]); i++)
        check_string((struct bytes){ (const uint8_t *)DIRTY[i].in, strlen(DIRTY[i].in) },
                     DIRTY[i].back, strlen(DIRTY[i].back));
}

static void what_must_be_escaped_is(void **state)
{
    struct page p;

    (void)state;
    open_page(&p, false);
    json_write_string(&p.w, "a\"b\\c\n\t\r\x01\x7f/\xc3\xa4");
    expect(&p, "\"a\\\"b\\\\c\\n\\t\\u000d\\u0001\\u007f/\xc3\xa4\"");
    /* What terminals obey, beside what they show; also where other bytes are no UTF-8, and at the end. */
    open_page(&p, false);
    json_write_string(&p.w,
                      "\xc2\x9bm\xc2\xa0\xe2\x80\xae\xe2\x80\xaf\xd8\x9c\xd8\x9b\xe2\x80\xa8");
    expect(&p, "\"\\u009bm\xc2\xa0\\u202e\xe2\x80\xaf\\u061c\xd8\x9b\\u2028\"");
    open_page(&p, false);
    json_write_string(&p.w, "\xff\xc2\x9b\xc2\xa0\xe2\x81\xa6");
    expect(&p, "\"\xef\xbf\xbd\\u009b\xc2\xa0\\u2066\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout),
        cmocka_unit_test(numbers),
        cmocka_unit_test(hex),
        cmocka_unit_test(strings_come_back),
        cmocka_unit_test(what_must_be_escaped_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
