/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The binary device object store of a USB device (USB 3.2, 9.6.2): the speeds it can do, whatever it runs
 * at. The kernel shows it as `bos_descriptors` since 6.9 or so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* Bits of `speeds` (USB 3.2 table 9-16, wSpeedsSupported). */
enum {
    USBBOS_LOW = 1 << 0,   /* 1.5 Mb/s */
    USBBOS_FULL = 1 << 1,  /* 12 Mb/s */
    USBBOS_HIGH = 1 << 2,  /* 480 Mb/s */
    USBBOS_SUPER = 1 << 3, /* 5 Gb/s: Gen 1 */
};

struct usbbos {
    bool has_superspeed; /* the capability (type 03h) is there */
    uint16_t speeds;     /* of it: USBBOS_…; 0 without it */
    bool has_plus;       /* SuperSpeedPlus (type 0Ah) */
    uint64_t lane_bps;   /* its fastest sublink, bits/s a lane; 0 without it */
    /* Lanes below which not all of the device works (table 9-19, wFunctionalitySupport); how many it can
     * use at most, no descriptor says. 1 without the capability and where it says 0. */
    uint8_t min_lanes;
    bool
        is_cut; /* there should be more (wTotalLength, table 9-11): what is not in it may be missing */
};

/* Decodes descriptor 0Fh and the capabilities behind it. Capabilities of other types are passed over, one
 * that is cut short is ignored with all behind it. Returns 0, or -EBADMSG where the data do not begin
 * with a descriptor 0Fh of at least 5 bytes. */
int usbbos_decode(struct bytes data, struct usbbos *ret);
