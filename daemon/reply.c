/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replies as JSON (reply.h).
 */
#include "daemon/reply.h"

#include <errno.h>

static bool has_look(const void *structure)
{
    return ((const struct reply *)structure)->has_look;
}

static bool has_start(const void *structure)
{
    return ((const struct reply *)structure)->has_start;
}

static bool has_answer(const void *structure)
{
    return ((const struct reply *)structure)->has_answer;
}

static void write_look(struct json_writer *w, const void *structure)
{
    fields_write(LOOK_FIELDS, &((const struct reply *)structure)->look, w);
}

static void write_start(struct json_writer *w, const void *structure)
{
    fields_write(HISTORY_START_FIELDS, &((const struct reply *)structure)->start, w);
}

static void write_answer(struct json_writer *w, const void *structure)
{
    fields_write(HISTORY_ANSWER_FIELDS, &((const struct reply *)structure)->answer, w);
}

static int read_look(struct json_reader *r, const struct json_token *first, struct arena *arena,
                     void *structure)
{
    struct reply *reply = structure;

    reply->has_look = true;
    return fields_read(LOOK_FIELDS, r, first, arena, &reply->look);
}

static int read_start(struct json_reader *r, const struct json_token *first, struct arena *arena,
                      void *structure)
{
    struct reply *reply = structure;

    reply->has_start = true;
    return fields_read(HISTORY_START_FIELDS, r, first, arena, &reply->start);
}

static int read_answer(struct json_reader *r, const struct json_token *first, struct arena *arena,
                       void *structure)
{
    struct reply *reply = structure;

    reply->has_answer = true;
    return fields_read(HISTORY_ANSWER_FIELDS, r, first, arena, &reply->answer);
}

#define OWN(key, says_, write_, read_)                                                \
    {                                                                                 \
        .name = key, .type = FIELD_OWN, .says = says_, .write = write_, .read = read_ \
    }

static const struct field FIELDS[] = {
    { "n", FIELD_U64, offsetof(struct reply, n) },
    { "alive", FIELD_BOOL, offsetof(struct reply, is_alive) },
    { "fresh", FIELD_BOOL, offsetof(struct reply, is_fresh) },
    { "done", FIELD_BOOL, offsetof(struct reply, is_done) },
    { "error", FIELD_U32, offsetof(struct reply, error) },
    { "said", FIELD_TEXT, offsetof(struct reply, said) },
    OWN("look", has_look, write_look, read_look),
    OWN("start", has_start, write_start, read_start),
    OWN("answer", has_answer, write_answer, read_answer),
    { 0 },
};

void reply_done(struct reply *reply)
{
    look_done(&reply->look);
    history_start_done(&reply->start);
    history_answer_done(&reply->answer);
    *reply = (struct reply){ 0 };
}

void reply_write(const struct reply *reply, FILE *out)
{
    struct json_writer w = json_writer(out, false);

    fields_write(FIELDS, reply, &w);
}

int reply_read(struct bytes json, struct arena *arena, struct reply *ret)
{
    struct reply reply = { 0 };
    int r = fields_read_text(FIELDS, json, arena, &reply);

    if (r < 0) {
        reply_done(&reply);
        return r;
    }
    *ret = reply;
    return 0;
}
