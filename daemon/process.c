/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process that reads an adapter (process.h).
 */
#include "daemon/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/probes.h"

void process_free(struct process *p)
{
    struct manager *m = p->manager;
    size_t n = 0;

    for (size_t i = 0; i < m->processes.n; i++)
        if (m->processes.v[i] != p)
            m->processes.v[n++] = m->processes.v[i];
    m->processes.n = n;
    if (p->place)
        *p->place = NULL;
    sd_event_source_disable_unref(p->end);
    if (p->connection >= 0)
        close(p->connection);
    free(p->at);
    free(p);
}

/* It has ended. */
static void on_end(struct process *p)
{
    struct adapter_state *a = p->adapter;
    struct manager *m = p->manager;

    if (a && p->is_counted)
        schedule_release(&a->slot, p->for_adapter, manager_now(m));
    if (a && p->is_held)
        log_line(LOG_NOTE, "%s answers again", p->at ? p->at : a->name);
    process_free(p);
    if (!a)
        return;
    adapters_go_on(m);
    probes_go_on(m);
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *userdata)
{
    (void)source;
    (void)info;
    on_end(userdata);
    return 0;
}

/* What it sends now is too late, but for its end. */
static int on_late_output(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    uint8_t late[4096];
    ssize_t n = read(fd, late, sizeof(late));

    (void)source;
    (void)revents;
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        on_end(userdata);
    return 0;
}

void process_leave(struct process *p)
{
    if (!p)
        return;
    if (p->place)
        *p->place = NULL;
    p->place = NULL;
    if (!p->is_child && !p->is_held)
        process_free(p);
}

void process_hold(struct process *p, const struct capture_stream *stream, uint64_t since_us,
                  int *out)
{
    p->is_held = true;
    p->since_us = since_us;
    p->at = stream->at && *stream->at ? strdup(stream->at) : NULL;
    p->for_adapter = !p->at;
    p->cdb_len = stream->cdb_len;
    memcpy(p->cdb, stream->cdb, stream->cdb_len);
    p->is_counted = p->at || !p->probes;
    if (p->is_counted)
        schedule_hold(&p->adapter->slot, p->for_adapter);
    if (p->is_child)
        return;
    p->connection = TAKE_FD(*out);
    if (sd_event_add_io(p->manager->event, &p->end, p->connection, EPOLLIN, on_late_output, p) < 0)
        log_line(LOG_ERROR, "out of memory: %s is not asked any more", p->adapter->name);
}

/* ---- a child ---- */

/* What a child has as standard input, output and error; in -1: nothing. */
struct ends {
    int in, out, err;
};

static int spawn_with(posix_spawn_file_actions_t *files, posix_spawnattr_t *how, char *const argv[],
                      const struct ends *ends, pid_t *ret)
{
    sigset_t none, all;
    int r;

    sigemptyset(&none);
    sigfillset(&all);
    r = ends->in < 0
            ? posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            : posix_spawn_file_actions_adddup2(files, ends->in, STDIN_FILENO);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(files, ends->out, STDOUT_FILENO);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(files, ends->err, STDERR_FILENO);
    if (r == 0)
        r = posix_spawnattr_setsigmask(how, &none);
    if (r == 0)
        r = posix_spawnattr_setsigdefault(how, &all);
    if (r == 0)
        r = posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return -(r ? r : posix_spawn(ret, argv[0], files, how, argv, environ));
}

/* The loop's signals are blocked in this process: the child has them as usual. */
static int spawn(char *const argv[], const struct ends *ends, pid_t *ret)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    int r;

    if (posix_spawn_file_actions_init(&files) != 0)
        return -ENOMEM;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return -ENOMEM;
    }
    r = spawn_with(&files, &how, argv, ends, ret);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return r;
}

/* A command line. */
struct words {
    struct arena *arena;
    char *v[COLLECT_PROBED_MAX + 10];
    size_t n;
    bool no_memory;
};

__attribute__((format(printf, 2, 3))) static void put_word(struct words *w, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    w->v[w->n] = arena_vprintf(w->arena, format, args);
    va_end(args);
    w->no_memory |= !w->v[w->n++];
}

static void put_devices(struct words *w, const char *option, const struct varlink_strings *v)
{
    for (size_t i = 0; i < v->n; i++)
        put_word(w, "--%s=%s", option, v->v[i]);
}

static int run_program(const struct options *o, const struct collect_request *request, int out,
                       int err, pid_t *ret)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct words w = { .arena = arena };

    if (!arena)
        return -ENOMEM;
    put_word(&w, "%s", o->collector);
    put_word(&w, "--below=%s", request->below);
    if (o->sysfs_root)
        put_word(&w, "--sysfs-root=%s", o->sysfs_root);
    if (o->config)
        put_word(&w, "--config=%s", o->config);
    if (request->after)
        put_word(&w, "--after=%s", request->after);
    if (request->unasked)
        put_word(&w, "--unasked");
    if (request->probes) {
        put_word(&w, "--probe");
        put_word(&w, "--await=%llu", (unsigned long long)request->await_s);
        put_devices(&w, "probe", &request->named);
        put_devices(&w, "select", &request->devices);
    }
    if (request->forced)
        put_word(&w, "--force");
    return w.no_memory ? -ENOMEM : spawn(w.v, &(struct ends){ -1, out, err }, ret);
}

/* Has a child of that pid followed. Returns 0 or a negative errno. */
static int follow(struct process *p, pid_t pid)
{
    int r = sd_event_add_child(p->manager->event, &p->end, pid, WEXITED, on_child, p);

    p->is_child = r >= 0;
    return r < 0 ? r : 0;
}

static int start_child(struct process *p, const struct collect_request *request, int *ret_out,
                       int *ret_err)
{
    _cleanup_close_ int out = -1, err = -1, out_there = -1, err_there = -1;
    int fds[2], r;
    pid_t pid = 0;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return -errno;
    out = fds[0];
    out_there = fds[1];
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    err = fds[0];
    err_there = fds[1];
    if (fcntl(out, F_SETFL, O_NONBLOCK) < 0)
        return -errno;
    r = run_program(p->manager->options, request, out_there, err_there, &pid);
    if (r == 0)
        r = follow(p, pid);
    if (r < 0)
        return r;
    *ret_out = TAKE_FD(out);
    *ret_err = TAKE_FD(err);
    return 0;
}

/* What it has to say besides goes where hbad's own words go. */
static int start_watching_child(struct process *p, int *ret_connection)
{
    const struct options *o = p->manager->options;
    _cleanup_close_ int ours = -1, theirs = -1;
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct words w = { .arena = arena };
    int fds[2], r;
    pid_t pid = 0;

    if (!arena)
        return -ENOMEM;
    put_word(&w, "%s", o->collector);
    put_word(&w, "--watch");
    if (o->sysfs_root)
        put_word(&w, "--sysfs-root=%s", o->sysfs_root);
    if (w.no_memory)
        return -ENOMEM;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
        return -errno;
    ours = fds[0];
    theirs = fds[1];
    if (fcntl(ours, F_SETFL, O_NONBLOCK) < 0)
        return -errno;
    r = spawn(w.v, &(struct ends){ theirs, theirs, STDERR_FILENO }, &pid);
    if (r == 0)
        r = follow(p, pid);
    if (r == 0)
        *ret_connection = TAKE_FD(ours);
    return r;
}

/* ---- a connection ---- */

static int send_request(int fd, const struct collect_request *request)
{
    _cleanup_(buffer_unrefp) struct buffer *text = NULL;
    struct buffer_writer w;
    ssize_t n;

    if (buffer_open(&w) < 0)
        return -ENOMEM;
    collect_request_write(request, w.out);
    text = buffer_close(&w);
    if (!text)
        return -ENOMEM;
    n = send(fd, text->data, text->len,
             MSG_DONTWAIT | MSG_NOSIGNAL); /* it is the first, and small */
    return n < 0 ? -errno : (size_t)n < text->len ? -EMSGSIZE : 0;
}

static int connect_to(const char *path, int *ret)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || strlen(path) >= sizeof(to.sun_path))
        return fd < 0 ? -errno : -ENAMETOOLONG;
    strcpy(to.sun_path, path);
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
        return -errno;
    *ret = TAKE_FD(fd);
    return 0;
}

static int start_connection(const char *path, const struct collect_request *request, int *ret_out)
{
    _cleanup_close_ int fd = -1;
    int r = connect_to(path, &fd);

    if (r == 0)
        r = send_request(fd, request);
    if (r == 0)
        *ret_out = TAKE_FD(fd);
    return r;
}

/* One more. */
static int add(struct manager *m, struct adapter_state *a, struct process **ret)
{
    struct process *p = calloc(1, sizeof(*p));
    int r = p ? vec_push(&m->processes, p) : -ENOMEM;

    if (r < 0) {
        free(p);
        return r;
    }
    *p = (struct process){ .manager = m, .adapter = a, .connection = -1 };
    *ret = p;
    return 0;
}

/* It is in its place, or, where it was not started, nowhere. */
static int settle(struct process *p, struct process **place, int r)
{
    if (r < 0) {
        process_free(p);
        return r;
    }
    p->place = place;
    *place = p;
    return 0;
}

int process_start(struct adapter_state *a, const struct collect_request *request,
                  struct process **ret_place, int *ret_out, int *ret_err)
{
    const char *path = a->manager->options->collect_socket;
    struct process *p;
    int r = add(a->manager, a, &p);

    if (r < 0)
        return r;
    p->probes = request->probes;
    *ret_err = -1;
    r = path ? start_connection(path, request, ret_out) : start_child(p, request, ret_out, ret_err);
    return settle(p, ret_place, r);
}

int process_hear(int out, struct capture_stream *stream, bool *ret_end)
{
    uint8_t *at;
    int64_t room = capture_stream_room(stream, &at);
    ssize_t n;

    *ret_end = false;
    if (room < 0)
        return (int)room;
    n = read(out, at, (size_t)room);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return -EAGAIN;
    if (n < 0 && errno != ECONNRESET)
        return -errno;
    *ret_end = n <= 0;
    return n > 0 ? capture_stream_take(stream, (size_t)n) : 0;
}

const char *process_wrong(int error)
{
    return error == -EBADMSG    ? "sent what is no capture"
           : error == -EMSGSIZE ? "sends without end"
                                : "cannot be read";
}

void process_last_words(int err, char *buffer, size_t size)
{
    ssize_t n = read(err, buffer, size - 1);

    buffer[n > 0 ? n : 0] = '\0';
    buffer[strcspn(buffer, "\n")] = '\0';
}

int process_start_watcher(struct manager *m, struct process **ret_place, int *ret_connection)
{
    const char *path = m->options->watch_socket;
    struct process *p;
    int r = add(m, NULL, &p);

    if (r < 0)
        return r;
    return settle(p, ret_place,
                  path ? connect_to(path, ret_connection)
                       : start_watching_child(p, ret_connection));
}
