/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Captures as text: reading them into a store and writing a store out. The format is version 1 of
 * "hbad-capture": one JSON object, or a sequence of small ones each followed by a NUL byte, of which
 * the last says {"hbad-capture": 1, "end": true}.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "source/store.h"

/* Longest content of a file or answer of a command that a capture holds, in bytes. */
enum { CAPTURE_VALUE_MAX = 512 * 1024 };

/* How a reading went. */
struct capture_reading {
    bool complete; /* one object, or a stream with its last member */
    bool stopped;  /* the text broke off: what came before it is in the store */
    bool has_dirs; /* the last object that was read holds directories: something of a machine */
    bool followed; /* something that is not read stands behind the end of the stream */
    const char
        *where; /* member path of what was wrong: "dirs./sys/class/x.period"; NULL if nothing */
    const char *why; /* in words; NULL if nothing was wrong */
    uint64_t offset; /* byte at which reading ended */
};

/* Progress of a collector, told in its stream by an extra member "at": which command it is about to
 * send, or which measuring is under way. A reader that does not know the members of the latter sees a
 * device that is asked `cdb`. */
struct capture_progress {
    const char *hctl; /* NULL: nothing under way */
    struct bytes
        cdb; /* of measuring: the first read; empty where it goes through the block layer */
    /* Of measuring: */
    const char *method; /* NULL: no measuring */
    uint64_t block_bytes, depth;
    uint64_t cell, cells; /* the cell-th of so many, from 1 */
    uint64_t bytes;       /* that this device has given so far */
};

/* Reads all objects of the text into the store. Returns 0 (see `complete` and `stopped`), -EBADMSG for
 * text that is no capture (where and why are set, in the arena), or another negative errno. What came
 * before an error is in the store. */
int capture_read(struct json_reader *reader, struct store *store, struct arena *arena,
                 struct capture_reading *ret);

/* Reads one object of a stream, for a reader that gets it piece by piece. As capture_read(), which
 * calls it; `*ret_progress` (may be NULL) is what the object says of progress, in the arena. */
int capture_read_object(struct json_reader *reader, struct store *store, struct arena *arena,
                        struct capture_reading *ret, struct capture_progress *ret_progress);

/* All of the following return 0 or a negative errno, that of the stream where writing failed. */

/* Writes the store as one object, laid out for people: a line a directory. */
int capture_write(const struct store *store, FILE *out);

/* Writes the store as one object of a stream, on one line, with its NUL. */
int capture_write_chunk(const struct store *store, FILE *out);

/* Writes an object of a stream with these measurements and nothing else. */
int capture_write_measures(const struct measurement *m, size_t n, FILE *out);

/* Writes the object that says what is about to be asked, and the one that ends a stream. */
int capture_write_progress(const struct capture_progress *progress, FILE *out);
int capture_write_end(FILE *out);
