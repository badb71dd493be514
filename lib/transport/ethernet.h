/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rates of Ethernet ports, for the transports that run over them. Payload is that of the port: 125 MB/s
 * per Gb/s, whatever frames and protocols take of it.
 */
#pragma once

#include "link/rate.h"

/* The rate of a port of so many Mb/s. */
struct rate ethernet_rate(uint64_t mbit_per_s);

/* "10 Gb/s Ethernet", "2.5 Gb/s Ethernet", "100 Mb/s Ethernet": a rate_describe. */
int ethernet_describe(struct arena *arena, struct rate rate, struct mode *ret);
