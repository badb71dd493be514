/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A report as a monitoring plugin judges it, on a machine made by hand: what time does, and what is gone. (Whole machines:
 * tests/ctl/test_check.py.)
 */
#include "../cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "answer/check.h"
#include "base/cleanup.h"

static const uint64_t SECOND_US = 1000000, TAKEN_US = UINT64_C(1796040000) * 1000000;

/* A host with a link that is well, and findings as tests add them. */
struct machine {
    struct report report;
    struct subject host, link;
    struct finding findings[3];
    char *text; /* what was printed last */
};

static int setup(void **state)
{
    struct machine *k = calloc(1, sizeof(*k));
    struct host *h;
    struct link *l;

    assert_non_null(k);
    k->host = (struct subject){ .class_name = "t", .name = "host0", .path = "host0" };
    k->link = (struct subject){ .class_name = "t", .name = "target0:0:2", .path = "target0:0:2" };
    k->report.model = model_new();
    k->report.facts = fact_set_new();
    k->report.wall_us = TAKEN_US;
    assert_non_null(k->report.model);
    assert_non_null(k->report.facts);
    h = model_add_host(k->report.model, &k->host);
    assert_non_null(h);
    h->id = "pci";
    l = model_add_link(k->report.model, h, &k->link, "target0:0:2");
    assert_non_null(l);
    l->id = "pci-2";
    l->verdict = VERDICT_OK;
    k->report.summary =
        (struct summary){ .hosts = 1, .links = 1, .verdicts = { [VERDICT_OK] = 1 } };
    *state = k;
    return 0;
}

static int teardown(void **state)
{
    struct machine *k = *state;

    for (size_t i = 0; i < ELEMENTS(k->findings); i++) {
        free(k->findings[i].subjects.v);
        free(k->findings[i].names.v);
    }
    free(k->report.findings.v);
    free(k->report.notes.v);
    model_free(k->report.model);
    fact_set_free(k->report.facts);
    free(k->text);
    free(k);
    return 0;
}

static void find(struct machine *k, const char *code, enum severity severity, const char *subject,
                 const char *name)
{
    struct finding *f = &k->findings[k->report.findings.n];

    f->entry = catalog_find(code);
    assert_non_null(f->entry);
    f->severity = severity;
    f->summary = code;
    assert_int_equal(vec_push(&f->subjects, subject), 0);
    assert_int_equal(vec_push(&f->names, name), 0);
    assert_int_equal(vec_push(&k->report.findings, f), 0);
    if (severity > k->report.summary.worst)
        k->report.summary.worst = severity;
}

/* The exit status, and the text up to the numbers. */
static void assert_says(struct machine *k, struct check_options options, int status,
                        const char *want)
{
    char *text = NULL, *bar;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_null(check_wrong_option(&options));
    assert_int_equal(check(&k->report, &options, out), status);
    fclose(out);
    bar = strstr(text, " | ");
    assert_non_null(bar);
    *bar = '\0';
    assert_string_equal(text, want);
    free(k->text);
    k->text = text;
}

static void test_age(void **state)
{
    struct machine *k = *state;
    struct check_options o = { .now_us = TAKEN_US + 60 * SECOND_US, .max_age_us = 60 * SECOND_US };

    assert_says(k, o, PLUGIN_OK, "HBAD OK - 1 link, none below its expected mode");
    assert_non_null(strstr(k->text + strlen(k->text) + 1, "'age'=60s;;;0;"));
    o.now_us += SECOND_US;
    assert_says(k, o, PLUGIN_UNKNOWN,
                "HBAD UNKNOWN - the report is 61 s old, of 2026-11-30 12:00 UTC; then: "
                "1 link, none below its expected mode");
    find(k, "link-lost", SEVERITY_CRITICAL, "pci-3", "sdx");
    assert_says(k, o, PLUGIN_UNKNOWN,
                "HBAD UNKNOWN - the report is 61 s old, of 2026-11-30 12:00 UTC; then: "
                "1 critical: link-lost");
    o.now_us = TAKEN_US - 3600 * SECOND_US; /* a clock that was set back proves nothing */
    assert_says(k, o, PLUGIN_CRITICAL, "HBAD CRITICAL - 1 critical: link-lost");
    o.now_us = 0;
    assert_says(k, o, PLUGIN_CRITICAL, "HBAD CRITICAL - 1 critical: link-lost");
    assert_null(strstr(k->text + strlen(k->text) + 1, "age"));
}

static void test_what_is_gone(void **state)
{
    static const char *const GONE[] = { "sdx" }, *const THERE[] = { "target0:0:2" },
                             *const NOBODY[] = { "target0:0:2", "sdy" };
    struct machine *k = *state;

    find(k, "link-lost", SEVERITY_CRITICAL, "pci-3", "sdx");
    find(k, "rate-below-expected", SEVERITY_WARNING, "pci-2", "target0:0:2");
    assert_says(k, (struct check_options){ .names = GONE, .n_names = 1 }, PLUGIN_CRITICAL,
                "HBAD CRITICAL - 1 critical: link-lost");
    assert_says(k, (struct check_options){ .names = THERE, .n_names = 1 }, PLUGIN_WARNING,
                "HBAD WARNING - 1 warning: rate-below-expected");
    assert_says(k, (struct check_options){ .names = NOBODY, .n_names = 2 }, PLUGIN_WARNING,
                "HBAD WARNING - 1 warning: rate-below-expected");
    assert_says(k, (struct check_options){ .names = NOBODY + 1, .n_names = 1 }, PLUGIN_UNKNOWN,
                "HBAD UNKNOWN - nothing here is called sdy");
}

static void test_ranges(void **state)
{
    struct machine *k = *state;

    find(k, "rate-below-expected", SEVERITY_WARNING, "pci-2", "target0:0:2");
    find(k, "width-below-expected", SEVERITY_WARNING, "pci-2", "target0:0:2");
    assert_says(k, (struct check_options){ 0 }, PLUGIN_WARNING,
                "HBAD WARNING - 2 warnings: rate-below-expected");
    assert_says(k, (struct check_options){ .number = "warning", .warning = "2", .critical = "5" },
                PLUGIN_OK, "HBAD OK - 1 link, none below its expected mode");
    assert_says(k, (struct check_options){ .number = "warning", .warning = "1", .critical = "5" },
                PLUGIN_WARNING,
                "HBAD WARNING - warning is 2 (warning 1): 1 link, none below its expected mode");
    assert_says(k, (struct check_options){ .number = "links", .critical = "2:" }, PLUGIN_CRITICAL,
                "HBAD CRITICAL - links is 1 (critical 2:): 1 link, none below its expected mode");
    find(k, "link-lost", SEVERITY_CRITICAL, "pci-3", "sdx"); /* which no range tolerates */
    assert_says(k, (struct check_options){ .number = "warning", .warning = "5" }, PLUGIN_CRITICAL,
                "HBAD CRITICAL - 1 critical, 2 warnings: rate-below-expected");
}

static void test_wrong_options(void **state)
{
    (void)state;
    assert_string_equal(check_wrong_option(&(struct check_options){ .number = "planets" }),
                        "number");
    assert_string_equal(check_wrong_option(&(struct check_options){ .warning = "x" }), "warning");
    assert_string_equal(check_wrong_option(&(struct check_options){ .critical = "2:1" }),
                        "critical");
}

static void test_not_examined(void **state)
{
    struct machine *k = *state;

    k->report.unexamined = 2;
    assert_int_equal(vec_push(&k->report.notes, "host1: a device | does not answer"), 0);
    assert_says(
        k, (struct check_options){ 0 }, PLUGIN_UNKNOWN,
        "HBAD UNKNOWN - 2 adapters could not be examined: host1: a device / does not answer");
    find(k, "rate-below-expected", SEVERITY_WARNING, "pci-2", "target0:0:2");
    assert_says(k, (struct check_options){ 0 }, PLUGIN_WARNING,
                "HBAD WARNING - 1 warning: rate-below-expected");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_age),           TEST(test_what_is_gone), TEST(test_ranges),
        TEST(test_wrong_options), TEST(test_not_examined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
