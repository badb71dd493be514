/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The page (html.h): its frame, and the order of its parts.
 */
#include "output/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/html_parts.h"
#include "output/page_css.h"

/* Nothing may be fetched or run, whatever is in the page. */
#define POLICY "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/* ---- places ---- */

static int compare_places(const void *a, const void *b)
{
    const struct html_place *x = a, *y = b;

    return strcmp(x->id, y->id);
}

static int add_places(struct page *p)
{
    const struct model *m = p->report->model;
    struct html_place *to;

    p->n_places = m->hosts.n + m->links.n + m->devices.n;
    p->places = to = calloc(p->n_places + 1, sizeof(*p->places));
    if (!to)
        return -ENOMEM;
    for (size_t i = 0; i < m->hosts.n; i++)
        *to++ = (struct html_place){ m->hosts.v[i]->id, m->hosts.v[i]->kernel_name, 'h', i };
    for (size_t i = 0; i < m->links.n; i++)
        *to++ = (struct html_place){ m->links.v[i]->id, m->links.v[i]->kernel_name, 'l', i };
    for (size_t i = 0; i < m->devices.n; i++)
        *to++ = (struct html_place){ m->devices.v[i]->id, m->devices.v[i]->hctl, 'd', i };
    qsort(p->places, p->n_places, sizeof(*p->places), compare_places);
    return 0;
}

const struct html_place *html_place(const struct page *p, const char *id)
{
    const struct html_place wanted = { .id = id };

    return bsearch(&wanted, p->places, p->n_places, sizeof(*p->places), compare_places);
}

void html_reference(const struct page *p, const char *id, const char *otherwise)
{
    const struct html_place *place = html_place(p, id);
    const char kind[2] = { place ? place->kind : '\0', '\0' };

    if (place)
        markup(p->out, "<a href=\"#%s%zu\">%s</a>", kind, place->number, place->name);
    else
        markup(p->out, "<code>%s</code>", otherwise);
}

size_t html_finding_number(const struct page *p, const struct finding *f)
{
    size_t i = 0;

    while (i < p->report->findings.n && p->report->findings.v[i] != f)
        i++;
    return i;
}

/* ---- how links are ---- */

static const struct {
    const char *name, *sign;
} BY_VERDICT[] = {
    [VERDICT_OK] = { "ok", "✓" },
    [VERDICT_BELOW] = { "below", "▼" },
    [VERDICT_CAPPED] = { "capped", "◆" },
    [VERDICT_UNKNOWN] = { "unknown", "?" },
    [VERDICT_NONE] = { "none", "–" },
}, BY_STATE[] = {
    [LINK_DOWN] = { "down", "✕" },
    [LINK_EMPTY] = { "empty", "○" },
    [LINK_DISABLED] = { "disabled", "‖" },
    [LINK_UNKNOWN] = { NULL, NULL },
};

const char *html_class(const struct link *l)
{
    const char *name = BY_STATE[l->state].name;

    return name ? name : BY_VERDICT[l->verdict].name;
}

const char *html_sign(const struct link *l)
{
    const char *sign = BY_STATE[l->state].sign;

    return sign ? sign : BY_VERDICT[l->verdict].sign;
}

void html_verdict(const struct page *p, const struct link *l)
{
    enum colour colour;

    markup(p->out, "<b class=\"v %s\"><span aria-hidden=\"true\">%s</span> %s</b>", html_class(l),
           html_sign(l), words_verdict(l, &colour));
}

const struct finding *html_alarm(const struct page *p, const struct link *l)
{
    return l->verdict == VERDICT_BELOW || l->state == LINK_DOWN ? NULL : tree_worst(&p->tree, l);
}

/* ---- what may be folded ---- */

void html_fold_begin(const struct page *p, size_t n, bool is_open)
{
    fprintf(p->out, "<details%s%s><summary>", n > HTML_ROWS_PRINTED ? "" : " class=\"paper\"",
            is_open && n <= HTML_ROWS_OPEN ? " open=\"open\"" : "");
}

void html_fold_body(const struct page *p)
{
    fputs("</summary>\n<div class=\"wide\">\n", p->out);
}

void html_fold_end(const struct page *p)
{
    fputs("</div></details>\n", p->out);
}

/* ---- all of it ---- */

static void begin(const struct page *p)
{
    const struct report *r = p->report;

    markup(p->out,
           "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
           "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
           "<meta name=\"generator\" content=\"%s\"/>\n<title>Storage links%s%s</title>\n",
           POLICY, HTML_MADE_BY, r->hostname ? " of " : "", r->hostname);
    fprintf(p->out, "<style>\n%s</style>\n</head>\n<body>\n", PAGE_CSS);
}

static void most(struct page *p)
{
    const struct model *m = p->report->model;

    p->most_kb_per_s = 1;
    for (size_t i = 0; i < m->links.n; i++) {
        const struct link *l = m->links.v[i];
        const struct mode *const modes[] = { &l->actual, &l->expected };

        for (size_t k = 0; k < ELEMENTS(modes); k++)
            if (modes[k]->known && rate_kb_per_s(modes[k]->rate) > p->most_kb_per_s)
                p->most_kb_per_s = rate_kb_per_s(modes[k]->rate);
    }
}

int output_html(const struct html_page *asked, FILE *out)
{
    static int (*const PARTS[])(struct page *) = {
        html_overview, html_findings, html_map,    html_trends,   html_arguments,
        html_devices,  html_bench,    html_unseen, html_versions,
    };
    struct page p = { .asked = asked, .report = asked->report, .out = out };
    int r = add_places(&p);

    if (r == 0)
        r = tree_init(p.report, &p.tree);
    most(&p);
    begin(&p);
    for (size_t i = 0; r == 0 && i < ELEMENTS(PARTS); i++)
        r = PARTS[i](&p);
    fputs("</main>\n</body>\n</html>\n", out);
    tree_done(&p.tree);
    free(p.places);
    free(p.argument);
    html_arguments_free(p.arguments);
    return r;
}
