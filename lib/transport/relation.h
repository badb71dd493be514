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

/* The id of what a device path leads to, of which the first `len` characters count: "pci-0000:01:01.0" of
 * the last PCI function in it, else the path ("platform-f10a0000.sata"). NULL without memory. */
const char *relate_path_id(struct relation *r, const char *path, size_t len);

/* Adds a link named after the host itself: for hosts whose link is the host (FC, iSCSI), that have none
 * (virtual) or that hide theirs (RAID). Its id is the host's and `-TRANSPORT`. NULL without memory. */
struct link *relate_host_link(struct relation *r, struct host *host, const char *transport);

/* A host_id: what the host is on by relate_path_id(), and what tells it from others there: a mark such as
 * "vport-0x…"; NULL for none. */
const char *relate_host_id(struct relation *r, const struct subject *host, const char *mark);

/* A device_mark for hosts whose volumes differ by channel and target only: "0:3". NULL without memory. */
const char *relate_target_mark(struct relation *r, const struct host *host,
                               const struct subject *device);

/* The link named after the host: a link_of for those that have one. */
struct link *relate_link_of_host(struct relation *r, struct host *host,
                                 const struct subject *device);

/* "VENDOR MODEL" of the first device below a directory, for the far end of a link; NULL where none. */
const char *relate_far_name(struct relation *r, const char *path);

/* A mode from a rate, named by the describe function. Not known without memory. */
struct mode relate_mode(struct relation *r, rate_describe describe, struct rate rate);
