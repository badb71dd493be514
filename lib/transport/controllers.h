/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Known controllers: what a chip can do that its driver does not say.
 */
#pragma once

#include "link/rate.h"
#include "transport/transport.h"

struct controller {
    uint16_t vendor, device; /* PCI ids */
    const char *transport;   /* name of the row whose links it has */
    const char *name;
    struct rate best; /* of one link of the chip */
};

/* The table; a row without a vendor ends it. */
extern const struct controller CONTROLLERS[];

/* The row of the host's PCI function for that transport; NULL where there is none. */
const struct controller *controller_of(const struct fact_set *set, const struct host *host,
                                       const char *transport);
