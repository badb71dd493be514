/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Varlink (varlink.org): a call as JSON text → what it asks for; answers → JSON text. A message is one JSON object and a
 * NUL byte; wire/frame.h takes them apart.
 *
 * Of what the protocol leaves open:
 * - What is no call (no JSON, no `method`, a member of a wrong type or given twice, `more` together with `oneway`) gets
 *   no answer: the connection is to be closed.
 * - Members of a call that are not known here are allowed; arguments of a method that are not known are not.
 * - A reply has `parameters`, always, `continues` where more replies follow, `error` where it is one, and nothing else:
 *   clients refuse what they do not know.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/bytes.h"

struct varlink_call {
    const char *method;      /* "io.hbad.monitor.GetReport" */
    struct bytes parameters; /* the text of the object; empty where none was given */
    bool oneway;             /* no answer is wanted, not even an error */
    bool more;               /* several replies are allowed */
    bool upgrade;            /* another protocol is to be spoken from the answer on */
};

/* Reads a call. Texts are in the arena; `parameters` points into `text`. Returns 0, -ENOMEM, or -EBADMSG for what is no
 * call: then `*ret_why` says it in a few words. */
int varlink_parse(struct bytes text, struct arena *arena, struct varlink_call *ret,
                  const char **ret_why);

enum varlink_type {
    VARLINK_STRING,  /* const char *; NULL where not given */
    VARLINK_BOOL,    /* bool */
    VARLINK_INT,     /* int64_t */
    VARLINK_STRINGS, /* struct varlink_strings; an array of them, none where not given */
};

struct varlink_strings {
    const char *const *v;
    size_t n;
};

/* An argument of a method, and where it goes in a struct. */
struct varlink_argument {
    const char *name;
    enum varlink_type type;
    bool is_optional; /* may be left out, or null: then its field stays as it was */
    size_t offset;
};

/* Rows for an argument that is called as its field is: one that must be there, and one that may. */
#define VARLINK_NEEDED(structure, field, type)                   \
    {                                                            \
#field, (type), false, offsetof(struct structure, field) \
    }
#define VARLINK_OPTIONAL(structure, field, type)                \
    {                                                           \
#field, (type), true, offsetof(struct structure, field) \
    }

/* Fills `target` from the parameters of a call, by a table that ends with a row without a name (NULL: no arguments).
 * Texts are in the arena. Returns 0, -ENOMEM, or -EINVAL: then `*ret_name` (in the arena) is the argument that is missing,
 * unknown, of another type, or given twice. */
int varlink_arguments(struct bytes parameters, struct arena *arena,
                      const struct varlink_argument *table, void *target, const char **ret_name);

/* An answer: between the two, one JSON object is to be written, the parameters. */
void varlink_begin(FILE *out);

/* Ends it, with its NUL. `error` is the full name of the error that it is, NULL where it is none; an error never
 * continues. */
void varlink_end(FILE *out, const char *error, bool continues);

/* An error with one text among its parameters, or none (NULL). */
void varlink_error(FILE *out, const char *error, const char *name, const char *value);
