/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rotation rate code (rotation.h).
 */
#include "decode/rotation.h"

#include <errno.h>

int rotation_rpm(uint16_t code, uint16_t *ret_rpm)
{
    if (code != 0x0001 && (code <= 0x0400 || code == 0xffff))
        return -ENODATA;
    *ret_rpm = code == 0x0001 ? ROTATION_NONE : code;
    return 0;
}
