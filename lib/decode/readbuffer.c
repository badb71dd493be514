/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The descriptors of READ BUFFER (readbuffer.h).
 */
#include "decode/readbuffer.h"

#include <errno.h>

enum { OFFSET_0_ONLY = 0xff };

int readbuffer_decode(struct bytes data, struct readbuffer *ret)
{
    struct cursor c = cursor_over(data);
    uint8_t boundary = cursor_u8(&c);
    uint32_t capacity = cursor_be24(&c);

    if (c.failed)
        return -EBADMSG;
    if (capacity == 0)
        return -ENODATA;
    *ret = (struct readbuffer){
        .only_offset_0 = boundary == OFFSET_0_ONLY,
        .boundary = boundary == OFFSET_0_ONLY ? 0 : boundary,
        .capacity = capacity,
    };
    return 0;
}

int readbuffer_echo_capacity(struct bytes data, uint16_t *ret)
{
    struct cursor c = cursor_over(data);
    uint16_t capacity;

    cursor_skip(&c, 2);
    capacity = cursor_be16(&c) & 0x1fff;
    if (c.failed)
        return -EBADMSG;
    if (capacity == 0)
        return -ENODATA;
    *ret = capacity;
    return 0;
}
