/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helpers of the transports' `relate` functions (relation.h).
 */
#include "transport/relation.h"

#include <string.h>

#include "base/text.h"
#include "transport/pci.h"

const char *relate_path_id(struct relation *r, const char *path, size_t len)
{
    char *own = arena_strndup(r->model->arena, path, len), *id;
    size_t end = own ? pci_path_length(own) : 0;

    if (!own)
        return NULL;
    if (end) {
        own[end] = '\0';
        return arena_printf(r->model->arena, "pci-%s", path_last(own));
    }
    id = text_starts_with(own, "/sys/devices/") ? own + strlen("/sys/devices/") : own;
    for (char *c = id; *c; c++)
        *c = *c == '/' ? '-' : *c;
    return id;
}

struct link *relate_host_link(struct relation *r, struct host *host, const char *transport)
{
    struct link *l = model_add_link(r->model, host, host->subject, host->kernel_name);

    if (!l)
        return NULL;
    l->transport = transport;
    l->id = arena_printf(r->model->arena, "%s-%s", host->id, transport);
    l->near = host->id;
    return l->id ? l : NULL;
}

const char *relate_host_id(struct relation *r, const struct subject *host, const char *mark)
{
    const char *place = relate_path_id(r, host->path, strlen(host->path) - strlen(host->name) - 1);

    return place && mark ? arena_printf(r->model->arena, "%s-%s", place, mark) : place;
}

const char *relate_target_mark(struct relation *r, const struct host *host,
                               const struct subject *device)
{
    const char *channel = strchr(device->name, ':'), *lun = strrchr(device->name, ':');

    (void)host;
    return channel && lun > channel
               ? arena_strndup(r->model->arena, channel + 1, (size_t)(lun - channel) - 1)
               : NULL;
}

struct link *relate_link_of_host(struct relation *r, struct host *host,
                                 const struct subject *device)
{
    (void)device;
    return model_link_named(r->model, host->kernel_name);
}

const char *relate_far_name(struct relation *r, const char *path)
{
    size_t len = strlen(path);

    for (const struct subject *d = fact_set_first(r->facts, "scsi_device"); d;
         d = d->next_of_class) {
        const char *vendor = fact_text(d, &KEY_VENDOR), *model = fact_text(d, &KEY_MODEL);

        if (strncmp(d->path, path, len) != 0 || (d->path[len] != '/' && d->path[len] != '\0'))
            continue;
        if (!vendor || !model)
            return vendor ? vendor : model;
        return arena_printf(r->model->arena, "%s %s", vendor, model);
    }
    return NULL;
}

struct mode relate_mode(struct relation *r, rate_describe describe, struct rate rate)
{
    struct mode mode = { 0 };

    return describe(r->model->arena, rate, &mode) == 0 ? mode : (struct mode){ 0 };
}
