/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How links were before: a picture and its numbers for each of those of which there is something to see, first those of which
 * something is found.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/bench.h"
#include "output/html_plot.h"
#include "output/looks.h"

enum { TRENDS_MAX = 60 };

/* Where the past comes from. */
struct past_source {
    struct history *fitting, *all; /* captures: those that can be its past; with what is judged */
};

/* What is remembered of a link and its devices. looks_done() in either case. */
static int answer_of(const struct page *p, const struct past_source *s, const struct link *l,
                     struct history_answer *ret)
{
    size_t n;
    const struct device *const *devices = html_devices_on(p, l, &n);
    _cleanup_free_ const char **ids = calloc(n + 1, sizeof(*ids));

    *ret = (struct history_answer){ 0 };
    if (!ids)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        ids[i] = devices[i]->id;
    return looks_answer(s->all, l->id, ids, n, ret);
}

/* How much there is to see; 0: nothing. */
static unsigned interest(const struct link *l, const struct history_answer *a)
{
    bool has_grown = false, is_found = false;

    for (size_t i = 0; i < a->growths.n; i++)
        has_grown |= a->growths.v[i].grown > 0;
    for (size_t i = 0; i < l->findings.n; i++)
        is_found |= l->findings.v[i]->severity > SEVERITY_INFO;
    if (a->changes.n < 2 && !has_grown && a->probes.n < 2)
        return 0;
    return 1 + 4 * is_found + 2 * (a->changes.n > 1) + has_grown;
}

struct candidate {
    const struct link *link;
    unsigned interest;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->interest != y->interest)
        return x->interest > y->interest ? -1 : 1;
    return (x->link->index > y->link->index) - (x->link->index < y->link->index);
}

/* From the first to the last time of which something is known. */
static uint64_t first_time(const struct history_answer *a, uint64_t to_us)
{
    uint64_t from = to_us;

    if (a->changes.n && a->changes.v[0].since_us < from)
        from = a->changes.v[0].since_us;
    if (a->growths.n && a->growths.v[0].from_us < from)
        from = a->growths.v[0].from_us;
    if (a->probes.n && a->probes.v[0].at_us < from)
        from = a->probes.v[0].at_us;
    return from;
}

static int show(struct page *p, const struct past_source *s, const struct link *l)
{
    struct html_trend t = { .link = l, .to_us = p->report->wall_us };
    struct history_answer answer;
    int r = answer_of(p, s, l, &answer);

    if (r == 0) {
        t.answer = &answer;
        t.from_us = first_time(&answer, t.to_us);
        t.to_us = t.to_us > t.from_us ? t.to_us : t.from_us + 1;
        fputs("<article class=\"why\">\n<h3>", p->out);
        html_verdict(p, l);
        fputs(" ", p->out);
        html_reference(p, l->id, l->kernel_name);
        markup(p->out, "%s%s</h3>\n", l->far ? ", to " : "",
               l->far ? words_end(p->report, l->far) : "");
        r = html_plot(p, &t);
    }
    if (r == 0) {
        html_fold_begin(p, HTML_ROWS_OPEN + 1);
        fputs("The numbers", p->out);
        html_fold_body(p);
        r = output_html_history(&answer, p->out) < 0 ? -ENOMEM : 0;
        html_fold_end(p);
        fputs("</article>\n", p->out);
    }
    looks_done(&answer);
    return r;
}

static int show_all(struct page *p, const struct past_source *s)
{
    const struct model *m = p->report->model;
    _cleanup_free_ struct candidate *v = calloc(m->links.n + 1, sizeof(*v));
    size_t n = 0;
    int r = v ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < m->links.n; i++) {
        struct history_answer answer;

        r = answer_of(p, s, m->links.v[i], &answer);
        if (r == 0)
            v[n] = (struct candidate){ m->links.v[i], interest(m->links.v[i], &answer) };
        n += v[n].interest > 0;
        looks_done(&answer);
    }
    if (r < 0)
        return r;
    qsort(v, n, sizeof(*v), compare_candidates);
    fputs("<p>Shaded: slower than at its best, or not up. Hatched: not known.</p>\n", p->out);
    if (!n)
        fputs("<p>Nothing has changed, no counter has grown, and nothing was probed twice.</p>\n",
              p->out);
    for (size_t i = 0; r == 0 && i < n && i < TRENDS_MAX; i++)
        r = show(p, s, v[i].link);
    if (n > TRENDS_MAX)
        markup(p->out, "<p>And %zu more, of which less is to be seen.</p>\n", n - TRENDS_MAX);
    return r;
}

static int show_captures(struct page *p)
{
    const struct report *r = p->report;
    struct past_source s = { 0 };
    int e = history_of(p->asked->past, r->model, r->wall_us, &s.fitting);

    if (e == 0)
        e = history_with(s.fitting, r->model, r->wall_us, r->mono_us, &s.all);
    if (e == 0)
        e = show_all(p, &s);
    history_free(s.all);
    history_free(s.fitting);
    return e;
}

int html_trends(struct page *p)
{
    int e = 0;

    fputs("<section aria-labelledby=\"trends\">\n<h2 id=\"trends\">Trends</h2>\n", p->out);
    if (p->asked->past)
        e = show_captures(p);
    else
        fputs("<p>How it was before is not known: no earlier capture was given.</p>\n", p->out);
    fputs("</section>\n", p->out);
    return e;
}

int html_bench(struct page *p)
{
    int r;

    if (!p->asked->bench || !p->asked->bench->devices.n)
        return 0;
    fputs("<section aria-labelledby=\"bench\">\n<h2 id=\"bench\">Timed reads</h2>\n"
          "<div class=\"wide bench\">\n",
          p->out);
    r = output_html_bench(p->asked->bench, p->out);
    fputs("</div></section>\n", p->out);
    return r;
}
