/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two reports beside each other (output.h).
 */
#include <inttypes.h>
#include <string.h>

#include "output/table.h"
#include "output/timed.h"
#include "probe/cell.h"

enum { TEXT = 256 };

/* "-8.6" */
static const char *percent(int64_t permille, char *buffer, size_t size)
{
    uint64_t n = permille < 0 ? (uint64_t)-permille : (uint64_t)permille;

    snprintf(buffer, size, "%s" TENTHS, permille < 0 ? "-" : "+", TENTHS_OF(n * 100));
    return buffer;
}

/* Milliseconds for a MB with two decimals, before and after. */
static int put_costs(struct table *t, size_t column, const struct rate_pair *x)
{
    uint64_t a = (cell_cpu_ns_per_mb(x->before) + 5000) / 10000,
             b = (cell_cpu_ns_per_mb(x->after) + 5000) / 10000;

    if (!x->before->cpu_us || !x->after->cpu_us)
        return 0;
    return table_cellf(t, column, COLOUR_NONE, "%" PRIu64 ".%02u/%" PRIu64 ".%02u", a / 100,
                       (unsigned)(a % 100), b / 100, (unsigned)(b % 100));
}

static int put_rates(struct table *t, const struct rate_pair *x)
{
    enum colour colour = !x->differs ? COLOUR_NONE : x->permille < 0 ? COLOUR_BAD : COLOUR_GOOD;
    char text[TEXT];
    int r = table_row(t);

    if (r == 0)
        r = table_cell(t, 0, COLOUR_NONE, x->device->hctl);
    if (r == 0)
        r = table_cell(t, 1, COLOUR_NONE, timed_method(x->after, text, sizeof(text)));
    if (r == 0)
        r = table_cell(t, 2, COLOUR_NONE, timed_block(x->after->block_bytes, text));
    if (r == 0)
        r = table_cellf(t, 3, COLOUR_NONE, "%u", x->after->depth);
    if (r == 0 && x->after->together > 1)
        r = table_cellf(t, 4, COLOUR_NONE, "%u", x->after->together);
    if (r == 0)
        r = table_cellf(t, 5, COLOUR_NONE, TENTHS, TENTHS_OF(cell_kb_per_s(x->before)));
    if (r == 0)
        r = table_cellf(t, 6, COLOUR_NONE, TENTHS, TENTHS_OF(cell_kb_per_s(x->after)));
    if (r == 0)
        r = table_cell(t, 7, colour, percent(x->permille, text, sizeof(text)));
    if (r == 0)
        r = table_cell(t, 8, colour, x->differs ? "*" : NULL);
    return r < 0 ? r : put_costs(t, 9, x);
}

/* Returns 0 or a negative errno. */
static int print_rates(const struct rates *rates, const struct text_style *style, FILE *out)
{
    static const struct column COLUMNS[] = {
        { "DEVICE" },
        { "METHOD", .least = 12 },
        { "BLOCK", .right = true },
        { "DEPTH", .right = true, .drop = 1 },
        { "OF", .right = true },
        { "MB/s", .right = true },
        { "AFTER", .right = true },
        { "%", .right = true },
        { "" },
        { "CPU ms/MB", .right = true },
    };
    _cleanup_(table_freep) struct table *t = table_new(COLUMNS, ELEMENTS(COLUMNS));
    int r = t ? 0 : -1;

    for (size_t i = 0; r == 0 && i < rates->n; i++)
        r = put_rates(t, &rates->v[i]);
    if (r == 0)
        table_print(t, style, out);
    return r;
}

void output_comparison(const struct comparison *c, const struct rates *rates,
                       const struct text_style *style, FILE *out)
{
    static const struct column COLUMNS[] = {
        { "KIND", .drop = 1 },    { "ABOUT", .least = 8 }, { "WHAT", .least = 8 },
        { "BEFORE", .least = 8 }, { "AFTER", .least = 8 },
    };
    _cleanup_(table_freep) struct table *t = table_new(COLUMNS, ELEMENTS(COLUMNS));
    const struct change *other = comparison_other_machine(c);
    size_t n = c->changes.n - (other ? 1 : 0);
    int r = t ? 0 : -1;
    char text[2 * TEXT];

    for (size_t i = other ? 1 : 0; r == 0 && i < c->changes.n; i++) {
        const struct change *x = &c->changes.v[i];
        const char *const CELLS[] = {
            change_kind_to_string(x->kind),
            x->name,
            x->what,
            x->before ? x->before : "(nothing)",
            x->after ? x->after : "(nothing)",
        };

        r = table_row(t);
        for (size_t k = 0; r == 0 && k < ELEMENTS(CELLS); k++)
            r = table_cell(t, k, COLOUR_NONE, CELLS[k]);
    }
    if (r < 0) {
        fputs("out of memory\n", out);
        return;
    }
    if (other) {
        snprintf(
            text, sizeof(text),
            "These seem to be two machines, not one before and after (%s: %s, %s). What follows tells them "
            "apart.\n\n",
            other->what, other->before, other->after);
        text_wrapped(style, text, out);
    }
    if (table_rows(t))
        table_print(t, style, out);
    if (rates->n) {
        fputs(n ? "\n" : "", out);
        if (print_rates(rates, style, out) < 0) {
            fputs("out of memory\n", out);
            return;
        }
    }
    n += rates->differ;
    if (style->no_legend)
        return;
    fprintf(out, "%s%zu difference%s", n || rates->n ? "\n" : "", n, n == 1 ? "" : "s");
    if (rates->n)
        fprintf(out, "; a rate counts (*) where it changed by more than %d %%",
                RATES_NOISE_PERMILLE / 10);
    fputs(".\n", out);
}

static void begin_change(struct json_writer *w, const struct change *x, const char *kind)
{
    const struct {
        const char *key, *value;
    } MEMBERS[] = {
        { "kind", kind },    { "id", x->id },         { "name", x->name },
        { "what", x->what }, { "before", x->before }, { "after", x->after },
    };

    json_write_begin_object_on_one_line(w);
    for (size_t k = 0; k < ELEMENTS(MEMBERS); k++) {
        json_write_key(w, MEMBERS[k].key);
        json_write_string(w, MEMBERS[k].value);
    }
}

static void decimal(struct json_writer *w, const char *key, uint64_t thousandths)
{
    json_write_key(w, key);
    json_write_decimal(w, thousandths, 3);
}

static void json_rates(struct json_writer *w, const struct rate_pair *x)
{
    char method[TEXT], block[24], what[2 * TEXT], before[32], after[32];
    const struct change c = {
        .id = x->device->id, .name = x->device->hctl, .what = what, .before = before, .after = after
    };

    snprintf(what, sizeof(what), "%s, %s x %u%s", timed_method(x->after, method, sizeof(method)),
             timed_block(x->after->block_bytes, block), x->after->depth,
             x->after->together > 1 ? ", together" : "");
    snprintf(before, sizeof(before), TENTHS " MB/s", TENTHS_OF(cell_kb_per_s(x->before)));
    snprintf(after, sizeof(after), TENTHS " MB/s", TENTHS_OF(cell_kb_per_s(x->after)));
    begin_change(w, &c, "rate");
    decimal(w, "before_mb_per_s", cell_kb_per_s(x->before));
    decimal(w, "after_mb_per_s", cell_kb_per_s(x->after));
    decimal(w, "before_cpu_ms_per_mb", cell_cpu_ns_per_mb(x->before) / 1000);
    decimal(w, "after_cpu_ms_per_mb", cell_cpu_ns_per_mb(x->after) / 1000);
    json_write_key(w, "permille");
    json_write_i64(w, x->permille);
    json_write_key(w, "same");
    json_write_bool(w, !x->differs);
    json_write_end_object(w);
}

void output_json_comparison(const struct comparison *c, const struct rates *rates, bool pretty,
                            FILE *out)
{
    struct json_writer writer = json_writer(out, pretty), *w = &writer;

    json_write_begin_array(w);
    for (size_t i = 0; i < c->changes.n; i++) {
        begin_change(w, &c->changes.v[i], change_kind_to_string(c->changes.v[i].kind));
        json_write_end_object(w);
    }
    for (size_t i = 0; i < rates->n; i++)
        json_rates(w, &rates->v[i]);
    json_write_end_array(w);
    putc('\n', out);
}
