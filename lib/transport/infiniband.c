/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rates of InfiniBand ports (infiniband.h).
 */
#include "transport/infiniband.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/text.h"

/* InfiniBand speeds by the name in the rate file, and the payload of a lane in kB/s: 8b/10b up to QDR,
 * 64b/66b after; from HDR on the name is the payload, FEC already taken off. Old kernels name no SDR. */
static const struct {
    const char *name;
    uint64_t lane_kb_per_s;
} SPEEDS[] = {
    { "", 250000 },        { " SDR", 250000 },   { " DDR", 500000 },  { " QDR", 1000000 },
    { " FDR10", 1250000 }, { " FDR", 1704500 },  { " EDR", 3125000 }, { " HDR", 6250000 },
    { " NDR", 12500000 },  { " XDR", 25000000 },
};

bool infiniband_parse(const char *text, struct rate *ret, uint64_t *ret_mbit)
{
    char speed[16] = "";
    unsigned lanes;
    const char *rest;

    if (number_decimal(text, 3, ret_mbit, &rest) < 0 || !text_starts_with(rest, " Gb/sec") ||
        sscanf(rest, " Gb/sec (%uX%15[^)])", &lanes, speed) < 1)
        return false;
    for (size_t i = 0; i < ELEMENTS(SPEEDS); i++)
        if (strcmp(SPEEDS[i].name, speed) == 0) {
            *ret = (struct rate){ .lanes = lanes, .lane_kb_per_s = SPEEDS[i].lane_kb_per_s };
            return lanes > 0;
        }
    return false;
}
