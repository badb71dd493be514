/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A pull reader of JSON text (RFC 8259) that holds one token at a time.
 *
 * Captures are tens of megabytes, and a tree of one takes five times that (CAPTURE.md), so they are
 * read token by token. jansson has no such reader; only tests use it, to say what this one should.
 *
 * Strict: UTF-8 only, no NUL, no trailing commas, no lone surrogates, nesting up to 64, strings up to
 * 1 MiB. Duplicate keys are for the caller to see: only it knows what may repeat.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/cleanup.h"

enum json_event {
    JSON_EVENT_END, /* the text ended where it may end */
    JSON_EVENT_OBJECT_BEGIN,
    JSON_EVENT_OBJECT_END,
    JSON_EVENT_ARRAY_BEGIN,
    JSON_EVENT_ARRAY_END,
    JSON_EVENT_KEY, /* of an object; its value is the next token */
    JSON_EVENT_STRING,
    JSON_EVENT_INTEGER, /* no fraction, no exponent, fits in 64 bits signed */
    JSON_EVENT_REAL,    /* any other number; text holds it */
    JSON_EVENT_TRUE,
    JSON_EVENT_FALSE,
    JSON_EVENT_NULL,
    _JSON_EVENT_MAX,
};

struct json_token {
    enum json_event event;
    struct bytes text; /* key, string (decoded) or number; valid until the next call */
    int64_t integer;   /* of JSON_EVENT_INTEGER */
};

/* Gives the next bytes of the text: writes up to `size` bytes and returns how many, 0 at the end, or a
 * negative errno. */
typedef int64_t (*json_refill)(void *userdata, uint8_t *buffer, size_t size);

struct json_reader;

/* A reader over what `refill` gives, or (json_reader_over) over bytes that stay where they are.
 * NULL without memory. A NUL byte ends the text: see json_reader_next_document(). */
struct json_reader *json_reader_new(json_refill refill, void *userdata);
struct json_reader *json_reader_over(struct bytes text);

/* Takes NULL. Returns NULL. */
struct json_reader *json_reader_free(struct json_reader *r);
DEFINE_CLEANUP(struct json_reader, json_reader_free)

/* The next token. Returns 1 with a token, 0 with JSON_EVENT_END, -EBADMSG where the text is not JSON (see
 * json_reader_error()), -ENODATA where it ended in the middle, -ENOMEM, or what refill returned. After
 * an error, the same one again. */
int json_next(struct json_reader *r, struct json_token *ret);

/* Skips the value whose first token has just been read (and all in it). Returns as json_next(), 0
 * meaning done. */
int json_skip(struct json_reader *r, const struct json_token *first);

/* After JSON_EVENT_END: goes behind the NUL that ended the text. Returns true where more text follows. */
bool json_reader_next_document(struct json_reader *r);

/* What was wrong, in a few words, after -EBADMSG; NULL where nothing was. */
const char *json_reader_error(const struct json_reader *r);

/* Bytes consumed so far: where the last token ended. */
uint64_t json_reader_offset(const struct json_reader *r);
