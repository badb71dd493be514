/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of sentences that several text outputs use.
 */
#pragma once

#include "output/table.h"

/* "320.0 MB/s" from kB/s, "" for 0, into a buffer that is returned. */
const char *words_payload(uint64_t kb_per_s, char *buffer, size_t size);

/* The label of a mode, its payload where it has no label, "" where it is not known. */
const char *words_mode(const struct mode *m, char *buffer, size_t size);

/* "ok", "BELOW", …, and its colour. For a link that is not up, its state. */
const char *words_verdict(const struct link *l, enum colour *ret_colour);

/* "sda sg0": the nodes of a device, block first. */
const char *words_nodes(const struct device *d, bool with_sg, char *buffer, size_t size);

/* Devices on a link, in the report's order: how many, and the first. */
size_t words_devices_on(const struct report *r, const struct link *l,
                        const struct device **ret_first);
