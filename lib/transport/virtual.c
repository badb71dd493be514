/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hosts without any physical link: paravirtual adapters and drivers that are all software. Told by the
 * driver, never by being inside a virtual machine.
 */
#include <errno.h>

#include "transport/driver.h"
#include "transport/relation.h"

static bool claims(const struct fact_set *set, const struct subject *host)
{
    const struct driver *driver = driver_of(set, host);

    return driver && driver->is_virtual;
}

static int relate(struct relation *r, struct host *host)
{
    struct link *l = relate_host_link(r, host, "virtual");

    if (!l)
        return -ENOMEM;
    if (host->physical) {
        host->reason = "it is said to be physical, but its driver shows no link";
        l->reason = host->reason;
        return 0;
    }
    l->has_no_link = true;
    l->state = LINK_UP;
    l->reason = driver_of(r->facts, host->subject)->is_virtual;
    return 0;
}

const struct transport TRANSPORT_VIRTUAL = {
    .name = "virtual",
    .claims = claims,
    .relate = relate,
    .link_of = relate_link_of_host,
    .device_mark = relate_target_mark,
};
