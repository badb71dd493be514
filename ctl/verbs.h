/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The verbs of hbactl: a row each, for the command line, --help, and shells that complete it.
 */
#pragma once

#include "ctl/ctl.h"

/* Who can do it. */
enum place { BY_ANYBODY, BY_DAEMON, BY_HBACTL };

struct verb {
    const char *word;
    int least, most;                    /* words behind it */
    int (*run)(const struct request *); /* returns an exit status */
    const char *synopsis; /* with what may stand behind it; complete.h has what shells make of it */
    const char *help;
    enum place place;
};

/* All of them, as --help shows them, that which is meant without a word first; the last one has no word. */
extern const struct verb VERBS[];

/* The row of a verb; NULL: there is none. */
const struct verb *verb_named(const char *word);

/* Prints the help. Returns EXIT_WELL. */
int usage(FILE *out);
