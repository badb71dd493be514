/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A source that wraps another and puts into a store what was asked and answered: live + record is how a
 * capture is taken. Replaying the store then gives the answers that the wrapped source gave.
 *
 * What goes into the store
 * - read: the content, or the refusal where it is not ENOENT (absent is absent). What a smaller limit
 *   cut does not replace a longer content.
 *   Of boot parameters only what bears on storage (storage_filter()); the caller gets no more either.
 * - list: each name that is a directory, as an empty one, and each that is a link, with its target.
 *   Files are kept when they are read. A refusal as with read.
 * - link: the target. That something is no link is not kept.
 * - prop: what was found.
 * - command: the answer, refusals of the system included, our own (EPERM with a reason) not. What READ and
 *   READ BUFFER transfer is measured, never stored: such an answer is kept without its data.
 * - measure, now: as they are.
 * Links on the way of a path are looked up, once a directory, and kept: a path need not be canonical.
 *
 * What a capture cannot hold is refused to the caller too, and so recorded, that both agree: content
 * longer than CAPTURE_VALUE_MAX is EFBIG; a name or link that is no text is left out.
 */
#pragma once

#include "source/source.h"
#include "source/store.h"

/* A recorder of `inner` into `store`. Both are borrowed and must outlive it. NULL without memory. */
struct source *record_new(struct source *inner, struct store *store);

/* Goes on with another store, borrowed likewise: a collector sends its capture in parts. */
void record_set_store(struct source *record, struct store *store);

/* Is told of each command before it goes to the wrapped source: what a collector that hangs was about to
 * ask. */
void record_set_asking(struct source *record,
                       void (*asking)(void *userdata, const char *hctl, struct bytes cdb),
                       void *userdata);
