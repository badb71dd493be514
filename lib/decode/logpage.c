/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The walk over log pages (logpage.h).
 */
#include "decode/logpage.h"

#include <errno.h>

int logpage_decode(struct bytes data, struct logpage *ret)
{
    struct cursor c = cursor_over(data);
    uint8_t byte0 = cursor_u8(&c), byte1 = cursor_u8(&c);
    size_t length = cursor_be16(&c);

    if (c.failed)
        return -EBADMSG;
    *ret = (struct logpage){
        .page = byte0 & 0x3f,
        .subpage = byte0 & 0x40 ? byte1 : 0,
        .ds = byte0 & 0x80,
    };
    ret->body = cursor_take_up_to(&c, length, &ret->cut);
    return 0;
}

bool logpage_lists(const struct logpage *list, uint8_t page)
{
    if (list->page != 0 || list->subpage != 0)
        return false;
    for (size_t i = 0; i < list->body.len; i++)
        if ((list->body.data[i] & 0x3f) == page)
            return true;
    return false;
}

bool logpage_next(struct logpage_walk *walk, struct logpage_parameter *ret)
{
    uint16_t code = cursor_be16(&walk->rest);
    uint8_t control = cursor_u8(&walk->rest);
    size_t length = cursor_u8(&walk->rest);

    if (walk->rest.failed)
        return false;
    *ret = (struct logpage_parameter){ .code = code, .control = control };
    ret->value = cursor_take_up_to(&walk->rest, length, &ret->cut);
    return true;
}
