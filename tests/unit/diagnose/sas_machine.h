/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Small SAS machines for tests: a store is filled object by object as the kernel would show them,
 * and diagnosed. One host, host0, on 0000:01:00.0.
 */
#pragma once

#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "source/replay.h"

#define HOST0  "/sys/devices/pci0000:00/0000:01:00.0/host0"
#define P(...) path_of((char[512]){ 0 }, __VA_ARGS__)

static inline const char *path_of(char *buffer, const char *a, const char *b)
{
    snprintf(buffer, 512, "%s/%s", a, b);
    return buffer;
}

static inline struct bytes text(const char *t)
{
    return (struct bytes){ (const uint8_t *)t, strlen(t) };
}

static inline void put(struct store *s, const char *dir, const char *name, enum store_kind kind,
                       const char *value)
{
    store_node node;

    assert_int_equal(store_dir(s, text(dir), &node), 0);
    assert_int_equal(store_put(s, node, text(name), kind, text(value), 0, NULL), 0);
}

static inline void put_line(struct store *s, const char *dir, const char *name, const char *value)
{
    char line[128];

    snprintf(line, sizeof(line), "%s\n", value);
    put(s, dir, name, STORE_FILE, line);
}

/* The entry is there, and reading it fails. */
static inline void refuse(struct store *s, const char *dir, const char *name, int error)
{
    store_node node;

    assert_int_equal(store_dir(s, text(dir), &node), 0);
    assert_int_equal(store_put(s, node, text(name), STORE_ERRNO, text(""), error, NULL), 0);
}

/* An object of a class with its device below `parent`. Returns its class directory, in the
 * buffer. */
static inline const char *object(struct store *s, char *buffer, const char *class, const char *name,
                                 const char *parent)
{
    char dir[64];

    snprintf(dir, sizeof(dir), "/sys/class/%s", class);
    snprintf(buffer, 512, "%s/%s/%s/%s", parent, name, class, name);
    put(s, dir, name, STORE_LINK, buffer);
    return buffer;
}

/* The host itself, of that driver. */
static inline struct store *machine(const char *driver)
{
    struct store *s = store_new();
    char dir[512];

    assert_non_null(s);
    object(s, dir, "scsi_host", "host0", "/sys/devices/pci0000:00/0000:01:00.0");
    put_line(s, dir, "proc_name", driver);
    object(s, dir, "sas_host", "host0", "/sys/devices/pci0000:00/0000:01:00.0");
    return s;
}

/* A phy below `parent`: what it runs at, its limits as programmed and of its silicon, its port
 * (or NULL). */
static inline void phy(struct store *s, const char *parent, const char *name, const char *port,
                       const char *runs, const char *maximum, const char *hardware)
{
    char dir[512];

    object(s, dir, "sas_phy", name, parent);
    put_line(s, dir, "negotiated_linkrate", runs);
    put_line(s, dir, "maximum_linkrate", maximum);
    put_line(s, dir, "maximum_linkrate_hw", hardware);
    put_line(s, dir, "enable", strcmp(runs, "Phy disabled") == 0 ? "0" : "1");
    put_line(s, dir, "invalid_dword_count", "7");
    if (port) {
        char target[256];

        snprintf(target, sizeof(target), "../%s", port);
        put(s, P(parent, name), "port", STORE_LINK, target);
    }
}

/* A port of so many phys. */
static inline void port(struct store *s, const char *parent, const char *name, unsigned n_phys)
{
    char dir[512], count[16];

    object(s, dir, "sas_port", name, parent);
    snprintf(count, sizeof(count), "%u", n_phys);
    put_line(s, dir, "num_phys", count);
}

static inline void end_device(struct store *s, const char *port_dir, const char *name,
                              const char *address, const char *protocols)
{
    char dir[512];

    object(s, dir, "sas_device", name, port_dir);
    put_line(s, dir, "sas_address", address);
    put_line(s, dir, "target_port_protocols", protocols);
}

static inline void expander(struct store *s, const char *port_dir, const char *name,
                            const char *address, const char *product)
{
    char dir[512];

    object(s, dir, "sas_device", name, port_dir);
    put_line(s, dir, "sas_address", address);
    object(s, dir, "sas_expander", name, port_dir);
    put_line(s, dir, "vendor_id", "LSI");
    put_line(s, dir, "product_id", product);
}

/* A SCSI device in a directory: "target0:0:N" is made from its H:C:T:L. */
static inline void device(struct store *s, const char *parent, const char *hctl, const char *type,
                          const char *model)
{
    char dir[512];

    snprintf(dir, sizeof(dir), "%s/target%.*s/%s", parent, (int)(strrchr(hctl, ':') - hctl), hctl,
             hctl);
    put(s, "/sys/bus/scsi/devices", hctl, STORE_LINK, dir);
    put_line(s, dir, "type", type);
    put_line(s, dir, "vendor", "LSI");
    put_line(s, dir, "model", model);
}

/* What a phy descriptor of mode page 19h/01h says, by rate codes (8: 1.5 … Ch: 22.5 Gb/s). */
struct descriptor {
    uint8_t runs, programmed, hardware, attached_phy;
    uint64_t address;
};

/* The answer to MODE SENSE(10) of page 19h/01h. */
static inline void page_phys(struct store *s, const char *hctl, const struct descriptor *d,
                             uint8_t n)
{
    static const uint8_t CDB[] = { 0x5a, 0, 0x19, 0x01, 0, 0, 0, 0x02, 0, 0 };
    uint8_t data[256] = { 0, (uint8_t)(8 - 2 + 8 + 48 * n) };
    uint8_t *page = data + 8;
    struct store_command c = { .hctl = hctl, .cdb = { CDB, sizeof(CDB) } };

    memcpy(page, (uint8_t[]){ 0x59, 1, 0, (uint8_t)(4 + 48 * n), 0, 6, 0, n }, 8);
    for (uint8_t i = 0; i < n; i++) {
        uint8_t *at = page + 8 + 48 * i;

        at[1] = i;
        at[4] = 0x10;
        at[5] = d[i].runs;
        for (int b = 0; b < 8; b++)
            at[8 + b] = (uint8_t)(d[i].address >> (56 - 8 * b));
        at[24] = d[i].attached_phy;
        at[32] = 0x88;
        at[33] = (uint8_t)(d[i].programmed << 4 | d[i].hardware);
    }
    c.data = (struct bytes){ data, (size_t)16 + 48 * n };
    assert_int_equal(store_put_command(s, &c), 0);
}

/* VPD page 89h with IDENTIFY words 76 and 77. */
static inline void page_identify(struct store *s, const char *hctl, uint16_t word76,
                                 uint16_t word77)
{
    static const uint8_t CDB[] = { 0x12, 1, 0x89, 0x02, 0x40, 0 };
    uint8_t data[572] = { 0, 0x89, 0x02, 0x38 };
    struct store_command c = { .hctl = hctl, .cdb = { CDB, sizeof(CDB) }, .data = { data, 572 } };

    data[36] = 0x34;
    data[56] = 0xec;
    data[60] = 0x40; /* word 0: not all zero */
    data[60 + 2 * 76] = (uint8_t)word76;
    data[60 + 2 * 76 + 1] = (uint8_t)(word76 >> 8);
    data[60 + 2 * 77] = (uint8_t)word77;
    data[60 + 2 * 77 + 1] = (uint8_t)(word77 >> 8);
    assert_int_equal(store_put_command(s, &c), 0);
}

/* Diagnoses the machine; frees the store. The report keeps nothing of it. */
static inline struct report *judged(struct store *s)
{
    struct source *source = replay_new(s);
    struct report *report = NULL;

    assert_non_null(source);
    assert_int_equal(diagnose(source, &(struct diagnose_options){ .level = LEVEL_ALL }, &report),
                     0);
    source_close(source);
    store_free(s);
    return report;
}

/* The link of that name is like this; labels may be NULL: no such mode. */
static inline const struct link *expect_link(const struct report *r, const char *name,
                                             enum link_state state, enum verdict verdict,
                                             const char *actual, const char *expected)
{
    const struct link *l = model_link_named(r->model, name);

    if (!l)
        fail_msg("no link %s", name);
    if (l->state != state || l->verdict != verdict)
        fail_msg("%s is %s, %s (%s)", name, link_state_to_string(l->state),
                 verdict_to_string(l->verdict), l->reason ? l->reason : "no reason");
    if (!actual != !l->actual.known || (actual && strcmp(l->actual.label, actual) != 0))
        fail_msg("%s runs at %s", name, l->actual.known ? l->actual.label : "nothing");
    if (!expected != !l->expected.known || (expected && strcmp(l->expected.label, expected) != 0))
        fail_msg("%s should run at %s", name, l->expected.known ? l->expected.label : "nothing");
    return l;
}
