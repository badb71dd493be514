/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arena of arena.h: a list of blocks, the newest first; a piece larger than a block gets its own.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGNMENT = _Alignof(max_align_t) };

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(max_align_t) char data[];
};

struct arena {
    struct block *blocks;
    size_t used;
};

struct arena *arena_new(void)
{
    return calloc(1, sizeof(struct arena));
}

static void free_blocks(struct block *blocks)
{
    struct block *next;

    for (struct block *b = blocks; b; b = next) {
        next = b->next;
        free(b);
    }
}

struct arena *arena_free(struct arena *a)
{
    if (!a)
        return NULL;
    free_blocks(a->blocks);
    free(a);
    return NULL;
}

void arena_clear(struct arena *a)
{
    if (!a->blocks)
        return;
    free_blocks(a->blocks->next);
    a->blocks->next = NULL;
    a->blocks->used = 0;
    a->used = 0;
}

/* A new block with room for `size` bytes. One made for a single large piece goes behind the block in use,
 * so that the room left there is not lost. */
static struct block *arena_block(struct arena *a, size_t size)
{
    size_t room = size > BLOCK_BYTES / 4 ? size : BLOCK_BYTES;
    struct block *b;

    if (room > PTRDIFF_MAX - sizeof(*b))
        return NULL;
    b = malloc(sizeof(*b) + room);
    if (!b)
        return NULL;
    b->used = 0;
    b->size = room;
    if (a->blocks && room != BLOCK_BYTES) {
        b->next = a->blocks->next;
        a->blocks->next = b;
    } else {
        b->next = a->blocks;
        a->blocks = b;
    }
    return b;
}

/* A piece of the block, or NULL where it does not fit. */
static char *block_take(struct block *b, size_t size, size_t alignment)
{
    size_t start = (b->used + alignment - 1) / alignment * alignment;

    if (start > b->size || b->size - start < size)
        return NULL;
    b->used = start + size;
    return b->data + start;
}

static char *arena_take(struct arena *a, size_t size, size_t alignment)
{
    char *piece = a->blocks ? block_take(a->blocks, size, alignment) : NULL;
    struct block *b;

    if (!piece) {
        b = arena_block(a, size);
        piece = b ? block_take(b, size, alignment) : NULL;
    }
    if (piece)
        a->used += size;
    return piece;
}

void *arena_alloc(struct arena *a, size_t size)
{
    void *p = arena_take(a, size ? size : 1, ALIGNMENT);

    return p ? memset(p, 0, size) : NULL;
}

char *arena_strndup(struct arena *a, const char *text, size_t len)
{
    char *p = arena_take(a, len + 1, 1);

    if (!p)
        return NULL;
    if (len)
        memcpy(p, text, len);
    p[len] = '\0';
    return p;
}

char *arena_strdup(struct arena *a, const char *text)
{
    return text ? arena_strndup(a, text, strlen(text)) : NULL;
}

struct bytes arena_bytes(struct arena *a, struct bytes b)
{
    char *p = arena_take(a, b.len + 1, 1);

    if (!p)
        return (struct bytes){ 0 };
    if (b.len)
        memcpy(p, b.data, b.len);
    p[b.len] = '\0';
    return (struct bytes){ (uint8_t *)p, b.len };
}

char *arena_vprintf(struct arena *a, const char *format, va_list args)
{
    va_list again;
    char small[256], *p;
    int len;

    va_copy(again, args);
    len = vsnprintf(small, sizeof(small), format, args);
    if (len < 0)
        p = NULL;
    else if ((size_t)len < sizeof(small))
        p = arena_strndup(a, small, (size_t)len);
    else {
        p = arena_take(a, (size_t)len + 1, 1);
        if (p)
            vsnprintf(p, (size_t)len + 1, format, again);
    }
    va_end(again);
    return p;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;
    char *p;

    va_start(args, format);
    p = arena_vprintf(a, format, args);
    va_end(args);
    return p;
}

size_t arena_used(const struct arena *a)
{
    return a->used;
}
