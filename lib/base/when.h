/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A point in time as people write it. All of it is UTC, as everything is that is printed.
 *
 *   2h  3d  90min  1d12h    so long ago, or from now; units s, min, h, d, w
 *   now  today  yesterday  tomorrow
 *   2026-11-30  "2026-11-30 12:30"  2026-11-30T12:30:15Z
 *   @1796040000             seconds since 1970
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Reads one, as microseconds since 1970. `is_ahead`: a length of time is from now on, not back, and a day is meant to its end, not
 * from its beginning. Returns 0, or -EINVAL for what is no such text, or not within the years 1970 to 9999. */
int when_parse(const char *text, uint64_t now_us, bool is_ahead, uint64_t *ret);
