/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of timed reads for machines: JSON and CSV (bench.h). Numbers do not depend on the locale.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "facts/key.h"
#include "output/bench.h"
#include "output/timed.h"
#include "probe/cell.h"
#include "source/errno_name.h"

/* ---- JSON ---- */

/* Null for 0. */
static void rate_member(struct json_writer *w, const char *key, uint64_t kb_per_s)
{
    json_write_key(w, key);
    if (kb_per_s)
        json_write_decimal(w, kb_per_s, 3);
    else
        json_write_null(w);
}

static void reads_member(struct json_writer *w, const char *key, const struct timed *const *v,
                         size_t n)
{
    json_write_key(w, key);
    json_write_begin_array(w);
    for (size_t i = 0; i < n; i++)
        output_json_timed(w, v[i]);
    json_write_end_array(w);
}

/* The place of the best among the reads; null where none counts. */
static void best_member(struct json_writer *w, const struct bench_device *d)
{
    size_t i = 0;

    while (i < d->cells.n && d->cells.v[i]->read != d->sweep.best)
        i++;
    json_write_key(w, "best");
    if (i < d->cells.n)
        json_write_u64(w, i);
    else
        json_write_null(w);
}

static void device_object(struct json_writer *w, const struct bench_device *d)
{
    const struct device *x = d->device;

    json_write_begin_object(w);
    json_write_text_member(w, "id", x->id);
    json_write_text_member(w, "hctl", x->hctl);
    json_write_text_member(w, "vendor", x->vendor);
    json_write_text_member(w, "model", x->model);
    json_write_key(w, "used_by");
    json_write_begin_array(w);
    for (size_t i = 0; i < x->users.n; i++)
        json_write_string(w, x->users.v[i]);
    json_write_end_array(w);
    json_write_text_member(w, "hop", d->path.hop);
    rate_member(w, "hop_mb_per_s", d->path.kb_per_s);
    reads_member(w, "measures", d->cells.v, d->cells.n);
    best_member(w, d);
    json_write_text_member(w, "limit", sweep_limit_to_string(d->sweep.limit));
    json_write_text_member(w, "sentence", d->sweep.sentence);
    if (d->sweep.copying)
        json_write_text_member(w, "copying", d->sweep.copying);
    if (d->plateau)
        json_write_text_member(w, "plateau", d->plateau);
    json_write_end_object(w);
}

static void together_object(struct json_writer *w, const struct bench *b,
                            const struct bench_cell *c)
{
    json_write_begin_object(w);
    rate_member(w, "mb_per_s", c->together.kb_per_s);
    rate_member(w, "alone_mb_per_s", c->together.alone_kb_per_s);
    json_write_text_member(w, "hop", c->hop.name);
    rate_member(w, "hop_mb_per_s", c->hop.kb_per_s);
    json_write_key(w, "best");
    json_write_bool(w, c == b->best);
    reads_member(w, "measures", c->reads.v, c->reads.n);
    json_write_text_member(w, "limit", together_limit_to_string(c->together.limit));
    json_write_text_member(w, "sentence", c->together.sentence);
    json_write_end_object(w);
}

void output_json_bench(const struct bench *b, bool pretty, FILE *out)
{
    struct json_writer writer = json_writer(out, pretty), *w = &writer;

    json_write_begin_object(w);
    json_write_text_member(w, "schema", "hbad.bench/1");
    json_write_key(w, "devices");
    json_write_begin_array(w);
    for (size_t i = 0; i < b->devices.n; i++)
        device_object(w, &b->devices.v[i]);
    json_write_end_array(w);
    json_write_key(w, "together");
    json_write_begin_array(w);
    for (size_t i = 0; i < b->cells.n; i++)
        together_object(w, b, &b->cells.v[i]);
    json_write_end_array(w);
    json_write_end_object(w);
    putc('\n', out);
}

/* ---- CSV ---- */

static const char HEAD[] =
    "device,node,vendor,model,method,block_bytes,depth,memory,pattern,together,bytes,time_us,"
    "rate_MB/s,commands,commands/s,cpu_percent,user_us,system_us,cpu_ms/MB,"
    "latency_min_us,latency_median_us,latency_p95_us,latency_p99_us,latency_max_us,"
    "retries,short_bytes,errors,direct_commands,idle_percent,link_MB/s,error,disturbed\r\n";

/* A field of text, in quotes where it must be (RFC 4180, 2.5 to 2.7). It commands neither a terminal nor a spreadsheet, which takes
 * what begins with one of four signs for a formula. */
static void put_text(const char *text, FILE *out)
{
    _cleanup_free_ char *safe = text ? strdup(text) : NULL;
    const char *sign;

    if (!safe)
        return;
    text_for_terminal(safe, false);
    sign = *safe && strchr("=+-@", *safe) ? "'" : "";
    if (!safe[strcspn(safe, ",\"\r\n")]) {
        fprintf(out, "%s%s", sign, safe);
        return;
    }
    fprintf(out, "\"%s", sign);
    for (const char *c = safe; *c; c++)
        fputs(*c == '"' ? "\"\"" : (const char[]){ *c, '\0' }, out);
    putc('"', out);
}

static void put_number(uint64_t value, FILE *out)
{
    fprintf(out, ",%" PRIu64, value);
}

static void put_known(uint64_t value, FILE *out)
{
    if (value)
        put_number(value, out);
    else
        putc(',', out);
}

static void put_thousandths(uint64_t value, FILE *out)
{
    if (value)
        fprintf(out, ",%" PRIu64 ".%03u", value / 1000, (unsigned)(value % 1000));
    else
        putc(',', out);
}

/* Numbers from `bytes` on. Of a read that gave nothing there are none. */
static void put_numbers(const struct measurement *m, uint64_t link_kb_per_s, FILE *out)
{
    bool any = m->bytes && m->us;
    const uint64_t COUNTED[] = { m->min_us,  m->median_us,   m->p95_us, m->p99_us, m->max_us,
                                 m->retries, m->short_bytes, m->errors, m->direct };

    put_known(m->bytes, out);
    put_known(m->us, out);
    put_thousandths(cell_kb_per_s(m), out);
    put_known(m->commands, out);
    put_thousandths(cell_commands_per_1000s(m), out);
    if (any)
        fprintf(out, "," TENTHS, TENTHS_OF(cell_cpu_permille(m) * 100));
    else
        putc(',', out);
    put_known(m->user_us, out);
    put_known(m->system_us, out);
    put_thousandths((cell_cpu_ns_per_mb(m) + 500) / 1000, out);
    for (size_t i = 0; i < ELEMENTS(COUNTED); i++)
        put_known(COUNTED[i], out);
    put_thousandths(m->idle_permille * 100, out);
    put_thousandths(link_kb_per_s, out);
}

static void put_read(const struct timed *t, uint64_t link_kb_per_s, FILE *out)
{
    const struct measurement *m = t->read;
    const char *const TEXTS[] = { t->device->hctl, fact_text(t->device->subject, &KEY_NODE),
                                  t->device->vendor, t->device->model, m->method };

    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        if (i)
            putc(',', out);
        put_text(TEXTS[i], out);
    }
    put_number(m->block_bytes, out);
    put_number(m->depth, out);
    fprintf(out, ",%s,%s,%u", m->cold ? "cold" : "hot", m->random ? "random" : "sequential",
            m->together > 1 ? m->together : 1);
    put_numbers(m, link_kb_per_s, out);
    putc(',', out);
    put_text(m->error ? errno_name(m->error) : NULL, out);
    putc(',', out);
    put_text(m->disturbed, out);
    fputs("\r\n", out);
}

void output_csv_bench(const struct bench *b, FILE *out)
{
    fputs(HEAD, out);
    for (size_t i = 0; i < b->devices.n; i++)
        for (size_t k = 0; k < b->devices.v[i].cells.n; k++)
            put_read(b->devices.v[i].cells.v[k], b->devices.v[i].path.kb_per_s, out);
    for (size_t i = 0; i < b->cells.n; i++)
        for (size_t k = 0; k < b->cells.v[i].reads.n; k++)
            put_read(b->cells.v[i].reads.v[k], b->cells.v[i].hop.kb_per_s, out);
}
