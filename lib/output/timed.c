/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timed reads in words and JSON (timed.h).
 */
#include "output/timed.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "probe/cell.h"
#include "source/errno_name.h"

const char *timed_block(uint64_t bytes, char *buffer)
{
    static const char UNITS[] = { 0, 'K', 'M', 'G' };
    size_t i = 0;

    while (i + 1 < sizeof(UNITS) && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        i++;
    }
    snprintf(buffer, 24, "%" PRIu64 "%.1s", bytes, &UNITS[i]);
    return buffer;
}

/* It is said to go without a copy, and did not. */
static bool was_copied(const struct measurement *m)
{
    const struct measure_method *x = measure_method_named(m->method);

    return x && x->way == WAY_SG_DIRECT && m->commands && m->direct * 2 <= m->commands;
}

/* A line of a table or a sentence is one line, without colours of its own: captures say what they like. */
static const char *on_one_line(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return text;
}

const char *timed_method(const struct measurement *m, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s%s%s", m->method, was_copied(m) ? " copied" : "",
             m->random ? " random" : "", m->cold ? " cold" : "");
    return on_one_line(buffer);
}

const char *timed_trouble(const struct measurement *m)
{
    if (measurement_counts(m))
        return NULL;
    if (!m->error)
        return "disturbed";
    return m->bytes || m->errors || m->error == ETIMEDOUT ? "failed" : "refused";
}

/* Sense data as hex, cut where it does not fit. */
static void put_sense(struct bytes sense, char *buffer, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < sense.len && n + 4 < size; i++)
        n += (size_t)snprintf(buffer + n, size - n, " %02x", sense.data[i]);
}

/* Is the error's name in the words already? They are those of a refusal; of what the system denied the name says more. */
static bool says_all(const struct measurement *m)
{
    return m->disturbed && !m->errors &&
           (m->error == EBUSY || m->error == EPERM || m->error == ENODEV ||
            m->error == EOPNOTSUPP || m->error == ETIMEDOUT);
}

const char *timed_reason(const struct measurement *m, char *buffer, size_t size)
{
    enum { SHOWN = 18 }; /* bytes of fixed format sense data up to its codes (SPC-4 4.5.3) */
    const char *name = m->error && !says_all(m) ? errno_name(m->error) : NULL;
    char sense[3 * SHOWN + 4] = "";

    put_sense((struct bytes){ m->sense.data, m->sense.len < SHOWN ? m->sense.len : SHOWN }, sense,
              sizeof(sense));
    snprintf(buffer, size, "%s%s%s%s%s%s", m->disturbed ? m->disturbed : "",
             m->disturbed && name ? ", " : "", name ? name : "", *sense ? " (sense" : "", sense,
             *sense ? ")" : "");
    return on_one_line(buffer);
}

const char *timed_line(const struct timed *t, char *buffer, size_t size)
{
    const struct measurement *m = t->read;
    char method[128], block[24], depth[24] = "", among[48] = "", reason[512];
    int n;

    if (m->depth > 1)
        snprintf(depth, sizeof(depth), " x %u", m->depth);
    if (m->together > 1)
        snprintf(among, sizeof(among), ", one of %u at a time", m->together);
    n = snprintf(buffer, size, "%s, %s%s%s: ", timed_method(m, method, sizeof(method)),
                 timed_block(m->block_bytes, block), depth, among);
    if (n < 0 || (size_t)n >= size)
        return buffer;
    if (timed_trouble(m))
        snprintf(buffer + n, size - (size_t)n, "%s: %s", timed_trouble(m),
                 timed_reason(m, reason, sizeof(reason)));
    else
        snprintf(buffer + n, size - (size_t)n, TENTHS " MB/s, " TENTHS " %% of a processor%s%s%s%s",
                 TENTHS_OF(cell_kb_per_s(m)), TENTHS_OF(cell_cpu_permille(m) * 100),
                 t->proves ? "; " : "", t->proves ? t->proves : "", t->why ? ": " : "",
                 t->why ? t->why : "");
    return buffer;
}

/* ---- JSON ---- */

static void number_if(struct json_writer *w, const char *key, uint64_t value)
{
    if (value)
        json_write_u64_member(w, key, value);
}

static void decimal_if(struct json_writer *w, const char *key, uint64_t thousandths)
{
    if (!thousandths)
        return;
    json_write_key(w, key);
    json_write_decimal(w, thousandths, 3);
}

static void text_if(struct json_writer *w, const char *key, const char *text)
{
    if (!text)
        return;
    json_write_key(w, key);
    json_write_string(w, text);
}

/* What was counted; what is 0 was not, or is not known. */
static void counted(struct json_writer *w, const struct measurement *m)
{
    number_if(w, "commands", m->commands);
    number_if(w, "user_us", m->user_us);
    number_if(w, "system_us", m->system_us);
    number_if(w, "min_us", m->min_us);
    number_if(w, "median_us", m->median_us);
    number_if(w, "p95_us", m->p95_us);
    number_if(w, "p99_us", m->p99_us);
    number_if(w, "max_us", m->max_us);
    number_if(w, "retries", m->retries);
    number_if(w, "asked", m->asked);
    number_if(w, "beside", m->beside);
    number_if(w, "short_bytes", m->short_bytes);
    number_if(w, "errors", m->errors);
    number_if(w, "direct", m->direct);
    number_if(w, "together", m->together);
    number_if(w, "idle_permille", m->idle_permille);
    number_if(w, "wall_us", m->wall_us);
}

void output_json_timed(struct json_writer *w, const struct timed *t)
{
    const struct measurement *m = t->read;

    json_write_begin_object_on_one_line(w);
    text_if(w, "device", t->device->id);
    text_if(w, "hctl", t->device->hctl);
    text_if(w, "method", m->method);
    json_write_u64_member(w, "block", m->block_bytes);
    json_write_u64_member(w, "depth", m->depth);
    json_write_u64_member(w, "bytes", m->bytes);
    json_write_u64_member(w, "us", m->us);
    json_write_u64_member(w, "cpu_us", m->cpu_us);
    counted(w, m);
    if (m->sense.len) {
        json_write_key(w, "sense");
        json_write_hex(w, m->sense, true);
    }
    text_if(w, "memory", m->cold ? "cold" : NULL);
    text_if(w, "pattern", m->random ? "random" : NULL);
    text_if(w, "error", m->error ? errno_name(m->error) : NULL);
    text_if(w, "disturbed", m->disturbed);
    decimal_if(w, "mb_per_s", cell_kb_per_s(m));
    decimal_if(w, "commands_per_s", cell_commands_per_1000s(m));
    decimal_if(w, "cpu_percent", cell_cpu_permille(m) * 100);
    decimal_if(w, "cpu_ms_per_mb", (cell_cpu_ns_per_mb(m) + 500) / 1000);
    text_if(w, "proves", t->proves);
    text_if(w, "why", t->why);
    json_write_end_object(w);
}
