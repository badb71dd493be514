/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs of hbad-collect (child.h).
 */
#include "ctl/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STREAM_MAX = 256 * 1024 * 1024 }; /* of one adapter: fifty thousand devices */

uint64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

int child_find_program(char *ret, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", ret, size - 1);
    char *slash;

    if (n > 0) {
        ret[n] = '\0';
        slash = strrchr(ret, '/');
        if (slash && (size_t)(slash - ret) + sizeof("/hbad-collect") <= size) {
            strcpy(slash, "/hbad-collect");
            if (access(ret, X_OK) == 0)
                return 0;
        }
    }
    snprintf(ret, size, "%s/hbad-collect", HBAD_LIBEXECDIR);
    return access(ret, X_OK) == 0 ? 0 : -errno;
}

static void run(char *const argv[], int out, int err)
{
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execv(argv[0], argv);
    dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

void child_forget(struct child *child)
{
    close(child->fd);
    close(child->errors);
    free(child->buffer.v);
    *child = (struct child){ 0 };
}

int child_start(struct child *child, const char *name, char *const argv[])
{
    int out[2], err[2], r;

    *child = (struct child){ 0 };
    if (pipe2(out, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(err, O_CLOEXEC | O_NONBLOCK) < 0) {
        r = -errno;
        close(out[0]);
        close(out[1]);
        return r;
    }
    *child = (struct child){ .name = name, .fd = out[0], .errors = err[0] };
    child->started_us = child->heard_us = now_us();
    child->pid = fork();
    if (child->pid == 0)
        run(argv, out[1], err[1]);
    r = child->pid < 0 ? -errno : 0;
    close(out[1]);
    close(err[1]);
    if (r < 0)
        child_forget(child);
    return r;
}

/* One object of the stream, without its NUL. Returns 0, -EBADMSG with a note where it is none, or another
 * negative errno. */
static int take_object(struct child *child, struct store *store, struct notes *notes,
                       struct bytes text, struct arena *arena, struct capture_progress *ret)
{
    _cleanup_(json_reader_freep) struct json_reader *reader = json_reader_over(text);
    struct capture_reading reading = { 0 };
    int r = reader ? capture_read_object(reader, store, arena, &reading, ret) : -ENOMEM;

    if (r == -EBADMSG || (r == 0 && reading.stopped)) {
        r = note(notes, "hbad-collect for %s sent what is no capture: %s: %s", child->name,
                 reading.where, reading.why);
        return r < 0 ? r : -EBADMSG;
    }
    if (r < 0)
        return r;
    child->complete |= reading.complete;
    child->has_sent |= reading.has_dirs;
    return 0;
}

/* White space keeps nobody waiting. */
static bool says_something(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (data[i] > ' ' || data[i] == '\0')
            return true;
    return false;
}

/* Reads what is there. Returns 1, 0 at the end, or as child_take(). */
static int read_more(struct child *child, struct notes *notes)
{
    int r = vec_reserve(&child->buffer, 64 * 1024);
    ssize_t n;

    if (r == 0 && child->said_bytes > STREAM_MAX) {
        r = note(notes, "hbad-collect for %s sends without end; the rest is not listened to",
                 child->name);
        r = r < 0 ? r : -EBADMSG;
    }
    if (r < 0)
        return r;
    n = read(child->fd, child->buffer.v + child->buffer.n, 64 * 1024);
    if (n <= 0)
        return n < 0 && errno != EINTR ? -errno : n < 0;
    if (says_something(child->buffer.v + child->buffer.n, (size_t)n))
        child->heard_us = now_us();
    child->buffer.n += (size_t)n;
    child->said_bytes += (uint64_t)n;
    return 1;
}

int child_take(struct child *child, struct store *store, struct notes *notes,
               int (*heard)(void *userdata, const struct capture_progress *progress),
               void *userdata)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    size_t start = 0, searched = child->buffer.n;
    uint8_t *nul;
    int r = arena ? read_more(child, notes) : -ENOMEM;

    if (r <= 0)
        return r;
    r = 0;
    while (r == 0 && (nul = memchr(child->buffer.v + searched, '\0', child->buffer.n - searched))) {
        struct bytes text = { child->buffer.v + start, (size_t)(nul - child->buffer.v) - start };
        struct capture_progress progress = { 0 };

        r = take_object(child, store, notes, text, arena, &progress);
        if (r == 0 && heard)
            r = heard(userdata, &progress);
        arena_clear(arena);
        start = searched = (size_t)(nul - child->buffer.v) + 1;
    }
    if (start) {
        memmove(child->buffer.v, child->buffer.v + start, child->buffer.n - start);
        child->buffer.n -= start;
    }
    return r < 0 ? r : 1;
}

bool child_has_ended(struct child *child)
{
    if (!child->has_ended)
        child->has_ended = waitpid(child->pid, &child->status, WNOHANG) != 0;
    return child->has_ended;
}

const char *child_how_it_ended(struct child *child, char *buffer, size_t size)
{
    enum { TRIES = 20, PAUSE_NS = 10 * 1000 * 1000 };

    for (unsigned i = 0; !child_has_ended(child); i++) {
        if (i == TRIES)
            return "still running";
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
    }
    snprintf(buffer, size, "%s %d", WIFSIGNALED(child->status) ? "signal" : "status",
             WIFSIGNALED(child->status) ? WTERMSIG(child->status) : WEXITSTATUS(child->status));
    return buffer;
}

const char *child_last_words(const struct child *child, char *buffer, size_t size)
{
    ssize_t n = read(child->errors, buffer, size - 1);

    buffer[n > 0 ? n : 0] = '\0';
    buffer[strcspn(buffer, "\n")] = '\0';
    return buffer;
}
