/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which devices of a machine may be read from to time their links, how, and what has to be watched meanwhile; and of
 * the others, why not. Rules 3 to 6 of "First, do no harm", as far as they are about reads. Decided from what sysfs
 * says, before any device is asked anything; whether a device is at work now is watch.h's matter.
 *
 * Of each link one LUN is read: the first that may be, one that is named before others.
 */
#pragma once

#include "config/config.h"
#include "link/model.h"

/* Rotating disks whose sleep is hidden (transport/sleep.h) are read only so long after somebody else moved data:
 * disks fall asleep by themselves after five minutes at the earliest in practice (ACS-4 7.55 has standby timers in
 * steps of 5 s; what vendors set is 5 min and more). */
#define PLAN_AWAKE_US (UINT64_C(120) * 1000000)

/* The bytes of one read: what every adapter takes in one command (16 segments of a page of 4 KiB). */
enum { PLAN_BLOCK_BYTES = 64 * 1024 };

/* How long ago somebody else was seen to move data of a device. */
struct plan_seen {
    const char *hctl;
    uint64_t ago_us;
};

struct plan_options {
    const struct config *config; /* never NULL */
    const char *const *named;    /* H:C:T:L that the request names */
    size_t n_named;
    bool forced; /* the request says --force: named devices may be woken up */
    const struct plan_seen *seen;
    size_t n_seen;
};

struct plan_entry {
    const struct device *device;
    const char *refused; /* why it is not read, for people: "it is a tape: …"; NULL: it may be */
    bool is_named;       /* the request names it */

    /* Of one that may be read, else empty: */
    const char *method;   /* of MEASURE_METHODS */
    const char *fallback; /* where the device does not do that; NULL: none */
    uint64_t block_bytes, total_bytes, longest_us;
    bool may_sleep; /* it rotates, as far as is known */
    bool
        needs_use; /* it may be asleep, and does not say so: only when somebody has just used it (PLAN_AWAKE_US) */
    bool
        ask_sense; /* REQUEST SENSE comes first: a rotating disk that says that it sleeps is left alone */
    const char
        *group; /* id of what only one may be read on at a time: a bus, the port of the adapter */
    const struct link *
        shared; /* the narrowest hop that it shares with others; NULL: with none, or the bus (host) */
    const struct device *
        *watch; /* all that must be idle meanwhile, itself among them: what is below that */
    size_t n_watch;
};

struct plan {
    struct plan_entry *v; /* one a device, in the order of the model's list */
    size_t n;
};

/* Makes the plan, in the arena. Returns 0 or -ENOMEM. */
int plan_make(struct arena *a, const struct model *m, const struct plan_options *options,
              struct plan *ret);

/* The entry of that H:C:T:L; NULL where there is none. */
const struct plan_entry *plan_of(const struct plan *plan, const char *hctl);

/* What a device is called in [device "GLOB"]: `names` gets at most PLAN_NAMES of them, in the arena; what is not known
 * is NULL. Returns 0 or -ENOMEM. */
enum { PLAN_NAMES = 24 };
int plan_names(struct arena *a, const struct device *d, const char *names[PLAN_NAMES]);
