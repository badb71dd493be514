/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl probe: one short read of each link that may be read, now. Where the daemon runs it has that done (probe_daemon.c), else it
 * is done here. What may be read is decided where devices are opened: by hbad-collect, which is run once an adapter, one after
 * the other. A refusal is a result like others.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "ctl/measure.h"
#include "ctl/probe_daemon.h"
#include "live/live.h"
#include "output/bench.h"

enum {
    PROBE_US = 1000000
}; /* the most that one takes, as a rule: longest = of the configuration */

struct probing {
    const struct request *request;
    char program[4096];
    struct store *store;
    struct adapters adapters;
    struct devices devices; /* that are asked for; none: all */
    struct devices named;   /* those of them that go by a name of their own */
    struct progress progress;
    struct notes notes;
    bool has_no_host;
};

static bool is_of(const struct adapter *a, const struct device *d)
{
    return text_starts_with(d->subject->path, a->below);
}

static bool is_named(const struct probing *p, const struct device *d)
{
    for (size_t i = 0; i < p->named.n; i++)
        if (p->named.v[i] == d)
            return true;
    return false;
}

/* Is anything of the adapter to be probed? */
static bool is_wanted(const struct probing *p, const struct adapter *a)
{
    bool wanted = p->devices.n == 0;

    for (size_t i = 0; i < p->devices.n && !wanted; i++)
        wanted = is_of(a, p->devices.v[i]);
    return wanted;
}

/* One run. Returns as measure_run(). */
static int probe_adapter(struct probing *p, const struct adapter *a)
{
    VEC(char *) argv = { 0 };
    _cleanup_free_ char *below = NULL, *config = NULL;
    char(*names)[64] = calloc(p->devices.n + 1, sizeof(*names));
    const char *file = p->request->config;
    bool any_named = false;
    int r = names ? vec_reserve(&argv, p->devices.n + 7) : -ENOMEM;

    if (r == 0 && (asprintf(&below, "--below=%s", a->below) < 0 ||
                   (file && asprintf(&config, "--config=%s", file) < 0)))
        r = -ENOMEM;
    if (r == 0) {
        argv.v[argv.n++] = p->program;
        argv.v[argv.n++] = below;
        for (size_t i = 0; i < p->devices.n; i++) {
            if (!is_of(a, p->devices.v[i]))
                continue;
            any_named |= is_named(p, p->devices.v[i]);
            snprintf(names[i], sizeof(names[i]), "--%s=%s",
                     is_named(p, p->devices.v[i]) ? "probe" : "select", p->devices.v[i]->hctl);
            argv.v[argv.n++] = names[i];
        }
        if (!any_named)
            argv.v[argv.n++] = (char *)(uintptr_t) "--probe";
        if (p->request->force)
            argv.v[argv.n++] = (char *)(uintptr_t) "--force";
        if (config)
            argv.v[argv.n++] = config;
        argv.v[argv.n] = NULL;
        r = measure_run(p->store, &p->notes, &p->progress, a->name, argv.v,
                        p->request->patience_of_reads_s);
    }
    free(argv.v);
    free(names);
    return r;
}

static int probe_adapters(struct probing *p)
{
    size_t runs = 0;
    int r = 0;

    for (size_t i = 0; i < p->adapters.n; i++)
        runs += is_wanted(p, &p->adapters.v[i]);
    p->progress = progress_begin(runs, PROBE_US);
    for (size_t i = 0; r >= 0 && i < p->adapters.n; i++)
        if (is_wanted(p, &p->adapters.v[i]))
            r = probe_adapter(p, &p->adapters.v[i]);
    return r < 0 ? r : 0;
}

/* Prints what came. Returns how many devices have something that counts, or a negative errno. */
static int show(const struct probing *p)
{
    _cleanup_(report_freep) struct report *report = NULL;
    _cleanup_(bench_freep) struct bench *bench = NULL;
    struct devices devices = { 0 };
    int n = 0, r = judge_store(p->request, p->store, &report);

    if (r == 0)
        r = resolve_words(p->request, report, &devices, NULL);
    if (r == 0)
        r = bench_new(report->model, devices.v, devices.n, &bench);
    free(devices.v);
    if (r < 0 || !bench)
        return r;
    if (p->request->json)
        output_json_bench(bench, p->request->json == JSON_PRETTY, p->request->out);
    else
        output_probes(bench, &p->request->style, p->request->out);
    for (size_t i = 0; i < bench->devices.n; i++)
        n += bench->devices.v[i].sweep.best != NULL;
    return n;
}

static int probe_machine(struct probing *p)
{
    struct live_options options = { 0 };
    _cleanup_(source_closep) struct source *live = live_new(&options);
    _cleanup_(report_freep) struct report *before = NULL;
    int r = live ? child_find_program(p->program, sizeof(p->program)) : -errno;

    if (r < 0) {
        say("%s: %s", live ? p->program : "this machine cannot be examined", strerror(-r));
        return r;
    }
    r = load_store(p->request, LEVEL_MODES, &p->store);
    if (r >= 0)
        r = judge_store(p->request, p->store, &before);
    if (r == 0)
        r = resolve_words(p->request, before, &p->devices, &p->named);
    if (r == 0)
        p->has_no_host = !before->model->hosts.n && !before->unexamined;
    if (r == 0)
        r = gather_adapters(live, &p->adapters);
    if (r == 0)
        r = probe_adapters(p);
    for (size_t i = 0; i < p->notes.n; i++)
        say("%s", p->notes.v[i]);
    return r < 0 ? r : show(p);
}

int verb_probe(const struct request *request)
{
    struct probing p = { .request = request };
    int r, status;

    if (request->n_captures || request->sysfs_root) {
        say("probe reads devices of this machine; hbactl bench --capture FILE shows what was measured");
        return EXIT_USAGE;
    }
    if (probe_by_daemon(request, &status))
        return status;
    r = probe_machine(&p);
    if (r == 0)
        say(p.has_no_host ? "No SCSI host was found." : "nothing could be probed");
    notes_done(&p.notes);
    adapters_done(&p.adapters);
    free(p.devices.v);
    free(p.named.v);
    store_free(p.store);
    return r > 0 ? EXIT_WELL : EXIT_FAILURE;
}
