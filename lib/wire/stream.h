/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a collector sends, as it comes: the objects of a capture stream (source/capture.h) into a store, and what the
 * collector is at. Its output is not trusted: it is bounded, and read strictly. Reading it from a descriptor, and
 * patience, are for the caller.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "source/capture.h"
#include "source/command.h"
#include "source/store.h"
#include "wire/frame.h"

/* Longest stream of one adapter: fifty thousand devices. */
enum { CAPTURE_STREAM_MAX = 256 * 1024 * 1024 };

struct capture_stream {
    struct store *store; /* borrowed */
    struct frames frames;
    uint64_t bytes; /* so far */
    bool complete;  /* it has said that it is at its end */
    bool has_sent;  /* something of a machine */
    char *at; /* "0:0:2:0": the device that it has asked and that has not answered; NULL if none */
    uint8_t cdb[CDB_MAX];
    size_t cdb_len;
    char *wrong; /* after -EBADMSG: what it sent instead of a capture, and where in it */
    /* Told after each object what it says of progress; a negative return ends the taking. May be NULL. */
    int (*heard)(void *userdata, const struct capture_progress *progress);
    void *userdata;
};

/* At the beginning of a stream, whose objects go into the store. */
struct capture_stream capture_stream(struct store *store);
void capture_stream_done(struct capture_stream *s);

/* Where what is read is to be put, as frames_room(); -EMSGSIZE where the stream has become longer than
 * CAPTURE_STREAM_MAX. */
int64_t capture_stream_room(struct capture_stream *s, uint8_t **ret_at);

/* So many bytes were put there. Returns 1 where they say something, 0 where they are white space only (which is to keep
 * nobody waiting), -EBADMSG with `wrong` set, -EMSGSIZE, -ENOMEM. What came before is in the store. */
int capture_stream_take(struct capture_stream *s, size_t n);

/* The device that it is at gets the answer that none came, where it is at one. Returns 0 or -ENOMEM. */
int capture_stream_unanswered(struct capture_stream *s);
