/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an identity becomes: the pure functions behind scrubbing.
 *
 * Each is a permutation chosen by the key, so equal identities stay equal, different ones stay
 * different, and nothing but the key is needed to map the same identity alike in another capture of
 * the same machine. Whatever shows what kind of thing it is stays: the length, which characters are
 * digits and which letters, the NAA and the OUI of an address. So do the low eight bits of an address:
 * a disk's ports are its own address plus 1 and 2, an expander's phys its address plus their number,
 * and within 256 neighbours stay neighbours.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* Chooses the replacements. Captures scrubbed with one key can be compared with each other. */
struct scrub_key {
    uint8_t bytes[16];
};

/* Is it a 64-bit identifier (SAS address, World Wide Name, EUI-64)? Not where there is no OUI in it, as
 * in 0 and in all ones. */
bool scrub_is_wwn(uint64_t wwn);

/* A 64-bit identifier. The upper 28 bits (NAA and OUI of NAA 5 and 6, SPC-4 7.8.6.6; OUI of EUI-64)
 * stay, of NAA 1 and 2, which hold a MAC address, the upper 40. What is no identifier comes back as it
 * is. */
uint64_t scrub_wwn(const struct scrub_key *key, uint64_t wwn);

/* The lower half of a 128-bit NAA 6 identifier. */
uint64_t scrub_wwn_extension(const struct scrub_key *key, uint64_t extension);

/* A 128-bit identifier in place: NAA 6, otherwise two 64-bit ones side by side (an SRP port, an
 * InfiniBand GID, of which the link-local prefix fe80::/64 stays). */
void scrub_wwn128(const struct scrub_key *key, uint64_t *high, uint64_t *low);

/* A MAC address, 48 bits: as in the NAA 1 and 2 names that are made from it. */
uint64_t scrub_mac(const struct scrub_key *key, uint64_t mac);

/* A serial number: `len` bytes, without the padding around it, to `out` (which may be `in`). Letters and
 * digits are replaced by their like, all else stays. Upper or lower case makes no difference but that it
 * is kept, nor does ' ' or '_', which udev writes for it. Every eighth byte starts a new
 * block that depends on those before it: numbers that agree in their first 8 or 16 bytes still do,
 * as where a device gives only the beginning of its number. One that is written like an address (16
 * hex digits from 5 on, 32 from 6 on) is replaced like one. */
void scrub_serial(const struct scrub_key *key, struct bytes in, uint8_t *out);

/* Bytes that are no text, as above with all 256 values of a byte alike. */
void scrub_opaque(const struct scrub_key *key, struct bytes in, uint8_t *out);

/* An iSCSI qualified name (RFC 3720 3.2.6.3.1) to `out`, which may be `in`: "iqn.", the date and all
 * punctuation stay, each word between is replaced by its like, equal words alike in all names. */
void scrub_iqn(const struct scrub_key *key, struct bytes in, uint8_t *out);

/* An IPv4 address (in host byte order). Addresses that share their first n bits, 8 <= n <= 24, share
 * n bits afterwards, and no more: networks stay networks. What tells private, link-local, loopback and
 * multicast addresses from others stays, and so does the last byte. */
uint32_t scrub_ipv4(const struct scrub_key *key, uint32_t address);

/* An IPv6 address in place: the first 16 bits stay, and the last 8; prefixes as above. An interface
 * identifier made from a MAC address follows it. */
void scrub_ipv6(const struct scrub_key *key, uint8_t address[16]);

/* A run of hex digits as it stands in text, ':' and '-' between them allowed, in place: at most 16
 * digits are a 64-bit identifier, 32 a 128-bit one, else the text is left alone. The digits' case is
 * kept. */
void scrub_hex(const struct scrub_key *key, uint8_t *text, size_t len);

/* The same for the 12 digits of a MAC address. */
void scrub_mac_text(const struct scrub_key *key, uint8_t *text, size_t len);

/* The same for the 16 digits of the lower half of a 128-bit identifier. */
void scrub_extension_text(const struct scrub_key *key, uint8_t *text, size_t len);

/* The value of a hex digit, -1 for anything else. */
int hex_digit(uint8_t c);

/* The number that the hex digits in the text are, whatever is between them: its lowest 128 bits.
 * Returns how many digits there are. */
unsigned hex_number(struct bytes text, uint64_t *ret_high, uint64_t *ret_low);
