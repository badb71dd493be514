/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Was anybody else at work? Looks at a device are taken before and after own reads, and compared.
 *
 * What the kernel counts of a SCSI device, any command of anybody (drivers/scsi/scsi_lib.c): iorequest_cnt when it is
 * given to the host, iodone_cnt when it is done. They are counters of 32 bits that wrap (iocounterbits). Where they
 * are not there, the block layer's `stat` is (Documentation/block/stat.rst), which does not count pass-through.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* One look at a device. What could not be read is not known: has_… false. */
struct watch_sample {
    bool has_counts, has_stat, has_inflight;
    uint32_t requested, done; /* iorequest_cnt, iodone_cnt */
    uint64_t completed;       /* stat: reads, writes, discards and flushes that ended */
    uint64_t moved;           /* stat: sectors read and written; shows that it does not sleep */
    uint64_t in_flight;       /* the block layer's: inflight, or stat's field of that name */
    bool is_running, host_running; /* states of device and host, as the kernel says them */
};

/* Reads the texts of iorequest_cnt and iodone_cnt ("0x1f\n") into the sample. Return 0 or -EBADMSG: then the sample is
 * as it was. */
int watch_parse_counts(const char *requested, const char *done, struct watch_sample *s);

/* The same of /sys/block/X/stat: 11 numbers, 15 from Linux 4.18 on (discards), 17 from 5.5 on (flushes). */
int watch_parse_stat(const char *text, struct watch_sample *s);

/* The same of /sys/block/X/inflight: reads and writes under way. */
int watch_parse_inflight(const char *text, struct watch_sample *s);

/* What we did ourselves between two looks. */
struct watch_own {
    uint64_t commands;    /* SCSI commands, however they ended */
    uint64_t block_reads; /* of them, those that went through the block layer, and are in `stat` */
};

/* Does one look say that the device is at work, or in trouble? NULL, or in words why, in the arena (a constant text
 * without memory): "2 requests of 0:0:1:0 are under way", "the host is not running". */
const char *watch_busy(struct arena *a, const char *hctl, const struct watch_sample *s);

/* Did anybody else use the device between two looks, or is it not fit any longer? As watch_busy(): "3 commands of
 * 0:0:1:0 came between". A device of which nothing can be counted says "it cannot be told whether 0:0:1:0 is
 * used". */
const char *watch_disturbed(struct arena *a, const char *hctl, const struct watch_sample *before,
                            const struct watch_sample *after, const struct watch_own *own);

/* Has somebody else moved data between two looks: is the disk surely awake? Commands that move none (REQUEST SENSE,
 * INQUIRY) wake nothing and prove nothing. */
bool watch_moved(const struct watch_sample *before, const struct watch_sample *after);
