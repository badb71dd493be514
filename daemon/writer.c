/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The daemon's end of the writer (writer.h).
 *
 * What is in the queue (writer_queue.h) and was not settled when a child went is left to the next one.
 */
#include "daemon/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <syslog.h>

#include "base/errors.h"
#include "daemon/writer_queue.h"

enum {
    BACK_OFF_US = 1000000, /* before a child is started again, doubled each time */
    BACK_OFF_MOST_US = 64000000,
    READ_BYTES = 65536,
};

/* Something that goes wrong for a while, and what is lost meanwhile. */
struct trouble {
    bool is_on;
    int error;
    uint64_t since_us, lost[_RECORD_KIND_MAX];
};

struct writer {
    struct writer_options options;
    char *path;
    int epoll_fd;

    struct writer_queue queue;
    uint64_t last_n;
    uint64_t look_us; /* when a look was put in last */

    int fd, pid, pid_fd; /* -1, 0, -1: none; a child that was given up has no fd any more */
    bool wants_output;
    VEC(uint8_t) in;
    uint64_t
        heard_us; /* when it last said something, or something was sent while nothing was expected */
    uint64_t start_us; /* no child before that */
    uint64_t back_off_us;

    bool wants_whole, has_begun_anew;
    struct trouble full, failing;
    struct writer_status status;
};

/* ---- what to tell people ---- */

static void __attribute__((format(printf, 3, 4)))
say(struct writer *w, int priority, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    if (!w->options.say)
        return;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    if (text)
        w->options.say(w->options.userdata, priority, text);
    free(text);
}

/* "12 of look, 3 of finding" */
static char *lost_text(const struct trouble *t)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    const char *comma = "";

    if (!f)
        return NULL;
    for (enum record_kind k = 0; k < _RECORD_KIND_MAX; k++) {
        if (!t->lost[k])
            continue;
        fprintf(f, "%s%" PRIu64 " of %s", comma, t->lost[k], record_kind_to_string(k));
        comma = ", ";
    }
    if (fclose(f) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void begin_trouble(struct writer *w, struct trouble *t, int error, uint64_t now_us,
                          const char *what)
{
    if (t->is_on && t->error == error)
        return;
    if (!t->is_on)
        t->since_us = now_us;
    t->is_on = true;
    t->error = error;
    say(w, LOG_WARNING, "%s: %s; monitoring goes on", what, strerror(error));
}

static void end_trouble(struct writer *w, struct trouble *t, uint64_t now_us, const char *what)
{
    _cleanup_free_ char *lost = NULL;

    if (!t->is_on)
        return;
    if (t->lost[RECORD_FINDING] || t->lost[RECORD_ACKNOWLEDGE])
        w->has_begun_anew = true;
    lost = lost_text(t);
    say(w, LOG_NOTICE, "%s, after %" PRIu64 " s; left out were %s", what,
        (now_us - t->since_us) / 1000000, lost && *lost ? lost : "none");
    *t = (struct trouble){ 0 };
}

static void lose(struct writer *w, struct trouble *t, enum record_kind kind)
{
    t->lost[kind]++;
    w->status.lost[kind]++;
    if (kind == RECORD_LOOK)
        w->wants_whole = true;
}

static bool is_asking(enum record_kind kind)
{
    return kind == RECORD_QUERY || kind == RECORD_LOAD;
}

/* ---- sending ---- */

static int watch_output(struct writer *w, bool wanted)
{
    struct epoll_event e = { .events = EPOLLIN | (wanted ? EPOLLOUT : 0), .data.fd = w->fd };

    if (w->wants_output == wanted)
        return 0;
    w->wants_output = wanted;
    return RET_NERRNO(epoll_ctl(w->epoll_fd, EPOLL_CTL_MOD, w->fd, &e));
}

/* As much as the socket takes. That the child is gone is seen elsewhere. */
static int send_some(struct writer *w, uint64_t now_us)
{
    if (w->fd < 0)
        return 0;
    while (w->queue.next < w->queue.slots.n) {
        struct message *m = w->queue.slots.v[w->queue.next].m;
        ssize_t n;

        if (!m) {
            w->queue.next++;
            continue;
        }
        n = send(w->fd, m->text + w->queue.sent_of_next, m->len - w->queue.sent_of_next,
                 MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0)
            return watch_output(w, errno == EAGAIN);
        if (w->queue.next == w->queue.first && w->queue.sent_of_next == 0)
            w->heard_us = now_us; /* from now on something is expected of it */
        w->queue.sent_of_next += (size_t)n;
        if (w->queue.sent_of_next < m->len)
            continue;
        w->queue.next++;
        w->queue.sent_of_next = 0;
    }
    return watch_output(w, false);
}

static bool is_expecting(const struct writer *w)
{
    return w->fd >= 0 && (w->queue.next > w->queue.first || w->queue.sent_of_next > 0);
}

int writer_put(struct writer *w, struct record *record, uint64_t now_us)
{
    struct message *m;
    size_t old;
    int r = vec_reserve(&w->queue.slots, 1);

    record->n = w->last_n + 1;
    m = r == 0 ? message_new(record) : NULL;
    if (!m)
        return -ENOMEM;
    old = queue_older(&w->queue, m);
    if (!queue_has_room(&w->queue, m, old == SIZE_MAX ? 0 : w->queue.slots.v[old].m->len,
                        w->options.queue_bytes)) {
        message_free(m);
        if (!is_asking(record->kind)) {
            begin_trouble(w, &w->full, ENOBUFS, now_us, "the queue to the history is full");
            lose(w, &w->full, record->kind);
        }
        return -ENOBUFS;
    }
    if (old != SIZE_MAX)
        queue_settle(&w->queue, old);
    w->last_n++;
    queue_add(&w->queue, m);
    if (record->kind == RECORD_LOOK && record->look.is_whole)
        w->wants_whole = false;
    return send_some(w, now_us);
}

int writer_put_look(struct writer *w, const struct snapshot *before, const struct snapshot *after,
                    uint64_t now_us)
{
    struct record record = { .kind = RECORD_LOOK };
    int r = look_between(w->wants_whole ? NULL : before, after, &record.look);

    if (r == 0 && look_is_quiet(&record.look) && now_us < w->look_us + WRITER_QUIET_US)
        return 0;
    if (r == 0)
        r = writer_put(w, &record, now_us);
    if (r == 0)
        w->look_us = now_us;
    look_done(&record.look);
    return r;
}

/* ---- the child ---- */

static void __attribute__((noreturn)) be_child(const struct writer *w, int fd)
{
    sigset_t none;

    /* It ends when its socket does, after what is in there is written. */
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* then writing fails with EFBIG */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_NAME, "hbad-writer");
    if (fd != STDERR_FILENO + 1) {
        dup2(fd, STDERR_FILENO + 1);
        fd = STDERR_FILENO + 1;
    }
    close_range((unsigned)fd + 1, ~0U, 0); /* clients' connections are not ours to keep open */
    _exit(writer_child(fd, &w->options) < 0);
}

static int watch(struct writer *w, int fd)
{
    struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

    return RET_NERRNO(epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, fd, &e));
}

static int start(struct writer *w, uint64_t now_us)
{
    int fds[2];
    int pid;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
        return -errno;
    pid = fork();
    if (pid == 0)
        be_child(w, fds[1]);
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return -EAGAIN;
    }
    w->pid_fd = pidfd_open(pid, 0);
    if (w->pid_fd < 0) { /* nobody would tell us when it is gone; it has done nothing yet */
        close(fds[0]);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return -EMFILE;
    }
    w->pid = pid;
    w->fd = fds[0];
    w->wants_output = false;
    w->heard_us = now_us;
    w->status.children++;
    watch(w, w->pid_fd);
    return watch(w, w->fd);
}

static void close_socket(struct writer *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    w->in.n = 0;
}

/* All that was not settled is to be sent again, to the next one. What three children in turn had before them when they
 * ended is not. */
static void return_messages(struct writer *w, uint64_t now_us)
{
    bool was_sent = w->queue.next > w->queue.first || w->queue.sent_of_next > 0;
    struct message *m = was_sent && w->queue.first < w->queue.slots.n
                            ? w->queue.slots.v[w->queue.first].m
                            : NULL;

    w->queue.next = w->queue.first;
    w->queue.sent_of_next = 0;
    if (!m || ++m->tries < WRITER_TRIES)
        return;
    if (is_asking(m->kind)) {
        struct reply none = { .n = m->n, .error = EIO };

        if (w->options.answer)
            w->options.answer(w->options.userdata, m->kind, &none);
    } else {
        begin_trouble(w, &w->failing, EIO, now_us,
                      "the writer ended again and again over one record");
        lose(w, &w->failing, m->kind);
    }
    queue_settle(&w->queue, w->queue.first);
}

static void bury(struct writer *w, uint64_t now_us)
{
    close_socket(w);
    if (w->pid_fd >= 0)
        close(w->pid_fd);
    w->pid_fd = -1;
    w->pid = 0;
    w->status.is_stuck = false;
    return_messages(w, now_us);
    w->back_off_us = w->back_off_us ? w->back_off_us * 2 : BACK_OFF_US;
    if (w->back_off_us > BACK_OFF_MOST_US)
        w->back_off_us = BACK_OFF_MOST_US;
    w->start_us = now_us + w->back_off_us;
}

static void give_up(struct writer *w, uint64_t now_us)
{
    say(w, LOG_WARNING,
        "the writer of the history (process %d) answers nothing for %" PRIu64
        " s and is given up; monitoring goes on",
        w->pid, (now_us - w->heard_us) / 1000000);
    kill(w->pid, SIGKILL);
    close_socket(w);
    w->status.is_stuck = true;
    w->status.given_up++;
}

/* ---- what it says ---- */

static void take_failure(struct writer *w, const struct message *m, const struct reply *reply,
                         uint64_t now_us)
{
    if (is_asking(m->kind)) {
        if (w->options.answer)
            w->options.answer(w->options.userdata, m->kind, reply);
        return;
    }
    w->status.error = (int)reply->error;
    if (reply->error == ENODEV) /* no history is kept, as was asked for */
        return;
    begin_trouble(w, &w->failing, (int)reply->error, now_us, "the history is not written");
    lose(w, &w->failing, m->kind);
}

static void take_success(struct writer *w, const struct message *m, const struct reply *reply,
                         uint64_t now_us)
{
    if (is_asking(m->kind)) {
        if (w->options.answer)
            w->options.answer(w->options.userdata, m->kind, reply);
        return;
    }
    w->status.done++;
    w->back_off_us = 0;
    w->status.error = 0;
    end_trouble(w, &w->failing, now_us, "the history is written again");
}

static void take_reply(struct writer *w, const struct reply *reply, uint64_t now_us)
{
    size_t at = reply->n ? queue_find(&w->queue, reply->n) : SIZE_MAX;
    const struct message *m = at != SIZE_MAX ? w->queue.slots.v[at].m : NULL;

    w->heard_us = now_us;
    if (reply->said)
        say(w, LOG_WARNING, "%s", reply->said);
    if (reply->is_fresh)
        w->has_begun_anew = w->wants_whole = true;
    if (!m)
        return;
    if (reply->error)
        take_failure(w, m, reply, now_us);
    else if (reply->is_done)
        take_success(w, m, reply, now_us);
    else if (w->options.answer)
        w->options.answer(w->options.userdata, m->kind, reply);
    if (!reply->error && !reply->is_done)
        return;
    queue_settle(
        &w->queue,
        queue_find(&w->queue, reply->n)); /* those who were told may have put something in */
    if (w->queue.bytes < w->options.queue_bytes / 2)
        end_trouble(w, &w->full, now_us, "the queue to the history has room again");
}

/* Takes each complete reply. Returns 0, -EBADMSG for what is none, or -ENOMEM. */
static int take_replies(struct writer *w, uint64_t now_us)
{
    size_t at = 0;
    const uint8_t *end;
    int r = 0;

    while (r == 0 && at < w->in.n && (end = memchr(w->in.v + at, 0, w->in.n - at)) != NULL) {
        size_t len = (size_t)(end - w->in.v) - at;
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct reply reply;

        r = arena ? reply_read((struct bytes){ w->in.v + at, len }, arena, &reply) : -ENOMEM;
        if (r == 0) {
            take_reply(w, &reply, now_us);
            reply_done(&reply);
        }
        at += len + 1;
    }
    w->in.n -= at;
    if (at && w->in.n)
        memmove(w->in.v, w->in.v + at, w->in.n);
    return r < 0 ? r : w->in.n > WRITER_REPLY_BYTES ? -EBADMSG : 0;
}

/* Returns 0, or -EPIPE where the child has nothing more to say, or says what it should not. */
static int receive(struct writer *w, uint64_t now_us)
{
    for (;;) {
        ssize_t n;
        int r = vec_reserve(&w->in, READ_BYTES);

        if (r < 0)
            return r;
        n = recv(w->fd, w->in.v + w->in.n, READ_BYTES, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return 0;
        if (n <= 0)
            return -EPIPE;
        w->in.n += (size_t)n;
        r = take_replies(w, now_us);
        if (r < 0)
            return r == -ENOMEM ? r : -EPIPE;
    }
}

int writer_dispatch(struct writer *w, uint64_t now_us)
{
    int r = w->fd >= 0 ? receive(w, now_us) : 0;

    if (r == -EPIPE) {
        kill(w->pid, SIGKILL); /* without its socket it is of no use */
        close_socket(w);
        r = 0;
    }
    if (r == 0 && w->pid && waitpid(w->pid, NULL, WNOHANG) == w->pid)
        bury(w, now_us);
    if (r == 0 && !w->pid && w->queue.count && now_us >= w->start_us) {
        r = start(w, now_us);
        if (r < 0) /* no process, no descriptor: another time */
            w->start_us = now_us + BACK_OFF_MOST_US;
        r = 0;
    }
    if (r == 0)
        r = send_some(w, now_us);
    if (r == 0 && is_expecting(w) && now_us >= w->heard_us + w->options.stuck_us)
        give_up(w, now_us);
    return r;
}

uint64_t writer_due_us(const struct writer *w)
{
    if (!w->pid)
        return w->queue.count ? w->start_us : UINT64_MAX;
    return is_expecting(w) ? w->heard_us + w->options.stuck_us : UINT64_MAX;
}

/* ---- the rest ---- */

int writer_fd(const struct writer *w)
{
    return w->epoll_fd;
}

bool writer_has_begun_anew(struct writer *w)
{
    bool has = w->has_begun_anew;

    w->has_begun_anew = false;
    return has;
}

bool writer_wants_whole(const struct writer *w)
{
    return w->wants_whole;
}

struct writer_status writer_status(const struct writer *w)
{
    struct writer_status s = w->status;

    s.pid = w->pid;
    s.bytes = w->queue.bytes;
    s.n = w->queue.count;
    return s;
}

void writer_set_limits(struct writer *w, const struct history_limits *limits)
{
    const struct history_limits *old = &w->options.limits;

    if (old->raw_us == limits->raw_us && old->hourly_us == limits->hourly_us &&
        old->keep_us == limits->keep_us && old->size_bytes == limits->size_bytes)
        return;
    w->options.limits = *limits;
    if (w->fd >= 0)
        shutdown(w->fd, SHUT_WR); /* what it has read is answered; the rest is for the next one */
}

int writer_new(const struct writer_options *options, struct writer **ret)
{
    _cleanup_(writer_freep) struct writer *w = calloc(1, sizeof(*w));

    if (!w)
        return -ENOMEM;
    w->options = *options;
    w->fd = w->pid_fd = -1;
    w->wants_whole = true;
    w->path = options->path ? strdup(options->path) : NULL;
    w->options.path = w->path;
    if (!w->options.queue_bytes)
        w->options.queue_bytes = WRITER_QUEUE_BYTES;
    if (!w->options.stuck_us)
        w->options.stuck_us = WRITER_STUCK_US;
    w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (w->epoll_fd < 0)
        return -errno;
    if (options->path && !w->path)
        return -ENOMEM;
    *ret = TAKE_PTR(w);
    return 0;
}

struct writer *writer_free(struct writer *w)
{
    if (!w)
        return NULL;
    send_some(w, 0);
    close_socket(w);
    if (w->pid)
        waitpid(w->pid, NULL, WNOHANG);
    if (w->pid_fd >= 0)
        close(w->pid_fd);
    if (w->epoll_fd >= 0)
        close(w->epoll_fd);
    queue_done(&w->queue);
    free(w->in.v);
    free(w->path);
    free(w);
    return NULL;
}
