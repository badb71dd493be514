/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What lib/decode reads from a device's answer, in the words and field names of the program that
 * the vectors were read by (README.md): sg_inq, sg_vpd, sg_logs, sdparm, libsgutils2. The vector
 * test compares it with what was written down, the differential test with what these programs say
 * today.
 */
#pragma once

#include "base/bytes.h"
#include "base/json_write.h"

/* Decodes `data` with the decoder of that name (the member "decoder" of a vector), and writes the
 * reading as one JSON object.
 * Returns 0; -ENOENT for a name that is not known here; or what the decoder returned. What was
 * written is of no use after an error. */
int reading(const char *decoder, struct bytes data, struct json_writer *w);
