/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * MODE SENSE data (modesense.h).
 */
#include "decode/modesense.h"

#include <errno.h>
#include <string.h>

/* Bytes of the headers, and how many of them MODE DATA LENGTH does not count: its own. */
enum { HEADER_6 = 4, LENGTH_6 = 1, HEADER_10 = 8, LENGTH_10 = 2 };

int modesense_decode(struct bytes data, enum modesense_form form, struct modesense *ret)
{
    size_t header = form == MODESENSE_6 ? HEADER_6 : HEADER_10, descriptors;
    struct cursor c = cursor_over(data);
    struct modesense m = { 0 };

    if (form == MODESENSE_6) {
        m.length = LENGTH_6 + cursor_u8(&c);
        m.medium_type = cursor_u8(&c);
        m.device_specific = cursor_u8(&c);
        descriptors = cursor_u8(&c);
    } else {
        m.length = LENGTH_10 + (uint32_t)cursor_be16(&c);
        m.medium_type = cursor_u8(&c);
        m.device_specific = cursor_u8(&c);
        m.longlba = cursor_u8(&c) & 0x01;
        cursor_skip(&c, 1);
        descriptors = cursor_be16(&c);
    }
    if (c.failed || header + descriptors > m.length)
        return -EBADMSG;
    m.cut = data.len < m.length;
    data = bytes_slice(data, 0, m.length);
    m.descriptors = bytes_slice(data, header, descriptors);
    m.pages = bytes_slice(data, header + descriptors, data.len);
    *ret = m;
    return 0;
}

bool modesense_next(struct modesense_walk *walk, struct mode_page *ret)
{
    struct cursor head = walk->rest;
    struct mode_page p = { 0 };
    uint8_t byte0 = cursor_u8(&head);
    size_t length;

    p.page = byte0 & 0x3f;
    p.savable = byte0 & 0x80;
    if (byte0 & 0x40) {
        p.subpage = cursor_u8(&head);
        length = 4 + (size_t)cursor_be16(&head);
    } else {
        length = 2 + (size_t)cursor_u8(&head);
    }
    if (head.failed)
        return false;
    p.bytes = cursor_take_up_to(&walk->rest, length, &p.cut);
    *ret = p;
    return true;
}

int modesense_find(const struct modesense *modesense, uint8_t page, uint8_t subpage,
                   struct mode_page *ret)
{
    struct modesense_walk walk = { cursor_over(modesense->pages) };
    struct mode_page p;

    while (modesense_next(&walk, &p))
        if (p.page == page && p.subpage == subpage) {
            *ret = p;
            return 0;
        }
    return -ENOENT;
}

static size_t write_header_6(const struct modesense *m, uint32_t length, uint8_t *header)
{
    header[0] = (uint8_t)(length - LENGTH_6);
    header[1] = m->medium_type;
    header[2] = m->device_specific;
    return HEADER_6;
}

static size_t write_header_10(const struct modesense *m, uint32_t length, uint8_t *header)
{
    header[0] = (uint8_t)((length - LENGTH_10) >> 8);
    header[1] = (uint8_t)(length - LENGTH_10);
    header[2] = m->medium_type;
    header[3] = m->device_specific;
    return HEADER_10;
}

int modesense_convert(struct bytes data, enum modesense_form from, uint8_t *out, size_t size)
{
    uint8_t header[HEADER_10] = { 0 };
    size_t n, copied, descriptors;
    struct bytes behind;
    struct modesense m;
    int r = modesense_decode(data, from, &m);

    if (r < 0)
        return r;
    if (from == MODESENSE_6) {
        descriptors = data.data[3];
        n = write_header_10(&m, m.length - HEADER_6 + HEADER_10, header);
        header[7] = (uint8_t)descriptors;
        behind = bytes_slice(data, HEADER_6, m.length - HEADER_6);
    } else {
        descriptors = (size_t)data.data[6] << 8 | data.data[7];
        if (m.longlba && descriptors > 0)
            return -ENOTSUP;
        if (descriptors > UINT8_MAX || m.length - HEADER_10 + HEADER_6 > LENGTH_6 + UINT8_MAX)
            return -EOVERFLOW;
        n = write_header_6(&m, m.length - HEADER_10 + HEADER_6, header);
        header[3] = (uint8_t)descriptors;
        behind = bytes_slice(data, HEADER_10, m.length - HEADER_10);
    }
    n = n < size ? n : size;
    copied = behind.len < size - n ? behind.len : size - n;
    if (n > 0)
        memcpy(out, header, n);
    if (copied > 0)
        memcpy(out + n, behind.data, copied);
    return (int)(n + copied);
}
