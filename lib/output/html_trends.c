/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How links were before: a picture and its numbers for each of those of which there is something to see, first those of which
 * something is found.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/html_plot.h"
#include "output/looks.h"

enum { TRENDS_MAX = 60 };

/* Where the past comes from. */
struct past_source {
    struct history *fitting, *all; /* captures: those that can be its past; with what is judged */
};

static const struct history_answer *remembered(const struct page *p, const char *id)
{
    for (size_t i = 0; i < p->asked->n_answers; i++)
        if (strcmp(p->asked->answers[i].id, id) == 0)
            return &p->asked->answers[i].answer;
    return NULL;
}

/* Adds what is remembered of an object. */
static int merge(struct history_answer *to, const struct history_answer *from)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < from->changes.n; i++)
        if (text_same(from->changes.v[i].kind, "link"))
            r = vec_push(&to->changes, from->changes.v[i]);
    for (size_t i = 0; r == 0 && i < from->growths.n; i++)
        r = vec_push(&to->growths, from->growths.v[i]);
    for (size_t i = 0; r == 0 && i < from->probes.n; i++)
        r = vec_push(&to->probes, from->probes.v[i]);
    for (size_t i = 0; r == 0 && i < from->findings.n; i++)
        r = vec_push(&to->findings, from->findings.v[i]);
    return r;
}

/* What is remembered of a link and its devices; looks_done() in either case. */
static int answer_of(const struct page *p, const struct past_source *s, const struct link *l,
                     struct history_answer *ret)
{
    size_t n;
    const struct device *const *devices = tree_devices_on(&p->tree, l, &n);
    _cleanup_free_ const char **ids = calloc(n + 1, sizeof(*ids));
    const struct history_answer *own = s->all ? NULL : remembered(p, l->id);
    int r;

    *ret = (struct history_answer){ 0 };
    if (!ids)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        ids[i] = devices[i]->id;
    if (s->all)
        return looks_answer(s->all, l->id, ids, n, ret);
    r = own ? merge(ret, own) : 0;
    for (size_t i = 0; r == 0 && own && i < n; i++) {
        const struct history_answer *of_device = remembered(p, ids[i]);

        r = of_device ? merge(ret, of_device) : 0;
    }
    return r;
}

/* How much there is to see; 0: nothing. */
static unsigned interest(const struct page *p, const struct link *l, const struct history_answer *a)
{
    bool has_grown = false, is_found = tree_worst(&p->tree, l);

    for (size_t i = 0; i < a->growths.n; i++)
        has_grown |= a->growths.v[i].grown > 0;
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
static uint64_t first_time(const struct history_answer *a, uint64_t since_us, uint64_t to_us)
{
    uint64_t from = to_us;

    if (a->changes.n && a->changes.v[0].since_us < from)
        from = a->changes.v[0].since_us;
    if (a->growths.n && a->growths.v[0].from_us < from)
        from = a->growths.v[0].from_us;
    if (a->probes.n && a->probes.v[0].at_us < from)
        from = a->probes.v[0].at_us;
    return from > since_us ? from : since_us;
}

static int show(struct page *p, const struct past_source *s, const struct link *l)
{
    struct html_trend t = { .link = l, .to_us = p->report->wall_us };
    const struct finding *alarm = html_alarm(p, l);
    struct history_answer answer;
    int r = answer_of(p, s, l, &answer);

    if (r == 0) {
        t.answer = &answer;
        t.from_us = first_time(&answer, p->asked->since_us, t.to_us);
        t.to_us = t.to_us > t.from_us ? t.to_us : t.from_us + 1;
        fputs("<article class=\"why\">\n<h3>", p->out);
        html_verdict(p, l);
        if (alarm)
            markup(p->out, ", <b class=\"v below\">" HTML_ALARM " %s:</b>", alarm->entry->code);
        fputs(" ", p->out);
        html_reference(p, l->id, l->kernel_name);
        markup(p->out, "%s%s</h3>\n", l->far ? ", to " : "",
               l->far ? words_end(p->report, l->far) : "");
        r = html_plot(p, &t);
    }
    if (r == 0) {
        html_fold_begin(p, 1, false);
        fputs("The numbers", p->out);
        html_fold_body(p);
        r = output_html_history(&answer, p->out) < 0 ? -ENOMEM : 0;
        html_fold_end(p);
        fputs("</article>\n", p->out);
    }
    looks_done(&answer);
    return r;
}

/* Has one of its counters begun anew, so that it is not known how much it grew? */
static bool began_anew(const struct history_answer *a)
{
    for (size_t i = 0; i < a->growths.n; i++)
        if (a->growths.v[i].is_unknown && a->growths.v[i].at_us > a->growths.v[i].from_us)
            return true;
    return false;
}

/* Finds the links of which there is something to see. */
static int find_candidates(const struct page *p, const struct past_source *s, struct candidate *v,
                           size_t *ret_n, size_t *ret_anew)
{
    const struct model *m = p->report->model;
    int r = 0;

    for (size_t i = 0; r == 0 && i < m->links.n; i++) {
        struct history_answer answer;

        r = answer_of(p, s, m->links.v[i], &answer);
        if (r == 0) {
            v[*ret_n] = (struct candidate){ m->links.v[i], interest(p, m->links.v[i], &answer) };
            *ret_n += v[*ret_n].interest > 0;
            *ret_anew += began_anew(&answer);
        }
        looks_done(&answer);
    }
    return r;
}

static int show_all(struct page *p, const struct past_source *s)
{
    _cleanup_free_ struct candidate *v = calloc(p->report->model->links.n + 1, sizeof(*v));
    size_t n = 0, anew = 0;
    int r = v ? find_candidates(p, s, v, &n, &anew) : -ENOMEM;

    if (r < 0)
        return r;
    qsort(v, n, sizeof(*v), compare_candidates);
    if (n)
        fputs(
            "<p>Shaded: slower than at its best, not up, or more than info was found. Within dashes: not known.</p>\n",
            p->out);
    else
        fputs(
            "<p>No change is seen, no counter is seen to grow, and nothing was probed twice.</p>\n",
            p->out);
    if (anew)
        markup(
            p->out,
            "<p>Counters of %zu link%s began anew in between: how much they grew then is not known.</p>\n",
            anew, anew == 1 ? "" : "s");
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

/* What a memory was asked for. */
static int show_answers(struct page *p)
{
    const struct model *m = p->report->model;
    size_t asked = 0;

    for (size_t i = 0; i < p->asked->n_answers; i++) {
        const struct html_place *place = html_place(p, p->asked->answers[i].id);

        asked += place && place->kind == 'l';
    }
    if (asked < m->links.n)
        markup(
            p->out,
            "<p>This is about %zu of %zu links: those of which something is found come first.</p>\n",
            asked, m->links.n);
    return show_all(p, &(struct past_source){ 0 });
}

int html_trends(struct page *p)
{
    int e = 0;

    fputs("<section aria-labelledby=\"trends\">\n<h2 id=\"trends\">Trends</h2>\n", p->out);
    if (p->asked->failed)
        markup(p->out, "<p>Not all of how it was before is known: %s.</p>\n", p->asked->failed);
    if (p->asked->past)
        e = show_captures(p);
    else if (p->asked->n_answers)
        e = show_answers(p);
    else
        fputs("<p>How it was before is not known: no earlier capture was given.</p>\n", p->out);
    fputs("</section>\n", p->out);
    return e;
}

/* Adds the link and its devices, the first few of them. Returns how many there are now. */
static size_t want(const struct tree *t, const struct link *l, const char **ret, size_t n,
                   size_t most)
{
    enum { DEVICES_MAX = 2 };
    size_t devices;
    const struct device *const *d = tree_devices_on(t, l, &devices);

    if (n < most)
        ret[n++] = l->id;
    for (size_t i = 0; i < devices && i < DEVICES_MAX && n < most; i++)
        ret[n++] = d[i]->id;
    return n;
}

size_t html_wanted(const struct report *r, const char **ret, size_t most)
{
    struct tree tree;
    size_t n = 0;
    int e = tree_init(r, &tree);

    /* First those of which something is found, then those that are not as they should be, then the others. */
    for (int turn = 0; e == 0 && turn < 3; turn++)
        for (size_t i = 0; i < r->model->links.n && n < most; i++) {
            const struct link *l = r->model->links.v[i];

            if (turn == (tree_worst(&tree, l) ? 0 : words_is_odd(l) ? 1 : 2))
                n = want(&tree, l, ret, n, most);
        }
    tree_done(&tree);
    return n;
}
