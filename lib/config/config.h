/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an administrator says in hbad.conf: text in, values with file and line out. No I/O:
 * live/config_files.h finds the files and says in which order they count.
 *
 * The format is ini as systemd reads it (systemd.syntax(7)):
 *
 *   [host "GLOB"]        a section and, where it is about some objects only, their names in double
 *                        quotes: everything up to the last quote, taken as fnmatch(3) has it
 *   key = value          blanks around both are cut; everything else of the value is part of it, quotes,
 *                        '#' and ';' too
 *   # text, ; text       a comment, where the line begins so (blanks may come first), and nowhere else
 *   key = one \          a backslash at the end of a line joins the next line to it, one blank between;
 *      two               comments in between are left out. Two backslashes there are two backslashes
 *
 * Lines end in LF or CR LF. Text is UTF-8, a byte order mark at its start is skipped. A line (joined ones
 * count as one) has at most CONFIG_LINE_BYTES bytes and no control characters.
 *
 * Files, and lines of a file, count in their order: of the same key in the same section the later line
 * wins, and an empty value takes back what earlier ones said. A section that comes again, with the same
 * GLOB letter by letter, goes on where it was. An object to which several sections apply gets what they
 * all say, key by key; where they say different things, that of which the section began last.
 *
 * What is wrong becomes a message and costs its own line, no more: a section whose head cannot be read
 * costs the lines below it, a NUL byte the whole file, for then it is no text. Only a tier that is none is not left out: it is
 * taken as the most careful one, sysfs.
 *
 * The sections, and the keys in each, are the structures below; CONFIG_KEYS lists them all. Times are a number
 * and its unit: 250ms, 90s, 30min, 1.5h, 7d. Sizes are bytes, or a number of K, M or G of 1024: 512K, 4M.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/vec.h"

enum { CONFIG_LINE_BYTES = 65536 };

struct config_key;

/* Where something was said. */
struct config_place {
    const char *file;
    unsigned line; /* counted from 1; of joined lines the first */
};

enum config_answer { CONFIG_UNSAID, CONFIG_NO, CONFIG_YES };

/* [host "GLOB"]: about host bus adapters, by id, kernel name, PCI address or model. */
struct config_host {
    const char *glob;
    struct config_place place; /* of the head of the section, where it began */
    unsigned given;            /* CONFIG_HOST_… that have a value */

    /* physical = yes|no: has it links of copper or glass? Told by what the hardware says of itself where
     * nobody says it here. `yes` has an emulated adapter judged as a real one; `no` takes an adapter
     * for emulated, whose links have no verdict. */
    enum config_answer physical;
    struct config_place physical_place; /* where that is said */
};

enum { CONFIG_HOST_PHYSICAL = 1 << 0 };

/* A mode by its name or by its payload. */
struct config_mode {
    const char *label; /* "Ultra160", as reports write it; NULL where it is given as a number */
    uint64_t kb_per_s; /* payload; 0 where it is given by name. Both empty: nothing was said */
};

enum {
    CONFIG_LINK_EXPECT = 1 << 0,
    CONFIG_LINK_IGNORE = 1 << 1,
    CONFIG_LINK_REASON = 1 << 2,
    CONFIG_LINK_UNTIL = 1 << 3,
    CONFIG_LINK_NEAR_BEST = 1 << 4,
    CONFIG_LINK_FAR_BEST = 1 << 5,
    CONFIG_LINK_KEYS = 6,
};

/* [link "GLOB"]: about links, by id, kernel name, and what their ends are called; by each device on them: id, H:C:T:L,
 * nodes ("sdc", "sg2", "/dev/sdc"), WWN, serial number, model; by the host: id, kernel name, PCI address, PCI ids
 * ("1000:0030"), model. The slot of a host goes by its own names alone. */
struct config_link {
    const char *glob;
    struct config_place place;                    /* of the head of the section, where it began */
    unsigned given;                               /* CONFIG_LINK_… that have a value */
    struct config_place places[CONFIG_LINK_KEYS]; /* of the values: config_link_place() */

    /* expect = LABEL | NUMBER [MB/s]: the mode that it should run at, whatever else is known. */
    struct config_mode expect;
    /* near_best, far_best = LABEL | NUMBER [MB/s]: the best that its end at the adapter, or at the device, can do:
     * for controllers and devices that no table knows, or that say it wrongly. Not used where the link runs faster,
     * which proves that it can. */
    struct config_mode near_best, far_best;
    /* ignore = yes|no: what is wrong with its mode is known: findings about how it runs are info, where all links
     * that they name are ignored (finding/catalog.h has which they are). What is lost or hangs (link-lost, path-lost,
     * device-stuck, host-resetting), and a device that reads slower than its link explains, is told as ever. Unsaid
     * is no. */
    enum config_answer ignore;
    /* reason = TEXT: why; shown where the word of this section counts. NULL: none. */
    const char *reason;
    /* until = YYYY-MM-DD: the last day (UTC; where a capture is judged, by the day on which it was taken) on which
     * this section counts, as the end of that day in microseconds since 1970; 0: for good. */
    uint64_t until_us;
};

/* How far hbad goes with a device; each tier includes those before it. */
enum config_tier {
    CONFIG_TIER_UNSAID,
    CONFIG_TIER_SYSFS,    /* no command is sent to it, by no verb */
    CONFIG_TIER_IDENTIFY, /* it is asked what it is and how it stands: INQUIRY, mode and log pages */
    CONFIG_TIER_READ,     /* it is read from, a little, to time its link */
};

/* "sysfs", "identify", "read"; NULL for unsaid, and outside the enum. */
const char *config_tier_to_string(enum config_tier tier);

/* The tier of that word, CONFIG_TIER_UNSAID for NULL and any other word. */
enum config_tier config_tier_from_word(const char *word);

/* [device "GLOB"]: about devices, by id, H:C:T:L, nodes ("sdc", "sg2", "/dev/sdc"), model, "VENDOR MODEL", serial
 * number, WWN, as far as they are known before the device is asked anything. */
struct config_device {
    const char *glob;
    struct config_place place; /* of the head of the section, where it began */
    unsigned given;            /* CONFIG_DEVICE_… that have a value */

    /* tier = sysfs | identify | read: how far hbad goes with it, whatever [probe] and udev say. `read` said here
     * also switches on what is left off otherwise: LUNs of arrays (on active/optimized paths only), devices of the
     * age of SCSI-2 and before, READ BUFFER before SPC-2. */
    enum config_tier tier;
    struct config_place tier_place; /* where that is said */
};

enum { CONFIG_DEVICE_TIER = 1 << 0 };

/* [probe]: short reads that time the links. Keys are the names here without the unit at the end of a time's; the value
 * in parentheses is in force where none is given. */
struct config_probe {
    /* How far hbad goes with devices of which nothing else is said (read). */
    enum config_tier tier;
    /* One probe reads at most so much (4M), for at most so long (1s). */
    uint64_t bytes;
    uint64_t longest_us;
    /* The time from one probe of a device to the next (24h); of a disk that may fall asleep never less than an hour, so
     * that none is kept awake. */
    uint64_t interval_us;
    /* So much is read of one device in a day (UTC) at most (64M). */
    uint64_t per_day;
    /* Are LUNs of arrays read, on active/optimized paths (no)? */
    enum config_answer arrays;
};

/* [thresholds]: from when on something is a finding. Keys are the names here without the unit at the end
 * of a time's; the number in parentheses is in force where none is given. */
struct config_thresholds {
    /* errors-growing: so many errors an hour of one counter (100); 1e-12 bit errors, which are within what
     * links may have, alone allow some tens. */
    uint64_t errors_growing_per_hour;
    /* The same for a steady drip: so many an hour (10) over all of that time (6h). */
    uint64_t errors_growing_slow_per_hour;
    uint64_t errors_growing_slow_us;
    /* Corrected PCIe errors (AER) below so many an hour are info (1000), a warning from there on. */
    uint64_t aer_info_per_hour;
    /* link-flapping: so many changes of state or mode (3) within that time (1h); over after a time
     * without any (1h). */
    uint64_t flapping_changes;
    uint64_t flapping_within_us;
    uint64_t flapping_quiet_us;
    /* device-stuck: so many commands of one device timed out (2). */
    uint64_t device_stuck_timeouts;
    /* read-below-link: reads below so many per cent (25) of what this device, or the middle one of its
     * siblings, does best, in two probes at least so far apart (30min). */
    uint64_t read_below_percent;
    uint64_t read_below_apart_us;
    /* The clock contradicts a mode above so many per cent of its payload (105). */
    uint64_t clock_margin_percent;
};

/* [daemon]: when hbad looks, and how long it waits. The time in parentheses is in force where none is given. */
struct config_daemon {
    /* Every adapter is looked at as a whole so often (24h), besides when something changes: rarely, for what is said only
     * when it is asked for, and costs. */
    uint64_t interval_us;
    /* In between the watcher reads states and modes so often (1min), */
    uint64_t watch_us;
    /* counters, and what costs to read, so often (5min), spread over that time, */
    uint64_t counters_us;
    /* and at most so many files a minute of what asks an adapter's firmware or an expander (600): each takes one up to a
     * millisecond. Where there are more, a round of counters takes longer. */
    uint64_t costly_reads;
    /* After an event, until nothing more has happened for so long (2s). */
    uint64_t settle_us;
    /* A collector that says nothing for so long is given up (20s): its device or adapter hangs. */
    uint64_t patience_us;
    /* And its adapter's devices are not asked for so long (1min), twice as long each further time, up to sixty times. */
    uint64_t quarantine_us;
    /* A finding is over when it has not been there for so long (5min). */
    uint64_t clear_after_us;
};

/* [history]: what hbad keeps of the past. The value in parentheses is in force where none is given. */
struct config_history {
    /* Everything is kept so long (7d), growth of counters and probes then by the hour, */
    uint64_t raw_us;
    /* so long (90d), then by the day, */
    uint64_t hourly_us;
    /* so long (730d). Then all is deleted, but for what holds still, and the best that each link ever ran at. */
    uint64_t keep_us;
    /* The file has at most so many bytes (256M); all times are cut before it has more. */
    uint64_t size;
};

/* A line that gave a key a value. */
struct config_said {
    const struct config_key *key;
    const char *glob;  /* of its section; NULL where that has none */
    const char *value; /* as it was written; "": it takes back what was said before */
    struct config_place place;
};

struct config {
    struct arena *arena;           /* texts */
    VEC(struct config_said) said;  /* all of it, in order: for people; the values are below */
    VEC(struct config_host) hosts; /* sections, in the order in which they began */
    VEC(struct config_link) links;
    VEC(struct config_device) devices;
    struct config_probe probe;
    struct config_thresholds thresholds;
    struct config_daemon daemon;
    struct config_history history;
};

/* A configuration in which nobody said anything: no rules, probes and thresholds as above. Returns 0 or -ENOMEM. To
 * be released by config_done() in either case, which may be given a zeroed one. */
int config_init(struct config *c);
void config_done(struct config *c);

/* Something wrong with a file. */
struct config_message {
    struct config_place place; /* line 0: with the file as a whole */
    /* Well formed, but of no section or key that is known here: written for another version, perhaps. Not a
     * reason to keep an old configuration in force. */
    bool is_warning;
    const char *text; /* one line without the place */
};

/* What was wrong, in order. Zeroed before its first use. */
struct config_messages {
    struct arena *arena;
    VEC(struct config_message) list;
    size_t n_errors; /* those that are no warnings */
};
void config_messages_done(struct config_messages *m);

/* Adds what is wrong with a file as a whole, for whoever reads files; both texts are copied. Returns 0 or -ENOMEM. */
int config_messages_add(struct config_messages *m, const char *file, const char *text);

/* Adds what a file says to the configuration, and what is wrong with it to the messages. `file` names it in
 * messages and places, and is copied; so is the text. Returns 0, however wrong the text is, or -ENOMEM:
 * then a part of it may be in. */
int config_parse(struct config *c, const char *file, struct bytes text,
                 struct config_messages *messages);

/* Is a section with that GLOB about what goes by any of these names (NULLs among them are left out)? */
bool config_glob_matches(const char *glob, const char *const *names, size_t n);

/* Does the section say anything at this time (microseconds since 1970)? */
bool config_link_counts(const struct config_link *link, uint64_t wall_us);

/* What the configuration says of a host that goes by any of these names (NULLs among them are left out).
 * `*ret_place` (may be NULL) is the line that says it; zeroed where none does. */
enum config_answer config_host_physical(const struct config *c, const char *const *names, size_t n,
                                        struct config_place *ret_place);

/* All that the configuration says, at this time (microseconds since 1970), of a link that goes by any of
 * these names, as one section: `glob` and `place` are those of the last one that says something, each value has
 * the place where it was said. Zeroed where none does. */
struct config_link config_link_rule(const struct config *c, const char *const *names, size_t n,
                                    uint64_t wall_us);

/* The tier that the configuration says of a device that goes by any of these names (NULLs among them are left out);
 * CONFIG_TIER_UNSAID where no [device] does. `*ret_place` (may be NULL) is the line that says it; zeroed where none
 * does. */
enum config_tier config_device_tier(const struct config *c, const char *const *names, size_t n,
                                    struct config_place *ret_place);

/* The line that gave a key of a section the value in force (`glob`: the section's name, NULL where it has none); NULL where none
 * did, or it was taken back. */
const struct config_said *config_said(const struct config *c, const struct config_key *key,
                                      const char *glob);

/* The line that gave the key of that CONFIG_LINK_… its value; its file is NULL where none did. */
const struct config_place *config_link_place(const struct config_link *link, unsigned key);

enum config_type {
    CONFIG_ANSWER, /* yes, true, on, 1; no, false, off, 0 */
    CONFIG_COUNT,  /* a whole number */
    CONFIG_TIME,   /* a number and ms, s, min, h or d */
    CONFIG_MODE,   /* a label, or a number of MB/s */
    CONFIG_TEXT,
    CONFIG_DATE,  /* YYYY-MM-DD */
    CONFIG_BYTES, /* a number of bytes, or of K, M or G of 1024 */
    CONFIG_TIER,  /* sysfs, identify, read */
};

/* A key, as manual pages and tests need it. */
struct config_key {
    const char *section, *name;
    enum config_type type;
    const char *standard; /* the value where none is given, as it would be written; "": none */
    const char *unit;     /* of a count; NULL for the other types */
    uint64_t least, most; /* of a count, a size in bytes, or a time in microseconds */
    const char *what;     /* what it is for, in a few words */
    size_t offset;        /* of the value in the section's structure */
    unsigned bit;         /* in its `given`; 0 where it has none */
};

extern const struct config_key CONFIG_KEYS[]; /* ends with a row without a section */
