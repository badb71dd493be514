/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading JSON objects member by member with a memory of where it is, so that what is wrong can be said
 * with its place: "commands.12.status: number out of range". For capture_read.c.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "base/vec.h"

enum { MEMBERS_DEPTH = 3 };

struct members {
    struct json_reader *json;
    struct arena *arena; /* of the caller: for what is reported */
    struct json_token token;
    const char *where[MEMBERS_DEPTH]; /* member, and what is inside it: in keys[], or NULL */
    VEC(char) keys[MEMBERS_DEPTH];
    struct arena *scratch;  /* what one member needs until it is stored; the caller clears it */
    uint8_t *hex;           /* CAPTURE_VALUE_MAX bytes for decoding, from the first hex on */
    const char *path, *why; /* after -EBADMSG: what was wrong, and where */
};

/* Returns 0 or -ENOMEM. members_done() frees in both cases. */
int members_init(struct members *m, struct json_reader *json, struct arena *arena);
void members_done(struct members *m);

/* All functions below return 0 (or what is said), -EBADMSG with `path` and `why` set, -ENODATA where the
 * text breaks off, -ENOMEM, or what the reader's refill returned. */

/* Notes what is wrong here. Returns -EBADMSG (or -ENOMEM). */
int members_wrong(struct members *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next token, with JSON errors noted. Returns 1, or 0 at the end of the text. */
int members_next(struct members *m);

/* The next token must be this; `what` says so in words. */
int members_expect(struct members *m, enum json_event event, const char *what);

/* Notes the name of what is being read at that depth. */
int members_enter(struct members *m, unsigned depth, struct bytes name);

/* Goes to the next key of the object under way. Returns 1 with it in where[depth], 0 at the object's
 * end. */
int members_next_key(struct members *m, unsigned depth);

/* What must come now: a string without NUL; a whole number from 0 to max; hex as bytes (valid until the
 * next hex); the name of an errno value as its number. */
int members_take_text(struct members *m, struct bytes *ret);
int members_take_number(struct members *m, uint64_t max, uint64_t *ret);
int members_take_hex(struct members *m, struct bytes *ret);
int members_take_errno(struct members *m, int *ret);

/* A flat object as a table: where each member goes in the struct that is filled. */
enum member_type {
    MEMBER_TEXT,   /* const char *, in scratch */
    MEMBER_HEX,    /* struct bytes, in scratch */
    MEMBER_NUMBER, /* uint64_t */
    MEMBER_ERRNO,  /* int */
    MEMBER_FLAG,   /* bool */
};

struct member {
    const char *name;
    enum member_type type;
    size_t offset;
    uint64_t max; /* of a MEMBER_NUMBER */
    bool required;
};

/* Fills `target` from the object whose brace has been read. `*ret_seen` (may be NULL) has a bit for each
 * member that was there, in the table's order. Unknown members are skipped. */
int members_read(struct members *m, unsigned depth, const struct member *table, size_t n,
                 void *target, unsigned *ret_seen);
