/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One probe of one device (session.h).
 */
#include "probe/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/sense.h"
#include "facts/key.h"

/* A session under way. */
struct probing {
    struct arena *arena;
    const struct session *session;
    const struct plan_entry *entry;
    const char *method;
    struct watch_sample *before, *after; /* of each device that is watched */
    uint64_t beside;                     /* commands that each burst sends besides its reads */
    uint64_t median_sum, idle_sum;       /* times reads, times microseconds */
    bool
        has_stopped; /* at the last look the device or its host was not running: error recovery, offline */
    struct measurement sum;
};

/* May it go on beside others? Never through error recovery. */
static bool goes_on(const struct probing *p)
{
    return p->session->forced && !p->has_stopped;
}

/* ---- looks ---- */

/* A small file as text, in the buffer. False where it cannot be read. */
static bool read_text(struct source *s, int *r, const char *dir, const char *file, char *buffer,
                      size_t size)
{
    struct value v;
    char path[4096];

    if (*r < 0 || (size_t)snprintf(path, sizeof(path), "%s/%s", dir, file) >= sizeof(path))
        return false;
    *r = source_read(s, path, size - 1, &v);
    if (*r < 0 || v.error || v.bytes.len >= size)
        return false;
    memcpy(buffer, v.bytes.len ? v.bytes.data : (const uint8_t *)"", v.bytes.len);
    buffer[v.bytes.len] = '\0';
    return true;
}

static const char *block_node(const struct subject *device)
{
    const struct fact *f = fact_find_from(device, &KEY_NODE, "block");

    return f && f->quality == QUALITY_OK ? f->text : NULL;
}

int session_look(struct source *s, const struct subject *device, struct watch_sample *ret)
{
    const struct subject *host = device->host;
    const char *dir = device->path, *node = block_node(device);
    struct watch_sample look = { 0 };
    char file[128], text[512], other[64];
    int r = 0;

    snprintf(file, sizeof(file), "scsi_host/%s/state", host->name);
    look.host_running = read_text(s, &r, host->path, file, text, sizeof(text)) &&
                        strcmp(text, "running\n") == 0;
    look.is_running = read_text(s, &r, dir, "state", text, sizeof(text)) &&
                      strcmp(text, "running\n") == 0;
    if (read_text(s, &r, dir, "iorequest_cnt", text, sizeof(text)) &&
        read_text(s, &r, dir, "iodone_cnt", other, sizeof(other)))
        watch_parse_counts(text, other, &look);
    if (node) {
        snprintf(file, sizeof(file), "block/%s/inflight", node);
        if (read_text(s, &r, dir, file, text, sizeof(text)))
            watch_parse_inflight(text, &look);
        snprintf(file, sizeof(file), "block/%s/stat", node);
        if (read_text(s, &r, dir, file, text, sizeof(text)))
            watch_parse_stat(text, &look);
    }
    if (r == 0)
        *ret = look;
    return r;
}

static int look_at_all(struct probing *p, struct watch_sample *ret)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < p->entry->n_watch; i++)
        r = session_look(p->session->source, p->entry->watch[i]->subject, &ret[i]);
    return r;
}

/* Looks, and compares with the last time; `own` commands were ours. What was seen is the last time of the next look. */
static int look_again(struct probing *p, uint64_t own, const char **ret_why)
{
    struct watch_sample *last = p->before;
    int r = look_at_all(p, p->after);

    *ret_why = NULL;
    for (size_t i = 0; r == 0 && !*ret_why && i < p->entry->n_watch; i++) {
        const struct device *d = p->entry->watch[i];
        struct watch_own ours = { d == p->entry->device ? own : 0, 0 };

        *ret_why = watch_disturbed(p->arena, d->hctl, &p->before[i], &p->after[i], &ours);
    }
    for (size_t i = 0; r == 0 && i < p->entry->n_watch; i++)
        if (p->entry->watch[i] == p->entry->device)
            p->has_stopped = !p->after[i].host_running || !p->after[i].is_running;
    p->before = p->after;
    p->after = last;
    return r;
}

/* ---- before the first read ---- */

static void refuse(struct probing *p, int error, const char *why)
{
    p->sum.error = error;
    p->sum.disturbed = why;
}

static int wait_for_quiet(struct probing *p)
{
    const char *why;
    int r = look_at_all(p, p->before);

    if (r < 0)
        return r;
    p->session->ops->wait(p->session->userdata, SESSION_QUIET_US);
    r = look_again(p, 0, &why);
    if (r == 0 && why && !goes_on(p))
        refuse(p, EBUSY, why);
    return r;
}

static int ask_whether_awake(struct probing *p)
{
    struct command c = command_request_sense();
    struct answer a;
    struct sense sense;
    const char *why;
    int r = source_command(p->session->source, p->session->target, &c, &a);

    if (r == 0)
        r = p->session->ops->sent(p->session->userdata, &c, &a);
    if (r < 0)
        return r;
    if (a.error || a.host_status) {
        refuse(p, a.error ? a.error : EIO,
               a.refused ? a.refused : "it did not say whether it sleeps");
        return 0;
    }
    if (!(p->session->forced && p->entry->is_named) && !a.status &&
        sense_decode(a.data, &sense) == 0 && sense_is_low_power(&sense)) {
        refuse(p, EPERM, "it sleeps, and a read would wake it");
        return 0;
    }
    r = look_again(p, 1, &why);
    if (r == 0 && why && !goes_on(p))
        refuse(p, EBUSY, why);
    return r;
}

/* ---- reads ---- */

static int burst(struct probing *p, uint64_t bytes, uint64_t longest_us, struct measurement *ret)
{
    struct measure_request request = {
        .hctl = p->entry->device->hctl,
        .method = p->method,
        .block_bytes = p->entry->block_bytes,
        .total_bytes = bytes,
        .longest_us = longest_us,
        .depth = 1,
    };

    *ret = (struct measurement){ 0 };
    return p->session->ops->burst(p->session->userdata, &request, ret);
}

static bool cannot_do_that(int error)
{
    return error == EOPNOTSUPP || error == EINVAL || error == EMSGSIZE || error == ENODATA;
}

/* Commands of the device between the last two looks; what is `before` now was `after` then. False: not counted. */
static bool sent_since(const struct probing *p, uint64_t *ret)
{
    size_t own = 0;

    while (p->entry->watch[own] != p->entry->device)
        own++;
    *ret = (uint32_t)(p->before[own].requested - p->after[own].requested);
    return p->before[own].has_counts && p->after[own].has_counts;
}

/* One read: can it, and what is sent besides? Where it cannot, the other method is tried. */
static int warm_up(struct probing *p)
{
    struct measurement x;
    const char *why;
    uint64_t sent;
    int r = burst(p, p->entry->block_bytes, p->entry->longest_us, &x);

    if (r == 0 && cannot_do_that(x.error) && p->entry->fallback) {
        p->method = p->sum.method = p->entry->fallback;
        p->sum.asked += x.asked;
        r = look_again(p, x.commands + SESSION_BESIDE_MOST, &why);
        if (r == 0)
            r = burst(p, p->entry->block_bytes, p->entry->longest_us, &x);
    }
    if (r < 0 || x.error) {
        x.asked += p->sum.asked;
        p->sum = x;
        p->sum.method = p->method;
        return r;
    }
    p->sum.asked += x.asked;
    p->sum.beside += x.commands;
    r = look_again(p, x.commands + SESSION_BESIDE_MOST, &why);
    if (r < 0)
        return r;
    if (sent_since(p, &sent) && sent > x.commands)
        p->beside = sent - x.commands;
    if (why)
        p->sum.disturbed = why;
    return 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Adds what a burst gave. */
static void add(struct probing *p, const struct measurement *x)
{
    struct measurement *s = &p->sum;

    s->block_bytes = x->block_bytes;
    s->bytes += x->bytes;
    s->us += x->us;
    s->cpu_us += x->cpu_us;
    s->user_us += x->user_us;
    s->system_us += x->system_us;
    s->commands += x->commands;
    s->retries += x->retries;
    s->asked += x->asked;
    s->short_bytes += x->short_bytes;
    s->errors += x->errors;
    s->direct += x->direct;
    s->min_us = s->min_us && s->min_us < x->min_us ? s->min_us : x->min_us;
    s->p95_us = larger(s->p95_us, x->p95_us);
    s->p99_us = larger(s->p99_us, x->p99_us);
    s->max_us = larger(s->max_us, x->max_us);
    s->wall_us = s->wall_us ? s->wall_us : x->wall_us;
    s->sense = x->sense;
    s->error = x->error;
    p->median_sum += x->median_us * x->commands;
    p->idle_sum += x->idle_permille * x->us;
    if (s->commands)
        s->median_us = p->median_sum / s->commands;
    if (s->us)
        s->idle_permille = p->idle_sum / s->us;
}

/* All bursts send as much besides their reads. Where the first sends less than the read before it, others were at work
 * then, or the device had something to say first: nothing of that is counted. */
static const char *settle(struct probing *p, const struct measurement *x, bool is_first)
{
    uint64_t sent;

    if (!sent_since(p, &sent) || sent >= x->commands + p->beside)
        return NULL;
    p->beside = sent > x->commands ? sent - x->commands : 0;
    return is_first ? NULL : "commands of somebody else came between";
}

static int read_bursts(struct probing *p)
{
    const struct plan_entry *e = p->entry;
    int r = 0;

    while (r == 0 && !p->sum.error && p->sum.bytes < e->total_bytes && p->sum.us < e->longest_us &&
           (!p->sum.disturbed || goes_on(p))) {
        uint64_t left = e->total_bytes - p->sum.bytes, had = p->sum.bytes;
        struct measurement x;
        const char *why = NULL;

        r = burst(p, left < SESSION_BURST_BYTES ? left : SESSION_BURST_BYTES,
                  e->longest_us - p->sum.us, &x);
        if (r < 0)
            break;
        add(p, &x);
        if (x.disturbed) /* with an error: in words why */
            p->sum.disturbed = x.disturbed;
        r = look_again(p, x.commands + p->beside, &why);
        if (r == 0 && !why)
            why = settle(p, &x, had == 0);
        if (why && !p->sum.disturbed)
            p->sum.disturbed = why;
        if (p->sum.bytes == had) /* nothing comes any more */
            break;
    }
    return r;
}

int session_probe(struct arena *a, const struct session *s, const struct plan_entry *entry,
                  struct measurement *ret)
{
    struct probing p = { .arena = a, .session = s, .entry = entry, .method = entry->method };
    int r;

    p.sum = (struct measurement){ .hctl = entry->device->hctl,
                                  .method = entry->method,
                                  .block_bytes = entry->block_bytes,
                                  .depth = 1 };
    p.before = arena_new_array(a, struct watch_sample, entry->n_watch);
    p.after = arena_new_array(a, struct watch_sample, entry->n_watch);
    if (!p.before || !p.after)
        return -ENOMEM;
    r = wait_for_quiet(&p);
    if (r == 0 && !p.sum.error && entry->ask_sense)
        r = ask_whether_awake(&p);
    if (r == 0 && !p.sum.error)
        r = warm_up(&p);
    if (r == 0 && !p.sum.error)
        r = read_bursts(&p);
    if (r < 0)
        return r;
    p.sum.hctl = entry->device->hctl;
    *ret = p.sum;
    return 0;
}
