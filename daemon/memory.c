/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbad's memory (memory.h): the writer in the loop, and what it gives back at the start.
 */
#include "daemon/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/utsname.h>

#include "base/text.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/writer.h"

#define SECOND_US (UINT64_C(1000000))

static const uint64_t FIRST_REPORT_US =
                          2 * SECOND_US, /* so long it waits: a disk that works needs some ms */
    STEP_US = 900 * SECOND_US, /* of looks in which nothing changed: as fine as they are put in */
    FIRST_THIN_US = 600 * SECOND_US, /* after the start, when nobody waits for it */
    THIN_US = 86400 * SECOND_US,
                      ASK_AGAIN_US = 300 * SECOND_US; /* what could not be read at the start */

enum { ASKING_MOST = 64 }; /* at some ms each that is well below MEMORY_PATIENCE_US */

/* Who waits for an answer. */
struct asking {
    uint64_t n, until_us;
    struct client *client; /* NULL: it has gone */
    memory_answer take;
    void *userdata;
};

struct memory {
    struct manager *manager;
    struct writer *writer;
    sd_event_source *io, *alarm;
    uint64_t load_until_us; /* the first report waits until then; 0: it does not */
    uint64_t load_again_us; /* UINT64_MAX: it has come, or is under way */
    uint64_t thin_us;
    bool was_held_up; /* a report waits */
    bool is_loaded;   /* what was before is known, and what becomes of findings is put in */
    int failing; /* why the past cannot be read, which was said: an errno; 0: it can, or may be */
    struct history *loading; /* the looks that have come so far; NULL: none */
    VEC(struct asking) asking;
};

/* ---- the clock ---- */

static uint64_t soonest_of(const struct memory *m)
{
    uint64_t soonest = writer_due_us(m->writer);
    const uint64_t own[] = { m->load_until_us ? m->load_until_us : UINT64_MAX, m->load_again_us,
                             m->thin_us };

    for (size_t i = 0; i < ELEMENTS(own); i++)
        soonest = own[i] < soonest ? own[i] : soonest;
    for (size_t i = 0; i < m->asking.n; i++)
        soonest = m->asking.v[i].until_us < soonest ? m->asking.v[i].until_us : soonest;
    return soonest;
}

static void set_alarm(struct memory *m)
{
    sd_event_source_set_time(m->alarm, soonest_of(m));
    sd_event_source_set_enabled(m->alarm, SD_EVENT_ONESHOT);
}

/* Puts a record in. What is lost for want of room the writer counts and says. */
static int put(struct memory *m, struct record *record)
{
    int r = writer_put(m->writer, record, manager_now(m->manager));

    if (r == -ENOMEM)
        log_line(LOG_ERROR, "a %s is not remembered: out of memory",
                 record_kind_to_string(record->kind));
    set_alarm(m);
    return r;
}

/* ---- what was before ---- */

/* So far back every change counts for the judge. */
static uint64_t span_us(const struct config *config)
{
    const struct config_thresholds *t = &config->thresholds;
    uint64_t errors = 2 * t->errors_growing_slow_us,
             flapping = t->flapping_within_us + t->flapping_quiet_us;

    return errors > flapping ? errors : flapping;
}

static void load(struct memory *m)
{
    const struct manager *manager = m->manager;
    struct record record = { .kind = RECORD_LOAD,
                             .load = { .now_us = judge_wall(manager),
                                       .span_us = span_us(&manager->config),
                                       .step_us = STEP_US } };

    m->load_again_us = UINT64_MAX;
    if (put(m, &record) < 0)
        m->load_again_us = manager_now(manager) + ASK_AGAIN_US;
}

/* Nobody waits any longer. */
static void let_go_on(struct memory *m)
{
    m->load_until_us = 0;
    if (m->was_held_up)
        manager_judge_at(m->manager, manager_now(m->manager));
    m->was_held_up = false;
}

static int restore(struct memory *m, const struct finding_record *f)
{
    const struct track_before before = {
        .code = f->code,
        .subject = f->subjects.n ? f->subjects.v[0] : "",
        .severity = f->severity,
        .since_us = f->since_us,
        .summary = f->summary,
        .subjects = { f->subjects.v, f->subjects.n, 0 },
        .names = { f->names.v, f->names.n, 0 },
    };

    return track_restore(&m->manager->tracker, &before);
}

static void take_start(struct memory *m, const struct history_start *start)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < start->findings.n; i++)
        r = restore(m, &start->findings.v[i]);
    for (size_t i = 0; r == 0 && i < start->acknowledgements.n; i++)
        r = acknowledge_add(m->manager, &start->acknowledgements.v[i]);
    if (r < 0)
        log_line(LOG_ERROR, "not all that was found before is known: %s", strerror(-r));
    history_free(m->loading);
    m->loading = history_new();
}

/* Of looks by another name of the machine the judge would say each time that it does not use them. */
static bool is_of_another(const struct memory *m, const struct snapshot *s)
{
    struct utsname name;

    return !m->manager->captures && s->hostname && uname(&name) == 0 &&
           strcmp(s->hostname, name.nodename) != 0;
}

/* Puts what has come before what was seen since the start. */
static int take_looks(struct memory *m)
{
    struct past_looks *past = &m->manager->past, all = { 0 };
    const struct history *const lists[] = { m->loading, past->history };
    size_t others = 0;
    int r = m->loading ? 0 : -ENOMEM;

    for (size_t k = 0; r == 0 && k < ELEMENTS(lists); k++)
        for (size_t i = 0; r == 0 && lists[k] && i < lists[k]->snapshots.n; i++) {
            const struct snapshot *s = &lists[k]->snapshots.v[i];
            bool is_other = is_of_another(m, s);

            others += is_other;
            r = is_other ? 0 : past_add(&all, s);
        }
    if (others)
        log_line(LOG_NOTE, "%zu earlier looks are not used: the machine had another name", others);
    if (r < 0) {
        past_done(&all);
        return r;
    }
    past_done(past);
    *past = all;
    return 0;
}

/* What is followed and was not put in while that was not known, is. */
static void put_findings(struct memory *m)
{
    const struct tracker *t = &m->manager->tracker;

    for (size_t i = 0; m->manager->report && i < t->all.n; i++)
        if (t->all.v[i]->state != TRACK_NEW)
            memory_finding(m->manager,
                           &(struct track_event){ .change = TRACK_RAISED, .tracked = t->all.v[i] });
}

/* What holds is put in again where it may be missing. */
static void put_all(struct memory *m)
{
    const struct acknowledgements *a = &m->manager->acknowledged;

    for (size_t i = 0; i < a->list.n; i++)
        memory_acknowledge(m->manager, &a->list.v[i]);
    if (m->is_loaded)
        put_findings(m);
}

static void loaded(struct memory *m)
{
    int r = take_looks(m);

    if (r < 0)
        log_line(LOG_ERROR, "what was before is not known: %s", strerror(-r));
    m->loading = history_free(m->loading);
    m->failing = 0;
    m->is_loaded = true;
    put_findings(m);
    if (m->manager->report) /* it came late */
        manager_judge_at(m->manager, manager_now(m->manager));
    let_go_on(m);
}

static void take_load(struct memory *m, const struct reply *reply)
{
    if (reply->error) {
        bool is_news = m->failing != (int)reply->error;

        if (!m->failing)
            log_line(LOG_WARN, "what was before cannot be read: %s; monitoring goes on",
                     strerror((int)reply->error));
        m->failing = (int)reply->error;
        m->loading = history_free(m->loading);
        m->load_again_us = manager_now(m->manager) + ASK_AGAIN_US;
        if (is_news && m->manager->report)
            manager_judge_at(m->manager, manager_now(m->manager));
        let_go_on(m);
        return;
    }
    if (reply->has_start)
        take_start(m, &reply->start);
    if (reply->has_look && m->loading && look_apply(m->loading, &reply->look) < 0)
        m->loading = history_free(m->loading);
    if (reply->is_done)
        loaded(m);
}

int memory_failing(const struct manager *manager)
{
    const struct memory *m = manager->memory;

    return m && !m->is_loaded ? m->failing ? m->failing : EINPROGRESS : 0;
}

bool memory_holds_up(struct manager *manager)
{
    struct memory *m = manager->memory;

    if (!m || !m->load_until_us)
        return false;
    m->was_held_up = true;
    return true;
}

/* ---- asking ---- */

static void take_query(struct memory *m, const struct reply *reply)
{
    for (size_t i = 0; i < m->asking.n; i++) {
        struct asking a = m->asking.v[i];

        if (a.n != reply->n)
            continue;
        m->asking.v[i] = m->asking.v[--m->asking.n];
        a.take(a.userdata, a.client, reply->has_answer ? &reply->answer : NULL,
               reply->error ? -(int)reply->error : -EBADMSG);
        return;
    }
}

static void give_up_asking(struct memory *m, uint64_t now_us)
{
    for (size_t i = 0; i < m->asking.n;) {
        struct asking a = m->asking.v[i];

        if (a.until_us > now_us) {
            i++;
            continue;
        }
        m->asking.v[i] = m->asking.v[--m->asking.n];
        a.take(a.userdata, a.client, NULL, -ETIMEDOUT);
    }
}

int memory_ask(struct manager *manager, struct client *client, const struct query_record *query,
               memory_answer take, void *userdata)
{
    struct memory *m = manager->memory;
    struct record record = { .kind = RECORD_QUERY, .query = *query };
    int r = m ? vec_reserve(&m->asking, 1) : -ENOENT;

    if (r == 0)
        r = put(m, &record);
    if (r < 0)
        return r;
    m->asking.v[m->asking.n++] = (struct asking){ record.n,
                                                  manager_now(manager) + MEMORY_PATIENCE_US, client,
                                                  take, userdata };
    set_alarm(m);
    return 0;
}

bool memory_is_busy(const struct manager *m)
{
    return m->memory && m->memory->asking.n >= ASKING_MOST;
}

void memory_client_gone(struct manager *manager, const struct client *client)
{
    struct memory *m = manager->memory;

    for (size_t i = 0; m && i < m->asking.n; i++)
        if (m->asking.v[i].client == client)
            m->asking.v[i].client = NULL;
}

/* ---- the writer ---- */

static void on_answer(void *userdata, enum record_kind kind, const struct reply *reply)
{
    if (kind == RECORD_LOAD)
        take_load(userdata, reply);
    else
        take_query(userdata, reply);
}

static void on_said(void *userdata, int priority, const char *text)
{
    (void)userdata;
    log_line((enum log_priority)priority, "%s", text);
}

static void thin(struct memory *m, uint64_t now_us)
{
    struct record record = { .kind = RECORD_THIN, .thin = { judge_wall(m->manager) } };

    m->thin_us = now_us + THIN_US;
    put(m, &record);
}

static void dispatch(struct memory *m)
{
    uint64_t now_us = manager_now(m->manager);

    if (writer_dispatch(m->writer, now_us) < 0)
        log_line(LOG_ERROR, "the memory does not go on: out of memory");
    if (writer_has_begun_anew(m->writer))
        put_all(m);
    if (m->load_until_us && now_us >= m->load_until_us)
        let_go_on(m);
    if (now_us >= m->load_again_us)
        load(m);
    if (now_us >= m->thin_us)
        thin(m, now_us);
    give_up_asking(m, now_us);
    set_alarm(m);
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    (void)source;
    (void)fd;
    (void)revents;
    dispatch(userdata);
    return 0;
}

static int on_alarm(sd_event_source *source, uint64_t now, void *userdata)
{
    (void)source;
    (void)now;
    dispatch(userdata);
    return 0;
}

/* ---- putting in ---- */

void memory_look(struct manager *manager, const struct snapshot *before,
                 const struct snapshot *after)
{
    struct memory *m = manager->memory;

    if (!m)
        return;
    if (writer_put_look(m->writer, before, after, manager_now(manager)) == -ENOMEM)
        log_line(LOG_ERROR, "a look is not remembered: out of memory");
    set_alarm(m);
}

void memory_put(struct manager *manager, struct record *record)
{
    struct memory *m = manager->memory;

    if (m && (record->kind != RECORD_FINDING || m->is_loaded))
        put(m, record);
}

/* ---- how it goes ---- */

static const char *state_of(const struct memory *m, const struct writer_status *s)
{
    if (s->is_stuck)
        return "stuck";
    if (s->error || m->failing)
        return "failing";
    return m->is_loaded ? "well" : "starting";
}

static struct memory_counts counts_of(const struct writer_status *s)
{
    struct memory_counts c = { .written = s->done, .waiting = s->n };

    for (enum record_kind k = 0; k < _RECORD_KIND_MAX; k++)
        c.lost += s->lost[k];
    return c;
}

bool memory_counts(const struct manager *m, struct memory_counts *ret)
{
    struct writer_status s;

    if (!m->memory)
        return false;
    s = writer_status(m->memory->writer);
    *ret = counts_of(&s);
    return true;
}

void memory_status(const struct manager *manager, struct json_writer *w)
{
    const struct memory *m = manager->memory;
    struct memory_counts counts;
    struct writer_status s;

    if (!m) {
        json_write_null(w);
        return;
    }
    s = writer_status(m->writer);
    counts = counts_of(&s);
    json_write_begin_object(w);
    json_write_text_member(w, "state", state_of(m, &s));
    json_write_key(w, "why");
    if (s.error)
        json_write_string(w, strerror(s.error));
    else
        json_write_null(w);
    json_write_u64_member(w, "waiting", counts.waiting);
    json_write_u64_member(w, "written", counts.written);
    json_write_u64_member(w, "lost", counts.lost);
    json_write_u64_member(w, "given_up", s.given_up);
    json_write_end_object(w);
}

/* ---- beginning and end ---- */

static struct history_limits limits_of(const struct config *config)
{
    const struct config_history *h = &config->history;

    return (struct history_limits){ h->raw_us, h->hourly_us, h->keep_us, h->size };
}

void memory_reload(struct manager *manager)
{
    struct history_limits limits = limits_of(&manager->config);

    if (!manager->memory)
        return;
    writer_set_limits(manager->memory->writer, &limits);
    set_alarm(manager->memory);
}

static int start(struct memory *m, const char *dir)
{
    struct manager *manager = m->manager;
    _cleanup_free_ char *path = NULL;
    struct writer_options options = { .limits = limits_of(&manager->config),
                                      .wall_us = manager_wall(manager),
                                      .say = on_said,
                                      .answer = on_answer,
                                      .userdata = m };
    uint64_t patience_us = manager->config.daemon.patience_us;
    int r;

    if (asprintf(&path, "%s/history.sqlite", dir) < 0) {
        path = NULL;
        return -ENOMEM;
    }
    options.path = path;
    r = writer_new(&options, &m->writer);
    if (r == 0)
        r = sd_event_add_io(manager->event, &m->io, writer_fd(m->writer), EPOLLIN, on_io, m);
    if (r >= 0)
        r = sd_event_add_time(manager->event, &m->alarm, CLOCK_MONOTONIC, 0, 1, on_alarm, m);
    if (r < 0)
        return r;
    m->thin_us = manager_now(manager) + FIRST_THIN_US;
    m->load_until_us = manager_now(manager) +
                       (patience_us < FIRST_REPORT_US ? patience_us : FIRST_REPORT_US);
    load(m);
    return 0;
}

int memory_start(struct manager *manager)
{
    const char *dir = manager->options->state;
    struct memory *m = dir ? calloc(1, sizeof(*m)) : NULL;

    if (!m)
        return dir ? -ENOMEM : 0;
    manager->memory = m;
    m->manager = manager;
    return start(m, dir);
}

void memory_stop(struct manager *manager)
{
    struct memory *m = manager->memory;

    if (!m)
        return;
    for (size_t i = 0; i < m->asking.n; i++)
        m->asking.v[i].take(m->asking.v[i].userdata, NULL, NULL, -ECANCELED);
    writer_free(m->writer);
    sd_event_source_disable_unref(m->io);
    sd_event_source_disable_unref(m->alarm);
    history_free(m->loading);
    free(m->asking.v);
    free(m);
    manager->memory = NULL;
}
