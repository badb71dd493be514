/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is answered to what is asked for (exporter.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/cleanup.h"
#include "exporter/exporter.h"
#include "wire/reply.h"

#define TEXT "text/plain; charset=utf-8"

/* ---- answers ---- */

struct answer *answer_new(unsigned status, const char *type, char *text, size_t len)
{
    static const struct {
        const char *name, *value;
    } HEADERS[] = {
        { MHD_HTTP_HEADER_CONNECTION, "close" },
        { MHD_HTTP_HEADER_CACHE_CONTROL, "no-store" },
        { "X-Content-Type-Options", "nosniff" }, /* it has what devices call themselves */
    };
    struct answer *a = calloc(1, sizeof(*a));
    struct MHD_Response *response =
        a ? MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE) : NULL;

    if (!response) {
        free(text);
        free(a);
        return NULL;
    }
    *a = (struct answer){ .refs = 1, .status = status, .response = response };
    for (size_t i = 0; i < ELEMENTS(HEADERS); i++)
        if (MHD_add_response_header(response, HEADERS[i].name, HEADERS[i].value) != MHD_YES)
            return answer_unref(a);
    if (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) != MHD_YES)
        return answer_unref(a);
    return a;
}

struct answer *answer_ref(struct answer *a)
{
    if (a)
        a->refs++;
    return a;
}

struct answer *answer_unref(struct answer *a)
{
    if (a && --a->refs == 0) {
        MHD_destroy_response(a->response);
        free(a);
    }
    return NULL;
}

static struct answer *fixed(unsigned status, const char *type, const char *text)
{
    char *copy = strdup(text);

    return copy ? answer_new(status, type, copy, strlen(copy)) : NULL;
}

struct answer *pages_unavailable(int error, const char *words)
{
    const char *why = words ? words : varlink_failure(error);
    char *text = NULL;
    int len = why ? asprintf(&text, "hbad %s\n", why)
                  : asprintf(&text, "hbad cannot be asked: %s\n", strerror(-error));

    return len < 0 ? NULL : answer_new(MHD_HTTP_SERVICE_UNAVAILABLE, TEXT, text, (size_t)len);
}

/* ---- pages ---- */

static struct answer *page_top(struct connection *c)
{
    (void)c;
    return fixed(MHD_HTTP_OK, "text/html; charset=utf-8",
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<title>hbad-exporter</title>\n"
                 "<p>hbad-exporter " HBAD_VERSION ": storage links as "
                 "<a href=\"/metrics\">metrics</a> for Prometheus.\n</html>\n");
}

/* NULL with the connection waiting: hbad was asked. */
static struct answer *page_metrics(struct connection *c)
{
    int r = exchange_start(c->exporter);

    c->is_waiting = r == 0;
    return r < 0 ? pages_unavailable(r, NULL) : NULL;
}

static const struct {
    const char *path;
    struct answer *(*make)(struct connection *c);
} PAGES[] = {
    { "/", page_top },
    { "/metrics", page_metrics },
};

static struct answer *answer_to(struct connection *c, const char *path, const char *method)
{
    struct answer *a;

    for (size_t i = 0; i < ELEMENTS(PAGES); i++) {
        if (strcmp(path, PAGES[i].path) != 0)
            continue;
        if (strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0)
            return PAGES[i].make(c);
        a = fixed(MHD_HTTP_METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n");
        if (a &&
            MHD_add_response_header(a->response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD") != MHD_YES)
            a = answer_unref(a);
        return a;
    }
    return fixed(MHD_HTTP_NOT_FOUND, TEXT, "there is only /metrics\n");
}

/* Called when a header is complete, and again when a connection that waited has its answer. What follows a header, which neither
 * GET nor HEAD needs, is not read: the connection is closed behind the answer. Returning MHD_NO closes it at once. */
static enum MHD_Result on_request(void *exporter, struct MHD_Connection *http, const char *path,
                                  const char *method, const char *version, const char *data,
                                  size_t *data_len, void **request)
{
    static const uint64_t US = 1000000;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        http, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct connection *c = info ? info->socket_context : NULL;
    enum MHD_Result r;

    (void)exporter;
    (void)version;
    (void)data;
    (void)data_len;
    if (!c)
        return MHD_NO;
    if (!*request) {
        *request = c;
        c->has_asked = true;
        c->answer = answer_to(c, path, method);
        if (c->is_waiting) {
            MHD_suspend_connection(http);
            return MHD_YES;
        }
    }
    if (!c->answer)
        return MHD_NO;
    r = MHD_queue_response(http, c->answer->status, c->answer->response);
    if (sd_event_source_set_time_relative(c->end, READ_S * US) < 0)
        r = MHD_NO;
    c->answer = answer_unref(c->answer);
    return r;
}

/* ---- libmicrohttpd in our loop ---- */

/* A path is what it is: no other spelling of ours is needed, and %00 would end it. */
static size_t leave_escaped(void *userdata, struct MHD_Connection *http, char *text)
{
    (void)userdata;
    (void)http;
    return strlen(text);
}

/* One turn; where there is more to do, another one soon, behind what others wait for. */
static int turn(struct exporter *x)
{
    MHD_UNSIGNED_LONG_LONG ms;

    MHD_run(x->http);
    return sd_event_source_set_enabled(x->again, MHD_get_timeout(x->http, &ms) == MHD_YES && ms == 0
                                                     ? SD_EVENT_ONESHOT
                                                     : SD_EVENT_OFF);
}

static int on_wake(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    (void)source;
    (void)fd;
    (void)events;
    return turn(userdata);
}

static int on_again(sd_event_source *source, void *userdata)
{
    (void)source;
    return turn(userdata);
}

int pages_start(struct exporter *x)
{
    const union MHD_DaemonInfo *info;
    int r;

    x->http = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME,
                               0, NULL, NULL, on_request, x, MHD_OPTION_NOTIFY_CONNECTION,
                               connections_notify, x, MHD_OPTION_CONNECTION_LIMIT,
                               (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                               (size_t)REQUEST_MAX, MHD_OPTION_STRICT_FOR_CLIENT, 1,
                               MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL, MHD_OPTION_END);
    info = x->http ? MHD_get_daemon_info(x->http, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    if (!info)
        return -ENOTSUP;
    r = sd_event_add_io(x->event, &x->wake, info->epoll_fd, EPOLLIN, on_wake, x);
    return r < 0 ? r : sd_event_add_defer(x->event, &x->again, on_again, x);
}

void pages_stop(struct exporter *x)
{
    exchange_stop(x);
    connections_answer(x, NULL);
    sd_event_source_disable_unref(x->wake);
    sd_event_source_disable_unref(x->again);
    if (x->http) {
        MHD_run(x->http); /* it must not be stopped while a connection waits */
        MHD_stop_daemon(x->http);
    }
    for (size_t i = 0; i < x->n_listeners; i++)
        sd_event_source_disable_unref(x->listeners[i]);
    free(x->connections.v);
}
