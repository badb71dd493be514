/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/markup.h"

#define NONE "\xef\xbf\xbd"

static void assert_text(const char *text, const char *expected)
{
    char *v = NULL;
    size_t n;
    FILE *out = open_memstream(&v, &n);

    markup_text(text, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(v, expected);
    free(v);
}

static void markup_is_escaped(void **state)
{
    (void)state;
    assert_text("<script>alert(\"1\" & '2')</script>",
                "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
    assert_text("&amp;", "&amp;amp;");
    assert_text("]]>", "]]&gt;");
    assert_text("", "");
    assert_text(NULL, "");
}

static void what_is_obeyed_is_replaced(void **state)
{
    (void)state;
    assert_text("a\x01\x1b[31mb\x7f\tc\n9", "a" NONE NONE "[31mb" NONE NONE "c\n9");
    assert_text("\xc2\x85\xc2\x9b\xc2\xa0",
                NONE NONE "\xc2\xa0"); /* C1, and U+00A0, which is none */
    assert_text("x\xe2\x80\xaey\xe2\x81\xa6z", "x" NONE "y" NONE "z");   /* U+202E, U+2066 */
    assert_text("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", NONE NONE NONE); /* U+FFFE, U+FFFF */
}

static void what_is_no_utf8_is_replaced(void **state)
{
    (void)state;
    assert_text("a\xff"
                "b\xc3",
                "a" NONE "b" NONE);
    assert_text("\xc0\xbc"
                "script",
                NONE NONE "script");                      /* an overlong '<' */
    assert_text("\xed\xa0\x80", NONE NONE NONE);          /* a surrogate */
    assert_text("\xf4\x90\x80\x80", NONE NONE NONE NONE); /* above U+10FFFF */
    assert_text("\xc3<\xa4", NONE "&lt;" NONE); /* does not take the next character along */
    assert_text("ä€𝄞", "ä€𝄞");
}

static void only_what_is_put_in_is_escaped(void **state)
{
    char *v = NULL;
    size_t n;
    FILE *out;

    (void)state;
    out = open_memstream(&v, &n);
    markup(out, "<a href=\"#%s%zu\">%s</a>%u %d %" PRIu64 " 100 %%", "x\"", (size_t)7, "<b>", 3u,
           -4, UINT64_MAX);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(v, "<a href=\"#x&quot;7\">&lt;b&gt;</a>3 -4 18446744073709551615 100 %");
    free(v);
}

static void lines_are_elements(void **state)
{
    struct markup_lines lines;
    char *v = NULL;
    size_t n;
    FILE *out;

    (void)state;
    out = open_memstream(&v, &n);
    assert_int_equal(markup_lines_begin(&lines), 0);
    fputs("one <1>\n\ntwo", lines.text);
    assert_int_equal(markup_lines_end(&lines, "li", out), 0);
    assert_int_equal(markup_lines_begin(&lines), 0);
    fputs("a\nb & c", lines.text);
    assert_int_equal(markup_lines_end(&lines, NULL, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(v, "<li>one &lt;1&gt;</li>\n<li>two</li>\na\nb &amp; c");
    free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(what_is_obeyed_is_replaced),
        cmocka_unit_test(what_is_no_utf8_is_replaced),
        cmocka_unit_test(only_what_is_put_in_is_escaped),
        cmocka_unit_test(lines_are_elements),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
