/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A collector's stream (stream.h).
 */
#include "wire/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct capture_stream capture_stream(struct store *store)
{
    return (struct capture_stream){ .store = store, .frames = frames(CAPTURE_STREAM_MAX) };
}

void capture_stream_done(struct capture_stream *s)
{
    frames_done(&s->frames);
    free(s->at);
    free(s->wrong);
    s->at = s->wrong = NULL;
}

int64_t capture_stream_room(struct capture_stream *s, uint8_t **ret_at)
{
    return s->bytes > CAPTURE_STREAM_MAX ? -EMSGSIZE : frames_room(&s->frames, ret_at);
}

static bool says_something(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (data[i] > ' ' || data[i] == '\0')
            return true;
    return false;
}

static int is_wrong(struct capture_stream *s, const struct capture_reading *reading)
{
    free(s->wrong);
    if (asprintf(&s->wrong, "%s: %s", reading->where, reading->why) >= 0)
        return -EBADMSG;
    s->wrong = NULL;
    return -ENOMEM;
}

static int take_progress(struct capture_stream *s, const struct capture_progress *progress)
{
    free(s->at);
    s->at = progress->hctl ? strdup(progress->hctl) : NULL;
    s->cdb_len = progress->cdb.len < CDB_MAX ? progress->cdb.len : CDB_MAX;
    if (s->cdb_len)
        memcpy(s->cdb, progress->cdb.data, s->cdb_len);
    return progress->hctl && !s->at ? -ENOMEM : 0;
}

static int take_object(struct capture_stream *s, struct bytes text)
{
    _cleanup_(arena_freep) struct arena *arena = arena_new();
    _cleanup_(json_reader_freep) struct json_reader *reader = json_reader_over(text);
    struct capture_reading reading = { 0 };
    struct capture_progress progress = { 0 };
    int r;

    if (!arena || !reader)
        return -ENOMEM;
    r = capture_read_object(reader, s->store, arena, &reading, &progress);
    if (r == -EBADMSG || (r == 0 && reading.stopped))
        return is_wrong(s, &reading);
    if (r < 0)
        return r;
    if (progress.hctl && *progress.hctl && !hctl_is_valid(progress.hctl)) {
        reading.where = "at.device";
        reading.why = "no H:C:T:L";
        return is_wrong(s, &reading);
    }
    s->complete |= reading.complete;
    s->has_sent |= reading.has_dirs;
    r = take_progress(s, &progress);
    return r < 0 || !s->heard ? r : s->heard(s->userdata, &progress);
}

int capture_stream_take(struct capture_stream *s, size_t n)
{
    bool says = says_something(s->frames.buffer + s->frames.n, n);
    struct bytes object;
    int r;

    frames_added(&s->frames, n);
    s->bytes += n;
    while ((r = frames_next(&s->frames, &object)) > 0) {
        r = take_object(s, object);
        if (r < 0)
            return r;
    }
    return r < 0 ? r : says;
}

int capture_stream_unanswered(struct capture_stream *s)
{
    struct store_command unanswered = {
        .hctl = s->at,
        .cdb = { s->cdb, s->cdb_len },
        .error = ETIMEDOUT,
    };

    return s->at && s->cdb_len ? store_put_command(s->store, &unanswered) : 0;
}
