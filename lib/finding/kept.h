/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is left of an id where serial numbers and addresses were made up by scrubbing (source/scrub_map.h): so that a
 * machine is found again in the scrubbed form of itself.
 */
#pragma once

#include "base/arena.h"

/* The id with '?' for each character that scrubbing may have replaced: of runs of 16 hex digits or more, ':' between them
 * allowed (addresses), all but the first 7, which are NAA and OUI, and the last 2; and one for each word behind "iqn.",
 * IP addresses among them, up to "-lun-". Two ids may become the same. In the arena; NULL without memory. */
const char *kept_of_id(struct arena *arena, const char *id);
