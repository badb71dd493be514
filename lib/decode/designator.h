/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * VPD page 83h, device identification (SPC-4 7.8): the names a device gives to its logical unit, to
 * the port it was asked through, and to itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum designator_association {
    DESIGNATOR_UNIT = 0,
    DESIGNATOR_PORT = 1,
    DESIGNATOR_TARGET = 2,
    DESIGNATOR_ASSOCIATION_RESERVED = 3,
};

enum designator_type {
    DESIGNATOR_VENDOR = 0x0,
    DESIGNATOR_T10 = 0x1,
    DESIGNATOR_EUI64 = 0x2,
    DESIGNATOR_NAA = 0x3,
    DESIGNATOR_RELATIVE_PORT = 0x4,
    DESIGNATOR_PORT_GROUP = 0x5,
    DESIGNATOR_UNIT_GROUP = 0x6,
    DESIGNATOR_MD5 = 0x7,
    DESIGNATOR_NAME = 0x8, /* SCSI name string */
    DESIGNATOR_PROTOCOL_PORT = 0x9,
    DESIGNATOR_UUID = 0xa,
    /* Bh to Fh are reserved. */
};

struct designator {
    enum designator_association association;
    uint8_t type;      /* enum designator_type */
    uint8_t code_set;  /* 1 binary, 2 ASCII, 3 UTF-8 */
    bool has_protocol; /* PIV, which counts for ports and targets only */
    uint8_t protocol;  /* PROTOCOL_… of protopage.h */
    struct bytes id;   /* the DESIGNATOR itself, a slice of the page */
};

struct designator_walk {
    struct cursor rest;
    bool cut; /* something is there behind the last designator that is none, or not in full */
};

/* Starts a walk over page 83h, given from its byte 0 on. Returns as vpd_decode(). */
int designator_walk(struct bytes page, struct designator_walk *ret);

/* The next designator: true and *ret set, or false behind the last one that is there in full. */
bool designator_next(struct designator_walk *walk, struct designator *ret);

/* Long enough for the name of any designator: 255 bytes, each as \ooo, "t10." and a NUL. */
enum { DESIGNATOR_NAME_MAX = 4 + 4 * 255 + 1 };

/* Writes a name the way the kernel's sysfs attribute wwid does (drivers/scsi/scsi_lib.c,
 * scsi_vpd_lun_id): "naa.5000c5003011cb2b", "eui.0025385171b01f4e", "t10.ATA     ST380013AS …", or
 * the SCSI name string as it is. What is not printable ASCII becomes \n, \t, \0 or \ooo as there;
 * in a SCSI name string that is valid UTF-8, other characters stay, and NULs at its end go.
 *
 * Returns the length, without the NUL behind it; -ENODATA for an empty designator, and for types
 * and lengths that the kernel has no form for; -E2BIG where `size` is too small (`ret` may hold
 * anything then). */
int designator_format(const struct designator *designator, char *ret, size_t size);

/* The logical unit's best name, formatted as above. Best is what the kernel (5.10 and later) takes
 * for wwid: SCSI name string, then NAA 6h, EUI-64 of 16 and of 12 bytes, NAA 5h, NAA 4h, EUI-64 of
 * 8 bytes, then T10 vendor identification and NAA 3h; of equals the last, and no text that is
 * shorter than what was found before. NAA 2h, which the kernel does not take, comes after all of
 * these.
 *
 * Returns the length; -ENODATA where there is none of these; -E2BIG where `size` is too small;
 * -EBADMSG and -ENODATA as vpd_decode(). */
int designator_unit_name(struct bytes page, char *ret, size_t size);

/* What the page says about the port that it was asked through. */
struct designator_port {
    bool has_naa; /* there is an NAA designator of 8 bytes; naa is the first of them */
    uint64_t naa; /* on SAS the port's SAS address, on FC its WWPN */
    bool has_relative;
    uint16_t relative; /* RELATIVE TARGET PORT IDENTIFIER: the parameter code of log page 18h */
    bool has_group;
    uint16_t group; /* TARGET PORT GROUP */
};

/* Returns 0, also where nothing is said about the port; -EBADMSG and -ENODATA as vpd_decode(). */
int designator_port(struct bytes page, struct designator_port *ret);
