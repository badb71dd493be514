/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * VPD page 83h (designator.h).
 */
#include "decode/designator.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "decode/vpd.h"

int designator_walk(struct bytes page, struct designator_walk *ret)
{
    struct vpd vpd;
    int r = vpd_decode(page, VPD_DEVICE_IDENTIFICATION, &vpd);

    if (r < 0)
        return r;
    *ret = (struct designator_walk){ .rest = cursor_over(vpd.body), .cut = vpd.cut };
    return 0;
}

bool designator_next(struct designator_walk *walk, struct designator *ret)
{
    struct cursor c = walk->rest;
    uint8_t byte0 = cursor_u8(&c), byte1 = cursor_u8(&c);
    struct designator d;

    cursor_skip(&c, 1);
    d = (struct designator){
        .association = (enum designator_association)(byte1 >> 4 & 0x03),
        .type = byte1 & 0x0f,
        .code_set = byte0 & 0x0f,
        .has_protocol = byte1 & 0x80 && (byte1 & 0x30) != 0,
        .protocol = byte0 >> 4,
        .id = cursor_take(&c, cursor_u8(&c)),
    };
    if (c.failed) {
        walk->cut = walk->cut || cursor_left(&walk->rest) > 0;
        return false;
    }
    walk->rest = c;
    *ret = d;
    return true;
}

/* Text that is put together in a caller's buffer; once it does not fit, nothing more is added. */
struct name {
    char *text;
    size_t size, len;
    bool full;
};

static void name_add(struct name *n, const char *text, size_t len)
{
    n->full = n->full || n->len + len >= n->size;
    if (n->full)
        return;
    memcpy(n->text + n->len, text, len);
    n->len += len;
}

static void name_add_hex(struct name *n, struct bytes id)
{
    static const char DIGITS[] = "0123456789abcdef";

    for (size_t i = 0; i < id.len; i++) {
        const char pair[] = { DIGITS[id.data[i] >> 4], DIGITS[id.data[i] & 0x0f] };

        name_add(n, pair, sizeof(pair));
    }
}

/* One byte as the kernel's %pE writes it (lib/string_helpers.c: printable, else space characters,
 * else NUL, else octal). Bytes above 7Eh it takes for Latin 1; we do not. */
static void name_add_escaped(struct name *n, uint8_t byte)
{
    static const char SPACES[] = "\n\r\t\v\f", LETTERS[] = "nrtvf";
    const char *space = byte ? strchr(SPACES, byte) : NULL;
    char escaped[5] = { '\\' };

    if (byte >= 0x20 && byte < 0x7f)
        escaped[0] = (char)byte;
    else if (space)
        escaped[1] = LETTERS[space - SPACES];
    else if (byte == 0)
        escaped[1] = '0';
    else
        for (unsigned i = 0; i < 3; i++)
            escaped[1 + i] = (char)('0' + (byte >> (6 - 3 * i) & 7));
    name_add(n, escaped, strlen(escaped));
}

static void name_add_text(struct name *n, struct bytes id, bool utf8)
{
    for (size_t i = 0; i < id.len; i++)
        if (utf8 && id.data[i] >= 0x80)
            name_add(n, (const char *)id.data + i, 1);
        else
            name_add_escaped(n, id.data[i]);
}

static struct bytes without_nuls(struct bytes id)
{
    while (id.len > 0 && id.data[id.len - 1] == 0)
        id.len--;
    return id;
}

/* Is there a way to write it? */
static bool has_form(const struct designator *d)
{
    switch (d->type) {
    case DESIGNATOR_NAA:
        return d->id.len == 8 || d->id.len == 16;
    case DESIGNATOR_EUI64:
        return d->id.len == 8 || d->id.len == 12 || d->id.len == 16;
    case DESIGNATOR_T10:
        return d->id.len > 0;
    case DESIGNATOR_NAME:
        return without_nuls(d->id).len > 0;
    default:
        return false;
    }
}

int designator_format(const struct designator *designator, char *ret, size_t size)
{
    struct name n = { .text = ret, .size = size };
    struct bytes id = designator->id;

    if (!has_form(designator))
        return -ENODATA;
    if (designator->type == DESIGNATOR_NAA) {
        name_add(&n, "naa.", 4);
        name_add_hex(&n, id);
    } else if (designator->type == DESIGNATOR_EUI64) {
        name_add(&n, "eui.", 4);
        name_add_hex(&n, id);
    } else if (designator->type == DESIGNATOR_T10) {
        name_add(&n, "t10.", 4);
        name_add_text(&n, id, false);
    } else {
        id = without_nuls(id);
        name_add_text(&n, id, text_is_utf8(id));
    }
    if (n.full)
        return -E2BIG;
    ret[n.len] = '\0';
    return (int)n.len;
}

enum { RANK_NONE = 0, RANK_NAA_2 = 1, RANK_NAME = 10 };

/* How good a name of a logical unit this is. The order is designator_unit_name()'s; ranks from 2 on
 * are the kernel's plus 1. */
static int rank_of(const struct designator *d)
{
    static const uint8_t NAA_RANKS[16] = { [2] = RANK_NAA_2, [3] = 2, [4] = 5, [5] = 6, [6] = 9 };

    if (d->association != DESIGNATOR_UNIT || !has_form(d))
        return RANK_NONE;
    switch (d->type) {
    case DESIGNATOR_NAME:
        return RANK_NAME;
    case DESIGNATOR_NAA:
        return NAA_RANKS[d->id.data[0] >> 4];
    case DESIGNATOR_EUI64:
        return d->id.len == 16 ? 8 : d->id.len == 12 ? 7 : 4;
    default: /* has_form() leaves T10 vendor identification */
        return 2;
    }
}

/* The kernel's walk takes the later one of equals, and no text that is shorter than what it has. */
static bool is_better(const struct designator *d, int rank, const struct designator *best,
                      int best_rank)
{
    bool text = d->type == DESIGNATOR_T10 || d->type == DESIGNATOR_NAME;

    if (rank == RANK_NONE || rank < best_rank)
        return false;
    return !text || best_rank <= RANK_NAA_2 || d->id.len >= best->id.len;
}

int designator_unit_name(struct bytes page, char *ret, size_t size)
{
    struct designator d, best = { 0 };
    struct designator_walk walk;
    int best_rank = RANK_NONE;
    int r = designator_walk(page, &walk);

    if (r < 0)
        return r;
    while (designator_next(&walk, &d)) {
        int rank = rank_of(&d);

        if (is_better(&d, rank, &best, best_rank)) {
            best = d;
            best_rank = rank;
        }
    }
    return best_rank == RANK_NONE ? -ENODATA : designator_format(&best, ret, size);
}

/* The 16-bit number in bytes 2 and 3 that types 4h and 5h consist of. */
static bool number_of(const struct designator *d, uint16_t *ret)
{
    if (d->id.len < 4)
        return false;
    *ret = (uint16_t)(d->id.data[2] << 8 | d->id.data[3]);
    return true;
}

int designator_port(struct bytes page, struct designator_port *ret)
{
    struct designator_port port = { 0 };
    struct designator_walk walk;
    struct designator d;
    int r = designator_walk(page, &walk);

    if (r < 0)
        return r;
    while (designator_next(&walk, &d)) {
        if (d.association != DESIGNATOR_PORT)
            continue;
        if (d.type == DESIGNATOR_NAA && d.id.len == 8 && !port.has_naa) {
            struct cursor c = cursor_over(d.id);

            port.naa = cursor_be64(&c);
            port.has_naa = true;
        } else if (d.type == DESIGNATOR_RELATIVE_PORT) {
            port.has_relative = number_of(&d, &port.relative) || port.has_relative;
        } else if (d.type == DESIGNATOR_PORT_GROUP) {
            port.has_group = number_of(&d, &port.group) || port.has_group;
        }
    }
    *ret = port;
    return 0;
}
