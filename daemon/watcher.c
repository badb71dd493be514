/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is seen to have changed between two looks (manager.h): the daemon's end of hbad-collect --watch.
 *
 * Each adapter is watched from when it was read on. The watcher sends what it finds then, and from there on what differs: it
 * goes into the adapter's store. Counters are judged as if they had just been read. An adapter whose state or mode has changed is
 * read anew first (read_again()).
 *
 * One that says nothing any more hangs at the adapter that it said to turn to. It is left there, as a collector would be,
 * and another one goes on with the others.
 */
#include "daemon/watcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/process.h"
#include "source/patch.h"

#define STAND_IN_US (15 * 60 * SECOND_US)
#define REST_US     (10 * SECOND_US) /* between two readings of an adapter for what the watcher saw */

enum {
    RETRY_DOUBLINGS = 6, /* of a second, from one that ended to the next */
    RESTLESS_MAX = 12,   /* half a day from one reading to the next */
    TAKEN_AT_ONCE = 64,  /* reads from it before the rest of the loop has its turn */
};

static struct adapter_state *adapter_at(const struct manager *m, const char *below)
{
    for (size_t i = 0; below && i < m->adapters.n; i++)
        if (strcmp(m->adapters.v[i]->below, below) == 0)
            return m->adapters.v[i];
    return NULL;
}

/* ---- one that ends ---- */

/* What is left of it is others'. */
static void let_go(struct watcher *w)
{
    w->io = sd_event_source_disable_unref(w->io);
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    process_leave(w->process);
    frames_done(&w->in);
    w->out.n = 0;
    free(TAKE_PTR(w->at));
    for (size_t i = 0; i < w->manager->adapters.n; i++) {
        w->manager->adapters.v[i]->is_watched = false;
        w->manager->adapters.v[i]->walks = 0;
    }
    w->before_cpu_us += (uint64_t)w->last.cpu_us;
    w->before_reads += (uint64_t)w->last.reads;
    w->before_costly += (uint64_t)w->last.costly;
    w->last = (struct watch_message){ 0 };
}

/* Where none watches for long, everything is looked at instead, as rarely as that must be. */
static void stand_in(struct watcher *w)
{
    uint64_t now = manager_now(w->manager);

    if (now < w->seen_us + STAND_IN_US)
        return;
    w->seen_us = now;
    manager_look(w->manager);
}

/* Another one is started after a while, longer each time. */
static void fail(struct watcher *w, const char *why)
{
    unsigned doublings = w->failures < RETRY_DOUBLINGS ? w->failures : RETRY_DOUBLINGS;

    log_line(LOG_WARN, "the watcher %s", why);
    let_go(w);
    free(w->why);
    w->why = strdup(why);
    w->failures++;
    w->retry_us = manager_now(w->manager) + (SECOND_US << doublings);
    sd_event_source_set_time(w->timer, w->retry_us);
    sd_event_source_set_enabled(w->timer, SD_EVENT_ONESHOT);
    stand_in(w);
}

/* ---- what it is told ---- */

/* Sends what is waiting, as far as it goes. Returns 0 or a negative errno. */
static int send_out(struct watcher *w)
{
    ssize_t n = w->out.n ? send(w->fd, w->out.v, w->out.n, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;

    if (n < 0 && errno != EAGAIN)
        return -errno;
    if (n > 0) {
        w->out.n -= (size_t)n;
        memmove(w->out.v, w->out.v + n, w->out.n);
    }
    return sd_event_source_set_io_events(w->io, w->out.n ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static int tell(struct watcher *w, const struct watch_message *message)
{
    struct buffer_writer writer;
    struct buffer *text;
    int r = buffer_open(&writer);

    if (r < 0)
        return r;
    watch_message_write(message, writer.out);
    text = buffer_close(&writer);
    r = text ? vec_reserve(&w->out, text->len) : -ENOMEM;
    if (r == 0) {
        memcpy(w->out.v + w->out.n, text->data, text->len);
        w->out.n += text->len;
    }
    buffer_unref(text);
    return r;
}

static int tell_times(struct watcher *w)
{
    const struct config_daemon *d = &w->manager->config.daemon;

    return tell(w, &(struct watch_message){ .what = WATCH_BEGIN,
                                            .watch_us = (int64_t)d->watch_us,
                                            .counters_us = (int64_t)d->counters_us,
                                            .costly_reads = (int64_t)d->costly_reads });
}

/* Has an adapter watched as it is now; one that hangs, or of which nothing is known, is not. */
static int tell_adapter(struct watcher *w, struct adapter_state *a)
{
    int r;

    if (!a->store || a->slot.hanging)
        return 0;
    r = tell(w, &(struct watch_message){ .what = WATCH_ADAPTER, .below = a->below });
    if (r == 0 && !w->at) /* from now on there is something to wait for */
        w->heard_us = manager_now(w->manager);
    a->is_watched |= r == 0;
    a->walks += r == 0;
    return r;
}

static bool has_work(const struct watcher *w)
{
    for (size_t i = 0; i < w->manager->adapters.n; i++)
        if (w->manager->adapters.v[i]->is_watched)
            return true;
    return false;
}

/* When something must have been heard of it. */
static uint64_t patience_ends(const struct watcher *w)
{
    const struct config_daemon *d = &w->manager->config.daemon;
    bool is_resting = !w->at ||
                      w->at_what == WATCH_AT_COUNTERS; /* until the next round, at the latest */

    return w->heard_us + d->patience_us + (is_resting ? d->watch_us : 0);
}

static void set_alarm(struct watcher *w)
{
    if (!w->process || !has_work(w))
        return;
    sd_event_source_set_time(w->timer, patience_ends(w));
    sd_event_source_set_enabled(w->timer, SD_EVENT_ONESHOT);
}

/* ---- what it says ---- */

/* Links of the adapter are not as they were: it is to be read anew. Until then nothing is judged, unless that takes long:
 * what its devices said is of before the change, and would contradict what the driver says now. What is otherwise right
 * behind a reading has changed meanwhile. Where that never ends, the two see different things, and it is read ever more
 * rarely. */
static void read_again(struct adapter_state *a, enum watch_at at)
{
    struct manager *m = a->manager;
    const struct config_daemon *d = &m->config.daemon;
    uint64_t now = manager_now(m), soon = now + d->settle_us;

    if (a->behind_us > now)
        return; /* it is about to be */
    a->restless = at != WATCH_AT_WALK          ? 0
                  : a->restless < RESTLESS_MAX ? a->restless + 1
                                               : RESTLESS_MAX;
    if (a->reread_us && soon < a->reread_us + (REST_US << a->restless))
        soon = a->reread_us + (REST_US << a->restless);
    a->behind_us = (soon < now + REST_US ? soon : now + REST_US) + d->patience_us;
    schedule_at(&a->slot, soon);
    manager_judge_at(m, a->behind_us);
    adapters_go_on(m);
}

/* Something of the adapter is not as it was. What was sent before it has looked at all of what was just read may be older than
 * that; what is so still it sends then. What goes together is judged together: it is through with all of them in a
 * moment. */
static int take_changes(struct watcher *w, const struct store *changes)
{
    struct manager *m = w->manager;
    struct adapter_state *a = adapter_at(m, w->at);
    struct patch_result result;
    int r;

    if (!a || !a->store || a->walks)
        return 0;
    r = store_patch(a->store, changes, &result);
    if (r < 0 || !result.changed)
        return r;
    w->has_changed = true;
    if (w->at_what == WATCH_AT_COUNTERS)
        return 0;
    m->is_look_due = true;
    if (result.gone) /* what there is now is not known before it has been read */
        m->list_is_old = true;
    read_again(a, w->at_what);
    return 0;
}

static int take_at(struct watcher *w, const struct watch_message *at)
{
    struct adapter_state *a = adapter_at(w->manager, at->below);

    if (a && a->walks && at->at == WATCH_AT_WALK)
        a->walks--;
    free(w->at);
    w->at = strdup(at->below);
    w->at_what = at->at;
    return w->at ? 0 : -ENOMEM;
}

static void take_round(struct watcher *w, const struct watch_message *round)
{
    struct manager *m = w->manager;
    uint64_t now = manager_now(m);
    bool is_judged_soon = m->judge_us <= now + SECOND_US;

    w->last = *round;
    w->last.below = NULL;
    w->rounds++;
    w->failures = 0;
    w->round_wall_us = manager_wall(m);
    w->seen_us = now;
    free(TAKE_PTR(w->at));
    for (size_t i = 0; i < m->adapters.n; i++) {
        struct adapter_state *a = m->adapters.v[i];

        if (!a->is_watched)
            continue;
        a->watched_wall_us = w->round_wall_us;
        if (round->counters)
            a->counted_us = now;
    }
    if (round->counters && w->has_changed)
        m->is_look_due = true;
    if (is_judged_soon || (round->counters && w->has_changed))
        manager_judge_at(m, now);
    else if (!adapters_behind(m))
        still(m, round->counters);
    if (round->counters)
        w->has_changed = false;
}

static int take(struct watcher *w, struct bytes text)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_(store_freep) struct store *changes = store_new();
    struct watch_message message;
    const char *why;
    int r = arena && changes ? watch_message_parse(text, true, arena, &message, changes, &why)
                             : -ENOMEM;

    if (r == -EBADMSG)
        log_line(LOG_WARN, "the watcher: %s", why);
    if (r < 0)
        return r;
    w->heard_us = manager_now(w->manager);
    if (message.what == WATCH_CHANGES)
        return take_changes(w, changes);
    if (message.what == WATCH_ROUND) {
        take_round(w, &message);
        return 0;
    }
    return take_at(w, &message);
}

/* Reads what is there. Returns 1, 0 at its end, or a negative errno. */
static int take_some(struct watcher *w)
{
    struct bytes text;
    uint8_t *at;
    int64_t room = frames_room(&w->in, &at);
    ssize_t n;
    int r = 0;

    if (room < 0)
        return (int)room;
    n = read(w->fd, at, (size_t)room);
    if (n <= 0)
        return n < 0 && errno != ECONNRESET ? -errno : 0;
    frames_added(&w->in, (size_t)n);
    while (r >= 0 && (r = frames_next(&w->in, &text)) > 0)
        r = take(w, text);
    return r < 0 ? r : 1;
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct watcher *w = userdata;
    int r = 1;

    (void)source;
    (void)fd;
    if (revents & EPOLLOUT && send_out(w) < 0)
        r = 0;
    for (unsigned i = 0; r > 0 && i < TAKEN_AT_ONCE; i++)
        r = take_some(w);
    if (r == -EAGAIN || r == -EINTR || r > 0) {
        set_alarm(w);
        return 0;
    }
    fail(w, r == 0           ? "ended"
            : r == -EBADMSG  ? "sends what it must not"
            : r == -EMSGSIZE ? "sends without end"
                             : "cannot be heard");
    return 0;
}

/* ---- starting, and giving up ---- */

static int start(struct watcher *w)
{
    struct manager *m = w->manager;
    int r = process_start_watcher(m, &w->process, &w->fd);

    if (r < 0)
        return r;
    w->in = frames(WATCH_MESSAGE_MAX);
    r = sd_event_add_io(m->event, &w->io, w->fd, EPOLLIN, on_io, w);
    if (r >= 0)
        r = tell_times(w);
    for (size_t i = 0; r >= 0 && i < m->adapters.n; i++)
        r = tell_adapter(w, m->adapters.v[i]);
    if (r >= 0)
        r = send_out(w);
    if (r < 0)
        return r;
    w->heard_us = manager_now(m);
    free(TAKE_PTR(w->why));
    set_alarm(w);
    return 0;
}

static void start_or_fail(struct watcher *w)
{
    int r = start(w);

    if (r < 0)
        fail(w, strerror(-r));
}

/* It hangs at an adapter: that one waits for it, and the others go on. */
static void give_up(struct watcher *w)
{
    const struct capture_stream nowhere = { 0 };
    struct manager *m = w->manager;
    struct adapter_state *a = adapter_at(m, w->at);

    w->stuck++;
    if (a && w->process) {
        adapter_note(a, "adapter %s has not answered the watcher for %llu s", a->name,
                     (unsigned long long)((manager_now(m) - w->heard_us) / SECOND_US));
        a->is_unexamined = true;
        log_line(LOG_WARN, "%s", a->notes.v[a->notes.n - 1]);
        w->io = sd_event_source_disable_unref(w->io);
        shutdown(w->fd, SHUT_WR); /* it ends when it goes on */
        w->process->adapter = a;
        process_hold(w->process, &nowhere, w->heard_us, &w->fd);
        schedule_stuck(&m->schedule, &a->slot, manager_now(m));
        manager_judge_at(m, manager_now(m));
    } else {
        log_line(LOG_WARN, "the watcher says nothing any more");
    }
    let_go(w);
    start_or_fail(w);
    adapters_go_on(m);
}

static int on_timer(sd_event_source *source, uint64_t now, void *userdata)
{
    struct watcher *w = userdata;

    (void)source;
    now = manager_now(w->manager);
    if (w->process && patience_ends(w) > now)
        set_alarm(w);
    else if (w->process && has_work(w))
        give_up(w);
    else if (!w->process && w->retry_us <= now)
        start_or_fail(w);
    return 0;
}

void watcher_read(struct adapter_state *a)
{
    struct watcher *w = a->manager->watcher;
    int r;

    if (!w)
        return;
    if (!w->process) {
        if (a->store && !w->failures)
            start_or_fail(w);
        return;
    }
    r = tell_adapter(w, a);
    if (r == 0)
        r = send_out(w);
    if (r < 0)
        fail(w, "cannot be told anything");
    else
        set_alarm(w);
}

void watcher_leave(struct adapter_state *a)
{
    struct watcher *w = a->manager->watcher;
    int r;

    if (!w || !w->process || !a->is_watched)
        return;
    a->is_watched = false;
    r = tell(w, &(struct watch_message){ .what = WATCH_LEAVE, .below = a->below });
    if (r == 0)
        r = send_out(w);
    if (r < 0)
        fail(w, "cannot be told anything");
}

void watcher_retime(struct manager *m)
{
    struct watcher *w = m->watcher;

    if (!w || !w->process)
        return;
    if (tell_times(w) < 0 || send_out(w) < 0)
        fail(w, "cannot be told anything");
}

int watcher_begin(struct manager *m)
{
    struct watcher *w = calloc(1, sizeof(*w));
    int r;

    if (!w)
        return -ENOMEM;
    w->manager = m;
    w->fd = -1;
    w->seen_us = manager_now(m);
    m->watcher = w;
    r = sd_event_add_time(m->event, &w->timer, CLOCK_MONOTONIC, 0, SECOND_US, on_timer, w);
    if (r >= 0)
        r = sd_event_source_set_enabled(w->timer, SD_EVENT_OFF);
    return r < 0 ? r : 0;
}

void watcher_end(struct manager *m)
{
    struct watcher *w = m->watcher;

    if (!w)
        return;
    let_go(w);
    sd_event_source_disable_unref(w->timer);
    free(w->out.v);
    free(w->why);
    free(w);
    m->watcher = NULL;
}
