/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One run of hbad-collect that times devices of an adapter (probes.h).
 *
 * As in collector.c: a process that says nothing for too long is not killed, for the read that it waits for must not be broken
 * off. Nobody listens to it any more; until it ends its device counts as one that does not answer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "daemon/log.h"
#include "daemon/probes.h"
#include "daemon/process.h"

enum {
    ROUNDS_MAX = 60, /* of patience for all of a run, as collector.c has it for an adapter */
    SPIN_UP_S = 45,  /* more patience with disks that may be woken up: collect_probe.c's own */
};

#define SECOND_US UINT64_C(1000000)

static void close_pipes(struct probe_run *run)
{
    run->io = sd_event_source_disable_unref(run->io);
    run->timer = sd_event_source_disable_unref(run->timer);
    if (run->out >= 0)
        close(run->out);
    if (run->err >= 0)
        close(run->err);
    run->out = run->err = -1;
    capture_stream_done(&run->stream);
    process_leave(run->process);
}

struct probe_run *probe_run_free(struct probe_run *run)
{
    if (!run)
        return NULL;
    close_pipes(run);
    store_free(run->store);
    free(run);
    return NULL;
}

/* ---- what comes ---- */

static struct probed *probed_of(struct probe_run *run, const char *hctl)
{
    for (size_t i = 0; i < run->n; i++)
        if (!run->devices[i].is_done && strcmp(run->devices[i].hctl, hctl) == 0)
            return &run->devices[i];
    return NULL;
}

static void take_results(struct probe_run *run)
{
    for (; run->taken < store_measures(run->store); run->taken++) {
        struct measurement m = store_measure_at(run->store, run->taken);
        struct probed *d = probed_of(run, m.hctl);

        if (!d)
            continue; /* nobody has asked for it */
        d->is_done = true;
        if (measurement_counts(&m) && !m.wall_us) /* by that it is told from others */
            m.wall_us = manager_wall(run->probes->manager);
        probes_result(run, d, &m);
    }
}

/* No more is heard of it. The device that it is at is said to have failed. */
void probe_run_end(struct probe_run *run, const char *why)
{
    for (size_t i = 0; i < run->n; i++) {
        struct probed *d = &run->devices[i];
        bool was_at = run->stream.at && strcmp(run->stream.at, d->hctl) == 0;

        if (d->is_done)
            continue;
        d->is_done = true;
        probes_lost(run, d, was_at, why ? why : "nothing was said of it");
    }
    close_pipes(run);
    probes_ended(run, why);
}

static void break_off(struct probe_run *run, const char *why)
{
    char said[256], text[512];

    process_last_words(run->err, said, sizeof(said));
    snprintf(text, sizeof(text), "hbad-collect for %s %s%s%s", run->adapter->name, why,
             *said ? ". It said: " : "", said);
    log_line(LOG_WARN, "%s", text);
    probe_run_end(run, text);
}

static int on_output(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct probe_run *run = userdata;
    bool is_end;
    int r = process_hear(fd, &run->stream, &is_end);

    (void)source;
    (void)revents;
    if (r == -EAGAIN)
        return 0;
    take_results(run);
    if (r > 0)
        run->heard_us = manager_now(run->probes->manager);
    if (r == -EBADMSG && run->stream.wrong)
        log_line(LOG_WARN, "hbad-collect for %s: %s", run->adapter->name, run->stream.wrong);
    if (r >= 0 && run->stream.complete)
        probe_run_end(run, NULL);
    else if (r < 0)
        break_off(run, process_wrong(r));
    else if (is_end)
        break_off(run, "ended early");
    return 0;
}

/* ---- patience ---- */

static uint64_t patience_us(const struct probe_run *run)
{
    return run->probes->manager->config.daemon.patience_us +
           (run->await_s + (run->forced ? SPIN_UP_S : 0u)) * SECOND_US;
}

/* When nothing has been heard for too long, or all of it takes too long. */
static uint64_t patience_ends(const struct probe_run *run)
{
    uint64_t silence = run->heard_us + patience_us(run),
             whole = run->started_us + ROUNDS_MAX * patience_us(run);

    return silence < whole ? silence : whole;
}

/* It hangs at a device: that gets a result which says so. */
static void give_up(struct probe_run *run)
{
    unsigned long long s = (manager_now(run->probes->manager) - run->heard_us) / SECOND_US;
    struct probed *d = run->stream.at ? probed_of(run, run->stream.at) : NULL;
    char text[512];

    snprintf(text, sizeof(text), "%s%s has not answered for %llu s",
             d ? "device " : "hbad-collect for ", d ? d->hctl : run->adapter->name, s);
    log_line(LOG_WARN, "%s while it was probed", text);
    if (run->process)
        process_hold(run->process, &run->stream, run->heard_us, &run->out);
    probe_run_end(run, text);
}

static int on_timer(sd_event_source *source, uint64_t now, void *userdata)
{
    struct probe_run *run = userdata;

    now = manager_now(run->probes->manager);
    if (patience_ends(run) > now) {
        sd_event_source_set_time(source, patience_ends(run));
        return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
    }
    run->io = sd_event_source_disable_unref(run->io); /* before its descriptor goes */
    give_up(run);
    return 0;
}

/* ---- starting ---- */

int probe_run_start(struct probe_run *run)
{
    struct manager *m = run->probes->manager;
    const char *devices[PROBE_RUN_MAX], *named[PROBE_RUN_MAX];
    struct collect_request request = { .below = run->adapter->below,
                                       .probes = true,
                                       .devices.v = devices,
                                       .named.v = named,
                                       .await_s = run->await_s,
                                       .forced = run->forced };
    int r;

    for (size_t i = 0; i < run->n; i++)
        if (run->devices[i].is_named)
            named[request.named.n++] = run->devices[i].hctl;
        else
            devices[request.devices.n++] = run->devices[i].hctl;
    run->out = run->err = -1;
    run->started_us = run->heard_us = manager_now(m);
    run->store = store_new();
    r = run->store ? process_start(run->adapter, &request, &run->process, &run->out, &run->err)
                   : -ENOMEM;
    if (r < 0)
        return r;
    run->stream = capture_stream(run->store);
    r = sd_event_add_io(m->event, &run->io, run->out, EPOLLIN, on_output, run);
    if (r >= 0)
        r = sd_event_add_time(m->event, &run->timer, CLOCK_MONOTONIC, patience_ends(run), 0,
                              on_timer, run);
    return r < 0 ? r : 0;
}
