/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The closing sentences (closing.h).
 */
#include "output/closing.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/table.h"
#include "output/words.h"

enum { GROUPS_MAX = 32, NAMES_MAX = 4, FINDINGS_MAX = 20, INFOS_MAX = 5 };

/* What a link is counted as: "at Ultra320", "empty". */
static void group_of(const struct link *l, char *buffer, size_t size)
{
    char mode[64];

    if (l->has_no_link)
        snprintf(buffer, size, "without a physical link");
    else if (l->state == LINK_UNKNOWN)
        snprintf(buffer, size, "in a state that is not known");
    else if (l->state != LINK_UP)
        snprintf(buffer, size, "%s", link_state_to_string(l->state));
    else if (l->actual.known && *words_mode(&l->actual, mode, sizeof(mode)))
        snprintf(buffer, size, "at %s", words_mode(&l->actual, mode, sizeof(mode)));
    else
        snprintf(buffer, size, "at a mode that is not known");
}

struct group {
    char what[80];
    size_t n;
};

/* "4 links: 2 at Ultra320, 1 at Ultra160, 1 empty." Modes come first; the numbers add up. */
static void print_links(const struct report *r, FILE *out)
{
    struct group groups[GROUPS_MAX] = { 0 };
    size_t links = 0, n = 0, shown = 0;

    for (size_t i = 0; i < r->model->links.n; i++) {
        const struct link *l = r->model->links.v[i];
        char what[80];
        size_t k = 0;

        if (!words_counts(l))
            continue;
        links++;
        group_of(l, what, sizeof(what));
        while (k < n && strcmp(groups[k].what, what) != 0)
            k++;
        if (k == GROUPS_MAX) /* then the last one is for all others */
            snprintf(groups[--k].what, sizeof(what), "otherwise");
        else if (k == n)
            memcpy(groups[n++].what, what, sizeof(what));
        groups[k].n++;
    }
    fprintf(out, "%zu link%s:", links, links == 1 ? "" : "s");
    for (int modes = 1; modes >= 0; modes--)
        for (size_t i = 0; i < n; i++)
            if (text_starts_with(groups[i].what, "at ") == modes)
                fprintf(out, "%s %zu %s", shown++ ? "," : "", groups[i].n, groups[i].what);
    fputs(".\n", out);
}

static size_t count_verdicts(const struct report *r, enum verdict v)
{
    size_t n = 0;

    for (size_t i = 0; i < r->model->links.n; i++)
        n += words_has_verdict(r->model->links.v[i], v);
    return n;
}

/* "link1, link2 and 3 more": which of `n` those are. */
static void print_names(const struct report *r, enum verdict v, size_t n, FILE *out)
{
    size_t shown = 0;

    for (size_t i = 0; i < r->model->links.n && shown < NAMES_MAX; i++)
        if (words_has_verdict(r->model->links.v[i], v))
            fprintf(out, "%s%s", shown++ ? ", " : "", r->model->links.v[i]->kernel_name);
    if (shown < n)
        fprintf(out, " and %zu more", n - shown);
}

static const char *command(const struct text_style *style)
{
    return style->command ? style->command : "hbactl";
}

/* What to type to learn more, in lines that fit and that a shell takes as one. */
static void print_hint(const struct text_style *style, const char *what, const char *name,
                       FILE *out)
{
    enum { INDENT = 4 };
    _cleanup_free_ char *hint = NULL;
    size_t column = INDENT;

    if (asprintf(&hint, "%s %s %s", command(style), what, name) < 0)
        return;
    fprintf(out, "%*s", INDENT, "");
    for (char *word = hint, *end; *word; word = end) {
        size_t spaces = strspn(word, " ");
        char after;

        end = word + spaces + strcspn(word + spaces, " ");
        after = *end;
        *end = '\0';
        if (style->columns && spaces && column + text_width(word) + 2 > style->columns) {
            fprintf(out, " \\\n%*s", INDENT + 2, "");
            column = INDENT + 2;
            word += spaces;
        }
        text_coloured(style, COLOUR_DIM, word, out);
        column += text_width(word);
        *end = after;
    }
    putc('\n', out);
}

static void print_unknown(const struct report *r, const struct text_style *style, FILE *out)
{
    size_t unknown = count_verdicts(r, VERDICT_UNKNOWN);

    if (!unknown)
        return;
    fprintf(out, "%zu cannot be judged: ", unknown);
    print_names(r, VERDICT_UNKNOWN, unknown, out);
    fputs(".\n", out);
    for (size_t i = 0; style && i < r->model->links.n; i++)
        if (words_has_verdict(r->model->links.v[i], VERDICT_UNKNOWN)) {
            print_hint(style, "explain", r->model->links.v[i]->kernel_name, out);
            break;
        }
}

static void print_verdicts(const struct report *r, const struct text_style *style, FILE *out)
{
    size_t below = count_verdicts(r, VERDICT_BELOW), capped = count_verdicts(r, VERDICT_CAPPED);
    char text[160];

    snprintf(text, sizeof(text), "%zu of them run%s below %s expected mode.", below,
             below == 1 ? "s" : "", below == 1 ? "its" : "their");
    if (below && style)
        text_coloured(style, COLOUR_BAD, text, out);
    else if (below)
        fputs(text, out);
    else if (count_verdicts(r, VERDICT_OK))
        fprintf(out, "No link is seen to run below its expected mode%s.",
                r->summary.worst > SEVERITY_INFO ? ", but something else is wrong" : "");
    if (below || count_verdicts(r, VERDICT_OK))
        putc('\n', out);
    if (capped) {
        fprintf(out, "%zu held down by configuration: ", capped);
        print_names(r, VERDICT_CAPPED, capped, out);
        fputs(".\n", out);
    }
    print_unknown(r, style, out);
}

/* What there is where no link is. */
static void print_nothing(const struct report *r, FILE *out)
{
    if (r->model->hosts.n)
        fputs("No link was found.\n", out);
    else
        fputs(r->unexamined ? "Nothing could be examined.\n" : "No SCSI host was found.\n", out);
}

void closing_counts(const struct report *r, const struct text_style *style, FILE *out)
{
    if (r->model->links.n) {
        print_links(r, out);
        print_verdicts(r, style, out);
    } else {
        print_nothing(r, out);
    }
}

/* What a finding is asked for by: of one thing the last of its names that is there, its node; of several the first,
 * which explains all. Something that is gone is called as it was. */
static const char *name_of(const struct report *r, const struct finding *f)
{
    const char *found = NULL;

    for (size_t i = 0; i < f->names.n; i++)
        if (words_is_there(r, f->names.v[i]) && (!found || f->subjects.n == 1))
            found = f->names.v[i];
    return found ? found : f->names.n ? f->names.v[0] : f->entry->code;
}

void output_finding(const struct report *r, const struct text_style *style, const struct finding *f,
                    FILE *out)
{
    char buffer[WORDS_ACKNOWLEDGED];
    const char *acknowledged = words_acknowledged(f, buffer, sizeof(buffer));

    fputs("  ", out);
    text_coloured(style, f->severity > SEVERITY_INFO ? COLOUR_BAD : COLOUR_NONE,
                  severity_to_string(f->severity), out);
    fprintf(out, ": %s", f->summary);
    if (acknowledged)
        fprintf(out, " (%s)", acknowledged);
    putc('\n', out);
    if (f->severity > SEVERITY_INFO)
        print_hint(style, "explain", name_of(r, f), out);
}

static void print_findings(const struct report *r, const struct text_style *style, FILE *out)
{
    size_t shown = 0, infos = 0;

    for (size_t i = 0; i < r->findings.n; i++) {
        const struct finding *f = r->findings.v[i];

        infos += f->severity == SEVERITY_INFO;
        if (shown >= FINDINGS_MAX || infos > INFOS_MAX)
            continue;
        shown++;
        output_finding(r, style, f, out);
    }
    if (shown < r->findings.n) {
        fprintf(out, "  and %zu more:\n", r->findings.n - shown);
        print_hint(style, "list", "findings", out);
    }
}

void closing_gaps(const struct report *r, FILE *out)
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

static void print_all(const struct report *report, const struct text_style *style, FILE *out)
{
    closing_counts(report, style, out);
    print_findings(report, style, out);
    closing_gaps(report, out);
}

static void print_unsure(const struct report *report, const struct text_style *style, FILE *out)
{
    if (report->model->links.n)
        print_unknown(report, style, out);
    else
        print_nothing(report, out);
    closing_gaps(report, out);
}

static void print_wrapped(const struct report *report, const struct text_style *style,
                          void (*print)(const struct report *report, const struct text_style *style,
                                        FILE *out),
                          FILE *out)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *sentences = open_memstream(&text, &size);

    if (sentences)
        print(report, style, sentences);
    if (sentences && fclose(sentences) == 0)
        text_wrapped(style, text, out);
    else
        fputs("out of memory\n", out);
}

void output_closing(const struct report *report, const struct text_style *style, FILE *out)
{
    putc('\n', out);
    print_wrapped(report, style, print_all, out);
}

void closing_unsure(const struct report *report, const struct text_style *style, FILE *out)
{
    print_wrapped(report, style, print_unsure, out);
}
