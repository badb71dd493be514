/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings over time, for who tells people of them: what is new, and what is over. A report says what is found now; this
 * says what is worth a word.
 *
 *   (not known) ──found──► new ──found again──► confirmed ──not found──► fading ──for long──► (over)
 *                           └──not found: a blip, never told                └──found: confirmed again, nothing told
 *
 * What a daemon finds when it looks first has been there for who knows how long: it is confirmed at once. While a
 * link flaps, nothing else of it is over. Where not everything could be examined, what is not found may be there still.
 */
#pragma once

#include "finding/report.h"

enum track_state { TRACK_NEW, TRACK_CONFIRMED, TRACK_FADING };

struct tracked {
    const struct catalog_entry *entry; /* of the catalog */
    enum track_state state;
    enum severity severity;
    char *subject;                /* the first one: with the code it tells findings apart */
    char *summary;                /* as it was found last; so are */
    struct texts subjects, names; /* ids, and what people call them; owned, with what is in them */
    uint64_t
        since_us; /* since when it is known to hold, as it was found first: of the report's clock */
    uint64_t gone_us; /* since when it is fading */
    unsigned returns; /* how often it came back while it was fading */
    bool is_found;    /* in the report that is being taken */
};

enum track_change { TRACK_RAISED, TRACK_SEVERITY, TRACK_CLEARED };
const char *track_change_to_string(enum track_change c);

struct track_event {
    enum track_change change;
    enum severity before; /* of TRACK_SEVERITY: what it was */
    struct tracked
        *tracked; /* of TRACK_CLEARED: no longer in the tracker, freed by track_events_done() */
};

struct track_events {
    VEC(struct track_event) list;
};

struct tracker {
    VEC(struct tracked *) all; /* owned */
    bool has_looked;
};

void tracker_done(struct tracker *t);

/* Was what goes by that id examined? Asked where not everything was. */
struct track_sight {
    bool (*was_examined)(void *userdata, const char *id); /* NULL: nothing was */
    void *userdata;
};

/* Takes what a report says at a time (of a clock that only goes forward, in microseconds): what is worth a word goes to
 * the events, which borrow from the tracker. A finding is over when it has been gone for `clear_after_us`.
 * `sight` says, where the report has adapters that were not examined, of what that is so: what is not found there may be
 * there still. NULL: of everything. Returns 0 or -ENOMEM: then some of it is missing. */
int track_take(struct tracker *t, const struct report *report, uint64_t now_us,
               uint64_t clear_after_us, const struct track_sight *sight, struct track_events *ret);
void track_events_done(struct track_events *events);

/* A finding that held when the findings were followed last, before a restart. Texts are copied. */
struct track_before {
    const char *code, *subject; /* the first one */
    enum severity severity;
    uint64_t since_us;
    const char *summary; /* NULL: none */
    struct texts subjects, names;
};

/* Follows it on: found again, nothing is told of it; not found, it is fading. One that is followed already takes over since
 * when it holds, where that is earlier. One whose code is none of the catalog is left alone. Returns 0 or -ENOMEM. */
int track_restore(struct tracker *t, const struct track_before *before);

/* Gives the report's findings the time since when those that are followed hold, where that is earlier: a past that is
 * thinned does not go back as far. */
void track_since(const struct tracker *t, struct report *report);

/* Is there anything new that another look would confirm? */
bool track_wants_look(const struct tracker *t);

/* Is this one of them? */
bool track_is_new(const struct tracker *t, const struct finding *f);

/* When something may be over, if it is not found again: then a look is due. UINT64_MAX: nothing is fading. */
uint64_t track_next_end(const struct tracker *t, uint64_t clear_after_us);
