/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The links of the page: all of them in a table an adapter, and why each is judged so. Links that are judged so by the same words
 * share an argument, so that three thousand disks that are alike have one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/text.h"
#include "output/argument.h"
#include "output/html_parts.h"

/* ---- tables ---- */

static void ends(const struct page *p, const struct link *l)
{
    size_t n;
    const struct device *const *devices = tree_devices_on(&p->tree, l, &n);

    markup(p->out, "<td>%s</td><td>", l->far ? words_end(p->report, l->far) : "");
    for (size_t i = 0; i < n; i++) {
        char nodes[128];

        words_nodes(devices[i], false, nodes, sizeof(nodes));
        fputs(i ? " " : "", p->out);
        html_reference(p, devices[i]->id, "");
        markup(p->out, "%s%s", *nodes ? " " : "", nodes);
    }
    fputs("</td>", p->out);
}

/* The most that the clock measured; "" where nothing was. */
static const char *measured(const struct link *l, char *buffer, size_t size)
{
    uint64_t most = 0;

    for (size_t i = 0; i < l->witnesses.n; i++)
        if (l->witnesses.v[i].who == WHO_CLOCK && rate_kb_per_s(l->witnesses.v[i].mode.rate) > most)
            most = rate_kb_per_s(l->witnesses.v[i].mode.rate);
    return words_payload(most, buffer, size);
}

static void modes(const struct page *p, const struct link *l)
{
    char mode[64], lack[80], payload[32] = "";

    markup(p->out, "<td class=\"n\">%s</td>", words_mode(&l->actual, mode, sizeof(mode)));
    words_payload(link_payload_kb_per_s(l), payload, sizeof(payload));
    markup(p->out, "<td class=\"r\">%s</td><td class=\"r\">%s</td><td>", payload,
           measured(l, mode, sizeof(mode)));
    html_verdict(p, l);
    markup(p->out, "%s%s</td>", *tree_lack(l, lack, sizeof(lack)) ? " " : "", lack);
}

static bool is_among(struct finding *const *v, size_t n, const struct finding *f)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] == f)
            return true;
    return false;
}

/* What is found of it, and of devices on it, each once: one finding may name several of them. */
static int found(const struct page *p, const struct link *l)
{
    size_t devices;
    const struct device *const *d = tree_devices_on(&p->tree, l, &devices);
    VEC(struct finding *) all = { 0 };
    int r = 0;

    for (size_t i = 0; r == 0 && i < l->findings.n; i++)
        r = vec_push(&all, l->findings.v[i]);
    for (size_t i = 0; i < devices; i++)
        for (size_t k = 0; r == 0 && k < d[i]->findings.n; k++)
            if (!is_among(all.v, all.n, d[i]->findings.v[k]))
                r = vec_push(&all, d[i]->findings.v[k]);
    for (size_t i = 0; i < all.n; i++) {
        fputs(i ? ", " : "", p->out);
        if (all.v[i]->severity > SEVERITY_INFO)
            fputs("<b class=\"v below\">" HTML_ALARM "</b> ", p->out);
        markup(p->out, "<a href=\"#f%zu\">%s</a>", html_finding_number(p, all.v[i]),
               all.v[i]->entry->code);
    }
    free(all.v);
    return r;
}

static int row(const struct page *p, const struct link *l)
{
    int r;

    markup(p->out, "<tr id=\"l%zu\"><th scope=\"row\">%s</th>", l->index, l->kernel_name);
    ends(p, l);
    modes(p, l);
    markup(p->out, "<td><a href=\"#a%zu\">why</a></td><td>", p->argument[l->index]);
    r = found(p, l);
    fputs("</td></tr>\n", p->out);
    return r;
}

bool html_is_of(const struct link *l, const struct model *m, size_t first, size_t end)
{
    if (!l->host)
        return first == end;
    for (size_t i = first; i < end; i++)
        if (m->hosts.v[i] == l->host)
            return true;
    return false;
}

/* ---- arguments ---- */

enum { ARGUMENTS_OPEN = 40 };

/* What the clock measured of several links, in kB/s. */
struct range {
    uint64_t least, most;
};

/* Links that have the same argument, but for what the clock measured. */
struct argument {
    uint32_t key;
    size_t n;
    const struct link *first;
    VEC(struct range) measured; /* of each witness that is a clock, in their order */
};

struct html_arguments {
    struct strtab *keys;
    VEC(struct argument) list;
};

/* What a claim says. What the clock says differs from link to link: of several links it is a range, and in the key it is nothing. */
static void mode_cell(const struct claim *c, const struct range *measured, FILE *out)
{
    char mode[64], most[64] = "";

    if (c->who != WHO_CLOCK) {
        markup(out, "%s%s", c->at_most ? "at most " : "", words_mode(&c->mode, mode, sizeof(mode)));
    } else if (measured) {
        words_payload(measured->least, strcpy(mode, ""), sizeof(mode));
        if (measured->most != measured->least)
            words_payload(measured->most, most, sizeof(most));
        markup(out, "%s%s%s", mode, *most ? " to " : "", most);
    }
}

/* `a` NULL: for the key. */
static void claims_table(const struct link *l, const struct argument *a, FILE *out)
{
    size_t clocks = 0;

    fputs("<table><thead><tr><th scope=\"col\">" ARGUMENT_TITLE
          "</th><th scope=\"col\">Mode</th><th scope=\"col\">Who says it</th>"
          "<th scope=\"col\">By</th></tr></thead><tbody>\n",
          out);
    for (int kind = 0; kind < _ARGUMENT_MAX; kind++) {
        struct argument_claims c = argument_claims(l, (enum argument_kind)kind);

        for (size_t i = 0; i < c.n; i++) {
            bool is_clock = c.v[i].who == WHO_CLOCK;

            markup(out, "<tr><td>%s</td><td class=\"n\">", c.what);
            mode_cell(&c.v[i], a && is_clock ? &a->measured.v[clocks] : NULL, out);
            clocks += is_clock;
            markup(out, "</td><td>%s</td><td>%s</td></tr>\n", who_to_string(c.v[i].who),
                   c.v[i].via);
        }
    }
    fputs("</tbody></table>\n", out);
}

/* The argument of a link as markup, without its name. */
static int argue(const struct page *p, const struct link *l, const struct argument *a, FILE *out)
{
    struct markup_lines lines;
    size_t n = 0;
    int r = markup_lines_begin(&lines);

    if (r < 0)
        return r;
    argument_rule(l, lines.text);
    if (l->state != LINK_UP)
        fprintf(lines.text, "The link's state: %s.\n", link_state_to_string(l->state));
    for (int kind = 0; kind < _ARGUMENT_MAX; kind++)
        n += argument_claims(l, (enum argument_kind)kind).n;
    if (!n)
        fputs("Nobody says anything about its mode.\n", lines.text);
    argument_hints(p->report, l, "", lines.text);
    r = markup_lines_end(&lines, "p", out);
    if (n)
        claims_table(l, a, out);
    return r;
}

/* What tells the argument from others. */
static int key_of(const struct page *p, struct html_arguments *all, const struct link *l,
                  uint32_t *ret)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int r = out ? argue(p, l, NULL, out) : -ENOMEM;

    if (out && fclose(out) != 0)
        r = -ENOMEM;
    return r < 0 ? r : strtab_put(all->keys, (struct bytes){ (const uint8_t *)text, size }, ret);
}

static int add_measured(struct argument *a, const struct link *l)
{
    size_t clocks = 0;
    int r = 0;

    for (int kind = 0; kind < _ARGUMENT_MAX; kind++) {
        struct argument_claims c = argument_claims(l, (enum argument_kind)kind);

        for (size_t i = 0; r == 0 && i < c.n; i++) {
            uint64_t rate = rate_kb_per_s(c.v[i].mode.rate);
            struct range *x;

            if (c.v[i].who != WHO_CLOCK)
                continue;
            if (clocks == a->measured.n)
                r = vec_push(&a->measured, (struct range){ rate, rate });
            x = r == 0 ? &a->measured.v[clocks++] : NULL;
            if (x && rate < x->least)
                x->least = rate;
            if (x && rate > x->most)
                x->most = rate;
        }
    }
    return r;
}

static int add(struct page *p, struct html_arguments *all, const struct link *l)
{
    uint32_t key = STRTAB_NONE;
    size_t i = 0;
    int r = key_of(p, all, l, &key);

    while (r == 0 && i < all->list.n && all->list.v[i].key != key)
        i++;
    if (r == 0 && i == all->list.n)
        r = vec_push(&all->list, (struct argument){ .key = key, .first = l });
    if (r < 0)
        return r;
    all->list.v[i].n++;
    p->argument[l->index] = i;
    return add_measured(&all->list.v[i], l);
}

void html_arguments_free(struct html_arguments *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < all->list.n; i++)
        free(all->list.v[i].measured.v);
    free(all->list.v);
    strtab_free(all->keys);
    free(all);
}

static int print_argument(const struct page *p, const struct html_arguments *all, size_t i)
{
    const struct argument *a = &all->list.v[i];
    int r;

    fprintf(p->out, "<article class=\"why\" id=\"a%zu\">\n<h3>", i);
    html_verdict(p, a->first);
    fputs(" ", p->out);
    html_reference(p, a->first->id, a->first->kernel_name);
    markup(p->out, "%s%s", a->first->far ? ", to " : "",
           a->first->far ? words_end(p->report, a->first->far) : "");
    if (a->n > 1)
        fprintf(p->out, ", and %zu more", a->n - 1);
    fputs("</h3>\n", p->out);
    r = argue(p, a->first, a, p->out);
    fputs("</article>\n", p->out);
    return r;
}

static int compare_arguments(const void *a, const void *b)
{
    const struct argument *const *x = a, *const *y = b;
    bool x_odd = words_is_odd((*x)->first), y_odd = words_is_odd((*y)->first);

    if (x_odd != y_odd)
        return x_odd ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

static int print_some(const struct page *p, const struct html_arguments *all,
                      const struct argument *const *v, size_t n)
{
    int r = 0;

    fputs("<div class=\"whys\">\n", p->out);
    for (size_t i = 0; r == 0 && i < n; i++)
        r = print_argument(p, all, (size_t)(v[i] - all->list.v));
    fputs("</div>\n", p->out);
    return r;
}

/* Those of links that are not as they should be come first; where there are many, the others are folded. */
static int print_arguments(const struct page *p, const struct html_arguments *all)
{
    const struct argument **sorted = calloc(all->list.n + 1, sizeof(struct argument *));
    size_t n = all->list.n, odd = 0;
    int r;

    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = &all->list.v[i];
        odd += words_is_odd(all->list.v[i].first);
    }
    qsort(sorted, n, sizeof(*sorted), compare_arguments);
    fputs("<section aria-labelledby=\"why\">\n<h2 id=\"why\">Why they are judged so</h2>\n",
          p->out);
    if (n <= ARGUMENTS_OPEN)
        odd = n;
    r = odd ? print_some(p, all, sorted, odd) : 0;
    if (r == 0 && odd < n) {
        markup(
            p->out,
            "<details><summary>%zu of links that are as they should be, or have none</summary>\n",
            n - odd);
        r = print_some(p, all, sorted + odd, n - odd);
        fputs("</details>\n", p->out);
    }
    fputs("</section>\n", p->out);
    free(sorted);
    return r;
}

/* ---- both ---- */

static void head(const struct page *p)
{
    fputs(
        "<table><thead><tr><th scope=\"col\">Link</th><th scope=\"col\">To</th>"
        "<th scope=\"col\">Devices</th><th scope=\"col\">Mode</th><th scope=\"col\" class=\"r\">Carries</th><th scope=\"col\" class=\"r\">Measured</th>"
        "<th scope=\"col\">Verdict</th><th scope=\"col\">Why</th>"
        "<th scope=\"col\">Found</th></tr></thead><tbody>\n",
        p->out);
}

int html_table(const struct page *p, size_t first, size_t end, bool is_open)
{
    const struct model *m = p->report->model;
    size_t n = 0;
    int r = 0;

    for (size_t i = 0; i < m->links.n; i++)
        n += html_is_of(m->links.v[i], m, first, end);
    if (!n)
        return 0;
    html_fold_begin(p, n, is_open);
    markup(p->out, n == 1 ? "%zu link%s" : "%zu links and lanes%s", n,
           first == end ? " of no adapter" : "");
    html_fold_body(p);
    head(p);
    for (size_t i = 0; r == 0 && i < m->links.n; i++)
        if (html_is_of(m->links.v[i], m, first, end))
            r = row(p, m->links.v[i]);
    fputs("</tbody></table>\n", p->out);
    html_fold_end(p);
    return r;
}

int html_argue(struct page *p)
{
    const struct model *m = p->report->model;
    int r = 0;

    p->argument = calloc(m->links.n + 1, sizeof(*p->argument));
    p->arguments = calloc(1, sizeof(*p->arguments));
    if (p->arguments)
        p->arguments->keys = strtab_new();
    if (!p->argument || !p->arguments || !p->arguments->keys)
        r = -ENOMEM;
    for (size_t i = 0; r == 0 && i < m->links.n; i++)
        r = add(p, p->arguments, m->links.v[i]);
    return r;
}

int html_arguments(struct page *p)
{
    return print_arguments(p, p->arguments);
}
