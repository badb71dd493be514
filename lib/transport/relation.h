/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the transports' `relate` functions work with, and what they share.
 */
#pragma once

#include "transport/transport.h"

struct relation {
    const struct fact_set *facts;
    struct model *model;
};

/* Adds a link named after the host itself: for hosts whose link is the host (FC, iSCSI), that have none
 * (virtual) or that hide theirs (RAID). Its id is the host's and `-TRANSPORT`. NULL without memory. */
struct link *relate_host_link(struct relation *r, struct host *host, const char *transport);

/* "VENDOR MODEL" of the first device below a directory, for the far end of a link; NULL where none. */
const char *relate_far_name(struct relation *r, const char *path);

/* A mode from a rate, named by the describe function. Not known without memory. */
struct mode relate_mode(struct relation *r, rate_describe describe, struct rate rate);
