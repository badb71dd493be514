/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl bench: devices are read, each alone and then all together, and what that says is shown; or what a capture holds of
 * that.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ctl/bench_options.h"
#include "ctl/measure.h"
#include "facts/key.h"
#include "output/bench.h"

enum { TOGETHER_MOST = 256 }; /* that hbad-collect takes */

/* What is read, and how. */
struct benching {
    const struct request *request;
    struct store *store;
    struct report *report; /* before anything is read */
    struct devices devices;
    struct bench_arguments arguments[2]; /* of runs in sequence, then of those at random places */
    size_t n_arguments;
    struct progress progress;
    struct notes notes;
};

/* What a person calls it: its node. */
static const char *name_of(const struct device *d)
{
    const char *node = fact_text(d->subject, &KEY_NODE);

    return node ? node : d->hctl;
}

/* Does something of the device count? */
static bool is_read(const struct store *store, const char *hctl)
{
    for (size_t i = 0; i < store_measures(store); i++) {
        struct measurement m = store_measure_at(store, i);

        if (strcmp(m.hctl, hctl) == 0 && m.bytes && !m.error)
            return true;
    }
    return false;
}

/* One run over these devices. Returns as measure_run(). */
static int run(struct benching *b, const char *program, const struct bench_arguments *arguments,
               struct device *const *devices, size_t n, const char *name)
{
    size_t all = 1 + n + arguments->n;
    _cleanup_free_ char **argv = calloc(all + 1, sizeof(*argv));
    char(*names)[64] = calloc(n, sizeof(*names));
    int r = argv && names ? 0 : -ENOMEM;

    if (r == 0) {
        argv[0] = (char *)(uintptr_t)program;
        for (size_t i = 0; i < arguments->n; i++)
            argv[1 + i] = arguments->v[i];
        for (size_t i = 0; i < n; i++) {
            snprintf(names[i], sizeof(names[i]), "--device=%s", devices[i]->hctl);
            argv[1 + arguments->n + i] = names[i];
        }
        r = measure_run(b->store, &b->notes, &b->progress, name, argv,
                        b->request->patience_of_reads_s);
    }
    free(names);
    return r;
}

/* Those of which something came, at the same time. */
static int run_together(struct benching *b, const char *program,
                        const struct bench_arguments *arguments)
{
    _cleanup_free_ struct device **devices = calloc(b->devices.n, sizeof(struct device *));
    char name[32];
    size_t n = 0;

    if (!devices)
        return -ENOMEM;
    for (size_t i = 0; i < b->devices.n; i++)
        if (is_read(b->store, b->devices.v[i]->hctl))
            devices[n++] = b->devices.v[i];
    if (n > TOGETHER_MOST)
        say("%zu devices are too many to be read at the same time", n);
    if (n < 2 || n > TOGETHER_MOST)
        return 0;
    snprintf(name, sizeof(name), "%zu devices", n);
    return run(b, program, arguments, devices, n, name);
}

/* Returns 0, 1 where something was not complete, or a negative errno. */
static int measure(struct benching *b)
{
    char program[4096];
    int r = child_find_program(program, sizeof(program)), incomplete = 0;

    if (r < 0) {
        say("%s: %s", program, strerror(-r));
        return r;
    }
    b->progress = progress_begin(b->n_arguments * (b->devices.n + (b->devices.n > 1 ? 1 : 0)),
                                 b->arguments[0].cell_us);
    for (size_t k = 0; k < b->n_arguments; k++) {
        for (size_t i = 0; r >= 0 && i < b->devices.n; i++) {
            r = run(b, program, &b->arguments[k], &b->devices.v[i], 1, name_of(b->devices.v[i]));
            incomplete |= r > 0;
        }
        if (r >= 0 && b->devices.n > 1) {
            r = run_together(b, program, &b->arguments[k]);
            incomplete |= r > 0;
        }
    }
    return r < 0 ? r : incomplete;
}

/* What is asked for; says what is wrong. */
static int take_words(struct benching *b)
{
    const struct bench_words *words = &b->request->bench;
    int r = 0;

    if (!words->random || words->seeks)
        r = bench_arguments(b->request, false, &b->arguments[b->n_arguments++]);
    if (r == 0 && (words->random || words->seeks))
        r = bench_arguments(b->request, true, &b->arguments[b->n_arguments++]);
    return r;
}

/* Prints it. Returns 1 where a device is in it of which nothing counts, or a negative errno. */
static int show(const struct request *request, const struct report *report,
                const struct devices *devices)
{
    _cleanup_(bench_freep) struct bench *bench = NULL;
    int r = bench_new(report->model, devices->v, devices->n, &bench);

    if (r < 0)
        return r;
    if (request->bench.csv)
        output_csv_bench(bench, request->out);
    else if (request->json)
        output_json_bench(bench, request->json == JSON_PRETTY, request->out);
    else
        output_bench(bench, &request->style, request->bench.chart, request->out);
    for (size_t i = 0; i < bench->devices.n; i++)
        r |= !bench->devices.v[i].sweep.best;
    if (!bench->devices.n)
        say("nothing was measured here");
    return r || !bench->devices.n;
}

static int bench_machine(struct benching *b)
{
    const struct request *request = b->request;
    enum level level = request->bench.save ? LEVEL_ALL : LEVEL_MODES;
    _cleanup_(report_freep) struct report *after = NULL;
    struct devices devices = { 0 };
    int r = take_words(b), incomplete = 0;

    if (r < 0)
        return r == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
    if (request->bench.save && check_file(request->bench.save) < 0)
        return EXIT_FAILURE;
    r = load_store(request, level, &b->store);
    if (r >= 0)
        r = judge_store(request, b->store, &b->report);
    if (r == 0)
        r = resolve_words(request, b->report, &b->devices, NULL);
    if (r == 0)
        incomplete = r = measure(b);
    for (size_t i = 0; i < b->notes.n; i++)
        say("%s", b->notes.v[i]);
    if (r >= 0)
        r = judge_store(request, b->store, &after);
    if (r == 0)
        r = resolve_words(request, after, &devices, NULL);
    if (r == 0)
        r = show(request, after, &devices);
    free(devices.v);
    if (r >= 0 && request->bench.save && save_store(request, &b->store, request->bench.save) < 0)
        r = -EIO;
    return r || incomplete ? EXIT_FAILURE : EXIT_WELL;
}

static int bench_capture(const struct request *request)
{
    _cleanup_(report_freep) struct report *report = NULL;
    struct devices devices = { 0 };
    int r = load_report(request, LEVEL_ALL, NULL, &report);

    if (r == 0)
        r = resolve_words(request, report, &devices, NULL);
    if (r == 0)
        r = show(request, report, &devices);
    free(devices.v);
    return r ? EXIT_FAILURE : EXIT_WELL;
}

/* What says how to measure; names, and how it is shown, are for what was measured, too. */
static bool is_for_measuring(const struct request *request)
{
    const struct bench_words *b = &request->bench;

    return b->methods || b->blocks || b->depths || b->bytes || b->seconds || b->memory || b->save ||
           b->sweep || b->random || b->seeks || request->force;
}

int verb_bench(const struct request *request)
{
    struct benching b = { .request = request };
    int status;

    if (request->bench.csv && request->json) {
        say("--csv and --json exclude each other");
        return EXIT_USAGE;
    }
    if ((request->n_captures || request->sysfs_root) && is_for_measuring(request)) {
        say("one of these options is for measuring; with --capture or --sysfs-root nothing is measured");
        return EXIT_USAGE;
    }
    if (request->sysfs_root) {
        say("a copied tree cannot be measured");
        return EXIT_USAGE;
    }
    if (request->n_captures)
        return bench_capture(request);
    if (!request->n_words) {
        say("usage: hbactl bench NAME...");
        return EXIT_USAGE;
    }
    status = bench_machine(&b);
    notes_done(&b.notes);
    for (size_t i = 0; i < b.n_arguments; i++)
        bench_arguments_done(&b.arguments[i]);
    free(b.devices.v);
    report_free(b.report);
    store_free(b.store);
    return status;
}
