/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <stdlib.h>

#include "output/prometheus.h"

struct written {
    char *text;
    size_t size;
    FILE *out;
    struct prometheus p;
};

static void begin(struct written *w)
{
    w->out = open_memstream(&w->text, &w->size);
    assert_non_null(w->out);
    w->p = prometheus(w->out);
}

static void expect(struct written *w, const char *text)
{
    assert_int_equal(prometheus_done(&w->p), 0);
    assert_int_equal(fclose(w->out), 0);
    assert_string_equal(w->text, text);
    free(w->text);
}

static void by_labels_and_the_last_counts(void **state)
{
    struct written w;

    (void)state;
    begin(&w);
    prometheus_begin(&w.p, "hba_x", PROMETHEUS_GAUGE, "Two\nlines \\.");
    prometheus_sample(&w.p, PROMETHEUS_LABELS({ "a", "2" }), 1, 0);
    prometheus_sample(&w.p, PROMETHEUS_LABELS({ "a", "1" }, { "b", "x y" }), 2, 0);
    prometheus_sample(&w.p, PROMETHEUS_LABELS({ "a", "1" }), 3, 0);
    prometheus_sample(&w.p, PROMETHEUS_LABELS({ "a", "2" }), 4, 0);
    prometheus_sample(&w.p, NULL, 5, 0);
    prometheus_end(&w.p);
    expect(&w, "# HELP hba_x Two\\nlines \\\\.\n# TYPE hba_x gauge\n"
               "hba_x 5\nhba_x{a=\"1\",b=\"x y\"} 2\nhba_x{a=\"1\"} 3\nhba_x{a=\"2\"} 4\n");
}

static void nothing_of_nothing(void **state)
{
    struct written w;

    (void)state;
    begin(&w);
    prometheus_begin(&w.p, "hba_x", PROMETHEUS_GAUGE, "None.");
    prometheus_end(&w.p);
    expect(&w, "");
}

static void labels_from_anywhere(void **state)
{
    struct written w;

    (void)state;
    begin(&w);
    prometheus_begin(&w.p, "hba_x_total", PROMETHEUS_COUNTER, "X.");
    prometheus_sample(&w.p,
                      PROMETHEUS_LABELS({ "a", "q\"b\\n\nt\tx\x1b\x7f" }, { "b", NULL },
                                        { "c", "" }, { "d", "\xff\xc3\xbc\xc3" }),
                      UINT64_MAX, 0);
    prometheus_end(&w.p);
    expect(&w, "# HELP hba_x_total X.\n# TYPE hba_x_total counter\n"
               "hba_x_total{a=\"q\\\"b\\\\n\\nt?x??\",d=\"?\xc3\xbc?\"} 18446744073709551615\n");
}

static void fractions(void **state)
{
    static const struct {
        uint64_t value;
        unsigned digits;
        const char *text;
    } CASES[] = {
        { 0, 6, "hba_x 0\n" },
        { 105, 6, "hba_x 0.000105\n" },
        { 1500000, 6, "hba_x 1.5\n" },
        { 2000000, 6, "hba_x 2\n" },
        { 1000001, 6, "hba_x 1.000001\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char text[128];
        struct written w;

        begin(&w);
        prometheus_single(&w.p, "hba_x", PROMETHEUS_GAUGE, "X.", CASES[i].value, CASES[i].digits);
        snprintf(text, sizeof(text), "# HELP hba_x X.\n# TYPE hba_x gauge\n%s", CASES[i].text);
        expect(&w, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_labels_and_the_last_counts),
        cmocka_unit_test(nothing_of_nothing),
        cmocka_unit_test(labels_from_anywhere),
        cmocka_unit_test(fractions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
