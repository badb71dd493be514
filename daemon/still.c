/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nothing has changed (manager.h): then nothing is judged, and nothing written but of when that is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/manager.h"
#include "output/words.h"

#define HOUR_US    (UINT64_C(3600) * 1000000)
#define QUARTER_US (HOUR_US / 4)

/* Puts the time in place of the one in a file of the report: the second of its members (output_json()). Returns 0 or a
 * negative errno. */
static int write_time(const char *path, const char *text, size_t len)
{
    static const char KEY[] = "\"taken\":\"";
    char beginning[128], *at; /* the schema's name is short */
    _cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd < 0 ? -1 : pread(fd, beginning, sizeof(beginning), 0);

    if (n < 0)
        return -errno;
    at = memmem(beginning, (size_t)n, KEY, strlen(KEY));
    if (!at)
        return -EBADMSG;
    n = pwrite(fd, text, len, at + strlen(KEY) - beginning);
    return n < 0 ? -errno : (size_t)n == len ? 0 : -EIO;
}

static void move_time(struct manager *m)
{
    _cleanup_free_ char *path = NULL;
    char buffer[WORDS_UTC_BYTES];
    const char *text = words_utc(m->report->wall_us, buffer);
    int r;

    m->report_reply = buffer_unref(m->report_reply); /* it has the old time */
    if (!text || !m->options->runtime)
        return;
    r = asprintf(&path, "%s/report.json", m->options->runtime);
    if (r < 0)
        path = NULL;
    r = r < 0 ? -ENOMEM : write_time(path, text, strlen(text));
    if (r < 0)
        log_line(LOG_ERROR, "%s: %s", path ? path : "report.json", strerror(-r));
}

/* May a judgement be another one though nothing has changed? What is said of a time is over when that has passed; and what
 * the configuration says of a day. */
static bool is_time_to_judge(const struct manager *m)
{
    for (size_t i = 0; i < m->report->findings.n; i++)
        if (m->report->findings.v[i]->entry->flags & CATALOG_OF_TIME)
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
    if (counters && (is_time_to_judge(m) || judge_is_outdated(m))) {
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
