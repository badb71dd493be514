/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who is connected (exporter.h). Connections are taken here and not by libmicrohttpd, which would let those wait that come when
 * as many are there as may be: so a few that send nothing would keep everybody out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "exporter/exporter.h"

static void enable_listeners(struct exporter *x, int enabled)
{
    for (size_t i = 0; i < x->n_listeners; i++)
        sd_event_source_set_enabled(x->listeners[i], enabled);
}

/* ---- the life of one ---- */

/* libmicrohttpd finds it closed by the other side, and does the rest. */
static void hang_up(struct MHD_Connection *http)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        http, MHD_CONNECTION_INFO_CONNECTION_FD);

    if (info)
        shutdown(info->connect_fd, SHUT_RDWR);
}

static void close_connection(struct connection *c)
{
    c->is_closing = true;
    hang_up(c->http);
}

static int on_end(sd_event_source *source, uint64_t now, void *userdata)
{
    (void)source;
    (void)now;
    close_connection(userdata);
    return 0;
}

static struct connection *connection_free(struct connection *c)
{
    answer_unref(c->answer);
    sd_event_source_disable_unref(c->end);
    free(c);
    return NULL;
}

static struct connection *connection_new(struct exporter *x, struct MHD_Connection *http)
{
    static const uint64_t US = 1000000;
    struct connection *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    *c = (struct connection){ .exporter = x, .http = http };
    if (sd_event_add_time_relative(x->event, &c->end, CLOCK_MONOTONIC, LIFE_S * US, 0, on_end, c) <
            0 ||
        vec_push(&x->connections, c) < 0)
        return connection_free(c);
    return c;
}

static void forget(struct connection *c)
{
    struct exporter *x = c->exporter;
    size_t n = 0;

    for (size_t i = 0; i < x->connections.n; i++)
        if (x->connections.v[i] != c)
            x->connections.v[n++] = x->connections.v[i];
    x->connections.n = n;
    connection_free(c);
    enable_listeners(x, SD_EVENT_ON);
}

void connections_notify(void *exporter, struct MHD_Connection *http, void **ret_connection,
                        enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *ret_connection = connection_new(exporter, http);
        if (!*ret_connection)
            hang_up(http); /* nobody would end it */
    } else if (*ret_connection) {
        forget(*ret_connection);
    }
}

void connections_answer(struct exporter *x, struct answer *a)
{
    for (size_t i = 0; i < x->connections.n; i++) {
        struct connection *c = x->connections.v[i];

        if (!c->is_waiting)
            continue;
        c->is_waiting = false;
        c->answer = answer_ref(a);
        MHD_resume_connection(c->http);
    }
    sd_event_source_set_enabled(x->again, SD_EVENT_ONESHOT); /* which takes a turn of its own */
}

/* ---- new ones ---- */

/* Lets go of the one that has been there longest without a request. */
static void make_room(struct exporter *x)
{
    size_t i = 0;

    while (i < x->connections.n &&
           (x->connections.v[i]->has_asked || x->connections.v[i]->is_closing))
        i++;
    if (i < x->connections.n)
        close_connection(x->connections.v[i]);
    MHD_run(x->http);
}

static int on_connection(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    struct exporter *x = userdata;
    struct sockaddr_storage from = { 0 };
    socklen_t size = sizeof(from);
    int taken;

    (void)source;
    (void)events;
    if (x->connections.n >= CONNECTIONS_MAX)
        make_room(x);
    if (x->connections.n >= CONNECTIONS_MAX) {
        enable_listeners(
            x, SD_EVENT_OFF); /* those that wait for hbad stay until it answers or is late */
        return 0;
    }
    taken = accept4(fd, (struct sockaddr *)&from, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (taken >= 0)
        MHD_add_connection(x->http, taken, (const struct sockaddr *)&from, size);
    return 0;
}

int connections_listen(struct exporter *x, int fd)
{
    int flags = fcntl(fd, F_GETFL), r;

    if (x->n_listeners >= LISTENERS_MAX)
        return -ENOBUFS;
    /* Who connected may have gone again by the time that it is taken. */
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return -errno;
    r = sd_event_add_io(x->event, &x->listeners[x->n_listeners], fd, EPOLLIN, on_connection, x);
    if (r < 0)
        return r;
    /* First what those ask who are there. */
    return sd_event_source_set_priority(x->listeners[x->n_listeners++], SD_EVENT_PRIORITY_IDLE);
}
