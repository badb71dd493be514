/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The verbs of hbactl.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl.h"

/* The plugins' exit status for what a report says. */
static int status_of(const struct request *request, const struct report *report)
{
    const struct summary *s = &report->summary;

    if (s->worst == SEVERITY_CRITICAL)
        return EXIT_CRITICAL;
    if (s->worst == SEVERITY_WARNING)
        return EXIT_WARNING;
    if (report->unexamined ||
        !report->model->hosts.n) /* an adapter that is not seen may be one that failed */
        return EXIT_UNSEEN;
    if (s->verdicts[VERDICT_UNKNOWN] &&
        !(s->verdicts[VERDICT_OK] || s->verdicts[VERDICT_BELOW] || s->verdicts[VERDICT_CAPPED]))
        return EXIT_UNSEEN;
    return request->strict && (s->verdicts[VERDICT_UNKNOWN] || s->worst == SEVERITY_INFO)
               ? EXIT_UNSEEN
               : EXIT_WELL;
}

/* What went wrong on the way, for verbs that do not print it with the report. Returns their exit status. */
static int told(const struct report *report)
{
    for (size_t i = 0; i < report->notes.n; i++)
        say("%s", report->notes.v[i]);
    return report->unexamined ? EXIT_FAILURE : EXIT_WELL;
}

int verb_status(const struct request *request)
{
    _cleanup_(report_freep) struct report *report = NULL;

    if (load_report(request, LEVEL_ALL, NULL, &report) < 0)
        return EXIT_UNSEEN;
    if (request->json)
        output_json(report, request->json == JSON_PRETTY, request->out);
    else
        output_status(report, &request->style, request->out);
    return status_of(request, report);
}

int verb_report(const struct request *request)
{
    _cleanup_(report_freep) struct report *report = NULL;

    if (load_report(request, LEVEL_ALL, NULL, &report) < 0)
        return EXIT_FAILURE;
    if (request->json)
        output_json(report, request->json == JSON_PRETTY, request->out);
    else
        output_status(report, &request->style, request->out);
    return EXIT_WELL;
}

/* What can be listed, and how much must be asked of a machine for it. */
static const struct {
    const char *word;
    enum level level;
    void (*print)(const struct report *, const struct text_style *, FILE *);
    void (*json)(const struct report *, bool, FILE *);
} LISTS[] = {
    { "hosts", LEVEL_MODES, output_hosts, output_json_hosts },
    { "links", LEVEL_MODES, output_links, output_json_links },
    { "devices", LEVEL_IDENTITY, output_devices, output_json_devices },
    { "findings", LEVEL_ALL, output_findings, output_json_findings },
};

int verb_list(const struct request *request)
{
    _cleanup_(report_freep) struct report *report = NULL;
    enum level level;
    size_t i = 0;

    while (i < ELEMENTS(LISTS) && strcmp(LISTS[i].word, request->words[0]) != 0)
        i++;
    if (i == ELEMENTS(LISTS)) {
        say("there is no list of %s: hosts, links, devices or findings", request->words[0]);
        return EXIT_USAGE;
    }
    /* What a capture holds costs nothing to look at. */
    level = request->json || request->n_captures ? LEVEL_ALL : LISTS[i].level;
    if (load_report(request, level, NULL, &report) < 0)
        return EXIT_FAILURE;
    if (request->json)
        LISTS[i].json(report, request->json == JSON_PRETTY, request->out);
    else
        LISTS[i].print(report, &request->style, request->out);
    return told(report);
}

static void show(const struct request *request, const struct report *report, const struct object *o)
{
    if (request->json)
        output_json_object(o->host, o->link, o->device, request->json == JSON_PRETTY, request->out);
    else if (o->host)
        output_host(report, o->host, &request->style, request->out);
    else if (o->link)
        output_link(report, o->link, &request->style, request->out);
    else
        output_device(report, o->device, &request->style, request->out);
}

static void explain(const struct request *request, const struct report *report,
                    const struct object *o)
{
    if (request->json)
        output_json_explanation(report, o->host, o->device ? o->device->link : o->link, o->device,
                                request->json == JSON_PRETTY, request->out);
    else if (o->host)
        output_explain_host(report, o->host, &request->style, request->out);
    else if (o->link)
        output_explain_link(report, o->link, &request->style, request->out);
    else
        output_explain_device(report, o->device, &request->style, request->out);
}

static bool looks_like_code(const char *name)
{
    return strchr(name, '-') && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")];
}

/* Prints each object that the first word names. */
static int for_each_named(const struct request *request,
                          void (*print)(const struct request *, const struct report *,
                                        const struct object *))
{
    enum { SHOWN_MAX = 16 };
    _cleanup_(report_freep) struct report *report = NULL;
    _cleanup_free_ char *buffer = NULL;
    bool live = !request->n_captures && !request->sysfs_root;
    const char *name = live ? resolve_live_name(request->words[0], &buffer) : request->words[0];
    struct object objects[SHOWN_MAX];
    char hctl[64];
    size_t n;

    if (load_report(request, LEVEL_ALL, live ? resolve_live_hctl(name, hctl, sizeof(hctl)) : NULL,
                    &report) < 0)
        return EXIT_FAILURE;
    n = resolve_name(report, name, objects, SHOWN_MAX);
    if (n == 0) /* what a path leads to has no name here: a volume of LVM has */
        n = resolve_name(report, request->words[0], objects, SHOWN_MAX);
    for (size_t i = 0; i < n && i < SHOWN_MAX; i++) {
        if (i && !request->json)
            putc('\n', request->out);
        print(request, report, &objects[i]);
    }
    if (n == 0 && !request->json &&
        output_explain_gone(report, name, &request->style, request->out))
        return told(report);
    if (n == 0)
        say("nothing here is called %s; hbactl list hosts, links and devices show the names%s",
            request->words[0],
            looks_like_code(request->words[0]) ? ", hbactl explain codes what findings are called"
                                               : "");
    else if (n > SHOWN_MAX)
        say("%zu objects are called %s; %d are shown", n, request->words[0], SHOWN_MAX);
    return n ? told(report) : EXIT_FAILURE;
}

int verb_show(const struct request *request)
{
    return for_each_named(request, show);
}

/* All codes that there are. */
static int explain_codes(const struct request *request)
{
    if (!request->json)
        output_codes(&request->style, request->out);
    for (const struct catalog_entry *e = CATALOG; request->json && e->code; e++)
        output_json_code(e, request->json == JSON_PRETTY, request->out);
    return EXIT_WELL;
}

int verb_explain(const struct request *request)
{
    const struct catalog_entry *entry = catalog_find(request->words[0]);

    if (strcmp(request->words[0], "codes") == 0)
        return explain_codes(request);
    if (!entry)
        return for_each_named(request, explain);
    if (request->json)
        output_json_code(entry, request->json == JSON_PRETTY, request->out);
    else
        output_code(entry, &request->style, request->out);
    return EXIT_WELL;
}

/* The first word and the second, or this machine, are compared; of two captures the first is the other's
 * past. */
int verb_compare(const struct request *request)
{
    _cleanup_(report_freep) struct report *before = NULL, *after = NULL;
    _cleanup_(comparison_freep) struct comparison *c = NULL;
    struct request first = *request, second = *request;
    struct rates rates;

    if (request->n_captures) {
        say("compare takes its captures as words, not with --capture");
        return EXIT_USAGE;
    }
    first.captures = request->words;
    first.n_captures = 1;
    first.sysfs_root = NULL;
    if (request->n_words > 1) {
        second.captures = request->words;
        second.n_captures = 2;
        second.sysfs_root = NULL;
    }
    if (load_report(&first, LEVEL_ALL, NULL, &before) < 0 ||
        load_report(&second, LEVEL_ALL, NULL, &after) < 0)
        return EXIT_TROUBLE;
    if (compare_reports(before, after, &c) < 0 ||
        rates_compare(before->model, after->model, c->arena, &rates) < 0) {
        say("out of memory");
        return EXIT_TROUBLE;
    }
    if (request->json)
        output_json_comparison(c, &rates, request->json == JSON_PRETTY, request->out);
    else
        output_comparison(c, &rates, &request->style, request->out);
    told(before);
    told(after);
    return c->changes.n || rates.differ ? EXIT_DIFFERENT : EXIT_WELL;
}
