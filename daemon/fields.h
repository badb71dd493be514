/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structures as data: one row a field, for all that compares, copies, writes and reads them. A new field that is to
 * be remembered is a row in its structure's table, and nothing else; what was written before then lacks it.
 *
 * In JSON a structure is an object. Fields that say nothing (NULL, 0, false, an empty list, the first word of an
 * enum) are left out; members that no row names are skipped; one that is null says nothing.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/vec.h"

enum field_type {
    FIELD_TEXT, /* const char * */
    FIELD_U64,
    FIELD_U32,
    FIELD_BOOL,
    FIELD_WORD,  /* an enum without negative values, by its words */
    FIELD_TEXTS, /* VEC(const char *) */
    FIELD_LIST,  /* VEC of structures */
    FIELD_OWN,   /* whatever its functions say */
};

struct field {
    const char *name;
    enum field_type type;
    size_t offset;

    /* FIELD_WORD: both ways; `from` returns a negative errno for what is no word of it. */
    const char *(*word)(unsigned value);
    int (*from)(const char *word);

    /* FIELD_LIST: what is in it. */
    const struct field *of;
    size_t size;

    /* FIELD_OWN: writes the value behind its key, from the structure (not the field); not called where `says` says
     * that there is none. Reads the value that begins with the token. */
    bool (*says)(const void *structure);
    void (*write)(struct json_writer *w, const void *structure);
    int (*read)(struct json_reader *r, const struct json_token *first, struct arena *arena,
                void *structure);
};

/* Tables of fields end with a row without a name. */

/* Are all fields the same? Lists are not looked at. */
bool fields_same(const struct field *fields, const void *a, const void *b);

/* Copies each FIELD_TEXT into the arena. Returns 0 or -ENOMEM. */
int fields_keep(const struct field *fields, void *structure, struct arena *arena);

/* Writes the structure as a value. */
void fields_write(const struct field *fields, const void *structure, struct json_writer *w);

/* Reads the value that begins with the token into a zeroed structure. Texts are in the arena; lists are the
 * structure's, also after a failure. Returns 0, -EBADMSG where it is not of that form, or -ENOMEM. */
int fields_read(const struct field *fields, struct json_reader *r, const struct json_token *first,
                struct arena *arena, void *structure);

/* The same from a text that is nothing but the structure. */
int fields_read_text(const struct field *fields, struct bytes json, struct arena *arena,
                     void *structure);
