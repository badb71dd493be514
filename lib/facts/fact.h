/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was observed: typed values, each with where it is from and how well it was seen.
 *
 * A subject is a thing the kernel knows by name: a host, a phy, a target, a device. Its facts are
 * filled in once, while machines are gathered, and then only read. A refusal is a fact too: its
 * quality says what kind, and its value is never a zero that could be taken for an answer.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"

enum quality {
    QUALITY_OK,
    QUALITY_SILENT,    /* there, well formed, and says nothing: "Unknown", a field not reported */
    QUALITY_DENIED,    /* EACCES, EPERM of the system: somebody with more rights could see it */
    QUALITY_FAILED,    /* reading it failed: EIO, EINVAL, a transport error */
    QUALITY_REFUSED,   /* the device answered CHECK CONDITION, BUSY, … */
    QUALITY_TIMED_OUT, /* no answer in time */
    QUALITY_MALFORMED, /* there, and not of the form it must have */
    QUALITY_UNASKED,   /* not asked: our own rules (it sleeps, it is a tape, …) */
    _QUALITY_MAX,
    _QUALITY_INVALID = -EINVAL,
};

/* "ok", "silent", "denied", …; NULL outside the enum. */
const char *quality_to_string(enum quality q);

enum fact_type { FACT_NUMBER, FACT_TEXT, FACT_BYTES };

enum fact_kind {
    FACT_IDENTITY,  /* does not change while the thing is the same thing */
    FACT_GAUGE,     /* how it is now */
    FACT_COUNTER,   /* counts up since some time */
    FACT_MEGABYTES, /* what a link has moved, in MB */
    /* Counters that say how well a link does: */
    FACT_ERRORS,      /* what went wrong on it */
    FACT_SOFT_ERRORS, /* what went wrong and was put right by the link itself, and is common */
    FACT_EVENTS,      /* what makes errors that mean nothing: resets, loop initialisations */
};

static inline bool fact_kind_counts(enum fact_kind kind)
{
    return kind >= FACT_COUNTER;
}

/* What a fact is about. Keys are objects: there is no enum of them. Shared ones are in facts/key.h, a
 * transport has its own. Two facts are of the same kind when their keys have the same address. */
struct fact_key {
    const char *name; /* as reports show it, snake_case, unit last */
    enum fact_type type;
    enum fact_kind kind;
};

struct fact {
    const struct fact_key *key;
    const char *origin; /* "spi_transport", "MODE SENSE 19h/03h": constant text */
    union {
        uint64_t number;
        const char *text;
        const uint8_t *data;
    };
    uint32_t len; /* of text or data */
    enum quality quality;
    const char *why; /* with a quality other than OK: errno name, sense, rule; may be NULL */
};

struct subject {
    const char *class_name; /* "sas_phy", "scsi_device", …: constant text */
    const char *name;       /* the kernel's: "phy-1:0" */
    const char *path;       /* canonical path of the device's directory */
    struct subject *host;   /* of the scsi_host it is below; itself for a host; NULL if none */
    struct fact *facts;
    uint32_t n_facts;
    struct subject *next_of_class;
};

struct fact_set;

/* A new, empty set, or NULL without memory. */
struct fact_set *fact_set_new(void);
struct fact_set *fact_set_free(struct fact_set *set);
DEFINE_CLEANUP(struct fact_set, fact_set_free)

/* The set's arena: texts that facts point to live here. */
struct arena *fact_set_arena(struct fact_set *set);

/* Adds a subject; name and path are copied. While it is open, facts can be put, and asked for already;
 * one subject is open at a time, and adding another or fact_set_seal() closes it. Returns NULL without memory. A subject of
 * that class and name that is already there is returned as it is, closed: `*ret_is_new` tells. */
struct subject *fact_set_add(struct fact_set *set, const char *class_name, const char *name,
                             const char *path, struct subject *host, bool *ret_is_new);
int fact_set_seal(struct fact_set *set);

/* Puts a fact on the open subject. All return 0 or -ENOMEM; texts and bytes are copied. A text without a character
 * says nothing: it becomes a refusal of QUALITY_SILENT. */
int fact_put_number(struct fact_set *set, const struct fact_key *key, const char *origin,
                    uint64_t value);
int fact_put_text(struct fact_set *set, const struct fact_key *key, const char *origin,
                  const char *text);
int fact_put_bytes(struct fact_set *set, const struct fact_key *key, const char *origin,
                   struct bytes bytes);
int fact_put_refusal(struct fact_set *set, const struct fact_key *key, const char *origin,
                     enum quality quality, const char *why);

/* The fact of that key with the best quality, the first put among equals; NULL where none is. */
const struct fact *fact_find(const struct subject *s, const struct fact_key *key);

/* The same from one origin (compared as text). */
const struct fact *fact_find_from(const struct subject *s, const struct fact_key *key,
                                  const char *origin);

/* The value where there is one with QUALITY_OK. fact_number() returns whether there is; fact_text() is
 * NULL and fact_bytes() empty without one. */
bool fact_number(const struct subject *s, const struct fact_key *key, uint64_t *ret);
const char *fact_text(const struct subject *s, const struct fact_key *key);
struct bytes fact_bytes(const struct subject *s, const struct fact_key *key);

/* The number, or `fallback` where none was seen. */
uint64_t fact_number_or(const struct subject *s, const struct fact_key *key, uint64_t fallback);

/* How many classes have subjects, and the name of the i-th. */
size_t fact_set_classes(const struct fact_set *set);
const char *fact_set_class(const struct fact_set *set, size_t i);

/* Subjects of a class in the order they were added, by next_of_class; NULL where none is. */
struct subject *fact_set_first(const struct fact_set *set, const char *class_name);

/* The subject of that class and name; NULL where none is. */
struct subject *fact_set_find(const struct fact_set *set, const char *class_name, const char *name);

/* The subject of that class whose name is the component of `path` that begins with `prefix` and is
 * nearest to its end: e.g. the phy, port or end device that a device hangs below. NULL where none is. */
struct subject *fact_set_above(const struct fact_set *set, const char *class_name, const char *path,
                               const char *prefix);
