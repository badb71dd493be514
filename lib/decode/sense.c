/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sense data (sense.h).
 */
#include "decode/sense.h"

#include <errno.h>

enum {
    FIXED_HEAD = 8, /* in both formats byte 7 counts the bytes behind itself */
    ASC_INVALID_OPERATION = 0x20,
    ASC_INVALID_FIELD_IN_CDB = 0x24,
    ASC_NOT_READY = 0x04,
    ASCQ_START_REQUIRED = 0x02,
    ASC_LOW_POWER = 0x5e,
    ASCQ_ACTIVE = 0x41,
};

static void decode_fixed(struct bytes data, struct sense *sense)
{
    struct cursor c = cursor_over(data);
    uint32_t information;

    cursor_skip(&c, 3);
    information = cursor_be32(&c);
    sense->key = data.data[2] & 0x0f;
    sense->has_asc = data.len > 12;
    sense->asc = bytes_at(data, 12);
    sense->ascq = bytes_at(data, 13);
    sense->has_information = !c.failed && data.data[0] & 0x80;
    sense->information = sense->has_information ? information : 0;
}

/* The information descriptor (type 00h, SPC-4 4.5.2), the first one in the list. */
static void decode_information(struct bytes descriptors, struct sense *sense)
{
    struct cursor c = cursor_over(descriptors);

    while (cursor_left(&c) >= 2) {
        uint8_t type = cursor_u8(&c);
        struct bytes body = cursor_take_up_to(&c, cursor_u8(&c), NULL);

        if (type == 0x00 && body.len >= 10) {
            struct cursor value = cursor_over(bytes_slice(body, 2, 8));

            sense->has_information = body.data[0] & 0x80;
            sense->information = sense->has_information ? cursor_be64(&value) : 0;
            return;
        }
    }
}

static void decode_descriptors(struct bytes data, struct sense *sense)
{
    sense->key = data.data[1] & 0x0f;
    sense->has_asc = data.len > 2;
    sense->asc = bytes_at(data, 2);
    sense->ascq = bytes_at(data, 3);
    decode_information(bytes_slice(data, FIXED_HEAD, data.len), sense);
}

int sense_decode(struct bytes data, struct sense *ret)
{
    struct sense sense = { 0 };
    uint8_t code;

    if (data.len == 0)
        return -ENODATA;
    code = data.data[0] & 0x7f;
    if (data.len >= FIXED_HEAD)
        data = bytes_slice(data, 0, FIXED_HEAD + (size_t)data.data[7]);
    if (code < 0x70 || code > 0x73 || data.len < (code < 0x72 ? 3 : 2))
        return -EBADMSG;
    sense.deferred = code & 0x01;
    if (code < 0x72)
        decode_fixed(data, &sense);
    else
        decode_descriptors(data, &sense);
    *ret = sense;
    return 0;
}

bool sense_is_unit_attention(const struct sense *sense)
{
    return sense->key == SENSE_UNIT_ATTENTION;
}

bool sense_is_invalid_field(const struct sense *sense)
{
    return sense->key == SENSE_ILLEGAL_REQUEST && sense->has_asc && sense->ascq == 0 &&
           (sense->asc == ASC_INVALID_OPERATION || sense->asc == ASC_INVALID_FIELD_IN_CDB);
}

bool sense_is_low_power(const struct sense *sense)
{
    if (!sense->has_asc)
        return false;
    if (sense->asc == ASC_LOW_POWER)
        return sense->ascq != ASCQ_ACTIVE;
    return sense->key == SENSE_NOT_READY && sense->asc == ASC_NOT_READY &&
           sense->ascq == ASCQ_START_REQUIRED;
}
