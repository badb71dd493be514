/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A look at the machine as what is different since the look before: the form in which the past is written, kept
 * and given back.
 *
 * A daemon that looks every minute would fill any disk with snapshots (link/history.h), which say the same nearly
 * always. So a look names only the objects that are new or otherwise than before, those that are gone, and counters
 * that have another value. look_between() makes it from two snapshots, look_apply() makes the snapshot again from the
 * one before: what a look does not name is shared with that one and takes no more memory.
 *
 * Pure: no I/O, no clock.
 */
#pragma once

#include "daemon/fields.h"
#include "link/history.h"

/* What an object is. The numbers are in databases: none is ever given another meaning. */
enum object_kind {
    OBJECT_LINK = 0,
    OBJECT_HOST = 1,
    OBJECT_REMOTE = 2,
    OBJECT_DEVICE = 3,
    _OBJECT_KIND_MAX,
};

/* Also of those: the kinds of counters, as facts/fact.h has them: "counter", "megabytes", "errors", "soft-errors",
 * "events". counter_kind_from_string() returns an enum fact_kind, or -EINVAL for any other word. */
const char *object_kind_to_string(enum object_kind kind);
int object_kind_from_string(const char *word);
const char *counter_kind_to_string(enum fact_kind kind);
int counter_kind_from_string(const char *word);

/* An object as it is from this look on. */
struct look_object {
    enum object_kind kind;
    const char *id;
    bool is_gone;       /* it is not there any more; the rest is empty */
    struct sample link; /* OBJECT_LINK; without counters, they have their own list */
    struct past other;  /* the other kinds */
};

/* A counter's value from this look on. */
struct look_count {
    const char *link_id, *name;
    enum fact_kind kind;
    uint64_t value;
    bool
        is_late; /* it was not read in the look before: how it grew is not of the time between the two */
};

struct look {
    uint64_t wall_us, mono_us; /* when; wall_us 0: not known */
    /* The look before, in which all was as was said until then: what ends with this one held until there. 0: there was
     * none, or what it saw was lost on the way. */
    uint64_t before_us, before_mono_us;
    const char *hostname; /* NULL where not known */
    bool is_whole;        /* whatever is not named here is not there */
    VEC(struct look_object) objects;
    VEC(struct look_count) counts;
    VEC(struct past_measure) measures; /* only in what a database gives back */
};

/* What there is to say of a link as it was (without id and counters), and of any other object (without id). */
extern const struct field SAMPLE_FIELDS[], PAST_FIELDS[];

/* The fields of what an object of that kind is, and where that is in an object of a look. */
const struct field *object_fields(enum object_kind kind);
void *object_of(struct look_object *object);
const void *object_of_const(const struct look_object *object);

/* A look, with all that is in it. */
extern const struct field LOOK_FIELDS[];

/* Frees the lists; the texts are not the look's. Takes a zeroed one. */
void look_done(struct look *look);

/* What is different in `after`. With `before` NULL the look is whole. Texts are borrowed from both, whose history must
 * live as long. Measures are not looked at. Returns 0 or -ENOMEM; `*ret` is zeroed then. */
int look_between(const struct snapshot *before, const struct snapshot *after, struct look *ret);

/* Is nothing different? */
bool look_is_quiet(const struct look *look);

/* Adds the snapshot that the look makes of the newest one of the history (of none where the look is whole or the
 * history is empty). All texts are copied. What is the same as before is shared with the snapshot before.
 * Counters get keys of the history's own: what asks for one by its key finds it by name and kind
 * (sample_counter()). Returns 0 or -ENOMEM, the history is as it was then. */
int look_apply(struct history *h, const struct look *look);
