/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The verbs of hbactl.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "ctl/ask.h"
#include "output/plugin.h"

/* What went wrong on the way, for verbs that do not print it with the report. Returns their exit status. */
static int told(const struct notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        say("%s", notes->v[i]);
    return notes->unexamined ? EXIT_FAILURE : EXIT_WELL;
}

int verb_status(const struct request *request)
{
    _cleanup_(outcome_done) struct outcome outcome = { 0 };

    if (request->service)
        return verb_service(request);
    if (ask(request, "status", NULL, NULL, LEVEL_ALL, NULL, &outcome) < 0)
        return EXIT_UNSEEN;
    return (int)plugin_status_of(&outcome.summary, outcome.notes.unexamined, request->strict);
}

int verb_report(const struct request *request)
{
    _cleanup_(outcome_done) struct outcome outcome = { 0 };

    if (request->html)
        return page_report(request);
    if (request->past.since) {
        say("--since is for report --html: any other report is of now");
        return EXIT_USAGE;
    }
    return ask(request, "status", NULL, NULL, LEVEL_ALL, NULL, &outcome) < 0 ? EXIT_FAILURE
                                                                             : EXIT_WELL;
}

int verb_list(const struct request *request)
{
    _cleanup_(outcome_done) struct outcome outcome = { 0 };
    enum level level;

    if (answer_list_level(request->words[0], &level) < 0) {
        say("there is no list of %s: hosts, links, devices or findings", request->words[0]);
        return EXIT_USAGE;
    }
    /* What a capture holds costs nothing to look at. */
    if (request->json || request->n_captures)
        level = LEVEL_ALL;
    if (ask(request, "list", request->words[0], NULL, level, NULL, &outcome) < 0)
        return EXIT_FAILURE;
    return told(&outcome.notes);
}

int verb_findings(const struct request *request)
{
    static const char *const WORDS[] = { "findings" };
    struct request list = *request;

    list.words = WORDS;
    list.n_words = 1;
    return verb_list(&list);
}

static bool looks_like_code(const char *name)
{
    return strchr(name, '-') && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")];
}

/* The answer of a verb about what the first word names. */
static int about_named(const struct request *request, const char *verb)
{
    _cleanup_(outcome_done) struct outcome outcome = { 0 };
    _cleanup_free_ char *buffer = NULL;
    bool live = !request->n_captures && !request->sysfs_root;
    const char *word = request->words[0], *name = live ? resolve_live_name(word, &buffer) : word;
    char hctl[64];

    /* What a path leads to has no name in some reports, and the path has: a volume of LVM. */
    if (ask(request, verb, word, name, LEVEL_ALL,
            live ? resolve_live_hctl(name, hctl, sizeof(hctl)) : NULL, &outcome) < 0)
        return EXIT_FAILURE;
    if (!outcome.objects) {
        say("nothing here is called %s; hbactl list hosts, links and devices show the names%s",
            word, looks_like_code(word) ? ", hbactl explain codes what findings are called" : "");
        told(&outcome.notes);
        return EXIT_FAILURE;
    }
    if (outcome.objects > ANSWER_OBJECTS_MAX)
        say("%d objects are called %s; %d are shown", outcome.objects, word, ANSWER_OBJECTS_MAX);
    return told(&outcome.notes);
}

int verb_show(const struct request *request)
{
    return about_named(request, "show");
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
        return about_named(request, "explain");
    if (request->json)
        output_json_code(entry, request->json == JSON_PRETTY, request->out);
    else
        output_code(entry, &request->style, request->out);
    return EXIT_WELL;
}

int verb_metrics(const struct request *request)
{
    _cleanup_(outcome_done) struct outcome outcome = { 0 };

    if (request->json) {
        say("metrics have a form of their own, and no JSON: report --json has all there is");
        return EXIT_USAGE;
    }
    if (ask(request, "metrics", NULL, NULL, LEVEL_ALL, NULL, &outcome) < 0)
        return EXIT_FAILURE;
    if (outcome.objects < 0)
        say("out of memory");
    return outcome.objects < 0 ? EXIT_FAILURE : told(&outcome.notes);
}

static void say_notes(const struct report *report)
{
    for (size_t i = 0; i < report->notes.n; i++)
        say("%s", report->notes.v[i]);
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
    if (c->made_up)
        say("one of the two has made-up names: serial numbers, addresses and host names are not compared");
    say_notes(before);
    say_notes(after);
    return c->changes.n || rates.differ ? EXIT_DIFFERENT : EXIT_WELL;
}
