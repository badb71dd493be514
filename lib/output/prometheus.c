/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text format of metrics (prometheus.h).
 */
#include "output/prometheus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct prometheus prometheus(FILE *out)
{
    return (struct prometheus){ .out = out };
}

void prometheus_begin(struct prometheus *p, const char *name, enum prometheus_type type,
                      const char *help)
{
    if (p->failed)
        return;
    p->name = name;
    p->type = type;
    p->help = help;
    p->samples = open_memstream(&p->text, &p->size);
    p->failed = !p->samples;
}

/* How many bytes the character at the start of the text has; 0 where it is no valid one. */
static size_t character(const char *text)
{
    for (size_t n = 1; n <= 4 && text[n - 1]; n++)
        if (text_is_utf8((struct bytes){ (const uint8_t *)text, n }))
            return n;
    return 0;
}

static void put_value(const char *value, FILE *out)
{
    while (*value) {
        size_t n = character(value);

        if (*value == '\n')
            fputs("\\n", out);
        else if (*value == '"' || *value == '\\')
            fprintf(out, "\\%c", *value);
        else if (!n || (n == 1 && ((unsigned char)*value < ' ' || *value == '\x7f')))
            putc('?', out);
        else
            fwrite(value, n, 1, out);
        value += n ? n : 1;
    }
}

static void put_labels(const struct prometheus_label *labels, FILE *out)
{
    char before = '{';

    for (; labels && labels->name; labels++) {
        if (!labels->value || !*labels->value)
            continue;
        fprintf(out, "%c%s=\"", before, labels->name);
        put_value(labels->value, out);
        putc('"', out);
        before = ',';
    }
    if (before == ',')
        putc('}', out);
}

void prometheus_sample(struct prometheus *p, const struct prometheus_label *labels, uint64_t value,
                       unsigned digits)
{
    uint64_t scale = 1;

    if (p->failed)
        return;
    for (; digits && value % 10 == 0; digits--)
        value /= 10;
    for (unsigned i = 0; i < digits; i++)
        scale *= 10;
    p->failed = fflush(p->samples) != 0 || vec_push(&p->starts, p->size) < 0;
    fputs(p->name, p->samples);
    put_labels(labels, p->samples);
    fprintf(p->samples, " %" PRIu64, value / scale);
    if (digits)
        fprintf(p->samples, ".%0*" PRIu64, (int)digits, value % scale);
    putc('\0', p->samples);
}

/* A line; up to its last blank it says which sample it is. */
struct line {
    const char *text;
    size_t n;
};

static int compare(const struct line *a, const struct line *b)
{
    int r = memcmp(a->text, b->text, a->n < b->n ? a->n : b->n);

    return r ? r : (a->n > b->n) - (a->n < b->n);
}

/* The later one comes first among those that say the same. */
static int by_labels(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int r = compare(x, y);

    return r ? r : (x->text < y->text) - (x->text > y->text);
}

static void put_help(const char *help, FILE *out)
{
    for (; *help; help++)
        if (*help == '\n' || *help == '\\')
            fprintf(out, "\\%c", *help == '\n' ? 'n' : '\\');
        else
            putc(*help, out);
}

static void write_family(struct prometheus *p)
{
    static const char *const TYPES[] = { "gauge", "counter" };
    size_t n = p->starts.n;
    _cleanup_free_ struct line *lines = calloc(n, sizeof(*lines));

    p->failed = !lines;
    if (!lines)
        return;
    for (size_t i = 0; i < n; i++) {
        lines[i].text = p->text + p->starts.v[i];
        lines[i].n = (size_t)(strrchr(lines[i].text, ' ') - lines[i].text);
    }
    qsort(lines, n, sizeof(*lines), by_labels);
    fprintf(p->out, "# HELP %s ", p->name);
    put_help(p->help, p->out);
    fprintf(p->out, "\n# TYPE %s %s\n", p->name, TYPES[p->type]);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare(&lines[i - 1], &lines[i]) != 0)
            fprintf(p->out, "%s\n", lines[i].text);
}

void prometheus_end(struct prometheus *p)
{
    if (p->samples && fclose(p->samples) != 0)
        p->failed = true;
    if (!p->failed && p->starts.n)
        write_family(p);
    free(p->text);
    p->text = NULL;
    p->samples = NULL;
    p->starts.n = 0;
}

void prometheus_single(struct prometheus *p, const char *name, enum prometheus_type type,
                       const char *help, uint64_t value, unsigned digits)
{
    prometheus_begin(p, name, type, help);
    prometheus_sample(p, NULL, value, digits);
    prometheus_end(p);
}

int prometheus_done(struct prometheus *p)
{
    free(p->starts.v);
    return p->failed ? -ENOMEM : 0;
}
