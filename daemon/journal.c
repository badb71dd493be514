/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entries for the journal (journal.h).
 */
#include "daemon/journal.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/vec.h"
#include "daemon/buffer.h"
#include "daemon/log.h"

enum { WAITING_MAX = 1000 };              /* entries: some hundred kB */
static const uint64_t RETRY_US = 5000000; /* where nobody is at the socket */

struct journal {
    sd_event *event;
    const char *path;
    int fd;                        /* connected; -1: not */
    sd_event_source *room, *retry; /* when something may be taken again */
    VEC(struct buffer *) waiting;  /* oldest first */
    unsigned lost;                 /* since the last time that was said */
    uint64_t lost_in_all;
};

struct journal *journal_new(sd_event *event, const char *socket_path)
{
    struct journal *j = calloc(1, sizeof(*j));

    if (!j)
        return NULL;
    *j = (struct journal){ .event = sd_event_ref(event), .path = socket_path, .fd = -1 };
    return j;
}

static void disconnect(struct journal *j)
{
    j->room = sd_event_source_disable_unref(j->room);
    if (j->fd >= 0)
        close(j->fd);
    j->fd = -1;
}

static void drop_waiting(struct journal *j)
{
    for (size_t i = 0; i < j->waiting.n; i++)
        buffer_unref(j->waiting.v[i]);
    j->waiting.n = 0;
}

struct journal *journal_free(struct journal *j)
{
    if (!j)
        return NULL;
    disconnect(j);
    sd_event_source_disable_unref(j->retry);
    drop_waiting(j);
    free(j->waiting.v);
    sd_event_unref(j->event);
    free(j);
    return NULL;
}

static int connect_to(struct journal *j)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    if (strlen(j->path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    strcpy(address.sun_path, j->path);
    j->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (j->fd < 0 || connect(j->fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        int r = -errno;

        disconnect(j);
        return r;
    }
    return 0;
}

/* Sends one. Returns 0, -EAGAIN where there is no room, another negative errno where nobody is there. One that can never
 * be sent is as good as sent. */
static int send_one(struct journal *j, const struct buffer *entry)
{
    int r = j->fd < 0 ? connect_to(j) : 0;

    if (r == 0 && send(j->fd, entry->data, entry->len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        r = -errno;
    if (r == -EMSGSIZE) {
        log_line(LOG_WARN, "an entry of %zu bytes is too large for the journal", entry->len);
        return 0;
    }
    if (r < 0 && r != -EAGAIN)
        disconnect(j);
    return r;
}

static struct buffer *serialise(const struct journal_field *fields, size_t n)
{
    struct buffer_writer w;

    if (buffer_open(&w) < 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(fields[i].value);
        uint64_t size = htole64(len);

        fputs(fields[i].name, w.out);
        if (memchr(fields[i].value, '\n', len)) {
            fputc('\n', w.out);
            fwrite(&size, sizeof(size), 1, w.out);
        } else {
            fputc('=', w.out);
        }
        fwrite(fields[i].value, len, 1, w.out);
        fputc('\n', w.out);
    }
    return buffer_close(&w);
}

uint64_t journal_lost(const struct journal *j)
{
    return j->lost_in_all;
}

/* Sends what waits, as far as it is taken. Returns as send_one(). */
static int flush(struct journal *j)
{
    size_t n = 0;
    int r = 0;

    while (r == 0 && n < j->waiting.n) {
        r = send_one(j, j->waiting.v[n]);
        if (r == 0)
            buffer_unref(j->waiting.v[n++]);
    }
    j->waiting.n -= n;
    memmove(j->waiting.v, j->waiting.v + n, j->waiting.n * sizeof(j->waiting.v[0]));
    if (j->lost && !j->waiting.n) {
        log_line(LOG_WARN, "the journal took nothing for a while: %u entries are lost", j->lost);
        j->lost = 0;
    }
    return r;
}

static int on_room(sd_event_source *s, int fd, uint32_t revents, void *userdata)
{
    struct journal *j = userdata;

    (void)s;
    (void)fd;
    (void)revents;
    if (flush(j) != -EAGAIN)
        j->room = sd_event_source_disable_unref(j->room);
    return 0;
}

static int on_retry(sd_event_source *s, uint64_t usec, void *userdata)
{
    struct journal *j = userdata;

    (void)usec;
    if (flush(j) < 0) {
        sd_event_source_set_time_relative(s, RETRY_US);
        sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
    }
    return 0;
}

/* Tries again when there is room, and after a while in any case. */
static int try_later(struct journal *j, int why)
{
    int r = 0;

    if (why == -EAGAIN && !j->room)
        r = sd_event_add_io(j->event, &j->room, j->fd, EPOLLOUT, on_room, j);
    if (r >= 0 && !j->retry)
        return sd_event_add_time_relative(j->event, &j->retry, CLOCK_MONOTONIC, RETRY_US, 0,
                                          on_retry, j);
    if (r >= 0)
        r = sd_event_source_set_time_relative(j->retry, RETRY_US);
    return r < 0 ? r : sd_event_source_set_enabled(j->retry, SD_EVENT_ONESHOT);
}

int journal_send(struct journal *j, const struct journal_field *fields, size_t n)
{
    struct buffer *entry;
    int r;

    if (j->waiting.n >= WAITING_MAX) {
        j->lost++;
        j->lost_in_all++;
        return -ENOBUFS;
    }
    entry = serialise(fields, n);
    if (!entry || vec_push(&j->waiting, entry) < 0) {
        buffer_unref(entry);
        return -ENOMEM;
    }
    r = flush(j);
    if (r == -ENOENT) { /* no journal, and nobody says that there will be one */
        drop_waiting(j);
        return r;
    }
    return r < 0 ? try_later(j, r) : 0;
}
