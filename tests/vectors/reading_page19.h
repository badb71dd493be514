/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The reading of mode page 19h, by the field names of sdparm.
 */
#pragma once

#include "base/bytes.h"
#include "base/json_write.h"

/* Takes the page from its byte 0 on, and writes members of the object that is open.
 * Returns 0; -ENOTSUP for a page that is neither SPI's nor SAS's; or what the decoder returned. */
int reading_page19(struct bytes page, struct json_writer *w);
