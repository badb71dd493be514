/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Was somebody else at work while a device was measured? The kernel's counters before a cell and after it, less what the
 * cell did itself.
 *
 * Ways that send commands are held against iorequest_cnt, which counts any command of anybody; block ways against the
 * sectors in `stat`, which know no pass-through. Of what goes through the page cache nothing can be said: the kernel
 * reads ahead of the reader, as much as it likes.
 */
#pragma once

#include "probe/watch.h"
#include "source/measure.h"
#include "source/source.h"

struct others {
    const struct subject *device; /* NULL: there is none */
    struct watch_sample before, after;
    char words[64]; /* what `disturbed` of a measurement points to, until others_begin() */
};

/* The look before a cell; `device` lives as long. Counters that are not there are not known, and nothing is said of them. Returns 0 or a negative
 * errno of the source. */
int others_begin(struct source *s, const struct subject *device, struct others *o);

/* The look after it. Where others did more than a little, `m->disturbed` says what: "9 commands of others came between",
 * "others read or wrote 640 KiB meanwhile". A measurement with an error, or a word already, stays as it is. Returns 0 or
 * a negative errno of the source. */
int others_end(struct source *s, struct others *o, struct measurement *m);
