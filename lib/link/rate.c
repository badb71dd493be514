/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link/rate.h"

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
