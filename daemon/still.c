/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nothing has changed (manager.h): then nothing is judged, and nothing written but of when that is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/manager.h"

#define HOUR_US    (UINT64_C(3600) * 1000000)
#define QUARTER_US (HOUR_US / 4)

/* The report in a message, and of when it says to be: the second of its members (output_json()). NULL where it has no
 * time. */
static char *find_time(struct buffer *message, char **ret_report)
{
    static const char REPORT[] = "{\"schema\":", KEY[] = "\"taken\":\"";
    char *report = memmem(message->data, message->len, REPORT, strlen(REPORT)), *at = NULL;
    size_t near = 128; /* the schema's name is short */

    if (report && message->len - (size_t)(report - message->data) > near)
        at = memmem(report, near, KEY, strlen(KEY));
    *ret_report = report;
    return at ? at + strlen(KEY) : NULL;
}

/* In its place: text of the same length in a file in memory. */
static void write_time(const char *dir, const char *text, size_t len, size_t at)
{
    _cleanup_free_ char *path = NULL;
    _cleanup_close_ int fd = -1;

    if (asprintf(&path, "%s/report.json", dir) < 0) {
        path = NULL;
        return;
    }
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || pwrite(fd, text, len, (off_t)at) != (ssize_t)len)
        log_line(LOG_ERROR, "%s: %s", path, strerror(errno));
}

/* One that nobody else has: who is being sent the old one gets that to its end. Returns 0 or -ENOMEM. */
static int make_own(struct buffer **b)
{
    struct buffer *copy;
    char *data;

    if ((*b)->refs == 1)
        return 0;
    data = malloc((*b)->len);
    if (!data)
        return -ENOMEM;
    memcpy(data, (*b)->data, (*b)->len);
    copy = buffer_take(data, (*b)->len);
    if (!copy)
        return -ENOMEM;
    buffer_unref(*b);
    *b = copy;
    return 0;
}

static void move_time(struct manager *m)
{
    time_t seconds = (time_t)(m->report->wall_us / 1000000);
    char text[32], *at, *report;
    struct tm tm;
    size_t len;

    if (!m->report_reply || make_own(&m->report_reply) < 0)
        return;
    at = find_time(m->report_reply, &report);
    len = gmtime_r(&seconds, &tm) ? strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) : 0;
    if (!at || !len || at[len] != '"')
        return;
    memcpy(at, text, len);
    if (m->options->runtime)
        write_time(m->options->runtime, text, len, (size_t)(at - report));
}

/* May a judgement be another one though nothing has changed? What is said of a time is over when that has passed; and what
 * the configuration says of a day. */
static bool is_time_to_judge(const struct manager *m)
{
    static const char *const OF_TIME[] = { "errors-growing", "link-flapping", "host-resetting" };

    for (size_t i = 0; i < m->report->findings.n; i++)
        for (size_t k = 0; k < ELEMENTS(OF_TIME); k++)
            if (strcmp(m->report->findings.v[i]->entry->code, OF_TIME[k]) == 0)
                return true;
    return manager_now(m) >= m->judged_us + HOUR_US;
}

/* What was seen last is seen still. */
static void remember_still(struct manager *m)
{
    const struct snapshot *newest = past_newest(&m->past);
    struct snapshot still;

    if (!newest)
        return;
    still = *newest;
    still.wall_us = m->report->wall_us;
    still.mono_us = m->report->mono_us;
    if (past_add(&m->past, &still) < 0)
        log_line(LOG_ERROR, "what was seen is not remembered: out of memory");
}

void still(struct manager *m, bool counters)
{
    if (!m->report)
        return;
    if (counters && is_time_to_judge(m)) {
        m->is_look_due = true;
        manager_judge_at(m, manager_now(m));
        return;
    }
    m->report->wall_us = manager_wall(m);
    m->report->mono_us = manager_now(m);
    if (counters)
        remember_still(m);
    move_time(m);
    if (counters && manager_now(m) >= m->metrics_us + QUARTER_US)
        publish_metrics(m); /* of when it was looked; the rest of it is as it was */
}
