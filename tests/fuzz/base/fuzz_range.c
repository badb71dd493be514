/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any text as a range of a monitoring plugin: one that is taken has its ends in order, and with an @ in front it alerts of exactly
 * the other values.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/range.h"

#define require(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double VALUES[] = { -1e13, -1, -0.5, 0, 1, 2.5, 10, 1e13 };
    char text[64] = "@", *range = text + 1;
    struct range r, other;

    memcpy(range, data, size < sizeof(text) - 2 ? size : sizeof(text) - 2);
    if (range_parse(range, &r) < 0) {
        require(*range == '@' || range_parse(text, &other) < 0);
        return 0;
    }
    require(r.start <= r.end && r.is_inside == (*range == '@'));
    if (r.is_inside)
        return 0;
    require(range_parse(text, &other) == 0);
    for (size_t i = 0; i < sizeof(VALUES) / sizeof(VALUES[0]); i++)
        require(range_alerts(&r, VALUES[i]) != range_alerts(&other, VALUES[i]));
    return 0;
}
