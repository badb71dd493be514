/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The main thread's part of measure_run.h: opens, starts, waits, gathers.
 */
#include "live/measure_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live/measure_worker.h"

enum {
    ALIGNMENT = 4096 /* of buffers: what O_DIRECT and DMA want at most of the disks there are */
};

static const uint64_t SECOND_NS = 1000000000u;

static void free_run(struct run *run)
{
    for (size_t i = 0; run->crews && i < run->n; i++) {
        struct crew *c = &run->crews[i];

        for (unsigned j = 0; c->workers && j < c->n; j++) {
            way_close(&c->workers[j].io);
            free(c->workers[j].memory);
        }
        free(c->workers);
    }
    free(run->crews);
    sem_destroy(&run->wake);
    pthread_mutex_destroy(&run->mutex);
    pthread_cond_destroy(&run->cond);
    free(run);
}

void run_leave(struct run *run)
{
    if (atomic_fetch_sub(&run->users, 1) == 1)
        free_run(run);
}

static struct run *new_run(const struct run_options *options, size_t n)
{
    struct run *run = calloc(1, sizeof(*run));

    if (!run)
        return NULL;
    run->options = *options;
    run->options.progress = NULL;
    run->n = n;
    run->deadline_ns = UINT64_MAX;
    atomic_init(&run->users, 1);
    sem_init(&run->wake, 0, 0);
    pthread_mutex_init(&run->mutex, NULL);
    pthread_cond_init(&run->cond, NULL);
    run->crews = calloc(n, sizeof(*run->crews));
    if (!run->crews) {
        free_run(run);
        return NULL;
    }
    return run;
}

/* ---- before the start ---- */

static int give_memory(struct worker *w, const struct run_options *o)
{
    size_t share = o->rotation_bytes / o->depth,
           size = share > o->block_bytes ? share : o->block_bytes;

    /* A whole number of blocks, and then of what memory is aligned by. */
    size = (size + o->block_bytes - 1) / o->block_bytes * o->block_bytes;
    w->io.rotation = size;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    w->memory = aligned_alloc(ALIGNMENT, size);
    if (!w->memory)
        return -ENOMEM;
    memset(w->memory, 0, size); /* so that no page is missing when it counts */
    w->io.buffers = w->memory;
    return 0;
}

static int set_up_crew(struct run *run, struct crew *c, const struct run_device *device)
{
    const struct run_options *o = &run->options;

    c->run = run;
    c->device = device;
    c->workers = calloc(o->depth, sizeof(*c->workers));
    if (!c->workers)
        return -ENOMEM;
    c->n = o->depth;
    for (unsigned i = 0; i < c->n; i++) {
        struct worker *w = &c->workers[i];

        w->crew = c;
        w->number = i;
        w->io = (struct way_io){ .way = way_of(o->method->way),
                                 .system = o->system,
                                 .user = o->user,
                                 .fd = -1,
                                 .what = o->method->what,
                                 .timeout_ms = device->timeout_s * 1000 };
        if (give_memory(w, o) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* The device cannot be measured: its first thread, which never runs, says so. */
static void refuse(struct crew *c, int error, const char *why)
{
    c->workers[0].r.error = error;
    c->workers[0].r.why = why;
    atomic_store(&c->stop, true);
    atomic_store(&c->ready, true);
}

static int start_thread(struct crew *c, unsigned i)
{
    int r;

    atomic_fetch_add(&c->run->users, 1);
    r = pthread_create(&c->workers[i].thread, NULL, worker_main, &c->workers[i]);
    if (r) {
        atomic_fetch_sub(&c->run->users, 1);
        return -r;
    }
    c->started++;
    return 0;
}

static void open_crew(struct crew *c)
{
    for (unsigned i = 0; i < c->n; i++) {
        int r = way_open(&c->workers[i].io, c->device->hctl);

        if (r < 0) {
            refuse(c, -r,
                   r == -ENODEV ? "it has no node for this way" : "its node cannot be opened");
            return;
        }
    }
    if (start_thread(c, 0) < 0)
        refuse(c, EAGAIN, "no thread could be started");
}

/* ---- waiting ---- */

static uint64_t bytes_of(const struct crew *c)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < c->n; i++)
        n += atomic_load_explicit(&c->workers[i].bytes, memory_order_relaxed);
    return n;
}

static bool crew_is_done(const struct crew *c)
{
    for (unsigned i = 0; i < c->started; i++)
        if (!atomic_load(&c->workers[i].done))
            return false;
    return true;
}

static bool crew_is_ready(const struct crew *c)
{
    return atomic_load(&c->ready);
}

/* Gives up devices that have said nothing for too long. True where all others are where they should be. */
static bool look(struct run *run, bool (*is_there)(const struct crew *c), uint64_t now_ns)
{
    bool all = true;

    for (size_t i = 0; i < run->n; i++) {
        struct crew *c = &run->crews[i];
        uint64_t bytes = bytes_of(c);

        if (c->given_up || is_there(c))
            continue;
        if (bytes != c->seen_bytes)
            c->heard_ns = now_ns;
        c->seen_bytes = bytes;
        if (now_ns - c->heard_ns >= run->options.patience_us * 1000) {
            c->given_up = true;
            atomic_store(&c->stop, true);
            continue;
        }
        all = false;
    }
    return all;
}

static void tell(struct run *run, const struct run_options *o)
{
    for (size_t i = 0; o->progress && i < run->n; i++) {
        struct crew *c = &run->crews[i];
        uint64_t bytes = bytes_of(c);

        if (bytes != c->told_bytes && o->progress(o->userdata, i, bytes) < 0)
            atomic_store(&run->stop, true);
        c->told_bytes = bytes;
    }
}

/* Until all devices that are not given up are there. */
static void wait_until(struct run *run, const struct run_options *o,
                       bool (*is_there)(const struct crew *c))
{
    uint64_t now_ns = run_now_ns(), told_ns = now_ns, pause_ns = SECOND_NS;

    if (o->patience_us * 1000 / 4 < pause_ns)
        pause_ns = o->patience_us * 1000 / 4;
    for (size_t i = 0; i < run->n; i++)
        run->crews[i].heard_ns = now_ns;
    while (!look(run, is_there, now_ns)) {
        uint64_t until_ns = now_ns + pause_ns;
        struct timespec until = { (time_t)(until_ns / SECOND_NS), (long)(until_ns % SECOND_NS) };

        sem_clockwait(&run->wake, CLOCK_MONOTONIC, &until);
        now_ns = run_now_ns();
        if (now_ns - told_ns >= SECOND_NS) {
            tell(run, o);
            told_ns = now_ns;
        }
    }
}

/* ---- the start, and the result ---- */

static void start(struct run *run)
{
    for (size_t i = 0; i < run->n; i++) {
        struct crew *c = &run->crews[i];

        for (unsigned j = 1; !c->given_up && !atomic_load(&c->stop) && j < c->n; j++)
            if (start_thread(c, j) < 0)
                refuse(c, EAGAIN, "no more threads could be started");
    }
    pthread_mutex_lock(&run->mutex);
    if (run->options.longest_us)
        run->deadline_ns = run_now_ns() + run->options.longest_us * 1000;
    run->open = true;
    pthread_cond_broadcast(&run->cond);
    pthread_mutex_unlock(&run->mutex);
}

static void add(struct run_result *sum, const struct run_result *r)
{
    if (r->error && !sum->error) {
        sum->error = r->error;
        sum->why = r->why;
        sum->sense_len = r->sense_len;
        memcpy(sum->sense, r->sense, r->sense_len);
    }
    sum->bytes += r->bytes;
    sum->commands += r->commands;
    sum->retries += r->retries;
    sum->asked += r->asked;
    sum->short_bytes += r->short_bytes;
    sum->errors += r->errors;
    sum->direct += r->direct;
    sum->user_us += r->user_us;
    sum->system_us += r->system_us;
    if (r->start_ns && (!sum->start_ns || r->start_ns < sum->start_ns))
        sum->start_ns = r->start_ns;
    if (r->end_ns > sum->end_ns)
        sum->end_ns = r->end_ns;
    histogram_merge(&sum->latency, &r->latency);
}

/* What is over is waited for, so that nothing of it is open when the next begins; what hangs is not. */
static void let_go(struct run *run)
{
    for (size_t i = 0; i < run->n; i++)
        for (unsigned j = 0; j < run->crews[i].started; j++)
            if (run->crews[i].given_up)
                pthread_detach(run->crews[i].workers[j].thread);
            else
                pthread_join(run->crews[i].workers[j].thread, NULL);
}

static void take_result(const struct crew *c, struct run_result *ret)
{
    *ret = (struct run_result){ 0 };
    if (c->given_up) {
        ret->error = ETIMEDOUT;
        ret->why = "a read did not come back; it is left alone with it";
        ret->bytes = bytes_of(c);
        ret->block_bytes = c->run->options.block_bytes;
        return;
    }
    ret->block_bytes = c->workers[0].io.block ? c->workers[0].io.block
                                              : c->run->options.block_bytes;
    for (unsigned i = 0; i < c->n; i++)
        add(ret, &c->workers[i].r);
}

int measure_run(const struct run_options *options, const struct run_device *devices, size_t n,
                struct run_result *ret)
{
    struct run *run = new_run(options, n);
    int r = run ? 0 : -ENOMEM;

    for (size_t i = 0; i < n; i++)
        ret[i] = (struct run_result){ .error = ENOMEM,
                                      .why = "no memory",
                                      .block_bytes = options->block_bytes };
    for (size_t i = 0; r == 0 && i < n; i++)
        r = set_up_crew(run, &run->crews[i], &devices[i]);
    for (size_t i = 0; r == 0 && i < n; i++)
        open_crew(&run->crews[i]);
    if (r == 0) {
        wait_until(run, options, crew_is_ready);
        start(run);
        wait_until(run, options, crew_is_done);
        let_go(run);
    }
    for (size_t i = 0; r == 0 && i < n; i++)
        take_result(&run->crews[i], &ret[i]);
    if (run)
        run_leave(run);
    return r;
}
