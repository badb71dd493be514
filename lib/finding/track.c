/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings over time (track.h).
 */
#include "finding/track.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

static const char *const CHANGES[] = { "raised", "changed", "cleared" };
DEFINE_NAMES(enum track_change, track_change, CHANGES)

static void drop_texts(struct texts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        free((char *)(uintptr_t)texts->v[i]); /* of copy_texts() */
    free(texts->v);
    *texts = (struct texts){ 0 };
}

/* Puts a copy in the place of what is there. Returns 0, or -ENOMEM, and that stays. */
static int copy_texts(struct texts *place, const struct texts *texts)
{
    struct texts copy = { 0 };
    int r = vec_reserve(&copy, texts->n);

    for (size_t i = 0; r == 0 && i < texts->n; i++) {
        copy.v[i] = strdup(texts->v[i]);
        r = copy.v[i] ? 0 : -ENOMEM;
        copy.n += r == 0;
    }
    if (r < 0) {
        drop_texts(&copy);
        return r;
    }
    drop_texts(place);
    *place = copy;
    return 0;
}

static void free_tracked(struct tracked *t)
{
    free(t->subject);
    free(t->summary);
    drop_texts(&t->subjects);
    drop_texts(&t->names);
    free(t);
}

void tracker_done(struct tracker *t)
{
    for (size_t i = 0; i < t->all.n; i++)
        free_tracked(t->all.v[i]);
    free(t->all.v);
    *t = (struct tracker){ 0 };
}

void track_events_done(struct track_events *events)
{
    for (size_t i = 0; i < events->list.n; i++)
        if (events->list.v[i].change == TRACK_CLEARED)
            free_tracked(events->list.v[i].tracked);
    free(events->list.v);
    *events = (struct track_events){ 0 };
}

/* Puts the text in the place of another one. */
static int replace(char **place, char *text)
{
    if (!text)
        return -ENOMEM;
    free(*place);
    *place = text;
    return 0;
}

/* What it says of itself now. */
static int refresh(struct tracked *t, const struct finding *f)
{
    int r = replace(&t->summary, strdup(f->summary));

    if (r == 0)
        r = copy_texts(&t->subjects, &f->subjects);
    return r < 0 ? r : copy_texts(&t->names, &f->names);
}

static const char *subject_of(const struct finding *f)
{
    return f->subjects.n ? f->subjects.v[0] : "";
}

static struct tracked *find_named(const struct tracker *t, const char *code, const char *subject)
{
    for (size_t i = 0; i < t->all.n; i++)
        if (strcmp(t->all.v[i]->entry->code, code) == 0 && text_same(t->all.v[i]->subject, subject))
            return t->all.v[i];
    return NULL;
}

static struct tracked *find(const struct tracker *t, const struct finding *f)
{
    return find_named(t, f->entry->code, subject_of(f));
}

/* A new one, in the tracker; NULL without memory. */
static struct tracked *add(struct tracker *t, const char *code, const char *subject,
                           enum severity severity, uint64_t since_us)
{
    struct tracked *new = calloc(1, sizeof(*new));

    if (!new)
        return NULL;
    *new = (struct tracked){
        .entry = catalog_find(code), /* a finding's own may be of its report */
        .severity = severity,
        .subject = strdup(subject),
        .since_us = since_us,
    };
    if (new->entry &&new->subject && vec_push(&t->all, new) == 0)
        return new;
    free_tracked(new);
    return NULL;
}

static int tell(struct track_events *events, enum track_change change, enum severity before,
                struct tracked *tracked)
{
    return vec_push(&events->list,
                    (struct track_event){ .change = change, .before = before, .tracked = tracked });
}

static int take_finding(struct tracker *t, const struct finding *f, struct track_events *events)
{
    struct tracked *known = find(t, f);
    bool is_new = !known;
    enum severity before;
    int r;

    if (is_new)
        known = add(t, f->entry->code, subject_of(f), f->severity, f->since_us);
    if (!known)
        return -ENOMEM;
    if (known->is_found) /* another one of the same name: one word is enough */
        return 0;
    known->is_found = true;
    r = refresh(known, f);
    if (r < 0)
        return r;
    if (known->state == TRACK_NEW && (!is_new || !t->has_looked)) {
        known->state = TRACK_CONFIRMED;
        known->severity = f->severity;
        return tell(events, TRACK_RAISED, SEVERITY_NONE, known);
    }
    if (known->state == TRACK_FADING) {
        known->state = TRACK_CONFIRMED;
        known->returns++;
    }
    before = known->severity;
    if (before == f->severity)
        return 0;
    known->severity = f->severity;
    return known->state == TRACK_NEW ? 0 : tell(events, TRACK_SEVERITY, before, known);
}

static bool flaps(const struct tracker *t, const char *subject)
{
    for (size_t i = 0; i < t->all.n; i++)
        if (t->all.v[i]->is_found && strcmp(t->all.v[i]->entry->code, "link-flapping") == 0 &&
            text_same(t->all.v[i]->subject, subject))
            return true;
    return false;
}

/* One that was not found. Returns 1 where it stays in the tracker, 0 where it is out of it. */
static int miss(struct tracker *t, struct tracked *missed, uint64_t now_us, uint64_t clear_after_us,
                struct track_events *events)
{
    int r;

    if (missed->state == TRACK_NEW) {
        free_tracked(missed);
        return 0;
    }
    if (missed->state == TRACK_CONFIRMED) {
        missed->state = TRACK_FADING;
        missed->gone_us = now_us;
    }
    if (now_us - missed->gone_us < clear_after_us || flaps(t, missed->subject))
        return 1;
    r = tell(events, TRACK_CLEARED, SEVERITY_NONE, missed);
    return r < 0 ? r : 0;
}

/* `sight`: NULL where everything was examined. */
static int take_missing(struct tracker *t, uint64_t now_us, uint64_t clear_after_us,
                        const struct track_sight *sight, struct track_events *events)
{
    size_t n = 0;
    int failed = 0;

    for (size_t i = 0; i < t->all.n; i++) {
        struct tracked *at = t->all.v[i];
        bool may_be_there = sight && !(sight->was_examined &&
                                       sight->was_examined(sight->userdata, at->subject));
        int r = at->is_found || may_be_there ? 1 : miss(t, at, now_us, clear_after_us, events);

        if (r < 0)
            failed = r;
        if (r)
            t->all.v[n++] = at;
    }
    t->all.n = n;
    return failed;
}

int track_take(struct tracker *t, const struct report *report, uint64_t now_us,
               uint64_t clear_after_us, const struct track_sight *sight, struct track_events *ret)
{
    static const struct track_sight NONE = { 0 };
    int r = 0;

    *ret = (struct track_events){ 0 };
    for (size_t i = 0; i < t->all.n; i++)
        t->all.v[i]->is_found = false;
    for (size_t i = 0; r == 0 && i < report->findings.n; i++)
        r = take_finding(t, report->findings.v[i], ret);
    if (!report->unexamined)
        sight = NULL;
    else if (!sight)
        sight = &NONE;
    if (r == 0)
        r = take_missing(t, now_us, clear_after_us, sight, ret);
    if (r == 0)
        t->has_looked = true;
    return r;
}

int track_restore(struct tracker *t, const struct track_before *before)
{
    struct tracked *known = find_named(t, before->code, before->subject);
    int r;

    if (known) {
        if (before->since_us < known->since_us)
            known->since_us = before->since_us;
        return 0;
    }
    if (!catalog_find(before->code))
        return 0;
    known = add(t, before->code, before->subject, before->severity, before->since_us);
    if (!known)
        return -ENOMEM;
    known->state = TRACK_CONFIRMED;
    r = replace(&known->summary, strdup(before->summary ? before->summary : known->entry->title));
    if (r == 0)
        r = copy_texts(&known->subjects, &before->subjects);
    return r < 0 ? r : copy_texts(&known->names, &before->names);
}

void track_since(const struct tracker *t, struct report *report)
{
    for (size_t i = 0; i < report->findings.n; i++) {
        struct finding *f = report->findings.v[i];
        const struct tracked *known = find(t, f);

        if (known && known->since_us && known->since_us < f->since_us)
            f->since_us = known->since_us;
    }
}

bool track_wants_look(const struct tracker *t)
{
    for (size_t i = 0; i < t->all.n; i++)
        if (t->all.v[i]->state == TRACK_NEW)
            return true;
    return false;
}

bool track_is_new(const struct tracker *t, const struct finding *f)
{
    const struct tracked *known = find(t, f);

    return known && known->state == TRACK_NEW;
}

uint64_t track_next_end(const struct tracker *t, uint64_t clear_after_us)
{
    uint64_t soonest = UINT64_MAX;

    for (size_t i = 0; i < t->all.n; i++)
        if (t->all.v[i]->state == TRACK_FADING && t->all.v[i]->gone_us + clear_after_us < soonest)
            soonest = t->all.v[i]->gone_us + clear_after_us;
    return soonest;
}
