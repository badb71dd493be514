/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A table that keeps each byte string once and names it by a 32-bit number. Ten thousand devices say
 * "1\n" and "running\n" in the same files: a capture of 27 MB has a few MB of different strings.
 */
#pragma once

#include <stdint.h>

#include "base/bytes.h"
#include "base/cleanup.h"

struct strtab;

/* Longest string the table keeps, in bytes. */
enum { STRTAB_STRING_MAX = 1024 * 1024 - 16 };

/* A string that is not in the table. */
#define STRTAB_NONE UINT32_MAX

/* A new, empty table, or NULL without memory. */
struct strtab *strtab_new(void);

/* Takes NULL. Returns NULL. */
struct strtab *strtab_free(struct strtab *t);
DEFINE_CLEANUP(struct strtab, strtab_free)

/* Puts the string in, unless it is there, and gives its number. Returns 0, -ENOMEM, or -E2BIG for a
 * string longer than STRTAB_STRING_MAX. */
int strtab_put(struct strtab *t, struct bytes string, uint32_t *ret_id);

/* The number of the string, or STRTAB_NONE where it was never put in. */
uint32_t strtab_find(const struct strtab *t, struct bytes string);

/* The string of a number that strtab_put() gave: valid until the table is freed, a NUL behind it. */
struct bytes strtab_get(const struct strtab *t, uint32_t id);

/* The same as C text (cut at the first NUL in it, as C reads it). */
const char *strtab_text(const struct strtab *t, uint32_t id);
