/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One call to hbad (exporter.h): connect, send, read to the end of the reply. It is nobody's request in particular: whoever asks
 * while it is under way gets its answer, so that a hundred who ask cost hbad one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "exporter/exporter.h"
#include "wire/frame.h"
#include "wire/reply.h"

/* With its NUL, which ends a message. */
static const char CALL[] =
    "{\"method\":\"io.hbad.monitor.GetText\",\"parameters\":{\"verb\":\"metrics\"}}";

struct exchange {
    int fd;
    struct frames in;
    sd_event_source *readable, *late;
};

void exchange_stop(struct exporter *x)
{
    struct exchange *e = x->exchange;

    if (!e)
        return;
    sd_event_source_disable_unref(e->readable);
    sd_event_source_disable_unref(e->late);
    frames_done(&e->in);
    close(e->fd);
    free(e);
    x->exchange = NULL;
}

/* ---- the reply ---- */

/* The text of a reply to GetText, malloc()ed. */
static int text_of(struct bytes parameters, char **ret, size_t *ret_len)
{
    static const char *const NAMES[] = { "text" };
    struct bytes pieces = { 0 };
    char *text = NULL;
    FILE *out;
    int r = varlink_members(parameters, NAMES, 1, &pieces);

    if (r == 0 && !pieces.len)
        r = -EBADMSG;
    if (r < 0)
        return r;
    out = open_memstream(&text, ret_len);
    if (!out)
        return -ENOMEM;
    r = varlink_print_text(pieces, out);
    if (fclose(out) != 0)
        r = -ENOMEM;
    if (r == 0)
        *ret = TAKE_PTR(text);
    free(text);
    return r;
}

static struct answer *answer_of(struct bytes message)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct varlink_reply reply = { 0 };
    char *text = NULL;
    size_t len = 0;
    int r = arena ? varlink_parse_reply(message, arena, &reply) : -ENOMEM;

    if (r == 0 && reply.error)
        return pages_unavailable(0, text_same(reply.error, "io.hbad.monitor.NotReady")
                                        ? "has not looked at anything yet"
                                        : "does not know of metrics");
    if (r == 0)
        r = text_of(reply.parameters, &text, &len);
    return r < 0 ? pages_unavailable(r, NULL)
                 : answer_new(MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", text, len);
}

/* It is over: the message is its reply, or the errno says why there is none. */
static void end(struct exporter *x, int error, struct bytes message)
{
    struct answer *a = error < 0 ? pages_unavailable(error, NULL) : answer_of(message);

    exchange_stop(x);
    connections_answer(x, a);
    answer_unref(a);
}

/* ---- what happens ---- */

static int read_some(struct exchange *e)
{
    uint8_t *at;
    int64_t room = frames_room(&e->in, &at);
    ssize_t n;

    if (room < 0)
        return (int)room;
    n = recv(e->fd, at, (size_t)room, MSG_DONTWAIT);
    if (n == 0)
        return -ECONNRESET;
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    frames_added(&e->in, (size_t)n);
    return 0;
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    struct exporter *x = userdata;
    struct bytes message = { 0 };
    int r = read_some(x->exchange);

    (void)source;
    (void)fd;
    (void)events;
    if (r == 0)
        r = frames_next(&x->exchange->in, &message);
    if (r != 0)
        end(x, r, message);
    return 0;
}

static int on_late(sd_event_source *source, uint64_t now, void *userdata)
{
    (void)source;
    (void)now;
    end(userdata, -ETIMEDOUT, (struct bytes){ 0 });
    return 0;
}

/* ---- asking ---- */

/* Connects and sends the call, which a new socket always has room for. Returns the descriptor or a negative errno. */
static int call(const char *path)
{
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    if (fd < 0)
        return -errno;
    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
        send(fd, CALL, sizeof(CALL), MSG_NOSIGNAL) != (ssize_t)sizeof(CALL))
        return errno == EAGAIN ? -ETIMEDOUT : -errno; /* as many wait for it as can */
    return TAKE_FD(fd);
}

int exchange_start(struct exporter *x)
{
    static const uint64_t US = 1000000;
    struct exchange *e;
    int fd, r;

    if (x->exchange)
        return 0;
    fd = call(x->socket);
    if (fd < 0)
        return fd;
    e = calloc(1, sizeof(*e));
    if (!e) {
        close(fd);
        return -ENOMEM;
    }
    *e = (struct exchange){ .fd = fd, .in = frames(TEXT_MAX) };
    x->exchange = e;
    r = sd_event_add_io(x->event, &e->readable, fd, EPOLLIN, on_readable, x);
    if (r >= 0)
        r = sd_event_add_time_relative(x->event, &e->late, CLOCK_MONOTONIC, PATIENCE_S * US, 0,
                                       on_late, x);
    if (r < 0)
        exchange_stop(x);
    return r < 0 ? r : 0;
}
