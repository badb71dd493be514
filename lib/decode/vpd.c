/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages of vital product data (vpd.h).
 */
#include "decode/vpd.h"

#include <errno.h>

#include "decode/identify.h"
#include "decode/rotation.h"

enum {
    HEAD = 4,
    QUALIFIER_NO_UNIT = 3,
    SIGNATURE_SATA = 0x34, /* the type of the register FIS, device to host (SAT-3) */
};

int vpd_decode(struct bytes page, uint8_t code, struct vpd *ret)
{
    struct cursor c = cursor_over(page);
    uint8_t byte0 = cursor_u8(&c), page_code = cursor_u8(&c);
    size_t length = cursor_be16(&c);
    struct vpd vpd = { .qualifier = byte0 >> 5, .type = byte0 & 0x1f, .code = page_code };

    if (c.failed || page_code != code || (code == VPD_SUPPORTED_PAGES && length > UINT8_MAX))
        return -EBADMSG;
    if (vpd.qualifier == QUALIFIER_NO_UNIT)
        return -ENODATA;
    vpd.body = cursor_take_up_to(&c, length, &vpd.cut);
    *ret = vpd;
    return 0;
}

bool vpd_lists(const struct vpd *supported, uint8_t code)
{
    if (supported->code != VPD_SUPPORTED_PAGES)
        return false;
    for (size_t i = 0; i < supported->body.len; i++)
        if (supported->body.data[i] == code)
            return true;
    return false;
}

int vpd_serial_number(struct bytes page, struct bytes *ret)
{
    struct vpd vpd;
    int r = vpd_decode(page, VPD_SERIAL_NUMBER, &vpd);

    if (r < 0)
        return r;
    for (size_t i = 0; i < vpd.body.len; i++)
        if (vpd.body.data[i] != ' ' && vpd.body.data[i] != '\0') {
            *ret = vpd.body;
            return 0;
        }
    return -ENODATA;
}

int vpd_ata_information(struct bytes page, struct vpd_ata *ret)
{
    struct bytes identify;
    struct vpd vpd;
    int r = vpd_decode(page, VPD_ATA_INFORMATION, &vpd);

    if (r < 0)
        return r;
    /* Numbers as SAT counts them, from the page's byte 0 on. */
    if (vpd.body.len + HEAD <= 56)
        return -EBADMSG;
    identify = bytes_slice(vpd.body, 60 - HEAD, IDENTIFY_SIZE);
    *ret = (struct vpd_ata){
        .sat_vendor = bytes_slice(vpd.body, 8 - HEAD, 8),
        .sat_product = bytes_slice(vpd.body, 16 - HEAD, 16),
        .sat_revision = bytes_slice(vpd.body, 32 - HEAD, 4),
        .serial = vpd.body.data[36 - HEAD] == SIGNATURE_SATA,
        .command = vpd.body.data[56 - HEAD],
        .identify = identify.len == IDENTIFY_SIZE ? identify : (struct bytes){ 0 },
    };
    return 0;
}

int vpd_rotation(struct bytes page, uint16_t *ret_rpm)
{
    struct vpd vpd;
    int r = vpd_decode(page, VPD_BLOCK_CHARACTERISTICS, &vpd);

    if (r < 0)
        return r;
    if (vpd.body.len < 2)
        return -ENODATA;
    return rotation_rpm((uint16_t)(vpd.body.data[0] << 8 | vpd.body.data[1]), ret_rpm);
}
