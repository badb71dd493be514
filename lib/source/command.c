/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two gates of command.h, and what is known of each command's form.
 *
 * One row an operation code (and service action, where it decides) says everything: length, where the
 * allocation length stands, which bits may be set, which pages may be asked.
 */
#include "source/command.h"

#include <string.h>

#include "base/cleanup.h"

enum { MODE_PAGE_PORT = 0x19, LOG_PAGE_SUPPORTED = 0x00, LOG_PAGE_PORT = 0x18 };

/* Page or mode lists end with -1. */
static const int16_t VPD_PAGES[] = { 0x00, 0x80, 0x83, 0x89, 0xb1, -1 };
static const int16_t MODE_PAGES[] = { MODE_PAGE_PORT, -1 };
static const int16_t LOG_PAGES[] = { LOG_PAGE_SUPPORTED, LOG_PAGE_PORT, -1 };
static const int16_t DIAGNOSTIC_PAGES[] = { 0x00, 0x01, 0x02, 0x07, 0x0a, -1 };
static const int16_t READ_BUFFER_MODES[] = { 0x02, 0x03, 0x0b, -1 };
static const int16_t REPORT_LUNS_SELECT[] = { 0x00, 0x01, 0x02, -1 };
static const int16_t READ_CAPACITY_16[] = { 0x10, -1 };

struct form {
    uint8_t opcode;
    uint8_t cdb_len;
    uint8_t length_at, length_bytes; /* of the allocation or transfer length; 0 bytes: none */
    bool length_is_blocks;           /* READ: the length counts blocks, not bytes */
    uint8_t choice_at, choice_mask;  /* the page, mode or service action ... */
    const int16_t *choices;          /* ... and the values it may have; NULL: no choice */
    /* Bits that may be set besides the choice and the length; the control byte is never among them. */
    uint8_t may[CDB_MAX];
    /* Bits that must be set. */
    uint8_t must[CDB_MAX];
    bool length_in_key; /* the length is part of what is asked */
};

/* SPC-4 clause 6, SBC-3 clause 5, SES-3 clause 4; bits by byte of the CDB. */
static const struct form FORMS[] = {
    { OP_TEST_UNIT_READY, 6, .length_in_key = true },
    { OP_REQUEST_SENSE, 6, 4, 1, .may = { [1] = 0x01 /* DESC */ } },
    { OP_INQUIRY, 6, 3, 2, .may = { [1] = 0x01 /* EVPD */, [2] = 0xff } }, /* pages: below */
    { OP_MODE_SENSE_6, 6, 4, 1, false, 2, 0xff, MODE_PAGES,
      .may = { [1] = 0x08 /* DBD */, [3] = 0xff /* subpage */ } },
    { OP_RECEIVE_DIAGNOSTIC, 6, 3, 2, false, 2, 0xff, DIAGNOSTIC_PAGES, .may = { [1] = 0x01 },
      .must = { [1] = 0x01 /* PCV */ } },
    { OP_READ_CAPACITY_10, 10, .length_in_key = true },
    { OP_READ_10, 10, 7, 2, true, .may = { [2] = 0xff, 0xff, 0xff, 0xff }, .length_in_key = true },
    { OP_READ_BUFFER_10, 10, 6, 3, false, 1, 0xff, READ_BUFFER_MODES,
      .may = { [2] = 0xff, 0xff, 0xff, 0xff } },
    /* LOG SENSE, cumulative values: PC is 01b, above the page in byte 2. */
    { OP_LOG_SENSE, 10, 7, 2, false, 2, 0x3f, LOG_PAGES, .may = { [2] = 0x40 },
      .must = { [2] = 0x40 } },
    { OP_MODE_SENSE_10, 10, 7, 2, false, 2, 0xff, MODE_PAGES,
      .may = { [1] = 0x18 /* LLBAA, DBD */, [3] = 0xff } },
    { OP_READ_16, 16, 10, 4, true, .may = { [2] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
      .length_in_key = true },
    { OP_SERVICE_ACTION_IN_16, 16, 10, 4, false, 1, 0xff, READ_CAPACITY_16 },
    { OP_REPORT_LUNS, 12, 6, 4, false, 2, 0xff, REPORT_LUNS_SELECT },
};

static const struct form *form_of(struct bytes cdb)
{
    for (size_t i = 0; i < ELEMENTS(FORMS); i++)
        if (cdb.len && FORMS[i].opcode == cdb.data[0])
            return &FORMS[i];
    return NULL;
}

static bool is_in(const int16_t *list, int value)
{
    for (; *list >= 0; list++)
        if (*list == value)
            return true;
    return false;
}

static bool in_length_field(const struct form *f, size_t at)
{
    return at >= f->length_at && at < (size_t)f->length_at + f->length_bytes;
}

const char *command_allowed(struct bytes cdb)
{
    const struct form *f = form_of(cdb);

    if (!f)
        return "the command is not among those that only read";
    if (cdb.len != f->cdb_len)
        return "the command has the wrong length";
    if (f->choices && !is_in(f->choices, cdb.data[f->choice_at] & f->choice_mask))
        return "this page, mode or service action is not asked";
    for (size_t i = 1; i < cdb.len; i++) {
        uint8_t may = f->may[i];

        if (in_length_field(f, i))
            may = 0xff;
        else if (f->choices && i == f->choice_at)
            may |= f->choice_mask;
        if (cdb.data[i] & ~may || (cdb.data[i] & f->must[i]) != f->must[i])
            return "a bit that changes the command's meaning is set wrongly";
    }
    if (f->opcode == OP_INQUIRY) {
        bool evpd = cdb.data[1] & 0x01;

        if (evpd ? !is_in(VPD_PAGES, cdb.data[2]) : cdb.data[2] != 0)
            return "this vital product data page is not asked";
    }
    return NULL;
}

const char *smp_function_allowed(uint8_t function)
{
    static const int16_t FUNCTIONS[] = { 0x00, 0x01, 0x10, 0x11, 0x12, -1 };

    return is_in(FUNCTIONS, function) ? NULL : "the SMP function is not among those that only read";
}

bool command_counts_blocks(struct bytes cdb)
{
    const struct form *f = form_of(cdb);

    return f && f->length_is_blocks;
}

bool command_reads_data(struct bytes cdb)
{
    uint8_t opcode = bytes_at(cdb, 0);

    /* Of READ BUFFER, the descriptors (modes 03h, 0Bh) are no data. */
    return opcode == OP_READ_10 || opcode == OP_READ_16 ||
           (opcode == OP_READ_BUFFER_10 && (bytes_at(cdb, 1) & 0x1f) == 0x02);
}

bool device_type_is_disk(int type)
{
    return type == 0x00 || type == 0x0e || type == 0x14;
}

bool hctl_is_valid(const char *text)
{
    unsigned colons = 0;

    for (const char *c = text; *c; c++) {
        if (*c == ':' && (c == text || c[-1] == ':' || !c[1]))
            return false;
        if (*c == ':')
            colons++;
        else if (*c < '0' || *c > '9')
            return false;
    }
    return colons == 3;
}

/* Tapes and changers (rule 3): a command can swallow the unit attention that tells the tape driver that
 * its position is lost. */
static const char *courtesy_to_tape(const struct command_target *t, struct bytes cdb)
{
    bool asks_port_page = cdb.data[0] == OP_MODE_SENSE_10 || cdb.data[0] == OP_MODE_SENSE_6 ||
                          (cdb.data[0] == OP_LOG_SENSE && (cdb.data[2] & 0x3f) == LOG_PAGE_PORT);

    if (!(t->flags & TARGET_NAMED))
        return "tapes and changers are not asked unless named";
    if (cdb.data[0] == OP_INQUIRY && !(cdb.data[1] & 0x01))
        return NULL;
    if (asks_port_page && t->flags & TARGET_FORCED)
        return NULL;
    return "tapes and changers are asked for more than INQUIRY only with --force";
}

/* Old devices (rule 5). */
static const char *courtesy_to_age(const struct command_target *t, struct bytes cdb)
{
    bool evpd = cdb.data[0] == OP_INQUIRY && cdb.data[1] & 0x01;

    if (cdb.data[0] == OP_INQUIRY && !evpd) {
        size_t known = t->inquiry_bytes ? t->inquiry_bytes : 36;

        return command_transfer_bytes(cdb) > known ? "an INQUIRY longer than the kernel's own"
                                                   : NULL;
    }
    if (evpd && t->scsi_level < 5 && !t->kernel_shows_vpd)
        return "vital product data is not asked below SPC-2";
    if (evpd && cdb.data[2] != 0 &&
        (!t->vpd_pages.len || !memchr(t->vpd_pages.data, cdb.data[2], t->vpd_pages.len)))
        return "the device does not list this page";
    if (t->scsi_level <= 4 && cdb.data[0] == OP_LOG_SENSE)
        return "LOG SENSE is not asked below SPC-2";
    if (t->scsi_level <= 4 && cdb.data[0] == OP_READ_BUFFER_10 && !(t->flags & TARGET_READS))
        return "READ BUFFER is not asked below SPC-2 where reads are not switched on";
    return NULL;
}

const char *command_courtesy(const struct command_target *t, struct bytes cdb)
{
    const char *why;

    if (!cdb.len)
        return "no command";
    if (t->flags & TARGET_SYSFS_ONLY)
        return "devices behind USB bridges are not asked";
    if (t->flags & TARGET_ASLEEP)
        return "it sleeps, and a command would wake it";
    if (t->type < 0)
        return "its device type is not known";
    if (t->type == 0x01 || t->type == 0x08) {
        why = courtesy_to_tape(t, cdb);
        if (why)
            return why;
    }
    why = courtesy_to_age(t, cdb);
    if (why)
        return why;
    if (!command_reads_data(cdb))
        return NULL;
    if (!(t->flags & TARGET_READS))
        return "reads are not switched on";
    if (t->flags & TARGET_ARRAY && !(t->flags & TARGET_ACTIVE_PATH))
        return "a read on a path that is not active/optimized can move the LUN";
    return NULL;
}

unsigned command_timeout_s(const struct command_target *target)
{
    return target->timeout_s > 60 ? target->timeout_s : 60;
}

size_t command_transfer_bytes(struct bytes cdb)
{
    const struct form *f = form_of(cdb);
    size_t n = 0;

    for (size_t i = 0; f && !f->length_is_blocks && i < f->length_bytes; i++)
        n = n << 8 | bytes_at(cdb, (size_t)f->length_at + i);
    if (f && f->opcode == OP_READ_CAPACITY_10)
        n = 8;
    return n;
}

/* Keeps of a key only the bytes of the mask. */
static void keep_only(uint8_t key[CDB_MAX], const uint8_t mask[CDB_MAX])
{
    for (size_t i = 0; i < CDB_MAX; i++)
        key[i] &= mask[i];
}

void command_key(struct bytes cdb, uint8_t ret_key[CDB_MAX])
{
    static const uint8_t INQUIRY[CDB_MAX] = { 0xff, 0x01 /* EVPD */, 0xff };
    static const uint8_t STANDARD_INQUIRY[CDB_MAX] = { 0xff };
    static const uint8_t MODE[CDB_MAX] = { 0, 0, 0xff /* page control, page */, 0xff };
    static const uint8_t LOG[CDB_MAX] = { 0xff, 0, 0xff /* page control, page */, 0xff };
    static const uint8_t BUFFER[CDB_MAX] = { 0xff, 0x1f /* mode */, 0xff, 0xff, 0xff, 0xff };
    const struct form *f = form_of(cdb);
    size_t len = cdb.len < CDB_MAX ? cdb.len : CDB_MAX;

    memset(ret_key, 0, CDB_MAX);
    if (len)
        memcpy(ret_key, cdb.data, len - 1); /* but the control byte */
    for (size_t i = 0; f && !f->length_in_key && i < f->length_bytes; i++)
        ret_key[f->length_at + i] = 0;
    switch (bytes_at(cdb, 0)) {
    case OP_INQUIRY:
        keep_only(ret_key, ret_key[1] & 0x01 ? INQUIRY : STANDARD_INQUIRY);
        break;
    case OP_MODE_SENSE_6:
    case OP_MODE_SENSE_10:
        keep_only(ret_key, MODE);
        ret_key[0] = OP_MODE_SENSE_10;
        break;
    case OP_LOG_SENSE:
        keep_only(ret_key, LOG);
        break;
    case OP_READ_BUFFER_10:
        keep_only(ret_key, BUFFER);
        break;
    }
}

const char *command_name(struct bytes cdb)
{
    static const char *const NAMES[] = {
        [OP_TEST_UNIT_READY] = "TEST UNIT READY",
        [OP_REQUEST_SENSE] = "REQUEST SENSE",
        [OP_INQUIRY] = "INQUIRY",
        [OP_MODE_SENSE_6] = "MODE SENSE(6)",
        [OP_RECEIVE_DIAGNOSTIC] = "RECEIVE DIAGNOSTIC RESULTS",
        [OP_READ_CAPACITY_10] = "READ CAPACITY(10)",
        [OP_READ_10] = "READ(10)",
        [OP_READ_BUFFER_10] = "READ BUFFER(10)",
        [OP_LOG_SENSE] = "LOG SENSE",
        [OP_MODE_SENSE_10] = "MODE SENSE(10)",
        [OP_READ_16] = "READ(16)",
        [OP_SERVICE_ACTION_IN_16] = "SERVICE ACTION IN(16)",
        [OP_REPORT_LUNS] = "REPORT LUNS",
    };
    uint8_t opcode = bytes_at(cdb, 0);

    return cdb.len && opcode < sizeof(NAMES) / sizeof(NAMES[0]) ? NAMES[opcode] : NULL;
}

static void put_be(uint8_t *at, size_t n, size_t value)
{
    for (; n; n--, value >>= 8)
        at[n - 1] = (uint8_t)value;
}

struct command command_inquiry(size_t room)
{
    struct command c = { { OP_INQUIRY }, 6, room };

    put_be(c.cdb + 3, 2, room);
    return c;
}

struct command command_inquiry_vpd(uint8_t page, size_t room)
{
    struct command c = command_inquiry(room);

    c.cdb[1] = 0x01;
    c.cdb[2] = page;
    return c;
}

struct command command_mode_sense_10(uint8_t page, uint8_t subpage, size_t room)
{
    struct command c = { { OP_MODE_SENSE_10, 0x00, page, subpage }, 10, room };

    put_be(c.cdb + 7, 2, room);
    return c;
}

struct command command_log_sense(uint8_t page, size_t room)
{
    struct command c = { { OP_LOG_SENSE, 0x00, (uint8_t)(0x40 | page) }, 10, room };

    put_be(c.cdb + 7, 2, room);
    return c;
}

struct command command_request_sense(void)
{
    return (struct command){ { OP_REQUEST_SENSE, 0x00, 0x00, 0x00, SENSE_MAX }, 6, SENSE_MAX };
}

struct command command_read_buffer_descriptor(void)
{
    return (struct command){ { OP_READ_BUFFER_10, 0x03, 0, 0, 0, 0, 0, 0, 4 }, 10, 4 };
}
