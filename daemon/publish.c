/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A new report → files, subscribers, journal, service manager (manager.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/text.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "output/output.h"

/* ---- the report, for GetReport and in a file ---- */

static const char BEFORE[] = "{\"parameters\":{\"report\":", BEHIND[] = "}}";

static struct buffer *report_message(const struct report *report)
{
    struct buffer_writer w;

    if (buffer_open(&w) < 0)
        return NULL;
    fputs(BEFORE, w.out);
    output_json(report, false, w.out);
    fputs(BEHIND, w.out);
    fputc('\0', w.out);
    return buffer_close(&w);
}

enum { FILE_BUFFER = 65536 };

static int replace_file(const char *path, const struct manager *m,
                        int (*write)(const struct manager *m, FILE *out))
{
    _cleanup_free_ char *beside = NULL;
    FILE *out;
    int fd, r;

    if (asprintf(&beside, "%s.new", path) < 0) {
        beside = NULL;
        return -ENOMEM;
    }
    fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return -errno;
    out = fdopen(fd, "w");
    if (!out) {
        close(fd);
        return -ENOMEM;
    }
    setvbuf(out, NULL, _IOFBF, FILE_BUFFER);
    r = fchmod(fd, 0644) < 0 ? -errno : write(m, out);
    if (fclose(out) != 0 && r == 0)
        r = -errno;
    if (r == 0 && rename(beside, path) < 0)
        r = -errno;
    if (r < 0)
        unlink(beside);
    return r;
}

void publish_file(const struct manager *m, const char *name,
                  int (*write)(const struct manager *m, FILE *out))
{
    _cleanup_free_ char *path = NULL;
    int r = 0;

    if (!m->options->runtime)
        return;
    if (asprintf(&path, "%s/%s", m->options->runtime, name) < 0) {
        path = NULL;
        r = -ENOMEM;
    } else if (write) {
        r = replace_file(path, m, write);
    } else if (unlink(path) < 0 && errno != ENOENT) {
        r = -errno;
    }
    if (r < 0)
        log_line(LOG_ERROR, "%s/%s: %s", m->options->runtime, name, strerror(-r));
}

static int write_report(const struct manager *m, FILE *out)
{
    output_json(m->report, false, out);
    return ferror(out) ? -EIO : 0;
}

static void publish_report(struct manager *m)
{
    m->report_reply = buffer_unref(m->report_reply);
    publish_file(m, "report.json", write_report);
}

struct buffer *publish_reply(struct manager *m)
{
    if (!m->report_reply)
        m->report_reply = report_message(m->report);
    return m->report_reply;
}

void publish_metrics(struct manager *m)
{
    m->metrics_us = manager_now(m);
    publish_file(m, "metrics.prom", metrics_write);
}

/* ---- subscribers ---- */

static struct buffer *part_message(const struct report *report, const struct host *h)
{
    struct buffer_writer w;

    if (buffer_open(&w) < 0)
        return NULL;
    varlink_begin(w.out);
    if (h) {
        output_json_host_part(report, h, w.out);
    } else {
        fputs("{\"machine\":", w.out);
        output_json_machine_part(report, w.out);
        fputs("}", w.out);
    }
    varlink_end(w.out, NULL, true);
    return buffer_close(&w);
}

static struct buffer *removed_message(const char *id)
{
    struct buffer_writer w;
    struct json_writer json;

    if (buffer_open(&w) < 0)
        return NULL;
    json = json_writer(w.out, false);
    varlink_begin(w.out);
    json_write_begin_object(&json);
    json_write_key(&json, "removed");
    json_write_string(&json, id);
    json_write_end_object(&json);
    varlink_end(w.out, NULL, true);
    return buffer_close(&w);
}

static void drop_parts(struct manager *m)
{
    for (size_t i = 0; i < m->parts.n; i++) {
        free(m->parts.v[i].host);
        buffer_unref(m->parts.v[i].message);
    }
    free(m->parts.v);
    m->parts.v = NULL;
    m->parts.n = m->parts.cap = 0;
}

static int add_part(struct manager *m, const struct host *h)
{
    struct part part = { h ? strdup(h->id) : NULL, part_message(m->report, h) };

    if (part.message && (!h || part.host) && vec_push(&m->parts, part) == 0)
        return 0;
    free(part.host);
    buffer_unref(part.message);
    return -ENOMEM;
}

/* The report in parts: the hosts, the machine last. On failure there are none. */
static int make_parts(struct manager *m)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < m->report->model->hosts.n; i++)
        r = add_part(m, m->report->model->hosts.v[i]);
    if (r == 0)
        r = add_part(m, NULL);
    if (r < 0)
        drop_parts(m);
    return r;
}

/* Sends all subscribers a message. */
static void tell(struct manager *m, struct buffer *message)
{
    size_t n = 0;

    for (size_t i = 0; i < m->subscribers.n; i++)
        if (client_send(m->subscribers.v[i], message, false))
            m->subscribers.v[n++] = m->subscribers.v[i];
    m->subscribers.n = n;
}

static const struct part *part_of(const struct part *parts, size_t n, const char *host)
{
    for (size_t i = 0; i < n; i++)
        if (text_same(parts[i].host, host))
            return &parts[i];
    return NULL;
}

static bool is_same(const struct buffer *a, const struct buffer *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* Tells what is not as it was: hosts that are gone or changed, and then the machine. */
static void tell_changes(struct manager *m, const struct part *old, size_t n_old)
{
    bool has_changed = false;

    for (size_t i = 0; i < n_old; i++) {
        struct buffer *message;

        if (part_of(m->parts.v, m->parts.n, old[i].host))
            continue;
        message = removed_message(old[i].host);
        if (message)
            tell(m, message);
        buffer_unref(message);
        has_changed = true;
    }
    for (size_t i = 0; i < m->parts.n; i++) {
        const struct part *p = &m->parts.v[i], *was = part_of(old, n_old, p->host);

        if (was && is_same(was->message, p->message) && (p->host || !has_changed))
            continue;
        tell(m, p->message);
        has_changed = true;
    }
}

static void publish_changes(struct manager *m)
{
    struct part *old = m->parts.v;
    size_t n_old = m->parts.n;

    m->parts.v = NULL;
    m->parts.n = m->parts.cap = 0;
    if (m->subscribers.n && make_parts(m) == 0)
        tell_changes(m, old, n_old);
    for (size_t i = 0; i < n_old; i++) {
        free(old[i].host);
        buffer_unref(old[i].message);
    }
    free(old);
}

int publish_subscribe(struct manager *m, struct client *c)
{
    int r = m->parts.n ? 0 : make_parts(m);

    for (size_t i = 0; r == 0 && i < m->parts.n; i++)
        r = client_queue(c, m->parts.v[i].message);
    return r < 0 ? r : vec_push(&m->subscribers, c);
}

void publish_unsubscribe(struct manager *m, struct client *c)
{
    size_t n = 0;

    for (size_t i = 0; i < m->subscribers.n; i++)
        if (m->subscribers.v[i] != c)
            m->subscribers.v[n++] = m->subscribers.v[i];
    m->subscribers.n = n;
    if (!n)
        drop_parts(m);
}

/* ---- findings ---- */

static bool was_examined(void *userdata, const char *id)
{
    return adapters_have_examined(userdata, id);
}

static void publish_findings(struct manager *m)
{
    const struct track_sight sight = { was_examined, m };
    struct track_events events;
    uint64_t end;
    int r = track_take(&m->tracker, m->report, manager_now(m), m->config.daemon.clear_after_us,
                       &sight, &events);

    if (r < 0)
        log_line(LOG_ERROR, "findings are not followed: %s", strerror(-r));
    tell_findings(m, &events);
    for (size_t i = 0; i < events.list.n; i++) {
        memory_finding(m, &events.list.v[i]);
        if (events.list.v[i].change == TRACK_CLEARED)
            acknowledge_cleared(m, events.list.v[i].tracked);
    }
    track_events_done(&events);
    end = track_next_end(&m->tracker, m->config.daemon.clear_after_us);
    if (end != UINT64_MAX && end > manager_now(m))
        manager_judge_at(m, end);
    end = acknowledge_next_end(m, m->report->wall_us);
    if (end != UINT64_MAX && !m->captures)
        manager_judge_at(m, manager_now(m) + (end - m->report->wall_us));
    for (size_t i = 0; track_wants_look(&m->tracker) && i < m->report->findings.n; i++)
        if (track_is_new(&m->tracker, m->report->findings.v[i]))
            adapters_look_again(m, m->report->findings.v[i]);
}

/* ---- all of it ---- */

void publish(struct manager *m)
{
    publish_report(m);
    publish_changes(m);
    publish_findings(m);
    publish_metrics(m);
    supervision_reported(m);
}

void publish_forget(struct manager *m)
{
    drop_parts(m);
    free(m->subscribers.v);
    m->report_reply = buffer_unref(m->report_reply);
    tracker_done(&m->tracker);
}
