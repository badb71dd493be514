/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is probed when, and what becomes of results (probes.h).
 */
#include "daemon/probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-id128.h>

#include "base/text.h"
#include "daemon/log.h"
#include "daemon/memory.h"
#include "daemon/process.h"
#include "probe/cell.h"

enum {
    REASONS_MAX = 16, /* of those why devices are not probed; the rest is counted as one */
};

/* ---- who may be read ---- */

/* Does a process that was to probe the adapter hang? */
static bool is_hanging(const struct adapter_state *a)
{
    for (size_t i = 0; i < a->manager->processes.n; i++)
        if (a->manager->processes.v[i]->adapter == a && a->manager->processes.v[i]->probes)
            return true;
    return false;
}

bool probes_may_run(const struct adapter_state *a)
{
    return !a->run && schedule_may_ask(&a->slot, manager_now(a->manager)) && !is_hanging(a);
}

static bool is_free(const void *owner)
{
    return owner && probes_may_run(owner);
}

static struct adapter_state *adapter_of(const struct manager *m, const struct device *d)
{
    for (size_t i = 0; i < m->adapters.n; i++)
        if (text_starts_with(d->subject->path, m->adapters.v[i]->below))
            return m->adapters.v[i];
    return NULL;
}

/* What may be read of the machine, as the report has it. That disks whose sleep is hidden are used is taken for granted: who reads them
 * sees whether they are. */
static int make_plan(struct probes *p)
{
    const struct manager *m = p->manager;
    const struct model *model = m->report->model;
    struct plan_options options = { .config = &m->config, .n_seen = model->devices.n };
    struct plan_seen *seen = arena_new_array(p->arena, struct plan_seen, model->devices.n + 1);

    for (size_t i = 0; seen && i < model->devices.n; i++)
        seen[i].hctl = model->devices.v[i]->hctl;
    options.seen = seen;
    return seen ? plan_make(p->arena, model, &options, &p->plan) : -ENOMEM;
}

static void recall(struct probes *p, struct turn *t)
{
    const struct manager *m = p->manager;

    for (size_t i = 0; m->past.history && i < m->past.history->snapshots.n; i++)
        turn_recall(t, &m->past.history->snapshots.v[i], m->config.probe.bytes, manager_wall(m));
}

void probes_judged(struct manager *m)
{
    struct probes *p = m->probes;
    int r;

    if (!p)
        return;
    turns_forget_plan(&p->turns);
    arena_free(p->arena);
    p->arena = arena_new();
    r = p->arena ? make_plan(p) : -ENOMEM;
    if (r == 0)
        r = turns_update(&p->turns, &p->plan, p->machine_id, manager_wall(m));
    if (r < 0)
        log_line(LOG_ERROR, "nothing is probed: out of memory");
    for (size_t i = 0; r == 0 && i < p->turns.v.n; i++) {
        struct turn *t = p->turns.v.v[i];

        t->owner = t->entry ? adapter_of(m, t->entry->device) : NULL;
        if (t->is_assumed && t->entry && !t->entry->refused)
            recall(p, t);
    }
    probes_go_on(m);
}

/* ---- results ---- */

void probes_put(struct adapter_state *a)
{
    struct probes *p = a->manager->probes;
    int r = 0;

    if (!p || !a->store)
        return;
    store_forget_measures(a->store);
    for (size_t i = 0; r == 0 && i < p->turns.v.n; i++) {
        const struct turn *t = p->turns.v.v[i];
        struct measurement m = t->kept;

        if (t->owner != a || !t->entry || !m.method)
            continue;
        m.hctl = t->entry->device->hctl;
        r = store_put_measure(a->store, &m);
    }
    if (r < 0)
        log_line(LOG_ERROR, "results of probes are left out: out of memory");
}

bool probes_are_outdated(struct manager *m, const struct model *now)
{
    struct probes *p = m->probes;
    bool any = false;

    for (size_t i = 0; p && i < now->devices.n; i++) {
        struct turn *t = turns_of(&p->turns, now->devices.v[i]->id);

        if (!t || !turn_is_outdated(t, now->devices.v[i]))
            continue;
        any = true;
        if (t->owner)
            probes_put(t->owner);
    }
    return any;
}

static void remember(struct manager *m, const struct turn *t, const struct measurement *x)
{
    const struct measure_record record = { .at_us = x->wall_us,
                                           .device_id = t->id,
                                           .method = x->method,
                                           .block_bytes = x->block_bytes,
                                           .kb_per_s = cell_kb_per_s(x),
                                           .median_us = x->median_us };

    if (measurement_counts(x) && record.kb_per_s)
        memory_measure(m, &record);
}

void probes_result(struct probe_run *run, struct probed *d, const struct measurement *m)
{
    struct probes *p = run->probes;

    if (turn_end(d->turn, m) < 0)
        log_line(LOG_ERROR, "the result of a probe of %s is lost: out of memory", d->hctl);
    if (measurement_counts(m))
        probes_put(run->adapter);
    remember(p->manager, d->turn, m);
    probe_requests_take(p, run, d, m);
}

void probes_lost(struct probe_run *run, struct probed *d, bool was_at, const char *why)
{
    if (turn_lost(d->turn, was_at, why) < 0)
        log_line(LOG_ERROR, "out of memory");
    probe_requests_take(run->probes, run, d, NULL);
}

void probes_ended(struct probe_run *run, const char *why)
{
    struct probes *p = run->probes;
    struct manager *m = p->manager;
    struct adapter_state *a = run->adapter;

    if (why)
        probe_requests_note(p, run, why);
    p->run = probe_run_free(run);
    manager_judge_at(m, manager_now(m));
    if (!schedule_may_ask(&a->slot, manager_now(m))) /* it hangs: that is to be said */
        schedule_event(&m->schedule, &a->slot, manager_now(m));
    probes_wake(p);
}

/* ---- when ---- */

void probes_wake(struct probes *p)
{
    sd_event_source_set_time(p->alarm, 0);
    sd_event_source_set_enabled(p->alarm, SD_EVENT_ONESHOT);
}

int probes_begin(struct probes *p, struct adapter_state *a, const struct probed *devices, size_t n,
                 bool forced, unsigned await_s)
{
    struct probe_run *run = calloc(1, sizeof(*run));
    int r;

    if (!run)
        return -ENOMEM;
    *run = (struct probe_run){
        .probes = p, .adapter = a, .n = n, .forced = forced, .await_s = await_s
    };
    memcpy(run->devices, devices, n * sizeof(*devices));
    for (size_t i = 0; i < n; i++)
        turn_begin(run->devices[i].turn, &p->manager->config.probe, manager_wall(p->manager));
    r = probe_run_start(run);
    if (r == 0) {
        p->run = run;
        return 0;
    }
    log_line(LOG_WARN, "hbad-collect for %s cannot be started: %s", a->name, strerror(-r));
    for (size_t i = 0; i < n; i++)
        probes_lost(run, &run->devices[i], false, "hbad-collect cannot be started");
    probe_requests_note(p, run, "hbad-collect cannot be started");
    probe_run_free(run);
    return r;
}

/* Begins what is due. False where nothing is, or it cannot. */
static bool begin_due(struct probes *p)
{
    struct manager *m = p->manager;
    struct probed devices[PROBE_RUN_MAX] = { 0 };
    struct turn *v[PROBE_RUN_MAX];
    unsigned await_s = 0;
    int n = turns_pick(&p->turns, &m->config.probe, manager_wall(m), is_free, v, PROBE_RUN_MAX);

    for (int i = 0; i < n; i++) {
        devices[i].turn = v[i];
        snprintf(devices[i].hctl, sizeof(devices[i].hctl), "%s", v[i]->entry->device->hctl);
        await_s = v[i]->entry->needs_use ? PROBE_AWAIT_S : await_s;
    }
    return n > 0 && probes_begin(p, v[0]->owner, devices, (size_t)n, false, await_s) == 0;
}

/* When somebody's turn comes. Those whose adapter is not free begin when it is, and not by the clock. */
static uint64_t next_due(const struct probes *p, uint64_t after_us)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < p->turns.v.n; i++) {
        uint64_t due = turn_due(p->turns.v.v[i], &p->manager->config.probe, after_us);

        if (due > after_us && due < next)
            next = due;
    }
    return next;
}

void probes_go_on(struct manager *m)
{
    struct probes *p = m->probes;
    uint64_t next;

    if (!p)
        return;
    while (!p->run && !probe_requests_go_on(p) && begin_due(p))
        ;
    next = p->run ? UINT64_MAX : next_due(p, manager_wall(m));
    sd_event_source_set_time(p->alarm, next);
    sd_event_source_set_enabled(p->alarm, next == UINT64_MAX ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
}

static int on_alarm(sd_event_source *source, uint64_t now, void *userdata)
{
    (void)source;
    (void)now;
    adapters_go_on(userdata); /* a run that hung is a reason to look at its adapter */
    probes_go_on(userdata);
    return 0;
}

/* ---- beginning and end ---- */

void probes_abandon(struct adapter_state *a)
{
    struct probes *p = a->manager->probes;

    for (size_t i = 0; p && i < p->turns.v.n; i++)
        if (p->turns.v.v[i]->owner == a)
            p->turns.v.v[i]->owner = NULL;
    if (p && p->run && p->run->adapter == a)
        probe_run_end(p->run, "its adapter is gone");
}

static int on_answer(sd_event_source *source, void *userdata)
{
    (void)source;
    probe_requests_answer(userdata);
    return 0;
}

/* By what machines differ in when they probe; the id itself is not to be given away: sd_id128_get_machine_app_specific(3). */
static char *machine_id(void)
{
    static const sd_id128_t PURPOSE = SD_ID128_MAKE(91, c4, 0e, 3a, 57, b8, 4d, 12, 9f, 60, 2b, e3,
                                                    7c, d1, 85, 4a);
    char text[SD_ID128_STRING_MAX] = "";
    sd_id128_t id;

    if (sd_id128_get_machine_app_specific(PURPOSE, &id) >= 0)
        sd_id128_to_string(id, text);
    return strdup(text);
}

int probes_start(struct manager *m)
{
    struct probes *p;
    int r;

    if (m->captures || m->options->sysfs_root) /* nothing is there to be read from */
        return 0;
    m->probes = p = calloc(1, sizeof(*p));
    if (!p)
        return -ENOMEM;
    p->manager = m;
    p->machine_id = machine_id();
    r = p->machine_id
            ? sd_event_add_time(m->event, &p->alarm, CLOCK_REALTIME, UINT64_MAX, 0, on_alarm, m)
            : -ENOMEM;
    if (r >= 0)
        r = sd_event_add_defer(m->event, &p->answer, on_answer, p);
    if (r >= 0)
        r = sd_event_source_set_enabled(p->answer, SD_EVENT_OFF);
    return r < 0 ? r : 0;
}

void probes_stop(struct manager *m)
{
    struct probes *p = TAKE_PTR(m->probes);

    if (!p)
        return;
    probe_requests_forget(p);
    probe_run_free(p->run);
    turns_done(&p->turns);
    arena_free(p->arena);
    sd_event_source_disable_unref(p->alarm);
    sd_event_source_disable_unref(p->answer);
    free(p->machine_id);
    free(p);
}

/* ---- how it goes ---- */

struct reason {
    const char *why, *example;
    uint64_t devices;
};

/* Why it is not read, or was not; NULL where it is. */
static const char *why_not(const struct turn *t, const struct manager *m)
{
    if (t->entry->refused)
        return t->entry->refused;
    return turn_has_bytes(t, &m->config.probe, manager_wall(m))
               ? t->why
               : "all that may be read of it in a day (per_day) was read";
}

static void add_reason(struct reason *v, size_t *n, const char *why, const char *example)
{
    size_t i = 0;

    while (i < *n && strcmp(v[i].why, why) != 0)
        i++;
    if (i == REASONS_MAX)
        i--;
    else if (i == *n)
        v[(*n)++] = (struct reason){ i + 1 < REASONS_MAX ? why : "other reasons", example, 0 };
    v[i].devices++;
}

static void write_time(struct json_writer *w, const char *key, uint64_t us)
{
    json_write_key(w, key);
    if (us && us != UINT64_MAX)
        json_write_u64(w, us / 1000000);
    else
        json_write_null(w);
}

static void write_reasons(struct json_writer *w, const struct reason *v, size_t n)
{
    json_write_key(w, "skipped");
    json_write_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        json_write_begin_object(w);
        json_write_text_member(w, "why", v[i].why);
        json_write_u64_member(w, "devices", v[i].devices);
        json_write_text_member(w, "example", v[i].example);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

void probes_status(const struct manager *m, struct json_writer *w)
{
    const struct probes *p = m->probes;
    uint64_t now = manager_wall(m), next = UINT64_MAX, last = 0, devices = 0;
    struct reason reasons[REASONS_MAX];
    size_t n = 0;

    json_write_key(w, "probes");
    if (!p) {
        json_write_null(w);
        return;
    }
    for (size_t i = 0; i < p->turns.v.n; i++) {
        const struct turn *t = p->turns.v.v[i];
        const char *why = t->entry ? why_not(t, m) : NULL;
        uint64_t due = turn_due(t, &m->config.probe, now);

        devices += t->entry && !t->entry->refused;
        last = t->read_us > last ? t->read_us : last;
        next = due < next ? due : next;
        if (why)
            add_reason(reasons, &n, why, t->entry->device->hctl);
    }
    json_write_begin_object(w);
    json_write_u64_member(w, "devices", devices);
    json_write_u64_member(w, "running", p->run ? p->run->n : 0);
    write_time(w, "last", last);
    write_time(w, "next", next != UINT64_MAX && next < now ? now : next);
    write_reasons(w, reasons, n);
    json_write_end_object(w);
}
