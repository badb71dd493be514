/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several stores as one source: a machine of which each adapter was read by itself, at its own time.
 *
 * What lies below an adapter's directory is told by the store that was read of it, and by no other. The rest (classes,
 * drivers, networks, mounts) several of them have seen: of files the newest one that knows it answers, and directories
 * have the names that any of them saw. But a name that leads to a SCSI host whose store is not here, or does not have
 * it (any more), is no name: the other adapters saw it in passing, and when they were read may be long ago.
 */
#pragma once

#include "source/source.h"
#include "source/store.h"

struct unite_part {
    const struct store *store;
    const char *below; /* directory of the adapter with '/' at its end; NULL: the whole machine */
};

/* A source over the parts, the newest first; the array is copied, what it points to must outlive the source. Its clock is
 * `taken`, copied too (texts borrowed). NULL without memory. */
struct source *unite_new(const struct unite_part *parts, size_t n, const struct taken *taken);
