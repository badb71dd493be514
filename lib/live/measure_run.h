/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One cell of measuring: so many threads a device, each with a descriptor of its own, that begin together
 * and end together. What the threads share are a few atomic numbers; reading a block takes one look at
 * the clock, no memory and no lock.
 *
 * A device that fails ends its own threads; one that says nothing for longer than `patience` is given up:
 * its threads stay behind with all that they need, for a command is never broken off, and the others
 * go on.
 */
#pragma once

#include "base/histogram.h"
#include "live/measure_way.h"

struct run_device {
    const char *hctl;
    unsigned timeout_s; /* of a command: command_timeout_s() */
};

struct run_options {
    const struct measure_system *system;
    void *user;
    const struct measure_method *method;
    uint64_t block_bytes;
    uint64_t total_bytes; /* of a device; 0: only the time counts */
    uint64_t longest_us;  /* 0: only total_bytes counts; one of the two does */
    unsigned depth;       /* threads a device */
    bool random;
    uint64_t seed;
    size_t
        rotation_bytes; /* buffers of a device take turns through so many; 0: one buffer a thread */
    uint64_t patience_us;
    /* Told at most once a second of a device from which bytes came since. A negative return ends the
     * run, early and well. May be NULL. */
    int (*progress)(void *userdata, size_t device, uint64_t bytes);
    void *userdata;
};

/* What came of one device. */
struct run_result {
    int error;            /* 0 or a positive errno */
    const char *why;      /* a constant text, where there is an error; else NULL */
    uint64_t block_bytes; /* what was read at once: no more than READ BUFFER's buffer has */
    uint64_t bytes, commands, retries, short_bytes, errors, direct;
    uint64_t asked;            /* commands before the reads */
    uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC: first read, end of the last; 0: none */
    uint64_t user_us, system_us;
    struct histogram latency; /* ns */
    size_t sense_len;
    uint8_t sense[SENSE_MAX];
};

/* Measures `n` devices together. The results (n of them) are set in every case. Returns 0 or -ENOMEM. */
int measure_run(const struct run_options *options, const struct run_device *devices, size_t n,
                struct run_result *ret);
