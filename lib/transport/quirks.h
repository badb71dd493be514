/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Known devices that a driver does not let run as fast as they claim to.
 */
#pragma once

#include "link/rate.h"

struct quirk {
    const char *transport;      /* name of the row whose links it is about */
    const char *vendor, *model; /* as the device says them, blanks cut; vendor NULL: any, or none */
    struct rate best;           /* of a link to it */
    const char *via;            /* what holds it there */
};

/* The table; a row without a transport ends it. */
extern const struct quirk QUIRKS[];

/* The row of a device; NULL where there is none. vendor may be NULL: then rows without one fit only. */
const struct quirk *quirk_of(const char *transport, const char *vendor, const char *model);
