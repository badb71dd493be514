/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All keys of the configuration (config.h). A key is a field of its section's structure and a row here.
 */
#include "config/config.h"

#define HOST(field, bit)   offsetof(struct config_host, field), bit
#define LINK(field, bit)   offsetof(struct config_link, field), bit
#define DEVICE(field, bit) offsetof(struct config_device, field), bit
#define PROBE(field)       offsetof(struct config_probe, field), 0
#define THRESHOLD(field)   offsetof(struct config_thresholds, field), 0
#define DAEMON(field)      offsetof(struct config_daemon, field), 0
#define HISTORY(field)     offsetof(struct config_history, field), 0

/* Bounds that keep arithmetic far from overflow, and mistakes from being taken for wishes. */
#define COUNT_MOST         1000000000
#define MS                 UINT64_C(1000)
#define HOUR               (UINT64_C(3600) * 1000000)
#define DAY                (24 * HOUR)
#define K                  UINT64_C(1024)
#define CENTURY            (UINT64_C(36500) * 86400 * 1000000)

const struct config_key CONFIG_KEYS[] = {
    { "host", "physical", CONFIG_ANSWER, "", NULL, 0, 0,
      "judge its links as real ones, or take it for emulated",
      HOST(physical, CONFIG_HOST_PHYSICAL) },

    { "link", "expect", CONFIG_MODE, "", NULL, 0, 0, "the mode it should run at",
      LINK(expect, CONFIG_LINK_EXPECT) },
    { "link", "near_best", CONFIG_MODE, "", NULL, 0, 0, "the best that the adapter's end can do",
      LINK(near_best, CONFIG_LINK_NEAR_BEST) },
    { "link", "far_best", CONFIG_MODE, "", NULL, 0, 0, "the best that the device's end can do",
      LINK(far_best, CONFIG_LINK_FAR_BEST) },
    { "link", "ignore", CONFIG_ANSWER, "", NULL, 0, 0, "do not complain of its mode",
      LINK(ignore, CONFIG_LINK_IGNORE) },
    { "link", "reason", CONFIG_TEXT, "", NULL, 0, 0, "why", LINK(reason, CONFIG_LINK_REASON) },
    { "link", "until", CONFIG_DATE, "", NULL, 0, 0, "the last day on which this counts",
      LINK(until_us, CONFIG_LINK_UNTIL) },

    { "device", "tier", CONFIG_TIER, "", NULL, 0, 0,
      "how far to go: no commands, identities, or reads too", DEVICE(tier, CONFIG_DEVICE_TIER) },

    { "probe", "tier", CONFIG_TIER, "read", NULL, 0, 0, "the same, where nothing else is said",
      PROBE(tier) },
    { "probe", "bytes", CONFIG_BYTES, "4M", NULL, 64 * K, 64 * K *K,
      "read at most so much at a time", PROBE(bytes) },
    { "probe", "longest", CONFIG_TIME, "1s", NULL, 10 * MS, 10000 * MS, "and for so long",
      PROBE(longest_us) },
    { "probe", "interval", CONFIG_TIME, "24h", NULL, MS, 365 * DAY,
      "from one read of a device to the next (of rotating ones, an hour at least)",
      PROBE(interval_us) },
    { "probe", "per_day", CONFIG_BYTES, "64M", NULL, 64 * K, K *K *K,
      "read at most so much of a device in a day", PROBE(per_day) },
    { "probe", "arrays", CONFIG_ANSWER, "no", NULL, 0, 0,
      "read from arrays, on active/optimized paths", PROBE(arrays) },

    { "thresholds", "errors_growing_per_hour", CONFIG_COUNT, "100", "errors an hour", 1, COUNT_MOST,
      "errors-growing: from so many errors of one counter on", THRESHOLD(errors_growing_per_hour) },
    { "thresholds", "errors_growing_slow_per_hour", CONFIG_COUNT, "10", "errors an hour", 1,
      COUNT_MOST, "errors-growing: or from so many on, for long",
      THRESHOLD(errors_growing_slow_per_hour) },
    { "thresholds", "errors_growing_slow", CONFIG_TIME, "6h", NULL, MS, CENTURY,
      "errors-growing: how long that is", THRESHOLD(errors_growing_slow_us) },
    { "thresholds", "aer_info_per_hour", CONFIG_COUNT, "1000", "errors an hour", 1, COUNT_MOST,
      "errors-growing: corrected errors of a slot (AER) below that are info",
      THRESHOLD(aer_info_per_hour) },
    { "thresholds", "flapping_changes", CONFIG_COUNT, "3", "changes", 1, COUNT_MOST,
      "link-flapping: from so many changes of state or mode on", THRESHOLD(flapping_changes) },
    { "thresholds", "flapping_within", CONFIG_TIME, "1h", NULL, MS, CENTURY,
      "link-flapping: within that time", THRESHOLD(flapping_within_us) },
    { "thresholds", "flapping_quiet", CONFIG_TIME, "1h", NULL, MS, CENTURY,
      "link-flapping: over after that time without a change", THRESHOLD(flapping_quiet_us) },
    { "thresholds", "device_stuck_timeouts", CONFIG_COUNT, "2", "commands", 1, COUNT_MOST,
      "device-stuck: from so many commands that timed out on", THRESHOLD(device_stuck_timeouts) },
    { "thresholds", "read_below_percent", CONFIG_COUNT, "25", "per cent", 1, 100,
      "read-below-link: below that part of the best reads", THRESHOLD(read_below_percent) },
    { "thresholds", "read_below_apart", CONFIG_TIME, "30min", NULL, MS, CENTURY,
      "read-below-link: in two probes so far apart", THRESHOLD(read_below_apart_us) },
    { "thresholds", "clock_margin_percent", CONFIG_COUNT, "105", "per cent", 100, 1000,
      "ends-disagree: a read above that part of the payload", THRESHOLD(clock_margin_percent) },

    { "daemon", "interval", CONFIG_TIME, "24h", NULL, MS, CENTURY,
      "how often every adapter and its devices are asked for all they have to say",
      DAEMON(interval_us) },
    { "daemon", "watch", CONFIG_TIME, "1min", NULL, MS, CENTURY,
      "how often states and modes of links are read again in between", DAEMON(watch_us) },
    { "daemon", "counters", CONFIG_TIME, "5min", NULL, MS, CENTURY,
      "how often counters are, and what costs to read", DAEMON(counters_us) },
    { "daemon", "costly_reads", CONFIG_COUNT, "600", "reads a minute", 0, COUNT_MOST,
      "at most so many of what asks an adapter or an expander; 0: none", DAEMON(costly_reads) },
    { "daemon", "settle", CONFIG_TIME, "2s", NULL, MS, CENTURY,
      "how long nothing must have happened before it looks at what did", DAEMON(settle_us) },
    { "daemon", "patience", CONFIG_TIME, "20s", NULL, MS, CENTURY,
      "how long a device may say nothing before it is given up", DAEMON(patience_us) },
    { "daemon", "quarantine", CONFIG_TIME, "1min", NULL, MS, CENTURY,
      "how long the devices beside it are not asked then, the first time", DAEMON(quarantine_us) },
    { "daemon", "clear_after", CONFIG_TIME, "5min", NULL, MS, CENTURY,
      "how long a finding must be gone to be over", DAEMON(clear_after_us) },

    { "history", "raw", CONFIG_TIME, "7d", NULL, HOUR, CENTURY, "how long everything is kept",
      HISTORY(raw_us) },
    { "history", "hourly", CONFIG_TIME, "90d", NULL, HOUR, CENTURY,
      "how long counters and probes are kept by the hour", HISTORY(hourly_us) },
    { "history", "keep", CONFIG_TIME, "730d", NULL, HOUR, CENTURY,
      "how long anything is kept, then by the day", HISTORY(keep_us) },
    { "history", "size", CONFIG_BYTES, "256M", NULL, K *K, 1024 * K *K *K,
      "how large its file may become", HISTORY(size) },
    { 0 },
};
