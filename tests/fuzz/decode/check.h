/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the fuzz targets of the decoders have in common.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run where an invariant does not hold; assert() is off in release builds. */
#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

/* Is the slice part of the input? The empty one is. */
static inline bool is_inside(struct bytes input, struct bytes slice)
{
    uintptr_t from = (uintptr_t)input.data, at = (uintptr_t)slice.data;

    if (slice.len == 0)
        return true;
    return at >= from && slice.len <= input.len && at - from <= input.len - slice.len;
}
