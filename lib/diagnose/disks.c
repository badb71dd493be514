/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks by names (disks.h).
 */
#include "diagnose/disks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "diagnose/resolve.h"

static bool is_disk(const struct device *d)
{
    return d->type && (strcmp(d->type, "disk") == 0 || strcmp(d->type, "zbc") == 0);
}

/* Adds it unless it is there. */
static int add(struct devices *devices, struct device *d)
{
    for (size_t i = 0; i < devices->n; i++)
        if (devices->v[i] == d)
            return 0;
    return vec_push(devices, d) < 0 ? -ENOMEM : 1;
}

/* All disks of a host, or behind a link. */
static int add_below(const struct report *report, const struct object *o, struct devices *devices)
{
    int n = 0;

    for (size_t i = 0; i < report->model->devices.n; i++) {
        struct device *d = report->model->devices.v[i];
        int r = 0;

        if (is_disk(d) && (o->host ? d->host == o->host : device_is_behind(d, o->link)))
            r = add(devices, d);
        if (r < 0)
            return r;
        n += r;
    }
    return n;
}

static struct device *of_model(const struct report *report, const struct device *d)
{
    size_t i = 0;

    while (report->model->devices.v[i] != d)
        i++;
    return report->model->devices.v[i];
}

int disks_named(const struct report *report, const char *name, struct devices *devices,
                struct devices *named)
{
    size_t all = resolve_name(report, name, NULL, 0);
    _cleanup_free_ struct object *objects = calloc(all + 1, sizeof(*objects));
    int n = 0;

    if (!objects)
        return -ENOMEM;
    all = resolve_name(report, name, objects, all);
    for (size_t i = 0; i < all; i++) {
        int r = objects[i].device ? add(devices, of_model(report, objects[i].device))
                                  : add_below(report, &objects[i], devices);

        if (r >= 0 && objects[i].device && named)
            r = add(named, of_model(report, objects[i].device)) < 0 ? -ENOMEM : r;
        if (r < 0)
            return r;
        n += r;
    }
    return n;
}
