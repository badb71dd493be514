/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as what a client sends, in pieces.
 *
 * What must hold: no message is longer than the limit; how the bytes were cut does not matter; a call is answered by
 * one message, or not at all where it is none; the answer is JSON with a NUL behind it and none in it, and has the
 * members that clients allow.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "wire/frame.h"
#include "wire/service.h"

enum { LIMIT = 4096 };

#define MUST(condition)                 \
    do {                                \
        if (!(condition))               \
            fail(#condition, __LINE__); \
    } while (0)

_Noreturn static void fail(const char *what, int line)
{
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct wanted {
    const char *name;
    bool flag;
    int64_t count;
};

static int answer(void *userdata, const struct varlink_call *call, const void *arguments, FILE *out)
{
    const struct wanted *w = arguments;

    (void)userdata;
    (void)call;
    MUST(w->name);
    varlink_begin(out);
    fputs("{}", out);
    varlink_end(out, NULL, false);
    return VARLINK_REPLIED;
}

static const struct varlink_argument ARGUMENTS[] = {
    { "name", VARLINK_STRING, false, offsetof(struct wanted, name) },
    { "flag", VARLINK_BOOL, true, offsetof(struct wanted, flag) },
    { "count", VARLINK_INT, true, offsetof(struct wanted, count) },
    { 0 },
};

static const struct varlink_method METHODS[] = {
    { "Get", ARGUMENTS, sizeof(struct wanted), false, answer },
    { 0 },
};

static const struct varlink_interface INTERFACES[] = { { "a.b", "interface a.b\n", METHODS },
                                                       { 0 } };
static const struct varlink_service SERVICE = { "v", "p", "1", "u", INTERFACES };

static bool is_member_of_reply(struct bytes key)
{
    static const char *const MEMBERS[] = { "parameters", "error", "continues" };

    for (size_t i = 0; i < ELEMENTS(MEMBERS); i++)
        if (key.len == strlen(MEMBERS[i]) && memcmp(key.data, MEMBERS[i], key.len) == 0)
            return true;
    return false;
}

static void check_reply(const char *text, size_t size)
{
    struct json_reader *json = json_reader_over((struct bytes){ (const uint8_t *)text, size - 1 });
    struct json_token t;

    MUST(size > 0 && strlen(text) == size - 1);
    MUST(json && json_next(json, &t) == 1 && t.event == JSON_EVENT_OBJECT_BEGIN);
    while (json_next(json, &t) == 1 && t.event == JSON_EVENT_KEY) {
        MUST(is_member_of_reply(t.text));
        MUST(json_next(json, &t) == 1 && json_skip(json, &t) >= 0);
    }
    MUST(t.event == JSON_EVENT_OBJECT_END && json_next(json, &t) == 0);
    json_reader_free(json);
}

static void serve(struct bytes message, FILE *all)
{
    struct arena *arena = arena_new();
    struct varlink_call call;
    const char *why = NULL;
    char *said = NULL;
    size_t size = 0;
    int r = varlink_parse(message, arena, &call, &why);

    MUST(r == 0 || (r == -EBADMSG && why && *why));
    if (r == 0) {
        FILE *out = open_memstream(&said, &size);

        MUST(call.method && !(call.more && call.oneway));
        r = varlink_serve(&SERVICE, &call, arena, NULL, out);
        fclose(out);
        MUST(r == VARLINK_REPLIED);
        check_reply(said, size);
        fputs(said, all);
        free(said);
    }
    fputc('\n', all);
    arena_free(arena);
}

/* All answers to the bytes, cut into pieces, as one text. */
static char *answers(const uint8_t *data, size_t size, size_t piece)
{
    struct frames f = frames(LIMIT);
    char *text;
    size_t text_size;
    FILE *all = open_memstream(&text, &text_size);
    int64_t r = 1;

    while (size && r >= 0) {
        struct bytes message;
        uint8_t *at;

        r = frames_room(&f, &at);
        if (r < 0)
            break;
        MUST(r > 0 && f.room <= LIMIT + 1);
        if ((size_t)r > size)
            r = (int64_t)size;
        if ((size_t)r > piece)
            r = (int64_t)piece;
        memcpy(at, data, (size_t)r);
        frames_added(&f, (size_t)r);
        data += r;
        size -= (size_t)r;
        while ((r = frames_next(&f, &message)) > 0) {
            MUST(message.len <= LIMIT && !memchr(message.data, '\0', message.len));
            serve(message, all);
        }
    }
    MUST(r >= 0 || r == -EMSGSIZE);
    frames_done(&f);
    fclose(all);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *whole = answers(data, size, SIZE_MAX), *cut = answers(data, size, 3);

    MUST(strcmp(whole, cut) == 0);
    free(whole);
    free(cut);
    return 0;
}
