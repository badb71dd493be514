/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <errno.h>

#include "decode/readbuffer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = { data, size };
    struct readbuffer b;
    uint16_t capacity;
    int r = readbuffer_decode(input, &b);

    CHECK(r == 0 || r == (size < 4 ? -EBADMSG : -ENODATA));
    if (r == 0)
        CHECK(b.capacity > 0 && b.capacity < 1 << 24 && (!b.only_offset_0 || b.boundary == 0));
    r = readbuffer_echo_capacity(input, &capacity);
    CHECK(r == 0 || r == (size < 4 ? -EBADMSG : -ENODATA));
    if (r == 0)
        CHECK(capacity > 0 && capacity < 1 << 13);
    return 0;
}
