/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The main path: a source in, a report out. The stages are called in the order of lib/README.md.
 */
#pragma once

#include "config/config.h"
#include "diagnose/gather.h"
#include "finding/life.h"
#include "finding/report.h"
#include "link/history.h"

struct diagnose_options {
    enum level level;
    const struct history *history;               /* what earlier captures said; may be NULL */
    const struct config *config;                 /* what its administrator says; may be NULL */
    const struct acknowledgements *acknowledged; /* what somebody knows of; may be NULL */
    /* Directories with '/' at their ends: what the hosts below them, and all behind those, count was read long before the
     * rest. Ends with NULL; may be NULL. */
    const char *const *unread;
};

/* Gathers from the source and diagnoses. Of the history, what is of another machine or was taken later is not used, and
 * a note says so. The report keeps nothing of the options. Returns 0 or a negative
 * errno. */
int diagnose(struct source *source, const struct diagnose_options *options, struct report **ret);

/* What a source says, without expectation and judgement: the report (zeroed before) gets its facts, its model and
 * when it was taken. `config` may be NULL; of it, what is said of hosts counts. Returns 0 or a negative errno; the report is
 * to be freed in either case. */
int diagnose_observe(struct source *source, const struct gather_options *options,
                     const struct config *config, struct report *report);

/* Adds what the source says to the history; `name`: what notes call it, may be NULL. */
int diagnose_remember(struct source *source, const char *name, struct history *history);
