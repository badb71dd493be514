/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The connection (client.h).
 */
#include "ctl/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>

#include "base/json_write.h"
#include "wire/frame.h"

struct client {
    int fd;
    struct frames in;
    uint64_t patience_us; /* that it was opened with */
};

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

int client_open(const char *path, unsigned patience_s, struct client **ret)
{
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval patience = { .tv_sec = patience_s };
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct client *c;
    int r;

    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    /* unix(7): both for the answer to connect(), which waits where too many do, and for what is sent. */
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
        return -errno;
    do
        r = connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
    while (r == -EINTR);
    if (r < 0)
        return r == -EAGAIN ? -ETIMEDOUT : r;
    c = calloc(1, sizeof(*c));
    if (!c)
        return -ENOMEM;
    *c = (struct client){ .fd = TAKE_FD(fd),
                          .in = frames(CLIENT_REPLY_MAX),
                          .patience_us = (uint64_t)patience_s * 1000000 };
    *ret = c;
    return 0;
}

struct client *client_free(struct client *c)
{
    if (!c)
        return NULL;
    close(c->fd);
    frames_done(&c->in);
    free(c);
    return NULL;
}

static int send_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN ? -ETIMEDOUT : errno == EPIPE ? -ECONNRESET : -errno;
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

int client_call(struct client *c, const char *method, const char *parameters, bool more)
{
    _cleanup_free_ char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    struct json_writer w;

    if (!out)
        return -ENOMEM;
    w = json_writer(out, false);
    json_write_begin_object(&w);
    json_write_key(&w, "method");
    json_write_string(&w, method);
    if (more) {
        json_write_key(&w, "more");
        json_write_bool(&w, true);
    }
    fprintf(out, "%s%s", parameters ? ",\"parameters\":" : "", parameters ? parameters : "");
    json_write_end_object(&w);
    putc('\0', out);
    if (fclose(out) != 0)
        return -ENOMEM;
    return send_all(c->fd, text, len);
}

/* Waits until something is there, or that time has come. */
static int wait_until(const struct client *c, uint64_t end)
{
    enum { SLICE_MS = 1000000 }; /* poll(2) takes an int */
    struct pollfd fd = { c->fd, POLLIN, 0 };
    int n = 0;

    while (n == 0) {
        uint64_t t = now(), left_ms = end > t ? (end - t + 999) / 1000 : 0;

        if (!left_ms)
            return -ETIMEDOUT; /* whatever is there: it may go on for ever, byte by byte */
        n = poll(&fd, 1, end == UINT64_MAX ? -1 : left_ms < SLICE_MS ? (int)left_ms : SLICE_MS);
        if (n < 0 && errno == EINTR)
            n = 0;
    }
    return n < 0 ? -errno : 0;
}

static int read_some(struct client *c)
{
    uint8_t *at;
    int64_t room = frames_room(&c->in, &at);
    ssize_t n;

    if (room < 0)
        return (int)room;
    n = recv(c->fd, at, (size_t)room, MSG_DONTWAIT);
    if (n == 0)
        return -ECONNRESET;
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    frames_added(&c->in, (size_t)n);
    return 0;
}

int client_reply(struct client *c, uint64_t patience_us, struct arena *arena,
                 struct varlink_reply *ret)
{
    uint64_t t = now(), end = patience_us > UINT64_MAX - t ? UINT64_MAX : t + patience_us;
    struct bytes message;
    int r;

    while ((r = frames_next(&c->in, &message)) == 0) {
        if (end == CLIENT_FOR_EVER && frames_is_partial(&c->in))
            end = now() + c->patience_us;
        r = wait_until(c, end);
        if (r == 0)
            r = read_some(c);
        if (r < 0)
            return r;
    }
    return r < 0 ? r : varlink_parse_reply(message, arena, ret);
}
