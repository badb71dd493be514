/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers of verbs (answer.h).
 */
#include "answer/answer.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "diagnose/resolve.h"
#include "output/metrics.h"

static int status(const struct report *report, const char *word, const struct answer_style *style,
                  FILE *out)
{
    (void)word;
    if (style->json)
        output_json(report, style->pretty, out);
    else
        output_status(report, &style->text, out);
    return 1;
}

/* What can be listed, and how much must be asked of a machine for it. */
static const struct {
    const char *kind;
    enum level level;
    void (*print)(const struct report *, const struct text_style *, FILE *);
    void (*json)(const struct report *, bool, FILE *);
} LISTS[] = {
    { "hosts", LEVEL_MODES, output_hosts, output_json_hosts },
    { "links", LEVEL_MODES, output_links, output_json_links },
    { "devices", LEVEL_IDENTITY, output_devices, output_json_devices },
    { "findings", LEVEL_ALL, output_findings, output_json_findings },
};

/* The place of a list in the table; ELEMENTS(LISTS) where there is none. */
static size_t find_list(const char *kind)
{
    size_t i = 0;

    while (i < ELEMENTS(LISTS) && strcmp(LISTS[i].kind, kind) != 0)
        i++;
    return i;
}

int answer_list_level(const char *kind, enum level *ret)
{
    size_t i = find_list(kind);

    if (i == ELEMENTS(LISTS))
        return -ENOENT;
    *ret = LISTS[i].level;
    return 0;
}

static int list(const struct report *report, const char *kind, const struct answer_style *style,
                FILE *out)
{
    size_t i = find_list(kind);

    if (i == ELEMENTS(LISTS))
        return -ENOENT;
    if (style->json)
        LISTS[i].json(report, style->pretty, out);
    else
        LISTS[i].print(report, &style->text, out);
    return 1;
}

static void show_object(const struct report *report, const struct object *o,
                        const struct answer_style *style, FILE *out)
{
    if (style->json)
        output_json_object(o->host, o->link, o->device, style->pretty, out);
    else if (o->host)
        output_host(report, o->host, &style->text, out);
    else if (o->link)
        output_link(report, o->link, &style->text, out);
    else
        output_device(report, o->device, &style->text, out);
}

static void explain_object(const struct report *report, const struct object *o,
                           const struct answer_style *style, FILE *out)
{
    if (style->json)
        output_json_explanation(report, o->host, o->device ? o->device->link : o->link, o->device,
                                style->pretty, out);
    else if (o->host)
        output_explain_host(report, o->host, &style->text, out);
    else if (o->link)
        output_explain_link(report, o->link, &style->text, out);
    else
        output_explain_device(report, o->device, &style->text, out);
}

/* Prints each object that goes by the name. */
static int for_each_named(const struct report *report, const char *name,
                          const struct answer_style *style, FILE *out,
                          void (*print)(const struct report *, const struct object *,
                                        const struct answer_style *, FILE *))
{
    struct object objects[ANSWER_OBJECTS_MAX];
    size_t n = resolve_name(report, name, objects, ANSWER_OBJECTS_MAX);

    for (size_t i = 0; i < n && i < ANSWER_OBJECTS_MAX; i++) {
        if (i && !style->json)
            putc('\n', out);
        print(report, &objects[i], style, out);
    }
    if (n == 0 && !style->json)
        n = output_explain_gone(report, name, &style->text, out) ? 1 : 0;
    return n < INT_MAX ? (int)n : INT_MAX;
}

static int show(const struct report *report, const char *name, const struct answer_style *style,
                FILE *out)
{
    return for_each_named(report, name, style, out, show_object);
}

static int explain(const struct report *report, const char *name, const struct answer_style *style,
                   FILE *out)
{
    return for_each_named(report, name, style, out, explain_object);
}

static int metrics(const struct report *report, const char *word, const struct answer_style *style,
                   FILE *out)
{
    (void)word;
    (void)style;
    return output_metrics(report, out) < 0 ? -ENOMEM : 1;
}

static const struct {
    const char *word;
    bool needs_word;
    int (*print)(const struct report *report, const char *word, const struct answer_style *style,
                 FILE *out);
} VERBS[] = {
    { "status", false, status },  { "list", true, list },        { "show", true, show },
    { "explain", true, explain }, { "metrics", false, metrics },
};

int answer(const struct report *report, const char *verb, const char *word,
           const struct answer_style *style, FILE *out)
{
    for (size_t i = 0; i < ELEMENTS(VERBS); i++)
        if (strcmp(VERBS[i].word, verb) == 0 && (word || !VERBS[i].needs_word))
            return VERBS[i].print(report, word, style, out);
    return -EINVAL;
}
