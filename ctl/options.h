/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbactl's options: a row each, for all that reads them, or must know which there are.
 */
#pragma once

#include "ctl/ctl.h"

/* Takes all options of the command line into the request, and leaves the words at `optind`, also where one was wrong.
 * `captures` has room for every argument. Returns -1 to go on; else the exit status, all was said then. `usage` prints the help. */
int options_take(int argc, char **argv, struct request *request, const char **captures,
                 int (*usage)(FILE *out));

/* Is one given that is for other verbs only? Says so, and returns EXIT_USAGE; else 0. */
int options_check(const struct request *request, const char *verb);
