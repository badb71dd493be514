/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The editing of scrub_edit.h. All places are found in the original before anything is replaced:
 * a replacement may look like another identity of the machine, and must not be replaced again.
 */
#include "source/scrub_edit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void scrub_edit_done(struct scrub_edit *e)
{
    free(e->edits.v);
    free(e->out.v);
    *e = (struct scrub_edit){ 0 };
}

/* Adds what is known in [from, to), where no finder marked anything. */
static int edit_gap(struct scrub_edit *e, const struct known *known, enum known_place place,
                    struct bytes in, size_t from, size_t to)
{
    struct span match;

    while (known_find(known, place, in, from, to, &match)) {
        int r = vec_push(&e->edits, match);

        if (r < 0)
            return r;
        from = match.start + match.len;
    }
    return 0;
}

static bool overlaps(const struct spans *s, const struct span *span)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].start < span->start + span->len && span->start < s->v[i].start + s->v[i].len)
            return true;
    return false;
}

static int compare_starts(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

/* All edits in order: marked places, known identities between them, guesses where neither is. */
static int plan(struct scrub_edit *e, const struct known *known, enum known_place place,
                struct bytes in, const struct spans *spans)
{
    size_t from = 0, before;
    int r = 0;

    e->edits.n = 0;
    for (size_t i = 0; r == 0 && i < spans->n; i++) {
        if (spans->v[i].guess)
            continue;
        r = edit_gap(e, known, place, in, from, spans->v[i].start);
        if (r == 0)
            r = vec_push(&e->edits, spans->v[i]);
        from = spans->v[i].start + spans->v[i].len;
    }
    if (r == 0)
        r = edit_gap(e, known, place, in, from, in.len);
    before = e->edits.n;
    for (size_t i = 0; r == 0 && i < spans->n; i++)
        if (spans->v[i].guess && !overlaps(&e->edits, &spans->v[i]))
            r = vec_push(&e->edits, spans->v[i]);
    if (r == 0 && e->edits.n > before)
        qsort(e->edits.v, e->edits.n, sizeof(*e->edits.v), compare_starts);
    return r;
}

static int append(struct scrub_edit *e, const void *data, size_t len)
{
    int r = vec_reserve(&e->out, len);

    if (r == 0 && len) {
        memcpy(e->out.v + e->out.n, data, len);
        e->out.n += len;
    }
    return r;
}

static uint64_t read_be64(const uint8_t *p)
{
    uint64_t value = 0;

    for (size_t i = 0; i < 8; i++)
        value = value << 8 | p[i];
    return value;
}

static void write_be64(uint8_t *p, uint64_t value)
{
    for (size_t i = 8; i-- > 0; value >>= 8)
        p[i] = (uint8_t)value;
}

static void replace_binary(const struct scrub_key *key, uint8_t *p, size_t len)
{
    uint64_t high = read_be64(p), low;

    if (len == 16) {
        low = read_be64(p + 8);
        scrub_wwn128(key, &high, &low);
        write_be64(p + 8, low);
    } else {
        high = scrub_wwn(key, high);
    }
    write_be64(p, high);
}

static void swap_bytes(uint8_t *p, size_t len)
{
    for (size_t i = 0; i + 1 < len; i += 2) {
        uint8_t first = p[i];

        p[i] = p[i + 1];
        p[i + 1] = first;
    }
}

static void replace_swapped(const struct scrub_key *key, uint8_t *p, size_t len)
{
    struct bytes serial;

    swap_bytes(p, len);
    serial = bytes_trimmed((struct bytes){ p, len });
    if (serial.len)
        scrub_serial(key, serial, p + (serial.data - p));
    swap_bytes(p, len);
}

/* A row of /proc/net/route: arg is the length of the prefix, and 100h where the bytes are swapped. What
 * is behind the prefix must be zero again, for the kernel's rule of what matches. */
static void replace_route(const struct scrub_key *key, uint8_t *p, unsigned arg)
{
    unsigned prefix = arg & 0xff;
    uint32_t address = 0, mask = prefix ? UINT32_MAX << (32 - prefix) : 0;
    bool swapped = arg & 0x100;

    for (size_t i = 0; i < 8; i++)
        address = address << 4 | (uint32_t)hex_digit(p[i]);
    if (swapped)
        address = __builtin_bswap32(address);
    address = scrub_ipv4(key, address) & mask;
    if (swapped)
        address = __builtin_bswap32(address);
    for (size_t i = 8; i-- > 0; address >>= 4)
        p[i] = (uint8_t) "0123456789ABCDEF"[address & 0xf];
}

static int append_ip(struct scrub_edit *e, const struct scrub_key *key, struct bytes text)
{
    char copy[INET6_ADDRSTRLEN] = "";
    uint8_t v6[16];
    struct in_addr v4;

    if (text.len < sizeof(copy))
        memcpy(copy, text.data, text.len);
    if (inet_pton(AF_INET, copy, &v4) == 1) {
        v4.s_addr = htonl(scrub_ipv4(key, ntohl(v4.s_addr)));
        inet_ntop(AF_INET, &v4, copy, sizeof(copy));
    } else if (inet_pton(AF_INET6, copy, v6) == 1) {
        scrub_ipv6(key, v6);
        inet_ntop(AF_INET6, v6, copy, sizeof(copy));
    }
    return append(e, copy, strlen(copy));
}

/* The checksum of IDENTIFY data (ACS-4 A.11.1.2): all bytes add up to zero. */
static uint8_t identify_checksum(const uint8_t *behind)
{
    uint8_t sum = 0;

    for (size_t i = 1; i <= 511; i++)
        sum = (uint8_t)(sum + behind[-(ptrdiff_t)i]);
    return (uint8_t)-sum;
}

/* Replaces the copy of an edit's bytes, the last that was appended. */
static void replace(const struct scrub_key *key, const struct span *edit, uint8_t *p)
{
    struct bytes field = { p, edit->len };

    switch (edit->writing) {
    case WRITTEN_HEX:
        scrub_hex(key, p, edit->len);
        break;
    case WRITTEN_MAC:
        scrub_mac_text(key, p, edit->len);
        break;
    case WRITTEN_EXTENSION:
        scrub_extension_text(key, p, edit->len);
        break;
    case WRITTEN_BINARY:
        replace_binary(key, p, edit->len);
        break;
    case WRITTEN_WORDS:
        swap_bytes(p, edit->len);
        replace_binary(key, p, edit->len);
        swap_bytes(p, edit->len);
        break;
    case WRITTEN_SERIAL:
        scrub_serial(key, field, p);
        break;
    case WRITTEN_SWAPPED:
        replace_swapped(key, p, edit->len);
        break;
    case WRITTEN_OPAQUE:
        scrub_opaque(key, field, p);
        break;
    case WRITTEN_IQN:
        scrub_iqn(key, field, p);
        break;
    case WRITTEN_ROUTE:
        replace_route(key, p, edit->arg);
        break;
    case WRITTEN_CHECKSUM:
        p[1] = identify_checksum(p + 1);
        break;
    case WRITTEN_HOST:
    case WRITTEN_IP:
        break;
    }
}

static int apply(struct scrub_edit *e, const struct scrub_key *key, struct bytes in,
                 const struct span *edit)
{
    int r;

    if (edit->writing == WRITTEN_HOST)
        return append(e, SCRUB_HOST, sizeof(SCRUB_HOST) - 1);
    if (edit->writing == WRITTEN_IP)
        return append_ip(e, key, bytes_slice(in, edit->start, edit->len));
    r = append(e, in.data + edit->start, edit->len);
    if (r == 0)
        replace(key, edit, e->out.v + e->out.n - edit->len);
    return r;
}

int scrub_edit(struct scrub_edit *e, const struct scrub_key *key, const struct known *known,
               enum known_place place, struct bytes in, const struct spans *spans,
               struct bytes *ret)
{
    size_t at = 0;
    int r = plan(e, known, place, in, spans);

    e->out.n = 0;
    for (size_t i = 0; r == 0 && i < e->edits.n; i++) {
        const struct span *edit = &e->edits.v[i];

        r = append(e, in.data + at, edit->start - at);
        if (r == 0)
            r = apply(e, key, in, edit);
        at = edit->start + edit->len;
    }
    if (r == 0 && at < in.len)
        r = append(e, in.data + at, in.len - at);
    if (r == 0)
        *ret = (struct bytes){ e->out.v, e->out.n };
    return r;
}
