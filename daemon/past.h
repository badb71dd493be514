/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was seen before, kept in memory: a look each, with bounds.
 *
 * Each look shares with the one before it all that is the same, so that a machine with a thousand links on which nothing
 * happens takes no more for a day than for one look. Of looks in a row that are all the same only the first and the last are
 * kept, which say as much. Where there are too many, the oldest stays, which says how long what is still so has been so, and so
 * do the newest ones, of which changes are counted; of the rest one goes that shows no better mode than others, or, where
 * there is none, the one without which they lie most evenly.
 *
 * Pure: no I/O, no clock.
 */
#pragma once

#include "link/history.h"

enum {
    PAST_MAX = 96, /* looks */
    PAST_RECENT =
        64, /* of these, the newest, whatever they show: an hour in which a link flaps has several dozens */
};

/* Zeroed at first. */
struct past_looks {
    struct history *history; /* NULL: nothing was seen */
    size_t tidy_bytes;       /* what it took when it was written down last */
};

/* Adds a snapshot (copied; it may borrow from the newest one) as the newest, and follows its clock. Returns 0 or -ENOMEM. */
int past_add(struct past_looks *p, const struct snapshot *s);

/* The newest; NULL: there is none. Valid until the next is added. */
const struct snapshot *past_newest(const struct past_looks *p);

/* What went by that kernel name (of a device: H:C:T:L) in the newest look in which anything did: its id, and of a device
 * that of its link (NULL: none). The first is NULL where nothing ever did. Valid as past_newest(). */
struct past_ids {
    const char *id, *link_id;
};
struct past_ids past_named(const struct past_looks *p, const char *name);

/* It is now so late, by the clock of the calendar and by that since boot. Where the first was set back, the looks since boot go back
 * with it: how long ago they were is as true as before, and of what is yet to come nothing can be concluded. */
void past_follow_clock(struct past_looks *p, uint64_t wall_us, uint64_t mono_us);

/* All but those of that time, as a history that borrows them. Returns 0 or -ENOMEM. */
int past_before(const struct past_looks *p, uint64_t wall_us, struct history **ret);

void past_done(struct past_looks *p);
