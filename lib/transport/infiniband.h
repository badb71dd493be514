/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rates of InfiniBand ports, as drivers/infiniband/core/sysfs.c (rate_show) writes them.
 */
#pragma once

#include "link/rate.h"

/* "100 Gb/sec (4X EDR)" → lanes, and their payload after encoding; `*ret_mbit` is the number before the
 * brackets in Mb/s, which is the rate where the port is an Ethernet one. False for another text. */
bool infiniband_parse(const char *text, struct rate *ret, uint64_t *ret_mbit);

/* "100 Gb/sec (4X EDR)": a rate_describe, in the words of the kernel. No label for a rate it has no name for. */
int infiniband_describe(struct arena *arena, struct rate rate, struct mode *ret);
