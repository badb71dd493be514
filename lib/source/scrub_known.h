/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The identities that a capture is known to hold, and the search for them in any text or bytes: so
 * that a serial number does not stay where no finder (scrub_find.h) looks.
 *
 * Addresses are numbers, so every notation of one finds it. Texts are looked for in letters of either
 * case. How eagerly depends on the text: "ZA100002" is looked for everywhere, "184012" only in udev
 * properties, because replacing a number that merely looks like it would change what the capture says.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "source/scrub_find.h"

struct known;

/* Where is looked: the places a text must be the surer for, the further down. */
enum known_place {
    PLACE_PROP,   /* udev property: texts of 4 characters on */
    PLACE_TEXT,   /* file: texts that are letters and digits, 6 on, as whole words */
    PLACE_NAME,   /* path component, link: 8 on; a wrong replacement would break the tree */
    PLACE_BINARY, /* the same */
};

/* A new, empty set, or NULL without memory. */
struct known *known_new(void);

/* Takes NULL. Returns NULL. */
struct known *known_free(struct known *k);
DEFINE_CLEANUP(struct known, known_free)

/* ---- filling: 0 or -ENOMEM ---- */

/* Learns a span that a finder marked. Guesses are not learned. */
int known_learn(struct known *k, struct bytes value, const struct span *span);

/* Learns a host name, and what stands before the first dot of it. */
int known_learn_host(struct known *k, const char *host);

/* To be called once, after all was learned and before anything is asked. */
void known_seal(struct known *k);

/* What stands in this text is no identity outside the places where finders mark it. */
void known_spare(struct known *k, struct bytes text);

/* ---- asking ---- */

/* The first match that starts at `from` or later and ends at `to` or before; of those that start there
 * the longest. False where there is none. */
bool known_find(const struct known *k, enum known_place place, struct bytes in, size_t from,
                size_t to, struct span *ret);
