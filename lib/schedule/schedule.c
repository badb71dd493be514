/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When to look at which adapter (schedule.h).
 */
#include "schedule/schedule.h"

#include <stdlib.h>

enum {
    QUARANTINE_MOST = 60, /* times the first one: an hour, by default */
    DOUBLINGS = 6,        /* that stay below it */
    STORM_MOST = 10,      /* times the settling time */
};

/* The next time that rounds fall on, after now. */
static uint64_t next_round(const struct schedule_times *t, uint64_t now_us)
{
    if (now_us < t->phase_us)
        return t->phase_us;
    return t->phase_us + ((now_us - t->phase_us) / t->interval_us + 1) * t->interval_us;
}

struct schedule schedule(const struct schedule_times *times, uint64_t now_us)
{
    return (struct schedule){ .times = *times, .next_round_us = now_us };
}

void schedule_done(struct schedule *s)
{
    free(s->slots.v);
    *s = (struct schedule){ 0 };
}

void schedule_set_times(struct schedule *s, const struct schedule_times *times, uint64_t now_us)
{
    bool is_due = s->next_round_us <= now_us;

    s->times = *times;
    if (!is_due)
        s->next_round_us = next_round(times, now_us);
}

static void set_due(struct schedule_slot *slot, uint64_t when_us)
{
    if (when_us < slot->due_us)
        slot->due_us = when_us;
}

int schedule_add(struct schedule *s, struct schedule_slot *slot, uint64_t now_us)
{
    *slot = (struct schedule_slot){ .due_us = now_us, .event_us = SCHEDULE_NEVER };
    return vec_push(&s->slots, slot);
}

void schedule_remove(struct schedule *s, struct schedule_slot *slot)
{
    size_t n = 0;

    for (size_t i = 0; i < s->slots.n; i++)
        if (s->slots.v[i] != slot)
            s->slots.v[n++] = s->slots.v[i];
    s->slots.n = n;
    s->running -= slot->is_running;
}

void schedule_round_now(struct schedule *s, uint64_t now_us)
{
    s->next_round_us = next_round(&s->times, now_us);
    s->round++;
    for (size_t i = 0; i < s->slots.n; i++)
        set_due(s->slots.v[i], now_us);
}

bool schedule_round(struct schedule *s, uint64_t now_us)
{
    if (now_us < s->next_round_us)
        return false;
    schedule_round_now(s, now_us);
    return true;
}

void schedule_event(struct schedule *s, struct schedule_slot *slot, uint64_t now_us)
{
    uint64_t settled = now_us + s->times.settle_us, latest;

    if (slot->event_us == SCHEDULE_NEVER)
        slot->event_us = now_us;
    else if (slot->due_us <= slot->event_us)
        return; /* due for another reason already */
    latest = slot->event_us + STORM_MOST * s->times.settle_us;
    slot->due_us = settled < latest ? settled : latest;
}

static bool is_startable(const struct schedule_slot *slot)
{
    return !slot->is_running && !slot->hanging;
}

struct schedule_slot *schedule_next(struct schedule *s, uint64_t now_us)
{
    struct schedule_slot *first = NULL;

    if (s->running >= SCHEDULE_AT_ONCE)
        return NULL;
    for (size_t i = 0; i < s->slots.n; i++) {
        struct schedule_slot *slot = s->slots.v[i];

        if (is_startable(slot) && slot->due_us <= now_us &&
            (!first || slot->due_us < first->due_us))
            first = slot;
    }
    if (!first)
        return NULL;
    first->is_running = true;
    first->due_us = first->event_us = SCHEDULE_NEVER;
    first->round = s->round;
    first->until_us = SCHEDULE_NEVER;
    s->running++;
    return first;
}

bool schedule_may_ask(const struct schedule_slot *slot, uint64_t now_us)
{
    return !slot->waiting && !slot->hanging && now_us >= slot->quarantine_us;
}

void schedule_at(struct schedule_slot *slot, uint64_t when_us)
{
    set_due(slot, when_us);
}

void schedule_stuck(struct schedule *s, struct schedule_slot *slot, uint64_t now_us)
{
    uint64_t times = slot->times_stuck < DOUBLINGS ? UINT64_C(1) << slot->times_stuck
                                                   : QUARANTINE_MOST;

    slot->times_stuck++;
    slot->quarantine_us = now_us + times * s->times.quarantine_us;
    if (!slot->waiting && !slot->hanging)
        set_due(slot, slot->quarantine_us);
}

void schedule_ended(struct schedule *s, struct schedule_slot *slot, bool is_stuck, uint64_t now_us)
{
    s->running--;
    slot->is_running = false;
    if (is_stuck) {
        schedule_stuck(s, slot, now_us);
    } else if (schedule_may_ask(slot, now_us)) {
        slot->times_stuck = 0;
    }
}

void schedule_hold(struct schedule_slot *slot, bool for_adapter)
{
    *(for_adapter ? &slot->hanging : &slot->waiting) += 1;
}

void schedule_release(struct schedule_slot *slot, bool for_adapter, uint64_t now_us)
{
    *(for_adapter ? &slot->hanging : &slot->waiting) -= 1;
    if (!slot->waiting && !slot->hanging)
        set_due(slot, slot->quarantine_us > now_us ? slot->quarantine_us : now_us);
}

uint64_t schedule_wake(const struct schedule *s)
{
    uint64_t wake = s->next_round_us;

    for (size_t i = 0; i < s->slots.n && s->running < SCHEDULE_AT_ONCE; i++)
        if (is_startable(s->slots.v[i]) && s->slots.v[i]->due_us < wake)
            wake = s->slots.v[i]->due_us;
    return wake;
}

static bool is_late(uint64_t when_us, uint64_t now_us, uint64_t grace_us)
{
    return when_us < now_us && now_us - when_us > grace_us;
}

const char *schedule_behind(const struct schedule *s, uint64_t now_us, uint64_t grace_us)
{
    unsigned running = 0;

    if (is_late(s->next_round_us, now_us, grace_us))
        return "a round is due, and was not begun";
    for (size_t i = 0; i < s->slots.n; i++) {
        const struct schedule_slot *slot = s->slots.v[i];

        running += slot->is_running;
        if (slot->is_running && is_late(slot->until_us, now_us, grace_us))
            return "nobody looks after a collector";
        if (is_startable(slot) && s->running < SCHEDULE_AT_ONCE &&
            is_late(slot->due_us, now_us, grace_us))
            return "an adapter is due, and is not read";
    }
    return running == s->running ? NULL : "collectors are not counted as they are";
}

bool schedule_round_is_over(const struct schedule *s, uint64_t round)
{
    for (size_t i = 0; i < s->slots.n; i++) {
        const struct schedule_slot *slot = s->slots.v[i];

        if (!slot->hanging && (slot->round < round || (slot->round == round && slot->is_running)))
            return false;
    }
    return true;
}

bool schedule_round_is_complete(const struct schedule *s)
{
    for (size_t i = 0; i < s->slots.n; i++)
        if (s->slots.v[i]->is_running || s->slots.v[i]->round != s->round)
            return false;
    return true;
}
