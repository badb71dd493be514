/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * This machine, through hbad-collect: one child an adapter, several at a time, each read until its stream
 * ends or it has said nothing for too long. Another one goes on behind the device that a child waits for.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/child.h"
#include "live/live.h"

enum {
    AT_ONCE = 8,
    ROUNDS_MAX = 60, /* of patience that an adapter is given for all it has to say */
    SILENT_MAX =
        3, /* devices of an adapter that are waited for in vain, before the rest is not asked */
};

static const char *const LEVELS[] = {
    [LEVEL_IDENTITY] = "identity",
    [LEVEL_MODES] = "modes",
    [LEVEL_ALL] = "all",
};

/* The collector of one adapter. */
struct reading {
    struct child child;
    const struct adapter *adapter;
    char *after;     /* the device behind which it began; NULL: at the first */
    unsigned silent; /* devices of the adapter that did not answer, so far */
    char *at;        /* "0:0:2:0": of which device it is waiting for an answer; NULL if none */
    uint8_t cdb[CDB_MAX];
    size_t cdb_len;
};

struct collecting {
    struct store *store;
    struct notes *notes;
    const char *program, *level, *config, *named;
    bool forced;
    uint64_t patience_us;
    struct reading readings[AT_ONCE];
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

static void forget(struct reading *x)
{
    child_forget(&x->child);
    free(x->at);
    free(x->after);
    *x = (struct reading){ 0 };
}

/* Starts one for the adapter, behind a device (NULL: from the first), of which so many have been silent. It
 * owns `after`. */
static int start_reading(struct collecting *c, struct reading *x, const struct adapter *adapter,
                         char *after, unsigned silent)
{
    char below[4096], level[32], config[4096 + 16], named[64], behind[64];
    char *argv[9] = { (char *)(uintptr_t)c->program, below, level };
    int n = 3, r;

    snprintf(below, sizeof(below), "--below=%s", adapter->below);
    snprintf(level, sizeof(level), "--level=%s", c->level);
    if (c->config) {
        snprintf(config, sizeof(config), "--config=%s", c->config);
        argv[n++] = config;
    }
    if (c->named) {
        snprintf(named, sizeof(named), "--named=%s", c->named);
        argv[n++] = named;
    }
    if (c->forced)
        argv[n++] = (char *)(uintptr_t) "--force";
    if (after) {
        snprintf(behind, sizeof(behind), "--after=%s", after);
        argv[n++] = behind;
    }
    if (silent >= SILENT_MAX)
        argv[n] = (char *)(uintptr_t) "--unasked";
    *x = (struct reading){ .adapter = adapter, .after = after, .silent = silent };
    r = child_start(&x->child, adapter->name, argv);
    if (r < 0) {
        free(after);
        *x = (struct reading){ 0 };
    }
    return r;
}

/* What it is about to ask, if anything. */
static int heard(void *userdata, const struct capture_progress *progress)
{
    struct reading *x = userdata;

    free(x->at);
    x->at = progress->hctl ? strdup(progress->hctl) : NULL;
    x->cdb_len = progress->cdb.len < CDB_MAX ? progress->cdb.len : CDB_MAX;
    if (x->cdb_len)
        memcpy(x->cdb, progress->cdb.data, x->cdb_len);
    return progress->hctl && !x->at ? -ENOMEM : 0;
}

/* The stream of a child has ended. */
static int finish(struct collecting *c, struct reading *x)
{
    char buffer[32], said[256];
    int r = 0;

    if (!x->child.stream.complete) {
        const char *how = child_how_it_ended(&x->child, buffer, sizeof(buffer));

        c->notes->unexamined++;
        child_last_words(&x->child, said, sizeof(said));
        r = note(c->notes, "hbad-collect for %s ended early (%s)%s%s; what it sent is used%s%s",
                 x->adapter->name, how, x->at ? ", at device " : "", x->at ? x->at : "",
                 *said ? ". It said: " : "", said);
    }
    if (x->child.stream.complete && !x->child.stream.has_sent) {
        c->notes->unexamined++;
        r = note(c->notes, "hbad-collect for %s sent nothing of it", x->adapter->name);
    }
    forget(x);
    return r;
}

/* A child has something to say, or has ended. */
static int hear(struct collecting *c, struct reading *x)
{
    int r = child_take(&x->child, c->store, c->notes, heard, x);

    if (r == 0 || (r > 0 && x->child.stream.complete))
        return finish(c, x);
    if (r != -EBADMSG)
        return r < 0 ? r : 0;
    c->notes->unexamined++;
    forget(x);
    return 0;
}

/* Starts one, or says why that cannot be done. */
static int start_or_note(struct collecting *c, struct reading *x, const struct adapter *adapter,
                         char *after, unsigned silent)
{
    int r = start_reading(c, x, adapter, after, silent);

    if (r == 0 || r == -ENOMEM)
        return r;
    c->notes->unexamined++;
    return note(c->notes, "hbad-collect for %s cannot be started: %s", adapter->name, strerror(-r));
}

/* Another child takes over behind the device that one waits for. */
static int go_on(struct collecting *c, struct reading *x)
{
    const struct adapter *adapter = x->adapter;
    unsigned silent = x->silent + 1;
    char *after = x->at;
    int r = 0;

    x->at = NULL;
    forget(x);
    if (silent == SILENT_MAX)
        r = note(c->notes, "%u devices of %s have not answered; those behind them are not asked",
                 silent, adapter->name);
    if (r < 0) {
        free(after);
        return r;
    }
    return start_or_note(c, x, adapter, after, silent);
}

/* A child has said nothing for too long: its device gets the answer that none came. */
static int give_up(struct collecting *c, struct reading *x)
{
    struct store_command unanswered = {
        .hctl = x->at,
        .cdb = { x->cdb, x->cdb_len },
        .error = ETIMEDOUT,
    };
    unsigned long long s = (now_us() - x->child.heard_us) / 1000000;
    int r = 0;

    if (child_has_ended(&x->child)) /* and another process keeps its stream open */
        return finish(c, x);
    c->notes->unexamined++;
    if (s * 1000000 < c->patience_us)
        r = note(c->notes, "%s is not done after %llu s and is not waited for any longer",
                 x->adapter->name, (unsigned long long)(c->patience_us * ROUNDS_MAX / 1000000));
    else if (x->at && *x->at)
        r = note(c->notes, "device %s has not answered for %llu s and is not waited for any longer",
                 x->at, s);
    else
        r = note(c->notes,
                 "adapter %s has not answered for %llu s and is not waited for any longer",
                 x->adapter->name, s);
    if (r == 0 && x->at && x->cdb_len)
        r = store_put_command(c->store, &unanswered);
    if (r == 0 && x->at && *x->at && x->silent < SILENT_MAX && s * 1000000 >= c->patience_us)
        return go_on(c, x);
    forget(x);
    return r;
}

/* A child whose time is over may just have said something. */
static int hear_or_give_up(struct collecting *c, struct reading *x)
{
    uint64_t heard_us = x->child.heard_us, started_us = x->child.started_us;
    int r = hear(c, x);

    if (r < 0 || !x->child.pid)
        return r;
    return x->child.heard_us != heard_us && now_us() - started_us < c->patience_us * ROUNDS_MAX
               ? 0
               : give_up(c, x);
}

/* Waits for any child to speak, end, or be silent for too long. */
static int wait_for_readings(struct collecting *c)
{
    struct pollfd fds[AT_ONCE];
    uint64_t now = now_us(), soonest = c->patience_us;
    int r = 0;

    for (size_t i = 0; i < AT_ONCE; i++) {
        struct reading *x = &c->readings[i];
        uint64_t silent = x->child.pid ? now - x->child.heard_us : 0;

        fds[i] = (struct pollfd){ .fd = x->child.pid ? x->child.fd : -1, .events = POLLIN };
        if (x->child.pid &&
            c->patience_us - (silent < c->patience_us ? silent : c->patience_us) < soonest)
            soonest = c->patience_us - (silent < c->patience_us ? silent : c->patience_us);
    }
    if (poll(fds, AT_ONCE, (int)(soonest / 1000) + 1) < 0 && errno != EINTR)
        return -errno;
    now = now_us();
    for (size_t i = 0; r == 0 && i < AT_ONCE; i++) {
        struct reading *x = &c->readings[i];

        if (!x->child.pid)
            continue;
        if (now - x->child.heard_us >= c->patience_us ||
            now - x->child.started_us >= c->patience_us * ROUNDS_MAX)
            r = fds[i].revents & POLLIN ? hear_or_give_up(c, x) : give_up(c, x);
        else if (fds[i].revents)
            r = hear(c, x);
    }
    return r;
}

static struct reading *free_reading(struct collecting *c)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        if (!c->readings[i].child.pid)
            return &c->readings[i];
    return NULL;
}

static bool any_reading(const struct collecting *c)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        if (c->readings[i].child.pid)
            return true;
    return false;
}

static int collect_adapters(struct collecting *c, const struct adapters *adapters)
{
    size_t next = 0;
    int r = 0;

    while (r == 0 && (next < adapters->n || any_reading(c))) {
        struct reading *x = next < adapters->n ? free_reading(c) : NULL;

        if (!x) {
            r = wait_for_readings(c);
            continue;
        }
        r = start_or_note(c, x, &adapters->v[next], NULL, 0);
        next++;
    }
    for (size_t i = 0; i < AT_ONCE; i++)
        if (c->readings[i].child.pid)
            forget(&c->readings[i]);
    return r;
}

int collect_machine(struct store *store, enum level level, const char *config, const char *named,
                    bool forced, unsigned patience_s, struct notes *notes)
{
    struct live_options options = { 0 };
    _cleanup_(source_closep) struct source *live = live_new(&options);
    char program[4096];
    struct collecting c = {
        store, notes, program, LEVELS[level], config, named, forced, (uint64_t)patience_s * 1000000,
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
        r = child_find_program(program, sizeof(program));
        if (r < 0)
            say("%s: %s", program, strerror(-r));
    }
    if (r == 0)
        r = collect_adapters(&c, &adapters);
    adapters_done(&adapters);
    return r;
}
