/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When is a device's turn, and who of those whose turn it is may begin? Pure: time and what is remembered are
 * passed in; the daemon keeps the state and drives this.
 *
 * Machines, and devices of one, do not probe in step: a jitter of up to a quarter of the interval, always the same
 * for the same seed and round, moves each. What ended busy is tried again sooner, in ever longer steps; what failed,
 * later and later. A day's bytes of a device (UTC days) are never exceeded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"

/* Disks that may fall asleep are not read from more often, whatever the interval: what keeps them awake is not worth
 * it. */
#define SCHEDULE_SLEEPERS_US (UINT64_C(3600) * 1000000)

/* Longest back-off after failures: so many intervals. */
enum { SCHEDULE_BACKOFF_MOST = 16 };

/* What is remembered of a device. Zeroed at first; `known_us` is to be set then. */
struct schedule_state {
    uint64_t
        known_us; /* when it was first seen: wall time, microseconds since 1970, as all times here */
    uint64_t last_us;  /* when its last probe began; 0: there was none */
    uint64_t day;      /* days since 1970 to which `bytes` belong */
    uint64_t bytes;    /* read on that day */
    unsigned busy;     /* attempts in a row, the last ones, that ended SCHEDULE_BUSY */
    unsigned failures; /* the same, SCHEDULE_FAILED */
    bool may_sleep;    /* it is held to SCHEDULE_SLEEPERS_US */
};

enum schedule_end {
    SCHEDULE_DONE, /* an undisturbed result */
    SCHEDULE_BUSY, /* refused because it, or a neighbour, was at work; or disturbed */
    SCHEDULE_FAILED, /* the device, or what leads to it, failed; or it was refused for another reason */
};

/* When the next probe may begin, at the earliest: not before the day's bytes allow for one of config->bytes. A
 * state that is of the future (the clock was set back) counts as of `now_us`. UINT64_MAX where config->per_day is
 * less than config->bytes: never. `seed` tells machines and devices apart: a hash of machine-id and device id. */
uint64_t schedule_due(const struct schedule_state *s, const struct config_probe *config,
                      uint64_t seed, uint64_t now_us);

/* The same without the jitter: before that it may not begin in any case. */
uint64_t schedule_earliest(const struct schedule_state *s, const struct config_probe *config,
                           uint64_t now_us);

/* Takes down that a probe has begun, and that up to so many bytes may be read: before it begins, so that a crash
 * counts too. */
void schedule_begin(struct schedule_state *s, uint64_t bytes, uint64_t now_us);

/* Takes down how it ended: of the `reserved` bytes so many were read. */
void schedule_finish(struct schedule_state *s, enum schedule_end end, uint64_t reserved,
                     uint64_t bytes);

struct schedule_entry {
    uint64_t due_us;   /* of schedule_due() */
    const char *group; /* only one of a group at a time (plan.h) */
    bool is_running;   /* a probe of it is under way */
};

/* Which of the devices may begin now: due, and nobody else of their group is running. The longest due comes first,
 * so nobody waits for ever. Writes at most `max` indices, in the order in which they are to begin, and returns how
 * many. */
size_t schedule_pick(const struct schedule_entry *entries, size_t n, uint64_t now_us, size_t *ret,
                     size_t max);

/* The seed of a device on a machine (SplitMix64 over the bytes of both texts; NULL is the empty text). */
uint64_t schedule_seed(const char *machine_id, const char *device_id);
