/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Comes to life, is told things, ends (manager.h).
 */
#include "daemon/manager.h"

#include <errno.h>
#include <grp.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "daemon/log.h"
#include "daemon/probes.h"

uint64_t manager_now(const struct manager *m)
{
    uint64_t now = 0;

    sd_event_now(m->event, CLOCK_MONOTONIC, &now);
    return now;
}

uint64_t manager_wall(const struct manager *m)
{
    uint64_t now = 0;

    sd_event_now(m->event, CLOCK_REALTIME, &now);
    return now;
}

/* ---- judging ---- */

void manager_judge_now(struct manager *m)
{
    m->judged_us = manager_now(m);
    if (judge(m) == 0) {
        probes_judged(m);
        publish(m);
    }
    malloc_trim(0); /* what judging took, beyond what it left */
    methods_looked(m);
}

static int on_judge(sd_event_source *source, uint64_t now, void *userdata)
{
    struct manager *m = userdata;

    (void)source;
    (void)now;
    m->judge_us = UINT64_MAX;
    if (adapters_behind(m))
        manager_judge_at(m, adapters_behind(m));
    else if (!memory_holds_up(m))
        manager_judge_now(m);
    return 0;
}

void manager_judge_at(struct manager *m, uint64_t when_us)
{
    if (when_us >= m->judge_us)
        return;
    m->judge_us = when_us;
    sd_event_source_set_time(m->judge, when_us);
    sd_event_source_set_enabled(m->judge, SD_EVENT_ONESHOT);
}

void manager_look(struct manager *m)
{
    uint64_t now = manager_now(m);

    if (m->captures) {
        captures_step(m);
        manager_judge_at(m, now);
        return;
    }
    schedule_round_now(&m->schedule, now);
    m->list_is_old = true;
    adapters_go_on(m);
}

/* ---- the configuration ---- */

static void say_messages(const struct config_messages *messages)
{
    for (size_t i = 0; i < messages->list.n; i++) {
        const struct config_message *m = &messages->list.v[i];

        enum log_priority priority = m->is_warning ? LOG_WARN : LOG_ERROR;

        if (m->place.line)
            log_line(priority, "%s:%u: %s", m->place.file, m->place.line, m->text);
        else
            log_line(priority, "%s: %s", m->place.file, m->text);
    }
}

static void refuse_settings(struct manager *m, const char *instead)
{
    m->instead = instead;
    log_line(LOG_ERROR, "the configuration is wrong: %s", instead);
}

int manager_reload(struct manager *m)
{
    struct config config;
    struct schedule_times times;
    int r;

    supervision_reloading(m);
    config_messages_done(&m->complaints);
    m->instead = NULL;
    r = settings_read(m->options, &config, &m->complaints);
    say_messages(&m->complaints);
    if (r == 0) {
        config_done(&m->config);
        m->config = config;
        times = settings_times(&m->config);
        schedule_set_times(&m->schedule, &times, manager_now(m));
        memory_reload(m);
        watcher_retime(m);
        if (!m->captures)
            adapters_go_on(m);
    } else {
        config_done(&config);
        refuse_settings(m, "the old one stays in force");
    }
    manager_judge_at(m, manager_now(m));
    supervision_reloaded(m);
    return r;
}

/* At the start there is no old one: without a configuration that can be read, nobody said anything. */
static int read_first_settings(struct manager *m)
{
    int r = settings_read(m->options, &m->config, &m->complaints);

    say_messages(&m->complaints);
    if (r != -EBADMSG)
        return r;
    refuse_settings(m, "it is not used");
    config_done(&m->config);
    return config_init(&m->config);
}

/* ---- signals ---- */

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
    (void)source;
    (void)info;
    manager_reload(userdata);
    return 0;
}

static int on_look(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
    (void)source;
    (void)info;
    manager_look(userdata);
    return 0;
}

/* SIGTERM and SIGINT end the loop; SIGHUP is reload, SIGUSR1 a look now. */
static int take_signals(struct manager *m)
{
    sigset_t signals;
    int r;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0)
        return -errno;
    r = sd_event_add_signal(m->event, NULL, SIGTERM, NULL, NULL);
    if (r >= 0)
        r = sd_event_add_signal(m->event, NULL, SIGINT, NULL, NULL);
    if (r >= 0)
        r = sd_event_add_signal(m->event, NULL, SIGHUP, on_reload, m);
    if (r >= 0)
        r = sd_event_add_signal(m->event, NULL, SIGUSR1, on_look, m);
    return r < 0 ? r : 0;
}

/* ---- listening ---- */

static void on_client_gone(void *userdata, struct client *c)
{
    struct manager *m = userdata;
    size_t n = 0;

    publish_unsubscribe(m, c);
    memory_client_gone(m, c);
    page_client_gone(m, c);
    probe_requests_client_gone(m, c);
    for (size_t i = 0; i < m->waiters.n; i++)
        if (m->waiters.v[i].client != c)
            m->waiters.v[n++] = m->waiters.v[i];
    m->waiters.n = n;
}

/* Returns how many sockets there are, or a negative errno, which was said. */
static int listen_to_systemd(struct manager *m)
{
    int n = sd_listen_fds(1), r = n < 0 ? n : 0;

    for (int fd = SD_LISTEN_FDS_START; r == 0 && fd < SD_LISTEN_FDS_START + n; fd++) {
        r = sd_is_socket_unix(fd, SOCK_STREAM, 1, NULL, 0);
        r = r > 0 ? server_listen_fd(m->server, fd) : r < 0 ? r : -EINVAL;
    }
    if (r < 0)
        log_line(LOG_ERROR, "the sockets that were passed cannot be used: %s", strerror(-r));
    return r < 0 ? r : n;
}

static int start_server(struct manager *m)
{
    const char *path = m->options->socket;
    int r;

    m->server = server_new(m->event, &SERVICE, on_client_gone, m);
    if (!m->server)
        return -ENOMEM;
    r = listen_to_systemd(m);
    if (r == 0 && !path)
        log_line(LOG_WARN, "nobody can ask: systemd passes no socket, and no --socket is given");
    if (r < 0 || !path)
        return r < 0 ? r : 0;
    r = server_listen_path(m->server, path);
    if (r < 0)
        log_line(LOG_ERROR, "%s: %s", path, strerror(-r));
    return r;
}

/* Members of group hbad may change things, where there is such a group. */
static gid_t find_group(void)
{
    const struct group *g = getgrnam("hbad");

    return g ? g->gr_gid : (gid_t)-1;
}

static int start(struct manager *m)
{
    struct schedule_times times;
    int r = take_signals(m);

    if (r == 0)
        r = read_first_settings(m);
    if (r < 0)
        return r;
    times = settings_times(&m->config);
    m->schedule = schedule(&times, manager_now(m));
    m->group = find_group();
    m->since_wall_us = manager_wall(m);
    m->journal = journal_new(m->event, m->options->journal);
    r = m->journal ? sd_event_add_time(m->event, &m->judge, CLOCK_MONOTONIC, 0, 1, on_judge, m)
                   : -ENOMEM;
    if (r >= 0)
        r = sd_event_source_set_enabled(m->judge, SD_EVENT_OFF);
    if (r >= 0)
        r = alerts_start(m);
    if (r >= 0)
        r = start_server(m);
    if (r >= 0)
        r = m->options->captures ? captures_open(m, m->options->captures) : adapters_start(m);
    if (r >= 0)
        r = memory_start(m);
    if (r >= 0)
        r = supervision_start(m);
    if (r >= 0)
        r = probes_start(m);
    if (r >= 0 && m->captures)
        manager_judge_at(m, manager_now(m));
    return r < 0 ? r : 0;
}

int manager_new(sd_event *event, const struct options *options, struct manager **ret)
{
    struct manager *m = calloc(1, sizeof(*m));
    int r;

    if (!m)
        return -ENOMEM;
    m->event = sd_event_ref(event);
    m->options = options;
    m->judge_us = UINT64_MAX;
    r = start(m);
    if (r < 0)
        manager_free(m);
    else
        *ret = m;
    return r;
}

struct manager *manager_free(struct manager *m)
{
    if (!m)
        return NULL;
    memory_stop(m);
    server_free(m->server);
    supervision_stop(m);
    probes_stop(m);
    adapters_stop(m);
    captures_close(m->captures);
    publish_forget(m);
    judge_forget(m);
    acknowledge_forget(m);
    journal_free(m->journal);
    alerts_stop(m);
    free(m->waiters.v);
    sd_event_source_disable_unref(m->judge);
    config_messages_done(&m->complaints);
    config_done(&m->config);
    sd_event_unref(m->event);
    free(m);
    return NULL;
}
