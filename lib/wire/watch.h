/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the daemon and its watcher (hbad-collect --watch) tell each other over one connection, each message with its NUL, in the
 * form of Varlink calls that nobody answers:
 *
 *   daemon → watcher   io.hbad.watch.Begin    how often, and how much that costs
 *                      io.hbad.watch.Adapter  watch what is below that directory, as it is now (again)
 *                      io.hbad.watch.Leave    and no longer
 *   watcher → daemon   io.hbad.watch.At       it turns to that adapter, and may hang there
 *                      (objects of a capture stream: what differs there from what was sent last)
 *                      io.hbad.watch.Round    it has been through all, and what that has cost
 *
 * Each trusts the other no more than it has to: what is taken is bounded, and read strictly.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "source/store.h"

/* Longest message of either side, without its NUL: the watcher sends what it has in parts. */
enum { WATCH_MESSAGE_MAX = 16 * 1024 * 1024 };

enum watch_what {
    WATCH_BEGIN,
    WATCH_ADAPTER,
    WATCH_LEAVE,
    WATCH_AT,
    WATCH_ROUND,
    WATCH_CHANGES, /* an object of a capture stream */
    _WATCH_WHAT_MAX,
};

/* At what it is. */
enum watch_at {
    WATCH_AT_WALK,     /* looks for what is to be watched; what it sends is all of it */
    WATCH_AT_STATES,   /* states and modes */
    WATCH_AT_COUNTERS, /* counters, and what costs to read */
    _WATCH_AT_MAX,
    _WATCH_AT_INVALID = -22, /* -EINVAL */
};

/* "walk", "states", "counters"; NULL and -EINVAL for what is none of them. */
const char *watch_at_to_string(enum watch_at at);
int watch_at_from_string(const char *word);

struct watch_message {
    enum watch_what what;
    const char *below; /* of ADAPTER, LEAVE, AT: directory of the adapter, with '/' at its end */
    enum watch_at at;  /* of AT */

    /* Of BEGIN: */
    int64_t watch_us;     /* states are read so often */
    int64_t counters_us;  /* counters so often */
    int64_t costly_reads; /* that are made in a minute at most; 0: none */

    /* Of ROUND, all since the watcher began, but for the files: */
    bool counters;   /* it is one of counters */
    int64_t files;   /* that are watched now */
    int64_t reads;   /* all of them */
    int64_t costly;  /* those among them that cost more than a look into memory */
    int64_t asleep;  /* that were left out because they would wake somebody */
    int64_t cpu_us;  /* that the watcher has used */
    int64_t took_us; /* this round, from its beginning */
    int64_t
        behind_us; /* a round of counters took so much longer than it may, for the bound of costly reads */
};

/* Writes any of them but CHANGES (which are capture_write_chunk()'s), with its NUL. */
void watch_message_write(const struct watch_message *m, FILE *out);

/* Reads a message of the daemon, or (`of_watcher`) of the watcher, without its NUL. Texts are in the arena. Changes go into
 * `changes`, which stays empty for all others (NULL for messages of the daemon). Returns 0, -ENOMEM, or -EBADMSG: `*ret_why`
 * says in a few words what is wrong. */
int watch_message_parse(struct bytes text, bool of_watcher, struct arena *arena,
                        struct watch_message *ret, struct store *changes, const char **ret_why);
