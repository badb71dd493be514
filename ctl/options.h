/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl's options: a row each, for all that reads them, or must know which there are: the command line, --help, shells that
 * complete it.
 */
#pragma once

#include "ctl/ctl.h"

enum option_kind {
    OPTION_FLAG,    /* a bool of the request */
    OPTION_WORD,    /* a const char * of it */
    OPTION_OWN,     /* `take` */
    OPTION_CAPTURE, /* one more of --capture */
    OPTION_HELP,
    OPTION_HEADING, /* none, but a line of the help above those that follow */
};

/* An option without a long name has NULL for it, one without a short one 0. */
struct option_row {
    const char *name;
    char letter;
    /* What its argument is, as synopses write it (complete.h has what shells make of it); NULL: it has none. */
    const char *argument;
    bool may_lack_argument;
    enum option_kind kind;
    size_t offset; /* OPTION_FLAG, OPTION_WORD */
    /* OPTION_OWN: takes it. Returns -1 to go on, else an exit status. */
    int (*take)(struct request *request, const char *word);
    const char *verb;  /* that understands it; NULL: more than two do */
    const char *other; /* and this one; NULL: no other does */
    const char *help;  /* lines; of a heading all of it */
};

/* All of them, as --help shows them; the last one has no help. */
extern const struct option_row OPTIONS[];

/* Takes all options of the command line into the request, and leaves the words at `optind`, also where one was wrong.
 * `captures` has room for every argument. Returns -1 to go on; else the exit status, all was said then. `usage` prints the help. */
int options_take(int argc, char **argv, struct request *request, const char **captures,
                 int (*usage)(FILE *out));

/* Puts an option that is nothing but a word or a yes into the request. Returns false where it is more, and nothing was done. */
bool options_keep(const struct option_row *row, const char *word, struct request *request,
                  const char **captures);

/* Is one given that is for other verbs only? Says so, and returns EXIT_USAGE; else 0. */
int options_check(const struct request *request, const char *verb);

/* Does a verb (NULL: none yet) understand it? */
bool options_is_for(const struct option_row *row, const char *verb);
