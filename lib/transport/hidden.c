/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hosts whose links nobody can see: RAID controllers, and drivers that register no transport class. The
 * last row: it takes every host that no other claims, and says `unknown`, never `ok`.
 */
#include <errno.h>

#include "transport/driver.h"
#include "transport/relation.h"

static bool claims(const struct fact_set *set, const struct subject *host)
{
    (void)set;
    (void)host;
    return true;
}

static int relate(struct relation *r, struct host *host)
{
    const struct driver *driver = driver_of(r->facts, host->subject);
    struct link *l = relate_host_link(r, host, "hidden");

    if (!l)
        return -ENOMEM;
    l->reason = driver && driver->hides ? driver->hides
                                        : "its driver shows no link in any transport class";
    host->reason = l->reason;
    return 0;
}

const struct transport TRANSPORT_HIDDEN = {
    .name = "hidden",
    .claims = claims,
    .relate = relate,
    .link_of = relate_link_of_host,
    .device_mark = relate_target_mark,
};
