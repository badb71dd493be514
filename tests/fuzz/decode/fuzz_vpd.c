/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <errno.h>

#include "decode/identify.h"
#include "decode/vpd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = { data, size }, serial;
    struct vpd_ata ata;
    struct vpd vpd;
    uint16_t rpm;
    int r = vpd_decode(input, bytes_at(input, 1), &vpd);

    CHECK(r == 0 || r == -EBADMSG || r == -ENODATA);
    if (r == 0) {
        CHECK(is_inside(input, vpd.body));
        CHECK(vpd.qualifier != 3);
        CHECK(vpd.code == data[1]);
        CHECK(!vpd.cut || vpd.body.len == size - 4);
        vpd_lists(&vpd, 0x83);
    }
    if (vpd_serial_number(input, &serial) == 0)
        CHECK(is_inside(input, serial) && serial.len > 0);
    if (vpd_ata_information(input, &ata) == 0) {
        CHECK(ata.sat_vendor.len == 8 && is_inside(input, ata.sat_vendor));
        CHECK(ata.sat_product.len == 16 && is_inside(input, ata.sat_product));
        CHECK(ata.sat_revision.len == 4 && is_inside(input, ata.sat_revision));
        CHECK(ata.identify.len == 0 || ata.identify.len == IDENTIFY_SIZE);
        CHECK(is_inside(input, ata.identify));
    }
    if (vpd_rotation(input, &rpm) == 0)
        CHECK(rpm == 0 || (rpm > 0x0400 && rpm < 0xffff));
    return 0;
}
