/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What each finding means, for people: one row a code. Codes are stable; a new kind of finding is a new
 * row.
 */
#pragma once

#include "link/model.h"

enum severity { SEVERITY_NONE, SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_CRITICAL, _SEVERITY_MAX };
const char *severity_to_string(enum severity s);

struct catalog_entry {
    const char *code;
    enum severity severity;                      /* unless its rule says otherwise */
    const char *message_id;                      /* of journal entries: 32 hex digits */
    const char *title;                           /* what it says, without names and values */
    const char *const *causes, *const *remedies; /* NULL at the end */
    const char *not_this;                        /* what it could be confused with */
};

/* All rows; the last one has no code. */
extern const struct catalog_entry CATALOG[];

/* The row of a code; NULL where there is none. */
const struct catalog_entry *catalog_find(const char *code);
