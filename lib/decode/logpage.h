/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log pages (SPC-4 7.3.2): the head, the parameters in it, and page 00h, the list of pages. What a
 * parameter holds is decoded elsewhere (saslog.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

struct logpage {
    uint8_t page;      /* PAGE CODE, bits 5:0 */
    uint8_t subpage;   /* SUBPAGE CODE where SPF is set, else 0 */
    bool ds;           /* DISABLE SAVE */
    struct bytes body; /* behind the head, cut at PAGE LENGTH or where data end */
    bool cut;          /* data end before PAGE LENGTH does */
};

/* Reads the head of LOG SENSE data. Returns 0; -EBADMSG for fewer than its 4 bytes. */
int logpage_decode(struct bytes data, struct logpage *ret);

/* Does page 00h list this page? Only pages, no subpages. false as well where `list` is not page 00h
 * with subpage 00h. */
bool logpage_lists(const struct logpage *list, uint8_t page);

struct logpage_parameter {
    uint16_t code;
    uint8_t control;    /* byte 2: DU, TSD, ETC …, FORMAT AND LINKING */
    struct bytes value; /* behind its 4-byte head, cut where the page ends */
    bool cut;           /* it ends so: its PARAMETER LENGTH reaches further */
};

/* A walk over the parameters of any page but 00h. Start with { cursor_over(page.body) }. */
struct logpage_walk {
    struct cursor rest;
};

/* The next parameter: true and *ret set, or false behind the last one. A last parameter that is cut
 * is still given, if its head is there. */
bool logpage_next(struct logpage_walk *walk, struct logpage_parameter *ret);
