/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One run of hbad-collect over an adapter (manager.h): several processes, where devices hang.
 *
 * A process that says nothing for too long is not killed: the command that it waits for must not be broken off, and one in
 * uninterruptible sleep cannot be. Nobody listens to it any more, so it ends when its command returns; until then it is
 * counted, and its adapter's devices are not asked by another. The devices behind the one that it hangs at are read by the
 * next process of the same run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/probes.h"
#include "daemon/process.h"

enum {
    ROUNDS_MAX = 60, /* of patience that an adapter is given for all it has to say */
    SILENT_MAX = 3,  /* devices that are waited for in vain, before the rest is not asked */
};

/* A run. */
struct collector {
    struct adapter_state *adapter;
    struct process *process;
    struct store *store;
    struct capture_stream stream;
    sd_event_source *io, *timer;
    int out, err;    /* what it writes; -1: none */
    char *after;     /* the device behind which it began; NULL: at the first */
    unsigned silent; /* devices that did not answer */
    bool asks;       /* devices may be asked */
    bool is_stuck;   /* something did not answer */
    bool is_broken;  /* not all of it came, for another reason */
    bool has_sent;   /* something of the machine came */
    uint64_t started_us, heard_us;
};

static void close_pipes(struct collector *c)
{
    c->io = sd_event_source_disable_unref(c->io);
    c->timer = sd_event_source_disable_unref(c->timer);
    if (c->out >= 0)
        close(c->out);
    if (c->err >= 0)
        close(c->err);
    c->out = c->err = -1;
    c->has_sent |= c->stream.has_sent;
    capture_stream_done(&c->stream);
    process_leave(c->process);
}

static void free_run(struct collector *c)
{
    close_pipes(c);
    store_free(c->store);
    free(c->after);
    free(c);
}

void collector_abandon(struct adapter_state *a)
{
    struct manager *m = a->manager;

    probes_abandon(a);
    for (size_t i = 0; i < m->processes.n; i++)
        if (m->processes.v[i]->adapter == a)
            m->processes.v[i]->adapter = NULL;
    if (a->run)
        free_run(TAKE_PTR(a->run));
}

void collector_forget_all(struct manager *m)
{
    while (m->processes.n)
        process_free(m->processes.v[0]);
    free(m->processes.v);
    m->processes.v = NULL;
}

/* ---- the end of a run ---- */

/* What is waited for yet is said again, and is an answer that did not come. */
static int recall_silence(struct collector *c)
{
    const struct adapter_state *a = c->adapter;
    int r = 0;

    for (size_t i = 0; r == 0 && i < a->manager->processes.n; i++) {
        const struct process *p = a->manager->processes.v[i];
        struct store_command unanswered = {
            .hctl = p->at,
            .cdb = { p->cdb, p->cdb_len },
            .error = ETIMEDOUT,
        };

        if (p->adapter != a || !p->is_counted)
            continue;
        r = adapter_note(c->adapter, "%s%s has not answered for %llu s",
                         p->at ? "device " : "adapter ", p->at ? p->at : a->name,
                         (unsigned long long)(manager_now(a->manager) - p->since_us) / 1000000);
        if (r == 0 && p->at && p->cdb_len)
            r = store_put_command(c->store, &unanswered);
    }
    return r;
}

/* What was read takes the place of what was known, unless that was more. */
static void finish(struct collector *c)
{
    struct adapter_state *a = c->adapter;
    uint64_t now = manager_now(a->manager);
    bool is_stuck = c->is_stuck;

    close_pipes(c);
    if (!c->asks && recall_silence(c) < 0)
        c->is_broken = true;
    if (!c->is_broken && !c->has_sent) {
        adapter_note(a, "hbad-collect for %s sent nothing of it", a->name);
        c->is_broken = true;
    }
    if (!c->is_broken || !a->has_whole) {
        store_free(a->store);
        a->store = TAKE_PTR(c->store);
        a->has_whole = !c->is_broken;
        a->read_us = a->counted_us = now;
        a->read_wall_us = manager_wall(a->manager);
        probes_put(a);
    }
    a->is_unexamined = c->is_broken || c->is_stuck || !c->asks;
    a->took_us = now - c->started_us;
    a->run = NULL;
    free_run(c);
    adapters_ended(a, is_stuck);
}

static void break_off(struct collector *c, const char *why)
{
    struct adapter_state *a = c->adapter;
    char said[256];

    process_last_words(c->err, said, sizeof(said));
    adapter_note(a, "hbad-collect for %s %s%s%s%s%s", a->name, why,
                 c->stream.at ? ", at device " : "", c->stream.at ? c->stream.at : "",
                 *said ? ". It said: " : "", said);
    c->is_broken = true;
    finish(c);
}

/* ---- listening ---- */

static int on_output(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct collector *c = userdata;
    bool is_end;
    int r = process_hear(fd, &c->stream, &is_end);

    (void)source;
    (void)revents;
    if (r == -EAGAIN)
        return 0;
    if (r > 0)
        c->heard_us = manager_now(c->adapter->manager);
    if (r == -EBADMSG && c->stream.wrong)
        log_line(LOG_WARN, "hbad-collect for %s: %s", c->adapter->name, c->stream.wrong);
    if (r >= 0 && c->stream.complete)
        finish(c);
    else if (r < 0)
        break_off(c, process_wrong(r));
    else if (is_end)
        break_off(c, "ended early; what it sent is used");
    return 0;
}

/* ---- starting, and giving up ---- */

/* When nothing has been heard for too long, or all of it takes too long. */
static uint64_t patience_ends(const struct collector *c)
{
    uint64_t patience = c->adapter->manager->config.daemon.patience_us,
             silence = c->heard_us + patience, whole = c->started_us + ROUNDS_MAX * patience;

    return silence < whole ? silence : whole;
}

/* Starts a process of the run, from where it is. The timer is the caller's to set. Returns 0 or a negative errno. */
static int start_process(struct collector *c)
{
    struct adapter_state *a = c->adapter;
    const struct collect_request request = {
        .below = a->below,
        .after = c->after,
        .unasked = !c->asks || c->silent >= SILENT_MAX,
    };
    int r = process_start(a, &request, &c->process, &c->out, &c->err);

    if (r < 0)
        return r;
    c->stream = capture_stream(c->store);
    c->heard_us = manager_now(a->manager);
    r = sd_event_add_io(a->manager->event, &c->io, c->out, EPOLLIN, on_output, c);
    return r < 0 ? r : 0;
}

/* The process is let be; another one goes on behind the device that it hangs at. Returns whether it does. */
static bool go_on_behind(struct collector *c)
{
    char *at = TAKE_PTR(c->stream.at);
    bool is_at_device = at && *at && c->silent < SILENT_MAX;

    close_pipes(c);
    free(c->after);
    c->after = at;
    if (!is_at_device)
        return false;
    c->silent++;
    return start_process(c) == 0;
}

/* Says what hangs, and has it answer that it does not. */
static void note_silence(struct collector *c)
{
    struct adapter_state *a = c->adapter;
    unsigned long long s = (manager_now(a->manager) - c->heard_us) / 1000000;
    bool is_at_device = c->stream.at && *c->stream.at;

    if (is_at_device)
        adapter_note(a, "device %s has not answered for %llu s (command %02xh)", c->stream.at, s,
                     c->stream.cdb_len ? c->stream.cdb[0] : 0);
    else
        adapter_note(a, "adapter %s has not answered for %llu s", a->name, s);
    log_line(LOG_WARN, "%s", a->notes.n ? a->notes.v[a->notes.n - 1] : "a device hangs");
    if (capture_stream_unanswered(&c->stream) < 0)
        c->is_broken = true;
}

/* Looks at it again when patience ends, which the schedule is told. */
static int wait_on(struct collector *c, sd_event_source *timer)
{
    c->adapter->slot.until_us = patience_ends(c);
    sd_event_source_set_time(timer, c->adapter->slot.until_us);
    return sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

static int on_timer(sd_event_source *source, uint64_t now, void *userdata)
{
    struct collector *c = userdata;
    bool takes_too_long;

    now = manager_now(c->adapter->manager);
    takes_too_long = now >=
                     c->started_us + ROUNDS_MAX * c->adapter->manager->config.daemon.patience_us;
    if (patience_ends(c) > now)
        return wait_on(c, source);
    sd_event_source_ref(source); /* close_pipes() lets go of it */
    c->is_stuck = true;
    note_silence(c);
    c->io = sd_event_source_disable_unref(c->io); /* before its descriptor goes */
    if (c->process)
        process_hold(c->process, &c->stream, c->heard_us, &c->out);
    if (!takes_too_long && go_on_behind(c)) {
        c->timer = source;
        return wait_on(c, source);
    }
    sd_event_source_unref(source);
    c->is_broken = true;
    finish(c);
    return 0;
}

int collector_start(struct adapter_state *a, bool asks)
{
    struct collector *c = calloc(1, sizeof(*c));
    int r;

    if (!c)
        return -ENOMEM;
    *c = (struct collector){ .adapter = a, .asks = asks, .out = -1, .err = -1 };
    c->started_us = manager_now(a->manager);
    c->store = store_new();
    r = c->store ? start_process(c) : -ENOMEM;
    if (r == 0)
        r = sd_event_add_time(a->manager->event, &c->timer, CLOCK_MONOTONIC, patience_ends(c), 0,
                              on_timer, c);
    if (r >= 0)
        r = wait_on(c, c->timer);
    if (r < 0) {
        free_run(c);
        return r;
    }
    a->run = c;
    adapter_forget_notes(a);
    if (!asks)
        adapter_note(a, "the devices of %s are not asked: one of them did not answer", a->name);
    return 0;
}
