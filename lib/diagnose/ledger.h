/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ledger: what was sent to each device, counted from what a capture holds.
 */
#pragma once

#include "finding/report.h"
#include "source/store.h"

/* Adds to the report what was sent, by the commands and timed reads of the store. What could not be sent (it has an
 * errno other than ETIMEDOUT: then it was, and nobody answered) is not counted. Returns 0 or -ENOMEM. */
int ledger_take(const struct store *store, struct report *report);
