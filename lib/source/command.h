/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SCSI commands that may be asked, and of whom: "First, do no harm".
 *
 * Two gates, both pure and both passed by every command (source_command()):
 * - command_allowed(): an allow-list by what a command does (operation code, service action, page and
 *   the bits that change its meaning). Live and replay refuse alike.
 * - command_courtesy(): may this device be asked this, now? Only where asking reaches hardware.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { CDB_MAX = 16, SENSE_MAX = 252 };

/* Operation codes (SPC-4 table D.2, SBC-3 table 16). */
enum {
    OP_TEST_UNIT_READY = 0x00,
    OP_REQUEST_SENSE = 0x03,
    OP_INQUIRY = 0x12,
    OP_MODE_SENSE_6 = 0x1a,
    OP_RECEIVE_DIAGNOSTIC = 0x1c,
    OP_READ_CAPACITY_10 = 0x25,
    OP_READ_10 = 0x28,
    OP_READ_BUFFER_10 = 0x3c,
    OP_LOG_SENSE = 0x4d,
    OP_MODE_SENSE_10 = 0x5a,
    OP_READ_16 = 0x88,
    OP_SERVICE_ACTION_IN_16 = 0x9e,
    OP_REPORT_LUNS = 0xa0,
};

struct command {
    uint8_t cdb[CDB_MAX];
    size_t cdb_len;
    size_t transfer_bytes; /* room for data-in; what the allocation length in the CDB says */
};

/* Device flags: what is known of a device that decides what it may be asked. */
enum {
    TARGET_SYSFS_ONLY = 1 << 0, /* behind a bridge that commands have crashed: usb-storage, uas */
    TARGET_ASLEEP = 1 << 1,     /* it, or what is above it, is runtime-suspended or on standby */
    TARGET_NAMED = 1 << 2,      /* the request names this device */
    TARGET_FORCED = 1 << 3,     /* the request says --force */
    TARGET_READS = 1 << 4,      /* reads are switched on for it (tier `read`) */
    TARGET_ARRAY = 1 << 5, /* LUN of an array: FC, iSCSI, SRP, or one WWID over several targets */
    TARGET_ACTIVE_PATH = 1 << 6, /* access_state is active/optimized */
};

/* Of whom a command is asked. */
struct command_target {
    const char *hctl; /* "0:0:2:0" */
    int type;         /* peripheral device type, e.g. 0x00 disk, 0x01 tape; -1 not known */
    int scsi_level;   /* the kernel's number: 3 SCSI-2, 4 SPC, 5 SPC-2, 6 SPC-3; -1 not known */
    unsigned flags;
    unsigned timeout_s;     /* of the device (sysfs `timeout`); 0 not known */
    size_t inquiry_bytes;   /* length of the kernel's own INQUIRY data; 0 not known */
    struct bytes vpd_pages; /* page codes that VPD page 00h lists; empty where not known */
    bool kernel_shows_vpd;  /* sysfs has vpd_pg* files for it */
};

struct answer {
    int error; /* 0, or a positive errno: not sent (EACCES, ENODEV, EPERM by our rules), not recorded
                  (ENODATA), or given up (ETIMEDOUT) */
    const char *refused; /* with EPERM: why, a constant text */
    uint8_t status; /* SAM status: 0 GOOD, 2 CHECK CONDITION, 8 BUSY, 18h RESERVATION CONFLICT */
    uint16_t host_status; /* DID_*: include/scsi/scsi_status.h; 0 DID_OK, 3 DID_TIME_OUT */
    uint16_t driver_status;
    struct bytes data, sense; /* borrowed until the source is closed */
    size_t residual;          /* of transfer_bytes */
    uint64_t duration_us;
};

/* May this command be sent at all? NULL, or a constant text that says why not. Checks the whole CDB:
 * its length, every bit that is not needed, the control byte. */
const char *command_allowed(struct bytes cdb);

/* May this SMP function be asked (REPORT GENERAL, REPORT MANUFACTURER INFORMATION, DISCOVER, REPORT PHY
 * ERROR LOG, REPORT PHY SATA: SPL-4 table 297)? As command_allowed(). */
const char *smp_function_allowed(uint8_t function);

/* May this device be asked this allowed command? NULL, or a constant text that says why not. Of the
 * rules 2 to 6 of "First, do no harm" it decides what one command and the target's flags can decide. The
 * caller's part: when a sleeper may be asked and REQUEST SENSE before it (rule 4), page 19h only once
 * below SPC-2 (rule 5), one LUN a link (rule 6). */
const char *command_courtesy(const struct command_target *target, struct bytes cdb);

/* Seconds a command may take before the kernel acts on it: never below max(60, the device's own),
 * because a limit that passes makes the kernel reset LUN, target, bus and host. */
unsigned command_timeout_s(const struct command_target *target);

/* What a command asks, without how much room it gave: two commands with equal keys have the same
 * answer (CAPTURE.md, "Replay"). MODE SENSE(6) and (10) share a key. Always CDB_MAX bytes. */
void command_key(struct bytes cdb, uint8_t ret_key[CDB_MAX]);

/* The allocation (transfer) length a CDB asks for; 0 where it has none. */
size_t command_transfer_bytes(struct bytes cdb);

/* READ(10) and READ(16): the transfer length counts blocks of a size that the CDB does not know. */
bool command_counts_blocks(struct bytes cdb);

/* Is what it transfers the content of a medium or of a data buffer (READ, READ BUFFER mode 02h)? Such
 * data is measured, never stored. */
bool command_reads_data(struct bytes cdb);

/* What the standards call the operation of a CDB: "INQUIRY", "READ(10)"; NULL for one that is never sent. */
const char *command_name(struct bytes cdb);

/* Is it a peripheral device type of a disk: direct access, simplified direct access, host-managed zones (SPC-5 table of
 * peripheral device types; ZBC 5.3)? Of other types reading can move, load or take away something. */
bool device_type_is_disk(int type);

/* Is the text H:C:T:L, four decimal numbers, as the kernel names devices? */
bool hctl_is_valid(const char *text);

/* Builders of the commands that hbad sends. `room` is the allocation length. */
struct command command_inquiry(size_t room);
struct command command_inquiry_vpd(uint8_t page, size_t room);
struct command command_mode_sense_10(uint8_t page, uint8_t subpage, size_t room);
struct command command_log_sense(uint8_t page, size_t room);
struct command command_request_sense(void);
struct command command_read_buffer_descriptor(void);
