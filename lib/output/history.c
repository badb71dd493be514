/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is remembered of an object, for people (output.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/markup.h"
#include "output/spark.h"
#include "output/words.h"

/* One printing. */
struct printing {
    const struct history_answer *answer;
    const struct text_style *style;
    bool html;
    FILE *out;
    int failed; /* no memory */
};

static void failed(struct printing *p, int r)
{
    if (r < 0)
        p->failed = r;
}

static void cell(struct printing *p, struct table *t, size_t column, const char *text)
{
    failed(p, table_cell(t, column, COLOUR_NONE, text));
}

static void time_cell(struct printing *p, struct table *t, size_t column, uint64_t at_us,
                      const char *otherwise)
{
    char text[32];

    cell(p, t, column, at_us ? words_time(at_us, text, sizeof(text)) : otherwise);
}

/* Prints a section with a blank line before it, where it has anything. */
static void end_section(struct printing *p, struct table *t, const char *title)
{
    if (t && table_rows(t) && p->failed == 0 && p->html) {
        markup(p->out, "<h4>%s</h4>\n", title);
        table_html(t, p->out);
    } else if (t && table_rows(t) && p->failed == 0) {
        putc('\n', p->out);
        if (!p->style->no_legend) {
            text_coloured(p->style, COLOUR_BOLD, title, p->out);
            putc('\n', p->out);
        }
        table_print(t, p->style, p->out);
    }
    table_free(t);
}

static struct table *begin_section(struct printing *p, const struct column *columns, size_t n)
{
    struct table *t = table_new(columns, n);

    if (!t)
        p->failed = -1;
    return t;
}

/* ---- how it was ---- */

static const char *state_word(const struct history_change *c)
{
    if (text_same(c->kind, "link"))
        return link_state_to_string(c->state);
    return text_same(c->kind, "remote") ? (c->is_up ? "up" : "not up") : "there";
}

/* "Ultra320", "4 x 12.0 Gb/s", "66.0 MB/s"; "" where it has none. */
static const char *mode_word(const struct history_change *c, char *buffer, size_t size)
{
    if (!c->known || !c->is_up)
        return "";
    return c->label ? c->label : words_payload(c->kb_per_s, buffer, size);
}

static void print_changes(struct printing *p)
{
    static const struct column COLUMNS[] = {
        { "FROM" },
        { "UNTIL" },
        { "STATE" },
        { "MODE", .drop = 1 },
        { "RATE", .right = true, .drop = 3 },
        { "FAR END", .drop = 2, .least = 12 },
    };
    struct table *t = begin_section(p, COLUMNS, ELEMENTS(COLUMNS));

    for (size_t i = 0; p->failed == 0 && i < p->answer->changes.n; i++) {
        const struct history_change *c = &p->answer->changes.v[i];
        char mode[32], rate[32];

        if (c->left_out) {
            failed(p, table_row(t));
            failed(p, table_cellf(t, 0, COLOUR_DIM, "%" PRIu64 " change%s", c->left_out,
                                  c->left_out == 1 ? "" : "s"));
            failed(p, table_cell(t, 1, COLOUR_DIM, "not kept any more"));
        }
        failed(p, table_row(t));
        time_cell(p, t, 0, c->since_us, "");
        time_cell(p, t, 1, c->until_us, "now");
        cell(p, t, 2, state_word(c));
        cell(p, t, 3, mode_word(c, mode, sizeof(mode)));
        cell(p, t, 4, c->known && c->is_up ? words_payload(c->kb_per_s, rate, sizeof(rate)) : "");
        cell(p, t, 5, c->far);
    }
    end_section(p, t, "How it was");
}

/* ---- counters ---- */

/* Adds the row of the counter that is first seen at `first`. */
static void add_counter(struct printing *p, struct table *t, size_t first)
{
    const struct history_answer *a = p->answer;
    const struct history_growth *one = &a->growths.v[first], *last = one;
    VEC(struct spark_time) times = { 0 };
    uint64_t grown = 0, columns[SPARK_MAX];
    char line[SPARK_SIZE];
    bool began_anew = false;
    int r = 0;

    for (size_t i = first; r == 0 && i < a->growths.n; i++) {
        const struct history_growth *g = &a->growths.v[i];

        if (!text_same(g->name, one->name))
            continue;
        last = g;
        grown += g->grown;
        began_anew |= g->is_unknown;
        r = vec_push(&times, (struct spark_time){ g->at_us, g->grown });
    }
    failed(p, r);
    spark_by_time(times.v, times.n, one->from_us, columns);
    failed(p, table_row(t));
    cell(p, t, 0, one->name);
    failed(p, table_cellf(t, 1, COLOUR_NONE, "%" PRIu64 "%s", grown, began_anew ? " or more" : ""));
    time_cell(p, t, 2, one->from_us, "");
    time_cell(p, t, 3, last->at_us, "");
    cell(p, t, 4, spark(columns, SPARK_MAX, p->style->utf8, line));
    failed(p, table_cellf(t, 5, COLOUR_NONE, "%" PRIu64, last->value));
    free(times.v);
}

static void print_counters(struct printing *p)
{
    static const struct column COLUMNS[] = {
        { "COUNTER" },       { "GREW BY", .right = true }, { "FROM", .drop = 3 },
        { "TO", .drop = 2 }, { "WHEN", .drop = 1 },        { "VALUE", .right = true, .drop = 4 },
    };
    const struct history_answer *a = p->answer;
    struct table *t = begin_section(p, COLUMNS, ELEMENTS(COLUMNS));

    for (size_t i = 0; p->failed == 0 && i < a->growths.n; i++) {
        bool is_first = true;

        for (size_t k = 0; k < i; k++)
            is_first &= !text_same(a->growths.v[k].name, a->growths.v[i].name);
        if (is_first)
            add_counter(p, t, i);
    }
    end_section(p, t, "Counters");
}

/* ---- probes ---- */

static bool is_alike(const struct history_probe *a, const struct history_probe *b)
{
    return text_same(a->method, b->method) && a->block_bytes == b->block_bytes;
}

static void add_probe(struct printing *p, struct table *t, size_t first)
{
    const struct history_answer *a = p->answer;
    const struct history_probe *one = &a->probes.v[first], *last = one;
    VEC(uint64_t) rates = { 0 };
    uint64_t n = 0, least = UINT64_MAX, most = 0;
    char line[SPARK_SIZE], rate[32];
    int r = 0;

    for (size_t i = first; r == 0 && i < a->probes.n; i++) {
        const struct history_probe *x = &a->probes.v[i];

        if (!is_alike(x, one))
            continue;
        last = x;
        n += x->n;
        least = x->least_kb_per_s < least ? x->least_kb_per_s : least;
        most = x->most_kb_per_s > most ? x->most_kb_per_s : most;
        r = vec_push(&rates, x->kb_per_s);
    }
    failed(p, r);
    failed(p, table_row(t));
    cell(p, t, 0, one->method);
    failed(p, table_cellf(t, 1, COLOUR_NONE, "%" PRIu64 " KiB", one->block_bytes / 1024));
    failed(p, table_cellf(t, 2, COLOUR_NONE, "%" PRIu64, n));
    cell(p, t, 3, words_payload(last->kb_per_s, rate, sizeof(rate)));
    failed(p, table_cellf(t, 4, COLOUR_NONE, "%" PRIu64 ".%" PRIu64, least / 1000,
                          least % 1000 / 100));
    failed(p,
           table_cellf(t, 5, COLOUR_NONE, "%" PRIu64 ".%" PRIu64, most / 1000, most % 1000 / 100));
    cell(p, t, 6, spark(rates.v, rates.n, p->style->utf8, line));
    if (last->median_us)
        failed(p, table_cellf(t, 7, COLOUR_NONE, "%" PRIu64 ".%02u ms", last->median_us / 1000,
                              (unsigned)(last->median_us % 1000 / 10)));
    time_cell(p, t, 8, last->at_us, "");
    free(rates.v);
}

static void print_probes(struct printing *p)
{
    static const struct column COLUMNS[] = {
        { "PROBE" },
        { "BLOCK", .right = true, .drop = 4 },
        { "TIMES", .right = true, .drop = 3 },
        { "LAST", .right = true },
        { "LEAST", .right = true, .drop = 2 },
        { "MOST", .right = true, .drop = 2 },
        { "TREND" },
        { "ONE READ", .right = true, .drop = 3 },
        { "LAST AT", .drop = 1 },
    };
    const struct history_answer *a = p->answer;
    struct table *t = begin_section(p, COLUMNS, ELEMENTS(COLUMNS));

    for (size_t i = 0; p->failed == 0 && i < a->probes.n; i++) {
        bool is_first = true;

        for (size_t k = 0; k < i; k++)
            is_first &= !is_alike(&a->probes.v[k], &a->probes.v[i]);
        if (is_first)
            add_probe(p, t, i);
    }
    end_section(p, t, "Probes");
}

/* ---- findings ---- */

static const struct acknowledgement *known(const struct history_answer *a,
                                           const struct finding_record *f)
{
    for (size_t i = 0; f->life != FINDING_CLEARED && i < a->acknowledgements.n; i++)
        if (text_same(a->acknowledgements.v[i].key, f->key))
            return &a->acknowledgements.v[i];
    return NULL;
}

/* "rate-below-expected: …, acknowledged by root until …: cable is ordered" */
static void summary_cell(struct printing *p, struct table *t, const struct finding_record *f)
{
    const struct acknowledgement *a = known(p->answer, f);
    char until[32];

    if (!a) {
        failed(p, table_cellf(t, 3, COLOUR_NONE, "%s: %s", f->code, f->summary ? f->summary : ""));
        return;
    }
    words_time(a->until_us, until, sizeof(until));
    failed(p, table_cellf(t, 3, COLOUR_NONE, "%s: %s (acknowledged by %s%s%s: %s)", f->code,
                          f->summary ? f->summary : "", a->by ? a->by : "somebody",
                          a->until_us ? " until " : "", a->until_us ? until : "", a->reason));
}

static void print_findings(struct printing *p)
{
    static const struct column COLUMNS[] = {
        { "SINCE" },
        { "UNTIL" },
        { "SEVERITY", .drop = 1 },
        { "FINDING", .least = 24, .wraps = true },
    };
    const struct history_answer *a = p->answer;
    struct table *t = begin_section(p, COLUMNS, ELEMENTS(COLUMNS));

    for (size_t i = 0; p->failed == 0 && i < a->findings.n; i++) {
        const struct finding_record *f = &a->findings.v[i];

        failed(p, table_row(t));
        time_cell(p, t, 0, f->since_us, "");
        time_cell(p, t, 1, f->until_us, "now");
        failed(p, table_cell(t, 2, f->severity > SEVERITY_INFO ? COLOUR_BAD : COLOUR_NONE,
                             severity_to_string(f->severity)));
        summary_cell(p, t, f);
    }
    end_section(p, t, "Findings");
}

/* ---- all of it ---- */

void output_history(const struct history_of *h, const struct text_style *style, FILE *out)
{
    const struct history_answer *a = h->answer;
    struct printing p = { .answer = a, .style = style, .out = out };

    text_coloured(style, COLOUR_BOLD, h->name, out);
    if (!text_same(h->name, h->id))
        fprintf(out, "  %s", h->id);
    putc('\n', out);
    if (!a->changes.n && !a->growths.n && !a->probes.n && !a->findings.n)
        fputs("Nothing is remembered of it in that time.\n", out);
    print_changes(&p);
    print_counters(&p);
    print_probes(&p);
    print_findings(&p);
    if (p.failed)
        fputs("out of memory\n", out);
    else if (a->is_cut && !style->no_legend)
        fputs("\nThere is more than is shown: ask for a shorter time.\n", out);
}

int output_html_history(const struct history_answer *a, FILE *out)
{
    static const struct text_style PLAIN = { .utf8 = true };
    struct printing p = { .answer = a, .style = &PLAIN, .html = true, .out = out };

    print_changes(&p);
    print_counters(&p);
    print_probes(&p);
    print_findings(&p);
    return p.failed;
}
