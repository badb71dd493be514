/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl report --html: the report as a page, by the daemon, which remembers how it was, or made here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/ask.h"
#include "output/html.h"

enum { DAYS_SHOWN = 30 }; /* of what the daemon remembers, unless --since says otherwise */

struct page {
    const struct request *request;
    uint64_t since; /* seconds since 1970; 0: nothing was said */
    char *text;
    size_t size;
};

/* ---- made here ---- */

static int print_here(const struct page *p, FILE *out)
{
    _cleanup_(report_freep) struct report *report = NULL;
    _cleanup_(history_freep) struct history *past = NULL;
    _cleanup_(bench_freep) struct bench *bench = NULL;
    struct html_page page = { .since_us = p->since * 1000000 };
    int r = load_report_and_past(p->request, &report, &past);

    if (r < 0)
        return r;
    r = bench_new(report->model, NULL, 0, &bench);
    page.report = report;
    page.past = past;
    page.bench = bench;
    if (r == 0)
        r = output_html(&page, out);
    if (r < 0)
        say("out of memory");
    return r;
}

/* ---- by the daemon ---- */

/* Prints what the daemon answers. Returns 1 where it has, 0 where it cannot, and that is no matter; else a negative errno. */
static int print_answer(const struct page *p, struct client *client, FILE *out)
{
    static const char *const NAMES[] = { "page" };
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    uint64_t since = p->since ? p->since : (uint64_t)time(NULL) - DAYS_SHOWN * UINT64_C(86400);
    struct varlink_reply reply = { 0 };
    struct bytes pieces = { 0 };
    char arguments[48];
    int r;

    if (!arena)
        return -ENOMEM;
    snprintf(arguments, sizeof(arguments), "{\"since\":%llu}", (unsigned long long)since);
    r = client_call(client, "io.hbad.monitor.GetPage", arguments, false);
    if (r == 0)
        r = client_reply(client, ask_patience_us(p->request), arena, &reply);
    if (r == 0 && reply.error && !p->request->daemon)
        return 0;
    if (r == 0 && reply.error) {
        ask_say_error(&reply);
        return -EREMOTEIO;
    }
    if (r == 0)
        r = varlink_members(reply.parameters, NAMES, 1, &pieces);
    if (r == 0)
        r = pieces.len ? varlink_print_text(pieces, out) : -EBADMSG;
    return r < 0 ? r : 1;
}

static int print_of_daemon(const struct page *p, FILE *out)
{
    const struct request *request = p->request;
    _cleanup_(client_freep) struct client *client = NULL;
    int r = ask_try_connect(request, &client);

    if (r <= 0)
        return r;
    r = print_answer(p, client, out);
    return r >= 0 || r == -EREMOTEIO ? r : ask_gave_up(request, r);
}

/* ---- both ---- */

/* Has it printed into memory. */
static int take(struct page *p, int (*print)(const struct page *p, FILE *out))
{
    FILE *out;
    int r;

    free(p->text);
    p->text = NULL;
    out = open_memstream(&p->text, &p->size);
    if (!out) {
        say("out of memory");
        return -ENOMEM;
    }
    r = print(p, out);
    return fclose(out) == 0 ? r : -ENOMEM;
}

static int write_page(const void *userdata, FILE *out)
{
    const struct page *p = userdata;

    return fwrite(p->text, 1, p->size, out) == p->size ? 0 : -errno;
}

int page_report(const struct request *request)
{
    bool is_file = strcmp(request->html, "-") != 0;
    struct page p = { .request = request };
    int r;

    if (request->past.since && parse_when("--since", request->past.since, false, &p.since) < 0)
        return EXIT_USAGE;
    if (is_file && check_file(request->html) < 0)
        return EXIT_FAILURE;
    r = take(&p, print_of_daemon);
    if (r == 0)
        r = take(&p, print_here);
    if (r >= 0)
        r = is_file ? write_file(request->html, write_page, &p) : write_page(&p, request->out);
    free(p.text);
    return r < 0 ? EXIT_FAILURE : EXIT_WELL;
}
