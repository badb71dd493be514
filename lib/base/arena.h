/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that is given out piece by piece and freed at once: for facts, models and reports, whose
 * parts point at each other and die together. The pieces never move.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/cleanup.h"

struct arena;

/* A new, empty arena, or NULL without memory. */
struct arena *arena_new(void);

/* Frees the arena and every piece of it. Takes NULL. Returns NULL. */
struct arena *arena_free(struct arena *a);
DEFINE_CLEANUP(struct arena, arena_free)

/* Forgets all pieces and keeps one block for those to come. */
void arena_clear(struct arena *a);

/* `size` zeroed bytes, aligned for any object, or NULL without memory. */
void *arena_alloc(struct arena *a, size_t size);

/* `n` zeroed objects of TYPE. */
#define arena_new_array(arena, type, n) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* A copy of the text (of its first `len` bytes, `text` may be NULL for none), NUL behind it; NULL without memory.
 * arena_strdup(a, NULL) is NULL. */
char *arena_strdup(struct arena *a, const char *text);
char *arena_strndup(struct arena *a, const char *text, size_t len);

/* A copy of the bytes with a NUL behind them. data is NULL without memory. */
struct bytes arena_bytes(struct arena *a, struct bytes b);

/* Formatted text; NULL without memory. */
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Bytes given out so far (without what alignment wastes): for benchmarks. */
size_t arena_used(const struct arena *a);
