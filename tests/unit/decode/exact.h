/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes on the heap that end exactly where they end, so that a sanitizer sees a read one byte too
 * far.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/cleanup.h"

/* A copy of the first `len` bytes; the caller frees its data. */
static inline struct bytes exact(const void *data, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);

    if (!copy)
        abort();
    if (len)
        memcpy(copy, data, len);
    return (struct bytes){ copy, len };
}

static inline void exact_done(struct bytes *b)
{
    free((void *)(uintptr_t)b->data);
}

/* A run of bytes that is freed at the end of the scope. */
#define _cleanup_exact_ _cleanup_(exact_done)

/* The whole array as bytes. */
#define BYTES(array)    ((struct bytes){ (array), sizeof(array) })
