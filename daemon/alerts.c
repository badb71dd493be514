/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Alerts: what is found that somebody must know of, told to a program of the administrator's (manager.h).
 *
 * hbad cannot start anything, and what it tells has words of devices in it. So it writes one JSON object into a connection to
 * units/hbad-alert.socket, and systemd starts a hbad-alert@.service for that, whose name and command line are none of hbad's making.
 * One at a time: what is there to be told waits until the one before is through with it, so that a storm starts one program after
 * another, and not hundreds. hbad-alert says that it has taken an alert before it runs anything; until then the alert stays in a file in
 * the runtime directory, which outlasts a restart, and is told again.
 *
 * Where there is no such socket, nobody wants alerts. One that has gone may be there again at once, when it is restarted with a new
 * version of this: so what waits is kept for a while. One that may not be used, or at which nobody listens, is told of.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/manager.h"

#define SECOND_US UINT64_C(1000000)
#define RETRY_US  (5 * SECOND_US) /* where it was not taken */
#define PATIENCE_US \
    (360 * SECOND_US) /* longer than a unit may run: RuntimeMaxSec= of units/hbad-alert@.service */

enum {
    WAITING_MAX = 256, /* alerts: with ALERT_BYTES_MAX each, 16 MiB at most */
    TRIES_MAX = 12,    /* one that nobody takes so often is given up, for it stops all others */
    ABSENT_MAX = 6,    /* so often no socket: all are given up */
    LAST_WORD_MS =
        500, /* what the first is waited for when hbad ends: a unit is started in a tenth of that */
};

static const char FILE_NAME[] = "alerts";

struct alerts {
    struct manager *manager;
    VEC(struct buffer *) waiting; /* oldest first: a line each */
    int fd;                       /* the first one was written there; -1: none was */
    bool is_taken;                /* it is none of those that wait any more */
    bool is_wanted;               /* somebody listened */
    unsigned tries;               /* of the first one */
    unsigned absent;              /* times in a row that there was no socket */
    uint64_t lost;
    sd_event_source *io, *timer;
};

/* ---- the file ---- */

static int write_waiting(const struct manager *m, FILE *out)
{
    for (size_t i = 0; i < m->alerts->waiting.n; i++)
        fwrite_unlocked(m->alerts->waiting.v[i]->data, 1, m->alerts->waiting.v[i]->len, out);
    return ferror(out) ? -EIO : 0;
}

static void keep(struct alerts *a)
{
    publish_file(a->manager, FILE_NAME, a->waiting.n ? write_waiting : NULL);
}

/* What was waiting when hbad ended. */
static int load(struct alerts *a)
{
    const char *runtime = a->manager->options->runtime;
    _cleanup_free_ char *path = NULL, *line = NULL;
    size_t size = 0;
    ssize_t n;
    FILE *in;

    if (!runtime)
        return 0;
    if (asprintf(&path, "%s/%s", runtime, FILE_NAME) < 0) {
        path = NULL;
        return -ENOMEM;
    }
    in = fopen(path, "re");
    while (in && a->waiting.n < WAITING_MAX && (n = getline(&line, &size, in)) > 0) {
        struct buffer *alert = line[n - 1] == '\n' ? buffer_take(TAKE_PTR(line), (size_t)n) : NULL;

        size = 0;
        if (alert && vec_push(&a->waiting, alert) < 0)
            buffer_unref(alert);
    }
    if (in)
        fclose(in);
    return 0;
}

/* ---- one after another ---- */

static void wake(struct alerts *a, uint64_t delay_us)
{
    sd_event_source_set_time_relative(a->timer, delay_us);
    sd_event_source_set_enabled(a->timer, SD_EVENT_ONESHOT);
}

static void drop_first(struct alerts *a)
{
    buffer_unref(a->waiting.v[0]);
    a->waiting.n--;
    memmove(a->waiting.v, a->waiting.v + 1, a->waiting.n * sizeof(a->waiting.v[0]));
    a->tries = 0;
    keep(a);
}

static void drop_all(struct alerts *a)
{
    a->tries = a->absent = 0;
    while (a->waiting.n)
        buffer_unref(a->waiting.v[--a->waiting.n]);
    keep(a);
}

static void disconnect(struct alerts *a)
{
    a->io = sd_event_source_disable_unref(a->io);
    if (a->fd >= 0)
        close(a->fd);
    a->fd = -1;
}

static void give_up_first(struct alerts *a)
{
    log_line(LOG_ERROR, "%s: an alert is not taken, and given up",
             a->manager->options->alert_socket);
    a->lost++;
    drop_first(a);
    publish_metrics(a->manager); /* nothing else has changed, that they would be written for */
}

/* Nobody wants them; where somebody did, he is to know. */
static void give_up_all(struct alerts *a)
{
    if (a->is_wanted) {
        log_line(LOG_WARN, "%s is there no more: %zu alerts are given up",
                 a->manager->options->alert_socket, a->waiting.n);
        a->lost += a->waiting.n;
    }
    drop_all(a);
    if (a->is_wanted)
        publish_metrics(a->manager);
    a->is_wanted = false;
}

/* The connection is over, or there was none: 0 or a negative errno. */
static void end(struct alerts *a, int error)
{
    bool was_taken = a->is_taken;

    disconnect(a);
    a->is_taken = false;
    a->absent = error == -ENOENT ? a->absent + 1 : 0;
    if (a->absent == ABSENT_MAX)
        give_up_all(a);
    else if (!was_taken && ++a->tries == TRIES_MAX)
        give_up_first(a);
    if (a->waiting.n)
        wake(a, was_taken ? 0 : RETRY_US);
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct alerts *a = userdata;
    char word[64];
    ssize_t n = read(fd, word, sizeof(word));

    (void)source;
    (void)revents;
    if (n > 0 && !a->is_taken) {
        a->is_taken = true;
        drop_first(a);
    } else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        end(a, 0);
    }
    return 0;
}

/* Connects, and writes an alert. Returns 0 or a negative errno. */
static int send_alert(struct alerts *a, const struct buffer *alert)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = a->manager->options->alert_socket;
    ssize_t n;

    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    a->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (a->fd < 0 || connect(a->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return -errno;
    /* All of it, or it is not taken: what a socket holds is more than what an alert may be (unix(7)). */
    n = send(a->fd, alert->data, alert->len, MSG_NOSIGNAL);
    if (n < 0 || (size_t)n < alert->len || shutdown(a->fd, SHUT_WR) < 0)
        return n < 0 ? -errno : -EAGAIN;
    return sd_event_add_io(a->manager->event, &a->io, a->fd, EPOLLIN, on_io, a);
}

static int on_timer(sd_event_source *source, uint64_t now, void *userdata)
{
    struct alerts *a = userdata;
    int r;

    (void)source;
    (void)now;
    if (a->fd >= 0 || !a->waiting.n) { /* whoever is at it is left to it */
        if (a->fd >= 0)
            end(a, 0);
        return 0;
    }
    r = send_alert(a, a->waiting.v[0]);
    if (r < 0) {
        end(a, r);
        return 0;
    }
    a->is_wanted = true;
    wake(a, PATIENCE_US);
    return 0;
}

/* ---- for the manager ---- */

int alerts_start(struct manager *m)
{
    struct alerts *a;
    int r;

    if (!m->options->alert_socket)
        return 0;
    a = m->alerts = calloc(1, sizeof(*a));
    if (!a)
        return -ENOMEM;
    *a = (struct alerts){ .manager = m, .fd = -1 };
    r = sd_event_add_time_relative(m->event, &a->timer, CLOCK_MONOTONIC, 0, 1, on_timer, a);
    return r < 0 ? r : load(a);
}

/* One that is being taken as hbad ends would be told again by the next hbad. */
static void hear_last_word(struct alerts *a)
{
    struct pollfd answer = { .fd = a->fd, .events = POLLIN };

    if (a->fd >= 0 && !a->is_taken && poll(&answer, 1, LAST_WORD_MS) == 1)
        on_io(NULL, a->fd, 0, a);
}

void alerts_stop(struct manager *m)
{
    struct alerts *a = m->alerts;

    if (!a)
        return;
    hear_last_word(a);
    disconnect(a);
    sd_event_source_disable_unref(a->timer);
    for (size_t i = 0; i < a->waiting.n; i++)
        buffer_unref(a->waiting.v[i]);
    free(a->waiting.v);
    free(a);
    m->alerts = NULL;
}

void alerts_put(struct manager *m, struct buffer *alert)
{
    struct alerts *a = m->alerts;

    if (a->waiting.n >= WAITING_MAX || vec_push(&a->waiting, alert) < 0) {
        log_line(LOG_WARN, "an alert is lost: %zu are waiting already", a->waiting.n);
        a->lost++;
        return;
    }
    buffer_ref(alert);
    keep(a);
    if (a->fd < 0 && !a->tries)
        wake(a, 0);
}

bool alerts_counts(const struct manager *m, uint64_t *ret_waiting, uint64_t *ret_lost)
{
    if (!m->alerts)
        return false;
    *ret_waiting = m->alerts->waiting.n;
    *ret_lost = m->alerts->lost;
    return true;
}
