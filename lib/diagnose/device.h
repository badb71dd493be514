/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gathering one SCSI device: a part of gather.c.
 */
#pragma once

#include "base/vec.h"
#include "diagnose/tiers.h"
#include "transport/gathering.h"

/* A query that a model and revision refused for good. */
struct refusal {
    const struct query *query;
    const char *model; /* and revision */
};

struct refusals {
    struct refusal *v;
    size_t n, cap;
};

struct device_walk {
    struct gathering *g;
    const struct transport *transport; /* of its host */
    struct refusals *refusals;         /* of all devices so far */
    unsigned flags;                    /* TARGET_NAMED, TARGET_FORCED */
    bool unasked;                      /* no commands */
    const struct tiers *tiers;         /* may be NULL */
    int (*told)(void *userdata, const struct subject *device,
                const struct command_target *target); /* of gather_options; may be NULL */
    void *userdata;
    char awake_dir[4096]; /* directory that was found awake, with all above it */
    size_t stop_at; /* length of the shortest path whose power state counts: the PCI function's */

    /* Of the device under way. */
    struct subject *device;
    const char *model;
    int type;
    struct command_target target;
    bool asked_whether_awake;
};

/* Adds the device with all its facts. */
int gather_device(struct device_walk *w, const char *name, const char *path, struct subject *host);
