/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helpers of the transports' `relate` functions (relation.h).
 */
#include "transport/relation.h"

#include <string.h>

#include "base/text.h"

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
