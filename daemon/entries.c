/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings that have come, changed or gone → entries of the journal, and alerts (manager.h): one each, but for many at once
 * (finding/coalesce.h), which are one with the names of all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/manager.h"
#include "finding/coalesce.h"

/* Of each kind, in an entry: a datagram has its bounds, and so has who reads it. */
enum { NAMES_MAX = 64 };

struct entry {
    struct arena *arena;
    VEC(struct journal_field) fields;
    size_t subjects, names; /* so many of each are in it */
    char *all_subjects, *all_names;
};

static int put(struct entry *e, const char *name, const char *value)
{
    return value ? vec_push(&e->fields, (struct journal_field){ name, value }) : -ENOMEM;
}

/* A field may be there several times; so each can be searched for. `*n` counts them, `*all` has them with blanks between. */
static int put_one(struct entry *e, const char *name, const char *value, size_t *n, char **all)
{
    if (*n == NAMES_MAX)
        return 0;
    *all = *n ? arena_printf(e->arena, "%s %s", *all, value) : arena_strdup(e->arena, value);
    *n += 1;
    return *all ? put(e, name, value) : -ENOMEM;
}

static int put_texts(struct entry *e, const char *name, const struct texts *texts, size_t *n,
                     char **all)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < texts->n; i++)
        r = put_one(e, name, texts->v[i], n, all);
    return r;
}

static int put_objects(struct entry *e, const struct tracked *t)
{
    int r = put_texts(e, "HBAD_SUBJECT", &t->subjects, &e->subjects, &e->all_subjects);

    return r < 0 ? r : put_texts(e, "HBAD_NAME", &t->names, &e->names, &e->all_names);
}

/* Priorities of syslog(3). */
static const char *priority_of(const struct coalesced *c)
{
    if (c->events[0]->change == TRACK_CLEARED)
        return "5";
    return c->severity == SEVERITY_CRITICAL ? "2" : c->severity == SEVERITY_WARNING ? "4" : "6";
}

static int put_all(struct entry *e, const struct coalesced *c, const char *message)
{
    const struct catalog_entry *code = c->events[0]->tracked->entry;
    const char *const always[][2] = {
        { "MESSAGE", message },
        { "MESSAGE_ID", code->message_id },
        { "PRIORITY", priority_of(c) },
        { "SYSLOG_IDENTIFIER", "hbad" },
        { "HBAD_CODE", code->code },
        { "HBAD_CHANGE", track_change_to_string(c->events[0]->change) },
        { "HBAD_SEVERITY", severity_to_string(c->severity) },
    };
    int r = 0;

    for (size_t i = 0; r == 0 && i < ELEMENTS(always); i++)
        r = put(e, always[i][0], always[i][1]);
    for (size_t i = 0; r == 0 && i < c->n; i++)
        r = put_objects(e, c->events[i]->tracked);
    if (r == 0)
        r = put(e, "HBAD_SUBJECTS", e->all_subjects ? e->all_subjects : "");
    if (r == 0)
        r = put(e, "HBAD_NAMES", e->all_names ? e->all_names : "");
    if (r == 0 && c->n > 1)
        r = put(e, "HBAD_COUNT", arena_printf(e->arena, "%zu", c->n));
    if (r == 0 && c->n > 1 && c->host)
        r = put(e, "HBAD_HOST", c->host);
    return r;
}

static void tell(struct manager *m, const struct coalesced *c)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_free_ char *message = coalesced_message(c);
    struct entry e = { .arena = arena };
    int r = arena && message ? put_all(&e, c, message) : -ENOMEM;

    if (r == 0)
        r = journal_send(m->journal, e.fields.v, e.fields.n);
    if (r == -ENOENT || r == -ENOMEM) /* -ENOBUFS is said for all of them at once */
        log_line(LOG_NOTE, "%s: %s", c->events[0]->tracked->entry->code,
                 message ? message : c->events[0]->tracked->summary);
    free(e.fields.v);
    if (message)
        alert(m, c, message);
}

void tell_findings(struct manager *m, const struct track_events *events)
{
    struct coalescence all;
    int r = coalesce(events, m->report, &all);

    if (r < 0) {
        log_line(LOG_ERROR, "%zu findings are not told: %s", events->list.n, strerror(-r));
        return;
    }
    for (size_t i = 0; i < all.list.n; i++)
        tell(m, &all.list.v[i]);
    coalescence_done(&all);
}
