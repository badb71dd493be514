/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is remembered of an object: how it was and when, how its counters grew, what probes measured, what was found of it, and
 * who knows of that. Free of where it is kept (daemon/history.h) and of how it is shown (output/output.h).
 *
 * Times are microseconds since 1970.
 */
#pragma once

#include "finding/finding.h"
#include "link/model.h"

/* The life of a finding. The numbers are in databases. */
enum finding_life {
    FINDING_NEW = 0,       /* seen, and waits to be seen again */
    FINDING_CONFIRMED = 1, /* it holds */
    FINDING_CLEARED = 2,   /* it holds no more; `until_us` says since when */
    _FINDING_LIFE_MAX,
};
const char *finding_life_to_string(enum finding_life life);
int finding_life_from_string(const char *word);

/* A finding from `since_us` on. Its key says which it is as long as it lives: the same key with another `since_us` is
 * a finding that came back. */
struct finding_record {
    const char *key;
    uint64_t since_us;
    const char *code;
    enum severity severity;
    enum finding_life life;
    uint64_t changed_us; /* when it became what it is now */
    uint64_t until_us;   /* of a cleared one; else 0 */
    const char *summary;
    VEC(const char *) subjects; /* ids */
    VEC(const char *) names;    /* what people call them */
};

/* Does the key name the finding? A finding's key is its code, a blank, and its first subject: what tells it apart from all
 * others of its time. */
bool finding_has_key(const struct finding *f, const char *key);

/* The key of such a finding, to be freed; NULL without memory. */
char *finding_key(const char *code, const char *subject);

/* Somebody knows of the finding of that key. */
struct acknowledgement {
    const char *key;
    const char *reason; /* NULL: it is taken back, the rest is empty */
    const char *by;
    uint64_t at_us;
    uint64_t until_us; /* 0: for good */
};

/* Can it be a reason: a line of text, valid UTF-8 without control characters (C0, DEL, C1), of at most so many bytes? It goes
 * to terminals, into tables and the journal. */
enum { ACKNOWLEDGEMENT_REASON_MAX = 1000 };
bool acknowledgement_is_reason(const char *text);

struct acknowledgements {
    VEC(struct acknowledgement) list;
};

/* The one of that key that is in force at that time; NULL: there is none. The list may be NULL. */
const struct acknowledgement *acknowledgement_of(const struct acknowledgements *all,
                                                 const struct finding *f, uint64_t wall_us);

/* How an object was. */
struct history_change {
    uint64_t since_us;
    uint64_t until_us; /* 0: it is so still */
    const char *kind;  /* "link", "host", "remote", "device" */
    enum link_state state;
    bool is_up; /* of what is no link */
    bool known; /* the rate is */
    const char *label;
    uint32_t lanes;
    uint64_t kb_per_s; /* of all lanes */
    const char *far, *far_id, *kernel_name;
    uint64_t left_out; /* so many changes before this one are not kept any more */
};

/* How much a counter grew between two times. */
struct history_growth {
    const char *name;
    uint64_t from_us, at_us, value, grown;
    bool is_unknown; /* how much is not known: it began anew */
};

/* What probes measured: one, or the sum of several. */
struct history_probe {
    uint64_t at_us;
    const char *method;
    uint64_t block_bytes, n, kb_per_s, least_kb_per_s, most_kb_per_s;
    uint64_t median_us, least_median_us, most_median_us; /* of one read; 0: not known */
};

/* What is remembered of an object. */
struct history_answer {
    struct arena *arena;
    VEC(struct history_change) changes; /* each list oldest first */
    VEC(struct history_growth) growths;
    VEC(struct history_probe) probes;
    VEC(struct finding_record) findings;
    VEC(struct acknowledgement) acknowledgements; /* of these findings, and of the object */
    bool is_cut;                                  /* there is more than was asked for */
};
