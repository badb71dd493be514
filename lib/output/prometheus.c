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
    p->name = name;
    p->type = type;
    p->help = help;
}

/* ---- samples ---- */

static void put(struct prometheus *p, const char *text, size_t len)
{
    if (p->failed || vec_reserve(&p->lines, len) < 0) {
        p->failed = true;
        return;
    }
    memcpy(p->lines.v + p->lines.n, text, len);
    p->lines.n += len;
}

static void put_text(struct prometheus *p, const char *text)
{
    put(p, text, strlen(text));
}

/* How many bytes at the start of the text can stand as they are: printable ASCII, but what is escaped. */
static size_t plain(const char *text)
{
    size_t n = 0;

    while (text[n] >= ' ' && text[n] < '\x7f' && text[n] != '"' && text[n] != '\\')
        n++;
    return n;
}

/* How many bytes the character beyond ASCII at the start of the text has; 0 where there is no valid one. */
static size_t character(const char *text)
{
    for (size_t n = 2; n <= 4 && text[n - 2] && text[n - 1]; n++)
        if (text_is_utf8((struct bytes){ (const uint8_t *)text, n }))
            return n;
    return 0;
}

static void put_value(struct prometheus *p, const char *value)
{
    for (size_t n; *value; value += n) {
        n = plain(value);
        if (n) {
            put(p, value, n);
            continue;
        }
        n = (unsigned char)*value >= 0x80 ? character(value) : 0;
        if (n) {
            put(p, value, n);
            continue;
        }
        n = 1;
        put_text(p, *value == '\n'   ? "\\n"
                    : *value == '"'  ? "\\\""
                    : *value == '\\' ? "\\\\"
                                     : "?");
    }
}

static void put_labels(struct prometheus *p, const struct prometheus_label *labels)
{
    const char *before = "{";

    for (; labels && labels->name; labels++) {
        if (!labels->value || !*labels->value)
            continue;
        put_text(p, before);
        put_text(p, labels->name);
        put_text(p, "=\"");
        put_value(p, labels->value);
        put_text(p, "\"");
        before = ",";
    }
    if (*before == ',')
        put_text(p, "}");
}

void prometheus_sample(struct prometheus *p, const struct prometheus_label *labels, uint64_t value,
                       unsigned digits)
{
    uint64_t scale = 1;
    char text[48];

    for (; digits && value % 10 == 0; digits--)
        value /= 10;
    for (unsigned i = 0; i < digits; i++)
        scale *= 10;
    if (p->failed || vec_push(&p->starts, p->lines.n) < 0)
        p->failed = true;
    put_text(p, p->name);
    put_labels(p, labels);
    snprintf(text, sizeof(text), " %" PRIu64, value / scale);
    put_text(p, text);
    if (digits) {
        snprintf(text, sizeof(text), ".%0*" PRIu64, (int)digits, value % scale);
        put_text(p, text);
    }
    put(p, "", 1);
}

/* ---- a family ---- */

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
        lines[i].text = p->lines.v + p->starts.v[i];
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
    if (!p->failed && p->starts.n)
        write_family(p);
    p->lines.n = p->starts.n = 0;
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
    free(p->lines.v);
    free(p->starts.v);
    return p->failed ? -ENOMEM : 0;
}
