/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that stand for disks to read from: a device's own, or that of a host or link with disks behind it.
 */
#pragma once

#include "base/vec.h"
#include "finding/report.h"

struct devices {
    struct device **v;
    size_t n, cap;
};

/* Adds what one name stands for (resolve.h), none twice: devices themselves, and the disks of hosts and behind links. Those that
 * are named as such are added to `named`, too (may be NULL). Returns how many were added, or -ENOMEM. */
int disks_named(const struct report *report, const char *name, struct devices *devices,
                struct devices *named);
