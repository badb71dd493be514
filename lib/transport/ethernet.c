/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transport/ethernet.h"

#include <errno.h>
#include <inttypes.h>

struct rate ethernet_rate(uint64_t mbit_per_s)
{
    return (struct rate){ .lanes = 1, .lane_kb_per_s = mbit_per_s * 125 };
}

int ethernet_describe(struct arena *arena, struct rate rate, struct mode *ret)
{
    uint64_t kb = rate_kb_per_s(rate), mbit = kb / 125;

    *ret = (struct mode){ .known = true, .rate = rate };
    ret->detail = arena_printf(arena, "%" PRIu64 ".%" PRIu64 " MB/s", kb / 1000, kb % 1000 / 100);
    if (kb % 125 || (mbit >= 1000 && mbit % 100))
        return ret->detail ? 0 : -ENOMEM; /* a number without a name */
    if (mbit < 1000)
        ret->label = arena_printf(arena, "%" PRIu64 " Mb/s Ethernet", mbit);
    else if (mbit % 1000)
        ret->label = arena_printf(arena, "%" PRIu64 ".%" PRIu64 " Gb/s Ethernet", mbit / 1000,
                                  mbit % 1000 / 100);
    else
        ret->label = arena_printf(arena, "%" PRIu64 " Gb/s Ethernet", mbit / 1000);
    return ret->label && ret->detail ? 0 : -ENOMEM;
}
