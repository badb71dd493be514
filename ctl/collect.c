/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * This machine, through hbad-collect: one child an adapter, several at a time, each read until its stream
 * ends or it has said nothing for too long. A child that hangs is left alone: the command it waits for
 * must not be broken off, and it ends by itself once that returns and nobody reads what it writes. Another one
 * goes on behind the device that it waits for.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctl/ctl.h"
#include "live/live.h"
#include "source/capture.h"

enum {
    AT_ONCE = 8,
    STREAM_MAX = 256 * 1024 * 1024, /* of one adapter: fifty thousand devices */
    ROUNDS_MAX = 60,                /* of patience that an adapter is given for all it has to say */
    SILENT_MAX =
        3, /* devices of an adapter that are waited for in vain, before the rest is not asked */
};

static const char *const LEVELS[] = {
    [LEVEL_IDENTITY] = "identity",
    [LEVEL_MODES] = "modes",
    [LEVEL_ALL] = "all",
};

struct child {
    const struct adapter *adapter;
    char *after;         /* the device behind which it began; NULL: at the first */
    unsigned silent;     /* devices of the adapter that did not answer, so far */
    pid_t pid;           /* 0: none */
    int fd;              /* of its capture stream */
    int errors;          /* of what it says went wrong: it must not keep ours open if it hangs */
    VEC(uint8_t) buffer; /* of the object under way */
    char *at;            /* "0:0:2:0": of which device it is waiting for an answer; NULL if none */
    uint8_t cdb[CDB_MAX];
    size_t cdb_len;
    uint64_t started_us, heard_us; /* when it last said something */
    uint64_t said_bytes;
    bool complete;
    bool has_sent; /* something of the machine */
    bool has_ended;
    int status; /* then, as of waitpid() */
};

struct collecting {
    struct store *store;
    struct notes *notes;
    const char *program, *level, *named;
    bool forced;
    uint64_t patience_us;
    struct child children[AT_ONCE];
};

void notes_done(struct notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        free(notes->v[i]);
    free(notes->v);
    *notes = (struct notes){ 0 };
}

int note(struct notes *notes, const char *format, ...)
{
    char **grown = realloc(notes->v, (notes->n + 1) * sizeof(*grown)), *text;
    va_list args;
    int r;

    if (!grown)
        return -ENOMEM;
    notes->v = grown;
    va_start(args, format);
    r = vasprintf(&text, format, args);
    va_end(args);
    if (r < 0)
        return -ENOMEM;
    notes->v[notes->n++] = text;
    return 0;
}

static uint64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* hbad-collect beside this program, else where it is installed. */
static int find_program(char *ret, size_t size)
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

static void run_child(const struct collecting *c, const struct child *child, int out, int err)
{
    char below[4096], level[32], named[64], after[64];
    char *argv[8] = { (char *)(uintptr_t)c->program, below, level };
    int n = 3;

    snprintf(below, sizeof(below), "--below=%s", child->adapter->below);
    snprintf(level, sizeof(level), "--level=%s", c->level);
    if (c->named) {
        snprintf(named, sizeof(named), "--named=%s", c->named);
        argv[n++] = named;
    }
    if (c->forced)
        argv[n++] = (char *)(uintptr_t) "--force";
    if (child->after) {
        snprintf(after, sizeof(after), "--after=%s", child->after);
        argv[n++] = after;
    }
    if (child->silent >= SILENT_MAX)
        argv[n++] = (char *)(uintptr_t) "--unasked";
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execv(c->program, argv);
    dprintf(STDERR_FILENO, "%s: %s\n", c->program, strerror(errno));
    _exit(127);
}

static void forget(struct child *child)
{
    close(child->fd);
    close(child->errors);
    free(child->buffer.v);
    free(child->at);
    free(child->after);
    *child = (struct child){ 0 };
}

/* Starts one for the adapter, behind a device (NULL: from the first), of which so many have been silent. It
 * owns `after`. */
static int start_child(struct collecting *c, struct child *child, const struct adapter *adapter,
                       char *after, unsigned silent)
{
    int out[2], err[2], r;

    *child = (struct child){ 0 };
    if (pipe2(out, O_CLOEXEC) < 0) {
        r = -errno;
        free(after);
        return r;
    }
    if (pipe2(err, O_CLOEXEC | O_NONBLOCK) < 0) {
        r = -errno;
        close(out[0]);
        close(out[1]);
        free(after);
        return r;
    }
    *child = (struct child){
        .adapter = adapter, .after = after, .silent = silent, .fd = out[0], .errors = err[0]
    };
    child->started_us = child->heard_us = now_us();
    child->pid = fork();
    if (child->pid == 0)
        run_child(c, child, out[1], err[1]);
    r = child->pid < 0 ? -errno : 0;
    close(out[1]);
    close(err[1]);
    if (r < 0)
        forget(child);
    return r;
}

/* One object of the stream, without its NUL. Returns 0, -EBADMSG with a note where it is none, or another
 * negative errno. */
static int take_object(struct collecting *c, struct child *child, struct bytes text)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_(json_reader_freep) struct json_reader *reader = json_reader_over(text);
    struct capture_reading reading = { 0 };
    struct capture_progress progress = { 0 };
    int r;

    if (!arena || !reader)
        return -ENOMEM;
    r = capture_read_object(reader, c->store, arena, &reading, &progress);
    if (r == -EBADMSG || reading.stopped) {
        r = note(c->notes, "hbad-collect for %s sent what is no capture: %s: %s",
                 child->adapter->name, reading.where, reading.why);
        return r < 0 ? r : -EBADMSG;
    }
    if (r < 0)
        return r;
    child->complete |= reading.complete;
    child->has_sent |= reading.has_dirs;
    free(child->at);
    child->at = progress.hctl ? strdup(progress.hctl) : NULL;
    child->cdb_len = progress.cdb.len < CDB_MAX ? progress.cdb.len : CDB_MAX;
    if (child->cdb_len)
        memcpy(child->cdb, progress.cdb.data, child->cdb_len);
    return progress.hctl && !child->at ? -ENOMEM : 0;
}

/* White space keeps nobody waiting. */
static bool says_something(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (data[i] > ' ' || data[i] == '\0')
            return true;
    return false;
}

/* Takes what the child has written. Returns 1, 0 at the end of its stream, -EBADMSG with a note where it
 * is not worth listening to any longer, or another negative errno. */
static int take_output(struct collecting *c, struct child *child)
{
    size_t start = 0, searched = child->buffer.n;
    uint8_t *nul;
    ssize_t n;
    int r = vec_reserve(&child->buffer, 64 * 1024);

    if (r == 0 && child->said_bytes > STREAM_MAX) {
        r = note(c->notes, "hbad-collect for %s sends without end; the rest is not listened to",
                 child->adapter->name);
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
    while (r == 0 && (nul = memchr(child->buffer.v + searched, '\0', child->buffer.n - searched))) {
        r = take_object(
            c, child,
            (struct bytes){ child->buffer.v + start, (size_t)(nul - child->buffer.v) - start });
        start = searched = (size_t)(nul - child->buffer.v) + 1;
    }
    if (start) {
        memmove(child->buffer.v, child->buffer.v + start, child->buffer.n - start);
        child->buffer.n -= start;
    }
    return r < 0 ? r : 1;
}

/* Has the child ended? Asks the kernel until it has. */
static bool has_ended(struct child *child)
{
    if (!child->has_ended)
        child->has_ended = waitpid(child->pid, &child->status, WNOHANG) != 0;
    return child->has_ended;
}

/* How a child ended, in words. One that hangs as it ends is not waited for. */
static const char *how_it_ended(struct child *child, char *buffer, size_t size)
{
    enum { TRIES = 20, PAUSE_NS = 10 * 1000 * 1000 };

    for (unsigned i = 0; !has_ended(child); i++) {
        if (i == TRIES)
            return "still running";
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
    }
    snprintf(buffer, size, "%s %d", WIFSIGNALED(child->status) ? "signal" : "status",
             WIFSIGNALED(child->status) ? WTERMSIG(child->status) : WEXITSTATUS(child->status));
    return buffer;
}

/* The stream of a child has ended. */
static int finish(struct collecting *c, struct child *child)
{
    char buffer[32], said[256];
    ssize_t n;
    int r = 0;

    if (!child->complete) {
        const char *how = how_it_ended(child, buffer, sizeof(buffer));

        c->notes->unexamined++;
        n = read(child->errors, said, sizeof(said) - 1);
        said[n > 0 ? n : 0] = '\0';
        said[strcspn(said, "\n")] = '\0';
        r = note(c->notes, "hbad-collect for %s ended early (%s)%s%s; what it sent is used%s%s",
                 child->adapter->name, how, child->at ? ", at device " : "",
                 child->at ? child->at : "", *said ? ". It said: " : "", said);
    }
    if (child->complete && !child->has_sent) {
        c->notes->unexamined++;
        r = note(c->notes, "hbad-collect for %s sent nothing of it", child->adapter->name);
    }
    forget(child);
    return r;
}

/* A child has something to say, or has ended. */
static int hear(struct collecting *c, struct child *child)
{
    int r = take_output(c, child);

    if (r == 0 || (r > 0 && child->complete))
        return finish(c, child);
    if (r != -EBADMSG)
        return r < 0 ? r : 0;
    c->notes->unexamined++;
    forget(child);
    return 0;
}

/* Starts a child, or says why that cannot be done. */
static int start_or_note(struct collecting *c, struct child *child, const struct adapter *adapter,
                         char *after, unsigned silent)
{
    int r = start_child(c, child, adapter, after, silent);

    if (r == 0 || r == -ENOMEM)
        return r;
    c->notes->unexamined++;
    return note(c->notes, "hbad-collect for %s cannot be started: %s", adapter->name, strerror(-r));
}

/* Another child takes over behind the device that one waits for. */
static int go_on(struct collecting *c, struct child *child)
{
    const struct adapter *adapter = child->adapter;
    unsigned silent = child->silent + 1;
    char *after = child->at;
    int r = 0;

    child->at = NULL;
    forget(child);
    if (silent == SILENT_MAX)
        r = note(c->notes, "%u devices of %s have not answered; those behind them are not asked",
                 silent, adapter->name);
    if (r < 0) {
        free(after);
        return r;
    }
    return start_or_note(c, child, adapter, after, silent);
}

/* A child has said nothing for too long: its device gets the answer that none came. */
static int give_up(struct collecting *c, struct child *child)
{
    struct store_command unanswered = {
        .hctl = child->at,
        .cdb = { child->cdb, child->cdb_len },
        .error = ETIMEDOUT,
    };
    unsigned long long s = (now_us() - child->heard_us) / 1000000;
    int r = 0;

    if (has_ended(child)) /* and another process keeps its stream open */
        return finish(c, child);
    c->notes->unexamined++;
    if (s * 1000000 < c->patience_us)
        r = note(c->notes, "%s is not done after %llu s and is not waited for any longer",
                 child->adapter->name, (unsigned long long)(c->patience_us * ROUNDS_MAX / 1000000));
    else if (child->at && *child->at)
        r = note(c->notes, "device %s has not answered for %llu s and is not waited for any longer",
                 child->at, s);
    else
        r = note(c->notes,
                 "adapter %s has not answered for %llu s and is not waited for any longer",
                 child->adapter->name, s);
    if (r == 0 && child->at && child->cdb_len)
        r = store_put_command(c->store, &unanswered);
    if (r == 0 && child->at && *child->at && child->silent < SILENT_MAX &&
        s * 1000000 >= c->patience_us)
        return go_on(c, child);
    forget(child);
    return r;
}

/* A child whose time is over may just have said something. */
static int hear_or_give_up(struct collecting *c, struct child *child)
{
    uint64_t heard_us = child->heard_us, started_us = child->started_us;
    int r = hear(c, child);

    if (r < 0 || !child->pid)
        return r;
    return child->heard_us != heard_us && now_us() - started_us < c->patience_us * ROUNDS_MAX
               ? 0
               : give_up(c, child);
}

/* Waits for any child to speak, end, or be silent for too long. */
static int wait_for_children(struct collecting *c)
{
    struct pollfd fds[AT_ONCE];
    uint64_t now = now_us(), soonest = c->patience_us;
    int r = 0;

    for (size_t i = 0; i < AT_ONCE; i++) {
        struct child *child = &c->children[i];
        uint64_t silent = child->pid ? now - child->heard_us : 0;

        fds[i] = (struct pollfd){ .fd = child->pid ? child->fd : -1, .events = POLLIN };
        if (child->pid &&
            c->patience_us - (silent < c->patience_us ? silent : c->patience_us) < soonest)
            soonest = c->patience_us - (silent < c->patience_us ? silent : c->patience_us);
    }
    if (poll(fds, AT_ONCE, (int)(soonest / 1000) + 1) < 0 && errno != EINTR)
        return -errno;
    now = now_us();
    for (size_t i = 0; r == 0 && i < AT_ONCE; i++) {
        struct child *child = &c->children[i];

        if (!child->pid)
            continue;
        if (now - child->heard_us >= c->patience_us ||
            now - child->started_us >= c->patience_us * ROUNDS_MAX)
            r = fds[i].revents & POLLIN ? hear_or_give_up(c, child) : give_up(c, child);
        else if (fds[i].revents)
            r = hear(c, child);
    }
    return r;
}

static struct child *free_child(struct collecting *c)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        if (!c->children[i].pid)
            return &c->children[i];
    return NULL;
}

static bool any_child(const struct collecting *c)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        if (c->children[i].pid)
            return true;
    return false;
}

static int collect_adapters(struct collecting *c, const struct adapters *adapters)
{
    size_t next = 0;
    int r = 0;

    while (r == 0 && (next < adapters->n || any_child(c))) {
        struct child *child = next < adapters->n ? free_child(c) : NULL;

        if (!child) {
            r = wait_for_children(c);
            continue;
        }
        r = start_or_note(c, child, &adapters->v[next], NULL, 0);
        next++;
    }
    for (size_t i = 0; i < AT_ONCE; i++)
        if (c->children[i].pid)
            forget(&c->children[i]);
    return r;
}

int collect_machine(struct store *store, enum level level, const char *named, bool forced,
                    unsigned patience_s, struct notes *notes)
{
    struct live_options options = { 0 };
    _cleanup_(source_closep) struct source *live = live_new(&options);
    char program[4096];
    struct collecting c = {
        store, notes, program, LEVELS[level], named, forced, (uint64_t)patience_s * 1000000,
    };
    struct adapters adapters = { 0 };
    struct taken taken;
    int r = live ? source_now(live, &taken) : -errno;

    if (r == 0)
        r = store_set_taken(store, &taken);
    if (r == 0)
        r = gather_adapters(live, &adapters);
    if (r < 0 && r != -ENOMEM)
        say("this machine cannot be examined: %s", strerror(-r));
    if (r == 0 && adapters.error) {
        notes->unexamined++;
        r = note(notes, "the SCSI hosts cannot be listed: %s", strerror(adapters.error));
    }
    if (r == 0 && adapters.n) {
        r = find_program(program, sizeof(program));
        if (r < 0)
            say("%s: %s", program, strerror(-r));
    }
    if (r == 0)
        r = collect_adapters(&c, &adapters);
    adapters_done(&adapters);
    return r;
}
