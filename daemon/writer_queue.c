/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The writer's queue (writer_queue.h).
 */
#include "daemon/writer_queue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void message_free(struct message *m)
{
    free(m->key);
    free(m->text);
    free(m);
}

void queue_settle(struct writer_queue *q, size_t at)
{
    struct message *m = q->slots.v[at].m;

    q->bytes -= m->len;
    q->asked_bytes -= m->kind == RECORD_QUERY ? m->len : 0;
    q->count--;
    message_free(m);
    q->slots.v[at].m = NULL;
    while (q->first < q->slots.n && !q->slots.v[q->first].m)
        q->first++;
    if (q->next < q->first) {
        q->next = q->first;
        q->sent_of_next = 0;
    }
    if (q->first < 1024 || q->first < q->slots.n / 2) /* moved seldom, so that it costs nothing */
        return;
    memmove(q->slots.v, q->slots.v + q->first, (q->slots.n - q->first) * sizeof(*q->slots.v));
    q->slots.n -= q->first;
    q->next -= q->first;
    q->first = 0;
}

size_t queue_find(const struct writer_queue *q, uint64_t n)
{
    size_t from = q->first, to = q->slots.n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (q->slots.v[middle].n < n)
            from = middle + 1;
        else
            to = middle;
    }
    return from < q->slots.n && q->slots.v[from].n == n && q->slots.v[from].m ? from : SIZE_MAX;
}

/* What a record's newer state takes the place of. NULL: nothing, or no memory. */
static char *key_of(const struct record *record)
{
    char *key = NULL;
    int n = 0;

    if (record->kind == RECORD_FINDING)
        n = asprintf(&key, "%s@%" PRIu64, record->finding.key, record->finding.since_us);
    else if (record->kind == RECORD_ACKNOWLEDGE)
        n = asprintf(&key, "%s", record->acknowledge.key);
    else if (record->kind == RECORD_THIN)
        n = asprintf(&key, "thin");
    return n < 0 ? NULL : key;
}

size_t queue_older(const struct writer_queue *q, const struct message *m)
{
    for (size_t i = q->next + (q->sent_of_next > 0); m->key && i < q->slots.n; i++) {
        const struct message *o = q->slots.v[i].m;

        if (o && o->kind == m->kind && o->key && strcmp(o->key, m->key) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* The last quarter is for what is rare and matters more than how things were. Questions have a bound of their own. */
bool queue_has_room(const struct writer_queue *q, const struct message *m, size_t gone,
                    size_t bound)
{
    size_t kept = q->bytes - q->asked_bytes;

    if (m->kind == RECORD_QUERY)
        return !q->asked_bytes || q->asked_bytes + m->len <= bound / 16;
    if (m->kind == RECORD_LOOK || m->kind == RECORD_MEASURE)
        bound -= bound / 4;
    return !kept || kept - gone + m->len <= bound;
}

struct message *message_new(const struct record *record)
{
    struct message *m = calloc(1, sizeof(*m));
    FILE *f = m ? open_memstream(&m->text, &m->len) : NULL;

    if (!f) {
        free(m);
        return NULL;
    }
    record_write(record, f);
    fputc('\0', f);
    m->n = record->n;
    m->kind = record->kind;
    m->key = key_of(record);
    if (fclose(f) != 0) {
        message_free(m);
        return NULL;
    }
    return m;
}

void queue_add(struct writer_queue *q, struct message *m)
{
    q->slots.v[q->slots.n++] = (struct slot){ m->n, m };
    q->bytes += m->len;
    q->asked_bytes += m->kind == RECORD_QUERY ? m->len : 0;
    q->count++;
}

void queue_done(struct writer_queue *q)
{
    for (size_t i = q->first; i < q->slots.n; i++)
        if (q->slots.v[i].m)
            message_free(q->slots.v[i].m);
    free(q->slots.v);
}
