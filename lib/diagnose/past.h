/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The past of a machine, as far as it is that of a report's machine, and what it means for the report's model.
 */
#pragma once

#include "finding/report.h"
#include "link/history.h"
#include "source/source.h"

/* Takes what of the history fits the report's machine and time (link/history.h); a note names what does not. Links that
 * were up and are without anything now are down then, and the model knows which of those that it lacks are not gone for
 * that (`unseen`): the directory of the object is still there, and no other object that was known then has it now; or
 * the lists in which it was found cannot be read any more. The past borrows from the history, whose contents must
 * live as long. Returns 0 or a negative errno. */
int past_take(struct source *source, const struct history *history, struct report *report,
              struct history **ret);
