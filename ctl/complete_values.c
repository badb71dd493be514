/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What may stand in a place of the command line (complete.h).
 */
#include "ctl/complete.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "answer/check.h"
#include "base/text.h"
#include "ctl/ask.h"
#include "source/measure.h"
#include "wire/reply.h"

enum { MOMENT_S = 1 };

static bool is_plain(const char *word)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:,+@%=";

    return *word && *word != '-' && !word[strspn(word, PLAIN)];
}

void complete_offer(const struct completing *c, const char *word, const char *about)
{
    _cleanup_free_ char *text = about ? strdup(about) : NULL;

    if (!text_starts_with(word, c->current))
        return;
    for (char *at = text; at && *at; at++)
        if (*at == '\n')
            *at = ' ';
    if (text) /* tabs, too, become something else */
        text_for_terminal(text, false);
    printf("%s%s%s%s\n", c->before, word, text ? "\t" : "", text ? text : "");
}

/* ---- names of objects ---- */

struct kind {
    const char *member; /* of a report */
    const char *name, *about;
    const char *names; /* an array of more, with a directory before each; NULL: there are none */
};

static const struct kind KINDS[] = {
    { "hosts", "kernel_name", "model", NULL },
    { "links", "kernel_name", "far", NULL },
    { "devices", "hctl", "model", "nodes" },
};

struct objects {
    const struct completing *completing;
    const struct kind *kind;
    struct arena *arena;
    const char *about;
};

static void offer_name(const struct objects *o, const char *name)
{
    if (name && is_plain(name))
        complete_offer(o->completing, name, o->about);
}

static int offer_node(void *userdata, struct bytes element)
{
    const struct objects *o = userdata;
    const char *node = NULL;
    int r = varlink_string(element, o->arena, &node);

    if (r == 0 && node && text_starts_with(o->completing->current, "/"))
        offer_name(o, node);
    else if (r == 0 && node)
        offer_name(o, path_last(node));
    return r;
}

static int offer_object(void *userdata, struct bytes element)
{
    struct objects *o = userdata;
    const char *const members[] = { o->kind->name, o->kind->about, o->kind->names };
    struct bytes found[ELEMENTS(members)] = { 0 };
    const char *name = NULL;
    int r = varlink_members(element, members, o->kind->names ? 3 : 2, found);

    if (r == 0)
        r = varlink_string(found[0], o->arena, &name);
    if (r == 0)
        r = varlink_string(found[1], o->arena, &o->about);
    if (r == 0)
        offer_name(o, name);
    return r < 0 || !found[2].len ? r : varlink_elements(found[2], offer_node, o);
}

/* Whatever is wrong: then there are no more of them. */
static void offer_objects(const struct completing *c, struct bytes report)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();

    for (size_t i = 0; arena && i < ELEMENTS(KINDS); i++) {
        struct objects o = { c, &KINDS[i], arena, NULL };
        struct bytes found = { 0 };

        if (varlink_members(report, &KINDS[i].member, 1, &found) == 0)
            varlink_elements(found, offer_object, &o);
    }
}

/* Which is where people type. */
static bool reads_standard_input(const struct request *request)
{
    for (size_t i = 0; i < request->n_captures; i++)
        if (strcmp(request->captures[i], "-") == 0)
            return true;
    return false;
}

static void names(const struct completing *c)
{
    _cleanup_(outcome_done) struct outcome outcome = { 0 };
    _cleanup_free_ char *text = NULL;
    struct request request = *c->line;
    size_t size = 0;

    if ((!request.n_captures && ask_obstacle(&request)) || reads_standard_input(&request))
        return;
    request.daemon = !request.n_captures;
    request.patience_of_daemon_s = MOMENT_S;
    request.json = JSON_SHORT;
    request.out = open_memstream(&text, &size);
    if (!request.out)
        return;
    ask(&request, "status", NULL, NULL, LEVEL_ALL, NULL, &outcome);
    if (fclose(request.out) == 0)
        offer_objects(c, (struct bytes){ (const uint8_t *)text, size });
}

/* ---- words of tables ---- */

static void codes(const struct completing *c)
{
    for (const struct catalog_entry *e = CATALOG; e->code; e++)
        complete_offer(c, e->code, e->title);
}

static void methods(const struct completing *c)
{
    for (const struct measure_method *m = MEASURE_METHODS; m->name; m++)
        complete_offer(c, m->name, m->about);
}

static void numbers(const struct completing *c)
{
    for (size_t i = 0; check_number(i); i++)
        complete_offer(c, check_number(i), NULL);
}

static void files(const struct completing *c)
{
    (void)c;
    puts(":files");
}

static void dirs(const struct completing *c)
{
    (void)c;
    puts(":dirs");
}

static const struct {
    const char *word;
    void (*offer)(const struct completing *c);
} WORDS[] = {
    { "NAME", names }, { "CODE", codes }, { "METHOD", methods }, { "NUMBER", numbers },
    { "FILE", files }, { "PATH", files }, { "CAPTURE", files },  { "DIR", dirs },
};

static void one(const struct completing *c, const char *word)
{
    for (size_t i = 0; i < ELEMENTS(WORDS); i++)
        if (strcmp(WORDS[i].word, word) == 0)
            WORDS[i].offer(c);
    if (islower((unsigned char)*word))
        complete_offer(c, word, NULL);
}

/* As `c`, for the word of a list behind the last comma. *ret_before is what is to be freed. */
static struct completing last_of_list(const struct completing *c, char **ret_before)
{
    const char *comma = strrchr(c->current, ',');
    struct completing last = *c;

    *ret_before = NULL;
    if (!comma ||
        asprintf(ret_before, "%s%.*s", c->before, (int)(comma + 1 - c->current), c->current) < 0)
        return last;
    last.before = *ret_before;
    last.current = comma + 1;
    return last;
}

void complete_values(const struct completing *c, const char *what)
{
    _cleanup_free_ char *copy = strdup(what), *before = NULL;
    char *end = copy ? strstr(copy, ",...") : NULL, *rest = copy, *word;
    struct completing list = last_of_list(c, &before);

    if (end)
        *end = '\0';
    while (copy && (word = strsep(&rest, "|")))
        one(end ? &list : c, word);
}
