/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rotation rate code that SCSI (VPD page B1h, SBC-3 6.6) and ATA (IDENTIFY word 217) share.
 */
#pragma once

#include <stdint.h>

enum { ROTATION_NONE = 0 }; /* no rotating medium: a solid state device */

/* Returns 0 and the rate in rpm, or ROTATION_NONE; -ENODATA for "not reported" (0000h) and for
 * reserved codes (0002h to 0400h, FFFFh). */
int rotation_rpm(uint16_t code, uint16_t *ret_rpm);
