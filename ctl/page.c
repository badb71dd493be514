/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl report --html: the report as a page, by the daemon, or made here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask.h"
#include "output/html.h"

/* Writes the page of what is looked at here. Returns 0 or a negative errno, which was said. */
static int make_page(const struct request *request, FILE *out)
{
    _cleanup_(report_freep) struct report *report = NULL;
    _cleanup_(history_freep) struct history *past = NULL;
    _cleanup_(bench_freep) struct bench *bench = NULL;
    struct html_page page = { 0 };
    int r = load_report_and_past(request, &report, &past);

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

struct text {
    char *v;
    size_t n;
};

static int write_text(const void *userdata, FILE *out)
{
    const struct text *text = userdata;

    return fwrite(text->v, 1, text->n, out) == text->n ? 0 : -errno;
}

int page_report(const struct request *request)
{
    _cleanup_(outcome_done) struct outcome outcome = { 0 };
    bool is_file = strcmp(request->html, "-") != 0;
    struct request asked = *request;
    struct text text = { 0 };
    int r;

    if (is_file && check_file(request->html) < 0)
        return EXIT_FAILURE;
    asked.out = open_memstream(&text.v, &text.n);
    if (!asked.out) {
        say("out of memory");
        return EXIT_FAILURE;
    }
    r = ask_daemon(&asked, "page", NULL, NULL, &outcome);
    if (r == 0)
        r = make_page(request, asked.out);
    if (fclose(asked.out) != 0)
        r = -ENOMEM;
    if (r >= 0)
        r = is_file ? write_file(request->html, write_text, &text)
                    : write_text(&text, request->out);
    free(text.v);
    return r < 0 ? EXIT_FAILURE : EXIT_WELL;
}
