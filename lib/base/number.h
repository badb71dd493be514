/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers in text, strictly and without the locale: all of the text must be the number.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text as an unsigned number. base 10 or 16; 0 takes "0x…" as 16 and all else as 10, and base
 * 16 allows "0x" in front. No sign, no white space. Returns 0, -EBADMSG where it is no such number,
 * -ERANGE beyond 64 bits. */
int number_u64(const char *text, unsigned base, uint64_t *ret);

/* The whole text as a signed decimal number, "-" allowed in front. Returns as number_u64(). */
int number_i64(const char *text, int64_t *ret);

/* The decimal number at the start of the text, scaled by 10^digits: "12.5 ns" with 3 digits is
 * 12500, the rest " ns". Further fraction digits are dropped. A text without a digit at its start is
 * -EBADMSG, a value beyond 64 bits -ERANGE. ret_rest may be NULL: then the number must be all. */
int number_decimal(const char *text, unsigned digits, uint64_t *ret, const char **ret_rest);

/* Hex digits, white space between bytes allowed, as bytes. Writes at most `size` bytes; returns how
 * many, -EBADMSG for anything that is not hex or half a byte, -E2BIG where `size` is too small. */
int64_t hex_decode(const char *text, size_t len, uint8_t *ret, size_t size);

/* Is the whole text a number by the grammar of JSON (RFC 8259, section 6)? `*ret_integer`: without fraction
 * and exponent. */
bool number_is_json(const char *text, bool *ret_integer);
