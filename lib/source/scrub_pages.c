/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The finders for what devices answer: INQUIRY and its VPD pages, mode page 19h, log page 18h, SES
 * pages, ATA IDENTIFY data, USB BOS descriptors. They know just enough of each layout to reach the
 * identities; decoding is another layer's.
 */
#include "source/scrub_find.h"

#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "source/command.h"

static unsigned be16(struct bytes b, size_t at)
{
    return (unsigned)bytes_at(b, at) << 8 | bytes_at(b, at + 1);
}

/* A binary identifier, where all of it is there and not zero. */
static int add_binary(struct spans *s, struct bytes page, size_t at, size_t len,
                      enum writing writing)
{
    struct bytes field = bytes_slice(page, at, len);
    uint8_t any = 0;

    for (size_t i = 0; i < field.len; i++)
        any |= field.data[i];
    if (field.len < len || !any)
        return 0;
    return span_add(s, (struct span){ at, len, writing, 0, false });
}

/* ---- INQUIRY ---- */

/* The vendor-specific bytes 36-55 of standard INQUIRY data (SPC-4 6.4.2): many devices give their serial
 * number in the first eight, or some after them. A guess for every run that looks like one. */
static int find_in_inquiry(struct bytes data, struct spans *ret)
{
    enum { FIRST = 36, SERIAL_END = 44, END = 56, SERIAL_MIN = 4 };
    static const size_t FIELDS[][2] = { { FIRST, SERIAL_END }, { SERIAL_END, END } };
    int r = 0;

    for (size_t f = 0; r == 0 && f < ELEMENTS(FIELDS); f++) {
        size_t start = FIELDS[f][0], len = FIELDS[f][1] - start;
        struct bytes text = bytes_trimmed(bytes_slice(data, start, len));
        bool digit = false, plain = text.len >= SERIAL_MIN;

        for (size_t i = 0; i < text.len; i++) {
            digit |= text.data[i] >= '0' && text.data[i] <= '9';
            plain &= text.data[i] >= 0x20 && text.data[i] < 0x7f;
        }
        if (plain && digit)
            r = span_add_serial(ret, data, start, len, true);
    }
    return r;
}

static bool is_printable(struct bytes b)
{
    for (size_t i = 0; i < b.len; i++)
        if ((b.data[i] < 0x20 || b.data[i] > 0x7e) && b.data[i] != '\0')
            return false;
    return true;
}

/* A SCSI name string (SPC-4 7.8.6.11): "naa.", "eui." or "iqn.", the last perhaps with ",t,0x0001". */
static int add_name_string(struct spans *s, struct bytes page, size_t at, size_t len)
{
    struct bytes text = bytes_slice(page, at, len), name = text;
    const uint8_t *comma;

    while (name.len && name.data[name.len - 1] == '\0')
        name.len--;
    if (name.len > 4 && memcmp(name.data, "iqn.", 4) == 0) {
        comma = memchr(name.data, ',', name.len);
        if (comma)
            name.len = (size_t)(comma - name.data);
        return span_add(s, (struct span){ at, name.len, WRITTEN_IQN, 0, false });
    }
    return name.len > 4 ? span_add_hex(s, page, at + 4, name.len - 4) : 0;
}

enum { CODE_SET_BINARY = 1 };

/* The identifier of one designator (SPC-4 7.8.6.2 to 7.8.6.12). */
static int add_designator(struct spans *s, struct bytes page, size_t at, size_t len,
                          unsigned code_set, unsigned type)
{
    int r;

    switch (type) {
    case 0x0: /* vendor specific */
        if (code_set != CODE_SET_BINARY && is_printable(bytes_slice(page, at, len)))
            return span_add_serial(s, page, at, len, true);
        return len < 8 ? 0 : span_add(s, (struct span){ at, len, WRITTEN_OPAQUE, 0, true });
    case 0x1:
        return span_add_t10(s, page, at, len);
    case 0x2: /* EUI-64: alone, with a directory id behind, with an extension in front */
        if (len != 16)
            return add_binary(s, page, at, 8, WRITTEN_BINARY);
        r = add_binary(s, page, at, 8, WRITTEN_OPAQUE);
        return r < 0 ? r : add_binary(s, page, at + 8, 8, WRITTEN_BINARY);
    case 0x3: /* NAA */
        if (code_set != CODE_SET_BINARY)
            return span_add_hex(s, page, at, len);
        return len == 8 || len == 16 ? add_binary(s, page, at, len, WRITTEN_BINARY) : 0;
    case 0x7: /* MD5 of the unit's names */
        return add_binary(s, page, at, len, WRITTEN_OPAQUE);
    case 0x8:
        return add_name_string(s, page, at, len);
    case 0xa: /* UUID, behind two bytes */
        return len == 18 ? add_binary(s, page, at + 2, 16, WRITTEN_OPAQUE) : 0;
    default: /* numbers of ports and groups */
        return 0;
    }
}

static int find_in_vpd83(struct bytes page, struct spans *ret)
{
    size_t end = 4 + be16(page, 2);
    int r = 0;

    end = end < page.len ? end : page.len;
    for (size_t at = 4; r == 0 && at + 4 <= end; at += 4 + page.data[at + 3]) {
        size_t len = page.data[at + 3];

        if (at + 4 + len > end)
            len = end - at - 4;
        r = add_designator(ret, page, at + 4, len, page.data[at] & 0x0f, page.data[at + 1] & 0x0f);
    }
    return r;
}

/* ---- ATA ---- */

enum { IDENTIFY_BYTES = 512 };

/* ACS-4 table 45: words 10-19 serial number, 108-111 World Wide Name, 176-205 serial number of the
 * medium, 255 checksum where its low byte is A5h. */
int scrub_find_in_identify(struct bytes page, size_t at, struct spans *ret)
{
    struct bytes data = bytes_slice(page, at, IDENTIFY_BYTES);
    uint8_t sum = 0;
    int r;

    if (data.len < IDENTIFY_BYTES)
        return 0;
    r = add_binary(ret, page, at + 10 * 2, 20, WRITTEN_SWAPPED);
    if (r == 0)
        r = add_binary(ret, page, at + 108 * 2, 8, WRITTEN_WORDS);
    if (r == 0)
        r = add_binary(ret, page, at + 176 * 2, 60, WRITTEN_SWAPPED);
    for (size_t i = 0; i < data.len; i++)
        sum = (uint8_t)(sum + data.data[i]);
    if (r == 0 && sum == 0 && data.data[IDENTIFY_BYTES - 2] == 0xa5)
        r = span_add(ret, (struct span){ at + IDENTIFY_BYTES - 2, 2, WRITTEN_CHECKSUM, 0, false });
    return r;
}

static int find_in_vpd(uint8_t code, struct bytes page, struct spans *ret)
{
    if (bytes_at(page, 1) != code)
        return 0;
    switch (code) {
    case 0x80:
        return span_add_serial(ret, page, 4, be16(page, 2), false);
    case 0x83:
        return find_in_vpd83(page, ret);
    case 0x89: /* SAT-3 12.4.2: IDENTIFY data from byte 60 on */
        return scrub_find_in_identify(page, 60, ret);
    default:
        return 0;
    }
}

/* ---- pages of ports ---- */

enum { PROTOCOL_SAS = 6, PHY_DESCRIPTOR_BYTES = 48 };

/* The two addresses of a phy descriptor, which lie alike in mode page 19h/01h (SPL-4 9.2.7.5) and in log
 * page 18h (SPL-4 9.2.8.1). */
static int add_phy(struct spans *s, struct bytes page, size_t at)
{
    int r = add_binary(s, page, at + 8, 8, WRITTEN_BINARY);

    return r < 0 ? r : add_binary(s, page, at + 16, 8, WRITTEN_BINARY);
}

static int find_in_phy_mode_page(struct bytes page, size_t at, struct spans *ret)
{
    int r = 0;

    if ((bytes_at(page, at + 5) & 0x0f) != PROTOCOL_SAS)
        return 0;
    for (size_t i = 0; r == 0 && i < bytes_at(page, at + 7); i++)
        r = add_phy(ret, page, at + 8 + i * PHY_DESCRIPTOR_BYTES);
    return r;
}

/* All pages of a MODE SENSE answer (SPC-4 7.5.4 to 7.5.8), from behind the block descriptors on. */
static int find_in_mode_pages(struct bytes data, size_t at, struct spans *ret)
{
    int r = 0;

    while (r == 0 && at + 2 <= data.len) {
        bool sub = data.data[at] & 0x40;
        size_t len = sub ? 4 + be16(data, at + 2) : 2u + data.data[at + 1];

        if (sub && (data.data[at] & 0x3f) == 0x19 && data.data[at + 1] == 0x01)
            r = find_in_phy_mode_page(data, at, ret);
        at += len;
    }
    return r;
}

/* SPL-4 9.2.8.1: parameters of one port each, with phy descriptors from byte 8 on. SAS-1 devices leave
 * the descriptor's length zero. */
static int find_in_log18(struct bytes page, struct spans *ret)
{
    int r = 0;

    for (size_t at = 4; r == 0 && at + 8 <= page.len; at += 4u + page.data[at + 3]) {
        size_t phy = at + 8, end = at + 4 + page.data[at + 3];

        if ((page.data[at + 4] & 0x0f) != PROTOCOL_SAS)
            continue;
        for (unsigned n = page.data[at + 7]; r == 0 && n && phy < end; n--) {
            uint8_t len = bytes_at(page, phy + 3);

            r = add_phy(ret, page, phy);
            phy += len >= 44 ? 4u + len : PHY_DESCRIPTOR_BYTES;
        }
    }
    return r;
}

/* ---- enclosures ---- */

/* SES-3 6.1.2: an enclosure descriptor for the primary and each secondary subenclosure, each with its
 * logical identifier. */
static int find_in_ses_configuration(struct bytes page, struct spans *ret)
{
    size_t at = 8;
    int r = 0;

    for (unsigned n = 1u + bytes_at(page, 1); r == 0 && n && at < page.len; n--) {
        r = add_binary(ret, page, at + 4, 8, WRITTEN_BINARY);
        at += 4u + bytes_at(page, at + 3);
    }
    return r;
}

/* SES-3 6.1.13.3: the protocol-specific part of an additional element status descriptor, SAS. */
static int find_in_ses_element(struct bytes page, size_t at, size_t end, struct spans *ret)
{
    enum { SLOT_PHY_BYTES = 28, PORT_PHY_BYTES = 12 };
    unsigned phys = bytes_at(page, at), type = bytes_at(page, at + 1) >> 6;
    int r = 0;

    if (type == 0) { /* a slot: each phy with its own and the attached address */
        for (size_t phy = at + 4; r == 0 && phys-- && phy + SLOT_PHY_BYTES <= end;
             phy += SLOT_PHY_BYTES) {
            r = add_binary(ret, page, phy + 4, 8, WRITTEN_BINARY);
            if (r == 0)
                r = add_binary(ret, page, phy + 12, 8, WRITTEN_BINARY);
        }
        return r;
    }
    if (end - at == 12 + 2 * (size_t)phys) /* an expander: one address, two bytes a phy */
        return add_binary(ret, page, at + 4, 8, WRITTEN_BINARY);
    for (size_t phy = at + 4; r == 0 && phys-- && phy + PORT_PHY_BYTES <= end;
         phy += PORT_PHY_BYTES)
        r = add_binary(ret, page, phy + 4, 8, WRITTEN_BINARY);
    return r;
}

static int find_in_ses_elements(struct bytes page, struct spans *ret)
{
    int r = 0;

    for (size_t at = 8, end; r == 0 && at + 2 <= page.len; at = end) {
        bool has_index = page.data[at] & 0x10; /* EIP: the element's index comes first */

        end = at + 2 + page.data[at + 1];
        if ((page.data[at] & 0x0f) == PROTOCOL_SAS && end <= page.len && end > at + 8)
            r = find_in_ses_element(page, at + (has_index ? 4 : 2), end, ret);
    }
    return r;
}

static int find_in_ses(struct bytes page, struct spans *ret)
{
    switch (bytes_at(page, 0)) {
    case 0x01:
        return find_in_ses_configuration(page, ret);
    case 0x0a:
        return find_in_ses_elements(page, ret);
    default:
        return 0;
    }
}

/* ---- USB ---- */

/* USB 3.2, 9.6.2.3: the container id (a UUID) of a BOS descriptor, device capability type 04h. */
static int find_in_bos(struct bytes data, struct spans *ret)
{
    int r = 0;

    for (size_t at = 0; r == 0 && at + 3 <= data.len && data.data[at]; at += data.data[at])
        if (data.data[at] == 20 && data.data[at + 1] == 0x10 && data.data[at + 2] == 0x04)
            r = add_binary(ret, data, at + 4, 16, WRITTEN_OPAQUE);
    return r;
}

/* ---- by name and by command ---- */

bool scrub_find_in_page_file(struct bytes name, struct bytes value, struct spans *ret,
                             int *ret_error)
{
    if (bytes_are(name, "inquiry"))
        *ret_error = find_in_inquiry(value, ret);
    else if (bytes_are(name, "vpd_pg80"))
        *ret_error = find_in_vpd(0x80, value, ret);
    else if (bytes_are(name, "vpd_pg83"))
        *ret_error = find_in_vpd(0x83, value, ret);
    else if (bytes_are(name, "vpd_pg89"))
        *ret_error = find_in_vpd(0x89, value, ret);
    else if (bytes_are(name, "bos_descriptors"))
        *ret_error = find_in_bos(value, ret);
    else
        return false;
    return true;
}

int scrub_find_in_answer(struct bytes cdb, struct bytes data, struct spans *ret)
{
    switch (bytes_at(cdb, 0)) {
    case OP_INQUIRY:
        if (bytes_at(cdb, 1) & 0x01)
            return find_in_vpd(bytes_at(cdb, 2), data, ret);
        return find_in_inquiry(data, ret);
    case OP_MODE_SENSE_6:
        return find_in_mode_pages(data, 4u + bytes_at(data, 3), ret);
    case OP_MODE_SENSE_10:
        return find_in_mode_pages(data, 8 + be16(data, 6), ret);
    case OP_LOG_SENSE:
        return (bytes_at(cdb, 2) & 0x3f) == 0x18 ? find_in_log18(data, ret) : 0;
    case OP_RECEIVE_DIAGNOSTIC:
        return find_in_ses(data, ret);
    default:
        return 0;
    }
}

bool scrub_is_user_data(struct bytes cdb)
{
    unsigned mode = bytes_at(cdb, 1) & 0x1f;

    switch (bytes_at(cdb, 0)) {
    case 0x08: /* READ(6) */
    case 0xa8: /* READ(12) */
    case OP_READ_10:
    case OP_READ_16:
        return true;
    case OP_READ_BUFFER_10: /* all but the two descriptors (SPC-4 6.18) */
        return mode != 0x03 && mode != 0x0b;
    default:
        return false;
    }
}
