/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the iSCSI transport share: network interfaces, and which of them leads to an address.
 */
#pragma once

#include "transport/gathering.h"
#include "transport/relation.h"

/* Adds the interface as a subject of class "net", and those below it (members of a bond, the device under
 * a VLAN). An interface that is not there leaves nothing. */
int iscsi_gather_interface(struct gathering *g, const char *name);

/* The interface with that hardware address; "" where none or more than one has it. */
int iscsi_interface_by_address(struct gathering *g, const char *hwaddress, char name[static 32]);

/* What an interface runs at. */
struct interface_speed {
    uint64_t mbit_per_s;            /* 0: not known */
    const char *why;                /* why not; NULL where known */
    const struct subject *physical; /* the one interface whose speed it is; NULL where not known */
};
struct interface_speed iscsi_interface_speed(struct relation *r, const char *name);

/* Adds the interface's error counters to the link. */
int iscsi_interface_counters(struct link *l, const struct subject *interface);

/* Finds the interface that the kernel's main routing table sends an IPv4 address to: the longest prefix,
 * then the lowest metric. `on_link`: only routes without a gateway, to networks the machine itself is in.
 * `routes` is the text of /proc/net/route. Returns 0, -ENOENT where no route is, -ENOTUNIQ where routes over
 * several interfaces are equally good, -EINVAL for a text that is no IPv4 address. */
int iscsi_route(const char *routes, const char *address, bool on_link, char interface[static 32]);

/* Is the text an IPv4 or IPv6 address? */
bool iscsi_is_address(const char *text);

/* Is it an address of the machine itself that no wire leads to: 127.0.0.0/8, ::1? */
bool iscsi_is_loopback(const char *address);
