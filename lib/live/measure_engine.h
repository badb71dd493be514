/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measuring devices of this machine: refuses what must not or cannot be measured, and runs the rest
 * (measure_run.h). What comes out are the measurements of source/measure.h.
 *
 * Whom to measure is the caller's word: each device comes with what decides what it may be asked
 * (command_courtesy()), by the block layer as by commands.
 */
#pragma once

#include "live/measure_way.h"
#include "source/source.h"

enum {
    MEASURE_DEPTH_MAX = 32,
    /* Patience where nobody says anything: longer than a disk takes to spin up, or to find a block in its deepest
     * error recovery, and shorter than the kernel's own limit of a command. */
    MEASURE_PATIENCE_S = 45,
    MEASURE_BLOCK_MAX = 16 * 1024 * 1024, /* READ BUFFER counts 24 bits of bytes (SPC-4 6.18) */
};

struct measure_device {
    struct command_target target; /* its texts live as long as the engine */
    int error;                    /* why it is not measured at all; 0: it is */
    const char *why;              /* in words, where there is an error */
};

struct measure_options {
    const struct measure_system *system; /* MEASURE_SYSTEM, or that of a test */
    void *user;
    struct source *
        source; /* for the load of the processors and the memory that is left: /proc/stat, /proc/meminfo */
    size_t cache_bytes;   /* of the last level; 0: not known, then nothing is measured `cold` */
    uint64_t patience_us; /* a device that says nothing for longer is given up; not 0 */
    /* While it runs, at most once a second: bytes that a device (by its number) has given. A negative
     * return ends the run, early and well. May be NULL. */
    int (*progress)(void *userdata, size_t device, uint64_t bytes);
    void *userdata;
};

struct measure_engine;

/* Borrows the devices. NULL without memory. */
struct measure_engine *measure_engine_new(const struct measure_options *options,
                                          const struct measure_device *devices, size_t n);
struct measure_engine *measure_engine_free(struct measure_engine *e);
DEFINE_CLEANUP(struct measure_engine, measure_engine_free)

/* Measures the devices first … first + n - 1 together. Of the request all counts but `hctl` and `nth`; one of
 * total_bytes and longest_us is not 0. `ret` gets one measurement a device: refused ones have an error and
 * say why in `disturbed`, and nothing was sent to them. Texts and sense live as long as the engine. A device
 * that failed (EIO, ENODEV, ETIMEDOUT) is refused from then on. Returns 0, or a negative errno of memory or the source: -EINVAL
 * for a request that no device could do. */
int measure_engine_run(struct measure_engine *e, const struct measure_request *request,
                       size_t first, size_t n, struct measurement *ret);
