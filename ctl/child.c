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

#include "live/program.h"

uint64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

int child_find_program(char *ret, size_t size)
{
    return program_find("hbad-collect", HBAD_LIBEXECDIR, ret, size);
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
    capture_stream_done(&child->stream);
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
    *child = (struct child){
        .name = name, .fd = out[0], .errors = err[0], .stream = capture_stream(NULL)
    };
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

/* The child is not worth listening to any longer. Returns -EBADMSG, or a negative errno of ours. */
static int stop_listening(const struct child *child, struct notes *notes, int why)
{
    int r = why;

    if (why == -EBADMSG)
        r = note(notes, "hbad-collect for %s sent what is no capture: %s", child->name,
                 child->stream.wrong);
    else if (why == -EMSGSIZE)
        r = note(notes, "hbad-collect for %s sends without end; the rest is not listened to",
                 child->name);
    return r < 0 ? r : -EBADMSG;
}

int child_take(struct child *child, struct store *store, struct notes *notes,
               int (*heard)(void *userdata, const struct capture_progress *progress),
               void *userdata)
{
    struct capture_stream *s = &child->stream;
    uint8_t *at;
    int64_t room = capture_stream_room(s, &at);
    ssize_t n;
    int r;

    s->store = store;
    s->heard = heard;
    s->userdata = userdata;
    if (room < 0)
        return stop_listening(child, notes, (int)room);
    n = read(child->fd, at, (size_t)room);
    if (n <= 0)
        return n < 0 && errno != EINTR ? -errno : n < 0;
    r = capture_stream_take(s, (size_t)n);
    if (r > 0)
        child->heard_us = now_us();
    return r < 0 ? stop_listening(child, notes, r) : 1;
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
