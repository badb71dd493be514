/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was read of all adapters → a report (manager.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/probes.h"
#include "diagnose/diagnose.h"
#include "diagnose/ledger.h"
#include "source/unite.h"

/* The newest first: of what several have seen, it is believed. */
static int by_age(const void *a, const void *b)
{
    const struct adapter_state *x = *(struct adapter_state *const *)a,
                               *y = *(struct adapter_state *const *)b;

    return x->read_us > y->read_us ? -1 : x->read_us < y->read_us;
}

/* With captures the newest of them says what time it is. NULL: the clock does. */
static const struct taken *newest_capture(const struct manager *m)
{
    const struct taken *newest = NULL;

    for (size_t i = 0; m->captures && i < m->adapters.n; i++) {
        const struct taken *t = m->adapters.v[i]->store ? store_taken(m->adapters.v[i]->store)
                                                        : NULL;

        if (t && (!newest || t->wall_us > newest->wall_us))
            newest = t;
    }
    return newest;
}

uint64_t judge_wall(const struct manager *m)
{
    const struct taken *newest = newest_capture(m);

    return newest ? newest->wall_us : manager_wall(m);
}

/* The clock of the report, and whose it is. */
static struct taken taken_now(const struct manager *m, const struct utsname *name)
{
    const struct taken *newest = newest_capture(m);

    return newest ? *newest
                  : (struct taken){
                        .wall_us = manager_wall(m),
                        .mono_us = manager_now(m),
                        .kernel = name->release,
                        .machine = name->machine,
                        .hostname = name->nodename,
                    };
}

static int add_note(struct report *report, const char *text)
{
    return text ? vec_push(&report->notes, text) : -ENOMEM;
}

/* What is wrong with the configuration: who looks at the report is to know that it is judged by another one. */
static int add_complaints(const struct manager *m, struct report *report)
{
    enum { SHOWN = 8 };
    const struct config_messages *c = &m->complaints;
    struct arena *arena = report->model->arena;
    int r = 0;

    if (m->instead)
        r = add_note(report, arena_printf(arena, "the configuration is wrong: %s", m->instead));
    for (size_t i = 0; r == 0 && i < c->list.n && i < SHOWN; i++) {
        const struct config_message *x = &c->list.v[i];

        r = add_note(report, x->place.line ? arena_printf(arena, "%s:%u: %s", x->place.file,
                                                          x->place.line, x->text)
                                           : arena_printf(arena, "%s: %s", x->place.file, x->text));
    }
    if (r == 0 && c->list.n > SHOWN)
        r = add_note(report, arena_printf(arena, "the configuration is wrong in %zu more places",
                                          c->list.n - SHOWN));
    return r;
}

/* What the adapters say of themselves goes into the report. One of which nothing is known yet is not seen, either. */
static int add_notes(const struct manager *m, struct report *report)
{
    struct arena *arena = report->model->arena;
    int r = 0, failing = memory_failing(m);

    if (m->list_error) {
        report->unexamined++;
        r = add_note(report, arena_printf(arena, "the SCSI hosts cannot be listed: %s",
                                          strerror(m->list_error)));
    }
    if (r == 0 && failing) {
        report->lacks_past = failing == EINPROGRESS
                                 ? "what was before is not read yet"
                                 : arena_printf(arena, "what was before cannot be read: %s",
                                                strerror(failing));
        r = add_note(report, report->lacks_past);
    }
    for (size_t i = 0; r == 0 && i < m->adapters.n; i++) {
        const struct adapter_state *a = m->adapters.v[i];

        report->unexamined += a->is_unexamined || !a->store;
        if (!a->store && !a->notes.n)
            r = add_note(report, arena_printf(arena, "%s has not been read yet", a->name));
        for (size_t k = 0; r == 0 && k < a->notes.n; k++)
            r = add_note(report, arena_strdup(arena, a->notes.v[k]));
    }
    return r;
}

/* What was sent to devices in the last look at each adapter. */
static int add_ledger(const struct manager *m, struct report *report)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < m->adapters.n; i++)
        if (m->adapters.v[i]->store)
            r = ledger_take(m->adapters.v[i]->store, report);
    return r;
}

/* None where something of an adapter was never read: what is missing then may be there. */
static bool has_whole_machine(const struct manager *m)
{
    for (size_t i = 0; i < m->adapters.n; i++)
        if (!m->adapters.v[i]->has_whole)
            return false;
    return true;
}

/* Were the adapter's counters read a while ago, for it hangs, or is not watched? A round or two of the watcher is short beside
 * the hours over which growth is judged; more would make a burst of what grew slowly. */
static bool is_unread(const struct manager *m, const struct adapter_state *a)
{
    return !m->captures && a->counted_us &&
           a->counted_us + 3 * m->config.daemon.counters_us < manager_now(m);
}

/* The directories of those, with NULL at the end; NULL: no memory. */
static const char **list_unread(struct manager *m)
{
    const char **list = calloc(m->adapters.n + 1, sizeof(*list));
    size_t n = 0;

    for (size_t i = 0; list && i < m->adapters.n; i++) {
        struct adapter_state *a = m->adapters.v[i];

        a->is_unread = is_unread(m, a);
        if (a->is_unread)
            list[n++] = a->below;
    }
    return list;
}

bool judge_is_outdated(const struct manager *m)
{
    for (size_t i = 0; i < m->adapters.n; i++)
        if (m->adapters.v[i]->is_unread != is_unread(m, m->adapters.v[i]))
            return true;
    return false;
}

static int diagnose_parts(struct manager *m, struct source *source, uint64_t wall_us,
                          struct report **ret)
{
    _cleanup_(history_freep) struct history *past = NULL;
    _cleanup_free_ const char **unread = list_unread(m);
    struct diagnose_options options = {
        .level = LEVEL_ALL, .config = &m->config, .acknowledged = &m->acknowledged, .unread = unread
    };
    struct report *report = NULL;
    int r = unread ? 0 : -ENOMEM;

    if (r == 0 && has_whole_machine(m))
        r = past_before(&m->past, wall_us, &past);

    options.history = past;
    if (r == 0)
        r = diagnose(source, &options, &report);
    if (r)
        return r;
    r = add_complaints(m, report);
    if (r == 0)
        r = add_notes(m, report);
    if (r == 0)
        r = add_ledger(m, report);
    if (r < 0)
        report_free(report);
    else
        *ret = report;
    return r;
}

/* Keeps what was seen for the next ones: what a whole round saw, and in between, when something was seen to have changed. */
static int remember(struct manager *m)
{
    _cleanup_(history_freep) struct history *look = NULL;
    bool is_round = m->remembered != m->schedule.round && schedule_round_is_complete(&m->schedule);
    int r;

    if (!(is_round || m->is_look_due) || !has_whole_machine(m))
        return 0;
    look = history_new();
    r = look ? history_add(look, m->report->model, m->report->wall_us, m->report->mono_us)
             : -ENOMEM;
    if (r == 0)
        memory_look(m, past_newest(&m->past), &look->snapshots.v[0]);
    if (r == 0)
        r = past_add(&m->past, &look->snapshots.v[0]);
    if (r == 0 && is_round)
        m->remembered = m->schedule.round;
    if (r == 0)
        m->is_look_due = false;
    return r;
}

/* Diagnoses all that was read. */
static int judge_parts(struct manager *m, struct report **ret)
{
    _cleanup_(source_closep) struct source *united = NULL;
    _cleanup_free_ struct unite_part *parts = calloc(m->adapters.n + 1, sizeof(*parts));
    struct utsname name;
    struct taken taken;
    size_t n = 0;

    if (!parts)
        return -ENOMEM;
    uname(&name);
    taken = taken_now(m, &name);
    if (m->adapters.n)
        qsort(m->adapters.v, m->adapters.n, sizeof(m->adapters.v[0]), by_age);
    for (size_t i = 0; i < m->adapters.n; i++)
        if (m->adapters.v[i]->store)
            parts[n++] = (struct unite_part){ m->adapters.v[i]->store, m->adapters.v[i]->below };
    past_follow_clock(&m->past, taken.wall_us, taken.mono_us);
    united = unite_new(parts, n, &taken);
    return united ? diagnose_parts(m, united, taken.wall_us, ret) : -ENOMEM;
}

int judge(struct manager *m)
{
    struct report *report = NULL;
    int r = judge_parts(m, &report);

    if (r == 0 && probes_are_outdated(
                      m, report->model)) { /* of links in another mode: once more without them */
        report = report_free(report);
        r = judge_parts(m, &report);
    }
    if (r) {
        log_line(LOG_ERROR, "what was read cannot be judged: %s", strerror(-r));
        return r;
    }
    report_free(m->report);
    m->report = report;
    track_since(&m->tracker, report);
    return remember(m);
}

void judge_forget(struct manager *m)
{
    past_done(&m->past);
    m->report = report_free(m->report);
}
