/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The verbs of hbactl.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "ctl/ctl.h"
#include "source/capture.h"
#include "source/scrub.h"
#include "source/siphash.h"

/* The plugins' exit status for what a report says. */
static int status_of(const struct request *request, const struct report *report)
{
    const struct summary *s = &report->summary;

    if (s->worst == SEVERITY_CRITICAL)
        return EXIT_CRITICAL;
    if (s->worst == SEVERITY_WARNING)
        return EXIT_WARNING;
    if (s->links && s->verdicts[VERDICT_UNKNOWN] == s->links)
        return EXIT_UNSEEN;
    return request->strict && (s->verdicts[VERDICT_UNKNOWN] || s->worst == SEVERITY_INFO)
               ? EXIT_UNSEEN
               : EXIT_WELL;
}

static int flushed(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "hbactl: standard output: %s\n", strerror(errno));
    return EXIT_WARNING;
}

int verb_status(const struct request *request)
{
    _cleanup_(report_freep) struct report *report = NULL;

    if (load_report(request, LEVEL_ALL, NULL, &report) < 0)
        return EXIT_UNSEEN;
    if (request->json)
        output_json(report, request->json == JSON_PRETTY, stdout);
    else
        output_status(report, &request->style, stdout);
    return flushed(status_of(request, report));
}

int verb_report(const struct request *request)
{
    _cleanup_(report_freep) struct report *report = NULL;

    if (load_report(request, LEVEL_ALL, NULL, &report) < 0)
        return EXIT_FAILURE;
    if (request->json)
        output_json(report, request->json == JSON_PRETTY, stdout);
    else
        output_status(report, &request->style, stdout);
    return flushed(EXIT_WELL);
}

/* What can be listed, and how much must be known for it. */
static const struct {
    const char *word;
    enum level level;
    void (*print)(const struct report *, const struct text_style *, FILE *);
    void (*json)(const struct report *, bool, FILE *);
} LISTS[] = {
    { "hosts", LEVEL_MODES, output_hosts, output_json_hosts },
    { "links", LEVEL_MODES, output_links, output_json_links },
    { "devices", LEVEL_IDENTITY, output_devices, output_json_devices },
    { "findings", LEVEL_ALL, output_findings, output_json_findings },
};

int verb_list(const struct request *request)
{
    _cleanup_(report_freep) struct report *report = NULL;
    size_t i = 0;

    while (i < ELEMENTS(LISTS) && strcmp(LISTS[i].word, request->words[0]) != 0)
        i++;
    if (i == ELEMENTS(LISTS)) {
        fprintf(stderr, "hbactl: there is no list of %s: hosts, links, devices or findings\n",
                request->words[0]);
        return EXIT_USAGE;
    }
    if (load_report(request, request->json ? LEVEL_ALL : LISTS[i].level, NULL, &report) < 0)
        return EXIT_FAILURE;
    if (request->json)
        LISTS[i].json(report, request->json == JSON_PRETTY, stdout);
    else
        LISTS[i].print(report, &request->style, stdout);
    return flushed(EXIT_WELL);
}

static void show(const struct request *request, const struct report *report, const struct object *o)
{
    if (request->json)
        output_json_object(o->host, o->link, o->device, request->json == JSON_PRETTY, stdout);
    else if (o->host)
        output_host(report, o->host, &request->style, stdout);
    else if (o->link)
        output_link(report, o->link, &request->style, stdout);
    else
        output_device(report, o->device, &request->style, stdout);
}

static void explain(const struct request *request, const struct report *report,
                    const struct object *o)
{
    if (request->json)
        show(request, report, o);
    else if (o->host)
        output_explain_host(report, o->host, &request->style, stdout);
    else if (o->link)
        output_explain_link(report, o->link, &request->style, stdout);
    else
        output_explain_device(report, o->device, &request->style, stdout);
}

/* Prints each object that the first word names. */
static int for_each_named(const struct request *request,
                          void (*print)(const struct request *, const struct report *,
                                        const struct object *))
{
    enum { SHOWN_MAX = 16 };
    _cleanup_(report_freep) struct report *report = NULL;
    bool live = !request->n_captures && !request->sysfs_root;
    struct object objects[SHOWN_MAX];
    char hctl[64];
    size_t n;

    if (load_report(request, LEVEL_ALL,
                    live ? resolve_live_hctl(request->words[0], hctl, sizeof(hctl)) : NULL,
                    &report) < 0)
        return EXIT_FAILURE;
    n = resolve_name(report, request->words[0], objects, SHOWN_MAX);
    for (size_t i = 0; i < n && i < SHOWN_MAX; i++) {
        if (i && !request->json)
            putchar('\n');
        print(request, report, &objects[i]);
    }
    if (n == 0)
        fprintf(
            stderr,
            "hbactl: nothing here is called %s; hbactl list hosts, links and devices show the names\n",
            request->words[0]);
    else if (n > SHOWN_MAX)
        fprintf(stderr, "hbactl: %zu objects are called %s; %d are shown\n", n, request->words[0],
                SHOWN_MAX);
    return flushed(n ? EXIT_WELL : EXIT_FAILURE);
}

int verb_show(const struct request *request)
{
    return for_each_named(request, show);
}

int verb_explain(const struct request *request)
{
    const struct catalog_entry *entry = catalog_find(request->words[0]);

    if (!entry)
        return for_each_named(request, explain);
    if (request->json)
        output_json_code(entry, request->json == JSON_PRETTY, stdout);
    else
        output_code(entry, &request->style, stdout);
    return flushed(EXIT_WELL);
}

/* The first word and the second, or this machine, are compared; of two captures the first is the other's
 * past. */
int verb_compare(const struct request *request)
{
    _cleanup_(report_freep) struct report *before = NULL, *after = NULL;
    _cleanup_(comparison_freep) struct comparison *c = NULL;
    struct request first = *request, second = *request;

    if (request->n_captures) {
        fputs("hbactl: compare takes its captures as words, not with --capture\n", stderr);
        return EXIT_USAGE;
    }
    first.captures = request->words;
    first.n_captures = 1;
    first.sysfs_root = NULL;
    if (request->n_words > 1) {
        second.captures = request->words;
        second.n_captures = 2;
        second.sysfs_root = NULL;
    }
    if (load_report(&first, LEVEL_ALL, NULL, &before) < 0 ||
        load_report(&second, LEVEL_ALL, NULL, &after) < 0)
        return EXIT_TROUBLE;
    if (compare_reports(before, after, &c) < 0) {
        fputs("hbactl: out of memory\n", stderr);
        return EXIT_TROUBLE;
    }
    if (request->json)
        output_json_comparison(c, request->json == JSON_PRETTY, stdout);
    else
        output_comparison(c, &request->style, stdout);
    return flushed(c->changes.n ? EXIT_DIFFERENT : EXIT_WELL);
}

/* Writes to a file beside the wanted one and renames it: a full disk leaves no half capture. */
static int write_capture(const struct store *store, const char *path)
{
    _cleanup_free_ char *beside = NULL;
    FILE *out;
    int r;

    if (asprintf(&beside, "%s.%d.new", path, (int)getpid()) < 0)
        return -ENOMEM;
    out = fopen(beside, "wxe");
    if (!out) {
        r = -errno;
        fprintf(stderr, "hbactl: %s: %s\n", path, strerror(errno));
        return r;
    }
    r = capture_write(store, out);
    if (fflush(out) != 0 && r == 0)
        r = -errno;
    if (fclose(out) != 0 && r == 0)
        r = -errno;
    if (r == 0 && rename(beside, path) < 0)
        r = -errno;
    if (r < 0) {
        fprintf(stderr, "hbactl: %s: %s\n", path, strerror(-r));
        unlink(beside);
    }
    return r;
}

/* The key of this machine: captures that are scrubbed on it stay comparable. /etc/machine-id must not be
 * given away (machine-id(5)), so it is hashed with a text of our own. */
static struct scrub_key key_of_machine(void)
{
    static const char PURPOSE[2][24] = { "hbad capture, half one", "hbad capture, half two" };
    uint8_t id[SIPHASH_KEY_BYTES] = { 0 };
    struct scrub_key key;
    char text[33] = "";
    FILE *f = fopen("/etc/machine-id", "re");

    if (f) {
        if (fread(text, 1, 32, f) == 32)
            hex_decode(text, 32, id, sizeof(id));
        fclose(f);
    }
    for (size_t i = 0; i < 2; i++) {
        uint64_t half = siphash(id,
                                (struct bytes){ (const uint8_t *)PURPOSE[i], sizeof(PURPOSE[i]) });

        memcpy(key.bytes + 8 * i, &half, sizeof(half));
    }
    return key;
}

static int scrub(struct store **store)
{
    struct scrub_key key = key_of_machine();
    struct store *scrubbed = store_new();
    int r = scrubbed ? scrub_store(*store, scrubbed, &key) : -ENOMEM;

    if (r < 0) {
        fprintf(stderr, "hbactl: the capture cannot be scrubbed: %s\n", strerror(-r));
        store_free(scrubbed);
        return r;
    }
    store_free(*store);
    *store = scrubbed;
    return 0;
}

int verb_capture(const struct request *request)
{
    _cleanup_(store_freep) struct store *store = NULL;

    if (load_store(request, LEVEL_ALL, &store) < 0)
        return EXIT_FAILURE;
    if (!request->no_scrub && !store_taken(store)->scrubbed && scrub(&store) < 0)
        return EXIT_FAILURE;
    if (request->n_words && strcmp(request->words[0], "-") != 0)
        return write_capture(store, request->words[0]) < 0 ? EXIT_FAILURE : EXIT_WELL;
    if (capture_write(store, stdout) < 0)
        return flushed(EXIT_FAILURE);
    return flushed(EXIT_WELL);
}
