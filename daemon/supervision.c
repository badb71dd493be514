/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the service manager is told (manager.h; sd_notify(3)): that hbad is ready, how it is, that it goes on.
 *
 *   starting ──first report, or FIRST_LOOK_MOST times the patience──► ready ──► reloading ──► ready …
 *
 * Until it is ready, more time is asked for, every now and then: a machine with thousands of devices is not to be given up
 * because it has them. The watchdog is told that all is well by a timer of the loop, so only while the loop turns; and only
 * while the book-keeping of the collectors goes on (schedule_behind()): a loop that turns and starts nothing any more is as
 * bad as one that stands. What hangs at a device is no reason: it is in the books.
 */
#include <stddef.h>
#include <systemd/sd-daemon.h>

#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/notify.h"

enum {
    FIRST_LOOK_MOST =
        6,     /* times the patience with one device: then what is known by then is reported */
    PINGS = 3, /* in the time after which the watchdog bites */
};
static const uint64_t ASK_EVERY_US = 10000000, ASK_FOR_US = 30000000, /* of time to start */
    RETRY_US = 1000000, /* where the service manager did not take it */
    GRACE_US =
        30000000; /* that anything in the books may be late: half of the unit's WatchdogSec= */

static int again_in(sd_event_source *source, uint64_t us)
{
    sd_event_source_set_time_relative(source, us);
    return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* ---- the watchdog ---- */

/* What should have happened and has not; NULL: all goes on. */
static const char *behind(const struct manager *m)
{
    uint64_t now = manager_now(m);

    if (m->judge_us < now && now - m->judge_us > GRACE_US)
        return "what was read is not judged";
    return m->captures ? NULL : schedule_behind(&m->schedule, now, GRACE_US);
}

static int on_ping(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct manager *m = userdata;
    const char *why = behind(m);

    (void)usec;
    if (!why)
        notify("WATCHDOG=1");
    else
        log_line(LOG_ERROR, "%s: the watchdog is not told that all is well", why);
    return again_in(source, m->ping_us);
}

static int start_watchdog(struct manager *m)
{
    uint64_t usec;
    int r = sd_watchdog_enabled(0, &usec);

    if (r <= 0)
        return r;
    m->ping_us = usec / PINGS;
    return sd_event_add_time_relative(m->event, &m->ping, CLOCK_MONOTONIC, m->ping_us, 1, on_ping,
                                      m);
}

/* ---- ready ---- */

static size_t count_read(const struct manager *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->adapters.n; i++)
        n += m->adapters.v[i]->store != NULL;
    return n;
}

static int on_starting(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct manager *m = userdata;

    (void)usec;
    if (m->is_ready)
        return 0;
    notify("EXTEND_TIMEOUT_USEC=%llu\nSTATUS=Looking at all adapters: %zu of %zu have been read",
           (unsigned long long)ASK_FOR_US, count_read(m), m->adapters.n);
    return again_in(source, ASK_EVERY_US);
}

/* Where that is not taken now, it is said with the next report, which is soon. */
static void tell_ready(struct manager *m)
{
    m->is_ready = notify("READY=1") != -EAGAIN;
    if (!m->is_ready)
        manager_judge_at(m, manager_now(m) + RETRY_US);
}

int supervision_start(struct manager *m)
{
    int r = start_watchdog(m);

    if (r >= 0 && !m->captures)
        r = sd_event_add_time_relative(m->event, &m->starting, CLOCK_MONOTONIC, 0, 1, on_starting,
                                       m);
    if (r >= 0)
        manager_judge_at(m, manager_now(m) + FIRST_LOOK_MOST * m->config.daemon.patience_us);
    return r < 0 ? r : 0;
}

void supervision_stop(struct manager *m)
{
    sd_event_source_disable_unref(m->ping);
    sd_event_source_disable_unref(m->starting);
}

void supervision_reported(struct manager *m)
{
    const struct summary *s = &m->report->summary;

    notify("STATUS=%zu host%s, %zu link%s: %zu below the mode it should run in; %zu finding%s%s",
           s->hosts, s->hosts == 1 ? "" : "s", s->links, s->links == 1 ? "" : "s",
           s->verdicts[VERDICT_BELOW], m->report->findings.n, m->report->findings.n == 1 ? "" : "s",
           m->report->unexamined ? "; not everything could be examined" : "");
    if (!m->is_ready)
        tell_ready(m);
}

void supervision_reloading(struct manager *m)
{
    if (m->is_ready)
        notify("RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)manager_now(m));
}

void supervision_reloaded(struct manager *m)
{
    if (m->is_ready)
        tell_ready(m);
}
