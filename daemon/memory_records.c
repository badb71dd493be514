/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What hbad's memory is given, as records (memory.h).
 */
#include "daemon/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/manager.h"

/* The words of a text, which is changed. Ids and names of the kernel have no blanks. */
static int words_of(char *text, const char ***ret, size_t *ret_n)
{
    VEC(const char *) words = { 0 };
    char *rest = NULL;
    int r = 0;

    for (char *word = strtok_r(text, " ", &rest); r == 0 && word; word = strtok_r(NULL, " ", &rest))
        r = vec_push(&words, word);
    *ret = words.v;
    *ret_n = words.n;
    return r;
}

static void put_finding(struct manager *m, struct record *record, const struct tracked *t)
{
    struct finding_record *f = &record->finding;
    _cleanup_free_ char *key = finding_key(t->entry->code, t->subject);
    _cleanup_free_ char *subjects = strdup(t->subjects), *names = strdup(t->names);
    int r = key && subjects && names ? 0 : -ENOMEM;

    f->key = key;
    if (r == 0)
        r = words_of(subjects, &f->subjects.v, &f->subjects.n);
    if (r == 0)
        r = words_of(names, &f->names.v, &f->names.n);
    if (r == 0)
        memory_put(m, record);
    else
        log_line(LOG_ERROR, "a finding is not remembered: out of memory");
}

void memory_finding(struct manager *m, const struct track_event *e)
{
    const struct tracked *t = e->tracked;
    uint64_t now_us = m->report ? m->report->wall_us : judge_wall(m);
    bool is_over = e->change == TRACK_CLEARED;
    uint64_t gone_us = is_over ? manager_now(m) - t->gone_us : 0;
    struct record record = { .kind = RECORD_FINDING,
                             .finding = { .since_us = t->since_us,
                                          .code = t->entry->code,
                                          .severity = t->severity,
                                          .life = is_over ? FINDING_CLEARED : FINDING_CONFIRMED,
                                          .changed_us = now_us,
                                          .until_us = is_over ? now_us - gone_us : 0,
                                          .summary = t->summary } };

    put_finding(m, &record, t);
    record_done(&record);
}

void memory_measure(struct manager *m, const struct measure_record *measure)
{
    struct record record = { .kind = RECORD_MEASURE, .measure = *measure };

    memory_put(m, &record);
}

void memory_acknowledge(struct manager *m, const struct acknowledgement *a)
{
    struct record record = { .kind = RECORD_ACKNOWLEDGE, .acknowledge = *a };

    memory_put(m, &record);
}
