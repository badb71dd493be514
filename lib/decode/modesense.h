/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * MODE SENSE data (SPC-4 7.5): the header of the 6- and the 10-byte command, the block descriptors,
 * and the mode pages behind them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* Which command the data answer: nothing in the data tells. */
enum modesense_form {
    MODESENSE_6,
    MODESENSE_10,
};

struct modesense {
    uint32_t length; /* of the whole answer, header included, as MODE DATA LENGTH has it */
    uint8_t medium_type;
    uint8_t device_specific;
    bool longlba; /* block descriptors of 16 bytes; MODE SENSE(10) only */
    /* Block descriptors; empty without any (DBD, or a device that has none). */
    struct bytes descriptors;
    struct bytes pages; /* behind them, for modesense_next(); cut at MODE DATA LENGTH */
    bool cut;           /* data end before MODE DATA LENGTH does */
};

/* Reads the header. Returns 0; -EBADMSG for less than a header, and where the block descriptors
 * reach beyond MODE DATA LENGTH. Where they only reach beyond the data, `pages` is empty and `cut`
 * set. */
int modesense_decode(struct bytes data, enum modesense_form form, struct modesense *ret);

struct mode_page {
    uint8_t page;       /* PAGE CODE, bits 5:0 */
    uint8_t subpage;    /* SUBPAGE CODE, or 0 in page_0 format */
    bool savable;       /* PS */
    struct bytes bytes; /* the page from its byte 0 on, cut where data end */
    bool cut;           /* it is: PAGE LENGTH reaches further */
};

/* A walk over pages. Start with { cursor_over(modesense.pages) }. */
struct modesense_walk {
    struct cursor rest;
};

/* The next page: true and *ret set, or false behind the last one. A page that is cut is the last
 * one and still given, as far as it is there: the head (2 bytes, 4 in sub_page format) at least. */
bool modesense_next(struct modesense_walk *walk, struct mode_page *ret);

/* The first page with this code and subpage (0: page_0 format, or sub_page format with subpage
 * 00h). Returns 0; -ENOENT where it is not there. */
int modesense_find(const struct modesense *modesense, uint8_t page, uint8_t subpage,
                   struct mode_page *ret);

/* Turns the answer to one form of the command into the answer to the other: the header is
 * rewritten, what follows is copied as far as MODE DATA LENGTH and the data go. `out` gets at most
 * `size` bytes, as an allocation length of `size` would cut them.
 *
 * Returns how many bytes were written; -EBADMSG as modesense_decode(); -EOVERFLOW where the whole
 * answer or the block descriptors are too long for the 6-byte form; -ENOTSUP where the descriptors
 * are of the long kind, which the 6-byte form does not have. `out` may hold anything after an
 * error. */
int modesense_convert(struct bytes data, enum modesense_form from, uint8_t *out, size_t size);
