/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a collector's stream, in pieces: the boundary between the process that touches devices and the one that
 * does not.
 *
 * What must hold: an error says what was wrong; how the bytes were cut does not matter; what was taken can be written as a
 * capture and read again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/capture.h"
#include "wire/stream.h"

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

static char *text_of(const struct store *store)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    MUST(capture_write(store, out) == 0);
    fclose(out);
    return text;
}

/* What a store holds after the bytes came in such pieces, and how it ended. */
static char *taken(const uint8_t *data, size_t size, size_t piece, int *ret)
{
    struct store *store = store_new();
    struct capture_stream s = capture_stream(store);
    char *text;
    int r = 0;

    while (size && r >= 0) {
        uint8_t *at;
        int64_t n = capture_stream_room(&s, &at);

        MUST(n > 0);
        if ((size_t)n > size)
            n = (int64_t)size;
        if ((size_t)n > piece)
            n = (int64_t)piece;
        memcpy(at, data, (size_t)n);
        data += n;
        size -= (size_t)n;
        r = capture_stream_take(&s, (size_t)n);
    }
    MUST(r >= 0 || (r == -EBADMSG && s.wrong && *s.wrong));
    MUST(s.cdb_len <= sizeof(s.cdb));
    MUST(capture_stream_unanswered(&s) == 0);
    *ret = r < 0 ? r : s.complete;
    text = text_of(store);
    capture_stream_done(&s);
    store_free(store);
    return text;
}

static void check_readable(const char *text)
{
    struct arena *arena = arena_new();
    struct store *again = store_new();
    struct json_reader *json = json_reader_over(
        (struct bytes){ (const uint8_t *)text, strlen(text) });
    struct capture_reading reading = { 0 };

    MUST(capture_read(json, again, arena, &reading) == 0 && reading.complete);
    json_reader_free(json);
    store_free(again);
    arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int whole_r, cut_r;
    char *whole = taken(data, size, SIZE_MAX, &whole_r), *cut = taken(data, size, 5, &cut_r);

    MUST(whole_r == cut_r && strcmp(whole, cut) == 0);
    check_readable(whole);
    free(whole);
    free(cut);
    return 0;
}
