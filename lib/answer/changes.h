/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the daemon tells a subscriber (Monitor) → a line for each thing that is not as it was. It tells whole hosts; what has
 * changed of them is found here, which goes on working when the daemon was away for a while.
 */
#pragma once

#include <stdio.h>

#include "base/bytes.h"
#include "base/cleanup.h"

struct changes;

/* Nothing is known yet. NULL without memory. */
struct changes *changes_new(void);

/* Takes NULL. Returns NULL. */
struct changes *changes_free(struct changes *c);
DEFINE_CLEANUP(struct changes, changes_free)

/* What comes next is the state, from its beginning. */
void changes_begin(struct changes *c);

/* Takes the parameters of one reply, and writes the lines. Of the first state those are its findings, and how much is watched; of
 * all that follows, what has changed. Returns 0, -ENOMEM, -EBADMSG for what the daemon would not send, -EMSGSIZE where more
 * is there than any machine has. */
int changes_take(struct changes *c, struct bytes parameters, FILE *out);
