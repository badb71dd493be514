/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two reports of one machine, and what is different: the question after a new kernel, driver, firmware
 * or cable.
 */
#pragma once

#include "finding/report.h"

/* In the order of their likely effect on speed, and so of the result. */
enum change_kind {
    CHANGE_MACHINE, /* it seems to be another one: the rest tells two machines apart, and is no change */
    CHANGE_MODE, /* state or mode of a link */
    CHANGE_DRIVER,
    CHANGE_PARAMETER,
    CHANGE_FIRMWARE, /* and BIOS, of an adapter */
    CHANGE_KERNEL,
    CHANGE_QUEUE,
    CHANGE_DEVICE, /* came, went, or has other firmware */
    CHANGE_FINDING,
    CHANGE_COUNTER,
    _CHANGE_KIND_MAX,
};
const char *change_kind_to_string(enum change_kind k);

struct change {
    enum change_kind kind;
    const char *id, *name; /* of what it is about; name as it is called in the second report */
    const char *what, *before, *after; /* NULL before or after: was not there, is not there */
};

struct comparison {
    struct arena *arena;
    bool
        made_up; /* scrubbing made up the names of exactly one of the two: serial numbers, addresses and the names of the
                   * machines were left out, and objects found by what scrubbing leaves of their ids */
    VEC(struct change) changes;
};

struct comparison *comparison_free(struct comparison *c);
DEFINE_CLEANUP(struct comparison, comparison_free)

/* The word of a change of kind CHANGE_MACHINE; NULL where it is one machine, as far as can be told: the names of the
 * hosts are the same, some adapter is in both, and so is a serial number where both have several. Of one with made-up names
 * only the adapters tell. */
const struct change *comparison_other_machine(const struct comparison *c);

/* What differs between the reports, found by the ids that survive a reboot. Texts are borrowed from the
 * reports or live as long as the result. Returns 0 or -ENOMEM. */
int compare_reports(const struct report *a, const struct report *b, struct comparison **ret);
