/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sense data (SPC-4 4.5): why a device refused a command, or what it wants us to know. Fixed format
 * (response codes 70h, 71h) and descriptor format (72h, 73h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* Sense keys (SPC-4, table of sense key values). */
enum {
    SENSE_NO_SENSE = 0x0,
    SENSE_RECOVERED_ERROR = 0x1,
    SENSE_NOT_READY = 0x2,
    SENSE_MEDIUM_ERROR = 0x3,
    SENSE_HARDWARE_ERROR = 0x4,
    SENSE_ILLEGAL_REQUEST = 0x5,
    SENSE_UNIT_ATTENTION = 0x6,
    SENSE_DATA_PROTECT = 0x7,
    SENSE_ABORTED_COMMAND = 0xb,
};

struct sense {
    bool deferred;        /* 71h, 73h: it is about an earlier command */
    uint8_t key;          /* SENSE_… */
    bool has_asc;         /* the data reach that far; else asc and ascq are 0 */
    uint8_t asc;          /* ADDITIONAL SENSE CODE */
    uint8_t ascq;         /* ADDITIONAL SENSE CODE QUALIFIER, 0 where cut off */
    bool has_information; /* INFORMATION is there, and VALID */
    uint64_t information;
};

/* Decodes sense data. What lies behind ADDITIONAL SENSE LENGTH does not count; short data give what
 * they have, the key at least.
 *
 * Returns 0; -ENODATA for no bytes at all; -EBADMSG for another response code (vendor specific, or
 * no sense data), and for data that end before the sense key. */
int sense_decode(struct bytes data, struct sense *ret);

/* A unit attention: the command was not done, and the condition is reported once. */
bool sense_is_unit_attention(const struct sense *sense);

/* The device does not know this command (5/20h/00h) or what was asked with it, like a page it does
 * not have (5/24h/00h): a lasting no, not a failure. */
bool sense_is_invalid_field(const struct sense *sense);

/* The device is stopped (2/04h/02h), or in a low power condition (5Eh with any qualifier but 41h,
 * "power state change to active"; any key): reading from its medium would wake it. Idle conditions
 * count, although some of them keep the medium turning. */
bool sense_is_low_power(const struct sense *sense);
