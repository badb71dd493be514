/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The binary device object store (usbbos.h).
 */
#include "decode/usbbos.h"

#include <errno.h>

/* USB 3.2 tables 9-6 and 9-14. */
enum { DESCRIPTOR_BOS = 0x0f, DESCRIPTOR_CAPABILITY = 0x10 };
enum { CAPABILITY_SUPERSPEED = 0x03, CAPABILITY_SUPERSPEED_PLUS = 0x0a };

/* A sublink speed attribute (table 9-20): an exponent of 1000 in bits 5:4, the mantissa in 31:16. */
static uint64_t sublink_bps(uint32_t attribute)
{
    uint64_t bps = attribute >> 16;

    for (unsigned i = attribute >> 4 & 0x3; i; i--)
        bps *= 1000;
    return bps;
}

static uint32_t le32(struct cursor *c)
{
    uint32_t low = cursor_le16(c);

    return low | (uint32_t)cursor_le16(c) << 16;
}

/* Both capabilities: their bytes from behind the type on. */
static void decode_superspeed(struct bytes body, struct usbbos *bos)
{
    struct cursor c = cursor_over(body);
    uint16_t speeds;

    cursor_skip(&c, 1); /* bmAttributes */
    speeds = cursor_le16(&c);
    if (c.failed)
        return;
    bos->has_superspeed = true;
    bos->speeds = speeds & (USBBOS_LOW | USBBOS_FULL | USBBOS_HIGH | USBBOS_SUPER);
}

static void decode_plus(struct bytes body, struct usbbos *bos)
{
    struct cursor c = cursor_over(body);
    unsigned sublinks, lanes;
    uint64_t best = 0;

    cursor_skip(&c, 1); /* reserved */
    sublinks = (le32(&c) & 0x1f) + 1;
    lanes = cursor_le16(&c) >> 8 & 0xf;
    cursor_skip(&c, 2); /* reserved */
    for (unsigned i = 0; i < sublinks; i++) {
        uint64_t bps = sublink_bps(le32(&c));

        best = bps > best ? bps : best;
    }
    if (c.failed)
        return;
    bos->has_plus = true;
    bos->lane_bps = best;
    bos->min_lanes = (uint8_t)(lanes > 1 ? lanes : 1);
}

int usbbos_decode(struct bytes data, struct usbbos *ret)
{
    struct cursor c = cursor_over(data);
    struct usbbos bos = { .min_lanes = 1 };
    uint8_t len = cursor_u8(&c), type = cursor_u8(&c);

    if (c.failed || len < 5 || len > data.len || type != DESCRIPTOR_BOS)
        return -EBADMSG;
    bos.is_cut = (size_t)(data.data[2] | data.data[3] << 8) > data.len;
    cursor_seek(&c, len);
    while (cursor_left(&c) >= 3) {
        uint8_t capability;
        struct bytes body;

        len = cursor_u8(&c);
        type = cursor_u8(&c);
        capability = cursor_u8(&c);
        if (len < 3)
            break;
        body = cursor_take(&c, len - 3u);
        if (c.failed)
            break;
        if (type == DESCRIPTOR_CAPABILITY && capability == CAPABILITY_SUPERSPEED)
            decode_superspeed(body, &bos);
        else if (type == DESCRIPTOR_CAPABILITY && capability == CAPABILITY_SUPERSPEED_PLUS)
            decode_plus(body, &bos);
    }
    *ret = bos;
    return 0;
}
