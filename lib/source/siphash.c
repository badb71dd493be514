/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SipHash-2-4 of siphash.h: two rounds for each eight bytes, four at the end. Constants and rotations
 * are those of the paper, section 2.
 */
#include "source/siphash.h"

#include <stddef.h>

static uint64_t rotated(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

/* Up to eight bytes, the first one lowest. */
static uint64_t little_endian(const uint8_t *p, size_t n)
{
    uint64_t value = 0;

    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

static void rounds(uint64_t v[4], unsigned n)
{
    while (n--) {
        v[0] += v[1];
        v[1] = rotated(v[1], 13) ^ v[0];
        v[0] = rotated(v[0], 32);
        v[2] += v[3];
        v[3] = rotated(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = rotated(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = rotated(v[1], 17) ^ v[2];
        v[2] = rotated(v[2], 32);
    }
}

static void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
}

uint64_t siphash(const uint8_t key[SIPHASH_KEY_BYTES], struct bytes message)
{
    uint64_t k0 = little_endian(key, 8), k1 = little_endian(key + 8, 8);
    uint64_t v[4] = {
        k0 ^ 0x736f6d6570736575,
        k1 ^ 0x646f72616e646f6d,
        k0 ^ 0x6c7967656e657261,
        k1 ^ 0x7465646279746573,
    };
    size_t whole = message.len / 8 * 8;

    for (size_t i = 0; i < whole; i += 8)
        take_word(v, little_endian(message.data + i, 8));
    take_word(v, (uint64_t)message.len << 56 |
                     little_endian(message.data + whole, message.len - whole));
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
