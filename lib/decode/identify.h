/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ATA IDENTIFY DEVICE and IDENTIFY PACKET DEVICE data (ACS-3 7.12; parallel modes: ATA/ATAPI-7):
 * what an ATA device is, what its interface can do, and at what it runs.
 *
 * "Not reported" is never the same value as a report of zero: see each field.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum { IDENTIFY_SIZE = 512, IDENTIFY_WORDS = 256 };

enum { IDENTIFY_NO_MODE = -1 }; /* reported, and no mode is supported, or none selected */

/* Word 93: what the device sees of its parallel cable. */
enum identify_cable {
    IDENTIFY_CABLE_NOT_REPORTED = 0,
    IDENTIFY_CABLE_40 = 1, /* 40 conductors: UDMA mode 2 at most */
    IDENTIFY_CABLE_80 = 2, /* 80 conductors */
};

/* Word 222, bits 15:12. */
enum {
    IDENTIFY_TRANSPORT_PARALLEL = 0x0,
    IDENTIFY_TRANSPORT_SERIAL = 0x1,
    IDENTIFY_TRANSPORT_PCIE = 0xe,
};

struct identify {
    uint16_t word[IDENTIFY_WORDS]; /* all of them, in the host's order */

    /* In reading order, padded with spaces as the device padded them. */
    uint8_t serial[20], firmware[8], model[40];

    bool packet; /* word 0: an ATAPI device */

    /* Word 76; all 0 where it says nothing (0000h, FFFFh, or bit 0 set) and has_sata is false. */
    bool has_sata;
    uint8_t sata_generations; /* bit n: generation n + 1, of 1.5, 3 and 6 Gb/s */
    uint8_t sata_highest;     /* generation 1 to 3; 0 where no bit is set */
    bool ncq;
    /* Word 77: the generation the device runs at, by its own word; 0 not reported (or a word that
     * is not valid). */
    uint8_t sata_current;

    /* Word 88, only where word 53 bit 2 says it is valid. */
    bool has_udma;
    int8_t udma_highest;  /* UDMA 0 to 6, or IDENTIFY_NO_MODE */
    int8_t udma_selected; /* likewise */
    /* Word 63 (FFFFh: not reported). */
    bool has_mwdma;
    int8_t mwdma_highest; /* multiword DMA 0 to 2, or IDENTIFY_NO_MODE */
    int8_t mwdma_selected;
    /* Word 64, only where word 53 bit 1 says it is valid. */
    bool has_pio;
    int8_t pio_highest; /* 4, 3, or IDENTIFY_NO_MODE: not above PIO 2 */

    enum identify_cable cable;

    uint8_t major_version; /* word 80: highest ATA/ATAPI-n, ACS = 8, ACS-2 = 9 …; 0 not reported */
    /* Word 168: 1 is 5.25", 2 3.5", 3 2.5", 4 1.8", 5 smaller …; 0 not reported. */
    uint8_t form_factor;
    bool has_rotation;     /* word 217 */
    uint16_t rotation_rpm; /* ROTATION_NONE (0): solid state */

    /* Word 222 (0000h, FFFFh: not reported). */
    bool has_transport;
    uint8_t transport;           /* IDENTIFY_TRANSPORT_… */
    uint16_t transport_versions; /* bits 11:0, a bit map whose meaning depends on transport */
};

/* Decodes the 512 bytes as the device (or VPD page 89h) gives them, words little-endian.
 * Returns 0; -EBADMSG for any other length; -ENODATA where all bytes are 00h or all FFh: a
 * translation layer that has nothing to tell. */
int identify_decode(struct bytes data, struct identify *ret);

/* Decodes the text that the kernel gives in ata_device/…/id: 256 words of four hex digits, white
 * space between them (drivers/ata/libata-transport.c, show_ata_dev_id). Returns 0; -ENODATA for a
 * text of white space only (no device, a port multiplier), and as above; -EBADMSG for anything else
 * that is not exactly 256 such words. */
int identify_decode_text(struct bytes text, struct identify *ret);
