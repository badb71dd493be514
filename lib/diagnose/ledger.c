/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was sent to each device (ledger.h).
 */
#include "diagnose/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Captures can claim what nobody has sent. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    return b < UINT64_MAX - a ? a + b : UINT64_MAX;
}

static int add(struct report *report, const char *hctl, const char *operation, uint64_t count,
               uint64_t bytes)
{
    struct sent s = { .operation = operation, .count = count, .bytes = bytes };

    if (!count || !operation)
        return 0;
    s.hctl = hctl; /* of the store: replaced when entries are merged */
    return vec_push(&report->sent, s);
}

static int add_commands(const struct store *store, struct report *report)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < store_commands(store); i++) {
        struct store_command c = store_command_at(store, i);

        if (!c.error || c.error == ETIMEDOUT)
            r = add(report, c.hctl, command_name(c.cdb), 1, c.data.len);
    }
    return r;
}

/* Captures that do not say how many reads there were have all of them in blocks of one size. */
static uint64_t count_of(const struct measurement *m)
{
    if (m->commands || !m->block_bytes)
        return sum(m->commands, m->beside);
    return m->bytes / m->block_bytes + (m->bytes % m->block_bytes != 0);
}

static int add_measures(const struct store *store, struct report *report)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < store_measures(store); i++) {
        struct measurement m = store_measure_at(store, i);
        const struct measure_method *method = measure_method_named(m.method);
        bool is_buffer = method && method->what == MEASURE_READ_BUFFER;
        const char *buffer = command_name(
            (struct bytes){ (const uint8_t[]){ OP_READ_BUFFER_10 }, 1 });

        r = add(report, m.hctl, is_buffer ? buffer : "READ", count_of(&m), m.bytes);
        if (r == 0)
            r = add(report, m.hctl, is_buffer ? buffer : "READ CAPACITY", m.asked, 0);
    }
    return r;
}

static int compare(const void *a, const void *b)
{
    const struct sent *x = a, *y = b;
    int r = strverscmp(x->hctl, y->hctl);

    return r ? r : strcmp(x->operation, y->operation);
}

static bool is_same(const struct sent *a, const struct sent *b)
{
    return strcmp(a->hctl, b->hctl) == 0 && strcmp(a->operation, b->operation) == 0;
}

/* The device of that name; devices come in the order of the entries: the search begins where the last one ended. */
static const struct device *device_of(const struct model *m, const char *hctl, size_t *hint)
{
    for (size_t i = 0; i < m->devices.n; i++) {
        size_t at = (*hint + i) % m->devices.n;

        if (strcmp(m->devices.v[at]->hctl, hctl) != 0)
            continue;
        *hint = at;
        return m->devices.v[at];
    }
    return NULL;
}

/* Sums up sorted entries, and makes them the report's own. */
static int merge(struct report *report)
{
    size_t n = 0, hint = 0;

    for (size_t i = 0; i < report->sent.n; i++) {
        struct sent s = report->sent.v[i], *last = n ? &report->sent.v[n - 1] : NULL;

        if (last && is_same(last, &s)) {
            last->count = sum(last->count, s.count);
            last->bytes = sum(last->bytes, s.bytes);
            continue;
        }
        if (last && strcmp(last->hctl, s.hctl) == 0) {
            s.hctl = last->hctl;
            s.device = last->device;
        } else {
            s.device = device_of(report->model, s.hctl, &hint);
            s.hctl = s.device ? s.device->hctl : arena_strdup(report->model->arena, s.hctl);
        }
        if (!s.hctl) {
            report->sent.n = 0;
            return -ENOMEM;
        }
        report->sent.v[n++] = s;
    }
    report->sent.n = n;
    return 0;
}

int ledger_take(const struct store *store, struct report *report)
{
    int r = add_commands(store, report);

    if (r == 0)
        r = add_measures(store, report);
    if (r == 0 && report->sent.n)
        qsort(report->sent.v, report->sent.n, sizeof(*report->sent.v), compare);
    return r < 0 ? r : merge(report);
}
