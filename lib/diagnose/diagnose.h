/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The main path: a source in, a report out. The stages are called in the order of lib/README.md.
 */
#pragma once

#include "diagnose/gather.h"
#include "finding/report.h"
#include "link/history.h"

/* Gathers from the source and diagnoses. `history` (may be NULL) is what earlier captures of the same
 * machine said. Returns 0 or a negative errno. */
int diagnose(struct source *source, enum level level, const struct history *history,
             struct report **ret);

/* Adds what the source says to the history. Earlier captures first. */
int diagnose_remember(struct source *source, struct history *history);
