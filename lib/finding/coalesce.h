/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is told of many findings at once: where a shelf, a cable or a power supply goes, everything behind it changes in one look,
 * and forty entries that say the same hide the forty-first. Findings of one code that have changed in the same way and belong to one
 * host become one word about all of them; so do the rest of that code, of many hosts. The report goes on to have each by itself.
 */
#pragma once

#include "finding/track.h"

enum {
    COALESCE_FROM = 4,  /* so many are told as one: fewer can be read one by one */
    COALESCE_NAMES = 3, /* of them are named in the sentence */
};

/* Told as one: events of one code and change. */
struct coalesced {
    const struct track_event *const *events; /* in the order in which they were given */
    size_t n;
    const char *
        host; /* of all of them, as people call it; NULL: of several, or not known; borrowed of the model */
    bool are_links;         /* each is about a link that is there */
    enum severity severity; /* of the worst */
};

struct coalescence {
    VEC(struct coalesced) list; /* in the order of the first event of each */
    const struct track_event **events;
};

/* Puts the events together; all of them are in the result, which borrows from them and from the report. Returns 0 or -ENOMEM. */
int coalesce(const struct track_events *events, const struct report *report,
             struct coalescence *ret);
void coalescence_done(struct coalescence *c);

/* What is said of them: of one its own summary, of many "12 links of host1 at once: …: sda, sdb, sdc and 9 more"; "over: " before it
 * where they are over. To be freed; NULL without memory. */
char *coalesced_message(const struct coalesced *c);
