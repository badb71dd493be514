/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What rides on the block devices of SCSI devices: partitions, md arrays, device-mapper maps, mounts. A part
 * of gather.c. Each becomes a subject of class "block".
 */
#pragma once

#include "transport/gathering.h"

/* Of a subject of class "block". */
extern const struct fact_key HOLDERS_PART; /* a partition of it: "sda1", one fact each */
extern const struct fact_key
    HOLDERS_HOLDER; /* what is built on it: "dm-0", "md127", one fact each */
extern const struct fact_key
    HOLDERS_MOUNT; /* where it is mounted, "swap" where it is swapped to; one fact
                                                each */
extern const struct fact_key HOLDERS_DM_NAME, HOLDERS_DM_UUID, HOLDERS_MD_LEVEL;

/* Adds the block devices of all SCSI devices, and all that is built on them. Nothing below LEVEL_ALL. */
int gather_holders(struct gathering *g);
