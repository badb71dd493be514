/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link/rate.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

uint64_t rate_kb_per_s(struct rate r)
{
    return r.lanes * r.lane_kb_per_s;
}

struct rate rate_common(struct rate a, struct rate b)
{
    return (struct rate){
        .lanes = a.lanes < b.lanes ? a.lanes : b.lanes,
        .options = a.options & b.options,
        .lane_kb_per_s = a.lane_kb_per_s < b.lane_kb_per_s ? a.lane_kb_per_s : b.lane_kb_per_s,
    };
}

int rate_compare(struct rate a, struct rate b)
{
    uint64_t x = rate_kb_per_s(a), y = rate_kb_per_s(b);

    return (x > y) - (x < y);
}

bool rate_same(struct rate a, struct rate b)
{
    uint64_t x = a.lane_kb_per_s, y = b.lane_kb_per_s, apart = x > y ? x - y : y - x;

    return (a.lanes == b.lanes || (!x && !y)) && apart * 100 <= (x > y ? x : y);
}

/* kB/s of a lane, or of a byte of width, as the standards of the transports have them. */
static const uint32_t PAYLOADS[] = {
    /* SPI-5 (periods 200 to 3.125 ns) and none: asynchronous */
    0,
    5000,
    10000,
    20000,
    40000,
    80000,
    160000,
    320000,
    /* SAS-4, SATA 3.x: 1.5 to 22.5 Gb/s */
    150000,
    300000,
    600000,
    1200000,
    2400000,
    /* ATA8-ACS: PIO, multiword DMA, Ultra DMA */
    3300,
    4200,
    5200,
    8300,
    11100,
    13300,
    16700,
    25000,
    33300,
    44400,
    66700,
    100000,
    133300,
    166700,
    /* FC-PI-7: 1 to 128GFC */
    200000,
    400000,
    800000,
    1600000,
    3200000,
    6400000,
    12800000,
    /* USB 3.2: 1.5 Mb/s to Gen 2 */
    187,
    1500,
    60000,
    500000,
    1212000,
    /* Ethernet: 10 Mb/s to 400 Gb/s */
    1250,
    12500,
    125000,
    312500,
    625000,
    1250000,
    3125000,
    5000000,
    6250000,
    12500000,
    25000000,
    50000000,
    /* InfiniBand: those that are no other's */
    1000000,
    1704500,
    /* PCIe 1.0 to 6.0 */
    250000,
    984600,
    1969200,
    3938500,
    7563000,
};

/* The rate of so many lanes that is called by that label. Returns 1, 0 where none is, or -ENOMEM. */
static int label_of_lanes(rate_describe describe, struct arena *arena, uint32_t lanes,
                          const char *label, struct rate *ret)
{
    enum { OPTIONS_MAX = 8 };

    for (size_t i = 0; i < ELEMENTS(PAYLOADS); i++)
        for (uint32_t options = 0; options < OPTIONS_MAX; options++) {
            struct mode mode;

            *ret = (struct rate){ lanes, options, PAYLOADS[i] };
            if (describe(arena, *ret, &mode) < 0)
                return -ENOMEM;
            if (mode.label && strcmp(mode.label, label) == 0)
                return 1;
        }
    return 0;
}

int rate_of_label(rate_describe describe, const char *label, uint32_t lanes, struct rate *ret)
{
    enum { LANES_MAX = 32 };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    int r = !arena ? -ENOMEM : lanes ? label_of_lanes(describe, arena, lanes, label, ret) : 0;

    for (uint32_t i = 1; r == 0 && i <= LANES_MAX; i++)
        r = label_of_lanes(describe, arena, i, label, ret);
    return r < 0 ? r : r ? 0 : -ENOENT;
}
