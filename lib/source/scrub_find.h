/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where identities stand in a capture: finders that take one value (a sysfs file, a udev property, the
 * answer to a command) and mark what in it names a device, host or port, and how it is written there.
 * Scrubbing asks them twice: to learn all identities, and to replace them.
 *
 * A finder never fails on what it is given: of a page that breaks off, what is there is marked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/vec.h"

/* How an identity is written. */
enum writing {
    WRITTEN_HEX,       /* hex digits: a 64- or 128-bit identifier */
    WRITTEN_MAC,       /* 12 hex digits */
    WRITTEN_EXTENSION, /* 16 hex digits: the lower half of a 128-bit identifier */
    WRITTEN_BINARY,    /* 8 or 16 bytes, big-endian */
    WRITTEN_WORDS,     /* 4 words of ATA IDENTIFY data: their bytes are swapped */
    WRITTEN_SERIAL,    /* a serial number as text */
    WRITTEN_SWAPPED,   /* a serial number in ATA IDENTIFY data: bytes swapped, padded with spaces */
    WRITTEN_OPAQUE,    /* bytes without a known form */
    WRITTEN_IQN,       /* an iSCSI name as text */
    WRITTEN_HOST,      /* a host name */
    WRITTEN_IP,        /* an IPv4 or IPv6 address as text */
    WRITTEN_ROUTE, /* 8 hex digits of /proc/net/route; arg: prefix length, and 100h where bytes are swapped */
    WRITTEN_CHECKSUM, /* the last word of IDENTIFY data, a checksum over the 510 bytes before it */
};

struct span {
    size_t start, len;
    enum writing writing;
    unsigned arg;
    bool guess; /* it may be an identity: replaced here, unless something known is in it, and not
                   looked for elsewhere */
};

/* In the order of their start, without overlaps, but that guesses may overlap everything. */
struct spans {
    struct span *v;
    size_t n, cap;
};

/* What a file is, as far as its place tells. */
enum zone {
    ZONE_SYSFS,
    ZONE_PROC_SCSI, /* below /proc/scsi: texts that drivers write for people */
    ZONE_ROUTE,     /* /proc/net/route */
    ZONE_CMDLINE,   /* /proc/cmdline */
    ZONE_MODPROBE,  /* below /etc/modprobe.d */
    ZONE_MOUNTS,    /* mountinfo */
    ZONE_SWAPS,     /* /proc/swaps */
    ZONE_MAPS,      /* below /sys/devices/virtual/block: device-mapper maps and md arrays */
    ZONE_PROPS,     /* no file: a udev property */
};

/* Marks what is in a file (or property) of that name. Returns 0 or -ENOMEM. */
int scrub_find_in_file(struct bytes name, enum zone zone, struct bytes value, struct spans *ret);

/* Marks what gives itself away in any text: "naa.5000c500…", "eui.…", "0x5000c500…", "iqn.…". */
int scrub_find_evident(struct bytes text, struct spans *ret);

/* As scrub_find_in_file() for the data of a command's answer. */
int scrub_find_in_answer(struct bytes cdb, struct bytes data, struct spans *ret);

/* The same for binary files that sysfs has under these names; false where it is no such file. */
bool scrub_find_in_page_file(struct bytes name, struct bytes value, struct spans *ret,
                             int *ret_error);

/* Is this the sysfs file with IDENTIFY data as text ("id" of an ata_device)? Then its bytes go to
 * scrub_find_in_identify(). */
bool scrub_is_identify_text(struct bytes name, struct bytes value);
int scrub_find_in_identify(struct bytes identify, size_t at, struct spans *ret);

/* Is the value never kept: a user name or password of iSCSI? */
bool scrub_is_secret(struct bytes name);

/* Does the command transfer somebody's data (READ, READ BUFFER in data mode)? Never kept. */
bool scrub_is_user_data(struct bytes cdb);

/* Does everybody need this file or property as it is (vendor, model, state, …)? What stands in one of
 * these is no identity that is looked for everywhere, whatever else claims it. */
bool scrub_is_public(struct bytes name);

/* Marks serial numbers and addresses in what drivers print below /proc/scsi. */
int scrub_find_in_proc_scsi(struct bytes text, struct spans *ret);

/* Marks in mountinfo and /proc/swaps what people have named: directories that not every system has, maps. */
int scrub_find_in_mounts(struct bytes text, struct spans *ret);
int scrub_find_in_swaps(struct bytes text, struct spans *ret);

/* Marks the name of a map, and in its UUID what is not the name of its kind. */
int scrub_find_in_map(struct bytes name, struct bytes value, struct spans *ret);

/* Marks the addresses in /proc/net/route. */
int scrub_find_routes(struct bytes text, struct spans *ret);

/* ---- for finders ---- */

/* Adds a span; of one that overlaps the one before, nothing. */
int span_add(struct spans *s, struct span span);

/* A span over `part`, which lies in `value`. */
struct span span_over(struct bytes value, struct bytes part, enum writing writing);

/* Can the text be a serial number or name? Not: nothing, one character repeated, a placeholder
 * ("unknown", "(null)"), a PCI address. */
bool text_is_identity(struct bytes text);

/* White space, or NUL. */
bool byte_is_padding(uint8_t c);

/* Adds a serial number that stands in value[start, start+len): without the padding around it, and only
 * where it can be one. */
int span_add_serial(struct spans *s, struct bytes value, size_t start, size_t len, bool guess);

/* Marks the addresses in text whose only hex numbers of that length are addresses. */
int span_add_hex(struct spans *s, struct bytes value, size_t start, size_t len);

/* Marks a T10 vendor identification designator (SPC-4 7.8.6.4) of that place. */
int span_add_t10(struct spans *s, struct bytes value, size_t start, size_t len);

/* A run of hex digits with or without ':' or '-' between equal groups of them. */
struct hex_run {
    size_t start, end;
    unsigned digits;
    unsigned group; /* digits between separators; 0 without separators */
};

/* The run that starts at `at`; digits is 0 where none does. */
struct hex_run hex_run_at(struct bytes text, size_t at);

/* Where the last `digits` digits of the run start. */
size_t hex_run_tail(struct bytes text, const struct hex_run *run, unsigned digits);

/* Is it the text, cut at its end? */
bool bytes_are(struct bytes b, const char *text);

/* Without white space and NULs around it. */
struct bytes bytes_trimmed(struct bytes b);
