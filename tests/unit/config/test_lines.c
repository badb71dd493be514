/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of a configuration file: joined, numbered, without comments.
 */
#include "../cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/lines.h"

/* The lines of a text, as "1:text|4:text|". */
static const char *lines_of(const char *text, char *buffer, size_t size)
{
    struct config_lines lines = { .text = { (const uint8_t *)text, strlen(text) } };
    struct config_line line;
    size_t n = 0;
    int r;

    buffer[0] = '\0';
    while ((r = config_lines_next(&lines, &line)) == 1) {
        assert_int_equal(line.len, strlen(line.text));
        assert_false(line.is_too_long);
        n += (size_t)snprintf(buffer + n, size - n, "%u:%s|", line.number, line.text);
        assert_true(n < size);
    }
    assert_int_equal(r, 0);
    assert_int_equal(config_lines_next(&lines, &line), 0);
    free(lines.joined.v);
    return buffer;
}

static void plain_and_joined(void **state)
{
    static const struct {
        const char *text, *lines;
    } CASES[] = {
        { "", "" },
        { "\n \n\t\r\n", "" },
        { "a", "1:a|" },
        { "a\r\nb\r\n", "1:a|2:b|" },
        { "  a b \t\n", "1:a b|" },
        { "#a\n;b\n \t#c\nx # e ; f\n", "4:x # e ; f|" },
        { "a \\\n   b\nc", "1:a b|3:c|" },
        { "a\\\r\nb\\\r\nc\r\n", "1:a b c|" },
        { "a\\\\\nb\n", "1:a\\\\|2:b|" },
        { "a\\\\\\\nb\n", "1:a\\\\ b|" },
        { "a\\ \nb\n", "1:a\\|2:b|" },
        { "a\\\n# no\\\n;no\nb\nc\n", "1:a b|5:c|" },
        { "# a\\\nb\n", "2:b|" },
        { "a\\\n\nb\n", "1:a|3:b|" },
        { "\\\n\\\nb\n", "1:b|" },
        { "\\\n\nb\n", "3:b|" },
        { "a\\", "1:a|" },
        { "\\", "" },
        { "a\\\n#b", "1:a|" },
    };
    char buffer[128];

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++)
        assert_string_equal(lines_of(CASES[i].text, buffer, sizeof(buffer)), CASES[i].lines);
}

/* A line of so many bytes, then one that is meant to be read after it. */
static void check_length(size_t len, const char *join, bool is_too_long)
{
    char *text = malloc(2 * CONFIG_LINE_BYTES + 64);
    struct config_lines lines = { 0 };
    struct config_line line;
    size_t n = len;

    assert_non_null(text);
    memset(text, 'x', len);
    if (join) {
        memcpy(text + len / 2, join, strlen(join));
        memset(text + len / 2 + strlen(join), 'x', len);
        n = len + strlen(join) - 1; /* the blank is of the length that is asked for */
    }
    memcpy(text + n, "\nafter\n", strlen("\nafter\n"));
    lines.text = (struct bytes){ (const uint8_t *)text, n + strlen("\nafter\n") };
    assert_int_equal(config_lines_next(&lines, &line), 1);
    assert_int_equal(line.is_too_long, is_too_long);
    assert_int_equal(line.len, is_too_long ? CONFIG_LINE_BYTES : len);
    assert_int_equal(line.number, 1);
    assert_int_equal(config_lines_next(&lines, &line), 1);
    assert_string_equal(line.text, "after");
    assert_false(line.is_too_long);
    free(lines.joined.v);
    free(text);
}

static void longest(void **state)
{
    (void)state;
    check_length(CONFIG_LINE_BYTES, NULL, false);
    check_length(CONFIG_LINE_BYTES + 1, NULL, true);
    check_length(2 * CONFIG_LINE_BYTES, NULL, true);
    check_length(CONFIG_LINE_BYTES, "\\\n", false);
    check_length(CONFIG_LINE_BYTES + 1, "\\\n", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_and_joined),
        cmocka_unit_test(longest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
