/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which device node may be opened to send a command to a device: decided from what sysfs says, asked
 * through the seam, so that a copied tree or a capture tests it.
 *
 * Only these, in this order, ever:
 *   sg     /dev/sgN that sysfs lists below the device
 *   bsg    /dev/bsg/H:C:T:L likewise
 *   block  /dev/sdX of a disk (type 0) that is not removable and whose host is `running`: opening asks a
 *          removable medium for itself and locks it in, and waits, unkillable, for a host in recovery
 *          (drivers/scsi/sd.c, sd_open)
 * st, nst, ch and sr nodes are none of them: opening a tape's moves it.
 */
#pragma once

#include <stdbool.h>

#include "source/source.h"

enum node_kind {
    NODE_SG,
    NODE_BSG,
    NODE_BLOCK,
    NODE_MAX,
};

struct node {
    char path[64];          /* in /dev */
    char sysfs[160];        /* the node's own directory in sysfs */
    char device_number[24]; /* "MAJOR:MINOR\n", as sysfs has it */
    bool is_block;
};

/* The node of that kind. Returns 1 with it, 0 where the device has none (or may not be reached by it), or
 * a negative errno of the source; -EINVAL for a text that is not H:C:T:L. */
int node_find(struct source *s, const char *hctl, enum node_kind kind, struct node *ret);

/* Is that still so? Returns 1 where sysfs says the same of the node as when it was found. */
int node_is_unchanged(struct source *s, const struct node *node);

/* Opens the node to read, and makes sure that it is what sysfs says: the device may have gone meanwhile
 * and another have got its node. `flags`: 0, or O_DIRECT. Returns a descriptor or a negative errno, -ENODEV
 * where it is something else. */
int node_open(struct source *s, const struct node *node, int flags);
