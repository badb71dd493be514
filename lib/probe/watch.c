/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks at devices, compared (watch.h).
 */
#include "probe/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/number.h"

/* Of `stat`: where a field is, from 0. */
enum {
    READS = 0,
    SECTORS_READ = 2,
    WRITES = 4,
    SECTORS_WRITTEN = 6,
    IN_FLIGHT = 8,
    FIELDS = 11, /* of every kernel */
    DISCARDS = 11,
    FLUSHES = 15,
    FIELDS_MOST = 17,
};

/* Decimal numbers between white space. Returns how many, at most `max`; -EBADMSG for anything else. */
static int parse_numbers(const char *text, uint64_t *ret, size_t max)
{
    size_t n = 0;

    for (;;) {
        char word[24];
        size_t len;

        text += strspn(text, " \t\n");
        len = strcspn(text, " \t\n");
        if (!len || n == max)
            return (int)n;
        if (len >= sizeof(word))
            return -EBADMSG;
        memcpy(word, text, len);
        word[len] = '\0';
        if (number_u64(word, 10, &ret[n++]) < 0)
            return -EBADMSG;
        text += len;
    }
}

/* A counter in hex as sysfs writes it. */
static int parse_count(const char *text, uint32_t *ret)
{
    char word[24];
    size_t len = strcspn(text, "\n");
    uint64_t value;

    if (len >= sizeof(word))
        return -EBADMSG;
    memcpy(word, text, len);
    word[len] = '\0';
    if (number_u64(word, 16, &value) < 0)
        return -EBADMSG;
    *ret = (uint32_t)value;
    return 0;
}

int watch_parse_counts(const char *requested, const char *done, struct watch_sample *s)
{
    uint32_t r, d;

    if (parse_count(requested, &r) < 0 || parse_count(done, &d) < 0)
        return -EBADMSG;
    s->requested = r;
    s->done = d;
    s->has_counts = true;
    return 0;
}

int watch_parse_stat(const char *text, struct watch_sample *s)
{
    uint64_t v[FIELDS_MOST] = { 0 };

    if (parse_numbers(text, v, FIELDS_MOST) < FIELDS)
        return -EBADMSG;
    s->completed = v[READS] + v[WRITES] + v[DISCARDS] + v[FLUSHES];
    s->moved = v[SECTORS_READ] + v[SECTORS_WRITTEN];
    if (!s->has_inflight)
        s->in_flight = v[IN_FLIGHT];
    s->has_stat = true;
    return 0;
}

int watch_parse_inflight(const char *text, struct watch_sample *s)
{
    uint64_t v[2];

    if (parse_numbers(text, v, 2) != 2)
        return -EBADMSG;
    s->in_flight = v[0] + v[1];
    s->has_inflight = true;
    return 0;
}

__attribute__((format(printf, 2, 3))) static const char *words(struct arena *a, const char *format,
                                                               ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = arena_vprintf(a, format, args);
    va_end(args);
    return text ? text : "somebody else was at work";
}

const char *watch_busy(struct arena *a, const char *hctl, const struct watch_sample *s)
{
    if (!s->host_running)
        return words(a, "the host of %s is not running", hctl);
    if (!s->is_running)
        return words(a, "%s is not running", hctl);
    if (s->in_flight)
        return words(a, "%" PRIu64 " request%s of %s %s under way", s->in_flight,
                     s->in_flight == 1 ? "" : "s", hctl, s->in_flight == 1 ? "is" : "are");
    return NULL;
}

/* Commands or requests of others between two looks: those that began or those that ended, whichever are more. */
static uint64_t others(const struct watch_sample *before, const struct watch_sample *after,
                       const struct watch_own *own)
{
    uint64_t n = (uint32_t)(after->requested - before->requested);
    uint64_t done = (uint32_t)(after->done - before->done);

    if (!before->has_counts || !after->has_counts) {
        n = after->completed - before->completed;
        return n > own->block_reads ? n - own->block_reads : 0;
    }
    n = done > n ? done : n;
    return n > own->commands ? n - own->commands : 0;
}

const char *watch_disturbed(struct arena *a, const char *hctl, const struct watch_sample *before,
                            const struct watch_sample *after, const struct watch_own *own)
{
    const char *why = watch_busy(a, hctl, before);
    uint64_t n;

    if (!why)
        why = watch_busy(a, hctl, after);
    if (why)
        return why;
    if (!(before->has_counts && after->has_counts) && !(before->has_stat && after->has_stat))
        return words(a, "it cannot be told whether %s is used", hctl);
    n = others(before, after, own);
    return n ? words(a, "%" PRIu64 " command%s of %s came between", n, n == 1 ? "" : "s", hctl)
             : NULL;
}

bool watch_moved(const struct watch_sample *before, const struct watch_sample *after)
{
    return before->has_stat && after->has_stat && before->moved != after->moved;
}
