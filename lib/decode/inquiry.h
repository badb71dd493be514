/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Standard INQUIRY data (SPC-4 6.4; the bits of parallel devices in bytes 7 and 56: SPC-2, SPI-4).
 *
 * Of a page of vital product data vpd.h and designator.h know more. What the fields mean for a
 * link (narrow, no DT, …) is not judged here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* CLOCKING of byte 56: which edges a parallel device can transfer on. */
enum inquiry_clocking {
    INQUIRY_CLOCKING_ST = 0, /* single transition only */
    INQUIRY_CLOCKING_DT = 1, /* double transition only */
    INQUIRY_CLOCKING_RESERVED = 2,
    INQUIRY_CLOCKING_ST_DT = 3, /* both */
};

enum {
    INQUIRY_DATA_MIN = 8,      /* fewer bytes say too little to be INQUIRY data */
    INQUIRY_STANDARDS_MAX = 8, /* VERSION DESCRIPTOR fields, bytes 58 to 73 */
};

/* The slices point into the bytes that were decoded, and live as long. */
struct inquiry {
    uint8_t qualifier; /* 0 connected, 1 nothing connected now, 3 no such logical unit */
    uint8_t type; /* PERIPHERAL DEVICE TYPE: 00h disk, 01h tape, 05h CD, 08h changer, 0Dh SES … */
    bool removable;
    uint8_t version;         /* VERSION, all of byte 2 */
    uint8_t ansi;            /* its ANSI part, bits 2:0: 2 is SCSI-2, 3 SPC, 4 SPC-2 … 7 SPC-5 */
    uint8_t response_format; /* RESPONSE DATA FORMAT; below 2 byte 7 was not standardized yet */
    uint16_t length;         /* ADDITIONAL LENGTH + 5: what the device has, not what is here */
    bool multiport;          /* MULTIP */
    bool wbus32;             /* byte 7: 32-bit bus (obsolete since SPI-3) */
    bool wbus16;             /* byte 7: 16-bit bus */
    bool sync;               /* byte 7: synchronous transfer */
    bool cmdque;             /* byte 7: command queuing */
    struct bytes vendor; /* 8 bytes, padded with spaces as the device padded them; short or empty */
    struct bytes product;  /* 16 bytes, likewise                             where data end early */
    struct bytes revision; /* 4 bytes, likewise */

    /* Byte 56, reported by parallel devices since SPI-3. Where has_byte56 is false the device said
     * nothing, and the three fields below are 0. */
    bool has_byte56;
    enum inquiry_clocking clocking;
    bool qas; /* quick arbitrate and select */
    bool ius; /* information units: a hint of Ultra320, no proof (some Ultra160 disks set it) */

    uint8_t n_standards; /* VERSION DESCRIPTORs that are not zero */
    uint16_t standards[INQUIRY_STANDARDS_MAX];
};

/* Decodes standard INQUIRY data.
 *
 * The first 36 bytes count where they are there, whatever ADDITIONAL LENGTH says, because old
 * devices leave it 0 and the kernel takes them too (drivers/scsi/scsi_scan.c, scsi_probe_lun);
 * everything behind them counts only as far as ADDITIONAL LENGTH reaches.
 *
 * Returns 0; -EBADMSG for fewer than INQUIRY_DATA_MIN bytes. A qualifier of 3 is no error here. */
int inquiry_decode(struct bytes data, struct inquiry *ret);

/* The short name of the standard that a VERSION DESCRIPTOR stands for ("SPI-3", "SAS-2.1", "SAT"),
 * whatever its revision; of transports only. NULL for any other standard.
 * Numbers: T10's list of version descriptor values, SPC-4 E.9; the lower five bits are the
 * revision. */
const char *inquiry_standard_name(uint16_t version_descriptor);
