/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The closing sentences (closing.h).
 */
#include "output/closing.h"

#include <stdlib.h>
#include <string.h>

#include "output/table.h"
#include "output/words.h"

enum { LABELS_MAX = 32, FINDINGS_MAX = 20, INFOS_MAX = 5 };

/* Modes and how many links run at them; slots and lanes of wide links are not counted. */
struct tally {
    const char *label;
    size_t n;
};

static size_t tally_modes(const struct report *r, struct tally *tally, size_t *ret_up)
{
    size_t n = 0;

    *ret_up = 0;
    for (size_t i = 0; i < r->model->links.n; i++) {
        const struct link *l = r->model->links.v[i];
        size_t k;

        if (l->state != LINK_UP || l->bundle || !l->actual.known || !l->actual.label ||
            l->has_no_link || (l->host && l == l->host->slot))
            continue;
        (*ret_up)++;
        for (k = 0; k < n && strcmp(tally[k].label, l->actual.label) != 0; k++)
            ;
        if (k == LABELS_MAX)
            continue;
        tally[k] = (struct tally){ l->actual.label, k == n ? 1 : tally[k].n + 1 };
        n += k == n;
    }
    return n;
}

/* "4 links are up: 3 at Ultra320, 1 at Ultra160." */
static void print_modes(const struct report *r, FILE *out)
{
    struct tally tally[LABELS_MAX];
    size_t up, n = tally_modes(r, tally, &up);

    if (!up)
        return;
    fprintf(out, "%zu link%s up:", up, up == 1 ? " is" : "s are");
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s %zu at %s", i ? "," : "", tally[i].n, tally[i].label);
    fputs(".\n", out);
}

static void print_verdicts(const struct report *r, const struct text_style *style, FILE *out)
{
    const struct summary *s = &r->summary;
    char text[160];

    if (!s->links) {
        fputs(r->unexamined ? "Nothing could be examined.\n" : "No SCSI host was found.\n", out);
        return;
    }
    snprintf(text, sizeof(text), "%zu of %zu links run%s below %s expected mode.\n",
             s->verdicts[VERDICT_BELOW], s->links, s->verdicts[VERDICT_BELOW] == 1 ? "s" : "",
             s->verdicts[VERDICT_BELOW] == 1 ? "its" : "their");
    if (s->verdicts[VERDICT_BELOW])
        text_coloured(style, COLOUR_BAD, text, out);
    else if (s->verdicts[VERDICT_OK])
        fprintf(out, "No link is seen to run below its expected mode.\n");
    if (s->verdicts[VERDICT_CAPPED])
        fprintf(out, "%zu held down by configuration.\n", s->verdicts[VERDICT_CAPPED]);
    if (s->verdicts[VERDICT_UNKNOWN])
        fprintf(out, "%zu cannot be judged: hbactl show NAME says why.\n",
                s->verdicts[VERDICT_UNKNOWN]);
}

/* What to type to learn more about a finding. */
static void print_hint(const struct finding *f, const struct text_style *style, FILE *out)
{
    char hint[160];

    snprintf(hint, sizeof(hint), "hbactl explain %s%s%s", f->entry->code,
             f->names.n ? ", hbactl show " : "", f->names.n ? f->names.v[f->names.n - 1] : "");
    fputs("            ", out);
    text_coloured(style, COLOUR_DIM, hint, out);
    putc('\n', out);
}

static void print_findings(const struct report *r, const struct text_style *style, FILE *out)
{
    size_t shown = 0, infos = 0;

    for (size_t i = 0; i < r->findings.n; i++) {
        const struct finding *f = r->findings.v[i];
        char severity[16];

        infos += f->severity == SEVERITY_INFO;
        if (shown >= FINDINGS_MAX || infos > INFOS_MAX)
            continue;
        shown++;
        snprintf(severity, sizeof(severity), "%-8s", severity_to_string(f->severity));
        fputs("  ", out);
        text_coloured(style, f->severity > SEVERITY_INFO ? COLOUR_BAD : COLOUR_NONE, severity, out);
        fprintf(out, "  %s\n", f->summary);
        if (f->severity > SEVERITY_INFO)
            print_hint(f, style, out);
    }
    if (shown < r->findings.n)
        fprintf(out, "  and %zu more: hbactl list findings\n", r->findings.n - shown);
}

static void print_gaps(const struct report *r, FILE *out)
{
    for (size_t i = 0; i < r->gaps.n; i++) {
        const struct gap *g = &r->gaps.v[i];

        fprintf(out, "Not seen (%s%s%s): %s, %zu time%s, the first at %s%s%s.\n",
                quality_to_string(g->quality), g->why ? ": " : "", g->why ? g->why : "", g->what,
                g->count, g->count == 1 ? "" : "s", g->example, g->remedy ? "; " : "",
                g->remedy ? g->remedy : "");
    }
    for (size_t i = 0; i < r->notes.n; i++)
        fprintf(out, "Note: %s.\n", r->notes.v[i]);
}

void output_closing(const struct report *report, const struct text_style *style, FILE *out)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *sentences = open_memstream(&text, &size);

    putc('\n', out);
    if (sentences) {
        print_modes(report, sentences);
        print_verdicts(report, style, sentences);
        print_findings(report, style, sentences);
        print_gaps(report, sentences);
    }
    if (sentences && fclose(sentences) == 0)
        text_wrapped(style, text, out);
    else
        fputs("out of memory\n", out);
}
