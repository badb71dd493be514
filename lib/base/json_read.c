/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pull reader of json_read.h. A window of the text lies in a buffer that is refilled from the
 * front; tokens are given out from it, strings with escapes from a scratch buffer.
 */
#include "base/json_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

enum { DEPTH_MAX = 64, WINDOW_BYTES = 64 * 1024, STRING_MAX = 1024 * 1024 };

enum expect {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END,
    EXPECT_KEY_OR_END,
    EXPECT_KEY,
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING
};

struct json_reader {
    json_refill refill; /* NULL: all of the text is in the window */
    void *userdata;
    uint8_t *buffer; /* owned window; NULL when over the caller's bytes */
    size_t cap;
    const uint8_t *window;
    size_t pos, end; /* of the window */
    uint64_t base;   /* offset of window[0] in the text */
    bool at_eof;     /* refill has no more */
    char *scratch;
    size_t scratch_n, scratch_cap;
    enum expect expect;
    unsigned depth;
    uint64_t in_object; /* a bit per level: object or array */
    const char *error;
    int failed; /* what json_next() returned when it failed, and returns since */
};

struct json_reader *json_reader_new(json_refill refill, void *userdata)
{
    struct json_reader *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->refill = refill;
    r->userdata = userdata;
    r->cap = WINDOW_BYTES;
    r->buffer = malloc(r->cap);
    r->window = r->buffer;
    if (!r->buffer)
        return json_reader_free(r);
    return r;
}

struct json_reader *json_reader_over(struct bytes text)
{
    struct json_reader *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->window = text.data;
    r->end = text.len;
    r->at_eof = true;
    return r;
}

struct json_reader *json_reader_free(struct json_reader *r)
{
    if (!r)
        return NULL;
    free(r->buffer);
    free(r->scratch);
    free(r);
    return NULL;
}

const char *json_reader_error(const struct json_reader *r)
{
    return r->error;
}

uint64_t json_reader_offset(const struct json_reader *r)
{
    return r->base + r->pos;
}

static int fail(struct json_reader *r, const char *error)
{
    r->error = error;
    return -EBADMSG;
}

/* Reads more text behind the window, keeping what starts at `keep`. Returns 1 when there is more, 0 at
 * the end. Positions in the window move by what was dropped: `keep` becomes 0. */
static int fill(struct json_reader *r, size_t keep)
{
    int64_t got;

    if (r->at_eof)
        return 0;
    if (keep) {
        memmove(r->buffer, r->buffer + keep, r->end - keep);
        r->base += keep;
        r->pos -= keep;
        r->end -= keep;
    }
    if (r->end == r->cap) {
        uint8_t *grown = r->cap < 2 * STRING_MAX ? realloc(r->buffer, r->cap * 2) : NULL;

        if (!grown)
            return r->cap < 2 * STRING_MAX ? -ENOMEM : fail(r, "token longer than 1 MiB");
        r->buffer = grown;
        r->window = grown;
        r->cap *= 2;
    }
    got = r->refill(r->userdata, r->buffer + r->end, r->cap - r->end);
    if (got < 0)
        return (int)got;
    if (got == 0) {
        r->at_eof = true;
        return 0;
    }
    r->end += (size_t)got;
    return 1;
}

/* The next byte without consuming it, -ENODATA at the end of all text, or another negative errno. */
static int peek(struct json_reader *r)
{
    while (r->pos == r->end) {
        int n = fill(r, r->pos);

        if (n <= 0)
            return n < 0 ? n : -ENODATA;
    }
    /* NOLINTNEXTLINE(clang-analyzer-*): a reader that refills has room from its start */
    return r->window[r->pos];
}

static int skip_space(struct json_reader *r)
{
    int c;

    for (;;) {
        c = peek(r);
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
            return c;
        r->pos++;
    }
}

static int scratch_add(struct json_reader *r, const void *data, size_t n)
{
    if (n == 0)
        return 0;
    if (r->scratch_n + n > STRING_MAX)
        return fail(r, "string longer than 1 MiB");
    if (r->scratch_n + n > r->scratch_cap) {
        size_t cap = (r->scratch_n + n) * 2 + 64;
        char *grown = realloc(r->scratch, cap);

        if (!grown)
            return -ENOMEM;
        r->scratch = grown;
        r->scratch_cap = cap;
    }
    memcpy(r->scratch + r->scratch_n, data, n);
    r->scratch_n += n;
    return 0;
}

/* Four hex digits as a number, -EBADMSG otherwise. */
static int read_hex4(struct json_reader *r)
{
    int value = 0;

    for (int i = 0; i < 4; i++) {
        int c = peek(r);

        if (c < 0)
            return c;
        if (c >= '0' && c <= '9')
            c -= '0';
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            c = (c | 0x20) - 'a' + 10;
        else
            return fail(r, "\\u without four hex digits");
        value = value << 4 | c;
        r->pos++;
    }
    return value;
}

static int add_code_point(struct json_reader *r, uint32_t c)
{
    uint8_t out[4];
    size_t n;

    if (c < 0x80) {
        out[0] = (uint8_t)c;
        n = 1;
    } else if (c < 0x800) {
        out[0] = (uint8_t)(0xc0 | c >> 6);
        out[1] = (uint8_t)(0x80 | (c & 0x3f));
        n = 2;
    } else if (c < 0x10000) {
        out[0] = (uint8_t)(0xe0 | c >> 12);
        out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (c & 0x3f));
        n = 3;
    } else {
        out[0] = (uint8_t)(0xf0 | c >> 18);
        out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        out[3] = (uint8_t)(0x80 | (c & 0x3f));
        n = 4;
    }
    return scratch_add(r, out, n);
}

/* The part of a \u escape behind the 'u'; a high surrogate takes the low one with it. */
static int read_unicode(struct json_reader *r)
{
    int c = read_hex4(r), low;

    if (c < 0)
        return c;
    if (c < 0xd800 || c > 0xdfff)
        return add_code_point(r, (uint32_t)c);
    if (c > 0xdbff)
        return fail(r, "lone surrogate");
    for (const char *want = "\\u"; *want; want++) {
        int got = peek(r);

        if (got < 0)
            return got;
        if (got != *want)
            return fail(r, "lone surrogate");
        r->pos++;
    }
    low = read_hex4(r);
    if (low < 0)
        return low;
    if (low < 0xdc00 || low > 0xdfff)
        return fail(r, "lone surrogate");
    return add_code_point(r, 0x10000 + ((uint32_t)(c - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
}

static int read_escape(struct json_reader *r)
{
    static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
    const char *at;
    int c = peek(r);

    if (c < 0)
        return c;
    r->pos++;
    if (c == 'u')
        return read_unicode(r);
    at = c ? strchr(FROM, c) : NULL;
    if (!at)
        return fail(r, "unknown escape");
    return scratch_add(r, TO + (at - FROM), 1);
}

/* Finds the end of the run of plain bytes at r->pos: '"', '\\', a control character, or the end of the
 * window. */
static size_t plain_run(const struct json_reader *r, size_t at)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;

    /* Eight bytes at once: the top bit of (x - n * ones) & ~x is set in the first byte below n, in none
     * where there is no such byte. */
    for (uint64_t x; r->end - at >= sizeof(x); at += sizeof(x)) {
        uint64_t quote, backslash;

        memcpy(&x, r->window + at, sizeof(x));
        quote = x ^ '"' * ones;
        backslash = x ^ '\\' * ones;
        if (((x - 0x20 * ones) & ~x & tops) | ((quote - ones) & ~quote & tops) |
            ((backslash - ones) & ~backslash & tops))
            break;
    }
    while (at < r->end && r->window[at] >= 0x20 && r->window[at] != '"' && r->window[at] != '\\')
        at++;
    return at;
}

/* The rest of a string that holds an escape, of which the scratch buffer has the beginning. */
static int read_escaped_string(struct json_reader *r)
{
    for (;;) {
        int c = peek(r), e;
        size_t stop;

        if (c < 0)
            return c;
        stop = plain_run(r, r->pos);
        e = scratch_add(r, r->window + r->pos, stop - r->pos);
        if (e < 0)
            return e;
        r->pos = stop;
        if (stop == r->end)
            continue;
        c = r->window[r->pos];
        if (c < 0x20)
            return fail(r, "control character in a string");
        r->pos++;
        if (c == '"')
            return 0;
        e = read_escape(r);
        if (e < 0)
            return e;
    }
}

/* A string, the opening quote consumed. */
static int read_string(struct json_reader *r, struct bytes *ret)
{
    size_t start = r->pos, stop = r->pos;
    int e;

    for (;;) {
        stop = plain_run(r, stop);
        if (stop < r->end)
            break;
        e = fill(r, start);
        if (e <= 0)
            return e < 0 ? e : -ENODATA;
        stop -= start;
        start = 0;
        r->pos = 0;
    }
    if (r->window[stop] < 0x20)
        return fail(r, "control character in a string");
    if (stop - start > STRING_MAX)
        return fail(r, "string longer than 1 MiB");
    if (r->window[stop] == '"') {
        r->pos = stop + 1;
        *ret = (struct bytes){ r->window + start, stop - start };
    } else {
        r->scratch_n = 0;
        e = scratch_add(r, r->window + start, stop - start);
        r->pos = stop;
        if (e == 0)
            e = read_escaped_string(r);
        if (e < 0)
            return e;
        *ret = (struct bytes){ (uint8_t *)r->scratch, r->scratch_n };
    }
    return text_is_utf8(*ret) ? 0 : fail(r, "not UTF-8");
}

static bool is_number_byte(int c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static int read_number(struct json_reader *r, struct json_token *ret)
{
    char text[64];
    size_t n = 0;
    bool integer;
    int c;

    while ((c = peek(r)) >= 0 && is_number_byte(c)) {
        if (n == sizeof(text) - 1)
            return fail(r, "number longer than 63 characters");
        text[n++] = (char)c;
        r->pos++;
    }
    if (c < 0 && c != -ENODATA)
        return c;
    text[n] = '\0';
    if (!number_is_json(text, &integer))
        return fail(r, "malformed number");
    r->scratch_n = 0;
    c = scratch_add(r, text, n);
    if (c < 0)
        return c;
    ret->text = (struct bytes){ (uint8_t *)r->scratch, n };
    errno = 0;
    ret->integer = integer ? strtoll(text, NULL, 10) : 0;
    ret->event = integer && errno == 0 ? JSON_EVENT_INTEGER : JSON_EVENT_REAL;
    return 1;
}

static int read_word(struct json_reader *r, struct json_token *ret)
{
    static const struct {
        const char *word;
        enum json_event event;
    } WORDS[] = { { "true", JSON_EVENT_TRUE },
                  { "false", JSON_EVENT_FALSE },
                  { "null", JSON_EVENT_NULL } };
    int c = peek(r);

    for (size_t i = 0; i < ELEMENTS(WORDS); i++) {
        if (c != WORDS[i].word[0])
            continue;
        for (const char *w = WORDS[i].word; *w; w++) {
            c = peek(r);
            if (c < 0)
                return c;
            if (c != *w)
                return fail(r, "unknown word");
            r->pos++;
        }
        ret->event = WORDS[i].event;
        return 1;
    }
    return fail(r, "not a value");
}

/* What may follow once a value is complete. */
static void value_done(struct json_reader *r)
{
    r->expect = r->depth ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
}

static int open_level(struct json_reader *r, bool object, struct json_token *ret)
{
    if (r->depth == DEPTH_MAX)
        return fail(r, "nested too deeply");
    r->in_object = r->in_object << 1 | object;
    r->depth++;
    r->pos++;
    r->expect = object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
    ret->event = object ? JSON_EVENT_OBJECT_BEGIN : JSON_EVENT_ARRAY_BEGIN;
    return 1;
}

static int close_level(struct json_reader *r, int c, struct json_token *ret)
{
    bool object = r->in_object & 1;

    if (c != (object ? '}' : ']'))
        return fail(r, "wrong closing bracket");
    r->in_object >>= 1;
    r->depth--;
    r->pos++;
    value_done(r);
    ret->event = object ? JSON_EVENT_OBJECT_END : JSON_EVENT_ARRAY_END;
    return 1;
}

static int read_value(struct json_reader *r, int c, struct json_token *ret)
{
    int e;

    if (c == '{' || c == '[')
        return open_level(r, c == '{', ret);
    if (c == '"') {
        r->pos++;
        e = read_string(r, &ret->text);
        ret->event = JSON_EVENT_STRING;
        e = e < 0 ? e : 1;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        e = read_number(r, ret);
    } else {
        e = read_word(r, ret);
    }
    value_done(r);
    return e;
}

static int read_key(struct json_reader *r, int c, struct json_token *ret)
{
    int e;

    if (c != '"')
        return fail(r, "key expected");
    r->pos++;
    e = read_string(r, &ret->text);
    if (e < 0)
        return e;
    ret->event = JSON_EVENT_KEY;
    r->expect = EXPECT_VALUE;
    return 1;
}

/* Consumes the colon between a key and its value. Done when the value is asked for: until then the
 * key's text must stay where it is, and looking for the colon may move the window. */
static int take_colon(struct json_reader *r)
{
    int c = skip_space(r);

    if (c < 0)
        return c;
    if (c != ':')
        return fail(r, "colon expected");
    r->pos++;
    return 0;
}

static int read_token(struct json_reader *r, struct json_token *ret)
{
    int c, e;

    if (r->expect == EXPECT_VALUE && r->depth && (r->in_object & 1)) {
        e = take_colon(r);
        if (e < 0)
            return e;
    }
    c = skip_space(r);
    if (r->expect == EXPECT_NOTHING) {
        if (c == -ENODATA || c == 0)
            return 0;
        return c < 0 ? c : fail(r, "text behind the end");
    }
    if (c < 0)
        return c;
    if (r->expect == EXPECT_COMMA_OR_END) {
        if (c != ',')
            return close_level(r, c, ret);
        r->pos++;
        r->expect = r->in_object & 1 ? EXPECT_KEY : EXPECT_VALUE;
        c = skip_space(r);
        if (c < 0)
            return c;
    }
    if (r->expect == EXPECT_KEY || r->expect == EXPECT_KEY_OR_END)
        return c == '}' && r->expect == EXPECT_KEY_OR_END ? close_level(r, c, ret)
                                                          : read_key(r, c, ret);
    if (r->expect == EXPECT_VALUE_OR_END && c == ']')
        return close_level(r, c, ret);
    return read_value(r, c, ret);
}

int json_next(struct json_reader *r, struct json_token *ret)
{
    int n;

    if (r->failed)
        return r->failed;
    *ret = (struct json_token){ 0 };
    n = read_token(r, ret);
    if (n < 0)
        r->failed = n;
    return n;
}

int json_skip(struct json_reader *r, const struct json_token *first)
{
    struct json_token token = *first;
    unsigned depth = r->depth;
    int e;

    if (first->event != JSON_EVENT_OBJECT_BEGIN && first->event != JSON_EVENT_ARRAY_BEGIN)
        return 0;
    while (r->depth >= depth) {
        e = json_next(r, &token);
        if (e <= 0)
            return e < 0 ? e : -ENODATA;
    }
    return 0;
}

bool json_reader_next_document(struct json_reader *r)
{
    if (r->failed || r->expect != EXPECT_NOTHING)
        return false;
    while (peek(r) == 0)
        r->pos++;
    r->expect = EXPECT_VALUE;
    return skip_space(r) >= 0;
}
