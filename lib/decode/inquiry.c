/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Standard INQUIRY data (inquiry.h).
 */
#include "decode/inquiry.h"

#include <errno.h>

#include "base/cleanup.h"

/* What every standard before SPC-2 calls the standard INQUIRY data: up to PRODUCT REVISION LEVEL.
 * */
enum { INQUIRY_ALWAYS = 36 };

static const struct {
    uint16_t first; /* the value that claims no revision; 31 revisions follow it */
    const char *name;
} STANDARDS[] = {
    { 0x08c0, "FCP" },   { 0x0900, "FCP-2" },   { 0x0940, "SRP" },   { 0x0960, "iSCSI" },
    { 0x0a00, "FCP-3" }, { 0x0a40, "FCP-4" },   { 0x0aa0, "SPI" },   { 0x0ac0, "Fast-20" },
    { 0x0ae0, "SPI-2" }, { 0x0b00, "SPI-3" },   { 0x0b40, "SPI-4" }, { 0x0b60, "SPI-5" },
    { 0x0be0, "SAS" },   { 0x0c00, "SAS-1.1" }, { 0x0c20, "SAS-2" }, { 0x0c40, "SAS-2.1" },
    { 0x0c60, "SAS-3" }, { 0x0c80, "SAS-4" },   { 0x1740, "UAS" },   { 0x1780, "UAS-2" },
    { 0x1ea0, "SAT" },   { 0x1ec0, "SAT-2" },   { 0x1ee0, "SAT-3" }, { 0x1f00, "SAT-4" },
    { 0x20a0, "SPL" },   { 0x20c0, "SPL-2" },   { 0x20e0, "SPL-3" }, { 0x2100, "SPL-4" },
    { 0x2120, "SPL-5" }, { 0x21e0, "SOP" },
};

const char *inquiry_standard_name(uint16_t version_descriptor)
{
    for (size_t i = 0; i < ELEMENTS(STANDARDS); i++)
        if (STANDARDS[i].first == (version_descriptor & 0xffe0))
            return STANDARDS[i].name;
    return NULL;
}

int inquiry_decode(struct bytes data, struct inquiry *ret)
{
    struct inquiry inquiry = { 0 };
    uint8_t byte7, byte56;
    size_t counts;

    if (data.len < INQUIRY_DATA_MIN)
        return -EBADMSG;
    inquiry.qualifier = data.data[0] >> 5;
    inquiry.type = data.data[0] & 0x1f;
    inquiry.removable = data.data[1] & 0x80;
    inquiry.version = data.data[2];
    inquiry.ansi = data.data[2] & 0x07;
    inquiry.response_format = data.data[3] & 0x0f;
    inquiry.length = (uint16_t)(data.data[4] + 5);
    inquiry.multiport = data.data[6] & 0x10;
    byte7 = data.data[7];
    inquiry.wbus32 = byte7 & 0x40;
    inquiry.wbus16 = byte7 & 0x20;
    inquiry.sync = byte7 & 0x10;
    inquiry.cmdque = byte7 & 0x02;

    counts = inquiry.length > INQUIRY_ALWAYS ? inquiry.length : INQUIRY_ALWAYS;
    data = bytes_slice(data, 0, counts);
    inquiry.vendor = bytes_slice(data, 8, 8);
    inquiry.product = bytes_slice(data, 16, 16);
    inquiry.revision = bytes_slice(data, 32, 4);
    byte56 = bytes_at(data, 56);
    inquiry.has_byte56 = data.len > 56;
    inquiry.clocking = (enum inquiry_clocking)(byte56 >> 2 & 0x03);
    inquiry.qas = byte56 & 0x02;
    inquiry.ius = byte56 & 0x01;
    for (size_t i = 0; i < INQUIRY_STANDARDS_MAX && 58 + 2 * i + 2 <= data.len; i++) {
        uint16_t standard = (uint16_t)(data.data[58 + 2 * i] << 8 | data.data[59 + 2 * i]);

        if (standard)
            inquiry.standards[inquiry.n_standards++] = standard;
    }
    *ret = inquiry;
    return 0;
}
