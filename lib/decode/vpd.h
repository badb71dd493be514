/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages of vital product data (SPC-4 7.8): the head, and pages 00h (which pages there are), 80h
 * (serial number), 89h (ATA information, SAT-3 12.4) and B1h (block device characteristics, SBC-3).
 * Page 83h: designator.h.
 *
 * "page" is everywhere the page from its byte 0 on, as INQUIRY or sysfs gives it. Slices point into
 * it. Where a function takes a page, -EBADMSG and -ENODATA of vpd_decode() apply to it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum {
    VPD_SUPPORTED_PAGES = 0x00,
    VPD_SERIAL_NUMBER = 0x80,
    VPD_DEVICE_IDENTIFICATION = 0x83,
    VPD_ATA_INFORMATION = 0x89,
    VPD_BLOCK_CHARACTERISTICS = 0xb1,
};

struct vpd {
    uint8_t qualifier; /* PERIPHERAL QUALIFIER, not 3 */
    uint8_t type;      /* PERIPHERAL DEVICE TYPE */
    uint8_t code;      /* PAGE CODE */
    struct bytes body; /* behind the head, cut at PAGE LENGTH or where data end */
    bool cut;          /* data end before PAGE LENGTH does */
};

/* Reads the head of a page that must be `code`.
 *
 * Returns 0; -EBADMSG for fewer than 4 bytes, for another page code (a device that does not know
 * EVPD answers with standard INQUIRY data), and for a page 00h of 256 bytes or more (there byte 2
 * gives that away); -ENODATA where the qualifier says that there is no such logical unit. */
int vpd_decode(struct bytes page, uint8_t code, struct vpd *ret);

/* Does page 00h list this page? */
bool vpd_lists(const struct vpd *supported, uint8_t code);

/* Page 80h: the serial number as the device padded it. Returns 0; -ENODATA where it is empty, or
 * all spaces or NULs, by which a device says that it has none (SPC-4 7.8). */
int vpd_serial_number(struct bytes page, struct bytes *ret);

/* Page 89h. */
struct vpd_ata {
    struct bytes sat_vendor;   /* 8 bytes: who translates SCSI to ATA, padded with spaces */
    struct bytes sat_product;  /* 16 bytes */
    struct bytes sat_revision; /* 4 bytes */
    bool serial;               /* the device signature is a SATA one (34h); else parallel ATA */
    uint8_t command;           /* ECh IDENTIFY DEVICE, A1h IDENTIFY PACKET DEVICE */
    struct bytes identify; /* 512 bytes for identify_decode(); empty where they are not all there */
};

/* Returns 0; -EBADMSG where the page ends before the command code (byte 56). */
int vpd_ata_information(struct bytes page, struct vpd_ata *ret);

/* Page B1h: the rotation rate in rpm, ROTATION_NONE (0, rotation.h) for a solid state device.
 * Returns 0; -ENODATA where it is not reported (or reserved, or the page too short to say it). */
int vpd_rotation(struct bytes page, uint16_t *ret_rpm);
