/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs of hbad-collect that measure: listened to one at a time, with their progress on a terminal. One that says nothing
 * for too long is given up: what it sent is kept, and what it was at gets a result that says so.
 */
#pragma once

#include "ctl/child.h"

/* What is measured in several runs, for people who wait. */
struct progress {
    bool shown;       /* on standard error */
    uint64_t cell_us; /* how long a cell takes as a rule */
    size_t run, runs; /* the one under way, from 0, of so many alike */
};

/* Ready for so many runs: shown where standard error is a terminal. */
struct progress progress_begin(size_t runs, uint64_t cell_us);

/* One run of the program, its results into the store. Returns 0; 1 where it was not complete, which is in the notes then; or a
 * negative errno. */
int measure_run(struct store *store, struct notes *notes, struct progress *progress,
                const char *name, char *const argv[], unsigned patience_s);
