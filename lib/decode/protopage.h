/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The head that all forms of mode page 19h (protocol specific port, SPC-4 7.5) share: which
 * subpage it is, and which transport's. spipage.h and saspage.h decode what follows; both have a
 * subpage 01h, and only the protocol identifier tells them apart.
 *
 * "page" is everywhere the page from its own byte 0 on, without the mode parameter header
 * (modesense.h finds it).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum { PROTOPAGE_CODE = 0x19 };

/* PROTOCOL IDENTIFIER values (SPC-4 7.6). */
enum {
    PROTOCOL_FCP = 0x0,
    PROTOCOL_SPI = 0x1,
    PROTOCOL_SSA = 0x2,
    PROTOCOL_SBP = 0x3,
    PROTOCOL_SRP = 0x4,
    PROTOCOL_ISCSI = 0x5,
    PROTOCOL_SAS = 0x6,
    PROTOCOL_ADT = 0x7,
    PROTOCOL_ATA = 0x8,
    PROTOCOL_UAS = 0x9,
    PROTOCOL_SOP = 0xa,
    PROTOCOL_NONE = 0xf, /* no specific protocol */
};

struct protopage {
    uint8_t subpage;    /* 0: the short page */
    uint8_t protocol;   /* PROTOCOL_… */
    struct bytes bytes; /* the page from its byte 0 on, cut at its own length or where data end */
    bool cut;           /* data end before the page's length does */
};

/* Reads the head. Returns 0; -EBADMSG where it is no page 19h, or where it ends (by its own length
 * or the data's) before its protocol identifier. */
int protopage_decode(struct bytes page, struct protopage *ret);

/* The same, for a decoder of one subpage of one protocol that needs `size` bytes of the page.
 * Returns 0; -EBADMSG as above, for another subpage, and for a page shorter than `size`;
 * -ENOTSUP where the page is another protocol's. */
int protopage_expect(struct bytes page, uint8_t protocol, uint8_t subpage, size_t size,
                     struct protopage *ret);
