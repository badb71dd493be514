/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The readings of reading.h, except those of mode pages (reading_page19.c). Each writes members of
 * the object that is open.
 */
#include "reading.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "decode/designator.h"
#include "decode/identify.h"
#include "decode/inquiry.h"
#include "decode/modesense.h"
#include "decode/protopage.h"
#include "decode/rotation.h"
#include "decode/saslog.h"
#include "decode/sense.h"
#include "decode/vpd.h"
#include "reading_page19.h"

static void set_number(struct json_writer *w, const char *key, uint64_t n)
{
    json_write_key(w, key);
    json_write_u64(w, n);
}

/* A number that may not be reported: null then. */
static void set_reported(struct json_writer *w, const char *key, bool reported, uint64_t n)
{
    json_write_key(w, key);
    if (reported)
        json_write_u64(w, n);
    else
        json_write_null(w);
}

static void set_string(struct json_writer *w, const char *key, const char *text)
{
    json_write_key(w, key);
    json_write_string(w, text);
}

/* Text the way those programs print it: padding cut at both ends. */
static void set_text(struct json_writer *w, const char *key, struct bytes b)
{
    while (b.len > 0 && (b.data[b.len - 1] == ' ' || b.data[b.len - 1] == 0))
        b.len--;
    while (b.len > 0 && b.data[0] == ' ')
        b = bytes_slice(b, 1, b.len);
    json_write_key(w, key);
    json_write_string_bytes(w, b);
}

static void set_hex(struct json_writer *w, const char *key, struct bytes b)
{
    char out[2 + 2 * 255 + 1] = "0x";

    for (size_t i = 0; i < b.len; i++)
        sprintf(out + 2 + 2 * i, "%02x", b.data[i]);
    set_string(w, key, out);
}

static void set_hex_number(struct json_writer *w, const char *key, uint64_t n)
{
    char out[20];

    sprintf(out, "0x%llx", (unsigned long long)n);
    set_string(w, key, out);
}

static int read_inquiry(struct bytes data, struct json_writer *w)
{
    struct inquiry i;
    int r = inquiry_decode(data, &i);

    if (r < 0)
        return r;
    set_number(w, "type", i.type);
    set_number(w, "removable", i.removable);
    set_number(w, "version", i.version);
    set_number(w, "response_format", i.response_format);
    set_number(w, "multiport", i.multiport);
    set_number(w, "wbus16", i.wbus16);
    set_number(w, "sync", i.sync);
    set_number(w, "cmdque", i.cmdque);
    set_reported(w, "clocking", i.has_byte56, i.clocking);
    set_reported(w, "qas", i.has_byte56, i.qas);
    set_reported(w, "ius", i.has_byte56, i.ius);
    set_number(w, "length", i.length);
    set_text(w, "vendor", i.vendor);
    set_text(w, "product", i.product);
    set_text(w, "revision", i.revision);
    return 0;
}

static const char *const DESIGNATOR_TYPES[16] = {
    [DESIGNATOR_VENDOR] = "vendor specific",
    [DESIGNATOR_T10] = "T10 vendor identification",
    [DESIGNATOR_EUI64] = "EUI-64 based",
    [DESIGNATOR_NAA] = "NAA",
    [DESIGNATOR_RELATIVE_PORT] = "Relative target port",
    [DESIGNATOR_PORT_GROUP] = "Target port group",
    [DESIGNATOR_UNIT_GROUP] = "Logical unit group",
    [DESIGNATOR_MD5] = "MD5 logical unit identifier",
    [DESIGNATOR_NAME] = "SCSI name string",
    [DESIGNATOR_PROTOCOL_PORT] = "Protocol specific port identifier",
    [DESIGNATOR_UUID] = "UUID identifier",
};

static void write_designator(struct json_writer *w, const struct designator *d)
{
    json_write_begin_object(w);
    set_number(w, "association", d->association);
    set_string(w, "type", DESIGNATOR_TYPES[d->type] ? DESIGNATOR_TYPES[d->type] : "reserved");
    if (d->has_protocol)
        set_number(w, "protocol", d->protocol);
    switch (d->type) {
    case DESIGNATOR_T10:
        set_text(w, "vendor", bytes_slice(d->id, 0, 8));
        break;
    case DESIGNATOR_NAA:
    case DESIGNATOR_EUI64:
        set_hex(w, "value", d->id);
        break;
    case DESIGNATOR_RELATIVE_PORT:
    case DESIGNATOR_PORT_GROUP:
    case DESIGNATOR_UNIT_GROUP:
        set_hex_number(w, "value", (uint64_t)bytes_at(d->id, 2) << 8 | bytes_at(d->id, 3));
        break;
    case DESIGNATOR_NAME:
        set_text(w, "value", d->id);
        break;
    default:
        break;
    }
    json_write_end_object(w);
}

/* sg_vpd lists designators by association. */
static int read_vpd83(struct bytes data, struct json_writer *w)
{
    char name[DESIGNATOR_NAME_MAX];
    struct designator_walk walk;
    struct designator_port port;
    struct designator d;
    int r = designator_port(data, &port);

    json_write_key(w, "designators");
    json_write_begin_array(w);
    for (unsigned association = 0; r == 0 && association < 3; association++) {
        r = designator_walk(data, &walk);
        while (r == 0 && designator_next(&walk, &d))
            if (d.association == association)
                write_designator(w, &d);
    }
    json_write_end_array(w);
    if (r < 0)
        return r;
    if (designator_unit_name(data, name, sizeof(name)) > 0)
        set_string(w, "wwid", name);
    if (port.has_naa)
        set_hex_number(w, "port_naa", port.naa);
    if (port.has_relative)
        set_number(w, "relative_port", port.relative);
    return 0;
}

static int read_vpd89(struct bytes data, struct json_writer *w)
{
    struct identify id;
    struct vpd_ata ata;
    int r = vpd_ata_information(data, &ata);

    if (r == 0)
        r = identify_decode(ata.identify, &id);
    if (r < 0)
        return r;
    set_text(w, "sat_vendor", ata.sat_vendor);
    set_text(w, "sat_product", ata.sat_product);
    set_string(w, "signature", ata.serial ? "SATA" : "PATA");
    set_number(w, "command", ata.command);
    set_text(w, "model", (struct bytes){ id.model, sizeof(id.model) });
    set_text(w, "firmware", (struct bytes){ id.firmware, sizeof(id.firmware) });
    set_number(w, "word_76", id.word[76]);
    set_number(w, "word_77", id.word[77]);
    set_number(w, "word_217", id.word[217]);
    set_number(w, "word_222", id.word[222]);
    set_number(w, "highest_generation", id.sata_highest);
    return 0;
}

static int read_vpd00(struct bytes data, struct json_writer *w)
{
    struct vpd vpd;
    int r = vpd_decode(data, VPD_SUPPORTED_PAGES, &vpd);

    json_write_key(w, "pages");
    json_write_begin_array(w);
    for (unsigned code = 0; r == 0 && code < 256; code++)
        if (vpd_lists(&vpd, (uint8_t)code))
            json_write_u64(w, code);
    json_write_end_array(w);
    return r;
}

static int read_vpd80(struct bytes data, struct json_writer *w)
{
    struct bytes serial;
    int r = vpd_serial_number(data, &serial);

    if (r == 0)
        set_text(w, "serial", serial);
    return r;
}

static int read_vpdb1(struct bytes data, struct json_writer *w)
{
    uint16_t rpm;
    int r = vpd_rotation(data, &rpm);

    if (r == -ENODATA)
        set_string(w, "rotation", "not reported");
    else if (r == 0 && rpm == ROTATION_NONE)
        set_string(w, "rotation", "non-rotating");
    else if (r == 0)
        set_number(w, "rotation", rpm);
    return r == -ENODATA ? 0 : r;
}

static const char *attached_type(uint8_t type)
{
    static const char *const TYPES[] = {
        [SAS_ATTACHED_NONE] = "no device attached",
        [SAS_ATTACHED_END_DEVICE] = "SAS or SATA device",
        [SAS_ATTACHED_EXPANDER] = "expander device",
        [SAS_ATTACHED_FANOUT] = "expander device (fanout)",
    };
    return type < ELEMENTS(TYPES) ? TYPES[type] : "reserved";
}

/* sg_logs' words for a logical link rate. */
static const char *rate_words(uint8_t rate_code)
{
    static const char *const STATES[SAS_STATE_MAX] = {
        [SAS_STATE_UNKNOWN] = "phy enabled; unknown rate",
        [SAS_STATE_DISABLED] = "phy disabled",
        [SAS_STATE_RESET_PROBLEM] = "phy enabled; speed negotiation failed",
        [SAS_STATE_SPINUP_HOLD] = "phy enabled; SATA spinup hold state",
        [SAS_STATE_PORT_SELECTOR] = "phy enabled; port selector",
        [SAS_STATE_RESETTING] = "phy enabled; reset in progress",
        [SAS_STATE_UNSUPPORTED] = "phy enabled; unsupported phy attached",
        [SAS_STATE_RESERVED] = "reserved",
    };

    switch (sas_rate_mbps(rate_code)) {
    case 1500:
        return "1.5 Gbps";
    case 3000:
        return "3 Gbps";
    case 6000:
        return "6 Gbps";
    case 12000:
        return "12 Gbps";
    case 22500:
        return "22.5 Gbps";
    default:
        return STATES[sas_state_of(rate_code)];
    }
}

static void write_log_phy(struct json_writer *w, struct saslog_phy *p)
{
    struct saslog_event event;

    json_write_begin_object(w);
    set_number(w, "phy", p->phy.phy);
    set_string(w, "attached SAS device type", attached_type(p->phy.attached_type));
    set_string(w, "negotiated logical link rate", rate_words(p->phy.logical_rate));
    set_hex_number(w, "SAS address", p->phy.address);
    set_hex_number(w, "attached SAS address", p->phy.attached_address);
    set_number(w, "attached phy identifier", p->phy.attached_phy);
    set_number(w, "Invalid DWORD count", p->invalid_dword);
    set_number(w, "Running disparity error count", p->running_disparity);
    set_number(w, "Loss of DWORD synchronization count", p->loss_of_sync);
    set_number(w, "Phy reset problem count", p->reset_problem);
    json_write_key(w, "events");
    json_write_begin_array(w);
    while (saslog_next_event(p, &event))
        json_write_u64(w, event.value);
    json_write_end_array(w);
    json_write_end_object(w);
}

static int read_log18(struct bytes data, struct json_writer *w)
{
    struct saslog_port port;
    struct saslog_phy phy;
    struct saslog log;
    int r = saslog_decode(data, &log);

    json_write_key(w, "ports");
    json_write_begin_array(w);
    while (r == 0 && saslog_next_port(&log, &port)) {
        json_write_begin_object(w);
        set_number(w, "port", port.relative_id);
        json_write_key(w, "phys");
        json_write_begin_array(w);
        while (saslog_next_phy(&port, &phy))
            write_log_phy(w, &phy);
        json_write_end_array(w);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    return r;
}

static int read_sense(struct bytes data, struct json_writer *w)
{
    struct sense s;
    int r = sense_decode(data, &s);

    if (r < 0)
        return r;
    json_write_key(w, "deferred");
    json_write_bool(w, s.deferred);
    set_number(w, "key", s.key);
    set_number(w, "asc", s.asc);
    set_number(w, "ascq", s.ascq);
    if (s.has_information)
        set_hex_number(w, "information", s.information);
    else
        set_string(w, "information", NULL);
    return 0;
}

/* A whole answer of MODE SENSE: its first page of code 19h, as sdparm picks it. */
static int read_modesense(struct bytes data, enum modesense_form form, struct json_writer *w)
{
    struct modesense_walk walk;
    struct modesense m;
    struct mode_page p;
    int r = modesense_decode(data, form, &m);

    if (r < 0)
        return r;
    walk = (struct modesense_walk){ cursor_over(m.pages) };
    while (modesense_next(&walk, &p))
        if (p.page == PROTOPAGE_CODE)
            return reading_page19(p.bytes, w);
    return -ENODATA;
}

static int read_modesense6(struct bytes data, struct json_writer *w)
{
    return read_modesense(data, MODESENSE_6, w);
}

static int read_modesense10(struct bytes data, struct json_writer *w)
{
    return read_modesense(data, MODESENSE_10, w);
}

static const struct {
    const char *decoder;
    int (*read)(struct bytes data, struct json_writer *w);
} READERS[] = {
    { "inquiry", read_inquiry },
    { "vpd00", read_vpd00 },
    { "vpd80", read_vpd80 },
    { "vpd83", read_vpd83 },
    { "vpd89", read_vpd89 },
    { "vpdb1", read_vpdb1 },
    { "page19", reading_page19 },
    { "modesense6", read_modesense6 },
    { "modesense10", read_modesense10 },
    { "log18", read_log18 },
    { "sense", read_sense },
};

int reading(const char *decoder, struct bytes data, struct json_writer *w)
{
    for (size_t i = 0; i < ELEMENTS(READERS); i++) {
        int r;

        if (strcmp(READERS[i].decoder, decoder) != 0)
            continue;
        json_write_begin_object(w);
        r = READERS[i].read(data, w);
        json_write_end_object(w);
        return r;
    }
    return -ENOENT;
}
