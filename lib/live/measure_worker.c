/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A thread that reads block after block (measure_run.h).
 */
#include "live/measure_worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "decode/sense.h"
#include "source/errno_name.h"

enum {
    GOOD = 0x00, /* SAM-5 table 43 */
    CHECK_CONDITION = 0x02,
    BUSY = 0x08,
    RESERVATION_CONFLICT = 0x18,
    TASK_SET_FULL = 0x28,
    DID_NO_CONNECT = 0x01, /* include/scsi/scsi_status.h */
    DID_TIME_OUT = 0x03,
    DRIVER_STATUS_MASK = 0x0f, /* of driver_status, before 5.14 (include/scsi/scsi.h of 4.18) */
    DRIVER_SENSE = 0x08,       /* likewise: there is sense data, and nothing more */
    ATTENTIONS_MAX = 2,        /* unit attentions of one read after which it is repeated */
    BACKOFF_FIRST_US =
        1000, /* a busy device is left alone so long, twice as long the next time, … */
    BACKOFF_MOST_US = 128000,
    BACKOFF_TIMES = 40, /* … and given up after about four seconds */
};

uint64_t run_now_ns(void)
{
    struct timespec t = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- how a command ended ---- */

enum ending { WELL, ATTENTION, BUSY_NOW, FAILED };

static enum ending ending_of_check(const struct way_io *io, const struct way_outcome *o)
{
    struct sense s;

    if (sense_decode((struct bytes){ io->sense, o->sense_len }, &s) < 0)
        return FAILED;
    if (s.key == SENSE_NO_SENSE || s.key == SENSE_RECOVERED_ERROR)
        return WELL;
    return sense_is_unit_attention(&s) ? ATTENTION : FAILED;
}

static enum ending ending_of(const struct way_io *io, const struct way_outcome *o)
{
    unsigned driver = o->driver_status & DRIVER_STATUS_MASK;

    if (o->error || o->host_status || (driver && driver != DRIVER_SENSE))
        return FAILED;
    switch (o->status) {
    case GOOD:
        return WELL;
    case CHECK_CONDITION:
        return ending_of_check(io, o);
    case BUSY:
    case TASK_SET_FULL:
        return BUSY_NOW;
    default:
        return FAILED;
    }
}

/* Notes why this thread can not go on; the first reason stays. */
static void fail(struct worker *w, int error, const char *why)
{
    if (w->r.error)
        return;
    w->r.error = errno_name(error) ? error : EIO;
    w->r.why = why;
    atomic_store(&w->crew->stop, true);
}

#define RESERVED "it is reserved by somebody else (RESERVATION CONFLICT)"

/* What a refusal of the system means for people. */
static const char *why_refused(int error)
{
    switch (error) {
    case ENODEV:
    case ENXIO:
        return "the device is gone";
    case EIO:
        return "the read failed";
    case EBADE: /* drivers/scsi/scsi_lib.c: the target is right, the nexus is not */
        return RESERVED;
    case EINVAL:
    case ENOMEM:
        return "the driver does not take a read of that size";
    default:
        return "the system refuses the read";
    }
}

static void fail_by_host(struct worker *w, unsigned host_status)
{
    if (host_status == DID_NO_CONNECT)
        fail(w, ENODEV, "the device is gone (DID_NO_CONNECT)");
    else if (host_status == DID_TIME_OUT)
        fail(w, ETIMEDOUT, "a read timed out (DID_TIME_OUT)");
    else
        fail(w, EIO, "the adapter or its driver reports an error of the transport");
}

static bool is_unknown_to_device(const struct worker *w, const struct way_outcome *o)
{
    struct sense s;

    return sense_decode((struct bytes){ w->io.sense, o->sense_len }, &s) == 0 &&
           sense_is_invalid_field(&s);
}

static void fail_by(struct worker *w, const struct way_outcome *o)
{
    w->r.errors++;
    if (o->error)
        fail(w, o->error, why_refused(o->error));
    else if (o->host_status)
        fail_by_host(w, o->host_status);
    else if (o->status == BUSY || o->status == TASK_SET_FULL)
        fail(w, EBUSY, "the device stays busy");
    else if (o->status == RESERVATION_CONFLICT)
        fail(w, EIO, RESERVED);
    else if (o->status == CHECK_CONDITION && is_unknown_to_device(w, o))
        fail(w, EOPNOTSUPP, "the device does not do that");
    else if (o->status == CHECK_CONDITION)
        fail(w, EIO, "the device reports an error: see its sense data");
    else
        fail(w, EIO, "the device ended a read with a bad status");
    if (o->sense_len && !w->r.sense_len) {
        w->r.sense_len = o->sense_len;
        memcpy(w->r.sense, w->io.sense, o->sense_len);
    }
}

/* May the command be sent again? Waits where the device is busy. */
static bool may_repeat(enum ending ending, unsigned *attentions, unsigned *busy)
{
    unsigned shift = *busy < 7 ? *busy : 7;
    uint64_t us = (uint64_t)BACKOFF_FIRST_US << shift;

    if (ending == ATTENTION)
        return (*attentions)++ < ATTENTIONS_MAX;
    if (ending != BUSY_NOW || (*busy)++ >= BACKOFF_TIMES)
        return false;
    us = us < BACKOFF_MOST_US ? us : BACKOFF_MOST_US;
    nanosleep(&(struct timespec){ .tv_nsec = (long)us * 1000 }, NULL);
    return true;
}

/* ---- getting ready: the first thread, for all of its crew ---- */

static int ask_size(struct worker *w, struct way_extent *ret)
{
    unsigned attentions = 0, busy = 0;
    struct way_outcome o;
    int r;

    for (;;) {
        enum ending ending;

        r = way_size(&w->io, ret, &o);
        if (r <= 0)
            break;
        ending = ending_of(&w->io, &o);
        if (!may_repeat(ending, &attentions, &busy)) {
            w->r.asked = w->io.asked;
            fail_by(w, &o);
            return -EIO;
        }
    }
    w->r.asked = w->io.asked;
    if (r < 0)
        fail(w, -r,
             w->io.what == MEASURE_READ_BUFFER ? "the device has no buffer to read"
                                               : "its size cannot be told");
    return r;
}

/* What of the wish the device can do; 0, or fails. */
static int fit(struct worker *w, const struct way_extent *extent)
{
    struct crew *c = w->crew;
    const struct run_options *o = &c->run->options;
    uint64_t block = o->block_bytes;

    if (w->io.what == MEASURE_READ_BUFFER && block > extent->bytes)
        block = extent->bytes;
    if (!extent->sector || block % extent->sector)
        fail(w, EINVAL, "the block is no multiple of the device's own");
    else if (block > extent->bytes)
        fail(w, EMSGSIZE, "the block is larger than the device");
    if (w->r.error)
        return -w->r.error;
    c->blocks = extent->bytes / block;
    c->commands = o->total_bytes ? (o->total_bytes - 1) / block + 1 : UINT64_MAX;
    /* What has been read once is in the page cache. */
    if (w->io.way->is_buffered && w->io.what == MEASURE_READ_MEDIA && !o->random &&
        c->commands > c->blocks)
        c->commands = c->blocks;
    for (unsigned i = 0; i < c->n; i++) {
        if (!o->rotation_bytes)
            c->workers[i].io.rotation = block;
        c->workers[i].io.block = block;
        c->workers[i].io.extent = *extent;
        c->workers[i].io.rotation -= c->workers[i].io.rotation % block;
    }
    return 0;
}

static bool forgets_each(const struct worker *w)
{
    return w->io.way->is_buffered &&
           (w->io.what != MEASURE_READ_MEDIA || w->crew->run->options.random);
}

static void get_ready(struct worker *w)
{
    struct crew *c = w->crew;
    struct way_extent extent = { 0 };
    int r = ask_size(w, &extent);

    if (r == 0)
        r = fit(w, &extent);
    for (unsigned i = 0; r == 0 && i < c->n; i++) {
        r = way_prepare(&c->workers[i].io);
        if (r < 0)
            fail(w, -r, "the sg driver has no buffer of that size");
    }
    if (r == 0 && w->io.way->is_buffered && !forgets_each(w)) {
        uint64_t size = c->commands < c->blocks ? c->commands * w->io.block : extent.bytes;

        r = w->io.system->forget(w->io.user, w->io.fd, 0, size);
        if (r < 0)
            fail(w, -r, "the page cache cannot be emptied of it");
    }
}

/* ---- reading ---- */

/* splitmix64: a number that looks random for each number. */
static uint64_t scatter(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t place_of(const struct worker *w, uint64_t number)
{
    const struct crew *c = w->crew;

    switch (w->io.what) {
    case MEASURE_READ_MEDIA:
        if (c->run->options.random)
            number = scatter(c->run->options.seed ^ scatter(number));
        return number % c->blocks * w->io.block;
    case MEASURE_READ_CACHED:
        /* In the page cache one thread's block must not be another's. */
        return w->io.way->is_buffered ? w->number % c->blocks * w->io.block : 0;
    case MEASURE_READ_BUFFER:
    case _MEASURE_WHAT_MAX:
        break;
    }
    return 0;
}

/* One read that ended well. */
static void count(struct worker *w, const struct way_outcome *o, uint64_t took_ns)
{
    struct run_result *r = &w->r;

    r->commands++;
    r->bytes += o->came;
    r->short_bytes += w->io.block - o->came;
    r->direct += o->was_direct;
    histogram_add(&r->latency, took_ns);
    atomic_store_explicit(&w->bytes, r->bytes, memory_order_relaxed);
}

/* Reads the block at that place, `*now_ns` is when, and becomes when it was there. False: no more. */
static bool read_one(struct worker *w, uint64_t place, uint64_t *now_ns)
{
    unsigned attentions = 0, busy = 0;
    struct way_outcome o;

    if (forgets_each(w))
        w->io.system->forget(w->io.user, w->io.fd, place, w->io.block);
    for (;;) {
        enum ending ending;
        uint64_t then_ns = *now_ns;

        way_read(&w->io, place, &o);
        *now_ns = run_now_ns();
        ending = ending_of(&w->io, &o);
        if (ending == WELL) {
            count(w, &o, *now_ns - then_ns);
            break;
        }
        w->r.commands++;
        if (!may_repeat(ending, &attentions, &busy)) {
            fail_by(w, &o);
            return false;
        }
        *now_ns = run_now_ns();
        if (*now_ns >= w->crew->run->deadline_ns && !w->r.bytes)
            fail_by(w, &o);
        if (*now_ns >= w->crew->run->deadline_ns ||
            atomic_load_explicit(&w->crew->stop, memory_order_relaxed))
            return false;
        w->r.retries++;
    }
    if (w->io.way->flags & SG_FLAG_DIRECT_IO && !o.was_direct) {
        fail(w, EOPNOTSUPP, "the sg driver copies: /proc/scsi/sg/allow_dio is not 1, or it cannot");
        return false;
    }
    return true;
}

static bool is_over(struct worker *w, uint64_t now_ns, uint64_t *ret_number)
{
    struct crew *c = w->crew;
    struct run *run = c->run;

    if (atomic_load_explicit(&run->stop, memory_order_relaxed) ||
        atomic_load_explicit(&c->stop, memory_order_relaxed))
        return true;
    *ret_number = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed);
    if (*ret_number < c->commands && now_ns < run->deadline_ns)
        return false;
    atomic_store_explicit(&run->stop, true, memory_order_relaxed);
    return true;
}

static uint64_t us_of(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

static void read_blocks(struct worker *w)
{
    struct rusage before = { 0 }, after = { 0 };
    uint64_t now_ns, number;

    getrusage(RUSAGE_THREAD, &before);
    now_ns = w->r.start_ns = run_now_ns();
    while (!is_over(w, now_ns, &number) && read_one(w, place_of(w, number), &now_ns))
        ;
    w->r.end_ns = now_ns;
    getrusage(RUSAGE_THREAD, &after);
    w->r.user_us = us_of(after.ru_utime) - us_of(before.ru_utime);
    w->r.system_us = us_of(after.ru_stime) - us_of(before.ru_stime);
}

static void wait_for_start(struct run *run)
{
    pthread_mutex_lock(&run->mutex);
    while (!run->open)
        pthread_cond_wait(&run->cond, &run->mutex);
    pthread_mutex_unlock(&run->mutex);
}

void *worker_main(void *worker)
{
    struct worker *w = worker;
    struct run *run = w->crew->run;

    if (w->number == 0) {
        get_ready(w);
        atomic_store(&w->crew->ready, true);
        sem_post(&run->wake);
    }
    wait_for_start(run);
    if (!atomic_load(&w->crew->stop))
        read_blocks(w);
    atomic_store(&w->done, true);
    sem_post(&run->wake);
    run_leave(run);
    return NULL;
}
