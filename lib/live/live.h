/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The source that asks this machine: sysfs and procfs, udev, SCSI pass-through, the clocks. Or a copied
 * tree of another one's files, which then answers for files and nothing else. What each operation says
 * is in source/source.h.
 *
 * It opens what it is asked for and nothing besides: a file when that is read, a directory when it is
 * listed, one device node when a command is sent (live/node.h says which).
 */
#pragma once

#include <stdbool.h>

#include "source/source.h"

struct live_options {
    const char *root; /* directory of a copied tree: /sys/… is ROOT/sys/…; NULL: this machine */
    /* Resolve links below the root in this process. Done anyway where the kernel cannot; said here by
     * tests. */
    bool by_hand;
};

/* A source over this machine (asking costs) or a copied tree (it does not; commands are EOPNOTSUPP,
 * properties ENOENT, and there are no events). NULL with errno set where the root cannot be opened or
 * memory is missing. */
struct source *live_new(const struct live_options *options);

/* A descriptor that becomes readable when source_next_event() has something to give. Begins the watch if
 * it has not begun. Stays the source's. -EOPNOTSUPP over a copied tree, or another negative errno. */
int live_event_fd(struct source *live);
