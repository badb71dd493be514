/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SipHash-2-4: a short keyed hash (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012).
 * Scrubbing draws its replacements from it: without the key nobody can tell which serial number
 * stands behind which replacement by trying them all.
 */
#pragma once

#include <stdint.h>

#include "base/bytes.h"

enum { SIPHASH_KEY_BYTES = 16 };

/* The hash of the message under the key. The same on every machine. */
uint64_t siphash(const uint8_t key[SIPHASH_KEY_BYTES], struct bytes message);
