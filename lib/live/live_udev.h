/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of the live source that asks udev: properties of devices, and events.
 */
#pragma once

#include "base/arena.h"
#include "source/source.h"

struct udev;
struct udev_device;
struct udev_monitor;

struct live_udev {
    struct udev *udev;
    struct udev_device *device; /* the last one asked for; its properties are asked in a row */
    struct udev_monitor *monitor;
    struct udev_device *event; /* the last one, whose texts the caller holds */
};

/* The property, copied to the arena: source_prop(). */
int live_udev_prop(struct live_udev *u, struct arena *arena, const char *path, const char *name,
                   struct value *ret);

/* Begins to watch, unless that was done, and gives the monitor's descriptor or a negative errno. */
int live_udev_watch(struct live_udev *u);

/* The next event: source_next_event(). */
int live_udev_next(struct live_udev *u, struct source_event *ret);

void live_udev_done(struct live_udev *u);
