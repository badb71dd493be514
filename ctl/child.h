/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of hbad-collect: started, listened to, given up. What it writes is a capture stream, taken into a store object
 * by object as it comes. One that hangs is left alone: the command it waits for must not be broken off, and it ends by
 * itself once that returns and nobody reads what it writes.
 */
#pragma once

#include <sys/types.h>

#include "ctl/ctl.h"
#include "wire/stream.h"

struct child {
    const char *name; /* of what it reads, for notes; borrowed */
    pid_t pid;        /* 0: none */
    int fd;           /* of its capture stream */
    int errors;       /* of what it says went wrong: it must not keep ours open if it hangs */
    struct capture_stream stream;
    uint64_t started_us, heard_us; /* when it last said something */
    bool has_ended;
    int status; /* then, as of waitpid() */
};

/* Microseconds of CLOCK_MONOTONIC. */
uint64_t now_us(void);

/* hbad-collect beside this program, else where it is installed. Returns 0 or a negative errno. */
int child_find_program(char *ret, size_t size);

/* Starts the program with the arguments (argv[0] is the program, NULL at the end). Returns 0, or a negative errno with no
 * child. */
int child_start(struct child *child, const char *name, char *const argv[]);

/* Takes what the child has written into the store, and tells `heard` (may be NULL) after each object what it says of
 * progress. Returns 1, 0 at the end of its stream, -EBADMSG with a note where it is not worth listening to any longer, or
 * another negative errno. */
int child_take(struct child *child, struct store *store, struct notes *notes,
               int (*heard)(void *userdata, const struct capture_progress *progress),
               void *userdata);

/* Has it ended? Asks the kernel until it has. */
bool child_has_ended(struct child *child);

/* How it ended, in words: "status 1", "signal 9", into a buffer of 32; one that hangs as it ends is not waited for. */
const char *child_how_it_ended(struct child *child, char *buffer, size_t size);

/* The first line of what it says went wrong; "" where it says nothing. */
const char *child_last_words(const struct child *child, char *buffer, size_t size);

/* Stops listening. */
void child_forget(struct child *child);
