/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which adapters there are, and when each is read (manager.h).
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/text.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/probes.h"
#include "diagnose/gather.h"
#include "live/live.h"

enum {
    EVENTS_AT_ONCE = 512, /* events taken before the rest of the loop has its turn */
};

int adapter_note(struct adapter_state *a, const char *format, ...)
{
    va_list args;
    char *text;
    int r;

    va_start(args, format);
    r = vasprintf(&text, format, args);
    va_end(args);
    if (r < 0)
        return -ENOMEM;
    r = vec_push(&a->notes, text);
    if (r < 0)
        free(text);
    return r;
}

void adapter_forget_notes(struct adapter_state *a)
{
    for (size_t i = 0; i < a->notes.n; i++)
        free(a->notes.v[i]);
    a->notes.n = 0;
}

void adapter_free(struct adapter_state *a)
{
    adapter_forget_notes(a);
    free(a->notes.v);
    store_free(a->store);
    free(a->below);
    free(a->name);
    free(a);
}

/* ---- which there are ---- */

static struct adapter_state *adapter_at(const struct manager *m, const char *below)
{
    for (size_t i = 0; i < m->adapters.n; i++)
        if (strcmp(m->adapters.v[i]->below, below) == 0)
            return m->adapters.v[i];
    return NULL;
}

static int add(struct manager *m, struct adapter *found)
{
    struct adapter_state *a = calloc(1, sizeof(*a));

    if (!a)
        return -ENOMEM;
    a->manager = m;
    a->below = TAKE_PTR(found->below);
    a->name = TAKE_PTR(found->name);
    if (vec_push(&m->adapters, a) < 0) {
        adapter_free(a);
        return -ENOMEM;
    }
    return schedule_add(&m->schedule, &a->slot, manager_now(m));
}

static bool is_among(const struct adapters *found, const char *below)
{
    for (size_t i = 0; i < found->n; i++)
        if (text_same(found->v[i].below, below))
            return true;
    return false;
}

static void drop_those_gone(struct manager *m, const struct adapters *found)
{
    size_t n = 0;

    for (size_t i = 0; i < m->adapters.n; i++) {
        struct adapter_state *a = m->adapters.v[i];

        if (is_among(found, a->below)) {
            m->adapters.v[n++] = a;
            continue;
        }
        log_line(LOG_NOTE, "adapter %s is gone", a->name);
        watcher_leave(a);
        collector_abandon(a);
        schedule_remove(&m->schedule, &a->slot);
        adapter_free(a);
        manager_judge_at(m, manager_now(m));
    }
    m->adapters.n = n;
}

/* Which adapters there are now. Directories and links only: that asks no driver. */
static int list(struct manager *m)
{
    struct adapters found;
    int r = gather_adapters(m->live, &found);

    if (r < 0)
        return r;
    m->list_is_old = false;
    m->list_error = found.error;
    if (!found.error)
        drop_those_gone(m, &found);
    for (size_t i = 0; r == 0 && i < found.n; i++) {
        struct adapter_state *known = adapter_at(m, found.v[i].below);

        if (known) {
            free(known->name);
            known->name = TAKE_PTR(found.v[i].name);
        } else {
            r = add(m, &found.v[i]);
        }
    }
    adapters_done(&found);
    return r;
}

/* ---- when each is read ---- */

static struct adapter_state *adapter_of(struct schedule_slot *slot)
{
    return (struct adapter_state *)((char *)slot - offsetof(struct adapter_state, slot));
}

static void start(struct adapter_state *a)
{
    struct manager *m = a->manager;
    int r = collector_start(a, schedule_may_ask(&a->slot, manager_now(m)));

    if (r == 0)
        return;
    adapter_forget_notes(a);
    adapter_note(a, "hbad-collect for %s cannot be started: %s", a->name, strerror(-r));
    a->is_unexamined = true;
    a->behind_us = 0;
    schedule_ended(&m->schedule, &a->slot, false, manager_now(m));
    manager_judge_at(m, manager_now(m));
}

static void go_on(struct manager *m)
{
    uint64_t now = manager_now(m);
    struct schedule_slot *slot;

    if (schedule_round(&m->schedule, now))
        m->list_is_old = true;
    if (m->list_is_old && schedule_wake(&m->schedule) <= now && list(m) < 0)
        log_line(LOG_ERROR, "adapters cannot be listed: out of memory");
    while ((slot = schedule_next(&m->schedule, now))) {
        if (slot != &m->others)
            start(adapter_of(slot));
        else
            schedule_ended(&m->schedule, slot, false, now);
    }
    if (!m->schedule.running) /* a machine without adapters has been looked at, too */
        manager_judge_at(m, now);
}

static void set_alarm(struct manager *m)
{
    uint64_t wake = schedule_wake(&m->schedule);

    sd_event_source_set_time(m->wake, wake);
    sd_event_source_set_enabled(m->wake, wake == SCHEDULE_NEVER ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
}

void adapters_go_on(struct manager *m)
{
    if (schedule_wake(&m->schedule) <= manager_now(m))
        go_on(m);
    set_alarm(m);
}

/* Results of one round come within a moment of each other and are judged together. The first report waits for all, but
 * not for what hangs. */
static uint64_t time_for_others(const struct manager *m)
{
    static const uint64_t MOMENT_US = 1000000;

    return m->report ? MOMENT_US : MOMENT_US + m->config.daemon.patience_us;
}

uint64_t adapters_behind(const struct manager *m)
{
    uint64_t until = 0;

    for (size_t i = 0; i < m->adapters.n; i++)
        if (m->adapters.v[i]->behind_us > manager_now(m) && m->adapters.v[i]->behind_us > until)
            until = m->adapters.v[i]->behind_us;
    return until;
}

void adapters_ended(struct adapter_state *a, bool is_stuck)
{
    struct manager *m = a->manager;
    uint64_t now = manager_now(m);

    if (a->behind_us)
        a->reread_us = now;
    a->behind_us = 0;
    schedule_ended(&m->schedule, &a->slot, is_stuck, now);
    m->is_look_due = true;
    watcher_read(a);
    manager_judge_at(m, m->schedule.running ? now + time_for_others(m) : now);
    adapters_go_on(m);
    probes_go_on(m);
}

static int on_wake(sd_event_source *source, uint64_t now, void *userdata)
{
    (void)source;
    (void)now;
    adapters_go_on(userdata);
    return 0;
}

/* ---- what happens ---- */

/* The adapter that a path is below of, or the slot of what is not known. */
static struct schedule_slot *slot_of(struct manager *m, const char *path)
{
    for (size_t i = 0; i < m->adapters.n; i++)
        if (text_starts_with(path, m->adapters.v[i]->below))
            return &m->adapters.v[i]->slot;
    return strstr(path, "/host") ? &m->others : NULL;
}

/* Somebody closed a block device that he had written to, or a drive looked for its medium: nothing of a link. */
static bool says_nothing(const struct source_event *e)
{
    return strcmp(e->action, "change") == 0 && strstr(e->path, "/block/");
}

static int on_events(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct manager *m = userdata;
    uint64_t now = manager_now(m);
    struct source_event e;
    int r = 1;

    (void)source;
    (void)fd;
    (void)revents;
    for (unsigned i = 0; i < EVENTS_AT_ONCE && r > 0; i++) {
        struct schedule_slot *slot;

        r = source_next_event(m->live, &e);
        if (r <= 0 || says_nothing(&e))
            continue;
        slot = slot_of(m, e.path);
        if (!slot)
            continue;
        m->list_is_old = true;
        schedule_event(&m->schedule, slot, now);
    }
    if (r == -ENOBUFS) { /* some are lost, and nobody knows which */
        m->list_is_old = true;
        for (size_t i = 0; i < m->schedule.slots.n; i++)
            schedule_event(&m->schedule, m->schedule.slots.v[i], now);
    }
    adapters_go_on(m);
    return 0;
}

/* Is the host of that path the adapter's? */
static bool is_of(const struct adapter_state *a, const struct host *h)
{
    return h && text_starts_with(h->subject->path, a->below);
}

static const struct host *host_of(const struct manager *m, const char *id)
{
    const struct model *model = m->report->model;

    for (size_t i = 0; i < model->hosts.n; i++)
        if (strcmp(model->hosts.v[i]->id, id) == 0)
            return model->hosts.v[i];
    for (size_t i = 0; i < model->links.n; i++)
        if (strcmp(model->links.v[i]->id, id) == 0)
            return model->links.v[i]->host;
    for (size_t i = 0; i < model->devices.n; i++)
        if (strcmp(model->devices.v[i]->id, id) == 0)
            return model->devices.v[i]->host;
    return NULL;
}

bool adapters_have_examined(const struct manager *m, const char *id)
{
    const struct host *h = host_of(m, id);
    bool is_known = false;

    for (size_t i = 0; i < m->adapters.n; i++) {
        const struct adapter_state *a = m->adapters.v[i];

        if (!is_of(a, h))
            continue;
        if (a->is_unexamined || !a->store)
            return false;
        is_known = true;
    }
    return is_known && !m->list_error;
}

void adapters_look_again(struct manager *m, const struct finding *f)
{
    for (size_t i = 0; !m->captures && i < f->subjects.n; i++) {
        const struct host *h = host_of(m, f->subjects.v[i]);

        for (size_t k = 0; k < m->adapters.n; k++)
            if (!h || is_of(m->adapters.v[k], h)) /* what is gone has no host to look at */
                schedule_event(&m->schedule, &m->adapters.v[k]->slot, manager_now(m));
    }
    if (!m->captures)
        adapters_go_on(m);
}

int adapters_start(struct manager *m)
{
    struct live_options options = { .root = m->options->sysfs_root };
    int fd, r;

    m->live = live_new(&options);
    if (!m->live) {
        r = -errno;
        log_line(LOG_ERROR, "%s: %s", options.root ? options.root : "/sys", strerror(-r));
        return r;
    }
    fd = live_event_fd(m->live);
    if (fd < 0 && !options.root)
        log_line(LOG_WARN, "changes are seen in rounds only: udev: %s", strerror(-fd));
    r = fd < 0 ? 0 : sd_event_add_io(m->event, &m->events, fd, EPOLLIN, on_events, m);
    if (r >= 0)
        r = schedule_add(&m->schedule, &m->others, manager_now(m));
    if (r >= 0)
        r = sd_event_add_time(m->event, &m->wake, CLOCK_MONOTONIC, manager_now(m), 1, on_wake, m);
    return r < 0 ? r : watcher_begin(m);
}

void adapters_stop(struct manager *m)
{
    sd_event_source_disable_unref(m->wake);
    sd_event_source_disable_unref(m->events);
    watcher_end(m);
    for (size_t i = 0; i < m->adapters.n; i++) {
        collector_abandon(m->adapters.v[i]);
        adapter_free(m->adapters.v[i]);
    }
    free(m->adapters.v);
    collector_forget_all(m);
    source_close(m->live);
    schedule_done(&m->schedule);
}
