/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the daemon wants remembered, and what it asks of its memory: the messages to the writer (daemon/writer.h),
 * as structures and as JSON.
 *
 * A message is one JSON object on one line, {"n": 17, "KIND": {…}}; members that say nothing (null, 0, false, an
 * empty list) are left out, and such that the reader does not know are skipped. Pure: no I/O, no clock.
 */
#pragma once

#include "base/bytes.h"
#include "daemon/look.h"
#include "finding/life.h"

enum record_kind {
    RECORD_LOOK,        /* how objects and counters are since a look */
    RECORD_FINDING,     /* a finding is new, or is otherwise than before */
    RECORD_ACKNOWLEDGE, /* somebody knows of a finding, or takes that back */
    RECORD_MEASURE,     /* what a probe measured */
    RECORD_THIN,        /* forget what is old */
    RECORD_QUERY,       /* what is remembered of an object? */
    RECORD_LOAD,        /* what does the daemon need at its start? */
    _RECORD_KIND_MAX,
};

/* "look", "finding", "acknowledge", "measure", "thin", "query", "load". */
const char *record_kind_to_string(enum record_kind kind);
int record_kind_from_string(const char *word);

struct measure_record {
    uint64_t at_us;
    const char *device_id, *method;
    uint64_t block_bytes, kb_per_s;
    uint64_t median_us; /* of one read; 0: not known */
};

/* What is remembered of the object of that id from then on: at most so many rows of each kind, the newest. */
struct query_record {
    const char *id;
    uint64_t since_us;
    uint64_t most;
};

/* What the judge needs of the past: see history_db_load(). */
struct load_record {
    uint64_t now_us;
    uint64_t span_us; /* in which every change counts */
    uint64_t step_us; /* and else one look in so long */
};

struct record {
    enum record_kind kind;
    uint64_t n; /* its number: answers name it */
    union {
        struct look look;
        struct finding_record finding;
        struct acknowledgement acknowledge;
        struct measure_record measure;
        struct {
            uint64_t now_us;
        } thin;
        struct query_record query;
        struct load_record load;
    };
};

/* Frees the lists; the texts are not the record's. Takes a zeroed one. */
void record_done(struct record *record);

/* Writes it as one line of JSON without a newline. */
void record_write(const struct record *record, FILE *out);

/* Reads one. Texts are in the arena. Returns 0, -EBADMSG where it is no such message, or -ENOMEM. */
int record_read(struct bytes json, struct arena *arena, struct record *ret);

/* The fields of a finding, of an acknowledgement, and of each of the others. */
extern const struct field FINDING_FIELDS[], ACKNOWLEDGEMENT_FIELDS[];
const struct field *record_fields(enum record_kind kind);

/* Is there all that a record of its kind must say: ids, keys, names? */
bool record_is_complete(const struct record *record);
