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

/* "2026-01-28 12:00 UTC" from µs since 1970, "" for 0, into a buffer that is returned. */
const char *words_time(uint64_t wall_us, char *buffer, size_t size);

/* The same as JSON has it: "2026-01-28T12:00:00Z"; NULL for 0. */
enum { WORDS_UTC_BYTES = sizeof("9999-12-31T23:59:59Z") };
const char *words_utc(uint64_t wall_us, char buffer[static WORDS_UTC_BYTES]);

/* Is it one of the links that are counted? A wide link is, once, and not each of its lanes, unless one is worse than
 * the whole; a cable is, once, and not its other end. */
bool words_counts(const struct link *l);

/* Is something to be said of it: is it down, below what it should be, held down, or up and without a verdict? */
bool words_is_odd(const struct link *l);

/* Is that the verdict on a link that is counted, and can it be missed? What is empty, down or switched off runs at no mode. */
bool words_has_verdict(const struct link *l, enum verdict v);

/* "acknowledged: the cable is old", by the configuration; "acknowledged by root until 2026-12-24 00:00 UTC: …", by somebody. Into
 * the buffer, cut where that is too small; NULL where nobody said so. */
const char *words_acknowledged(const struct finding *f, char *buffer, size_t size);
enum { WORDS_ACKNOWLEDGED = 1200 }; /* bytes for all that the daemon takes as a reason */

/* "sda sg0": the nodes of a device, block first. Of a tape the one that rewinds and the one that does not, st0 and
 * nst0: the others are the same drive in another of its modes (Documentation/scsi/st.rst). */
const char *words_nodes(const struct device *d, bool with_sg, char *buffer, size_t size);

/* What people call an end: of a host its kernel's name where the model has its id; else the text itself. */
const char *words_end(const struct report *r, const char *end);

/* The host whose port a virtual one (NPIV) shares; NULL for any other host. */
const struct host *words_physical_port(const struct report *r, const struct host *h);

/* Is there a host, link or device of that name now? */
bool words_is_there(const struct report *r, const char *name);

/* Is one of the texts one of these? NULL among them is none. */
bool words_name_one_of(const struct texts *texts, const char *const *these, size_t n);

/* "ledctl locate=/dev/sdc": what has the device's bay blink; false where it has none that is known, or no node. */
bool words_locate(const struct device *d, char *ret, size_t size);
