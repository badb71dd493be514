/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The writer: a child process that owns the history (daemon/history.h), and the daemon's end of it. A disk that hangs under
 * /var makes the child wait, and nobody else.
 *
 * The daemon's end is a queue with a bound, in front of a socket that never blocks. What is in it stays there until the
 * child has said that it is on the disk: a child that dies takes nothing with it. What does not fit is left out, counted by kind,
 * and said when it begins and when it is over; a newer state of the same finding or acknowledgement takes the place of the one that
 * still waits.
 *
 * A child that answers nothing for `stuck_us`, though something was sent to it, is given up: it is killed, and a new one is
 * started only when it is gone, which one in uninterruptible sleep is not. Meanwhile the queue fills. A record that three
 * children died of is left out.
 *
 * No threads, no clock: `now_us` is any clock that goes on (CLOCK_MONOTONIC). For an event loop: watch writer_fd() for
 * input, and a timer for writer_due_us(); call writer_dispatch() for either.
 */
#pragma once

#include "daemon/reply.h"

struct writer;

struct writer_options {
    const char *path;             /* of the database; NULL: none is kept */
    struct history_limits limits; /* of the database */
    size_t queue_bytes;           /* 0: WRITER_QUEUE_BYTES */
    uint64_t stuck_us;            /* 0: WRITER_STUCK_US */
    uint64_t wall_us;             /* now, for the names of damaged files */

    /* Something for the log: `priority` as syslog(3) has it. May be NULL. */
    void (*say)(void *userdata, int priority, const char *text);
    /* Something that was asked for. What is in it is the writer's. An error of the whole (reply->error) comes here, too.
     * May be NULL. */
    void (*answer)(void *userdata, enum record_kind kind, const struct reply *reply);
    void *userdata;
};

enum {
    WRITER_QUEUE_BYTES = 4 << 20,   /* some hours of changes of a machine with 1,000 links */
    WRITER_STUCK_US = 20 * 1000000, /* a disk may spin up, and recover from an error, before that */
    WRITER_QUIET_US = 15 * 60 * 1000000, /* as fine as history_db_looks() is asked for */
    WRITER_TRIES = 3,
    WRITER_REPLY_BYTES = 16 << 20, /* a child that says more at once is not right in the head */
};

/* Texts are copied. Returns 0 or a negative errno; no child is started before the first dispatch. */
int writer_new(const struct writer_options *options, struct writer **ret);

/* What can be sent without waiting is sent; the child ends by itself when it has written it. Never waits. Takes NULL. */
struct writer *writer_free(struct writer *w);
DEFINE_CLEANUP(struct writer, writer_free)

/* Other limits for the database: the child ends when it has written what it was given, and the next one has them. Nothing
 * happens where they are the same. */
void writer_set_limits(struct writer *w, const struct history_limits *limits);

/* A descriptor that has input when writer_dispatch() has something to do: always the same, whatever becomes of the
 * child. */
int writer_fd(const struct writer *w);

/* When writer_dispatch() is to be called, whatever happens; UINT64_MAX: never. */
uint64_t writer_due_us(const struct writer *w);

/* Takes in what the child said, sends what waits, starts, gives up and buries children. Returns 0 or -ENOMEM. */
int writer_dispatch(struct writer *w, uint64_t now_us);

/* Queues a record, whose `n` becomes its number. Returns 0, -ENOBUFS where there is no room (it is counted), or
 * -ENOMEM. */
int writer_put(struct writer *w, struct record *record, uint64_t now_us);

/* Queues what is different in the snapshot `after`, of which `before` is the one that was passed the last time (NULL at
 * the first). The look is whole where it must be. One in which nothing is different is left out, but for one in
 * WRITER_QUIET_US: the next one with a difference says of the one before it when it was, so that nothing is lost by it, and
 * a disk that sleeps is let sleep. Returns as writer_put(). */
int writer_put_look(struct writer *w, const struct snapshot *before, const struct snapshot *after,
                    uint64_t now_us);

/* Must the next look be whole? It must at first, and after one was left out or lost. */
bool writer_wants_whole(const struct writer *w);

/* Does the database lack findings and acknowledgements that were put in, since this was asked last? So it does when it had to be
 * begun anew, and when what was left out can be written again. Those that hold are to be put in again then. */
bool writer_has_begun_anew(struct writer *w);

/* How it goes, for people. */
struct writer_status {
    int pid;           /* 0: there is no child */
    bool is_stuck;     /* it was given up and is not gone */
    size_t bytes, n;   /* what waits, or is not yet known to be written */
    uint64_t done;     /* records that are on the disk */
    uint64_t children; /* that were started so far */
    uint64_t given_up; /* of these */
    uint64_t lost
        [_RECORD_KIND_MAX]; /* records left out, for want of room, or because they could not be written */
    int error;              /* why the last one of these could not be; 0: it is written */
};
struct writer_status writer_status(const struct writer *w);

/* The child's side: works on what comes from the socket until it ends. Returns 0, or a negative errno where the socket
 * fails. The daemon itself never opens a history: what SQLite knows of its locks is not to be carried over a fork. */
int writer_child(int fd, const struct writer_options *options);
