/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of monitoring plugins, whatever comes in.
 */
#include "../cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/plugin.h"

/* What devices and people could try. */
static const char HOSTILE[] =
    "a|b'c;d\"e\nf\\n`g` $(touch x) %n <script> \x1b[31m\x7f\xff \xc3\xa4";

enum { PRINTED_MAX = 8192 }; /* what Nagios 4 takes */

static void print(const struct plugin *p, bool is_checkmk, char ret[static PRINTED_MAX])
{
    FILE *out = fmemopen(ret, PRINTED_MAX, "w");

    assert_non_null(out);
    plugin_print(p, is_checkmk, out);
    assert_int_equal(fclose(out), 0);
}

static void assert_printed(const struct plugin *p, bool is_checkmk, const char *want)
{
    char got[PRINTED_MAX];

    print(p, is_checkmk, got);
    assert_string_equal(got, want);
}

static void test_forms(void **state)
{
    struct plugin_number numbers[] = {
        { .label = "below",
          .unit = "",
          .value = 3,
          .warning = "2",
          .critical = "@3:5",
          .most = 10 },
        { .label = "age", .unit = "s", .value = 7 },
        { .label = "phy-1:0 errors", .unit = "c", .value = UINT64_MAX },
    };
    const char *lines[] = { "one", "two" };
    struct plugin p = { .status = PLUGIN_WARNING, .text = "three", .about = "sdc /dev/sdd" };

    (void)state;
    assert_printed(&p, false, "HBAD WARNING - three\n");
    assert_printed(&p, true, "1 \"HBA links sdc /dev/sdd\" - three\n");
    p.numbers.v = numbers;
    p.numbers.n = ELEMENTS(numbers);
    p.lines.v = lines;
    p.lines.n = ELEMENTS(lines);
    p.about = NULL;
    assert_printed(&p, false,
                   "HBAD WARNING - three | 'below'=3;2;@3:5;0;10 'age'=7s;;;0; "
                   "'phy-1:0 errors'=18446744073709551615c;;;0;\none\ntwo\n");
    assert_printed(
        &p, true,
        "1 \"HBA links\" below=3;2;;0;10|age=7;;;0;|phy_1_0_errors=18446744073709551615;;;0; "
        "three\\none\\ntwo\n");
}

static void test_hostile(void **state)
{
    static const char CLEAN[] = "a/b'c;d'e f?n?g? ?(touch x) %n (script) ?[31m?? \xc3\xa4";
    struct plugin_number number = { .label = HOSTILE, .unit = "" };
    const char *line = HOSTILE;
    struct plugin p = { .status = PLUGIN_OK, .text = HOSTILE, .about = HOSTILE };
    char text[PRINTED_MAX];

    (void)state;
    p.numbers.v = &number;
    p.numbers.n = 1;
    p.lines.v = &line;
    p.lines.n = 1;
    print(&p, false, text);
    assert_memory_equal(text, "HBAD OK - ", 10);
    assert_memory_equal(text + 10, CLEAN, strlen(CLEAN));
    assert_ptr_equal(strchr(text, '|'), strrchr(text, '|')); /* one, before the numbers */
    assert_non_null(strstr(text, " | 'a_b_c_d_e_f_n_g_ __touch x_ _n _script_ "));
    assert_string_equal(strchr(text, '\n') + 1 + strlen(CLEAN), "\n");
    print(&p, true, text);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_ptr_equal(strstr(text, "\\n"), strrchr(text, '\\')); /* one, before the line */
}

static void test_bounds(void **state)
{
    enum { LINES = 500 };
    static char longest[3000];
    const char *lines[LINES];
    struct plugin p = { .status = PLUGIN_CRITICAL, .text = longest };
    char text[PRINTED_MAX];

    (void)state;
    memset(longest, 'x', sizeof(longest) - 1);
    memcpy(longest + PLUGIN_TEXT_MAX - 1, "\xc3\xa4", 2); /* not to be cut in two */
    for (size_t i = 0; i < LINES; i++)
        lines[i] = "a line of text that is as long as many are";
    p.lines.v = lines;
    p.lines.n = LINES;
    print(&p, false, text);
    assert_int_equal(strchr(text, '\n') - text, strlen("HBAD CRITICAL - ") + PLUGIN_TEXT_MAX - 1);
    assert_true(strlen(text) < PLUGIN_TEXT_MAX + PLUGIN_LINES_MAX + 100);
    assert_non_null(strstr(text, "\nand 407 more: hbactl findings\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
