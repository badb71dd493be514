/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timed reads: what may be measured and by which way the data goes, what is asked, and what came out.
 *
 * A method is what is read and the way there: "read-media/sg-direct". What a result proves is decided
 * elsewhere; one that failed or was disturbed is kept and shown, and is never a witness, a rate or
 * evidence (measurement_counts()).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* What is read. */
enum measure_what {
    MEASURE_READ_BUFFER, /* the device's buffer, by READ BUFFER (SPC-4 6.18): the link without the medium */
    MEASURE_READ_CACHED, /* the same small range again and again: the device has it in its cache */
    MEASURE_READ_MEDIA,  /* in sequence from the first block on, or at random places */
    _MEASURE_WHAT_MAX,
};

/* The way to this process. */
enum measure_way {
    WAY_SG,           /* SG_IO on the sg node; the driver copies (scsi/sg.h) */
    WAY_SG_DIRECT,    /* SG_FLAG_DIRECT_IO: without a copy where /proc/scsi/sg/allow_dio is 1 */
    WAY_SG_MMAP,      /* SG_FLAG_MMAP_IO: into the driver's buffer, which this process sees */
    WAY_BLOCK_DIRECT, /* the block node, O_DIRECT */
    WAY_BLOCK_BUFFERED, /* the block node through the page cache, which is emptied of the range before */
    WAY_BSG,            /* sg_io_v4 on the bsg node */
    _MEASURE_WAY_MAX,
};

struct measure_method {
    const char *name; /* "read-media/sg-direct" */
    enum measure_what what;
    enum measure_way way;
    const char *about; /* one line for people */
};

/* All methods; ends with a row without a name. READ BUFFER has no block ways. */
extern const struct measure_method MEASURE_METHODS[];

/* The method of that name; "read-buffer" alone is "read-buffer/sg", and so on. NULL: there is none. */
const struct measure_method *measure_method_named(const char *name);

struct measure_request {
    const char *hctl; /* NULL: what was recorded, whatever it is; number `nth` of all, from 0 */
    const char *method;
    uint64_t block_bytes;
    uint64_t total_bytes; /* wanted; a replay gives what was recorded */
    unsigned depth;       /* so many reads under way at a time */
    size_t nth;
    uint64_t longest_us; /* stop after so long; 0: only total_bytes counts */
    bool cold;           /* buffers take turns through more than the last-level cache */
    bool random;         /* MEASURE_READ_MEDIA at random places, not in sequence */
    uint64_t seed;       /* of the places */
};

struct measurement {
    /* 0, or a positive errno. EOPNOTSUPP or ENODATA without `hctl`: the source does not measure, or has
     * nothing recorded: then nothing else is set. With it: why the measuring ended early, or never began
     * (EBUSY, EPERM refused; EIO the device failed; EOPNOTSUPP it cannot do that; …). */
    int error;
    const char *hctl, *method; /* what it is about; live as long as the source */
    uint64_t block_bytes;
    uint64_t bytes,
        us; /* that came, and how long it took from the first read to the end of the last */
    uint64_t cpu_us; /* of the reading threads: user_us and system_us together */
    unsigned depth;
    /* For all that follow, 0, NULL or empty says: none, or not known. */
    uint64_t commands; /* reads that were sent, repeated ones among them */
    uint64_t user_us, system_us;
    uint64_t min_us, median_us, p95_us, p99_us, max_us; /* of one read */
    uint64_t retries; /* reads repeated after a unit attention, or after BUSY or TASK SET FULL */
    uint64_t
        asked; /* commands before the reads: how much there is to read (READ CAPACITY, READ BUFFER mode 03h) */
    uint64_t beside;      /* reads that do not count: to see whether it can be read */
    uint64_t short_bytes; /* asked for and not given, by reads that ended well */
    uint64_t errors;      /* reads that failed */
    uint64_t direct;    /* reads of which `info` said that nothing was copied (SG_INFO_DIRECT_IO) */
    struct bytes sense; /* of the first error */
    bool cold, random;  /* as in the request, as far as the way can */
    unsigned
        together; /* so many devices were measured at the same time, this one among them; 0, 1: alone */
    uint64_t idle_permille; /* of all processors, while it ran */
    uint64_t wall_us;       /* when it began, since 1970 UTC; 0: when the capture was taken */
    const char *disturbed;  /* why it does not count, in words; NULL: it counts, if `error` is 0 */
};

/* Does it count as evidence? */
static inline bool measurement_counts(const struct measurement *m)
{
    return !m->error && !m->disturbed;
}
