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

void memory_finding(struct manager *m, const struct track_event *e)
{
    const struct tracked *t = e->tracked;
    _cleanup_free_ char *key = finding_key(t->entry->code, t->subject);
    uint64_t now_us = m->report ? m->report->wall_us : judge_wall(m);
    bool is_over = e->change == TRACK_CLEARED;
    uint64_t gone_us = is_over ? manager_now(m) - t->gone_us : 0;
    struct record record = { .kind = RECORD_FINDING,
                             .finding = { .key = key,
                                          .since_us = t->since_us,
                                          .code = t->entry->code,
                                          .severity = t->severity,
                                          .life = is_over ? FINDING_CLEARED : FINDING_CONFIRMED,
                                          .changed_us = now_us,
                                          .until_us = is_over ? now_us - gone_us : 0,
                                          .summary = t->summary,
                                          .subjects = { t->subjects.v, t->subjects.n },
                                          .names = { t->names.v, t->names.n } } };

    if (key)
        memory_put(m, &record);
    else
        log_line(LOG_ERROR, "a finding is not remembered: out of memory");
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
