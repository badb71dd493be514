/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a verdict is what it is, and what a code means (output.h): the words of a good colleague.
 */
#include <inttypes.h>
#include <string.h>

#include "facts/key.h"
#include "output/table.h"
#include "output/words.h"

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
    print_list("What causes it, the likeliest first", e->causes, out);
    print_list("What to do, in this order", e->remedies, out);
    if (e->not_this)
        fprintf(out, "\nNot to be confused with: %s.\n", e->not_this);
}

/* Writes what `print` prints in the width of the style. */
static void wrapped(const struct text_style *style, FILE *out,
                    void (*print)(const void *what, const void *detail, FILE *out),
                    const void *what, const void *detail)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *sentences = open_memstream(&text, &size);

    if (sentences)
        print(what, detail, sentences);
    if (sentences && fclose(sentences) == 0)
        text_wrapped(style, text, out);
    else
        fputs("out of memory\n", out);
}

static void print_code(const void *what, const void *detail, FILE *out)
{
    const struct catalog_entry *e = what;

    (void)detail;
    fprintf(out, "%s (%s%s)\n\nIt says: %s.\n", e->code, severity_to_string(e->severity),
            e->severity == SEVERITY_INFO ? "" : " as a rule", e->title);
    print_entry(e, out);
}

void output_code(const struct catalog_entry *entry, const struct text_style *style, FILE *out)
{
    wrapped(style, out, print_code, entry, NULL);
}

/* Where the devices are that it names: those on its links, or themselves. */
static void print_places(const struct report *r, const struct finding *f, FILE *out)
{
    bool is_first = true;
    char command[80];

    for (size_t i = 0; i < r->model->devices.n; i++) {
        const struct device *d = r->model->devices.v[i];
        const char *const ids[] = { d->id, d->link ? d->link->id : d->id };

        if (!words_name_one_of(&f->subjects, ids, 2) || !words_locate(d, command, sizeof(command)))
            continue;
        fprintf(out, "%s  %s: bay %s%s%s, %s\n", is_first ? "Where it is:\n" : "", d->hctl, d->bay,
                d->enclosure ? " of " : "", d->enclosure ? d->enclosure : "", command);
        is_first = false;
    }
}

static void print_finding(const struct report *r, const struct finding *f, FILE *out)
{
    fprintf(out, "\n%s, %s: %s.\n", f->entry->code, severity_to_string(f->severity), f->summary);
    for (size_t i = 0; i < f->evidence.n; i++) {
        const struct evidence *e = &f->evidence.v[i];

        fprintf(out, "  %s: %s%s%s%s\n", e->what, e->value, e->from ? " [" : "",
                e->from ? e->from : "", e->from ? "]" : "");
    }
    for (size_t i = 0; i < f->users.n; i++)
        fprintf(out, "%s  %s\n", i ? "" : "Who is hit:\n", f->users.v[i]);
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

static void print_claims(const char *before, const struct claim *c, size_t n, FILE *out)
{
    char mode[64];

    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %s %s%s: %s, by %s\n", before, c[i].at_most ? "at most " : "",
                words_mode(&c[i].mode, mode, sizeof(mode)), who_to_string(c[i].who), c[i].via);
}

/* Where the tightest of the limits was read. */
static const char *limit_of(const struct link *l)
{
    const struct claim *tightest = NULL;

    for (size_t i = 0; i < l->allowed.n; i++)
        if (!tightest || rate_compare(l->allowed.v[i].mode.rate, tightest->mode.rate) < 0)
            tightest = &l->allowed.v[i];
    return tightest ? tightest->via : "not known where";
}

/* Does somebody say what lies between the ends? */
static bool has_hop(const struct link *l)
{
    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who == WHO_HOP)
            return true;
    return false;
}

/* The rule that decided, in words. */
static void print_rule(const struct link *l, FILE *out)
{
    char buffers[2][64];
    const char *actual = words_mode(&l->actual, buffers[0], sizeof(buffers[0])),
               *expected = words_mode(&l->expected, buffers[1], sizeof(buffers[1]));

    switch (l->verdict) {
    case VERDICT_OK:
        if (l->expected_from.n && l->expected_from.v[0].who == WHO_ADMINISTRATOR)
            fprintf(out, "It runs at %s, and %s wants no more than %s.\n", actual,
                    l->expected_from.v[0].via, expected);
        else
            fprintf(out,
                    "It runs at %s, the best that all on the way are known to have in common.\n",
                    actual);
        break;
    case VERDICT_BELOW:
        fprintf(out, "It runs at %s and should run at %s: ", actual, expected);
        if (l->expected_from.n && l->expected_from.v[0].who == WHO_HISTORY)
            fputs("it did so before.\n", out);
        else if (l->expected_from.n && l->expected_from.v[0].who == WHO_SIBLING)
            fputs("others of its kind do.\n", out);
        else if (l->expected_from.n && l->expected_from.v[0].who == WHO_ADMINISTRATOR)
            fprintf(out, "%s wants it so.\n", l->expected_from.v[0].via);
        else
            fprintf(out, "both ends can do that%s.\n",
                    l->impaired.code ? "; what lies between holds them down"
                    : has_hop(l)     ? ", and what is known to lie between"
                                     : "");
        break;
    case VERDICT_CAPPED:
        fprintf(out, "It runs at %s because of a limit that was set (%s); without it, %s.\n",
                actual, limit_of(l), expected);
        break;
    case VERDICT_UNKNOWN:
    case VERDICT_NONE:
    default:
        fprintf(out, "There is no verdict%s%s.\n", l->reason ? ": " : "",
                l->reason ? l->reason : "");
        break;
    }
    if (l->reason && (l->verdict == VERDICT_OK || l->verdict == VERDICT_BELOW))
        fprintf(out, "Besides: %s.\n", l->reason);
}

/* Measured rates that are typical of something. */
static void print_hints(const struct report *r, const struct link *l, FILE *out)
{
    for (size_t i = 0; i < r->model->measures.n; i++) {
        const struct measured *x = &r->model->measures.v[i];

        if (x->hint && x->device->link == l)
            fprintf(out,
                    "  a hint, no proof: %s reads %" PRIu64 ".%" PRIu64
                    " MB/s, often the rate of %s\n",
                    x->device->hctl, x->kb_per_s / 1000, x->kb_per_s % 1000 / 100, x->hint);
    }
}

static void print_verdict(const struct report *r, const struct link *l, FILE *out)
{
    const char *far = words_end(r, l->far);
    enum colour colour;

    fprintf(out, "%s%s%s: %s\n\n", l->kernel_name, far ? ", to " : "", far ? far : "",
            words_verdict(l, &colour));
    print_rule(l, out);
    fputs("\nWhat was taken into account:\n", out);
    if (l->state != LINK_UP)
        fprintf(out, "  the link's state: %s\n", link_state_to_string(l->state));
    print_claims("what it runs at,", l->witnesses.v, l->witnesses.n, out);
    print_claims("what is possible,", l->able.v, l->able.n, out);
    print_claims("what is allowed,", l->allowed.v, l->allowed.n, out);
    if (!l->witnesses.n && !l->able.n && !l->allowed.n)
        fputs("  nobody says anything about its mode\n", out);
    print_hints(r, l, out);
}

static void print_link(const void *what, const void *detail, FILE *out)
{
    const struct report *r = what;
    const struct link *l = detail;

    print_verdict(r, l, out);
    print_findings_of(r, &l->id, 1, out);
}

void output_explain_link(const struct report *report, const struct link *l,
                         const struct text_style *style, FILE *out)
{
    wrapped(style, out, print_link, report, l);
}

static void print_host(const void *what, const void *detail, FILE *out)
{
    const struct report *r = what;
    const struct host *h = detail;
    const struct host *port = words_physical_port(r, h);
    size_t verdicts[_VERDICT_MAX] = { 0 }, n = 0;

    for (size_t i = 0; i < r->model->links.n; i++)
        if (r->model->links.v[i]->host == h)
            verdicts[r->model->links.v[i]->verdict]++, n++;
    if (port) {
        fprintf(out, "%s is a virtual port (NPIV) of %s: its link is that of %s.\n", h->kernel_name,
                port->kernel_name, port->kernel_name);
        return;
    }
    fprintf(out, "%s%s%s: %zu link%s", h->kernel_name, h->model ? ", " : "",
            h->model ? h->model : "", n, n == 1 ? "" : "s");
    for (int v = 0; v < _VERDICT_MAX; v++)
        if (verdicts[v])
            fprintf(out, ", %zu %s", verdicts[v], verdict_to_string((enum verdict)v));
    fputs(".\n", out);
    if (h->reason)
        fprintf(out, "Its links cannot be seen: %s.\n", h->reason);
    if (h->emulated)
        fprintf(out, "It has no links to judge: %s.\n", h->emulated);
    for (size_t i = 0; i < h->parameters.n; i++)
        fprintf(out, "  %s = %s [%s]\n", h->parameters.v[i].name, h->parameters.v[i].value,
                h->parameters.v[i].from);
    print_findings_of(r, &h->id, 1, out);
}

void output_explain_host(const struct report *report, const struct host *h,
                         const struct text_style *style, FILE *out)
{
    wrapped(style, out, print_host, report, h);
}

static void print_device(const void *what, const void *detail, FILE *out)
{
    const struct report *r = what;
    const struct device *d = detail;
    char payload[32], nodes[128];
    struct link *hop;
    uint64_t kb_per_s = device_path_kb_per_s(d, &hop);
    const char *state = fact_text(d->subject, &KEY_STATE);

    words_nodes(d, true, nodes, sizeof(nodes));
    fprintf(out, "%s%s%s, %s%s%s", d->hctl, *nodes ? " " : "", nodes, d->vendor ? d->vendor : "",
            d->vendor ? " " : "", d->model ? d->model : "");
    if (state && strcmp(state, "running") != 0)
        fprintf(out, ", %s", state);
    if (kb_per_s)
        fprintf(out, ": at most %s, by %s",
                words_payload(kb_per_s, strcpy(payload, ""), sizeof(payload)), hop->kernel_name);
    fputs(".\n", out);
    if (d->link) {
        putc('\n', out);
        print_verdict(r, d->link, out);
    }
    print_findings_of(r, (const char *const[]){ d->id, d->link ? d->link->id : NULL }, 2, out);
}

void output_explain_device(const struct report *report, const struct device *d,
                           const struct text_style *style, FILE *out)
{
    wrapped(style, out, print_device, report, d);
}

/* Of the findings that name it. */
static void print_gone(const void *what, const void *detail, FILE *out)
{
    const struct report *r = what;
    const char *name = detail;

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
