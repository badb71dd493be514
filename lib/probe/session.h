/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One probe of one device, as polite as it gets: looks before, between and after; stops at once when somebody else
 * shows up. What is done to the device is done through the source and the operations that are passed in.
 *
 *   two looks, a fifth of a second apart: is all that is watched idle?
 *   REQUEST SENSE where the plan wants it: does it sleep?
 *   one read, not counted: the medium's or buffer's size was asked for, the device is ready
 *   bursts of at most 1 MiB, a look behind each, up to the bytes and the time of the plan
 */
#pragma once

#include "probe/plan.h"
#include "probe/watch.h"
#include "source/source.h"

enum {
    SESSION_BURST_BYTES = 1024 * 1024,
    SESSION_QUIET_US = 200000, /* how long it has to be quiet before the first command */
    /* Commands that a burst may send besides its reads: READ CAPACITY (10) and (16), or READ BUFFER for the size of the
     * buffer, and one again after a unit attention. */
    SESSION_BESIDE_MOST = 4,
};

struct session_ops {
    /* Reads as the request says. `ret->commands` are those sent for data, however they ended. Returns 0 or a negative
     * errno: the session cannot go on. */
    int (*burst)(void *userdata, const struct measure_request *request, struct measurement *ret);
    void (*wait)(void *userdata, uint64_t us);
    /* Is told of a command that the session has sent by itself. As burst(). */
    int (*sent)(void *userdata, const struct command *command, const struct answer *answer);
};

struct session {
    struct source *source;
    const struct command_target *target; /* of the device, with TARGET_READS */
    /* Others at work do not keep it from reading, and the result is disturbed all the same; nor does sleep, where the plan's
     * entry is named. That it or its host is not running does. */
    bool forced;
    const struct session_ops *ops;
    void *userdata;
};

/* What sysfs says of the device now. Returns 0 or a negative errno of the source. */
int session_look(struct source *s, const struct subject *device, struct watch_sample *ret);

/* Probes. `ret` is one measurement, texts of it in the arena, constant, or those of the last burst: undisturbed, or
 * with `disturbed` and no error (it was begun, and somebody came), or with `error` EBUSY (somebody was at work: nothing was
 * sent), EPERM (it sleeps, or may not be asked) or what the bursts said. Latencies are put together from those of bursts:
 * the median is their mean by reads, the high ones are the highest. Returns 0 or a negative errno. */
int session_probe(struct arena *a, const struct session *s, const struct plan_entry *entry,
                  struct measurement *ret);
