/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The head of mode page 19h (protopage.h).
 */
#include "decode/protopage.h"

#include <errno.h>

int protopage_decode(struct bytes page, struct protopage *ret)
{
    struct cursor c = cursor_over(page);
    struct protopage p = { 0 };
    uint8_t byte0 = cursor_u8(&c);
    bool spf = byte0 & 0x40;
    size_t length, at;

    if ((byte0 & 0x3f) != PROTOPAGE_CODE)
        return -EBADMSG;
    if (spf) {
        p.subpage = cursor_u8(&c);
        length = 4 + (size_t)cursor_be16(&c);
        at = 5;
    } else {
        length = 2 + (size_t)cursor_u8(&c);
        at = 2;
    }
    p.bytes = bytes_slice(page, 0, length);
    p.cut = p.bytes.len < length;
    if (c.failed || p.bytes.len <= at)
        return -EBADMSG;
    p.protocol = p.bytes.data[at] & 0x0f;
    *ret = p;
    return 0;
}

int protopage_expect(struct bytes page, uint8_t protocol, uint8_t subpage, size_t size,
                     struct protopage *ret)
{
    struct protopage p;
    int r = protopage_decode(page, &p);

    if (r < 0)
        return r;
    if (p.protocol != protocol)
        return -ENOTSUP;
    if (p.subpage != subpage || p.bytes.len < size)
        return -EBADMSG;
    *ret = p;
    return 0;
}
