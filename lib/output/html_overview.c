/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The top of the page: of what and when it is, how things stand, and what is wrong, the worst first.
 */
#include <stdlib.h>

#include "output/closing.h"
#include "output/html_parts.h"

enum { NAMED_MAX = 12 }; /* findings that are named here */

/* How it stands altogether: by the worst that is found, and well only where everything could be judged. */
static const struct standing {
    const char *name, *sign, *word;
} STANDINGS[] = {
    [SEVERITY_NONE] = { "ok", "✓", "nothing found" },
    [SEVERITY_INFO] = { "ok", "✓", "nothing found but infos" },
    [SEVERITY_WARNING] = { "warning", "▼", "warning" },
    [SEVERITY_CRITICAL] = { "critical", "✕", "critical" },
}, UNSEEN = { "unknown", "?", "not everything could be examined" },
  UNJUDGED = { "unknown", "?", "no link could be judged" },
  NOT_ALL = { "unknown", "?", "no alarm, but not all could be judged" };

static const struct standing *standing_of(const struct report *r)
{
    const struct summary *s = &r->summary;

    if (s->worst > SEVERITY_INFO)
        return &STANDINGS[s->worst];
    if (r->unexamined || !s->hosts)
        return &UNSEEN;
    if (!s->verdicts[VERDICT_OK] && !s->verdicts[VERDICT_BELOW] && !s->verdicts[VERDICT_CAPPED])
        return &UNJUDGED;
    for (size_t i = 0; i < r->model->links.n; i++)
        if (words_has_verdict(r->model->links.v[i], VERDICT_UNKNOWN))
            return &NOT_ALL;
    return &STANDINGS[s->worst];
}

/* What the text output says in sentences. */
static int sentences(const struct page *p, void (*print)(const struct report *r, FILE *out))
{
    struct markup_lines lines;
    int r = markup_lines_begin(&lines);

    if (r < 0)
        return r;
    print(p->report, lines.text);
    return markup_lines_end(&lines, "p", p->out);
}

static void counts(const struct report *r, FILE *out)
{
    closing_counts(r, NULL, out);
}

static void severity(const struct page *p, const struct finding *f)
{
    const char *word = severity_to_string(f->severity);

    markup(p->out, "<li><b class=\"s %s\">%s</b> ", word, word);
}

/* What is more than info: each, or, where that are many, each kind. */
static void named_findings(const struct page *p)
{
    const struct report *r = p->report;
    size_t bad = r->summary.findings[SEVERITY_WARNING] + r->summary.findings[SEVERITY_CRITICAL];

    if (!bad)
        return;
    fputs("<ul class=\"found\">\n", p->out);
    for (size_t i = 0; i < r->findings.n && i < bad; i++) {
        const struct finding *f = r->findings.v[i];
        size_t n = bad > NAMED_MAX ? html_kind(r, i) : 1;

        if (!n)
            continue;
        severity(p, f);
        if (n > 1)
            markup(p->out, "<a href=\"#f%zu\">%zu times %s</a></li>\n", i, n, f->entry->title);
        else
            markup(p->out, "<a href=\"#f%zu\">%s</a></li>\n", i, f->summary);
    }
    fputs("</ul>\n", p->out);
}

static void contents(const struct page *p)
{
    const struct report *r = p->report;

    fputs("<nav aria-label=\"Parts of this page\"><ul>\n", p->out);
    markup(p->out, "<li><a href=\"#findings\">Findings (%zu)</a></li>\n", r->findings.n);
    fputs("<li><a href=\"#map\">Adapters and their links</a></li>\n", p->out);
    fputs("<li><a href=\"#trends\">Trends</a></li>\n", p->out);
    fputs("<li><a href=\"#why\">Why they are judged so</a></li>\n", p->out);
    markup(p->out, "<li><a href=\"#devices\">Devices (%zu)</a></li>\n", r->model->devices.n);
    if (p->asked->bench && p->asked->bench->devices.n)
        fputs("<li><a href=\"#bench\">Timed reads</a></li>\n", p->out);
    fputs("<li><a href=\"#unseen\">What could not be seen</a></li>\n"
          "<li><a href=\"#versions\">Versions</a></li>\n</ul></nav>\n",
          p->out);
}

int html_overview(struct page *p)
{
    const struct report *r = p->report;
    const struct standing *s = standing_of(r);
    char taken[32];
    int e;

    markup(p->out, "<header>\n<h1>Storage links%s%s</h1>\n", r->hostname ? " of " : "",
           r->hostname);
    markup(p->out, "<p class=\"dim\">%s%s%s%s%s%s; by %s%s</p>\n</header>\n<main>\n",
           words_time(r->wall_us, taken, sizeof(taken)), r->wall_us ? ", " : "",
           r->kernel ? "Linux " : "", r->kernel, r->machine ? ", " : "", r->machine, HTML_MADE_BY,
           r->model->scrubbed ? "; names and serial numbers were replaced" : "");
    markup(p->out,
           "<section class=\"stand %s\" aria-labelledby=\"stand\">\n<h2 id=\"stand\">"
           "<span aria-hidden=\"true\">%s</span> %s</h2>\n",
           s->name, s->sign, s->word);
    e = sentences(p, counts);
    named_findings(p);
    if (r->gaps.n || r->notes.n)
        fputs("<p><a href=\"#unseen\">Not everything could be seen</a>.</p>\n", p->out);
    fputs("</section>\n", p->out);
    contents(p);
    return e;
}

int html_unseen(struct page *p)
{
    const struct report *r = p->report;
    int e = 0;

    fputs("<section aria-labelledby=\"unseen\">\n<h2 id=\"unseen\">What could not be seen</h2>\n",
          p->out);
    if (r->gaps.n || r->notes.n)
        e = sentences(p, closing_gaps);
    else
        fputs("<p>Nothing that was asked for was refused.</p>\n", p->out);
    for (size_t i = 0; i < r->model->hosts.n; i++) {
        const struct host *h = r->model->hosts.v[i];

        if (h->reason)
            markup(p->out, "<p>The links of %s cannot be seen: %s.</p>\n", h->kernel_name,
                   h->reason);
    }
    fputs("</section>\n", p->out);
    return e;
}
