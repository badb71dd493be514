/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who connects, and how many (server.h). A connection is daemon/client.c's.
 */
#include "daemon/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/client.h"
#include "daemon/log.h"

enum { LISTENERS_MAX = 4, BACKLOG = 512 };

/* How often slow readers are looked for, and after what pause connections are taken again where there was no room. */
static const uint64_t LOOK_US = 5000000, PAUSE_US = 1000000;

struct server {
    sd_event *event;
    const struct varlink_service *service;
    server_gone gone;
    void *userdata;
    int fds[LISTENERS_MAX];
    sd_event_source *sources[LISTENERS_MAX];
    size_t n_listeners;
    char *path; /* of a socket that is ours to remove; NULL: none */
    sd_event_source *look, *pause;
    struct client *clients; /* a list */
    size_t n_clients, most_clients;
};

size_t server_clients(const struct server *s)
{
    return s->n_clients;
}

/* As many as are allowed, and as there are descriptors for, of which some are needed for other things. */
static size_t most_clients(void)
{
    enum { OTHERS = 64 };
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return OTHERS;
    if (limit.rlim_cur < SERVER_CLIENTS_MAX + OTHERS && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max < SERVER_CLIENTS_MAX + OTHERS ? limit.rlim_max
                                                                      : SERVER_CLIENTS_MAX + OTHERS;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
            return OTHERS;
    }
    return limit.rlim_cur >= SERVER_CLIENTS_MAX + OTHERS ? SERVER_CLIENTS_MAX
           : limit.rlim_cur > 2 * OTHERS                 ? limit.rlim_cur - OTHERS
                                                         : OTHERS;
}

static void let_go(struct server *s, struct client *c)
{
    struct client **at = &s->clients;

    while (*at != c)
        at = client_next(*at);
    *at = *client_next(c);
    s->n_clients--;
    if (client_is_awaited(c))
        s->gone(s->userdata, c);
    client_free(c);
}

static void on_client_end(void *userdata, struct client *c)
{
    let_go(userdata, c);
}

static int on_look(sd_event_source *source, uint64_t now, void *userdata)
{
    struct server *s = userdata;
    struct client *next;

    for (struct client *c = s->clients; c; c = next) {
        next = *client_next(c);
        if (!client_is_slow(c, now))
            continue;
        log_line(LOG_INFORM, "a client of user %u does not read: it is let go", client_uid(c));
        let_go(s, c);
    }
    sd_event_source_set_time_relative(source, LOOK_US);
    return sd_event_source_set_enabled(source, s->clients ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

static size_t clients_of(const struct server *s, uid_t uid)
{
    size_t n = 0;

    for (struct client *c = s->clients; c; c = *client_next(c))
        n += client_uid(c) == uid;
    return n;
}

/* The first few connections of a user have their turns as everything else in the loop, each four times as many after that
 * come later: who has few is not kept waiting by who has a thousand. */
static int64_t priority_of(size_t n_before)
{
    enum { FEW = 4 };
    int64_t priority = SD_EVENT_PRIORITY_NORMAL;

    for (size_t n = FEW; n <= n_before; n *= 4)
        priority++;
    return priority;
}

static bool has_room(void *userdata, const struct client *of)
{
    const struct server *s = userdata;
    size_t bytes = 0;

    for (struct client *c = s->clients; c; c = *client_next(c))
        if (c != of && client_uid(c) == client_uid(of))
            bytes += client_bytes(c);
    if (bytes <= SERVER_BYTES_OF_UID_MAX)
        return true;
    log_line(LOG_INFORM, "user %u leaves too much unsaid or unread: one of its clients is let go",
             client_uid(of));
    return false;
}

/* Takes a connection, or closes it. Returns 0 or a negative errno. */
static int take(struct server *s, int fd)
{
    struct ucred who;
    socklen_t size = sizeof(who);
    struct client *c;
    size_t others;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0) {
        close(fd);
        return 0;
    }
    others = clients_of(s, who.uid);
    if (s->n_clients >= s->most_clients || others >= s->most_clients / SERVER_CLIENTS_OF_UID_PART) {
        close(fd);
        return 0;
    }
    c = client_new(s->event, fd, &who, s->service, s->userdata, on_client_end, has_room, s);
    if (!c)
        return -ENOMEM;
    client_set_priority(c, priority_of(others));
    *client_next(c) = s->clients;
    s->clients = c;
    s->n_clients++;
    sd_event_source_set_time_relative(s->look, LOOK_US);
    return sd_event_source_set_enabled(s->look, SD_EVENT_ONESHOT);
}

static void set_listening(struct server *s, bool listens)
{
    for (size_t i = 0; i < s->n_listeners; i++)
        sd_event_source_set_enabled(s->sources[i], listens ? SD_EVENT_ON : SD_EVENT_OFF);
}

static int on_pause_over(sd_event_source *source, uint64_t now, void *userdata)
{
    (void)source;
    (void)now;
    set_listening(userdata, true);
    return 0;
}

static int on_connection(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct server *s = userdata;
    int client_fd = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    (void)source;
    (void)revents;
    if (client_fd >= 0 && take(s, client_fd) == 0)
        return 0;
    if (client_fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
        return 0;
    /* No descriptors or memory now: those who wait do so a little longer, instead of us spinning. */
    set_listening(s, false);
    sd_event_source_set_time_relative(s->pause, PAUSE_US);
    return sd_event_source_set_enabled(s->pause, SD_EVENT_ONESHOT);
}

struct server *server_new(sd_event *event, const struct varlink_service *service, server_gone gone,
                          void *userdata)
{
    struct server *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    *s = (struct server){
        .event = sd_event_ref(event),
        .service = service,
        .gone = gone,
        .userdata = userdata,
        .most_clients = most_clients(),
    };
    if (sd_event_add_time_relative(event, &s->look, CLOCK_MONOTONIC, LOOK_US, 0, on_look, s) < 0 ||
        sd_event_add_time_relative(event, &s->pause, CLOCK_MONOTONIC, PAUSE_US, 0, on_pause_over,
                                   s) < 0)
        return server_free(s);
    sd_event_source_set_enabled(s->look, SD_EVENT_OFF);
    sd_event_source_set_enabled(s->pause, SD_EVENT_OFF);
    return s;
}

struct server *server_free(struct server *s)
{
    if (!s)
        return NULL;
    while (s->clients)
        let_go(s, s->clients);
    for (size_t i = 0; i < s->n_listeners; i++) {
        sd_event_source_disable_unref(s->sources[i]);
        close(s->fds[i]);
    }
    if (s->path)
        unlink(s->path);
    free(s->path);
    sd_event_source_disable_unref(s->look);
    sd_event_source_disable_unref(s->pause);
    sd_event_unref(s->event);
    free(s);
    return NULL;
}

int server_listen_fd(struct server *s, int fd)
{
    int r = s->n_listeners < LISTENERS_MAX ? 0 : -E2BIG;

    if (r == 0)
        r = sd_event_add_io(s->event, &s->sources[s->n_listeners], fd, EPOLLIN, on_connection, s);
    if (r < 0) {
        close(fd);
        return r;
    }
    s->fds[s->n_listeners++] = fd;
    return 0;
}

/* Does somebody listen there? A socket that is left from one that was killed is in nobody's use. */
static bool is_in_use(const struct sockaddr_un *address)
{
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    return fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
           errno != ECONNREFUSED;
}

int server_listen_path(struct server *s, const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    _cleanup_close_ int fd = -1;
    struct stat st;

    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    if (lstat(path, &st) == 0) {
        if (!S_ISSOCK(st.st_mode) || is_in_use(&address))
            return -EADDRINUSE;
        if (unlink(path) < 0)
            return -errno;
    }
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return -errno;
    if (chmod(path, 0666) < 0 || listen(fd, BACKLOG) < 0) /* reading is for everybody */
        return -errno;
    free(s->path);
    s->path = strdup(path);
    return s->path ? server_listen_fd(s, TAKE_FD(fd)) : -ENOMEM;
}
