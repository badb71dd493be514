/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The walk over a machine: what the transports' tables name is read through a source into facts.
 *
 * The same walk runs over a live machine (in the collector, to learn what to record) and over a
 * capture. Where asking costs, courtesy is kept: see source/command.h.
 */
#pragma once

#include "diagnose/tiers.h"
#include "facts/fact.h"
#include "source/source.h"
#include "transport/transport.h"

struct gather_options {
    enum level level;
    const char *only_below; /* canonical directory with a '/' at its end; NULL: the whole machine */
    const char *named;      /* H:C:T:L that the request names; NULL: none */
    bool forced;            /* the request says so */
    const char *after;      /* H:C:T:L: devices up to this one are left out; NULL: none */
    bool unasked;           /* no device is sent a command */
    /* Where asking costs: devices whose tier is `sysfs` are sent none either. NULL: nobody said anything but udev. */
    const struct tiers *tiers;
    /* Told of each device what decides what it may be asked, before it is; from LEVEL_MODES on. Its texts
     * live as long as the facts. A negative return ends the walk. May be NULL. */
    int (*target)(void *userdata, const struct subject *device,
                  const struct command_target *target);
    /* Told when the host part is done (hctl NULL), and then after each device. A negative return
     * ends the walk. May be NULL. */
    int (*done)(void *userdata, const char *hctl);
    /* As in struct gathering (transport/gathering.h): told of files, and what costs is not read. Goes with `unasked`. May be
     * NULL. */
    int (*file)(void *userdata, const struct attribute *a, const char *path, const char *device_dir,
                const struct value *v);
    void *userdata;
};

/* Gathers facts. An object that cannot be read degrades itself only. Returns 0, or a negative errno when
 * the source or memory failed. */
int gather(struct source *source, const struct gather_options *options, struct fact_set **ret);

/* An adapter: what one run of a collector reads. */
struct adapter {
    char *below; /* for gather_options.only_below */
    char *name;  /* for people: "0000:03:00.0 (host0, host1)" */
};

struct adapters {
    struct adapter *v;
    size_t n;
    int error; /* why they cannot be listed; 0 where they can, or the kernel knows no SCSI hosts */
};

/* The adapters of the machine: the PCI functions that hosts are on, and hosts on none, each by itself.
 * Reads directories and links only. Returns 0 or a negative errno. */
int gather_adapters(struct source *source, struct adapters *ret);
void adapters_done(struct adapters *a);
