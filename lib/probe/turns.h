/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who of a machine's devices is read next: what is remembered of each from plan to plan, as schedule.h counts it. Pure: the
 * caller says what time it is, starts what is picked, and says how it went.
 *
 * A run reads devices one after the other, and costs a look at the whole machine: so those go along whose turn comes
 * soon anyway, and whose interval is over.
 */
#pragma once

#include "base/vec.h"
#include "link/history.h"
#include "probe/plan.h"
#include "probe/schedule.h"
#include "source/measure.h"

/* A device's. */
struct turn {
    char *id;
    const struct plan_entry *entry; /* of the last turns_update(); NULL: it is gone */
    void *owner;                    /* whatever reads it, one device at a time: the caller's */
    uint64_t seed;
    struct schedule_state state;
    bool is_assumed; /* state.last_us is when hbad was started, for nothing is known of before */
    bool is_running;
    uint64_t reserved; /* bytes that a run under way may read */
    uint64_t read_us;  /* when the last probe that gave a result began; 0: none is known */
    char *why;         /* the last attempt gave none; NULL: it did, or there was none */
    /* The newest result that counts, with texts of its own; `method` NULL: none. Its hctl is that of `entry`. */
    struct measurement kept;
    uint64_t kept_of; /* the device and the mode of its link then, as a number */
};

struct turns {
    VEC(struct turn *) v; /* sorted by id */
    bool has_begun;
};

void turns_done(struct turns *t);

/* Makes the list anew for a plan, which must live until the next call. The devices of the first one are held to have been read
 * just now: nobody knows when they were. One that is gone is forgotten the day after, so that who is plugged in again
 * has the rest of the day's bytes. Owners are not set. Returns 0 or -ENOMEM: then no entry is of the new plan, and nothing is
 * picked. */
int turns_update(struct turns *t, const struct plan *plan, const char *machine_id, uint64_t now_us);

/* The plan goes. */
void turns_forget_plan(struct turns *t);

/* Where only the start is known of a device: looks for when it was read, in what is remembered. For each probe of today that is
 * remembered, `bytes` count as read; of several within minutes, only one may be. */
void turn_recall(struct turn *t, const struct snapshot *past, uint64_t bytes, uint64_t now_us);

/* When it is to be read; UINT64_MAX: never, as things are. */
uint64_t turn_due(const struct turn *t, const struct config_probe *config, uint64_t now_us);

/* The one whose turn it is, and those that go along with it: of one owner, whom `is_free` lets (NULL: all owners are
 * free), at most `max`. Nothing while another one of the first one's group is read. Returns how many, or -ENOMEM. */
int turns_pick(const struct turns *t, const struct config_probe *config, uint64_t now_us,
               bool (*is_free)(const void *owner), struct turn **ret, size_t max);

/* May it be read on request now, as far as the day's bytes go? */
bool turn_has_bytes(const struct turn *t, const struct config_probe *config, uint64_t now_us);

/* It is going to be read. */
void turn_begin(struct turn *t, const struct config_probe *config, uint64_t now_us);

/* It was, or was not, for the reason that the result has. Returns 0 or -ENOMEM; it has ended in either case. */
int turn_end(struct turn *t, const struct measurement *result);

/* Is the result that is kept of another device in that place, or of another mode of its link? Then it says nothing of the link as
 * it is, and is forgotten: true. */
bool turn_is_outdated(struct turn *t, const struct device *now);

/* The turn of the device of that id; NULL where there is none. */
struct turn *turns_of(const struct turns *t, const char *id);

/* Nothing more is heard of the run: `was_at` says whether it was reading the device, and all that it might read counts as
 * read. Returns as turn_end(). */
int turn_lost(struct turn *t, bool was_at, const char *why);
