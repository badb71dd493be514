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
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "wire/stream.h"

enum {
    ROUNDS_MAX = 60, /* of patience that an adapter is given for all it has to say */
    SILENT_MAX = 3,  /* devices that are waited for in vain, before the rest is not asked */
};

/* A process that was started. */
struct process {
    struct manager *manager;
    struct adapter_state *adapter; /* NULL: that is gone */
    struct collector *run;         /* who listens; NULL: nobody any more */
    sd_event_source *child;
    pid_t pid;
    bool is_held;     /* its end is waited for, as schedule_hold() was told */
    bool for_adapter; /* it hangs at the adapter itself */
    char *at;         /* the device that it waits for; NULL: none */
    uint8_t cdb[CDB_MAX];
    size_t cdb_len;
    uint64_t since_us;
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
    if (c->process)
        c->process->run = NULL;
    c->process = NULL;
}

static void free_run(struct collector *c)
{
    close_pipes(c);
    store_free(c->store);
    free(c->after);
    free(c);
}

static void free_process(struct process *p)
{
    struct manager *m = p->manager;
    size_t n = 0;

    for (size_t i = 0; i < m->processes.n; i++)
        if (m->processes.v[i] != p)
            m->processes.v[n++] = m->processes.v[i];
    m->processes.n = n;
    sd_event_source_disable_unref(p->child);
    free(p->at);
    free(p);
}

void collector_abandon(struct adapter_state *a)
{
    struct manager *m = a->manager;

    for (size_t i = 0; i < m->processes.n; i++)
        if (m->processes.v[i]->adapter == a)
            m->processes.v[i]->adapter = NULL;
    if (a->run)
        free_run(TAKE_PTR(a->run));
}

void collector_forget_all(struct manager *m)
{
    while (m->processes.n)
        free_process(m->processes.v[0]);
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

        if (p->adapter != a || !p->is_held || p->run == c)
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
        a->read_us = now;
        a->read_wall_us = manager_wall(a->manager);
    }
    a->is_stale = c->is_broken;
    a->is_unexamined = c->is_broken || c->is_stuck || !c->asks;
    a->took_us = now - c->started_us;
    a->run = NULL;
    free_run(c);
    adapters_ended(a, is_stuck);
}

/* The first line of what it says went wrong; "" where it says nothing. */
static void last_words(const struct collector *c, char *buffer, size_t size)
{
    ssize_t n = read(c->err, buffer, size - 1);

    buffer[n > 0 ? n : 0] = '\0';
    buffer[strcspn(buffer, "\n")] = '\0';
}

static void break_off(struct collector *c, const char *why)
{
    struct adapter_state *a = c->adapter;
    char said[256];

    last_words(c, said, sizeof(said));
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
    uint8_t *at;
    int64_t room = capture_stream_room(&c->stream, &at);
    ssize_t n = room < 0 ? 0 : read(fd, at, (size_t)room);
    int r = room < 0 ? (int)room : n < 0 ? -errno : 0;

    (void)source;
    (void)revents;
    if (r == -EAGAIN || r == -EINTR)
        return 0;
    if (r == 0 && n > 0)
        r = capture_stream_take(&c->stream, (size_t)n);
    if (r > 0)
        c->heard_us = manager_now(c->adapter->manager);
    if (r >= 0 && (n == 0 || c->stream.complete)) {
        if (c->stream.complete)
            finish(c);
        else
            break_off(c, "ended early; what it sent is used");
    } else if (r == -EBADMSG) {
        log_line(LOG_WARN, "hbad-collect for %s sent what is no capture: %s", c->adapter->name,
                 c->stream.wrong);
        break_off(c, "sent what is no capture");
    } else if (r < 0) {
        break_off(c, r == -EMSGSIZE ? "sends without end" : strerror(-r));
    }
    return 0;
}

/* ---- starting ---- */

static int spawn(const char *program, char *const argv[], int out, int err, pid_t *ret)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    int r;

    sigemptyset(&none);
    sigfillset(&all);
    if (posix_spawn_file_actions_init(&files) != 0)
        return -ENOMEM;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return -ENOMEM;
    }
    r = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
    if (r == 0)
        r = posix_spawnattr_setsigmask(&how, &none);
    if (r == 0)
        r = posix_spawnattr_setsigdefault(&how, &all);
    if (r == 0)
        r = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (r == 0)
        r = posix_spawn(ret, program, &files, &how, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return -r;
}

static int run_program(const struct collector *c, int out, int err, pid_t *ret)
{
    const char *program = c->adapter->manager->options->collector;
    const char *file = c->adapter->manager->options->config;
    char below[4096], config[4096 + 16], after[64];
    char *argv[7] = { (char *)(uintptr_t)program, below };
    int n = 2;

    if ((size_t)snprintf(below, sizeof(below), "--below=%s", c->adapter->below) >= sizeof(below))
        return -ENAMETOOLONG;
    if (file) {
        snprintf(config, sizeof(config), "--config=%s", file);
        argv[n++] = config;
    }
    if (c->after) {
        snprintf(after, sizeof(after), "--after=%s", c->after);
        argv[n++] = after;
    }
    if (!c->asks || c->silent >= SILENT_MAX)
        argv[n++] = (char *)(uintptr_t) "--unasked";
    return spawn(program, argv, out, err, ret);
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *userdata)
{
    struct process *p = userdata;
    struct adapter_state *a = p->adapter;

    (void)source;
    (void)info;
    if (a && p->is_held) {
        schedule_release(&a->slot, p->for_adapter, manager_now(p->manager));
        log_line(LOG_NOTE, "%s answers again", a->name);
    }
    if (p->run)
        p->run->process = NULL;
    free_process(p);
    if (a)
        adapters_go_on(a->manager);
    return 0;
}

/* Keeps book of a process. Where that fails, it is not known to have ended, which costs a zombie. */
static int add_process(struct collector *c, pid_t pid)
{
    struct manager *m = c->adapter->manager;
    struct process *p = calloc(1, sizeof(*p));
    int r = p ? vec_push(&m->processes, p) : -ENOMEM;

    if (r < 0) {
        free(p);
        return r;
    }
    *p = (struct process){ .manager = m, .adapter = c->adapter, .run = c, .pid = pid };
    c->process = p;
    r = sd_event_add_child(m->event, &p->child, pid, WEXITED, on_child, p);
    if (r < 0) {
        c->process = NULL;
        free_process(p);
    }
    return r < 0 ? r : 0;
}

/* When nothing has been heard for too long, or all of it takes too long. */
static uint64_t patience_ends(const struct collector *c)
{
    uint64_t patience = c->adapter->manager->config.daemon.patience_us,
             silence = c->heard_us + patience, whole = c->started_us + ROUNDS_MAX * patience;

    return silence < whole ? silence : whole;
}

static int listen_to(struct collector *c, int out, int err)
{
    sd_event *event = c->adapter->manager->event;

    c->out = out;
    c->err = err;
    c->stream = capture_stream(c->store);
    c->heard_us = manager_now(c->adapter->manager);
    return sd_event_add_io(event, &c->io, out, EPOLLIN, on_output, c);
}

/* Starts a process of the run, from where it is. The timer is the caller's to set. Returns 0 or a negative errno. */
static int start_process(struct collector *c)
{
    int out[2], err[2], r;
    pid_t pid = 0;

    if (pipe2(out, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(err, O_CLOEXEC | O_NONBLOCK) < 0) {
        r = -errno;
        close(out[0]);
        close(out[1]);
        return r;
    }
    r = fcntl(out[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : run_program(c, out[1], err[1], &pid);
    close(out[1]);
    close(err[1]);
    if (r < 0) {
        close(out[0]);
        close(err[0]);
        return r;
    }
    r = listen_to(c, out[0], err[0]);
    return r < 0 ? r : add_process(c, pid);
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

/* Nobody waits for the process any longer, but its end is waited for. */
static void hold(struct collector *c, bool for_adapter)
{
    if (!c->process)
        return;
    c->process->is_held = true;
    c->process->for_adapter = for_adapter;
    c->process->since_us = c->heard_us;
    c->process->at = for_adapter ? NULL : strdup(c->stream.at);
    c->process->cdb_len = c->stream.cdb_len;
    memcpy(c->process->cdb, c->stream.cdb, c->stream.cdb_len);
    schedule_hold(&c->adapter->slot, for_adapter);
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

static int on_timer(sd_event_source *source, uint64_t now, void *userdata)
{
    struct collector *c = userdata;
    bool takes_too_long, is_at_device = c->stream.at && *c->stream.at;

    now = manager_now(c->adapter->manager);
    takes_too_long = now >=
                     c->started_us + ROUNDS_MAX * c->adapter->manager->config.daemon.patience_us;
    if (patience_ends(c) > now) {
        sd_event_source_set_time(source, patience_ends(c));
        return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
    }
    sd_event_source_ref(source); /* close_pipes() lets go of it */
    c->is_stuck = true;
    note_silence(c);
    hold(c, !is_at_device);
    if (!takes_too_long && go_on_behind(c)) {
        c->timer = source;
        sd_event_source_set_time(source, patience_ends(c));
        return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
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
