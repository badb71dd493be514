/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Daemon and watcher (watch.h): a table of messages, written and read by the same rows.
 */
#include "wire/watch.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/json_write.h"
#include "base/names.h"
#include "base/text.h"
#include "source/capture.h"
#include "wire/request.h"
#include "wire/varlink.h"

#define PREFIX "io.hbad.watch."

static const char *const AT_WORDS[] = {
    [WATCH_AT_WALK] = "walk",
    [WATCH_AT_STATES] = "states",
    [WATCH_AT_COUNTERS] = "counters",
};
DEFINE_NAMES(enum watch_at, watch_at, AT_WORDS)
DEFINE_NAMES_BACK(watch_at, AT_WORDS)

/* A message as its arguments are: `at` is a word. */
struct spoken {
    struct watch_message m;
    const char *at;
};

#define TEXT(name, field)                                           \
    {                                                               \
        name, VARLINK_STRING, false, offsetof(struct spoken, field) \
    }
#define NUMBER(name, field)                                        \
    {                                                              \
        name, VARLINK_INT, false, offsetof(struct spoken, m.field) \
    }

static const struct varlink_argument BEGIN[] = {
    NUMBER("watch_us", watch_us),
    NUMBER("counters_us", counters_us),
    NUMBER("costly_reads", costly_reads),
    { 0 },
};
static const struct varlink_argument ADAPTER[] = { TEXT("below", m.below), { 0 } };
static const struct varlink_argument AT[] = { TEXT("below", m.below), TEXT("at", at), { 0 } };
static const struct varlink_argument ROUND[] = {
    { "counters", VARLINK_BOOL, false, offsetof(struct spoken, m.counters) },
    NUMBER("files", files),
    NUMBER("reads", reads),
    NUMBER("costly", costly),
    NUMBER("asleep", asleep),
    NUMBER("cpu_us", cpu_us),
    NUMBER("took_us", took_us),
    NUMBER("behind_us", behind_us),
    { 0 },
};

static const struct {
    const char *method;
    bool of_watcher;
    const struct varlink_argument *arguments;
} MESSAGES[] = {
    [WATCH_BEGIN] = { PREFIX "Begin", false, BEGIN },
    [WATCH_ADAPTER] = { PREFIX "Adapter", false, ADAPTER },
    [WATCH_LEAVE] = { PREFIX "Leave", false, ADAPTER },
    [WATCH_AT] = { PREFIX "At", true, AT },
    [WATCH_ROUND] = { PREFIX "Round", true, ROUND },
};

static void write_argument(struct json_writer *w, const struct varlink_argument *a,
                           const struct spoken *spoken)
{
    const void *from = (const char *)spoken + a->offset;

    json_write_key(w, a->name);
    switch (a->type) {
    case VARLINK_STRING:
        json_write_string(w, *(const char *const *)from);
        return;
    case VARLINK_BOOL:
        json_write_bool(w, *(const bool *)from);
        return;
    case VARLINK_INT:
        json_write_i64(w, *(const int64_t *)from);
        return;
    case VARLINK_STRINGS: /* no message has any */
        return;
    }
}

void watch_message_write(const struct watch_message *m, FILE *out)
{
    const struct spoken spoken = { *m, watch_at_to_string(m->at) };
    struct json_writer w = json_writer(out, false);

    json_write_begin_object(&w);
    json_write_key(&w, "method");
    json_write_string(&w, MESSAGES[m->what].method);
    json_write_key(&w, "parameters");
    json_write_begin_object(&w);
    for (const struct varlink_argument *a = MESSAGES[m->what].arguments; a->name; a++)
        write_argument(&w, a, &spoken);
    json_write_end_object(&w);
    json_write_end_object(&w);
    fputc('\0', out);
}

/* What is wrong with the values; NULL where nothing is. */
static const char *why_not(const struct spoken *s)
{
    const struct watch_message *m = &s->m;
    const int64_t counts[] = { m->watch_us, m->counters_us, m->costly_reads, m->files,
                               m->reads,    m->costly,      m->asleep,       m->cpu_us,
                               m->took_us,  m->behind_us };

    for (size_t i = 0; i < ELEMENTS(counts); i++)
        if (counts[i] < 0)
            return "a number is below 0";
    if (m->what == WATCH_BEGIN && (!m->watch_us || !m->counters_us))
        return "nothing is done all the time";
    if (m->below && !request_is_directory(m->below))
        return "below is no directory of devices";
    if (m->what == WATCH_AT && (int)m->at < 0)
        return "at is none of walk, states, counters";
    return NULL;
}

static int parse_call(struct bytes text, bool of_watcher, struct arena *arena,
                      struct watch_message *ret, const char **ret_why)
{
    struct spoken spoken = { 0 };
    struct varlink_call call;
    const char *name;
    size_t i = 0;
    int r = varlink_parse(text, arena, &call, ret_why);

    if (r < 0)
        return r;
    while (i < ELEMENTS(MESSAGES) && strcmp(MESSAGES[i].method, call.method) != 0)
        i++;
    *ret_why = "no such method";
    if (i == ELEMENTS(MESSAGES) || MESSAGES[i].of_watcher != of_watcher || call.upgrade)
        return -EBADMSG;
    r = varlink_arguments(call.parameters, arena, MESSAGES[i].arguments, &spoken, &name);
    *ret_why = "a parameter is missing, unknown or of another type";
    if (r < 0)
        return r == -EINVAL ? -EBADMSG : r;
    spoken.m.what = (enum watch_what)i;
    spoken.m.at = i == WATCH_AT ? (enum watch_at)watch_at_from_string(spoken.at) : 0;
    *ret_why = why_not(&spoken);
    if (*ret_why)
        return -EBADMSG;
    *ret = spoken.m;
    return 0;
}

static int parse_changes(struct bytes text, struct arena *arena, struct watch_message *ret,
                         struct store *changes, const char **ret_why)
{
    _cleanup_(json_reader_freep) struct json_reader *reader = json_reader_over(text);
    struct capture_reading reading = { 0 };
    int r = reader ? capture_read_object(reader, changes, arena, &reading, NULL) : -ENOMEM;

    if (r == 0 && reading.stopped)
        r = -EBADMSG;
    *ret_why = reading.why ? reading.why : "no capture";
    if (r == 0)
        *ret = (struct watch_message){ .what = WATCH_CHANGES };
    return r;
}

int watch_message_parse(struct bytes text, bool of_watcher, struct arena *arena,
                        struct watch_message *ret, struct store *changes, const char **ret_why)
{
    static const char CAPTURE[] = "{\"hbad-capture\"";
    bool is_capture = text.len >= strlen(CAPTURE) &&
                      memcmp(text.data, CAPTURE, strlen(CAPTURE)) == 0;

    if (of_watcher && is_capture)
        return parse_changes(text, arena, ret, changes, ret_why);
    return parse_call(text, of_watcher, arena, ret, ret_why);
}
