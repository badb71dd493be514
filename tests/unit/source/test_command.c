/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two gates of command.h: which commands may be sent at all, tried exhaustively against a second
 * statement of the rule; and whom they may be sent to.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/replay.h"
#include "source/store.h"

/* ---- the allow-list ---- */

static bool zero(const uint8_t *cdb, size_t from, size_t to)
{
    for (size_t i = from; i <= to; i++)
        if (cdb[i])
            return false;
    return true;
}

static bool reads_vpd(const uint8_t *cdb)
{
    switch (cdb[2]) {
    case 0x00:
    case 0x80:
    case 0x83:
    case 0x89:
    case 0xb1:
        return true;
    }
    return false;
}

static bool reads_diagnostic(uint8_t page)
{
    return page <= 0x02 || page == 0x07 || page == 0x0a;
}

/* Rule 1 of "First, do no harm", stated once more and in another way: the command with all its bytes. What
 * the rule does not name must be zero. */
static bool only_reads(const uint8_t *cdb, size_t len)
{
    if (len == 0)
        return false;
    switch (cdb[0]) {
    case 0x00: /* TEST UNIT READY */
        return len == 6 && zero(cdb, 1, 5);
    case 0x03: /* REQUEST SENSE: DESC is free */
        return len == 6 && cdb[1] <= 1 && zero(cdb, 2, 3) && cdb[5] == 0;
    case 0x12: /* INQUIRY, standard or EVPD; not the command support data of old (CMDDT) */
        if (len != 6 || cdb[5])
            return false;
        return cdb[1] == 0 ? cdb[2] == 0 : cdb[1] == 1 && reads_vpd(cdb);
    case 0x1a: /* MODE SENSE(6): current values of 19h and subpages; DBD is free */
        return len == 6 && (cdb[1] & 0xf7) == 0 && cdb[2] == 0x19 && cdb[5] == 0;
    case 0x1c: /* RECEIVE DIAGNOSTIC RESULTS with PCV */
        return len == 6 && cdb[1] == 1 && reads_diagnostic(cdb[2]) && cdb[5] == 0;
    case 0x25: /* READ CAPACITY(10), without PMI and its address */
        return len == 10 && zero(cdb, 1, 9);
    case 0x28: /* READ(10): any address and length; no protection, DPO, FUA, group */
        return len == 10 && cdb[1] == 0 && cdb[6] == 0 && cdb[9] == 0;
    case 0x3c: /* READ BUFFER(10): any buffer, offset and length */
        return len == 10 && (cdb[1] == 0x02 || cdb[1] == 0x03 || cdb[1] == 0x0b) && cdb[9] == 0;
    case 0x4d: /* LOG SENSE, SP=0, PPC=0, cumulative values, subpage 0, from the first parameter on */
        return len == 10 && cdb[1] == 0 && (cdb[2] == 0x40 || cdb[2] == 0x58) && zero(cdb, 3, 6) &&
               cdb[9] == 0;
    case 0x5a: /* MODE SENSE(10): LLBAA and DBD are free */
        return len == 10 && (cdb[1] & 0xe7) == 0 && cdb[2] == 0x19 && zero(cdb, 4, 6) &&
               cdb[9] == 0;
    case 0x88: /* READ(16), like READ(10) */
        return len == 16 && cdb[1] == 0 && zero(cdb, 14, 15);
    case 0x9e: /* SERVICE ACTION IN(16): READ CAPACITY(16) */
        return len == 16 && cdb[1] == 0x10 && zero(cdb, 2, 9) && zero(cdb, 14, 15);
    case 0xa0: /* REPORT LUNS: the SELECT REPORT values of SPC-3 and SPC-4 */
        return len == 12 && cdb[1] == 0 && cdb[2] <= 2 && zero(cdb, 3, 5) && zero(cdb, 10, 11);
    }
    return false;
}

/* Both say the same; returns what. */
static bool expect_gate(const uint8_t *cdb, size_t len)
{
    bool allowed = !command_allowed((struct bytes){ cdb, len });

    if (allowed == only_reads(cdb, len))
        return allowed;
    for (size_t i = 0; i < len; i++)
        print_error("%02x ", cdb[i]);
    print_error("is %s\n", allowed ? "allowed" : "refused");
    fail();
    return allowed;
}

#ifdef __SANITIZE_ADDRESS__
/* All would take a minute: the lengths that commands have, and one that none has. */
static const uint8_t LENGTHS[] = { 0, 6, 10, 12, 16 };
#else
static const uint8_t LENGTHS[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
#endif

/* Operation code × service action, mode or bits of byte 1 × page or bits of byte 2 × length. */
static void every_command_with_every_length(void **state)
{
    uint8_t cdb[CDB_MAX] = { 0 };
    unsigned long allowed = 0;

    (void)state;
    for (unsigned first = 0; first < 1u << 24; first++) {
        cdb[0] = (uint8_t)(first >> 16);
        cdb[1] = (uint8_t)(first >> 8);
        cdb[2] = (uint8_t)first;
        for (size_t i = 0; i < ELEMENTS(LENGTHS); i++)
            allowed += expect_gate(cdb, LENGTHS[i]);
    }
    /* TEST UNIT READY 1, REQUEST SENSE 2, INQUIRY 1 + 5, MODE SENSE(6) 2, RECEIVE DIAGNOSTIC 5, READ
     * CAPACITY 1 + 1, READ 2 × 256 addresses, READ BUFFER 3 × 256 buffers, LOG SENSE 2, MODE SENSE(10)
     * 4, REPORT LUNS 3. */
    assert_int_equal(allowed, 1 + 2 + 6 + 2 + 5 + 2 + 512 + 768 + 2 + 4 + 3);
}

/* Commands that are allowed, and the bits that may then be set or not, by byte. */
static const struct {
    const char *cdb;
    const char *free;
} ALLOWED[] = {
    { "00 00 00 00 00 00", "00 00 00 00 00 00" },
    { "03 00 00 00 fc 00", "00 01 00 00 ff 00" },
    { "12 00 00 00 24 00", "00 01 00 ff ff 00" }, /* with EVPD it is page 00h */
    { "12 01 00 00 ff 00", "00 01 80 ff ff 00" }, /* 80h is a page too */
    { "12 01 80 00 ff 00", "00 00 80 ff ff 00" },
    { "12 01 83 00 ff 00", "00 00 00 ff ff 00" },
    { "12 01 89 02 3c 00", "00 00 00 ff ff 00" },
    { "12 01 b1 00 40 00", "00 00 00 ff ff 00" },
    { "1a 08 19 00 ff 00", "00 08 00 ff ff 00" },
    { "1c 01 00 00 ff 00", "00 00 03 ff ff 00" }, /* to pages 01h and 02h */
    { "1c 01 01 00 ff 00", "00 00 01 ff ff 00" },
    { "1c 01 02 00 ff 00", "00 00 0a ff ff 00" }, /* to 00h and 0Ah */
    { "1c 01 07 00 ff 00", "00 00 00 ff ff 00" },
    { "1c 01 0a 00 ff 00", "00 00 08 ff ff 00" },
    { "25 00 00 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 00 00 00" },
    { "28 00 00 00 00 00 00 00 08 00", "00 00 ff ff ff ff 00 ff ff 00" },
    { "3c 02 00 00 00 00 01 00 00 00", "00 01 ff ff ff ff ff ff ff 00" }, /* modes 02h and 03h */
    { "3c 03 00 00 00 00 00 00 04 00", "00 09 ff ff ff ff ff ff ff 00" }, /* 03h, 02h and 0Bh */
    { "3c 0b 00 00 00 00 00 00 04 00", "00 08 ff ff ff ff ff ff ff 00" },
    { "4d 00 40 00 00 00 00 00 ff 00", "00 00 00 00 00 00 00 ff ff 00" },
    { "4d 00 58 00 00 00 00 10 00 00", "00 00 00 00 00 00 00 ff ff 00" },
    { "5a 00 19 03 00 00 00 00 ff 00", "00 18 00 ff 00 00 00 ff ff 00" },
    { "88 00 00 00 00 00 00 00 00 00 00 00 00 08 00 00",
      "00 00 ff ff ff ff ff ff ff ff ff ff ff ff 00 00" },
    { "9e 10 00 00 00 00 00 00 00 00 00 00 00 20 00 00",
      "00 00 00 00 00 00 00 00 00 00 ff ff ff ff 00 00" },
    { "a0 00 00 00 00 00 00 00 10 00 00 00", "00 00 03 00 00 00 ff ff ff ff 00 00" },
    { "a0 00 02 00 00 00 00 00 10 00 00 00", "00 00 02 00 00 00 ff ff ff ff 00 00" },
};

static size_t parse(const char *text, uint8_t ret[CDB_MAX])
{
    size_t n = 0;

    for (char *end; *text && n < CDB_MAX; text = end)
        ret[n++] = (uint8_t)strtoul(text, &end, 16);
    return n;
}

/* Every single other bit makes it another command, which is refused. */
static void one_bit_more_or_less_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ELEMENTS(ALLOWED); i++) {
        uint8_t cdb[CDB_MAX], free_bits[CDB_MAX];
        size_t len = parse(ALLOWED[i].cdb, cdb);

        assert_int_equal(parse(ALLOWED[i].free, free_bits), len);
        assert_null(command_allowed((struct bytes){ cdb, len }));
        for (size_t bit = 0; bit < len * 8; bit++) {
            uint8_t mask = (uint8_t)(1u << bit % 8);
            const char *why;

            cdb[bit / 8] ^= mask;
            why = command_allowed((struct bytes){ cdb, len });
            /* Of the operation code a bit may lead to another allowed command: that is for the other test. */
            if (bit >= 8 && !why != !!(free_bits[bit / 8] & mask))
                print_error("%s with bit %zu: %s\n", ALLOWED[i].cdb, bit, why ? why : "allowed");
            if (bit >= 8)
                assert_int_equal(!why, !!(free_bits[bit / 8] & mask));
            expect_gate(cdb, len);
            cdb[bit / 8] ^= mask;
        }
    }
}

/* Two bits at once, and bytes of chance: the two statements of the rule agree. */
static void bytes_of_chance_are_judged_alike(void **state)
{
    uint8_t cdb[CDB_MAX];
    uint64_t seed = 1;

    (void)state;
    for (unsigned round = 0; round < 2000000; round++) {
        size_t len = parse(ALLOWED[round % ELEMENTS(ALLOWED)].cdb, cdb);

        for (unsigned flips = 0; flips < 2 + round % 3; flips++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u; /* MMIX, Knuth */
            cdb[(seed >> 33) % len] ^= (uint8_t)(1u << (seed >> 60) % 8);
        }
        expect_gate(cdb, len);
    }
}

static void smp_functions(void **state)
{
    (void)state;
    for (unsigned f = 0; f < 256; f++) {
        bool reads = false;

        switch (f) {
        case 0x00: /* REPORT GENERAL */
        case 0x01: /* REPORT MANUFACTURER INFORMATION */
        case 0x10: /* DISCOVER */
        case 0x11: /* REPORT PHY ERROR LOG */
        case 0x12: /* REPORT PHY SATA */
            reads = true;
        }
        assert_int_equal(!smp_function_allowed((uint8_t)f), reads);
    }
}

static void what_hbad_sends_is_allowed(void **state)
{
    const struct command commands[] = {
        command_inquiry(36),
        command_inquiry(96),
        command_inquiry_vpd(0x00, 255),
        command_inquiry_vpd(0x89, 572),
        command_mode_sense_10(0x19, 0x04, 255),
        command_log_sense(0x18, 4096),
        command_request_sense(),
        command_read_buffer_descriptor(),
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(commands); i++) {
        struct bytes cdb = { commands[i].cdb, commands[i].cdb_len };

        assert_null(command_allowed(cdb));
        assert_true(only_reads(cdb.data, cdb.len));
        assert_int_equal(command_transfer_bytes(cdb), commands[i].transfer_bytes);
    }
    assert_non_null(command_allowed((struct bytes){ command_mode_sense_10(0x01, 0, 255).cdb, 10 }));
    assert_non_null(command_allowed((struct bytes){ command_log_sense(0x2e, 255).cdb, 10 }));
}

static void transfer_lengths(void **state)
{
    static const struct {
        const char *cdb;
        size_t bytes;
    } ROWS[] = {
        { "00 00 00 00 00 00", 0 },
        { "03 00 00 00 fc 00", 252 },
        { "12 00 00 01 02 00", 0x102 },
        { "1a 00 19 04 c0 00", 0xc0 },
        { "1c 01 02 10 00 00", 0x1000 },
        { "25 00 00 00 00 00 00 00 00 00", 8 },
        { "28 00 00 00 00 00 00 00 08 00", 0 },
        { "3c 02 00 00 00 00 01 02 03 00", 0x10203 },
        { "4d 00 58 00 00 00 00 10 00 00", 0x1000 },
        { "5a 00 19 03 00 00 00 01 ff 00", 0x1ff },
        { "88 00 00 00 00 00 00 00 00 00 00 00 00 08 00 00", 0 },
        { "9e 10 00 00 00 00 00 00 00 00 00 00 01 20 00 00", 0x120 },
        { "a0 00 00 00 00 00 01 02 03 04 00 00", 0x1020304 },
        { "2a 00 00 00 00 00 00 00 08 00", 0 },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(ROWS); i++) {
        uint8_t cdb[CDB_MAX];
        struct bytes b = { cdb, parse(ROWS[i].cdb, cdb) };

        assert_int_equal(command_transfer_bytes(b), ROWS[i].bytes);
        assert_int_equal(command_counts_blocks(b), cdb[0] == 0x28 || cdb[0] == 0x88);
    }
}

static void hctl_form(void **state)
{
    static const char *const GOOD[] = { "0:0:0:0", "12:1:255:18446744073709551615" };
    static const char *const BAD[] = {
        "",         "0:0:0",   "0:0:0:0:0", ":0:0:0",   "0:0:0:",
        "0::0:0:0", "0:0:0:a", "-1:0:0:0",  "0:0:0:0 ", "0:0:0:0/.."
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(GOOD); i++)
        assert_true(hctl_is_valid(GOOD[i]));
    for (size_t i = 0; i < ELEMENTS(BAD); i++)
        assert_false(hctl_is_valid(BAD[i]));
}

/* ---- courtesy ---- */

static const uint8_t PAGES[] = { 0x00, 0x80, 0x83 };

/* A disk of SPC-3 that is awake; rows below change what they are about. */
#define DISK                                                            \
    .hctl = "0:0:2:0", .type = 0, .scsi_level = 6, .inquiry_bytes = 96, \
    .vpd_pages = { PAGES, sizeof(PAGES) }
#define TAPE                                                            \
    .hctl = "0:0:3:0", .type = 1, .scsi_level = 6, .inquiry_bytes = 96, \
    .vpd_pages = { PAGES, sizeof(PAGES) }
#define CHANGER                                                         \
    .hctl = "0:0:3:1", .type = 8, .scsi_level = 6, .inquiry_bytes = 96, \
    .vpd_pages = { PAGES, sizeof(PAGES) }

#define INQUIRY_36  "12 00 00 00 24 00"
#define INQUIRY_96  "12 00 00 00 60 00"
#define INQUIRY_97  "12 00 00 00 61 00"
#define VPD_00      "12 01 00 00 ff 00"
#define VPD_83      "12 01 83 00 ff 00"
#define VPD_89      "12 01 89 02 3c 00"
#define MODE_19     "5a 00 19 03 00 00 00 00 ff 00"
#define MODE_19_6   "1a 00 19 00 ff 00"
#define LOG_00      "4d 00 40 00 00 00 00 00 ff 00"
#define LOG_18      "4d 00 58 00 00 00 00 10 00 00"
#define SENSE       "03 00 00 00 fc 00"
#define READY       "00 00 00 00 00 00"
#define READ_10     "28 00 00 00 00 00 00 00 08 00"
#define READ_16     "88 00 00 00 00 00 00 00 00 00 00 00 00 08 00 00"
#define BUFFER      "3c 02 00 00 00 00 01 00 00 00"
#define BUFFER_DESC "3c 03 00 00 00 00 00 00 04 00"
#define ECHO_DESC   "3c 0b 00 00 00 00 00 00 04 00"
#define CAPACITY    "25 00 00 00 00 00 00 00 00 00"
#define LUNS        "a0 00 00 00 00 00 00 00 10 00 00 00"
#define ENCLOSURE   "1c 01 02 10 00 00"

static const struct {
    struct command_target target;
    const char *cdb;
    const char *why; /* part of it; NULL: may be asked */
} COURTESY[] = {
    /* A modern disk is asked all but reads. */
    { { DISK }, INQUIRY_96, NULL },
    { { DISK }, VPD_00, NULL },
    { { DISK }, VPD_83, NULL },
    { { DISK }, MODE_19, NULL },
    { { DISK }, LOG_18, NULL },
    { { DISK }, SENSE, NULL },
    { { DISK }, READY, NULL },
    { { DISK }, CAPACITY, NULL },
    { { DISK }, LUNS, NULL },
    { { DISK }, BUFFER_DESC, NULL },
    { { DISK }, ECHO_DESC, NULL },
    { { DISK }, BUFFER, "not switched on" },
    { { DISK }, READ_10, "not switched on" },
    { { DISK }, READ_16, "not switched on" },
    { { DISK, .flags = TARGET_READS }, BUFFER, NULL },
    { { DISK, .flags = TARGET_READS }, READ_10, NULL },
    { { DISK, .flags = TARGET_READS }, READ_16, NULL },
    { { DISK, .flags = TARGET_NAMED | TARGET_FORCED }, READ_10, "not switched on" },
    { { .hctl = "0:0:9:0", .type = 0x0d, .scsi_level = 6 }, ENCLOSURE, NULL },
    { { .hctl = "0:0:9:0", .type = -1, .scsi_level = 6 }, INQUIRY_36, "type is not known" },

    /* Rule 3: tapes and changers. */
    { { TAPE }, INQUIRY_96, "unless named" },
    { { TAPE }, MODE_19, "unless named" },
    { { TAPE }, SENSE, "unless named" },
    { { TAPE, .flags = TARGET_FORCED }, MODE_19, "unless named" },
    { { TAPE, .flags = TARGET_NAMED }, INQUIRY_96, NULL },
    { { TAPE, .flags = TARGET_NAMED }, INQUIRY_97, "longer" },
    { { TAPE, .flags = TARGET_NAMED }, VPD_00, "--force" },
    { { TAPE, .flags = TARGET_NAMED }, VPD_83, "--force" },
    { { TAPE, .flags = TARGET_NAMED }, MODE_19, "--force" },
    { { TAPE, .flags = TARGET_NAMED }, LOG_18, "--force" },
    { { TAPE, .flags = TARGET_NAMED | TARGET_FORCED }, MODE_19, NULL },
    { { TAPE, .flags = TARGET_NAMED | TARGET_FORCED }, MODE_19_6, NULL },
    { { TAPE, .flags = TARGET_NAMED | TARGET_FORCED }, LOG_18, NULL },
    { { TAPE, .flags = TARGET_NAMED | TARGET_FORCED }, LOG_00, "--force" },
    { { TAPE, .flags = TARGET_NAMED | TARGET_FORCED }, VPD_83, "--force" },
    { { TAPE, .flags = TARGET_NAMED | TARGET_FORCED }, SENSE, "--force" },
    { { TAPE, .flags = TARGET_NAMED | TARGET_FORCED }, READY, "--force" },
    { { TAPE, .flags = TARGET_NAMED | TARGET_FORCED }, LUNS, "--force" },
    { { TAPE, .flags = TARGET_NAMED | TARGET_FORCED }, BUFFER_DESC, "--force" },
    { { TAPE, .flags = TARGET_NAMED | TARGET_FORCED | TARGET_READS }, BUFFER, "--force" },
    { { CHANGER }, INQUIRY_36, "unless named" },
    { { CHANGER, .flags = TARGET_NAMED }, INQUIRY_36, NULL },
    { { CHANGER, .flags = TARGET_NAMED }, MODE_19, "--force" },
    { { CHANGER, .flags = TARGET_NAMED | TARGET_FORCED }, LOG_18, NULL },

    /* Rule 4: sleepers, whatever is switched on. */
    { { DISK, .flags = TARGET_ASLEEP }, INQUIRY_36, "sleeps" },
    { { DISK, .flags = TARGET_ASLEEP | TARGET_NAMED | TARGET_FORCED | TARGET_READS },
      SENSE,
      "sleeps" },
    { { TAPE, .flags = TARGET_ASLEEP | TARGET_NAMED }, INQUIRY_36, "sleeps" },

    /* Rule 5: old and odd devices. */
    { { DISK }, INQUIRY_97, "longer" },
    { { .hctl = "0:0:2:0", .scsi_level = 6 }, INQUIRY_36, NULL },
    { { .hctl = "0:0:2:0", .scsi_level = 6 }, INQUIRY_96, "longer" },
    { { DISK }, VPD_89, "does not list" },
    { { .hctl = "0:0:2:0", .scsi_level = 6 }, VPD_00, NULL },
    { { .hctl = "0:0:2:0", .scsi_level = 6 }, VPD_83, "does not list" },
    { { .hctl = "0:0:2:0", .scsi_level = 5 }, VPD_00, NULL },
    { { .hctl = "0:0:2:0", .scsi_level = 4 }, VPD_00, "below SPC-2" },
    { { .hctl = "0:0:2:0", .scsi_level = 3 }, VPD_00, "below SPC-2" },
    { { .hctl = "0:0:2:0", .scsi_level = -1 }, VPD_00, "below SPC-2" },
    { { .hctl = "0:0:2:0", .scsi_level = 4, .kernel_shows_vpd = true }, VPD_00, NULL },
    { { .hctl = "0:0:2:0", .scsi_level = 4, .kernel_shows_vpd = true }, VPD_83, "does not list" },
    { { .hctl = "0:0:2:0", .scsi_level = 4, .kernel_shows_vpd = true, .vpd_pages = { PAGES, 3 } },
      VPD_83,
      NULL },
    { { .hctl = "0:0:2:0", .scsi_level = 3 }, INQUIRY_36, NULL },
    { { .hctl = "0:0:2:0", .scsi_level = 3 }, MODE_19, NULL },
    { { .hctl = "0:0:2:0", .scsi_level = 4 }, LOG_00, "below SPC-2" },
    { { .hctl = "0:0:2:0", .scsi_level = 4 }, LOG_18, "below SPC-2" },
    { { .hctl = "0:0:2:0", .scsi_level = -1 }, LOG_18, "below SPC-2" },
    { { .hctl = "0:0:2:0", .scsi_level = 5 }, LOG_18, NULL },
    { { .hctl = "0:0:2:0", .scsi_level = 4, .flags = TARGET_READS }, LOG_18, "below SPC-2" },
    { { .hctl = "0:0:2:0", .scsi_level = 4 }, BUFFER_DESC, "below SPC-2" },
    { { .hctl = "0:0:2:0", .scsi_level = 4 }, BUFFER, "below SPC-2" },
    { { .hctl = "0:0:2:0", .scsi_level = 4, .flags = TARGET_READS }, BUFFER_DESC, NULL },
    { { .hctl = "0:0:2:0", .scsi_level = 3, .flags = TARGET_READS }, BUFFER, NULL },
    { { DISK, .flags = TARGET_SYSFS_ONLY }, INQUIRY_36, "USB" },
    { { DISK, .flags = TARGET_SYSFS_ONLY | TARGET_NAMED | TARGET_FORCED | TARGET_READS },
      SENSE,
      "USB" },

    /* Rule 6: arrays. */
    { { DISK, .flags = TARGET_ARRAY }, INQUIRY_96, NULL },
    { { DISK, .flags = TARGET_ARRAY }, READ_10, "not switched on" },
    { { DISK, .flags = TARGET_ARRAY | TARGET_ACTIVE_PATH }, READ_10, "not switched on" },
    { { DISK, .flags = TARGET_ARRAY | TARGET_READS }, READ_10, "not active/optimized" },
    { { DISK, .flags = TARGET_ARRAY | TARGET_READS }, READ_16, "not active/optimized" },
    { { DISK, .flags = TARGET_ARRAY | TARGET_READS }, BUFFER, "not active/optimized" },
    { { DISK, .flags = TARGET_ARRAY | TARGET_READS | TARGET_ACTIVE_PATH }, READ_10, NULL },
    { { DISK, .flags = TARGET_ARRAY | TARGET_READS | TARGET_ACTIVE_PATH }, BUFFER, NULL },
};

static void courtesy_by_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < ELEMENTS(COURTESY); i++) {
        uint8_t cdb[CDB_MAX];
        struct bytes b = { cdb, parse(COURTESY[i].cdb, cdb) };
        const char *why = command_courtesy(&COURTESY[i].target, b), *want = COURTESY[i].why;

        assert_null(command_allowed(b));
        if (!why != !want || (want && !strstr(why, want)))
            print_error("row %zu (%s): %s, not %s\n", i, COURTESY[i].cdb, why ? why : "asked",
                        want ? want : "asked");
        assert_int_equal(!why, !want);
        assert_true(!want || strstr(why, want));
    }
}

/* Rule 2. */
static void time_limits_are_long(void **state)
{
    (void)state;
    assert_int_equal(command_timeout_s(&(struct command_target){ .timeout_s = 0 }), 60);
    assert_int_equal(command_timeout_s(&(struct command_target){ .timeout_s = 30 }), 60);
    assert_int_equal(command_timeout_s(&(struct command_target){ .timeout_s = 61 }), 61);
    assert_int_equal(command_timeout_s(&(struct command_target){ .timeout_s = 900 }), 900);
}

/* ---- both, as every source has them in front ---- */

/* Courtesy holds where asking costs; a capture gives what it holds. */
static void the_source_says_whether_asking_costs(void **state)
{
    struct store *store = store_new();
    struct source *s = replay_new(store);
    struct command read = { { 0x28, [8] = 1 }, 10, 512 }, write = { { 0x2a, [8] = 1 }, 10, 512 };
    struct command room = command_inquiry(36);
    struct command_target disk = { DISK };
    struct answer a;

    (void)state;
    assert_int_equal(source_command(s, &disk, &read, &a), 0);
    assert_int_equal(a.error, ENODATA);
    s->asking_costs = true;
    assert_int_equal(source_command(s, &disk, &read, &a), 0);
    assert_int_equal(a.error, EPERM);
    assert_non_null(strstr(a.refused, "not switched on"));
    s->asking_costs = false;
    assert_int_equal(source_command(s, &disk, &write, &a), 0);
    assert_int_equal(a.error, EPERM);
    assert_non_null(a.refused);
    room.transfer_bytes = 35;
    assert_int_equal(source_command(s, &disk, &room, &a), 0);
    assert_int_equal(a.error, EPERM);
    assert_non_null(strstr(a.refused, "room"));
    source_close(s);
    store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_with_every_length),
        cmocka_unit_test(one_bit_more_or_less_is_refused),
        cmocka_unit_test(bytes_of_chance_are_judged_alike),
        cmocka_unit_test(smp_functions),
        cmocka_unit_test(what_hbad_sends_is_allowed),
        cmocka_unit_test(transfer_lengths),
        cmocka_unit_test(hctl_form),
        cmocka_unit_test(courtesy_by_rule),
        cmocka_unit_test(time_limits_are_long),
        cmocka_unit_test(the_source_says_whether_asking_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
