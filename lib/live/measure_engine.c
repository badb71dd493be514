/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Refusals before a run, and results after it (measure_engine.h).
 */
#include "live/measure_engine.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "live/measure_node.h"
#include "live/measure_run.h"

struct measure_engine {
    struct measure_options options;
    const struct measure_device *devices;
    size_t n;
    int *failed;         /* errno of each device; 0: none */
    struct arena *arena; /* of what results say */
};

struct measure_engine *measure_engine_free(struct measure_engine *e)
{
    if (!e)
        return NULL;
    arena_free(e->arena);
    free(e->failed);
    free(e);
    return NULL;
}

struct measure_engine *measure_engine_new(const struct measure_options *options,
                                          const struct measure_device *devices, size_t n)
{
    struct measure_engine *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    e->options = *options;
    e->devices = devices;
    e->n = n;
    e->arena = arena_new();
    e->failed = calloc(n ? n : 1, sizeof(*e->failed));
    return e->arena && e->failed ? e : measure_engine_free(e);
}

/* ---- refusals ---- */

struct refusal {
    int error; /* 0: none */
    const char *why;
};

static struct refusal refusal_of(const struct measure_engine *e, size_t device,
                                 const struct measure_method *m, const struct measure_request *r)
{
    static const uint8_t READ[10] = { OP_READ_10 }, BUFFER[10] = { OP_READ_BUFFER_10, 0x02 };
    const struct measure_device *d = &e->devices[device];
    const char *why;

    if (d->error)
        return (struct refusal){ d->error, d->why };
    if (e->failed[device])
        return (struct refusal){ e->failed[device], "an earlier read of it failed" };
    if (!device_type_is_disk(d->target.type))
        return (struct refusal){ EPERM, "only disks are measured" };
    why = command_courtesy(&d->target,
                           (struct bytes){ m->what == MEASURE_READ_BUFFER ? BUFFER : READ, 10 });
    if (why)
        return (struct refusal){ d->target.flags & TARGET_ASLEEP ? EBUSY : EPERM, why };
    if (r->cold && m->way == WAY_SG_MMAP)
        return (struct refusal){ EOPNOTSUPP, "what is mapped is one buffer of the driver's: it "
                                             "cannot be cold" };
    if (r->cold && !e->options.cache_bytes)
        return (struct refusal){ EOPNOTSUPP, "how large the processors' caches are is not known" };
    return (struct refusal){ 0 };
}

static bool can_be_done(const struct measure_request *r, const struct measure_method *m)
{
    return m && r->block_bytes && r->block_bytes <= MEASURE_BLOCK_MAX && r->depth &&
           r->depth <= MEASURE_DEPTH_MAX && (r->total_bytes || r->longest_us);
}

/* ---- results ---- */

/* Microseconds, rounded; what took any time took one at least. */
static uint64_t us_of(uint64_t ns)
{
    return ns && ns < 1000 ? 1 : (ns + 500) / 1000;
}

static int take(struct measure_engine *e, const struct run_result *r, struct measurement *m)
{
    m->error = r->error;
    m->disturbed = r->why;
    m->block_bytes = r->block_bytes;
    m->bytes = r->bytes;
    m->us = us_of(r->end_ns - r->start_ns);
    m->user_us = r->user_us;
    m->system_us = r->system_us;
    m->cpu_us = r->user_us + r->system_us;
    m->commands = r->commands;
    m->min_us = us_of(r->latency.min);
    m->median_us = us_of(histogram_quantile(&r->latency, 500));
    m->p95_us = us_of(histogram_quantile(&r->latency, 950));
    m->p99_us = us_of(histogram_quantile(&r->latency, 990));
    m->max_us = us_of(r->latency.max);
    m->retries = r->retries;
    m->asked = r->asked;
    m->short_bytes = r->short_bytes;
    m->errors = r->errors;
    m->direct = r->direct;
    if (r->sense_len)
        m->sense = arena_bytes(e->arena, (struct bytes){ r->sense, r->sense_len });
    return r->sense_len && !m->sense.data ? -ENOMEM : 0;
}

static uint64_t wall_us(void)
{
    struct timespec t = { 0 };

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* ---- a run ---- */

/* Those of a cell that are measured. */
struct chosen {
    struct measure_engine *e;
    size_t *numbers; /* of the devices */
    struct run_device *devices;
    struct run_result *results;
    size_t n;
};

static int pass_on(void *userdata, size_t device, uint64_t bytes)
{
    struct chosen *c = userdata;

    return c->e->options.progress(c->e->options.userdata, c->numbers[device], bytes);
}

/* Is it the device, and not what was asked of it? */
static bool has_failed(int error)
{
    return error == EIO || error == ENODEV || error == ENXIO || error == ETIMEDOUT;
}

static int run_chosen(struct chosen *c, const struct measure_method *method,
                      const struct measure_request *request, uint64_t *ret_idle)
{
    const struct measure_options *o = &c->e->options;
    struct run_options options = {
        .system = o->system,
        .user = o->user,
        .method = method,
        .block_bytes = request->block_bytes,
        .total_bytes = request->total_bytes,
        .longest_us = request->longest_us,
        .depth = request->depth,
        .random = request->random,
        .seed = request->seed,
        .rotation_bytes = request->cold ? 2 * o->cache_bytes + 1 : 0,
        .patience_us = o->patience_us,
        .progress = o->progress ? pass_on : NULL,
        .userdata = c,
    };
    struct measure_load before = measure_load_now(o->source);
    int r = measure_run(&options, c->devices, c->n, c->results);

    *ret_idle = measure_idle_permille(before, measure_load_now(o->source));
    return r;
}

/* Fills what is known of each device's measurement beforehand, and chooses those to run. */
static void choose(struct measure_engine *e, const struct measure_method *method,
                   const struct measure_request *request, size_t first, size_t n,
                   struct measurement *ret, struct chosen *c)
{
    for (size_t i = 0; i < n; i++) {
        const struct command_target *t = &e->devices[first + i].target;
        struct refusal why = refusal_of(e, first + i, method, request);

        ret[i] = (struct measurement){ .error = why.error,
                                       .hctl = t->hctl,
                                       .method = method->name,
                                       .block_bytes = request->block_bytes,
                                       .depth = request->depth,
                                       .cold = request->cold,
                                       .random = request->random &&
                                                 method->what == MEASURE_READ_MEDIA,
                                       .wall_us = wall_us(),
                                       .disturbed = why.why };
        if (why.error)
            continue;
        c->devices[c->n] = (struct run_device){ t->hctl, command_timeout_s(t) };
        c->numbers[c->n++] = first + i;
    }
}

/* Would the buffers take more than half of the memory that is left? Then others would be killed for them. */
static bool is_too_much(const struct measure_engine *e, const struct measure_request *r, size_t n)
{
    uint64_t available = measure_memory_available(e->options.source),
             each = r->cold ? 2 * (uint64_t)e->options.cache_bytes : 0;

    if (each < r->depth * r->block_bytes)
        each = r->depth * r->block_bytes;
    return available && n * each > available / 2;
}

static void refuse_chosen(struct chosen *c, struct measurement *ret, size_t first)
{
    for (size_t i = 0; i < c->n; i++) {
        ret[c->numbers[i] - first].error = ENOMEM;
        ret[c->numbers[i] - first].disturbed =
            "its buffers would take more than half of the memory "
            "that is left";
    }
    c->n = 0;
}

static void chosen_done(struct chosen *c)
{
    free(c->numbers);
    free(c->devices);
    free(c->results);
}

int measure_engine_run(struct measure_engine *e, const struct measure_request *request,
                       size_t first, size_t n, struct measurement *ret)
{
    const struct measure_method *method = measure_method_named(request->method);
    _cleanup_(chosen_done) struct chosen c = { .e = e };
    uint64_t idle = 0;
    int r = 0;

    if (!can_be_done(request, method) || first + n > e->n || !n)
        return -EINVAL;
    c.numbers = calloc(n, sizeof(*c.numbers));
    c.devices = calloc(n, sizeof(*c.devices));
    c.results = calloc(n, sizeof(*c.results));
    if (!c.numbers || !c.devices || !c.results)
        return -ENOMEM;
    choose(e, method, request, first, n, ret, &c);
    if (is_too_much(e, request, c.n))
        refuse_chosen(&c, ret, first);
    if (c.n)
        r = run_chosen(&c, method, request, &idle);
    for (size_t i = 0; r == 0 && i < c.n; i++) {
        struct measurement *m = &ret[c.numbers[i] - first];

        e->failed[c.numbers[i]] = has_failed(c.results[i].error) ? c.results[i].error : 0;
        m->together = (unsigned)c.n;
        m->idle_permille = idle;
        r = take(e, &c.results[i], m);
    }
    return r;
}
