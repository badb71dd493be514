/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Varlink as a client reads it: a reply, and values in it as pieces of its text, so that what is large is passed on as it
 * is. Whatever the other side sends is read strictly: a text that is not whole and well-formed JSON gives nothing at all.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/bytes.h"

struct varlink_reply {
    struct bytes parameters; /* the text of the object; empty where none was given */
    const char *error;       /* the full name of the error that it is; NULL where it is none */
    bool continues;          /* more replies follow */
};

/* Reads a reply. `error` is in the arena, `parameters` points into `text`. Returns 0, -ENOMEM, or -EBADMSG for what is no
 * reply. */
int varlink_parse_reply(struct bytes text, struct arena *arena, struct varlink_reply *ret);

/* Finds members of an object by name: ret[i] is the text of the value of names[i], within `object`; empty where it has none of
 * that name, or null. Returns 0, -ENOMEM, or -EBADMSG where it is no object, or has one of them twice. */
int varlink_members(struct bytes object, const char *const *names, size_t n, struct bytes *ret);

/* Calls `each` with the text of each element of an array; an empty text is an array without elements. Returns 0, -ENOMEM,
 * -EBADMSG where it is no array, or what `each` returned where that was negative. The array was read whole before the first
 * call. */
int varlink_elements(struct bytes array, int (*each)(void *userdata, struct bytes element),
                     void *userdata);

/* The same for the members of an object. The name is valid during the call only. */
int varlink_each_member(struct bytes object,
                        int (*each)(void *userdata, struct bytes name, struct bytes value),
                        void *userdata);

/* The value of a text that is a string, in the arena; *ret is NULL for an empty text. Returns 0, -ENOMEM, or -EBADMSG where it is
 * something else, or has a NUL in it. */
int varlink_string(struct bytes text, struct arena *arena, const char **ret);

/* The value of a text that is an integer, not below 0; 0 for an empty text. Returns 0, -ENOMEM or -EBADMSG. */
int varlink_count(struct bytes text, uint64_t *ret);

/* Prints a text that comes in pieces, an array of strings. Returns 0, -EBADMSG where it is something else (what stands before that
 * may have been printed), or -ENOMEM. */
int varlink_print_text(struct bytes pieces, FILE *out);

/* What the errno means with which a call went wrong, as a sentence without its subject, who was called; NULL for one that
 * strerror(3) says best. */
const char *varlink_failure(int error);
