/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rates of InfiniBand ports (infiniband.h).
 */
#include "transport/infiniband.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/text.h"

/* InfiniBand speeds by the name in the rate file, the payload of a lane in kB/s (8b/10b up to QDR, 64b/66b
 * after; from HDR on the name is the payload, FEC already taken off), and what the kernel counts for a
 * lane, in 100 Mb/s. Old kernels name no SDR. */
static const struct {
    const char *name;
    uint64_t lane_kb_per_s;
    unsigned lane_100_mbit;
} SPEEDS[] = {
    { " SDR", 250000, 25 },     { "", 250000, 25 },         { " DDR", 500000, 50 },
    { " QDR", 1000000, 100 },   { " FDR10", 1250000, 100 }, { " FDR", 1704500, 140 },
    { " EDR", 3125000, 250 },   { " HDR", 6250000, 500 },   { " NDR", 12500000, 1000 },
    { " XDR", 25000000, 2000 },
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

int infiniband_describe(struct arena *arena, struct rate rate, struct mode *ret)
{
    uint64_t kb = rate_kb_per_s(rate);
    size_t i = 0;

    while (i < ELEMENTS(SPEEDS) && SPEEDS[i].lane_kb_per_s != rate.lane_kb_per_s)
        i++;
    *ret = (struct mode){ .known = true, .rate = rate };
    ret->detail = arena_printf(arena, "%" PRIu64 ".%" PRIu64 " MB/s", kb / 1000, kb % 1000 / 100);
    if (ret->detail && i < ELEMENTS(SPEEDS)) {
        unsigned units = SPEEDS[i].lane_100_mbit * rate.lanes;

        ret->label = arena_printf(arena, "%u%s Gb/sec (%uX%s)", units / 10, units % 10 ? ".5" : "",
                                  rate.lanes, SPEEDS[i].name);
    }
    return ret->detail && (ret->label || i == ELEMENTS(SPEEDS)) ? 0 : -ENOMEM;
}
