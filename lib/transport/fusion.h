/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What /proc/mpt says of Fusion-MPT adapters (mptspi, mptsas, mptfc). Kernels of 2005 had nothing else.
 */
#pragma once

#include "transport/gathering.h"

/* Puts it on the open subject, as struct driver's `more`. */
int fusion_gather(struct gathering *g, const struct subject *host);

/* One adapter's line of a summary. Texts point into the line. */
struct fusion_summary {
    struct bytes product;  /* "LSI53C1030 B2" */
    uint32_t firmware;     /* one byte a component */
    uint64_t ports, max_q; /* 0 where not said */
};

/* "ioc0: LSI53C1030 B2, FwRev=01032300h, Ports=1, MaxQ=222, IRQ=24". Returns 0 or -EBADMSG. */
int fusion_parse_summary(const char *line, struct fusion_summary *ret);
