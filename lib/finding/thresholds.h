/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From when on something counts. All can be configured; these are the defaults.
 */
#pragma once

#include <stdint.h>

struct thresholds {
    uint64_t
        errors_per_hour; /* errors-growing at this much an hour … (1e-12 bit errors allow some tens) */
    uint64_t slow_errors_per_hour; /* … or at this much over slow_errors_us */
    uint64_t slow_errors_us;
    uint64_t burst_us; /* errors of a shorter time are counted as if it had been this long */
    uint64_t soft_errors_per_hour; /* soft errors (PCIe AER): info below this */
    unsigned flapping_changes;     /* link-flapping at so many changes … */
    uint64_t flapping_us;          /* … within this */
    uint64_t quiet_us;             /* … until there was none for so long */
    unsigned stuck_timeouts;       /* device-stuck at so many commands timed out … */
    uint64_t stuck_us;             /* … within this */
    unsigned
        read_below_percent; /* read-below-link below this share of the device's own best and of its siblings */
    uint64_t read_below_apart_us; /* in two measurements so far apart */
    unsigned clock_percent;       /* the clock contradicts a mode above this share of its payload */
};

#define THRESHOLDS_DEFAULT                        \
    ((struct thresholds){                         \
        .errors_per_hour = 100,                   \
        .slow_errors_per_hour = 10,               \
        .slow_errors_us = 6 * 3600ull * 1000000,  \
        .burst_us = 600ull * 1000000,             \
        .soft_errors_per_hour = 1000,             \
        .flapping_changes = 3,                    \
        .flapping_us = 3600ull * 1000000,         \
        .quiet_us = 3600ull * 1000000,            \
        .stuck_timeouts = 2,                      \
        .stuck_us = 3600ull * 1000000,            \
        .read_below_percent = 25,                 \
        .read_below_apart_us = 1800ull * 1000000, \
        .clock_percent = 105,                     \
    })
