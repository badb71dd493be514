/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbad-collect --watch: reads again and again what tells that a link has changed, and passes on what differs.
 *
 * It stays, sends no command, and needs no rights: what it reads is open to everybody. It is a process of its own because a
 * read of sysfs can hang, too; so it says which adapter it turns to before it does. wire/watch.h is what it is told, and
 * tells.
 *
 * States are read in rounds, all at once. Counters go on from where they are, in small steps: what asks firmware is spread
 * evenly over the time that there is (modes, too, where they cost that), and when all have been read those that differ are
 * sent together.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "daemon/collect.h"
#include "daemon/collect_watched.h"
#include "wire/frame.h"
#include "wire/watch.h"

enum {
    STEP_READS =
        8, /* costly reads one after the other: no more than a link's counters and its other end's */
};

#define MINUTE_US UINT64_C(60000000)
#define NEVER     UINT64_MAX

struct watch {
    struct watching w;
    struct frames in;
    struct watch_message times; /* BEGIN; watch_us 0: it has not come yet */
    VEC(struct watched *) adapters;
    uint64_t round_due_us, step_due_us;
    uint64_t counters_began_us;
    size_t at_adapter, at_file; /* of the counters */
    const struct watched *told; /* whom it was said to be at last; NULL: at nobody */
    enum watch_at told_at;
};

static uint64_t now_us(void)
{
    struct timespec t = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static uint64_t cpu_us(void)
{
    struct rusage u = { 0 };

    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
           (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int flush(void)
{
    return fflush(stdout) != 0 ? -errno : 0;
}

/* ---- what it says ---- */

/* Before it may hang there. */
static int tell_at(struct watch *w, const struct watched *a, enum watch_at at)
{
    if (w->told == a && w->told_at == at)
        return 0;
    w->told = a;
    w->told_at = at;
    watch_message_write(&(struct watch_message){ .what = WATCH_AT, .below = a->below, .at = at },
                        stdout);
    return flush();
}

static size_t n_costly(const struct watch *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->adapters.n; i++)
        n += w->adapters.v[i]->n_costly;
    return n;
}

static int tell_round(struct watch *w, bool counters, uint64_t began_us)
{
    uint64_t took = now_us() - began_us, most = (uint64_t)w->times.counters_us;
    struct watch_message m = {
        .what = WATCH_ROUND,
        .counters = counters,
        .reads = (int64_t)w->w.reads,
        .costly = (int64_t)w->w.costly,
        .asleep = (int64_t)w->w.asleep,
        .cpu_us = (int64_t)cpu_us(),
        .took_us = (int64_t)took,
        .behind_us = counters && took > most ? (int64_t)(took - most) : 0,
    };

    for (size_t i = 0; i < w->adapters.n; i++)
        m.files += (int64_t)(w->adapters.v[i]->states.list.n + w->adapters.v[i]->counters.list.n);
    w->told = NULL;
    watch_message_write(&m, stdout);
    return flush();
}

/* ---- rounds of states ---- */

static int look_at_states(struct watch *w)
{
    uint64_t began = now_us();
    int r = 0;

    w->round_due_us = began + (uint64_t)w->times.watch_us;
    for (size_t i = 0; r == 0 && i < w->adapters.n; i++) {
        struct watched *a = w->adapters.v[i];

        r = tell_at(w, a, WATCH_AT_STATES);
        for (size_t k = 0; r == 0 && k < a->states.list.n; k++)
            r = watched_read(&w->w, &a->states.list.v[k]);
        if (r == 0)
            r = watched_send(&a->states, true);
    }
    return r < 0 ? r : tell_round(w, false, began);
}

/* ---- counters, step by step ---- */

/* From one step to the next: so that a round takes the time it has, and no minute has more costly reads than it may. */
static uint64_t step_us(const struct watch *w)
{
    size_t n = w->times.costly_reads ? n_costly(w) : 0, steps = (n + STEP_READS - 1) / STEP_READS;
    uint64_t even = (uint64_t)w->times.counters_us / (steps ? steps : 1),
             least = steps ? STEP_READS * MINUTE_US / (uint64_t)w->times.costly_reads : 0;

    return even > least ? even : least;
}

/* The file whose turn it is; NULL at the end. */
static struct watched_file *file_of_turn(struct watch *w)
{
    for (; w->at_adapter < w->adapters.n; w->at_adapter++, w->at_file = 0) {
        struct watched_files *files = &w->adapters.v[w->at_adapter]->counters;

        if (w->at_file < files->list.n)
            return &files->list.v[w->at_file];
    }
    return NULL;
}

/* What differs of an adapter: modes that cost to read are modes all the same. */
static int send_counters(struct watch *w, struct watched *a)
{
    int r = 0;

    for (int states = 0; r == 0 && states < 2; states++) {
        if (!watched_differ(&a->counters, states))
            continue;
        r = tell_at(w, a, states ? WATCH_AT_STATES : WATCH_AT_COUNTERS);
        if (r == 0)
            r = watched_send(&a->counters, states);
    }
    return r;
}

static int end_counters(struct watch *w)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < w->adapters.n; i++)
        r = send_counters(w, w->adapters.v[i]);
    if (r == 0)
        r = tell_round(w, true, w->counters_began_us);
    w->at_adapter = w->at_file = 0;
    w->counters_began_us = now_us();
    return r;
}

static int step_on(struct watch *w)
{
    struct watched_file *f;
    unsigned costly = 0;
    int r = 0;

    w->step_due_us = now_us() + step_us(w);
    while (r == 0 && (f = file_of_turn(w))) {
        if (f->is_costly && costly == STEP_READS)
            return 0;
        if (!f->is_costly || w->times.costly_reads) {
            r = tell_at(w, w->adapters.v[w->at_adapter], WATCH_AT_COUNTERS);
            if (r == 0)
                r = watched_read(&w->w, f);
            costly += f->is_costly;
        }
        w->at_file++;
    }
    return r < 0 ? r : end_counters(w);
}

/* ---- what it is told ---- */

static size_t place_of(const struct watch *w, const char *below)
{
    size_t i = 0;

    while (i < w->adapters.n && strcmp(w->adapters.v[i]->below, below) != 0)
        i++;
    return i;
}

static int watch_adapter(struct watch *w, const char *below)
{
    size_t i = place_of(w, below);
    int r;

    if (i == w->adapters.n) {
        struct watched *a = watched_new(below);

        r = a ? vec_push(&w->adapters, a) : -ENOMEM;
        if (r < 0) {
            watched_free(a);
            return r;
        }
    }
    if (i == w->at_adapter)
        w->at_file = 0;
    w->told = NULL;
    r = tell_at(w, w->adapters.v[i], WATCH_AT_WALK);
    if (r == 0)
        r = watched_walk(&w->w, w->adapters.v[i]);
    if (r == 0)
        r = watched_send(&w->adapters.v[i]->states, true);
    return r < 0 ? r : tell_round(w, false, now_us());
}

static void leave_adapter(struct watch *w, const char *below)
{
    size_t i = place_of(w, below);

    if (i == w->adapters.n)
        return;
    watched_free(w->adapters.v[i]);
    w->adapters.n--;
    memmove(w->adapters.v + i, w->adapters.v + i + 1,
            (w->adapters.n - i) * sizeof(w->adapters.v[0]));
    w->told = NULL;
    if (w->at_adapter > i)
        w->at_adapter--;
    else if (w->at_adapter == i)
        w->at_file = 0;
}

static void begin(struct watch *w, const struct watch_message *times)
{
    uint64_t now = now_us();

    w->times = *times;
    w->round_due_us = now + (uint64_t)times->watch_us;
    w->counters_began_us = now;
    w->step_due_us = now + step_us(w);
    w->at_adapter = w->at_file = 0;
}

static int obey(struct watch *w, struct bytes text)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    struct watch_message m;
    const char *why;
    int r = arena ? watch_message_parse(text, false, arena, &m, NULL, &why) : -ENOMEM;

    if (r == -EBADMSG)
        fprintf(stderr, "hbad-collect: request: %s\n", why);
    if (r < 0)
        return r;
    if (m.what == WATCH_BEGIN)
        begin(w, &m);
    else if (m.what == WATCH_LEAVE)
        leave_adapter(w, m.below);
    else
        r = watch_adapter(w, m.below);
    return r;
}

/* Takes what was sent. Returns 1, 0 at the end of it, or a negative errno. */
static int listen(struct watch *w)
{
    struct bytes text;
    uint8_t *at;
    int64_t room = frames_room(&w->in, &at);
    ssize_t n;
    int r = 0;

    if (room < 0)
        return (int)room;
    n = read(STDIN_FILENO, at, (size_t)room);
    if (n <= 0)
        return n < 0 && errno != EINTR && errno != ECONNRESET ? -errno : n < 0 && errno == EINTR;
    frames_added(&w->in, (size_t)n);
    while (r >= 0 && (r = frames_next(&w->in, &text)) > 0)
        r = obey(w, text);
    return r < 0 ? r : 1;
}

/* ---- the loop ---- */

/* Milliseconds until something is due; -1: nothing is. */
static int wait_ms(const struct watch *w)
{
    uint64_t now = now_us(),
             due = w->round_due_us < w->step_due_us ? w->round_due_us : w->step_due_us;

    if (!w->times.watch_us || !w->adapters.n)
        return -1;
    if (due <= now)
        return 0;
    return due - now < MINUTE_US ? (int)((due - now + 999) / 1000) : (int)(MINUTE_US / 1000);
}

static int go_on(struct watch *w)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    int n = poll(&input, 1, wait_ms(w)), r = 1;

    if (n < 0)
        return errno == EINTR ? 1 : -errno;
    if (n > 0)
        r = listen(w);
    if (r <= 0 || !w->times.watch_us || !w->adapters.n)
        return r;
    if (w->round_due_us <= now_us())
        r = look_at_states(w);
    if (r >= 0 && w->step_due_us <= now_us())
        r = step_on(w);
    return r < 0 ? r : 1;
}

int collect_watch(const struct live_options *live)
{
    struct watch w = { .w.live = *live, .in = frames(WATCH_MESSAGE_MAX) };
    struct rlimit files;
    int r = below_init(&w.w.root, live->root, live->by_hand);

    /* As many files stay open as may. Where none more can, those left over are opened each time. */
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (r == 0)
        r = 1;
    while (r > 0)
        r = go_on(&w);
    for (size_t i = 0; i < w.adapters.n; i++)
        watched_free(w.adapters.v[i]);
    free(w.adapters.v);
    frames_done(&w.in);
    below_done(&w.w.root);
    return r == -EPIPE ? 0 : r; /* nobody listens any more */
}
