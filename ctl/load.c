/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where reports come from: captures, a copied tree, or this machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/ctl.h"
#include "diagnose/ledger.h"
#include "live/live.h"
#include "source/capture.h"
#include "source/record.h"
#include "source/replay.h"

static int64_t refill(void *userdata, uint8_t *buffer, size_t size)
{
    const int *fd = userdata;
    ssize_t n;

    do
        n = read(*fd, buffer, size);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

#define BREAKS_OFF "%s: the capture breaks off at byte %llu; what came before is used"

static int note_broken(struct notes *notes, const char *path, uint64_t offset)
{
    notes->unexamined++;
    return note(notes, BREAKS_OFF, path, (unsigned long long)offset);
}

/* Reads a capture file into a store; "-" is standard input. One that breaks off is said in the notes (NULL: on
 * standard error), and counts as an adapter that could not be read whole. */
static int load_capture(const char *path, struct store *store, struct notes *notes)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_(json_reader_freep) struct json_reader *reader = NULL;
    _cleanup_close_ int opened = -1;
    struct capture_reading reading = { 0 };
    int fd = STDIN_FILENO, r;

    if (strcmp(path, "-") != 0) {
        opened = open(path, O_RDONLY | O_CLOEXEC);
        fd = opened;
    }
    if (fd < 0) {
        r = -errno;
        say("%s: %s", path, strerror(errno));
        return r;
    }
    reader = json_reader_new(refill, &fd);
    if (!arena || !reader)
        return -ENOMEM;
    r = capture_read(reader, store, arena, &reading);
    if (r == -EBADMSG)
        say("%s: %s: %s (near byte %llu)", path, reading.where, reading.why,
            (unsigned long long)reading.offset);
    else if (r < 0)
        say("%s: %s", path, strerror(-r));
    else if (reading.stopped && notes)
        r = note_broken(notes, path, reading.offset);
    else if (reading.stopped)
        say(BREAKS_OFF, path, (unsigned long long)reading.offset);
    else if (reading.followed)
        say("%s: what follows the capture's end at byte %llu is not used", path,
            (unsigned long long)reading.offset);
    return r;
}

/* The history of the earlier captures. */
static int load_history(const struct request *request, struct history **ret)
{
    _cleanup_(history_freep) struct history *history = history_new();
    int r = history ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i + 1 < request->n_captures; i++) {
        _cleanup_(store_freep) struct store *store = store_new();
        _cleanup_(source_closep) struct source *source = NULL;

        r = store ? load_capture(request->captures[i], store, NULL) : -ENOMEM;
        source = r == 0 ? replay_new(store) : NULL;
        if (r == 0)
            r = source ? diagnose_remember(source, request->captures[i], history) : -ENOMEM;
    }
    if (r == 0)
        *ret = TAKE_PTR(history);
    return r;
}

/* Puts the notes into the report; frees it where there is no memory. */
static int add_notes(struct report *report, const struct notes *notes)
{
    int r = 0;

    report->unexamined = notes->unexamined;
    for (size_t i = 0; r == 0 && i < notes->n; i++) {
        char *text = arena_strdup(report->model->arena, notes->v[i]);

        r = text ? vec_push(&report->notes, text) : -ENOMEM;
    }
    if (r < 0)
        report_free(report);
    return r;
}

static int diagnose_store(const struct store *store, const struct diagnose_options *options,
                          const struct notes *notes, struct report **ret)
{
    _cleanup_(source_closep) struct source *source = replay_new(store);
    struct report *report;
    int r = source ? diagnose(source, options, &report) : -ENOMEM;

    if (r < 0)
        return r;
    r = ledger_take(store, report);
    if (r < 0)
        report_free(report);
    else
        r = add_notes(report, notes);
    if (r == 0)
        *ret = report;
    return r;
}

int judge_store(const struct request *request, const struct store *store, struct report **ret)
{
    _cleanup_(config_done) struct config config = { 0 };
    struct diagnose_options options = { .level = LEVEL_ALL, .config = &config };
    struct notes none = { 0 };
    int r = load_config(request, &config);

    if (r == 0)
        r = diagnose_store(store, &options, &none, ret);
    if (r == -ENOMEM)
        say("out of memory");
    return r;
}

/* Of what the earlier captures say, what was used of it goes into *ret_past (which may be NULL). */
static int report_of_captures(const struct request *request, struct diagnose_options options,
                              struct report **ret, struct history **ret_past)
{
    _cleanup_(store_freep) struct store *store = store_new();
    _cleanup_(history_freep) struct history *history = NULL;
    _cleanup_(notes_done) struct notes notes = { 0 };
    int r = load_history(request, &history);

    if (r == 0)
        r = store ? load_capture(request->captures[request->n_captures - 1], store, &notes)
                  : -ENOMEM;
    if (!notes.unexamined)
        options.history = history;
    else if (r == 0 && request->n_captures > 1)
        r = note(&notes, "what is missing may be behind that: the earlier captures are not used");
    if (r == 0)
        r = diagnose_store(store, &options, &notes, ret);
    if (r == 0 && ret_past && options.history && request->n_captures > 1)
        *ret_past = TAKE_PTR(history);
    return r;
}

/* The source over a copied tree, which must have a sys in it. Says what is wrong; NULL with errno then. */
static struct source *open_tree(const char *root)
{
    struct live_options options = { .root = root };
    _cleanup_free_ char *sys = NULL;
    struct source *live = NULL;
    struct stat st;
    int e;

    if (asprintf(&sys, "%s/sys", root) < 0) {
        sys = NULL;
        errno = ENOMEM;
    } else if (stat(sys, &st) == 0) {
        errno = ENOTDIR;
        live = S_ISDIR(st.st_mode) ? live_new(&options) : NULL;
    }
    e = errno;
    if (!live)
        say("%s: %s", sys ? sys : root, strerror(e));
    errno = e;
    return live;
}

/* What cannot be listed is no machine without adapters. */
static int check_adapters(struct source *live, struct notes *notes)
{
    struct adapters adapters = { 0 };
    int r = gather_adapters(live, &adapters);

    if (r == 0 && adapters.error) {
        notes->unexamined++;
        r = note(notes, "the SCSI hosts cannot be listed: %s", strerror(adapters.error));
    }
    adapters_done(&adapters);
    return r;
}

static int report_of_tree(const struct request *request, const struct diagnose_options *options,
                          struct report **ret)
{
    _cleanup_(source_closep) struct source *live = open_tree(request->sysfs_root);
    _cleanup_(notes_done) struct notes notes = { 0 };
    int r;

    if (!live)
        return -errno;
    r = check_adapters(live, &notes);
    if (r == 0)
        r = diagnose(live, options, ret);
    return r < 0 ? r : add_notes(*ret, &notes);
}

static int report_of_machine(const struct request *request, const struct diagnose_options *options,
                             const char *named, struct report **ret)
{
    _cleanup_(store_freep) struct store *store = store_new();
    _cleanup_(notes_done) struct notes notes = { 0 };
    int r = store ? collect_machine(store, options->level, request->config, named, request->force,
                                    request->patience_s, &notes)
                  : -ENOMEM;

    return r < 0 ? r : diagnose_store(store, options, &notes, ret);
}

static int load(const struct request *request, enum level level, const char *named,
                struct report **ret, struct history **ret_past)
{
    _cleanup_(config_done) struct config config = { 0 };
    struct diagnose_options options = { .level = level, .config = &config };
    int r = load_config(request, &config);

    if (r == 0 && request->n_captures)
        r = report_of_captures(request, options, ret, ret_past);
    else if (r == 0 && request->sysfs_root)
        r = report_of_tree(request, &options, ret);
    else if (r == 0)
        r = report_of_machine(request, &options, named, ret);
    if (r == -ENOMEM)
        say("out of memory");
    return r;
}

int load_report(const struct request *request, enum level level, const char *named,
                struct report **ret)
{
    return load(request, level, named, ret, NULL);
}

int load_report_and_past(const struct request *request, struct report **ret,
                         struct history **ret_past)
{
    *ret_past = NULL;
    return load(request, LEVEL_ALL, NULL, ret, ret_past);
}

/* Walks a copied tree through a recorder. */
static int record_tree(const struct request *request, enum level level, struct store *store,
                       struct notes *notes)
{
    struct gather_options gather_options = { .level = level };
    _cleanup_(source_closep) struct source *live = open_tree(request->sysfs_root);
    _cleanup_(source_closep) struct source *record = NULL;
    _cleanup_(fact_set_freep) struct fact_set *facts = NULL;
    struct taken taken;
    int r;

    if (!live)
        return -errno;
    record = record_new(live, store);
    if (!record)
        return -ENOMEM;
    r = check_adapters(live, notes);
    if (r == 0)
        r = source_now(record, &taken);
    return r < 0 ? r : gather(record, &gather_options, &facts);
}

int load_store(const struct request *request, enum level level, struct store **ret)
{
    _cleanup_(store_freep) struct store *store = store_new();
    _cleanup_(notes_done) struct notes notes = { 0 };
    int r = store ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < request->n_captures; i++)
        r = load_capture(request->captures[i], store, &notes);
    if (r == 0 && !request->n_captures)
        r = request->sysfs_root ? record_tree(request, level, store, &notes)
                                : collect_machine(store, level, request->config, NULL,
                                                  request->force, request->patience_s, &notes);
    for (size_t i = 0; i < notes.n; i++)
        say("%s", notes.v[i]);
    if (r == 0)
        *ret = TAKE_PTR(store);
    return r < 0 || !notes.unexamined ? r : 1;
}
