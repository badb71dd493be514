/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text helpers; UTF-8 against a second reading of RFC 3629, at every place of a string.
 */
#include "../cmocka_all.h"

#include <stdio.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static struct bytes text(const char *t)
{
    return (struct bytes){ (const uint8_t *)t, strlen(t) };
}

/* The code point that the four bytes would be, by arithmetic alone; -1 where its shortest form is not
 * these bytes. */
static bool is_one_character(const uint8_t *p, size_t n)
{
    uint32_t c = n == 1 ? p[0] : p[0] & (0xff >> (n + 1));
    size_t shortest;

    if (n == 1 ? p[0] > 0x7f : (unsigned)(p[0] >> (7 - n)) != (0xffu >> (7 - n) & ~1u))
        return false;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return false;
        c = c << 6 | (p[i] & 0x3f);
    }
    shortest = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    return n == shortest && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

static bool is_utf8(const uint8_t *p, size_t n)
{
    for (size_t len; n; p += len, n -= len) {
        for (len = 1; len <= 4 && len <= n && !is_one_character(p, len);)
            len++;
        if (len > 4 || len > n)
            return false;
    }
    return true;
}

/* All pairs of first bytes, with third and fourth bytes at the limits of their ranges. */
static void utf8_as_the_rfc_says(void **state)
{
    static const uint8_t EDGES[] = { 0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90,
                                     0x9f, 0xa0, 0xbf, 0xc0, 0xff };
    size_t valid = 0;

    (void)state;
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++)
            for (size_t c = 0; c < sizeof(EDGES); c++)
                for (size_t d = 0; d < sizeof(EDGES); d++) {
                    uint8_t p[4] = { (uint8_t)a, (uint8_t)b, EDGES[c], EDGES[d] };

                    if (text_is_utf8((struct bytes){ p, 4 }) != is_utf8(p, 4))
                        fail_msg("%02x %02x %02x %02x", p[0], p[1], p[2], p[3]);
                    valid += is_utf8(p, 4);
                }
    assert_true(valid > 10000);
}

/* One wrong byte anywhere in a long text, and characters across all borders of eight bytes. */
static void utf8_at_every_place(void **state)
{
    uint8_t line[64];

    (void)state;
    for (size_t len = 0; len <= sizeof(line); len++) {
        memset(line, 'a', sizeof(line));
        assert_true(text_is_utf8((struct bytes){ line, len }));
        for (size_t at = 0; at < len; at++) {
            line[at] = 0xff;
            assert_false(text_is_utf8((struct bytes){ line, len }));
            line[at] = 0xe2;
            assert_false(text_is_utf8((struct bytes){ line, len }));
            if (at + 3 <= len) {
                memcpy(line + at, "\xe2\x82\xac", 3);
                assert_true(text_is_utf8((struct bytes){ line, len }));
                assert_false(text_is_utf8((struct bytes){ line, at + 2 }));
            }
            memset(line, 'a', sizeof(line));
        }
    }
}

static void plain_text_has_no_nul(void **state)
{
    (void)state;
    assert_true(text_is_plain((struct bytes){ 0 }));
    assert_true(text_is_plain(text("a\nb\x01")));
    assert_true(text_is_utf8((struct bytes){ (const uint8_t *)"a\0b", 3 }));
    assert_false(text_is_plain((struct bytes){ (const uint8_t *)"a\0b", 3 }));
    assert_false(text_is_plain(text("a\xff")));
}

static void beginnings_and_ends(void **state)
{
    (void)state;
    assert_true(text_starts_with("host0", "host"));
    assert_true(text_starts_with("host", "host"));
    assert_true(text_starts_with("host", ""));
    assert_false(text_starts_with("hos", "host"));
    assert_false(text_starts_with("", "h"));
    assert_true(text_ends_with("1.json", ".json"));
    assert_true(text_ends_with(".json", ".json"));
    assert_true(text_ends_with("x", ""));
    assert_false(text_ends_with("json", ".json"));
    assert_false(text_ends_with("", "x"));
}

static void trimmed_and_clean(void **state)
{
    static const struct {
        const char *in, *trimmed, *clean;
    } CASES[] = {
        { "", "", "" },
        { "   \t\n", "", "" },
        { "ST3146807LW     ", "ST3146807LW", "ST3146807LW" },
        { "  ZA1 02  \n", "  ZA1 02", "ZA1 02" },
        { "a\x01"
          "b\xff"
          "c\x7f",
          "a\x01"
          "b\xff"
          "c\x7f",
          "a?b?c?" },
        { "\xc3\xa4 ", "\xc3\xa4", "??" },
        { "\v\f\rx\v\f\r", "\v\f\rx", "x" },
    };
    struct arena *a = arena_new();

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_string_equal(text_trimmed(a, CASES[i].in, strlen(CASES[i].in)), CASES[i].trimmed);
        assert_string_equal(text_clean(a, text(CASES[i].in)), CASES[i].clean);
    }
    assert_string_equal(text_trimmed(a, "x\0\0", 3), "x");
    assert_string_equal(text_clean(a, (struct bytes){ (const uint8_t *)"\0x\0y\0", 5 }), "x?y");
    assert_string_equal(text_clean(a, (struct bytes){ 0 }), "");
    arena_free(a);
}

static void last_components(void **state)
{
    (void)state;
    assert_string_equal(path_last("/sys/class/host0"), "host0");
    assert_string_equal(path_last("host0"), "host0");
    assert_string_equal(path_last("/sys/"), "");
    assert_string_equal(path_last(""), "");
}

static void terminals_get_no_control_characters(void **state)
{
    static const struct {
        const char *in, *out;
    } CASES[] = {
        { "", "" },
        { "plain, \xc3\xa4\n", "plain, \xc3\xa4\n" },
        { "a\tb\rc\x7f", "a?b?c?" },
        { "\033[1;31mred\033[0m", "\033[1;31mred\033[0m" },
        { "\033]0;title\007", "?]0;title?" },
        { "\033[2J\033[", "?[2J?[" },
        { "\xc2\x9bm \xc2\xa0", "??m \xc2\xa0" },
        { "\xff\xc3", "??" },
        { "sdc\033[8m", "sdc?[8m" },
        { "\xe2\x80\xae"
          "ko",
          "???ko" },
        { "\xe2\x81\xa6"
          "ko",
          "???ko" },
        { "\xe2\x80\xa8 \xe2\x80\xa9 \xe2\x80\x8e \xe2\x80\x8f \xd8\x9c", "??? ??? ??? ??? ??" },
        { "\xe2\x80\xa7 \xe2\x80\xaf \xe2\x80\x90 \xe2\x80\x8d \xd8\x9b",
          "\xe2\x80\xa7 \xe2\x80\xaf \xe2\x80\x90 \xe2\x80\x8d \xd8\x9b" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char text[64];

        snprintf(text, sizeof(text), "%s", CASES[i].in);
        text_for_terminal(text, true);
        assert_string_equal(text, CASES[i].out);
        snprintf(text, sizeof(text), "%s", CASES[i].in);
        text_for_terminal(text, false);
        assert_null(strchr(text, '\033'));
    }
}

static void the_same(void **state)
{
    char copy[] = "sdc";

    (void)state;
    assert_true(text_same("sdc", copy));
    assert_true(text_same(NULL, NULL));
    assert_false(text_same("sdc", "sd"));
    assert_false(text_same("sdc", NULL));
    assert_false(text_same(NULL, ""));
    assert_true(text_same_known("sdc", copy));
    assert_false(text_same_known(NULL, NULL));
    assert_false(text_same_known(NULL, "sdc"));
    assert_false(text_same_known("sdc", "sd"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_as_the_rfc_says),
        cmocka_unit_test(utf8_at_every_place),
        cmocka_unit_test(plain_text_has_no_nul),
        cmocka_unit_test(beginnings_and_ends),
        cmocka_unit_test(trimmed_and_clean),
        cmocka_unit_test(the_same),
        cmocka_unit_test(last_components),
        cmocka_unit_test(terminals_get_no_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
