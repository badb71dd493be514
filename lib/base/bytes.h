/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of bytes, and a cursor that reads it and never leaves it.
 *
 * All decoding of device data goes through the cursor. A read beyond the end gives 0 and sets
 * `failed`, which stays set: a decoder reads a whole structure and asks once, at the end. Lengths
 * found inside the data are given to bytes_take(), which never goes beyond what is there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A borrowed run of bytes; whoever gives it says how long it lives. data may be NULL where len is 0. */
struct bytes {
    const uint8_t *data;
    size_t len;
};

struct cursor {
    const uint8_t *data;
    size_t len;  /* of data */
    size_t pos;  /* of the next byte, <= len */
    bool failed; /* something was read that is not there */
};

/* A cursor at the first byte. */
struct cursor cursor_over(struct bytes bytes);

/* Bytes not read yet; 0 after a failure. */
size_t cursor_left(const struct cursor *c);

/* The next 1, 2, 3, 4 or 8 bytes as an unsigned number, big-endian (SCSI) or little-endian (ATA).
 * 0 and `failed` where they are not all there. */
uint8_t cursor_u8(struct cursor *c);
uint16_t cursor_be16(struct cursor *c);
uint32_t cursor_be24(struct cursor *c);
uint32_t cursor_be32(struct cursor *c);
uint64_t cursor_be64(struct cursor *c);
uint16_t cursor_le16(struct cursor *c);

/* Moves `n` bytes on; fails where they are not all there. */
void cursor_skip(struct cursor *c, size_t n);

/* Goes to byte `pos` counted from the start of the data; fails beyond the end. */
void cursor_seek(struct cursor *c, size_t pos);

/* The next `n` bytes as a run of their own, and moves behind them. Where fewer are left: `failed`,
 * and an empty run. */
struct bytes cursor_take(struct cursor *c, size_t n);

/* The next `n` bytes, or as many as are left: for lengths the data claims and may get wrong.
 * `*ret_short` (may be NULL) tells whether fewer were left. Never fails. */
struct bytes cursor_take_up_to(struct cursor *c, size_t n, bool *ret_short);

/* The byte at `pos`, or 0 where there is none: for a single optional field. */
uint8_t bytes_at(struct bytes b, size_t pos);

/* The run from `pos` on, at most `len` bytes; empty beyond the end. */
struct bytes bytes_slice(struct bytes b, size_t pos, size_t len);

/* Equal in length and content. */
bool bytes_equal(struct bytes a, struct bytes b);
