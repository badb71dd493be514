/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One connection (client.h): bytes in, calls, answers, bytes out.
 *
 * Calls are answered in their order, one a turn of the loop, so that one who asks for much at once delays others by one
 * answer only. The next one is read when the answer to the last one is on its way, so a client that asks and does not read
 * fills its own socket, and nothing here. While a call streams or is waited for, nothing is read.
 */
#include "daemon/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/vec.h"
#include "wire/frame.h"

enum client_state {
    CLIENT_READY,   /* the next call may be read */
    CLIENT_AWAITED, /* a call streams, or is waited for */
    CLIENT_ENDING,  /* what waits is sent, then it is over */
};

struct client {
    struct client *next;
    sd_event *event;
    sd_event_source *io;
    int fd;
    struct ucred who;
    const struct varlink_service *service;
    void *userdata, *end_userdata;
    client_end end;
    client_has_room has_room;
    enum client_state state;
    bool has_said_all; /* it has closed its side */
    bool has_more;     /* there may be a call among what has been read */
    bool is_oneway;    /* the call that is waited for wants no answer */
    struct frames in;
    VEC(struct buffer *) waiting; /* to be sent, oldest first */
    size_t sent;                  /* bytes of the first of them */
    size_t allowed;               /* how many may wait */
    size_t own;                   /* bytes of those that are for it alone */
    uint64_t moved_us;            /* when it last took one of them, or had taken all */
    struct buffer *shared;        /* see client_reply_shared() */
};

struct client **client_next(struct client *c)
{
    return &c->next;
}

uid_t client_uid(const struct client *c)
{
    return c->who.uid;
}

void *client_userdata(const struct client *c)
{
    return c->userdata;
}

bool client_is_awaited(const struct client *c)
{
    return c->state == CLIENT_AWAITED;
}

bool client_is_slow(const struct client *c, uint64_t now_us)
{
    return c->waiting.n && now_us > c->moved_us + SERVER_PATIENCE_US;
}

size_t client_bytes(const struct client *c)
{
    return c->in.room + c->own;
}

void client_set_priority(struct client *c, int64_t priority)
{
    sd_event_source_set_priority(c->io, priority);
}

bool client_may_change(const struct client *c, gid_t group)
{
    gid_t groups[1024];
    socklen_t size = sizeof(groups);

    if (c->who.uid == 0 || c->who.uid == geteuid())
        return true;
    if (group == (gid_t)-1)
        return false;
    if (c->who.gid == group)
        return true;
    if (getsockopt(c->fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
        return false;
    for (size_t i = 0; i < size / sizeof(groups[0]); i++)
        if (groups[i] == group)
            return true;
    return false;
}

void client_reply_shared(struct client *c, struct buffer *message)
{
    buffer_unref(c->shared);
    c->shared = buffer_ref(message);
}

/* ---- out ---- */

/* What is to be gone on with has its next turn when there is room for an answer. */
static int watch(struct client *c)
{
    bool is_free = c->state == CLIENT_READY && !c->waiting.n,
         goes_on = is_free && (c->has_more || c->has_said_all);

    return sd_event_source_set_io_events(c->io, (is_free && !goes_on ? EPOLLIN : 0) |
                                                    (c->waiting.n || goes_on ? EPOLLOUT : 0));
}

/* Forgets what has been sent. */
static void drop_sent(struct client *c, size_t n)
{
    size_t whole = 0;

    for (c->sent += n; whole < c->waiting.n && c->sent >= c->waiting.v[whole]->len; whole++) {
        c->sent -= c->waiting.v[whole]->len;
        buffer_unref(c->waiting.v[whole]);
    }
    if (whole)
        sd_event_now(c->event, CLOCK_MONOTONIC, &c->moved_us);
    c->waiting.n -= whole;
    memmove(c->waiting.v, c->waiting.v + whole, c->waiting.n * sizeof(c->waiting.v[0]));
    if (!c->waiting.n) { /* hundreds of them wait for nothing: they should cost nothing */
        free(c->waiting.v);
        c->waiting.v = NULL;
        c->waiting.cap = 0;
        c->own = 0;
    }
}

/* Sends what the socket takes. Returns 0, or a negative errno where nobody is there any more. */
static int send_waiting(struct client *c)
{
    enum { PIECES = 16 };

    while (c->waiting.n) {
        struct iovec pieces[PIECES];
        struct msghdr message = { .msg_iov = pieces };
        ssize_t n;

        while (message.msg_iovlen < c->waiting.n && message.msg_iovlen < PIECES) {
            const struct buffer *b = c->waiting.v[message.msg_iovlen];
            size_t from = message.msg_iovlen ? 0 : c->sent;

            pieces[message.msg_iovlen++] = (struct iovec){ b->data + from, b->len - from };
        }
        n = sendmsg(c->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : -errno;
        drop_sent(c, (size_t)n);
    }
    return 0;
}

/* Puts a message behind those that wait. Returns 0 or -ENOMEM. */
static int queue(struct client *c, struct buffer *message)
{
    int r;

    if (!c->waiting.n)
        sd_event_now(c->event, CLOCK_MONOTONIC, &c->moved_us);
    r = vec_push(&c->waiting, message);
    if (r == 0)
        buffer_ref(message);
    return r;
}

int client_queue(struct client *c, struct buffer *message)
{
    c->allowed++;
    return c->is_oneway ? 0 : queue(c, message);
}

/* A subscriber that is too slow: what it has not begun to take is dropped, and it is told how much that was. */
static int overrun(struct client *c)
{
    size_t keep = c->sent ? 1 : 0, dropped = c->waiting.n - keep;
    struct buffer_writer w;
    struct buffer *message;

    while (c->waiting.n > keep)
        buffer_unref(c->waiting.v[--c->waiting.n]);
    c->state = CLIENT_ENDING;
    if (buffer_open(&w) < 0)
        return -ENOMEM;
    varlink_begin(w.out);
    fprintf(w.out, "{\"dropped\":%zu}", dropped);
    varlink_end(w.out, "io.hbad.monitor.Overrun", false);
    message = buffer_close(&w);
    if (!message)
        return -ENOMEM;
    c->waiting.v[c->waiting.n++] = message; /* room is there: more than one was dropped */
    return 0;
}

/* ---- in ---- */

/* Answers a message. Returns 0, or a negative errno where it is no call, or there is no memory. */
static int serve(struct client *c, struct bytes message)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct varlink_call call;
    struct buffer_writer w = { 0 };
    struct buffer *answer;
    const char *why;
    bool is_shared;
    int r = arena ? varlink_parse(message, arena, &call, &why) : -ENOMEM;

    if (r == 0)
        r = buffer_open(&w);
    if (r < 0)
        return r;
    c->is_oneway = call.oneway;
    r = varlink_serve(c->service, &call, arena, c, w.out);
    answer = buffer_close(&w);
    if (r >= 0 && !answer)
        r = -ENOMEM;
    is_shared = c->shared != NULL;
    if (r >= 0 && is_shared) {
        buffer_unref(answer);
        answer = TAKE_PTR(c->shared);
    }
    if (r == VARLINK_STREAMS || r == VARLINK_DEFERRED)
        c->state = CLIENT_AWAITED;
    if (r >= 0 && r != VARLINK_DEFERRED && answer->len && !call.oneway) {
        int queued = queue(c, answer);

        r = queued < 0 ? queued : r;
        c->own += is_shared ? 0 : answer->len;
    }
    buffer_unref(answer);
    return r < 0 ? r : 0;
}

/* Answers the next call, where there is one and its turn has come. Returns 0 or a negative errno. */
static int serve_next(struct client *c)
{
    struct bytes message;
    int r;

    if (c->state != CLIENT_READY || c->waiting.n)
        return 0;
    r = frames_next(&c->in, &message);
    c->has_more = r > 0;
    if (r == 0 && c->has_said_all)
        c->state = CLIENT_ENDING;
    if (r <= 0)
        return r;
    r = c->has_room(c->end_userdata, c) ? serve(c, message) : -EDQUOT;
    return r == 0 ? send_waiting(c) : r;
}

static int read_some(struct client *c)
{
    uint8_t *at;
    int64_t room = frames_room(&c->in, &at);
    ssize_t n;

    if (room < 0)
        return (int)room;
    n = recv(c->fd, at, (size_t)room, MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    c->has_said_all = n == 0;
    frames_added(&c->in, (size_t)n);
    return c->has_room(c->end_userdata, c) ? 0 : -EDQUOT;
}

/* Goes on after something was done: what is wrong with a client is its own affair, and it is let go without a word.
 * Returns whether it is still there. */
static bool go_on(struct client *c, int r)
{
    if (r == -EMSGSIZE || r == -EBADMSG) { /* no call; answers to what came before are sent yet */
        c->state = CLIENT_ENDING;
        r = 0;
    }
    if (r == 0)
        r = watch(c);
    if (r == 0 && (c->state != CLIENT_ENDING || c->waiting.n))
        return true;
    c->end(c->end_userdata, c);
    return false;
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct client *c = userdata;
    int r = 0;

    (void)source;
    (void)fd;
    if (revents & EPOLLIN)
        r = read_some(c);
    else if (revents & (EPOLLHUP | EPOLLERR) && !(revents & EPOLLOUT && c->state != CLIENT_AWAITED))
        r = -ECONNRESET;
    if (r == 0)
        r = send_waiting(c);
    if (r == 0)
        r = serve_next(c);
    go_on(c, r);
    return 0;
}

bool client_send(struct client *c, struct buffer *message, bool is_last)
{
    int r = 0;

    if (!c->is_oneway)
        r = queue(c, message);
    if (is_last) {
        c->state = CLIENT_READY;
        c->own += c->waiting.n ? message->len : 0;
    }
    if (r == 0)
        r = send_waiting(c);
    if (r == 0 && c->waiting.n > c->allowed)
        r = overrun(c);
    if (r == 0 && is_last && c->waiting.n && !c->has_room(c->end_userdata, c))
        r = -EDQUOT;
    if (r < 0)
        c->state = CLIENT_ENDING; /* the caller knows, and need not be told that it is gone */
    return go_on(c, r) && c->state != CLIENT_ENDING;
}

void client_free(struct client *c)
{
    sd_event_source_disable_unref(c->io);
    close(c->fd);
    frames_done(&c->in);
    for (size_t i = 0; i < c->waiting.n; i++)
        buffer_unref(c->waiting.v[i]);
    free(c->waiting.v);
    buffer_unref(c->shared);
    sd_event_unref(c->event);
    free(c);
}

struct client *client_new(sd_event *event, int fd, const struct ucred *who,
                          const struct varlink_service *service, void *userdata, client_end end,
                          client_has_room has_room, void *end_userdata)
{
    struct client *c = calloc(1, sizeof(*c));

    if (!c) {
        close(fd);
        return NULL;
    }
    *c = (struct client){
        .event = sd_event_ref(event),
        .fd = fd,
        .who = *who,
        .service = service,
        .userdata = userdata,
        .end = end,
        .has_room = has_room,
        .end_userdata = end_userdata,
        .in = frames(SERVER_REQUEST_MAX),
        .allowed = SERVER_WAITING_MAX,
    };
    if (sd_event_add_io(event, &c->io, fd, EPOLLIN, on_io, c) < 0) {
        client_free(c);
        return NULL;
    }
    return c;
}
