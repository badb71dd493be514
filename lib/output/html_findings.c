/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The findings of the page, those of a kind together: each with its evidence, and once for all of them what causes it and what
 * to do.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/argument.h"
#include "output/html_parts.h"

enum {
    NAMES_OPEN = 16, /* objects of one finding that are named without folding */
    KIND_OPEN = 8,   /* findings of one kind, the same */
};

/* What the finding is about. */
static void subjects(const struct page *p, const struct finding *f)
{
    bool folds = f->subjects.n > NAMES_OPEN;

    if (folds)
        markup(p->out, "<details><summary>about %zu objects</summary>\n", f->subjects.n);
    fputs(folds ? "<p class=\"names\">" : "<p class=\"names\">About ", p->out);
    for (size_t i = 0; i < f->subjects.n; i++) {
        fputs(i ? ", " : "", p->out);
        html_reference(p, f->subjects.v[i], f->subjects.v[i]);
    }
    fputs(folds ? ".</p></details>\n" : ".</p>\n", p->out);
}

static void evidence(const struct page *p, const struct finding *f)
{
    if (!f->evidence.n)
        return;
    fputs(
        "<div class=\"wide\"><table><thead><tr><th scope=\"col\">Evidence</th><th scope=\"col\">Value</th>"
        "<th scope=\"col\">Read from</th></tr></thead><tbody>\n",
        p->out);
    for (size_t i = 0; i < f->evidence.n; i++) {
        const struct evidence *e = &f->evidence.v[i];

        markup(p->out, "<tr><th scope=\"row\">%s</th><td>%s</td><td><code>%s</code></td></tr>\n",
               e->what, e->value, e->from);
    }
    fputs("</tbody></table></div>\n", p->out);
}

static void list(const struct page *p, const char *element, const char *title, const char **v,
                 size_t n)
{
    if (!n)
        return;
    markup(p->out, "<h4>%s</h4>\n<%s>\n", title, element);
    for (size_t i = 0; i < n; i++)
        markup(p->out, "<li>%s</li>\n", v[i]);
    markup(p->out, "</%s>\n", element);
}

/* The devices that an id names, or that are on the link that it names: the first of `*ret_n`. */
static const struct device *const *devices_of(const struct page *p, const char *id, size_t *ret_n)
{
    const struct model *m = p->report->model;
    const struct html_place *place = html_place(p, id);

    *ret_n = place && place->kind == 'd' ? 1 : 0;
    if (place && place->kind == 'l')
        return tree_devices_on(&p->tree, m->links.v[place->number], ret_n);
    return *ret_n ? (const struct device *const *)&m->devices.v[place->number] : NULL;
}

/* Where those devices are. One that its link has shown is not shown again. */
static void places(const struct page *p, const struct finding *f)
{
    bool is_first = true;
    char text[512];

    for (size_t i = 0; i < f->subjects.n; i++) {
        size_t n;
        const struct device *const *v = devices_of(p, f->subjects.v[i], &n);

        for (size_t k = 0; k < n; k++) {
            bool is_device = strcmp(v[k]->id, f->subjects.v[i]) == 0;

            if (is_device && v[k]->link && words_name_one_of(&f->subjects, &v[k]->link->id, 1))
                continue;
            if (!argument_place(v[k], text, sizeof(text)))
                continue;
            if (is_first)
                fputs("<h4>" ARGUMENT_PLACES "</h4>\n<ul>\n", p->out);
            is_first = false;
            markup(p->out, "<li>%s</li>\n", text);
        }
    }
    if (!is_first)
        fputs("</ul>\n", p->out);
}

static void finding(const struct page *p, const struct finding *f, size_t number)
{
    char since[32], known[WORDS_ACKNOWLEDGED];

    markup(p->out,
           "<article class=\"finding %s\" id=\"f%zu\">\n<h3><b class=\"s %s\">%s</b> %s</h3>\n",
           severity_to_string(f->severity), number, severity_to_string(f->severity),
           severity_to_string(f->severity), f->summary);
    if (words_acknowledged(f, known, sizeof(known)))
        markup(p->out, "<p>%s</p>\n", known);
    if (f->since_us < p->report->wall_us && *words_time(f->since_us, since, sizeof(since)))
        markup(p->out, "<p class=\"dim\">Since %s, as far as is known.</p>\n", since);
    subjects(p, f);
    evidence(p, f);
    list(p, "ul", ARGUMENT_USERS, f->users.v, f->users.n);
    places(p, f);
    fputs("</article>\n", p->out);
}

static void words(const struct page *p, const char *title, const char *const *v)
{
    if (!*v)
        return;
    markup(p->out, "<h4>%s</h4>\n<ol>\n", title);
    for (; *v; v++)
        markup(p->out, "<li>%s</li>\n", *v);
    fputs("</ol>\n", p->out);
}

/* Is all that is said of their kind the same? */
static bool same_kind(const struct finding *a, const struct finding *b)
{
    return strcmp(a->entry->code, b->entry->code) == 0 && a->entry->causes == b->entry->causes &&
           a->entry->remedies == b->entry->remedies;
}

size_t html_kind(const struct report *r, size_t first)
{
    size_t n = 0;

    for (size_t i = 0; i < first; i++)
        if (same_kind(r->findings.v[i], r->findings.v[first]))
            return 0;
    for (size_t i = first; i < r->findings.n; i++)
        n += same_kind(r->findings.v[i], r->findings.v[first]);
    return n;
}

/* All `n` of a kind, of which the first is there; where there are many, the later ones are folded. */
static void findings(const struct page *p, size_t first, size_t n)
{
    const struct report *r = p->report;
    size_t shown = 0;

    for (size_t i = first; i < r->findings.n; i++) {
        if (!same_kind(r->findings.v[i], r->findings.v[first]))
            continue;
        if (shown++ == KIND_OPEN)
            markup(p->out, "<details><summary>and %zu more</summary>\n", n - KIND_OPEN);
        finding(p, r->findings.v[i], i);
    }
    if (n > KIND_OPEN)
        fputs("</details>\n", p->out);
}

static void kind(const struct page *p, size_t first, size_t n)
{
    const struct finding *f = p->report->findings.v[first];
    const struct catalog_entry *e = f->entry;

    fprintf(p->out, "<details%s%s>", n > HTML_ROWS_OPEN ? "" : " class=\"paper\"",
            f->severity > SEVERITY_INFO ? " open=\"open\"" : "");
    markup(p->out, "<summary><code>%s</code> (%zu): %s</summary>\n", e->code, n, e->title);
    fputs("<div class=\"kind\"><div>\n", p->out);
    findings(p, first, n);
    fputs("</div><div class=\"advice\">\n", p->out);
    words(p, ARGUMENT_CAUSES, e->causes);
    words(p, ARGUMENT_REMEDIES, e->remedies);
    if (e->not_this)
        markup(p->out, "<p>" ARGUMENT_NOT_THIS ": %s.</p>\n", e->not_this);
    fputs("</div></div>\n</details>\n", p->out);
}

int html_findings(struct page *p)
{
    const struct report *r = p->report;

    fputs("<section aria-labelledby=\"findings\">\n<h2 id=\"findings\">Findings</h2>\n", p->out);
    if (!r->findings.n)
        fputs("<p>Nothing is found.</p>\n", p->out);
    for (size_t i = 0; i < r->findings.n; i++) {
        size_t n = html_kind(r, i);

        if (n)
            kind(p, i, n);
    }
    fputs("</section>\n", p->out);
    return 0;
}
