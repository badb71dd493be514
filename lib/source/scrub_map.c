/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The permutations of scrub_map.h. Numbers go through a balanced Feistel network, text through one
 * whose halves are runs of characters, each character turned within its class (the idea of NIST SP
 * 800-38G); SipHash is the round function of both. Eight rounds: four make a strong permutation of a
 * strong round function (Luby, Rackoff), and some of our halves are short.
 */
#include "source/scrub_map.h"

#include <string.h>

#include "source/siphash.h"

enum { ROUNDS = 8, BLOCK = 8 };

/* The first byte of every hashed message: no two uses see the same message. */
enum domain {
    DOMAIN_NUMBER = 1,
    DOMAIN_SERIAL,
    DOMAIN_OPAQUE,
    DOMAIN_NAME,
    DOMAIN_CHAIN,
    DOMAIN_IP
};

/* A message of at most 32 bytes that is put together from numbers and hashed. */
struct message {
    uint8_t data[32];
    size_t len;
};

static void add(struct message *m, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        m->data[m->len++] = (uint8_t)(value >> 8 * i);
}

static uint64_t hash(const struct scrub_key *key, const struct message *m)
{
    return siphash(key->bytes, (struct bytes){ m->data, m->len });
}

/* A permutation of the numbers below 2^bits (bits is even), another one for each tweak. */
static uint64_t permuted(const struct scrub_key *key, uint64_t tweak, uint64_t value, unsigned bits)
{
    unsigned half = bits / 2;
    uint64_t mask = (1ull << half) - 1, left = value >> half, right = value & mask;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct message m = { 0 };
        uint64_t turned;

        add(&m, DOMAIN_NUMBER, 1);
        add(&m, bits, 1);
        add(&m, round, 1);
        add(&m, tweak, 8);
        add(&m, right, 8);
        turned = left ^ (hash(key, &m) & mask);
        left = right;
        right = turned;
    }
    return left << half | right;
}

/* Bits 8 and up of a number of `bits` bits, of which those above stay. */
static uint64_t middle_replaced(const struct scrub_key *key, uint64_t tweak, uint64_t value,
                                unsigned bits)
{
    uint64_t mask = (1ull << bits) - 1, middle = (value & mask) >> 8;

    return (value & ~mask) | permuted(key, tweak, middle, bits - 8) << 8 | (value & 0xff);
}

static bool is_oui(uint64_t oui)
{
    return oui != 0 && oui != 0xffffff;
}

uint64_t scrub_mac(const struct scrub_key *key, uint64_t mac)
{
    uint64_t oui = mac >> 24 & 0xffffff;

    return is_oui(oui) ? middle_replaced(key, oui, mac, 24) : mac;
}

/* NAA 1 and 2 (SPC-4 7.8.6.6.2): a MAC address below 12 bits. */
static bool holds_mac(uint64_t wwn)
{
    return wwn >> 60 == 1 || wwn >> 60 == 2;
}

bool scrub_is_wwn(uint64_t wwn)
{
    if (holds_mac(wwn))
        return is_oui(wwn >> 24 & 0xffffff);
    return wwn >> 36 != 0 && wwn >> 36 != 0xfffffff;
}

uint64_t scrub_wwn(const struct scrub_key *key, uint64_t wwn)
{
    if (!scrub_is_wwn(wwn))
        return wwn;
    if (holds_mac(wwn))
        return (wwn & ~0xffffffffffffull) | scrub_mac(key, wwn & 0xffffffffffff);
    return middle_replaced(key, wwn >> 36 & 0xffffff, wwn, 36);
}

uint64_t scrub_wwn_extension(const struct scrub_key *key, uint64_t extension)
{
    /* 64 bits less the 8 that stay; the tweak differs from every OUI. */
    return permuted(key, UINT64_MAX, extension >> 8, 56) << 8 | (extension & 0xff);
}

void scrub_wwn128(const struct scrub_key *key, uint64_t *high, uint64_t *low)
{
    if (*high >> 60 == 6) {
        *high = scrub_wwn(key, *high);
        *low = scrub_wwn_extension(key, *low);
        return;
    }
    if (*high >> 48 != 0xfe80)
        *high = scrub_wwn(key, *high);
    *low = scrub_wwn(key, *low);
}

/* How many characters a class has, and which is its first; 0 for what is in no class. */
static unsigned class_of(uint8_t c, enum domain domain, uint8_t *ret_first)
{
    static const struct {
        uint8_t first, size;
    } CLASSES[] = { { '0', 10 }, { 'A', 26 }, { 'a', 26 } };

    *ret_first = 0;
    if (domain == DOMAIN_OPAQUE)
        return 256;
    for (size_t i = 0; i < sizeof(CLASSES) / sizeof(CLASSES[0]); i++) {
        if (c < CLASSES[i].first || c >= CLASSES[i].first + CLASSES[i].size)
            continue;
        *ret_first = CLASSES[i].first;
        return CLASSES[i].size;
    }
    return 0;
}

/* What of a character counts: not its case, nor which of the two udev has. */
static uint8_t folded(uint8_t c, enum domain domain)
{
    if (domain == DOMAIN_OPAQUE)
        return c;
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c == ' ' ? '_' : c;
}

/* Replaces up to eight bytes in place. Those in a class form two halves that turn each other. */
static void turn_block(const struct scrub_key *key, enum domain domain, uint64_t tweak,
                       uint8_t *block, size_t len)
{
    size_t at[BLOCK], n = 0;
    uint8_t first;

    for (size_t i = 0; i < len; i++)
        if (class_of(block[i], domain, &first))
            at[n++] = i;
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t from = round & 1 ? 0 : n / 2, to = round & 1 ? n / 2 : n;
        struct message m = { 0 };

        add(&m, domain, 1);
        add(&m, round, 1);
        add(&m, tweak, 8);
        for (size_t i = 0; i < n; i++)
            if (i < from || i >= to)
                add(&m, folded(block[at[i]], domain), 1);
        for (size_t i = from; i < to; i++) {
            struct message one = m;
            uint8_t *c = &block[at[i]];
            unsigned size = class_of(*c, domain, &first);

            add(&one, i, 1);
            *c = (uint8_t)(first + (*c - first + hash(key, &one) % size) % size);
        }
    }
}

static void turn(const struct scrub_key *key, enum domain domain, struct bytes in, uint8_t *out)
{
    uint64_t chain = 0;

    for (size_t i = 0; i < in.len; i += BLOCK) {
        struct bytes block = bytes_slice(in, i, BLOCK);
        uint8_t turned[BLOCK];
        struct message m = { 0 };

        add(&m, DOMAIN_CHAIN, 1);
        add(&m, chain, 8);
        for (size_t j = 0; j < block.len; j++)
            add(&m, folded(block.data[j], domain), 1);
        memcpy(turned, block.data, block.len);
        turn_block(key, domain, chain, turned, block.len);
        chain = hash(key, &m);
        memcpy(out + i, turned, block.len);
    }
}

int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Is it an address in hex that stands where a serial number should? */
static bool is_address(struct bytes text)
{
    if (!(text.len == 16 && text.data[0] == '5') && !(text.len == 32 && text.data[0] == '6'))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (hex_digit(text.data[i]) < 0)
            return false;
    return true;
}

void scrub_serial(const struct scrub_key *key, struct bytes in, uint8_t *out)
{
    if (in.len && is_address(in)) {
        memmove(out, in.data, in.len);
        scrub_hex(key, out, in.len);
    } else {
        turn(key, DOMAIN_SERIAL, in, out);
    }
}

void scrub_opaque(const struct scrub_key *key, struct bytes in, uint8_t *out)
{
    turn(key, DOMAIN_OPAQUE, in, out);
}

/* Length of "iqn.2026-01." or of "iqn." at the start. */
static size_t iqn_prefix(struct bytes name)
{
    static const char DATE[] = "iqn.0000-00.";
    size_t i = 0;

    while (i < name.len && i < sizeof(DATE) - 1) {
        bool digit = name.data[i] >= '0' && name.data[i] <= '9';

        if (DATE[i] == '0' ? !digit : (i > 2 && name.data[i] != DATE[i]))
            break;
        i++;
    }
    return i == sizeof(DATE) - 1 ? i : name.len < 4 ? name.len : 4;
}

static bool is_alnum(uint8_t c)
{
    uint8_t first;

    return class_of(c, DOMAIN_NAME, &first) != 0;
}

void scrub_iqn(const struct scrub_key *key, struct bytes in, uint8_t *out)
{
    size_t i = iqn_prefix(in), end;

    memmove(out, in.data, in.len);
    while (i < in.len) {
        for (end = i; end < in.len && is_alnum(out[end]);)
            end++;
        turn(key, DOMAIN_NAME, (struct bytes){ out + i, end - i }, out + i);
        i = end + 1;
    }
}

/* Bit `at` of 128, counted from the left, flipped or not by what stands left of it. */
static void flip(const struct scrub_key *key, const uint8_t address[16], unsigned at,
                 uint8_t out[16])
{
    struct message m = { 0 };

    add(&m, DOMAIN_IP, 1);
    add(&m, at, 1);
    for (unsigned i = 0; i < 16; i++) {
        unsigned left = at > i * 8 ? at - i * 8 : 0;

        add(&m, left >= 8 ? address[i] : address[i] & ~(0xffu >> left) & 0xff, 1);
    }
    out[at / 8] ^= (uint8_t)((hash(key, &m) & 1) << (7 - at % 8));
}

/* How many leading bits of an IPv4 address say what sort of address it is. Depends on the first byte
 * alone, so that the rest can be permuted: 100.64/10 (RFC 6598), 169.254/16, 172.16/12, 192.168/16
 * (RFC 1918). All of loopback and multicast stays. */
static unsigned kept_bits(uint32_t address)
{
    switch (address >> 24) {
    case 0:
    case 127:
        return 32;
    case 100:
        return 10;
    case 172:
        return 12;
    case 169:
    case 192:
        return 16;
    default:
        return address >> 24 >= 224 ? 32 : 8;
    }
}

uint32_t scrub_ipv4(const struct scrub_key *key, uint32_t address)
{
    uint8_t in[16] = { (uint8_t)(address >> 24), (uint8_t)(address >> 16), (uint8_t)(address >> 8),
                       (uint8_t)address };
    uint8_t out[16];

    memcpy(out, in, sizeof(out));
    for (unsigned at = kept_bits(address); at < 24; at++)
        flip(key, in, at, out);
    return (uint32_t)out[0] << 24 | (uint32_t)out[1] << 16 | (uint32_t)out[2] << 8 | out[3];
}

void scrub_ipv6(const struct scrub_key *key, uint8_t address[16])
{
    uint8_t in[16];
    bool from_mac = address[11] == 0xff && address[12] == 0xfe; /* RFC 4291, appendix A */
    uint64_t mac = 0;

    memcpy(in, address, sizeof(in));
    if ((in[0] | in[1]) == 0)
        return; /* ::, ::1, ::ffff:0:0/96 */
    for (unsigned at = 16; at < (from_mac ? 64 : 120); at++)
        if (in[0] != 0xfe || at >= 64) /* fe80::/64 is everybody's */
            flip(key, in, at, address);
    if (!from_mac)
        return;
    for (unsigned i = 8; i < 16; i++)
        if (i != 11 && i != 12)
            mac = mac << 8 | (i == 8 ? in[i] ^ 2 : in[i]);
    mac = scrub_mac(key, mac);
    for (unsigned i = 13; i < 16; i++)
        address[i] = (uint8_t)(mac >> (15 - i) * 8);
}

unsigned hex_number(struct bytes text, uint64_t *ret_high, uint64_t *ret_low)
{
    unsigned n = 0;

    *ret_high = *ret_low = 0;
    for (size_t i = 0; i < text.len; i++) {
        int digit = hex_digit(text.data[i]);

        if (digit < 0)
            continue;
        *ret_high = *ret_high << 4 | *ret_low >> 60;
        *ret_low = *ret_low << 4 | (uint64_t)digit;
        n++;
    }
    return n;
}

static void write_digits(uint8_t *text, size_t len, uint64_t high, uint64_t low)
{
    const char *digits = "0123456789abcdef";

    for (size_t i = 0; i < len; i++)
        if (text[i] >= 'A' && text[i] <= 'F')
            digits = "0123456789ABCDEF";
    for (size_t i = len; i-- > 0;) {
        if (hex_digit(text[i]) < 0)
            continue;
        text[i] = (uint8_t)digits[low & 0xf];
        low = low >> 4 | high << 60;
        high >>= 4;
    }
}

void scrub_hex(const struct scrub_key *key, uint8_t *text, size_t len)
{
    uint64_t high, low;
    unsigned n = hex_number((struct bytes){ text, len }, &high, &low);

    if (n <= 16)
        low = scrub_wwn(key, low);
    else if (n == 32)
        scrub_wwn128(key, &high, &low);
    else
        return;
    write_digits(text, len, high, low);
}

void scrub_mac_text(const struct scrub_key *key, uint8_t *text, size_t len)
{
    uint64_t high, low;

    if (hex_number((struct bytes){ text, len }, &high, &low) == 12)
        write_digits(text, len, 0, scrub_mac(key, low));
}

void scrub_extension_text(const struct scrub_key *key, uint8_t *text, size_t len)
{
    uint64_t high, low;

    if (hex_number((struct bytes){ text, len }, &high, &low) == 16)
        write_digits(text, len, 0, scrub_wwn_extension(key, low));
}
