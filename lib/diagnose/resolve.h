/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a person types → the objects of a report that go by it.
 */
#pragma once

#include "finding/report.h"

/* One of the three is not NULL. */
struct object {
    const struct host *host;
    const struct link *link;
    const struct device *device;
};

/* Objects that the name stands for: at most `max` are written, the number of all is returned. Kernel
 * names, ids, nodes with or without /dev/, partitions (their disk), H:C:T:L, H:C:T, PCI addresses, WWNs in any
 * notation, serial numbers, by-id names, the kernel log's ata1.00; and what is no object of a report stands for
 * what leads to it or hangs below it: expanders, ports and end devices of SAS, remote ports, fabrics, enclosures,
 * iSCSI targets and sessions; arrays, volumes and mount points for the devices that carry them. In any case of
 * letters but those of users. */
size_t resolve_name(const struct report *report, const char *name, struct object *ret, size_t max);
