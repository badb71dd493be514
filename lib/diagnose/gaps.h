/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What could not be seen, gathered from the qualities of all facts: a part of diagnose.c.
 */
#pragma once

#include "finding/report.h"

/* Adds to the report one gap a kind of refusal. Returns 0 or -ENOMEM. */
int gaps_find(struct report *report);
