/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a person means by a name. (What is there goes by names as tests/unit/diagnose has them.)
 */
#include "../cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "answer/named.h"

/* A host with a link and a disk, and a link that is gone. */
struct case_ {
    struct report report;
    struct subject subjects[3];
    struct finding findings[3];
    struct catalog_entry entries[3];
};

static void add_finding(struct case_ *c, size_t i, const char *code, const char *subject,
                        const char *name)
{
    struct finding *f = &c->findings[i];

    c->entries[i] = *catalog_find(code);
    f->entry = &c->entries[i];
    assert_int_equal(vec_push(&f->subjects, subject), 0);
    assert_int_equal(vec_push(&f->names, name), 0);
    assert_int_equal(vec_push(&c->report.findings, f), 0);
}

static void make(struct case_ *c)
{
    static const char *const NAMES[] = { "host0", "target0:0:2", "0:0:2:0" };
    struct host *h;
    struct link *l;
    struct device *d;

    memset(c, 0, sizeof(*c));
    for (size_t i = 0; i < 3; i++)
        c->subjects[i] = (struct subject){ .class_name = "t", .name = NAMES[i], .path = NAMES[i] };
    c->report.model = model_new();
    c->report.facts = fact_set_new();
    assert_non_null(c->report.model);
    assert_non_null(c->report.facts);
    h = model_add_host(c->report.model, &c->subjects[0]);
    assert_non_null(h);
    h->id = "pci";
    l = model_add_link(c->report.model, h, &c->subjects[1], NAMES[1]);
    assert_non_null(l);
    l->id = "pci-2";
    d = model_add_device(c->report.model, h, &c->subjects[2]);
    assert_non_null(d);
    d->id = "pci-2-lun-0";
    d->link = l;
    add_finding(c, 0, "rate-below-expected", "pci-2", "target0:0:2");
    add_finding(c, 1, "device-stuck", "pci-2-lun-0", "0:0:2:0");
    add_finding(c, 2, "link-lost", "pci-3", "target0:0:3");
}

static void done(struct case_ *c)
{
    for (size_t i = 0; i < 3; i++) {
        free(c->findings[i].subjects.v);
        free(c->findings[i].names.v);
    }
    free(c->report.findings.v);
    model_free(c->report.model);
    fact_set_free(c->report.facts);
}

/* The codes of the findings, a blank between them. */
static void assert_findings(const struct case_ *c, const char *name, const char *code,
                            const char *want)
{
    struct finding *found[4];
    char got[128] = "";
    size_t n = named_findings(&c->report, name, code, found, 4);

    for (size_t i = 0; i < n; i++)
        snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "",
                 found[i]->entry->code);
    assert_string_equal(got, want);
}

static void test_findings(void **state)
{
    struct case_ c;
    struct finding *one[1];

    (void)state;
    make(&c);
    assert_findings(&c, "target0:0:2", NULL, "rate-below-expected");
    assert_findings(&c, "0:0:2:0", NULL, "rate-below-expected device-stuck");
    assert_findings(&c, "0:0:2:0", "device-stuck", "device-stuck");
    assert_findings(&c, "0:0:2:0", "async", "");
    assert_findings(&c, "host0", NULL, "");
    /* What is gone: as findings call it, or by its id. */
    assert_findings(&c, "target0:0:3", NULL, "link-lost");
    assert_findings(&c, "TARGET0:0:3", NULL, "link-lost");
    assert_findings(&c, "pci-3", NULL, "link-lost");
    assert_findings(&c, "nothing", NULL, "");
    /* All are counted, as many as there is room for are written. */
    assert_int_equal(named_findings(&c.report, "0:0:2:0", NULL, one, 1), 2);
    assert_ptr_equal(one[0], &c.findings[0]);
    done(&c);
}

static void assert_objects(const struct case_ *c, const char *name, const char *want)
{
    struct named found[4];
    char got[128] = "";
    size_t n = named_objects(&c->report, name, found, 4);

    for (size_t i = 0; i < n; i++)
        snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s=%s", i ? " " : "",
                 found[i].name, found[i].id);
    assert_string_equal(got, want);
}

static void test_objects(void **state)
{
    struct case_ c;
    struct named one[1];

    (void)state;
    make(&c);
    assert_objects(&c, "host0", "host0=pci");
    assert_objects(&c, "target0:0:2", "target0:0:2=pci-2");
    assert_objects(&c, "0:0:2:0", "0:0:2:0=pci-2-lun-0 target0:0:2=pci-2");
    assert_objects(&c, "target0:0:3", "target0:0:3=pci-3");
    assert_objects(&c, "naa.5000", "naa.5000=naa.5000");
    assert_int_equal(named_objects(&c.report, "0:0:2:0", one, 1), 1);
    done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_objects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
