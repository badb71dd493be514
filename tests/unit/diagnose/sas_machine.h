/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Small SAS machines for tests (small_machine.h): one host, host0, on 0000:01:00.0.
 */
#pragma once

#include "small_machine.h"

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

#define G3        "3.0 Gbit"
#define G6        "6.0 Gbit"
#define G12       "12.0 Gbit"

#define G3_LABEL  "3.0 Gb/s"
#define G12_LABEL "12.0 Gb/s"

enum { CODE_1_5 = 8, CODE_3 = 9, CODE_6 = 0xa, CODE_12 = 0xb };

/* A disk of that address on its own port: phy-0:N, port-0:N, end_device-0:N, 0:0:N:0. */
static inline void disk(struct store *s, unsigned n, const char *runs, const char *hardware,
                        const char *protocols)
{
    char name[32], port_name[32], end[32], hctl[32], dir[256], address[32];

    snprintf(name, sizeof(name), "phy-0:%u", n);
    snprintf(port_name, sizeof(port_name), "port-0:%u", n);
    snprintf(end, sizeof(end), "end_device-0:%u", n);
    snprintf(hctl, sizeof(hctl), "0:0:%u:0", n);
    snprintf(address, sizeof(address), "0x5000c500000000%02x", n);
    phy(s, HOST0, name, port_name, runs, hardware, hardware);
    port(s, HOST0, port_name, 1);
    snprintf(dir, sizeof(dir), "%s/%s", HOST0, port_name);
    end_device(s, dir, end, address, protocols);
    snprintf(dir, sizeof(dir), "%s/%s/%s", HOST0, port_name, end);
    device(s, dir, hctl, "0", "DISK");
}

/* The host's phys first to last in port-0:0, and the expander behind it with so many phys of its
 * own. */
static inline void shelf(struct store *s, unsigned first, unsigned last, const char *runs,
                         unsigned n_phys, const char *hardware)
{
    char name[32];

    for (unsigned i = first; i <= last; i++) {
        snprintf(name, sizeof(name), "phy-0:%u", i);
        phy(s, HOST0, name, "port-0:0", runs, G12, G12);
    }
    port(s, HOST0, "port-0:0", last - first + 1);
    expander(s, HOST0 "/port-0:0", "expander-0:0", "0x500304800000a07f", "SAS3x40");
    for (unsigned i = 0; i < n_phys; i++) {
        snprintf(name, sizeof(name), "phy-0:0:%u", i);
        phy(s, HOST0 "/port-0:0/expander-0:0", name, NULL, i <= last - first ? runs : "Unknown",
            hardware, hardware);
    }
}

#define EXPANDER HOST0 "/port-0:0/expander-0:0"
