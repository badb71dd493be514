/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of timed reads as text (bench.h). What does not count has a word instead of numbers, and is explained below its
 * table.
 */
#include "output/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "output/markup.h"
#include "output/timed.h"
#include "output/words.h"
#include "probe/cell.h"

enum { BAR = 20, TEXT = 512 };

/* ---- parts of rows ---- */

/* A bar of `width` columns at most, `part` of `whole` of it. */
static const char *bar(const struct text_style *style, uint64_t part, uint64_t whole, size_t width,
                       char *buffer, size_t size)
{
    static const char *const EIGHTHS[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
    uint64_t eighths = cell_ratio(part, (double)width * 8, whole), full;
    size_t n = 0;

    eighths = eighths < width * 8 ? eighths : width * 8;
    full = style->utf8 ? eighths / 8 : (eighths + 4) / 8;
    *buffer = '\0';
    for (uint64_t i = 0; i < full && n < size; i++)
        n += (size_t)snprintf(buffer + n, size - n, "%s", style->utf8 ? EIGHTHS[8] : "#");
    if (style->utf8 && n < size)
        snprintf(buffer + n, size - n, "%s", EIGHTHS[eighths % 8]);
    return buffer;
}

static const char *mark(const struct text_style *style, bool best)
{
    return !best ? NULL : style->utf8 ? "►" : "*";
}

/* Thousandths with one decimal below a hundred, none above. */
static const char *short_number(uint64_t thousandths, char *buffer, size_t size)
{
    if (thousandths >= 100000)
        snprintf(buffer, size, "%" PRIu64, (thousandths + 500) / 1000);
    else
        snprintf(buffer, size, TENTHS, TENTHS_OF(thousandths));
    return buffer;
}

static int put_number(struct table *t, size_t column, enum colour colour, uint64_t thousandths)
{
    return thousandths ? table_cellf(t, column, colour, TENTHS, TENTHS_OF(thousandths)) : 0;
}

/* µs as ms with two decimals; 0, which is not known, as a dash. */
static const char *latency(uint64_t us, char *buffer, size_t size)
{
    if (us)
        snprintf(buffer, size, "%" PRIu64 ".%02u", us / 1000, (unsigned)(us % 1000 / 10));
    else
        snprintf(buffer, size, "-");
    return buffer;
}

static int put_latency(struct table *t, size_t column, const struct measurement *m)
{
    char median[32], p99[32];

    if (!m->median_us && !m->p99_us)
        return 0;
    return table_cellf(t, column, COLOUR_NONE, "%s/%s",
                       latency(m->median_us, median, sizeof(median)),
                       latency(m->p99_us, p99, sizeof(p99)));
}

/* Method, block and depth. */
static int put_cell(struct table *t, size_t column, const struct measurement *m)
{
    char text[TEXT], block[24];
    int r = table_cell(t, column, COLOUR_NONE, timed_method(m, text, sizeof(text)));

    if (r == 0)
        r = table_cell(t, column + 1, COLOUR_NONE, timed_block(m->block_bytes, block));
    return r < 0 ? r : table_cellf(t, column + 2, COLOUR_NONE, "%u", m->depth);
}

/* ---- a device ---- */

enum { MARK, METHOD, BLOCK, DEPTH, RATE, COMMANDS, CPU, LATENCY, CHART, LINK, DEVICE_COLUMNS };

static const struct column DEVICE_TABLE[2][DEVICE_COLUMNS] = {
    {
        { "" },
        { "METHOD", .least = 12 },
        { "BLOCK", .right = true },
        { "DEPTH", .right = true },
        { "MB/s", .right = true },
        { "CMD/s", .right = true },
        { "CPU %", .right = true },
        { "MED/p99 ms", .right = true, .drop = 1 },
        { "", .drop = 2 },
        { "LINK", .right = true },
    },
    {
        { "" },
        { "METHOD", .least = 12 },
        { "BLOCK", .right = true },
        { "DEPTH", .right = true, .drop = 2 },
        { "MB/s", .right = true },
        { "CMD/s", .right = true, .drop = 3 },
        { "CPU %", .right = true, .drop = 1 },
        { "MED/p99 ms", .right = true, .drop = 4 },
        { "", .least = 8 },
        { "LINK", .right = true },
    },
};

struct printing {
    const struct text_style *style;
    bool chart;
    FILE *out;
};

static int put_read(const struct printing *p, struct table *t, const struct bench_device *d,
                    const struct measurement *m)
{
    const struct measurement *best = d->sweep.best;
    bool is_best = best && m == best;
    enum colour colour = is_best ? COLOUR_GOOD : COLOUR_NONE;
    uint64_t whole = best ? cell_kb_per_s(best) : 0, rate = cell_kb_per_s(m);
    char text[4 * BAR + 16];
    int r = table_row(t);

    whole = d->path.kb_per_s > whole ? d->path.kb_per_s : whole;
    if (r == 0)
        r = table_cell(t, MARK, colour, mark(p->style, is_best));
    if (r == 0)
        r = put_cell(t, METHOD, m);
    if (r == 0 && timed_trouble(m))
        return table_cell(t, RATE, COLOUR_BAD, timed_trouble(m));
    if (r == 0)
        r = put_number(t, RATE, colour, rate);
    if (r == 0)
        r = table_cell(t, COMMANDS, COLOUR_NONE,
                       short_number(cell_commands_per_1000s(m), text, sizeof(text)));
    if (r == 0)
        r = table_cellf(t, CPU, COLOUR_NONE, TENTHS, TENTHS_OF(cell_cpu_permille(m) * 100));
    if (r == 0)
        r = put_latency(t, LATENCY, m);
    if (r == 0 && (p->chart || p->style->columns))
        r = table_cell(t, CHART, colour, bar(p->style, rate, whole, BAR, text, sizeof(text)));
    return r < 0 ? r : put_number(t, LINK, COLOUR_NONE, d->path.kb_per_s);
}

/* Is it trouble of the same kind for the same reason as the one before? */
static bool is_same_trouble(const struct measurement *a, const struct measurement *b)
{
    char x[TEXT], y[TEXT];

    return strcmp(timed_trouble(a), timed_trouble(b)) == 0 &&
           strcmp(timed_reason(a, x, sizeof(x)), timed_reason(b, y, sizeof(y))) == 0;
}

/* "read-media/sg, 64K and 3 more: refused: asleep." for each run of reads that do not count. */
static void print_troubles(const struct printing *p, const struct timed *const *reads, size_t n,
                           bool with_device)
{
    size_t run = 0;

    for (size_t i = 0; i < n; i += run) {
        const struct measurement *m = reads[i]->read;
        char method[TEXT], block[24], reason[TEXT], more[40] = "", text[3 * TEXT];

        run = 1;
        if (!timed_trouble(m))
            continue;
        while (!with_device && i + run < n && timed_trouble(reads[i + run]->read) &&
               is_same_trouble(m, reads[i + run]->read))
            run++;
        if (run > 1)
            snprintf(more, sizeof(more), " and %zu more", run - 1);
        snprintf(text, sizeof(text), "%s%s%s, %s%s: %s: %s.", with_device ? m->hctl : "",
                 with_device ? ", " : "", timed_method(m, method, sizeof(method)),
                 timed_block(m->block_bytes, block), more, timed_trouble(m),
                 timed_reason(m, reason, sizeof(reason)));
        text_wrapped(p->style, text, p->out);
    }
}

/* What is read, and through what. */
static void print_name(const struct printing *p, const struct bench_device *d)
{
    const struct device *x = d->device;
    char nodes[TEXT], payload[32];

    fprintf(p->out, "%s  %s  %s%s%s", x->hctl, words_nodes(x, false, nodes, sizeof(nodes)),
            x->vendor ? x->vendor : "", x->vendor ? " " : "", x->model ? x->model : "");
    if (d->path.kb_per_s)
        fprintf(p->out, ", at most %s by %s",
                words_payload(d->path.kb_per_s, payload, sizeof(payload)), d->path.hop);
    putc('\n', p->out);
}

/* Who uses it. */
static void print_users(const struct printing *p, const struct bench_device *d)
{
    const struct device *x = d->device;

    for (size_t i = 0; i < x->users.n; i++)
        fprintf(p->out, "%s%s\n", i ? "        " : "In use: ", x->users.v[i]);
    if (x->users.n)
        fputs("It was only read.\n", p->out);
}

static void print_sentence(const struct printing *p, const char *before, const char *sentence)
{
    _cleanup_free_ char *text = NULL;

    if (!sentence)
        return;
    if (asprintf(&text, "%s%s.", before, sentence) < 0) {
        text = NULL;
        return;
    }
    text_wrapped(p->style, text, p->out);
}

/* The table of a device; NULL without memory. */
static struct table *device_table(const struct printing *p, const struct bench_device *d)
{
    struct table *t = table_new(DEVICE_TABLE[p->chart], DEVICE_COLUMNS);
    int r = t ? 0 : -1;

    for (size_t i = 0; r == 0 && i < d->cells.n; i++)
        r = put_read(p, t, d, d->cells.v[i]->read);
    return r == 0 ? t : table_free(t);
}

/* What is said below it. */
static void print_device_sentences(const struct printing *p, const struct bench_device *d)
{
    print_troubles(p, d->cells.v, d->cells.n, false);
    if (p->style->no_legend)
        return;
    if (!d->plateau || d->sweep.limit != SWEEP_UNKNOWN)
        print_sentence(p, "", d->sweep.sentence);
    print_sentence(p, "", d->sweep.copying);
    print_sentence(p, "By the clock, ", d->plateau);
}

static int print_device(const struct printing *p, const struct bench_device *d)
{
    _cleanup_(table_freep) struct table *t = device_table(p, d);

    print_name(p, d);
    print_users(p, d);
    if (!t)
        return -1;
    table_print(t, p->style, p->out);
    print_device_sentences(p, d);
    return 0;
}

/* ---- several devices ---- */

enum { T_MARK, T_METHOD, T_BLOCK, T_DEPTH, T_RATE, T_ALONE, T_IDLE, T_CHART, T_LINK, T_COLUMNS };

static const struct column TOGETHER_TABLE[2][T_COLUMNS] = {
    {
        { "" },
        { "METHOD", .least = 12 },
        { "BLOCK", .right = true },
        { "DEPTH", .right = true },
        { "MB/s", .right = true },
        { "ALONE", .right = true },
        { "IDLE %", .right = true },
        { "", .drop = 1 },
        { "LINK", .right = true },
    },
    {
        { "" },
        { "METHOD", .least = 12 },
        { "BLOCK", .right = true },
        { "DEPTH", .right = true, .drop = 2 },
        { "MB/s", .right = true },
        { "ALONE", .right = true },
        { "IDLE %", .right = true, .drop = 1 },
        { "", .least = 8 },
        { "LINK", .right = true },
    },
};

/* The least that is known of idle processors. */
static uint64_t idle_of(const struct bench_cell *c)
{
    uint64_t least = 0;

    for (size_t i = 0; i < c->reads.n; i++) {
        uint64_t x = c->reads.v[i]->read->idle_permille;

        least = x && (!least || x < least) ? x : least;
    }
    return least;
}

static int put_together(const struct printing *p, struct table *t, const struct bench *b,
                        const struct bench_cell *c)
{
    enum colour colour = c == b->best ? COLOUR_GOOD : COLOUR_NONE;
    uint64_t whole = b->best ? b->best->together.kb_per_s : 0;
    char text[4 * BAR + 16];
    int r = table_row(t);

    whole = c->hop.kb_per_s > whole ? c->hop.kb_per_s : whole;
    if (r == 0)
        r = table_cell(t, T_MARK, colour, mark(p->style, c == b->best));
    if (r == 0)
        r = put_cell(t, T_METHOD, c->reads.v[0]->read);
    if (r == 0 && c->together.n)
        r = put_number(t, T_RATE, colour, c->together.kb_per_s);
    else if (r == 0)
        r = table_cell(t, T_RATE, COLOUR_BAD, timed_trouble(c->reads.v[0]->read));
    if (r == 0)
        r = put_number(t, T_ALONE, COLOUR_NONE, c->together.alone_kb_per_s);
    if (r == 0)
        r = put_number(t, T_IDLE, COLOUR_NONE, idle_of(c) * 100);
    if (r == 0 && (p->chart || p->style->columns))
        r = table_cell(t, T_CHART, colour,
                       bar(p->style, c->together.kb_per_s, whole, BAR, text, sizeof(text)));
    return r < 0 ? r : put_number(t, T_LINK, COLOUR_NONE, c->hop.kb_per_s);
}

/* What each device got of the best cell. */
static struct table *shares_table(const struct bench_cell *c)
{
    static const struct column COLUMNS[] = {
        { "DEVICE" },
        { "NODE" },
        { "MB/s", .right = true },
        { "SHARE %", .right = true },
        { "ALONE", .right = true },
    };
    struct table *t = table_new(COLUMNS, ELEMENTS(COLUMNS));
    int r = t ? 0 : -1;
    char nodes[TEXT];

    for (size_t i = 0; r == 0 && i < c->reads.n; i++) {
        const struct measurement *m = c->reads.v[i]->read;

        r = table_row(t);
        if (r == 0)
            r = table_cell(t, 0, COLOUR_NONE, m->hctl);
        if (r == 0)
            r = table_cell(t, 1, COLOUR_NONE,
                           words_nodes(c->reads.v[i]->device, false, nodes, sizeof(nodes)));
        if (r == 0 && timed_trouble(m))
            r = table_cell(t, 2, COLOUR_BAD, timed_trouble(m));
        else if (r == 0)
            r = put_number(t, 2, COLOUR_NONE, cell_kb_per_s(m));
        if (r == 0 && !timed_trouble(m))
            r = put_number(t, 3, COLOUR_NONE,
                           cell_ratio(cell_kb_per_s(m), 100000, c->together.kb_per_s));
        if (r == 0 && c->alone[i])
            r = put_number(t, 4, COLOUR_NONE, cell_kb_per_s(c->alone[i]));
    }
    return r == 0 ? t : table_free(t);
}

static struct table *together_table(const struct printing *p, const struct bench *b)
{
    struct table *t = table_new(TOGETHER_TABLE[p->chart], T_COLUMNS);
    int r = t ? 0 : -1;

    for (size_t i = 0; r == 0 && i < b->cells.n; i++)
        r = put_together(p, t, b, &b->cells.v[i]);
    return r == 0 ? t : table_free(t);
}

static void print_together_head(const struct printing *p, const struct bench *b)
{
    fprintf(p->out, "Together: %u devices at the same time\n",
            b->cells.v[0].reads.v[0]->read->together);
}

static void print_together_troubles(const struct printing *p, const struct bench *b)
{
    for (size_t i = 0; i < b->cells.n; i++)
        print_troubles(p, b->cells.v[i].reads.v, b->cells.v[i].reads.n, true);
}

static void print_together_sentence(const struct printing *p, const struct bench *b)
{
    print_sentence(p, "Together: ", (b->best ? b->best : &b->cells.v[0])->together.sentence);
}

static int print_together(const struct printing *p, const struct bench *b)
{
    _cleanup_(table_freep) struct table *t = together_table(p, b),
                                        *shares = b->best ? shares_table(b->best) : NULL;

    if (!t || (b->best && !shares))
        return -1;
    print_together_head(p, b);
    table_print(t, p->style, p->out);
    print_together_troubles(p, b);
    if (shares) {
        putc('\n', p->out);
        table_print(shares, p->style, p->out);
    }
    if (!p->style->no_legend)
        print_together_sentence(p, b);
    return 0;
}

void output_bench(const struct bench *b, const struct text_style *style, bool chart, FILE *out)
{
    struct printing p = { style, chart, out };
    int r = 0;

    for (size_t i = 0; r == 0 && i < b->devices.n; i++) {
        if (i)
            putc('\n', out);
        r = print_device(&p, &b->devices.v[i]);
    }
    if (r == 0 && b->cells.n) {
        putc('\n', out);
        r = print_together(&p, b);
    }
    if (r < 0)
        fputs("out of memory\n", out);
}

/* ---- as HTML: the same tables and sentences ---- */

static int html_lines(struct printing *p, const char *element, const void *what,
                      void (*print)(const struct printing *p, const void *what), FILE *out)
{
    struct markup_lines lines;
    int r = markup_lines_begin(&lines);

    if (r < 0)
        return r;
    p->out = lines.text;
    print(p, what);
    return markup_lines_end(&lines, element, out);
}

static void device_name(const struct printing *p, const void *what)
{
    print_name(p, what);
}

static void device_users(const struct printing *p, const void *what)
{
    print_users(p, what);
}

static void device_sentences(const struct printing *p, const void *what)
{
    print_device_sentences(p, what);
}

/* How it is laid out. */
static struct printing plain(void)
{
    static const struct text_style PLAIN = { .utf8 = true };

    return (struct printing){ &PLAIN, true, NULL };
}

int output_html_bench(const struct bench_device *d, FILE *out)
{
    struct printing p = plain();
    _cleanup_(table_freep) struct table *t = device_table(&p, d);
    int r = t ? html_lines(&p, "h3", d, device_name, out) : -ENOMEM;

    if (r == 0)
        r = html_lines(&p, "p", d, device_users, out);
    if (r == 0)
        table_html(t, out);
    return r < 0 ? r : html_lines(&p, "p", d, device_sentences, out);
}

static void together_head(const struct printing *p, const void *what)
{
    print_together_head(p, what);
}

static void together_sentences(const struct printing *p, const void *what)
{
    print_together_troubles(p, what);
    print_together_sentence(p, what);
}

int output_html_together(const struct bench *b, FILE *out)
{
    struct printing p = plain();
    _cleanup_(table_freep) struct table *t = together_table(&p, b),
                                        *shares = b->best ? shares_table(b->best) : NULL;
    int r = t && (shares || !b->best) ? html_lines(&p, "h3", b, together_head, out) : -ENOMEM;

    if (r == 0)
        table_html(t, out);
    if (r == 0 && shares)
        table_html(shares, out);
    return r < 0 ? r : html_lines(&p, "p", b, together_sentences, out);
}
