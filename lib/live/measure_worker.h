/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The threads of measure_run.h: what they share, and what each does. A part of measure_run.c.
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "live/measure_run.h"

struct crew;

struct worker {
    struct crew *crew;
    unsigned number; /* in its crew */
    struct way_io io;
    uint8_t *memory; /* of its buffers */
    pthread_t thread;
    _Atomic uint64_t bytes;
    atomic_bool done;    /* what follows is final, and may be read by others */
    struct run_result r; /* of this thread */
};

/* The threads of one device. */
struct crew {
    struct run *run;
    const struct run_device *device;
    struct worker *workers;
    unsigned n;
    unsigned started;          /* threads */
    uint64_t commands, blocks; /* to send at most; on the medium */
    _Atomic uint64_t next;     /* number of the next read */
    atomic_bool stop;
    atomic_bool ready; /* the first thread has got everything ready, or failed */
    /* Of the main thread alone: */
    bool given_up;
    uint64_t seen_bytes, told_bytes, heard_ns;
};

struct run {
    atomic_uint users;          /* threads and the caller: the last frees it */
    struct run_options options; /* without `progress` */
    sem_t wake;                 /* something happened that the main thread waits for */
    pthread_mutex_t mutex;      /* of `open` */
    pthread_cond_t cond;
    bool open;            /* the common start */
    uint64_t deadline_ns; /* UINT64_MAX: none; set before the start */
    atomic_bool stop;     /* the common end */
    struct crew *crews;
    size_t n;
};

uint64_t run_now_ns(void);

/* Frees it where nobody else uses it. */
void run_leave(struct run *run);

/* A thread's life: the argument is its struct worker. The first of a crew gets all of them ready. */
void *worker_main(void *worker);
