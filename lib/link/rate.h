/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How fast a link is: lanes times payload a lane, and what both ends must agree on besides.
 *
 * Payload is decimal, after line encoding: 6.0 Gb/s SAS is 600 MB/s. It is kept in kB/s (1000 bytes),
 * so that 984.6 MB/s of a PCIe 8.0 GT/s lane is a whole number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct rate {
    uint32_t lanes;         /* SAS, PCIe: lanes; parallel SCSI: bytes of width; else 1 */
    uint32_t options;       /* bits of the transport's own, each needs both ends */
    uint64_t lane_kb_per_s; /* payload of one lane; 0: no rate (asynchronous SCSI) */
};

/* A rate with its names. */
struct mode {
    bool known; /* false: nothing is known, and the rest is empty */
    struct rate rate;
    const char *label;  /* "Ultra320", "4 x 12.0 Gb/s"; NULL for a number without a name */
    const char *detail; /* for people: "320.0 MB/s (160.000 MHz DT|IU|QAS, 16 bit)"; may be NULL */
};

/* Names a rate: a transport's own function. Returns 0 or -ENOMEM. */
typedef int (*rate_describe)(struct arena *arena, struct rate rate, struct mode *ret);

/* Payload of all lanes. */
uint64_t rate_kb_per_s(struct rate r);

/* The best that two ends have in common: the smaller of each dimension, the options of both. */
struct rate rate_common(struct rate a, struct rate b);

/* <0, 0, >0 as a is slower than, as fast as, faster than b: by payload of all lanes. */
int rate_compare(struct rate a, struct rate b);

/* The rate that a describe function calls by that label: looked for among the payloads and widths that
 * standards know, first with so many lanes (0: no matter how many), then with as few as can be: where a label names a
 * payload only ("16GFC"), it is no other link's of more and slower lanes. Returns 0, -ENOENT where none is called so, or -ENOMEM. */
int rate_of_label(rate_describe describe, const char *label, uint32_t lanes, struct rate *ret);

/* Are they one mode: as many lanes, and the same payload of each, within 1 % (some texts round)? Without
 * a rate (asynchronous) the width says nothing. */
bool rate_same(struct rate a, struct rate b);
