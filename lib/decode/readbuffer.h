/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The descriptors of READ BUFFER(10) (SPC-4 6.18, SPC-3 6.15): how much can be read from a device's
 * buffer without touching its medium.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum {
    READBUFFER_MODE_DATA = 0x02,
    READBUFFER_MODE_DESCRIPTOR = 0x03,
    READBUFFER_MODE_ECHO_DESCRIPTOR = 0x0b,
};

/* Answer to mode 03h. */
struct readbuffer {
    bool only_offset_0; /* OFFSET BOUNDARY FFh: reads must begin at 0 */
    uint8_t boundary;   /* reads must begin at multiples of 2^boundary; 0 where only_offset_0 */
    uint32_t capacity;  /* bytes, 24 bits of them; never 0 */
};

/* Returns 0; -EBADMSG for fewer than 4 bytes; -ENODATA where the capacity is 0: no such buffer. */
int readbuffer_decode(struct bytes data, struct readbuffer *ret);

/* Answer to mode 0Bh: the capacity of the echo buffer in bytes, 13 bits of it
 * (drivers/scsi/scsi_transport_spi.c, spi_dv_device_get_echo_buffer). Returns as
 * readbuffer_decode(). */
int readbuffer_echo_capacity(struct bytes data, uint16_t *ret);
