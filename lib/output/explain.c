/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a verdict is what it is, and what a code means (output.h): the words of a good colleague.
 */
#include <inttypes.h>
#include <string.h>

#include "facts/key.h"
#include "output/argument.h"
#include "output/closing.h"
#include "output/table.h"
#include "output/timed.h"
#include "output/words.h"

enum { LINES_MAX = 20 }; /* of links and findings that are named in a line each */

static void print_list(const char *title, const char *const *v, FILE *out)
{
    if (!*v)
        return;
    fprintf(out, "\n%s:\n", title);
    for (size_t i = 0; v[i]; i++)
        fprintf(out, "  %zu. %s\n", i + 1, v[i]);
}

static void print_entry(const struct catalog_entry *e, FILE *out)
{
    print_list(ARGUMENT_CAUSES, e->causes, out);
    print_list(ARGUMENT_REMEDIES, e->remedies, out);
    if (e->not_this)
        fprintf(out, "\n" ARGUMENT_NOT_THIS ": %s.\n", e->not_this);
}

/* Writes what `print` prints in the width of the style. */
static void wrapped(const struct text_style *style, FILE *out,
                    void (*print)(const struct report *r, const struct text_style *style,
                                  const void *what, FILE *out),
                    const struct report *r, const void *what)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *sentences = open_memstream(&text, &size);

    if (sentences)
        print(r, style, what, sentences);
    if (sentences && fclose(sentences) == 0)
        text_wrapped(style, text, out);
    else
        fputs("out of memory\n", out);
}

static void print_code(const struct report *r, const struct text_style *style, const void *what,
                       FILE *out)
{
    const struct catalog_entry *e = what;

    (void)r;
    (void)style;
    fprintf(out, "%s (%s%s)\n\nIt says: %s.\n", e->code, severity_to_string(e->severity),
            e->severity == SEVERITY_INFO ? "" : " as a rule", e->title);
    print_entry(e, out);
}

void output_code(const struct catalog_entry *entry, const struct text_style *style, FILE *out)
{
    wrapped(style, out, print_code, NULL, entry);
}

/* Where the devices are that it names: those on its links, or themselves. */
static void print_places(const struct report *r, const struct finding *f, FILE *out)
{
    bool is_first = true;
    char text[512];

    for (size_t i = 0; i < r->model->devices.n; i++) {
        const struct device *d = r->model->devices.v[i];
        const char *const ids[] = { d->id, d->link ? d->link->id : d->id };

        if (!words_name_one_of(&f->subjects, ids, 2) || !argument_place(d, text, sizeof(text)))
            continue;
        fprintf(out, "%s  %s\n", is_first ? ARGUMENT_PLACES ":\n" : "", text);
        is_first = false;
    }
}

static void print_finding(const struct report *r, const struct finding *f, FILE *out)
{
    char since[32];

    fprintf(out, "\n%s, %s: %s.\n", f->entry->code, severity_to_string(f->severity), f->summary);
    if (f->since_us < r->wall_us && *words_time(f->since_us, since, sizeof(since)))
        fprintf(out, "Since %s, as far as is known.\n", since);
    for (size_t i = 0; i < f->evidence.n; i++) {
        const struct evidence *e = &f->evidence.v[i];

        fprintf(out, "  %s: %s%s%s%s\n", e->what, e->value, e->from ? " [" : "",
                e->from ? e->from : "", e->from ? "]" : "");
    }
    for (size_t i = 0; i < f->users.n; i++)
        fprintf(out, "%s  %s\n", i ? "" : ARGUMENT_USERS ":\n", f->users.v[i]);
    print_places(r, f, out);
    print_entry(f->entry, out);
}

/* The findings that name one of the ids, each once. */
static void print_findings_of(const struct report *r, const char *const *ids, size_t n, FILE *out)
{
    for (size_t i = 0; i < r->findings.n; i++)
        if (words_name_one_of(&r->findings.v[i]->subjects, ids, n))
            print_finding(r, r->findings.v[i], out);
}

static void print_claims(const struct argument_claims *c, FILE *out)
{
    char mode[64];

    for (size_t i = 0; i < c->n; i++)
        fprintf(out, "  %s, %s%s: %s, by %s\n", c->what, c->v[i].at_most ? "at most " : "",
                words_mode(&c->v[i].mode, mode, sizeof(mode)), who_to_string(c->v[i].who),
                c->v[i].via);
}

static void print_verdict(const struct report *r, const struct link *l, FILE *out)
{
    size_t claims = 0;

    argument_head(r, l, out);
    fputs("\n\n", out);
    argument_rule(l, out);
    fputs("\n" ARGUMENT_TITLE ":\n", out);
    if (l->state != LINK_UP)
        fprintf(out, "  the link's state: %s\n", link_state_to_string(l->state));
    for (int kind = 0; kind < _ARGUMENT_MAX; kind++) {
        struct argument_claims c = argument_claims(l, (enum argument_kind)kind);

        print_claims(&c, out);
        claims += c.n;
    }
    if (!claims)
        fputs("  " ARGUMENT_NOTHING "\n", out);
    argument_hints(r, l, "  ", out);
}

static void print_link(const struct report *r, const struct text_style *style, const void *what,
                       FILE *out)
{
    const struct link *l = what;

    (void)style;
    print_verdict(r, l, out);
    print_findings_of(r, &l->id, 1, out);
}

void output_explain_link(const struct report *report, const struct link *l,
                         const struct text_style *style, FILE *out)
{
    wrapped(style, out, print_link, report, l);
}

/* "port-1:0, to expander-1:0: BELOW, at 3 x 12.0 Gb/s, expected 4 x 12.0 Gb/s" */
static void print_standing(const struct report *r, const struct link *l, FILE *out)
{
    bool is_slot = l->host && l == l->host->slot;
    const char *far = is_slot ? NULL : words_end(r, l->far);
    enum colour colour;
    char mode[64];

    if (is_slot)
        fprintf(out, "the slot of %s (%s)", l->host->kernel_name, l->kernel_name);
    else
        fprintf(out, "%s%s%s", l->kernel_name, far ? ", to " : "", far ? far : "");
    fprintf(out, ": %s", words_verdict(l, &colour));
    if (l->state == LINK_UP && l->actual.known)
        fprintf(out, ", at %s", words_mode(&l->actual, mode, sizeof(mode)));
    if (l->state == LINK_UP && (l->verdict == VERDICT_BELOW || l->verdict == VERDICT_CAPPED))
        fprintf(out, ", %s %s", l->verdict == VERDICT_BELOW ? "expected" : "could do",
                words_mode(&l->expected, mode, sizeof(mode)));
    else if (l->state != LINK_DOWN && l->verdict == VERDICT_UNKNOWN && l->reason)
        fprintf(out, ", %s", l->reason);
}

static void print_odd_links(const struct report *r, const struct host *h, FILE *out)
{
    size_t n = 0;

    for (size_t i = 0; i < r->model->links.n; i++) {
        const struct link *l = r->model->links.v[i];

        if (l->host != h || !words_counts(l) || !words_is_odd(l))
            continue;
        if (n++ == 0)
            fputs("\nNot as it should be, or not known to be:\n", out);
        if (n > LINES_MAX)
            continue;
        fputs("  ", out);
        print_standing(r, l, out);
        putc('\n', out);
    }
    if (n > LINES_MAX)
        fprintf(out, "  and %zu more\n", n - LINES_MAX);
}

/* Does it name a link, a device or a remote port of the host, and not the host itself? */
static bool is_below(const struct report *r, const struct finding *f, const struct host *h)
{
    const struct model *m = r->model;

    if (words_name_one_of(&f->subjects, &h->id, 1))
        return false;
    for (size_t i = 0; i < m->links.n; i++)
        if (m->links.v[i]->host == h && words_name_one_of(&f->subjects, &m->links.v[i]->id, 1))
            return true;
    for (size_t i = 0; i < m->devices.n; i++)
        if (m->devices.v[i]->host == h && words_name_one_of(&f->subjects, &m->devices.v[i]->id, 1))
            return true;
    for (size_t i = 0; i < m->remotes.n; i++)
        if (m->remotes.v[i].link && m->remotes.v[i].link->host == h &&
            words_name_one_of(&f->subjects, &m->remotes.v[i].id, 1))
            return true;
    return false;
}

static void print_findings_below(const struct report *r, const struct text_style *style,
                                 const struct host *h, FILE *out)
{
    size_t n = 0;

    for (size_t i = 0; i < r->findings.n; i++) {
        if (!is_below(r, r->findings.v[i], h))
            continue;
        if (n++ == 0)
            fputs("\nWhat is found of its links and devices:\n", out);
        if (n <= LINES_MAX)
            output_finding(r, style, r->findings.v[i], out);
    }
    if (n > LINES_MAX)
        fprintf(out, "  and %zu more\n", n - LINES_MAX);
}

static void print_host(const struct report *r, const struct text_style *style, const void *what,
                       FILE *out)
{
    const struct host *h = what;
    const struct host *port = words_physical_port(r, h);

    if (port) {
        fprintf(out, "%s is a virtual port (NPIV) of %s: its link is that of %s.\n", h->kernel_name,
                port->kernel_name, port->kernel_name);
        return;
    }
    argument_standings(r, h, out);
    if (h->reason)
        fprintf(out, "Its links cannot be seen: %s.\n", h->reason);
    if (h->emulated)
        fprintf(out, "It has no links to judge: %s.\n", h->emulated);
    for (size_t i = 0; i < h->parameters.n; i++)
        fprintf(out, "  %s = %s [%s]\n", h->parameters.v[i].name, h->parameters.v[i].value,
                h->parameters.v[i].from);
    print_odd_links(r, h, out);
    print_findings_below(r, style, h, out);
    print_findings_of(r, &h->id, 1, out);
}

void output_explain_host(const struct report *report, const struct host *h,
                         const struct text_style *style, FILE *out)
{
    wrapped(style, out, print_host, report, h);
}

/* A hop of a device's way where something is wrong with it, with what is found of it; not what is of `known` too. */
static void print_hop(const struct report *r, const struct text_style *style, const struct link *l,
                      const char *const known[2], FILE *out)
{
    bool is_said = words_is_odd(l);

    for (size_t i = 0; i < l->findings.n; i++)
        is_said |= l->findings.v[i]->severity > SEVERITY_INFO &&
                   !words_name_one_of(&l->findings.v[i]->subjects, known, 2);
    if (!is_said)
        return;
    fputs("\nAlso on its way: ", out);
    print_standing(r, l, out);
    fputs(".\n", out);
    for (size_t i = 0; i < l->findings.n; i++)
        if (!words_name_one_of(&l->findings.v[i]->subjects, known, 2))
            output_finding(r, style, l->findings.v[i], out);
}

/* What is wrong with the adapter itself. */
static void print_adapter(const struct report *r, const struct text_style *style,
                          const struct host *h, const char *const known[2], FILE *out)
{
    bool is_first = true;

    for (size_t i = 0; i < h->findings.n; i++) {
        const struct finding *f = h->findings.v[i];

        if (f->severity <= SEVERITY_INFO || words_name_one_of(&f->subjects, known, 2))
            continue;
        if (is_first)
            fprintf(out, "\nAlso on its way: %s.\n", h->kernel_name);
        is_first = false;
        output_finding(r, style, f, out);
    }
}

/* From the device's own link up to the adapter; of a wide link also a lane that is worse than the whole. */
static void print_way(const struct report *r, const struct text_style *style,
                      const struct device *d, const char *const known[2], FILE *out)
{
    const struct link *slot = d->host ? d->host->slot : NULL;

    for (const struct link *hop = d->link ? d->link->up : slot; hop; hop = hop->up) {
        print_hop(r, style, hop, known, out);
        for (size_t i = 0; i < r->model->links.n; i++)
            if (r->model->links.v[i]->bundle == hop && words_counts(r->model->links.v[i]))
                print_hop(r, style, r->model->links.v[i], known, out);
    }
    if (d->host)
        print_adapter(r, style, d->host, known, out);
}

static void print_timed(const struct report *r, const struct device *d, FILE *out)
{
    char text[1024];
    size_t n = 0;

    for (size_t i = 0; i < r->model->timed.n; i++) {
        if (r->model->timed.v[i].device != d || n++ >= LINES_MAX)
            continue;
        fprintf(out, "%s  %s\n", n > 1 ? "" : "\nWhat was measured:\n",
                timed_line(&r->model->timed.v[i], text, sizeof(text)));
    }
    if (n > LINES_MAX)
        fprintf(out, "  and %zu more: bench shows all\n", n - LINES_MAX);
}

static void print_device(const struct report *r, const struct text_style *style, const void *what,
                         FILE *out)
{
    const struct device *d = what;
    const char *const known[2] = { d->id, d->link ? d->link->id : NULL };
    char payload[32], nodes[128];
    struct link *hop;
    uint64_t kb_per_s = device_path_kb_per_s(d, &hop);
    const char *state = fact_text(d->subject, &KEY_STATE);
    bool runs = !state || strcmp(state, "running") == 0;

    words_nodes(d, true, nodes, sizeof(nodes));
    fprintf(out, "%s%s%s, %s%s%s", d->hctl, *nodes ? " " : "", nodes, d->vendor ? d->vendor : "",
            d->vendor ? " " : "", d->model ? d->model : "");
    if (!runs)
        fprintf(out, ", %s: it carries nothing now", state);
    if (kb_per_s)
        fprintf(out, "%s at most %s, by %s%s", runs ? ":" : ";",
                words_payload(kb_per_s, strcpy(payload, ""), sizeof(payload)), hop->kernel_name,
                runs ? "" : ", when it runs");
    fputs(".\n", out);
    if (d->link) {
        putc('\n', out);
        print_verdict(r, d->link, out);
    }
    print_timed(r, d, out);
    print_findings_of(r, known, 2, out);
    print_way(r, style, d, known, out);
}

void output_explain_device(const struct report *report, const struct device *d,
                           const struct text_style *style, FILE *out)
{
    wrapped(style, out, print_device, report, d);
}

/* Of the findings that name it. */
static void print_gone(const struct report *r, const struct text_style *style, const void *what,
                       FILE *out)
{
    const char *name = what;

    (void)style;
    fprintf(out, "%s is not there any more.\n", name);
    for (size_t i = 0; i < r->findings.n; i++)
        if (words_name_one_of(&r->findings.v[i]->names, &name, 1))
            print_finding(r, r->findings.v[i], out);
}

size_t output_explain_gone(const struct report *report, const char *name,
                           const struct text_style *style, FILE *out)
{
    size_t n = 0;

    for (size_t i = 0; i < report->findings.n; i++)
        n += words_name_one_of(&report->findings.v[i]->names, &name, 1);
    if (n)
        wrapped(style, out, print_gone, report, name);
    return n;
}
