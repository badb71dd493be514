/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When to look at which adapter. Pure: the caller says what time it is (microseconds of any clock that only goes
 * forward), starts what is due and says how it went.
 *
 * Adapters are looked at in rounds, all of them at the same time, so that what was read of them can be compared; and one
 * by itself when something happened to it. One whose device hangs is in quarantine: it goes on being looked at, but its
 * devices are not asked anything until the quarantine is over and nobody waits for an answer any more.
 *
 *   waiting ──due──► running ──ended well──► waiting
 *                       └──stuck──► waiting, in quarantine ──over, and nobody waits for an answer──► waiting
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define SCHEDULE_NEVER UINT64_MAX

/* How many adapters are looked at at the same time: each costs a process. */
enum { SCHEDULE_AT_ONCE = 8 };

struct schedule_times {
    uint64_t interval_us; /* between rounds */
    uint64_t settle_us;   /* after the last of several events */
    uint64_t
        quarantine_us; /* the first time; doubled each time up to QUARANTINE_MOST times as long */
    uint64_t
        phase_us; /* of the rounds, below interval_us: so that a thousand machines do not look together */
};

/* Of an adapter: embedded in what the caller knows of it. */
struct schedule_slot {
    uint64_t due_us; /* SCHEDULE_NEVER: nothing is planned but the next round */
    uint64_t
        event_us; /* when the first of the events came that were not looked at yet; SCHEDULE_NEVER: none */
    uint64_t quarantine_us; /* until when; 0: it never was in quarantine */
    uint64_t round;         /* in which it was looked at last */
    unsigned times_stuck;   /* in a row */
    unsigned waiting;       /* collectors that wait for an answer of a device of its */
    unsigned hanging; /* collectors that hang at the adapter itself: nothing is started then */
    bool is_running;
    uint64_t
        until_us; /* of one that runs: when who started it looks at it again, at the latest; SCHEDULE_NEVER: not said */
};

struct schedule {
    struct schedule_times times;
    VEC(struct schedule_slot *) slots; /* borrowed */
    unsigned running;
    uint64_t round; /* counts the rounds; the first is 1 */
    uint64_t next_round_us;
};

/* Nothing to do yet; the first round is due at once. */
struct schedule schedule(const struct schedule_times *times, uint64_t now_us);
void schedule_done(struct schedule *s);

/* New times hold from now on. */
void schedule_set_times(struct schedule *s, const struct schedule_times *times, uint64_t now_us);

/* An adapter came: due at once. Returns 0 or -ENOMEM. */
int schedule_add(struct schedule *s, struct schedule_slot *slot, uint64_t now_us);

/* An adapter went, whatever it is at: what runs is the caller's to end. */
void schedule_remove(struct schedule *s, struct schedule_slot *slot);

/* Is it time for a round? Then every adapter is due, and the next round is planned. */
bool schedule_round(struct schedule *s, uint64_t now_us);

/* A round now, out of turn. */
void schedule_round_now(struct schedule *s, uint64_t now_us);

/* Something happened to the adapter: it is due when no more has happened for a while, or, where it does not stop
 * happening, after ten times that. */
void schedule_event(struct schedule *s, struct schedule_slot *slot, uint64_t now_us);

/* What is to be started now; NULL: nothing. It counts as running from here on. */
struct schedule_slot *schedule_next(struct schedule *s, uint64_t now_us);

/* May its devices be asked? */
bool schedule_may_ask(const struct schedule_slot *slot, uint64_t now_us);

/* It is due then at the latest. */
void schedule_at(struct schedule_slot *slot, uint64_t when_us);

/* Somebody else who looked at it was given up (schedule_hold() was told): it is in quarantine, as if its own look had not
 * ended. */
void schedule_stuck(struct schedule *s, struct schedule_slot *slot, uint64_t now_us);

/* It has ended; `is_stuck`: something did not answer (and schedule_hold() was told of who waits for it). */
void schedule_ended(struct schedule *s, struct schedule_slot *slot, bool is_stuck, uint64_t now_us);

/* A collector was given up and waits on: for a device, or (`for_adapter`) for the adapter itself; and it is done. */
void schedule_hold(struct schedule_slot *slot, bool for_adapter);
void schedule_release(struct schedule_slot *slot, bool for_adapter, uint64_t now_us);

/* When to ask again at the latest. */
uint64_t schedule_wake(const struct schedule *s);

/* Who looks after runs keeps these books; are they kept? NULL where all that is due was begun, or waits for its turn, and all
 * that runs is looked after, each late by no more than `grace_us`; else what is not so, in words. An adapter that hangs is
 * kept account of, for as long as it does. */
const char *schedule_behind(const struct schedule *s, uint64_t now_us, uint64_t grace_us);

/* Is that round over: is nothing of it under way or to come, but for adapters that hang? */
bool schedule_round_is_over(const struct schedule *s, uint64_t round);

/* Has every adapter been looked at in this round? */
bool schedule_round_is_complete(const struct schedule *s);
