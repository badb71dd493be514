/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What each finding means, for people: one row a code. Codes are stable; a new kind of finding is a new
 * row.
 */
#pragma once

#include "link/model.h"

enum severity { SEVERITY_NONE, SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_CRITICAL, _SEVERITY_MAX };
const char *severity_to_string(enum severity s);

enum {
    CATALOG_OF_MODE =
        1
        << 0, /* about how a link runs: what is ignored by the configuration is this, no loss or hang */
    CATALOG_OF_TIME =
        1 << 1, /* about a span of time: over when that has passed, though nothing changes */
    CATALOG_OF_LOSS =
        1
        << 2, /* about what is not there any more, which may be meant so: who says so at the time is believed */

    /* What somebody can acknowledge, one finding at one time: it is info then. What the configuration ignores, all that
     * will ever be, is CATALOG_OF_MODE only. */
    CATALOG_CAN_BE_KNOWN = CATALOG_OF_MODE | CATALOG_OF_LOSS,
};

struct catalog_entry {
    const char *code;
    enum severity severity;                      /* unless its rule says otherwise */
    unsigned flags;                              /* CATALOG_… */
    const char *message_id;                      /* of journal entries: 32 hex digits */
    const char *title;                           /* what it says, without names and values */
    const char *const *causes, *const *remedies; /* NULL at the end */
    const char *not_this;                        /* what it could be confused with */
};

/* All rows; the last one has no code. */
extern const struct catalog_entry CATALOG[];

/* What a finding is about, where that makes its causes other ones, or other ones likelier. */
enum situation {
    SITUATION_ANY,     /* a wire or cable with one device, or what the row says */
    SITUATION_BUS,     /* links that share a bus */
    SITUATION_ONE_BUS, /* one bus of several alike, of which another is free of it */
    SITUATION_SLOT,    /* the slot of an adapter */
    SITUATION_NETWORK, /* the far end is a fabric or network */
    SITUATION_SHARED,  /* all that hang on one thing */
    SITUATION_READS,   /* told by timed reads alone */
};

/* Causes and remedies of a code in a situation. */
struct catalog_variant {
    const char *code;
    enum situation situation;
    const char *const *causes, *const *remedies; /* NULL at the end */
};

/* All variants; the last one has no code. */
extern const struct catalog_variant CATALOG_VARIANTS[];

/* The causes and remedies of a code in a situation; NULL where the row's own hold. */
const struct catalog_variant *catalog_variant(const char *code, enum situation situation);

/* The row of a code; NULL where there is none. */
const struct catalog_entry *catalog_find(const char *code);

/* Who sets a limit that was read there (the `via` of what is allowed), and where: never NULL. */
const char *catalog_limit(const char *via);
