/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probing: one short read of each link that may be read, one after the other.
 *
 * The whole machine is looked at in sysfs, without sending any device a command: who shares what with whom, and
 * what is an array's, is seen only so. lib/probe decides who may be read and how, and when to stop; this file
 * opens devices for it, and tells the reader what is under way and what came out. A refusal is a result too.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "daemon/collect.h"
#include "daemon/collect_config.h"
#include "diagnose/diagnose.h"
#include "diagnose/wishes.h"
#include "live/measure_node.h"
#include "probe/session.h"
#include "source/capture.h"

/* As when measuring (collect_measures.c): longer than a disk takes to spin up. */
static const uint64_t PATIENCE_US = 45000000;

struct known_target {
    const char *hctl;
    struct command_target target;
};

struct prober {
    const struct probing *asked;
    struct source *live;
    struct config config;
    struct report *report;
    struct plan plan;
    VEC(struct known_target) targets; /* of all devices, in the order of the machine */
    struct measure_engine *engine;    /* of the device under way */
    struct watch_sample *looks; /* of each entry of the plan: before the wait for a use of it */
    uint64_t looks_us;          /* when that was */
    struct capture_progress at;
};

static int flush(int r)
{
    if (r == 0 && fflush(stdout) != 0)
        r = -errno;
    return r;
}

/* For gather(): what is known of each device. */
static int take_target(void *userdata, const struct subject *device,
                       const struct command_target *target)
{
    struct prober *p = userdata;

    return vec_push(&p->targets, (struct known_target){ device->name, *target });
}

static const struct command_target *target_of(const struct prober *p, const char *hctl)
{
    for (size_t i = 0; i < p->targets.n; i++)
        if (strcmp(p->targets.v[i].hctl, hctl) == 0)
            return &p->targets.v[i].target;
    return NULL;
}

/* ---- what a session asks for ---- */

static int tell_progress(void *userdata, size_t device, uint64_t bytes)
{
    struct prober *p = userdata;
    struct capture_progress at = p->at;

    (void)device;
    at.bytes = bytes;
    return flush(capture_write_progress(&at, stdout));
}

static int burst(void *userdata, const struct measure_request *request, struct measurement *ret)
{
    struct prober *p = userdata;

    return measure_engine_run(p->engine, request, 0, 1, ret);
}

static void wait_us(void *userdata, uint64_t us)
{
    struct timespec t = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };

    (void)userdata;
    while (nanosleep(&t, &t) < 0 && errno == EINTR)
        ;
}

static int sent(void *userdata, const struct command *command, const struct answer *answer)
{
    const struct prober *p = userdata;

    return collect_sent(p->at.hctl, command, answer);
}

/* ---- is it awake? ---- */

/* Is the entry one that this run is about? */
static bool is_asked(const struct probing *asked, const struct plan_entry *e)
{
    if (e->is_named)
        return true;
    for (size_t i = 0; i < asked->n_selected; i++)
        if (strcmp(asked->selected[i], e->device->hctl) == 0)
            return true;
    if (asked->n_devices || asked->n_selected)
        return false;
    return !asked->below || text_starts_with(e->device->subject->path, asked->below);
}

static bool is_seen(const struct prober *p, const struct plan_entry *e)
{
    for (size_t i = 0; i < p->asked->n_seen; i++)
        if (strcmp(p->asked->seen[i].hctl, e->device->hctl) == 0)
            return p->asked->seen[i].ago_us <= PLAN_AWAKE_US;
    return false;
}

/* Is it one of which only a use by somebody else can tell? */
static bool waits_for_use(const struct prober *p, const struct plan_entry *e)
{
    return is_asked(p->asked, e) && !e->refused && e->needs_use && !is_seen(p, e);
}

/* The first of two looks at all whose sleep is hidden, and the time between them. */
static int wait_for_use(struct prober *p)
{
    struct taken now;
    int r = source_now(p->live, &now);
    bool any = false;

    p->looks_us = now.mono_us;
    for (size_t i = 0; r == 0 && p->live->asking_costs && i < p->plan.n; i++) {
        if (!waits_for_use(p, &p->plan.v[i]))
            continue;
        any = true;
        r = session_look(p->live, p->plan.v[i].device->subject, &p->looks[i]);
    }
    if (r == 0 && any)
        wait_us(NULL, p->asked->await_us);
    return r;
}

/* The second look: did somebody use it? `*ret_why`: why it is to be left alone, or NULL. */
static int look_for_use(struct prober *p, const struct plan_entry *e, const char **ret_why)
{
    struct watch_sample look;
    struct taken now = { 0 };
    int r = session_look(p->live, e->device->subject, &look);
    uint64_t ago;

    *ret_why = NULL;
    if (r == 0)
        r = source_now(p->live, &now);
    if (r < 0)
        return r;
    ago = now.mono_us - p->looks_us;
    if (watch_moved(&p->looks[e - p->plan.v], &look) && ago <= PLAN_AWAKE_US)
        return 0;
    *ret_why = arena_printf(p->report->model->arena,
                            "it cannot be told whether it sleeps: nobody was seen to use it within "
                            "%u s",
                            (unsigned)(ago / 1000000));
    return *ret_why ? 0 : -ENOMEM;
}

/* ---- one device ---- */

static int write_refusal(const struct plan_entry *e, int error, const char *why)
{
    struct measurement m = { .error = error,
                             .hctl = e->device->hctl,
                             .method = e->method ? e->method : "read-cached/sg",
                             .block_bytes = PLAN_BLOCK_BYTES,
                             .depth = 1,
                             .disturbed = why };

    return flush(capture_write_measures(&m, 1, stdout));
}

/* What the device may be asked: reads are switched on for what the plan has read. */
static struct command_target target_for(const struct prober *p, const struct plan_entry *e)
{
    const struct command_target *known = target_of(p, e->device->hctl);
    struct command_target t = known
                                  ? *known
                                  : (struct command_target){ .hctl = e->device->hctl, .type = -1 };

    t.flags |= TARGET_READS | (e->is_named ? TARGET_NAMED : 0u);
    if (e->is_named && p->asked->forced) {
        t.flags |= TARGET_FORCED;
        t.flags &= ~(unsigned)TARGET_ASLEEP;
    }
    return t;
}

static int probe_device(struct prober *p, const struct plan_entry *e)
{
    static const struct session_ops OPS = { burst, wait_us, sent };
    struct measure_options options = { .system = &MEASURE_SYSTEM,
                                       .user = p->live,
                                       .source = p->live,
                                       .patience_us = PATIENCE_US,
                                       .progress = tell_progress,
                                       .userdata = p };
    struct measure_device device = { .target = target_for(p, e) };
    struct session session = { .source = p->live,
                               .target = &device.target,
                               .forced = p->asked->forced,
                               .ops = &OPS,
                               .userdata = p };
    const char *why = NULL;
    struct measurement m;
    int r = 0;

    if (device.target.flags & TARGET_ASLEEP)
        return write_refusal(e, EPERM, "it, or what leads to it, sleeps: a read would wake it");
    if (waits_for_use(p, e))
        r = look_for_use(p, e, &why);
    if (r < 0 || why)
        return r < 0 ? r : write_refusal(e, EPERM, why);
    p->at.hctl = e->device->hctl;
    p->at.method = e->method;
    p->at.block_bytes = e->block_bytes;
    r = tell_progress(p, 0, 0);
    p->engine = r == 0 ? measure_engine_new(&options, &device, 1) : NULL;
    if (r == 0)
        r = p->engine ? session_probe(p->report->model->arena, &session, e, &m) : -ENOMEM;
    if (r == 0)
        r = flush(capture_write_measures(&m, 1, stdout));
    p->engine = measure_engine_free(p->engine);
    return r;
}

/* ---- all ---- */

static int look_at_machine(struct prober *p, const char *config_file, const struct tiers *tiers)
{
    struct gather_options options = {
        .level = LEVEL_ALL, .unasked = true, .tiers = tiers, .target = take_target, .userdata = p
    };
    struct plan_options wanted = { .config = &p->config,
                                   .named = p->asked->devices,
                                   .n_named = p->asked->n_devices,
                                   .forced = p->asked->forced,
                                   .seen = p->asked->seen,
                                   .n_seen = p->asked->n_seen };
    int r = collect_config(config_file, &p->config);
    const struct model *m;
    struct plan_seen *seen;

    p->report = calloc(1, sizeof(*p->report));
    if (r == 0 && !p->report)
        r = -ENOMEM;
    if (r == 0)
        r = diagnose_observe(p->live, &options, &p->config, p->report);
    if (r == 0)
        r = wishes_take(&p->config, p->report);
    if (r)
        return r;
    m = p->report->model;
    seen = arena_new_array(m->arena, struct plan_seen, m->devices.n + 1);
    p->looks = arena_new_array(m->arena, struct watch_sample, m->devices.n + 1);
    if (!seen || !p->looks)
        return -ENOMEM;
    for (size_t i = 0; p->asked->await_us && i < m->devices.n; i++)
        seen[i].hctl = m->devices.v[i]->hctl; /* will be, or it is left alone then */
    if (p->asked->await_us) {
        wanted.seen = seen;
        wanted.n_seen = m->devices.n;
    }
    r = plan_make(m->arena, m, &wanted, &p->plan);
    return r < 0 || !p->asked->await_us ? r : wait_for_use(p);
}

/* Names that no device has. */
static int refuse_unknown(const struct prober *p)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < p->asked->n_devices + p->asked->n_selected; i++) {
        struct device unknown = { .hctl = i < p->asked->n_devices
                                              ? p->asked->devices[i]
                                              : p->asked->selected[i - p->asked->n_devices] };
        struct plan_entry e = { .device = &unknown };

        if (!plan_of(&p->plan, unknown.hctl))
            r = write_refusal(&e, ENODEV, "there is no such device");
    }
    return r;
}

static int probe_all(struct prober *p)
{
    int r = refuse_unknown(p);

    p->at = (struct capture_progress){ .depth = 1 };
    for (size_t i = 0; i < p->plan.n; i++)
        p->at.cells += is_asked(p->asked, &p->plan.v[i]) && !p->plan.v[i].refused;
    for (size_t i = 0; r == 0 && i < p->plan.n; i++) {
        const struct plan_entry *e = &p->plan.v[i];

        if (!is_asked(p->asked, e))
            continue;
        if (e->refused) {
            r = write_refusal(e, EPERM, e->refused);
        } else if (!p->live->asking_costs) {
            r = write_refusal(e, EOPNOTSUPP, "a copied tree cannot be measured");
        } else {
            p->at.cell++;
            r = probe_device(p, e);
        }
    }
    return r < 0 ? r : flush(capture_write_end(stdout));
}

int collect_probe(struct source *live, const struct probing *asked, const char *config_file,
                  const struct tiers *tiers)
{
    struct prober p = { .asked = asked, .live = live };
    int r = look_at_machine(&p, config_file || live->asking_costs ? config_file : "/dev/null",
                            tiers);

    if (r == 0)
        r = probe_all(&p);
    report_free(p.report);
    config_done(&p.config);
    free(p.targets.v);
    return r;
}
