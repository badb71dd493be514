/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which findings are told as one, and what is said of them.
 */
#include "../model_machine.h"

#include "finding/coalesce.h"

enum { LINKS = 6, HOSTS = 3, EVENTS_MAX = 32 };

/* Three hosts of six links each, and what is told of them. */
struct storm {
    struct machine k;
    struct report report;
    struct tracked tracked[EVENTS_MAX];
    const char *lists[EVENTS_MAX][3];
    char subjects[EVENTS_MAX][32], names[EVENTS_MAX][32], summaries[EVENTS_MAX][64];
    struct track_events events;
};

static void begin(struct storm *s)
{
    memset(s, 0, sizeof(*s));
    s->k = machine_new();
    s->report.model = s->k.model;
    for (int h = 0; h < HOSTS; h++) {
        struct host *host = model_add_host(s->k.model, subject(&s->k, "host"));

        host->id = arena_printf(s->k.model->arena, "pci-%d", h);
        host->kernel_name = arena_printf(s->k.model->arena, "host%d", h);
        for (int l = 0; l < LINKS; l++) {
            struct link *link = model_add_link(s->k.model, host, subject(&s->k, "link"), "phy");

            link->id = arena_printf(s->k.model->arena, "pci-%d-phy-%d", h, l);
        }
    }
}

static void end(struct storm *s)
{
    free(s->events.list.v);
    machine_done(&s->k);
}

static void add(struct storm *s, const char *code, enum track_change change, const char *id)
{
    size_t i = s->events.list.n;
    struct tracked *t = &s->tracked[i];
    const char **lists = s->lists[i];

    snprintf(s->subjects[i], sizeof(s->subjects[i]), "%s", id);
    snprintf(s->names[i], sizeof(s->names[i]), "n%s", id + strlen("pci-"));
    snprintf(s->summaries[i], sizeof(s->summaries[i]), "%s is so", id);
    lists[0] = s->subjects[i];
    lists[1] = s->names[i];
    lists[2] = "more";
    *t = (struct tracked){ .entry = catalog_find(code),
                           .severity = i == 1 ? SEVERITY_CRITICAL : SEVERITY_WARNING,
                           .subject = s->subjects[i],
                           .subjects = { lists, 1, 1 },
                           .names = { lists + 1, 2, 2 },
                           .summary = s->summaries[i] };
    assert_non_null(t->entry);
    assert_int_equal(
        vec_push(&s->events.list, (struct track_event){ .change = change, .tracked = t }), 0);
}

static void add_links(struct storm *s, const char *code, enum track_change change, int host, int n)
{
    for (int i = 0; i < n; i++) {
        char id[32];

        snprintf(id, sizeof(id), "pci-%d-phy-%d", host, i);
        add(s, code, change, id);
    }
}

/* What is said, a line each. */
static void assert_said(const struct storm *s, const char *want)
{
    struct coalescence c;
    char said[2048] = "";
    size_t n = 0;

    assert_int_equal(coalesce(&s->events, &s->report, &c), 0);
    for (size_t i = 0; i < c.list.n; i++) {
        char *message = coalesced_message(&c.list.v[i]);

        assert_non_null(message);
        snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n", message);
        free(message);
        n += c.list.v[i].n;
    }
    assert_string_equal(said, want);
    assert_int_equal(n, s->events.list.n); /* each once */
    coalescence_done(&c);
}

#define RATE "the lane rate is below what both ends and the path can do"

static void test_few_are_told_one_by_one(void **state)
{
    struct storm s;

    (void)state;
    begin(&s);
    assert_said(&s, "");
    add_links(&s, "rate-below-expected", TRACK_RAISED, 0, COALESCE_FROM - 1);
    assert_said(&s, "pci-0-phy-0 is so\npci-0-phy-1 is so\npci-0-phy-2 is so\n");
    end(&s);
}

static void test_links_of_one_host(void **state)
{
    struct coalescence c;
    struct storm s;

    (void)state;
    begin(&s);
    add_links(&s, "rate-below-expected", TRACK_RAISED, 1, LINKS);
    add(&s, "rate-below-expected", TRACK_RAISED, "pci-0-phy-0"); /* alone on its host */
    add(&s, "async", TRACK_RAISED, "pci-1-phy-0");               /* of another code */
    add(&s, "rate-below-expected", TRACK_CLEARED, "pci-1-phy-0");
    assert_said(&s, "6 links of host1 at once: " RATE ": n1-phy-0, n1-phy-1, n1-phy-2 and 3 more\n"
                    "pci-0-phy-0 is so\npci-1-phy-0 is so\nover: pci-1-phy-0 is so\n");
    assert_int_equal(coalesce(&s.events, &s.report, &c), 0);
    assert_int_equal(c.list.v[0].severity, SEVERITY_CRITICAL); /* of the worst */
    assert_string_equal(c.list.v[0].host, "host1");
    coalescence_done(&c);
    end(&s);
}

static void test_of_many_hosts(void **state)
{
    struct storm s;

    (void)state;
    begin(&s);
    add_links(&s, "rate-below-expected", TRACK_RAISED, 0, 2);
    add_links(&s, "rate-below-expected", TRACK_RAISED, 1, 5);
    add_links(&s, "rate-below-expected", TRACK_RAISED, 2, 2);
    assert_said(&s,
                "4 links at once: " RATE ": n0-phy-0, n0-phy-1, n2-phy-0 and 1 more\n"
                "5 links of host1 at once: " RATE ": n1-phy-0, n1-phy-1, n1-phy-2 and 2 more\n");
    end(&s);
}

/* What is gone is of the host that its id begins with. */
static void test_what_is_gone(void **state)
{
    struct storm s;

    (void)state;
    begin(&s);
    for (int i = 0; i < COALESCE_FROM; i++) {
        char id[32];

        snprintf(id, sizeof(id), "pci-2-gone-%d", i);
        add(&s, "rate-below-expected", TRACK_CLEARED, id);
    }
    assert_said(&s, "over: 4 findings of host2 at once: " RATE
                    ": n2-gone-0, n2-gone-1, n2-gone-2 and 1 more\n");
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_are_told_one_by_one),
        cmocka_unit_test(test_links_of_one_host),
        cmocka_unit_test(test_of_many_hosts),
        cmocka_unit_test(test_what_is_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
