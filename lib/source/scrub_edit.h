/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One value scrubbed: what finders marked in it and whatever known identity is in the rest replaced.
 */
#pragma once

#include <stdint.h>

#include "base/bytes.h"
#include "base/vec.h"
#include "source/scrub_find.h"
#include "source/scrub_known.h"
#include "source/scrub_map.h"

/* What every host is called. */
#define SCRUB_HOST "host-1"

/* Room that is used for one value after the other; freed by the caller. All zero at first. */
struct scrub_edit {
    struct spans edits;
    VEC(uint8_t) out;
};

/* The value with its identities replaced, in e->out until the next call. The length is the same but for
 * host names and IP addresses, which are in no binary data. Returns 0 or -ENOMEM. */
int scrub_edit(struct scrub_edit *e, const struct scrub_key *key, const struct known *known,
               enum known_place place, struct bytes in, const struct spans *spans,
               struct bytes *ret);

void scrub_edit_done(struct scrub_edit *e);
