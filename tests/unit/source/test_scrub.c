/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scrubbing, kind by kind: what is replaced in small captures, what stays, and that the same identity
 * becomes the same wherever it stands. Longer than most files: there are many kinds.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/scrub.h"
#include "source/store.h"

static const struct scrub_key KEY = { "fedcba9876543210" };

/* A store before and after. */
struct pair {
    struct store *in, *out;
};

static struct pair begin(void)
{
    struct pair p = { store_new(), store_new() };

    assert_non_null(p.in);
    assert_non_null(p.out);
    return p;
}

static void end(struct pair *p)
{
    store_free(p->in);
    store_free(p->out);
}

static struct bytes text(const char *t)
{
    return (struct bytes){ (const uint8_t *)t, strlen(t) };
}

static void put_bytes(struct pair *p, const char *dir, const char *name, struct bytes value)
{
    store_node node;

    assert_int_equal(store_dir(p->in, text(dir), &node), 0);
    assert_int_equal(store_put(p->in, node, text(name), STORE_FILE, value, 0, NULL), 0);
}

static void put(struct pair *p, const char *dir, const char *name, const char *value)
{
    put_bytes(p, dir, name, text(value));
}

static void put_link(struct pair *p, const char *dir, const char *name, const char *target)
{
    store_node node;

    assert_int_equal(store_dir(p->in, text(dir), &node), 0);
    assert_int_equal(store_put(p->in, node, text(name), STORE_LINK, text(target), 0, NULL), 0);
}

static void put_prop(struct pair *p, const char *device, const char *name, const char *value)
{
    assert_int_equal(store_put_prop(p->in, text(device), text(name), text(value), NULL), 0);
}

static void put_command(struct pair *p, const char *cdb, size_t cdb_len, const void *data,
                        size_t len)
{
    struct store_command c = { .hctl = "0:0:0:0",
                               .cdb = { (const uint8_t *)cdb, cdb_len },
                               .data = { data, len } };

    assert_int_equal(store_put_command(p->in, &c), 0);
}

static void scrub(struct pair *p)
{
    assert_int_equal(scrub_store(p->in, p->out, &KEY), 0);
}

/* The scrubbed text of a file; NULL where there is none. */
static const char *got(const struct pair *p, const char *path)
{
    store_node node = store_resolve(p->out, path, true);

    return node == STORE_NO_NODE ? NULL : (const char *)store_value_of(p->out, node).data;
}

static const char *got_prop(const struct pair *p, const char *device, const char *name)
{
    store_node node = store_find_prop(p->out, device, name);

    assert_int_not_equal(node, STORE_NO_NODE);
    return (const char *)store_value_of(p->out, node).data;
}

static char *serial_of(const char *in)
{
    char *out = strdup(in);

    scrub_serial(&KEY, text(in), (uint8_t *)out);
    return out;
}

static void expect_text(const char *value, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void expect_text(const char *value, const char *format, ...)
{
    char want[512];
    va_list args;

    va_start(args, format);
    vsnprintf(want, sizeof(want), format, args);
    va_end(args);
    assert_non_null(value);
    assert_string_equal(value, want);
}

#define DISK 0x5000c500a1b2c301
#define PORT 0x5000c500a1b2c302

static void addresses_in_sysfs(void **state)
{
    struct pair p = begin();
    uint64_t disk = scrub_wwn(&KEY, DISK);

    (void)state;
    put(&p, "/sys/a", "sas_address", "0x5000c500a1b2c301\n");
    put(&p, "/sys/a", "wwid", "naa.5000c500a1b2c301\n");
    put(&p, "/sys/b", "wwid", "eui.0024ff0102030405\n");
    put(&p, "/sys/b", "unique_id", "5000C500A1B2C301\n");
    put(&p, "/sys/c", "unique_id", "3\n");
    put(&p, "/sys/c", "port_id", "0x010200\n");
    put(&p, "/sys/c", "fabric_name", "0xffffffffffffffff\n");
    put(&p, "/sys/c", "node_name", "0x0\n");
    put(&p, "/sys/c", "enclosure_identifier", "0x24ff0102030405\n");
    put(&p, "/sys/c", "hex", "50:00:C5:00:A1:B2:C3:01 x35000c500a1b2c301y 5000c500a1b2c30\n");
    put(&p, "/sys/c", "stats", "0x5000c400a1b2c301 ignored: nothing with that OUI but itself\n");
    put(&p, "/sys/d", "sgid", "fe80:0000:0000:0000:0002:c903:00a0:5de2\n");
    put(&p, "/sys/d", "ioc_guid", "0x0002c90300a05de2\n");
    put(&p, "/sys/d", "wwid_of_volume", "naa.600508b1001c0123456789abcdef0123\n");
    scrub(&p);
    expect_text(got(&p, "/sys/a/sas_address"), "0x%" PRIx64 "\n", disk);
    expect_text(got(&p, "/sys/a/wwid"), "naa.%" PRIx64 "\n", disk);
    expect_text(got(&p, "/sys/b/unique_id"), "%" PRIX64 "\n", disk);
    expect_text(got(&p, "/sys/b/wwid"), "eui.%016" PRIx64 "\n",
                scrub_wwn(&KEY, 0x0024ff0102030405));
    expect_text(got(&p, "/sys/c/unique_id"), "3\n");
    expect_text(got(&p, "/sys/c/port_id"), "0x010200\n");
    expect_text(got(&p, "/sys/c/fabric_name"), "0xffffffffffffffff\n");
    expect_text(got(&p, "/sys/c/node_name"), "0x0\n");
    expect_text(got(&p, "/sys/c/enclosure_identifier"), "0x%" PRIx64 "\n",
                scrub_wwn(&KEY, 0x24ff0102030405));
    expect_text(got(&p, "/sys/c/hex"),
                "%02X:%02X:%02X:%02X:%02X:%02X:%02X:%02X x3%" PRIx64 "y 5000c500a1b2c30\n",
                (unsigned)(disk >> 56), (unsigned)(disk >> 48 & 0xff),
                (unsigned)(disk >> 40 & 0xff), (unsigned)(disk >> 32 & 0xff),
                (unsigned)(disk >> 24 & 0xff), (unsigned)(disk >> 16 & 0xff),
                (unsigned)(disk >> 8 & 0xff), (unsigned)(disk & 0xff), disk);
    expect_text(got(&p, "/sys/c/stats"),
                "0x%" PRIx64 " ignored: nothing with that OUI but itself\n",
                scrub_wwn(&KEY, 0x5000c400a1b2c301));
    assert_memory_equal(got(&p, "/sys/d/sgid"), "fe80:0000:0000:0000:0002:c90", 28);
    assert_int_equal(strtoull(got(&p, "/sys/d/ioc_guid"), NULL, 16),
                     scrub_wwn(&KEY, 0x0002c90300a05de2));
    assert_memory_equal(got(&p, "/sys/d/wwid_of_volume"), "naa.600508b", 11);
    assert_string_not_equal(got(&p, "/sys/d/wwid_of_volume"),
                            "naa.600508b1001c0123456789abcdef0123\n");
    end(&p);
}

static void serial_numbers_everywhere(void **state)
{
    struct pair p = begin();
    char *serial = serial_of("ZA1LSB77"), *wd = serial_of("WD-WCC4N1234567"),
         *shorty = serial_of("184012"), *odd = serial_of("50 00001");
    static const char VPD80[] = "\0\x80\0\x14ZA1LSB77            ";

    (void)state;
    put_command(&p, "\x12\x01\x80\0\xfc\0", 6, VPD80, 24);
    put(&p, "/sys/a", "serial_number", "WD-WCC4N1234567\n");
    put(&p, "/sys/b", "serial", "184012\n");
    put(&p, "/sys/root_hub", "serial", "0000:00:14.0\n");
    put(&p, "/sys/c", "serial", "(null)\n");
    put(&p, "/sys/d", "serial", "00000000\n");
    put(&p, "/sys/e", "serial", "ST8000NM\n");
    put(&p, "/sys/e", "model", "ST8000NM0075    \n");
    put(&p, "/sys/a", "notes", "disk za1lsb77, xZA1LSB77x, 184012, WD-WCC4N1234567\n");
    put_prop(&p, "/sys/a", "ID_SERIAL", "WDC_WD40EFRX-68WT0N0_WD-WCC4N1234567");
    put_prop(&p, "/sys/a", "ID_SERIAL_SHORT", "WD-WCC4N1234567");
    put_prop(&p, "/sys/a", "ID_MODEL", "WDC_WD40EFRX-68WT0N0");
    put_prop(
        &p, "/sys/a", "DEVLINKS",
        "/dev/disk/by-id/ata-WDC_WD40EFRX-68WT0N0_WD-WCC4N1234567 /dev/disk/by-id/usb-X_184012-0:0");
    put_prop(&p, "/sys/b", "ID_SERIAL", "QUANTUM_DLT7000_PXA12");
    put_prop(&p, "/sys/c", "ID_SERIAL_SHORT", "50 00001");
    put_prop(&p, "/sys/c", "DEVLINKS", "/dev/disk/by-id/scsi-SHITACHI_50_00001");
    put_prop(&p, "/sys/d", "ID_SERIAL", "35000c500a1b2c301");
    scrub(&p);
    expect_text(got(&p, "/sys/a/serial_number"), "%s\n", wd);
    expect_text(got(&p, "/sys/b/serial"), "%s\n", shorty);
    expect_text(got(&p, "/sys/root_hub/serial"), "0000:00:14.0\n");
    expect_text(got(&p, "/sys/c/serial"), "(null)\n");
    expect_text(got(&p, "/sys/d/serial"), "00000000\n");
    /* A serial number that is the model's beginning is replaced where it stands, and not in the model. */
    assert_string_not_equal(got(&p, "/sys/e/serial"), "ST8000NM\n");
    expect_text(got(&p, "/sys/e/model"), "ST8000NM0075    \n");
    /* A mere number stays in text: it may be any number. */
    assert_non_null(strstr(got(&p, "/sys/a/notes"), " 184012, "));
    assert_non_null(strstr(got(&p, "/sys/a/notes"), wd));
    assert_non_null(strstr(got(&p, "/sys/a/notes"), serial));
    assert_null(strcasestr(got(&p, "/sys/a/notes"), "ZA1LSB77"));
    expect_text(got_prop(&p, "/sys/a", "ID_SERIAL"), "WDC_WD40EFRX-68WT0N0_%s", wd);
    expect_text(got_prop(&p, "/sys/a", "ID_SERIAL_SHORT"), "%s", wd);
    expect_text(got_prop(&p, "/sys/a", "DEVLINKS"),
                "/dev/disk/by-id/ata-WDC_WD40EFRX-68WT0N0_%s /dev/disk/by-id/usb-X_%s-0:0", wd,
                shorty);
    assert_memory_equal(got_prop(&p, "/sys/b", "ID_SERIAL"), "QUANTUM_DLT7000_", 16);
    assert_string_not_equal(got_prop(&p, "/sys/b", "ID_SERIAL"), "QUANTUM_DLT7000_PXA12");
    odd[2] = '_';
    expect_text(got_prop(&p, "/sys/c", "DEVLINKS"), "/dev/disk/by-id/scsi-SHITACHI_%s", odd);
    expect_text(got_prop(&p, "/sys/d", "ID_SERIAL"), "3%" PRIx64, scrub_wwn(&KEY, DISK));
    free(serial);
    free(wd);
    free(shorty);
    free(odd);
    end(&p);
}

static void names_of_hosts(void **state)
{
    struct pair p = begin();
    struct taken taken = {
        .hostname = "db7.example.net", .kernel = "6.1.0", .machine = "x86_64", .wall_us = 5
    };

    (void)state;
    assert_int_equal(store_set_taken(p.in, &taken), 0);
    put(&p, "/sys/a", "symbolic_name",
        "Emulex LPe12000 FV2.02A0 DV12.6.0.4 HN:db7.example.net. OS:Linux\n");
    put(&p, "/sys/b", "symbolic_name", "Emulex LPe12000 HN:elsewhere OS:Linux\n");
    put(&p, "/sys/c", "symbolic_name", "QLE2562 FW:v8.08.231 DVR:v10.01.00.19-k\n");
    put(&p, "/sys/a", "system_hostname", "db7.example.net\n");
    put(&p, "/sys/a", "system_hostname2", "name db7.example.net, DB7X\n");
    scrub(&p);
    assert_string_equal(store_taken(p.out)->hostname, "host-1");
    assert_string_equal(store_taken(p.out)->kernel, "6.1.0");
    assert_true(store_taken(p.out)->scrubbed);
    assert_int_equal(store_taken(p.out)->wall_us, 5);
    expect_text(got(&p, "/sys/a/symbolic_name"),
                "Emulex LPe12000 FV2.02A0 DV12.6.0.4 HN:host-1. OS:Linux\n");
    expect_text(got(&p, "/sys/b/symbolic_name"), "Emulex LPe12000 HN:host-1 OS:Linux\n");
    expect_text(got(&p, "/sys/c/symbolic_name"), "QLE2562 FW:v8.08.231 DVR:v10.01.00.19-k\n");
    expect_text(got(&p, "/sys/a/system_hostname"), "host-1\n");
    expect_text(got(&p, "/sys/a/system_hostname2"), "name host-1, DB7X\n");
    end(&p);
}

/* A machine that is called like something else. */
static void a_host_name_breaks_nothing(void **state)
{
    struct pair p = begin();
    struct taken taken = { .hostname = "running" };

    (void)state;
    assert_int_equal(store_set_taken(p.in, &taken), 0);
    put(&p, "/sys/a/running", "state", "running\n");
    put_link(&p, "/sys/b", "device", "../a/running");
    scrub(&p);
    expect_text(got(&p, "/sys/b/device/state"), "running\n");
    end(&p);
}

static void names_and_passwords_of_iscsi(void **state)
{
    static const char IQN[] = "iqn.2026-01.com.example:array.lun0";
    struct pair p = begin();
    char name[] = "iqn.2026-01.com.example:array.lun0";
    const char *devlinks;

    (void)state;
    put(&p, "/sys/s/session1", "targetname", "iqn.2026-01.com.example:array.lun0\n");
    put(&p, "/sys/s/session1", "username", "joe\n");
    put(&p, "/sys/s/session1", "password", "geheim-1\n");
    put(&p, "/sys/s/session1", "username_in", "joe2\n");
    put(&p, "/sys/s/session1", "password_in", "geheim-2\n");
    put(&p, "/sys/s/session1", "state", "LOGGED_IN\n");
    put(&p, "/sys/h", "initiatorname", "(null)\n");
    put_prop(&p, "/sys/x", "ID_PATH",
             "ip-192.168.1.3:3260-iscsi-iqn.2026-01.com.example:array.lun0-lun-1");
    scrub(&p);
    scrub_iqn(&KEY, text(IQN), (uint8_t *)name);
    expect_text(got(&p, "/sys/s/session1/targetname"), "%s\n", name);
    expect_text(got(&p, "/sys/s/session1/state"), "LOGGED_IN\n");
    assert_null(got(&p, "/sys/s/session1/username"));
    assert_null(got(&p, "/sys/s/session1/password"));
    assert_null(got(&p, "/sys/s/session1/username_in"));
    assert_null(got(&p, "/sys/s/session1/password_in"));
    expect_text(got(&p, "/sys/h/initiatorname"), "(null)\n");
    devlinks = got_prop(&p, "/sys/x", "ID_PATH");
    assert_memory_equal(devlinks, "ip-192.168.", 11);
    assert_non_null(strstr(devlinks, name));
    assert_string_equal(devlinks + strlen(devlinks) - 6, "-lun-1");
    end(&p);
}

static void addresses_stay_in_their_networks(void **state)
{
    struct pair p = begin();
    char want[64];
    const char *address, *route;
    unsigned third;

    (void)state;
    put(&p, "/sys/c", "address", "192.168.1.3\n");
    put(&p, "/sys/c", "persistent_address", "192.168.1.3\n");
    put(&p, "/sys/h", "ipaddress", "192.168.1.10\n");
    put(&p, "/sys/bus/pci/slots/1", "address", "0000:03:00\n");
    put(&p, "/proc/net", "route",
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        "eno1\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
        "eno1\t00000000\tFE01A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
        "eno2\t0000090A\t00000000\t0001\t0\t0\t0\t00F0FFFF\t0\t0\t0\n");
    scrub(&p);
    address = got(&p, "/sys/c/address");
    assert_string_not_equal(address, "192.168.1.3\n");
    assert_string_equal(address, got(&p, "/sys/c/persistent_address"));
    assert_memory_equal(address, got(&p, "/sys/h/ipaddress"),
                        (size_t)(strrchr(address, '.') - address));
    expect_text(got(&p, "/sys/bus/pci/slots/1/address"), "0000:03:00\n");
    /* The route is still the network's. */
    route = got(&p, "/proc/net/route");
    third = (unsigned)atoi(address + strlen("192.168."));
    snprintf(want, sizeof(want), "eno1\t00%02XA8C0\t00000000\t", third);
    assert_non_null(strstr(route, want));
    snprintf(want, sizeof(want), "eno1\t00000000\tFE%02XA8C0\t", third);
    assert_non_null(strstr(route, want));
    assert_non_null(strstr(route, "0A\t00000000\t0001\t0\t0\t0\t00F0FFFF"));
    assert_null(strstr(route, "0001A8C0"));
    end(&p);
}

static void hardware_addresses_of_interfaces(void **state)
{
    uint64_t mac = scrub_mac(&KEY, 0x0024ffa1b2c3);
    struct pair p = begin();
    char path[128];

    (void)state;
    put(&p, "/sys/h", "hwaddress", "00:24:ff:a1:b2:c3\n");
    put(&p, "/sys/class/net/enx0024ffa1b2c3", "address", "00:24:ff:a1:b2:c3\n");
    scrub(&p);
    /* In the interface's name as well. */
    snprintf(path, sizeof(path), "/sys/class/net/enx%012" PRIx64 "/address", mac);
    assert_string_equal(got(&p, path), got(&p, "/sys/h/hwaddress"));
    assert_string_not_equal(got(&p, path), "00:24:ff:a1:b2:c3\n");
    end(&p);
}

static void paths_and_links_keep_leading_where_they_led(void **state)
{
    struct pair p = begin();
    char path[128];

    (void)state;
    put(&p, "/sys/devices/css0/0.0.1700/0x5005076300c7adb2/0x4011400500000000", "status", "0x0\n");
    put(&p, "/sys/devices/css0/0.0.1700/0x5005076300c7adb2", "access_denied", "0\n");
    put_link(&p, "/sys/bus/ccw", "port", "../../devices/css0/0.0.1700/0x5005076300c7adb2");
    put_link(&p, "/sys/bus/ccw", "elsewhere", "../5005076300C7ADB2-x");
    put(&p, "/sys/devices/pci0000:00/0000:00:05.0/host0", "x", "y\n");
    scrub(&p);
    expect_text(got(&p, "/sys/bus/ccw/port/access_denied"), "0\n");
    expect_text(got(&p, "/sys/bus/ccw/port/0x4011400500000000/status"), "0x0\n");
    snprintf(path, sizeof(path), "/sys/devices/css0/0.0.1700/0x%" PRIx64,
             scrub_wwn(&KEY, 0x5005076300c7adb2));
    assert_int_not_equal(store_resolve(p.out, path, true), STORE_NO_NODE);
    assert_int_equal(store_resolve(p.out, "/sys/devices/css0/0.0.1700/0x5005076300c7adb2", true),
                     STORE_NO_NODE);
    expect_text(got(&p, "/sys/devices/pci0000:00/0000:00:05.0/host0/x"), "y\n");
    end(&p);
}

/* A page before and after: equal but for the fields that are named, and those are not equal. */
struct field {
    size_t start, len;
};

static void check_page(struct bytes in, struct bytes out, const struct field *fields, size_t n)
{
    assert_int_equal(in.len, out.len);
    for (size_t i = 0; i < in.len; i++) {
        bool inside = false;

        for (size_t f = 0; f < n; f++)
            inside |= i >= fields[f].start && i < fields[f].start + fields[f].len;
        if (!inside && in.data[i] != out.data[i])
            fail_msg("byte %zu changed", i);
    }
    for (size_t f = 0; f < n; f++)
        assert_memory_not_equal(in.data + fields[f].start, out.data + fields[f].start,
                                fields[f].len);
}

static void put_be64(uint8_t *p, uint64_t v)
{
    for (size_t i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (56 - 8 * i));
}

static void expect_be64(const uint8_t *p, uint64_t v)
{
    uint8_t want[8];

    put_be64(want, v);
    assert_memory_equal(p, want, 8);
}

static struct bytes answer(const struct pair *p, size_t i)
{
    assert_true(i < store_commands(p->out));
    return store_command_at(p->out, i).data;
}

static void vpd_83(void **state)
{
    static const uint8_t PAGE[] = {
        0,    0x83, 0,    154,  0x01, 0x03, 0,    8,    0x50, 0x00, 0xc5, 0x00, 0xa1, 0xb2, 0xc3,
        0x01,                                                                   /* 4: NAA 5 */
        0x61, 0x93, 0,    8,    0x50, 0x00, 0xc5, 0x00, 0xa1, 0xb2, 0xc3, 0x02, /* 16: port */
        0x61, 0x94, 0,    4,    0,    0,    0,    1, /* 28: relative port */
        0x63, 0xa8, 0,    24,   'n',  'a',  'a',  '.',  '5',  '0',  '0',  '0',  'C',  '5',  '0',
        '0', /* 36: name */
        'A',  '1',  'B',  '2',  'C',  '3',  '0',  '3',  0,    0,    0,    0,    0x02, 0x01, 0,
        32,   'S',  'E',  'A',  'G',  'A',  'T',  'E',  ' ',  'S',  'T',  '8',  '0', /* 64: T10 */
        '0',  '0',  'N',  'M',  '0',  '0',  '7',  '5',  ' ',  ' ',  ' ',  ' ',  'Z',  'A',  '1',
        'L',  'S',  'B',  '7',  '7',  0x01, 0x02, 0,    8,    0x00, 0x24, 0xff, 0x01, 0x02, 0x03,
        0x04, 0x05,                                                             /* 100: EUI-64 */
        0x01, 0x03, 0,    16,   0x60, 0x0a, 0x0b, 0x80, 0x00, 0x12, 0x34, 0x56, /* 112: NAA 6 */
        0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x12, 0x34, 0x56, 0x01, 0x05, 0,    4,    0,    0,    0,
        7,                                                                   /* 132: port group */
        0x01, 0x0a, 0,    18,   0x10, 0,    1,    2,    3,    4,    5,    6, /* 140: cut off */
    };
    static const struct field CHANGED[] = { { 11, 4 },  { 23, 4 },  { 51, 7 }, { 92, 8 },
                                            { 107, 4 }, { 119, 4 }, { 124, 7 } };
    struct pair p = begin();
    uint64_t high = 0x600a0b8000123456, low = 0x789abcdef0123456;
    struct bytes out;
    char *serial = serial_of("ZA1LSB77"), name[32];

    (void)state;
    put_command(&p, "\x12\x01\x83\0\xfc\0", 6, PAGE, sizeof(PAGE));
    scrub(&p);
    out = answer(&p, 0);
    check_page((struct bytes){ PAGE, sizeof(PAGE) }, out, CHANGED,
               sizeof(CHANGED) / sizeof(CHANGED[0]));
    expect_be64(out.data + 8, scrub_wwn(&KEY, DISK));
    expect_be64(out.data + 20, scrub_wwn(&KEY, PORT));
    snprintf(name, sizeof(name), "%" PRIX64, scrub_wwn(&KEY, 0x5000c500a1b2c303));
    assert_memory_equal(out.data + 44, name, 16);
    assert_memory_equal(out.data + 92, serial, 8);
    expect_be64(out.data + 104, scrub_wwn(&KEY, 0x0024ff0102030405));
    scrub_wwn128(&KEY, &high, &low);
    expect_be64(out.data + 116, high);
    expect_be64(out.data + 124, low);
    free(serial);
    end(&p);
}

/* An iSCSI port's name, and what nobody knows: text and bytes. */
static void vpd_83_names_and_unknown_kinds(void **state)
{
    static const char PAGE[] = "\x00\x83\x00\x42"
                               "\x53\x98\x00\x20iqn.2026-01.example:a,t,0x0001\0\0"        /* 4 */
                               "\x02\x00\x00\x08SN-77411"                                  /* 40 */
                               "\x01\x00\x00\x0a\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a"; /* 52 */
    static const struct field CHANGED[] = { { 20, 9 }, { 44, 8 }, { 56, 10 } };
    struct bytes in = { (const uint8_t *)PAGE, 66 }, out;
    struct pair p = begin();

    (void)state;
    put_command(&p, "\x12\x01\x83\0\xfc\0", 6, in.data, in.len);
    scrub(&p);
    out = answer(&p, 0);
    check_page(in, out, CHANGED, 3);
    assert_memory_equal(out.data + 29, ",t,0x0001", 9);
    assert_memory_equal(out.data + 46, "-", 1);
    end(&p);
}

static void swap(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i += 2) {
        uint8_t c = p[i];

        p[i] = p[i + 1];
        p[i + 1] = c;
    }
}

static void make_identify(uint8_t *identify)
{
    uint8_t sum = 0;

    memset(identify, 0, 512);
    identify[0] = 0x40;
    memcpy(identify + 20, "        PHWA0TEST7  ", 20);
    swap(identify + 20, 20);
    memcpy(identify + 54, "INTEL SSDSC2BB240G6                     ", 40);
    swap(identify + 54, 40);
    put_be64(identify + 216, 0x55cd2e404c000001);
    swap(identify + 216, 8);
    identify[152] = 0x0e;
    identify[510] = 0xa5;
    for (size_t i = 0; i < 511; i++)
        sum = (uint8_t)(sum + identify[i]);
    identify[511] = (uint8_t)-sum;
}

/* VPD 89h, its copy in sysfs, and the text of an ata_device agree, and their checksums are right. */
static void identify_data(void **state)
{
    static const struct field CHANGED[] = { { 60 + 28, 10 }, { 60 + 216, 8 }, { 60 + 511, 1 } };
    struct pair p = begin();
    uint8_t page[572] = { 0, 0x89, 2, 0x38 }, sum = 0, back[8];
    char words[2048], *serial = serial_of("PHWA0TEST7"), swapped[11] = "";
    size_t n = 0;
    struct bytes out;

    (void)state;
    make_identify(page + 60);
    for (size_t i = 0; i < 256; i++)
        n += (size_t)snprintf(words + n, sizeof(words) - n, "%02x%02x%c", page[60 + 2 * i + 1],
                              page[60 + 2 * i], i % 8 == 7 ? '\n' : ' ');
    put_command(&p, "\x12\x01\x89\x02\x3c\0", 6, page, sizeof(page));
    put_bytes(&p, "/sys/a", "vpd_pg89", (struct bytes){ page, sizeof(page) });
    put(&p, "/sys/a", "id", words);
    put(&p, "/sys/a", "wwid", "naa.55cd2e404c000001\n");
    put(&p, "/sys/b", "wwid",
        "t10.ATA     INTEL SSDSC2BB240G6                     PHWA0TEST7          \n");
    scrub(&p);
    out = answer(&p, 0);
    check_page((struct bytes){ page, sizeof(page) }, out, CHANGED, 3);
    for (size_t i = 0; i < 512; i++)
        sum = (uint8_t)(sum + out.data[60 + i]);
    assert_int_equal(sum, 0);
    memcpy(swapped, out.data + 60 + 28, 10);
    swap((uint8_t *)swapped, 10);
    assert_string_equal(swapped, serial);
    memcpy(back, out.data + 60 + 216, 8);
    swap(back, 8);
    expect_be64(back, scrub_wwn(&KEY, 0x55cd2e404c000001));
    assert_memory_equal(got(&p, "/sys/a/vpd_pg89"), out.data, out.len);
    for (size_t i = 0; i < 256; i++) {
        char word[8];

        snprintf(word, sizeof(word), "%02x%02x%c", out.data[60 + 2 * i + 1], out.data[60 + 2 * i],
                 i % 8 == 7 ? '\n' : ' ');
        assert_memory_equal(got(&p, "/sys/a/id") + 5 * i, word, 5);
    }
    expect_text(got(&p, "/sys/b/wwid"),
                "t10.ATA     INTEL SSDSC2BB240G6                     %s          \n", serial);
    free(serial);
    end(&p);
}

/* Two phys; the second free. */
static void phy_pages(void **state)
{
    static const struct field LOG_CHANGED[] = { { 23, 4 }, { 31, 4 } },
                              MODE_CHANGED[] = { { 27, 4 }, { 35, 4 } };
    struct pair p = begin();
    uint8_t log[4 + 60] = { 0x18, 0, 0, 60, 0, 1, 3, 56, 6, 0, 0, 1 };
    uint8_t mode[8 + 104] = { 0, 110, 0, 0x10, 0, 0, 0, 0, 0x59, 1, 0, 100, 0, 6, 0, 2 };

    (void)state;
    put_be64(log + 12 + 8, PORT);
    put_be64(log + 12 + 16, 0x500605b000a10000);
    log[12 + 3] = 0x2c;
    memset(log + 12 + 32, 7, 16);
    put_command(&p, "\x4d\0\x58\0\0\0\0\x04\0\0", 10, log, sizeof(log));
    put_be64(mode + 16 + 8, PORT);
    put_be64(mode + 16 + 16, 0x500605b000a10000);
    put_command(&p, "\x5a\0\x19\x01\0\0\0\x02\0\0", 10, mode, sizeof(mode));
    scrub(&p);
    check_page((struct bytes){ log, sizeof(log) }, answer(&p, 0), LOG_CHANGED, 2);
    check_page((struct bytes){ mode, sizeof(mode) }, answer(&p, 1), MODE_CHANGED, 2);
    expect_be64(answer(&p, 0).data + 20, scrub_wwn(&KEY, PORT));
    expect_be64(answer(&p, 0).data + 28, scrub_wwn(&KEY, 0x500605b000a10000));
    expect_be64(answer(&p, 1).data + 24, scrub_wwn(&KEY, PORT));
    end(&p);
}

static void enclosure_pages(void **state)
{
    static const struct field CONFIG_CHANGED[] = { { 15, 4 } },
                              ELEMENT_CHANGED[] = { { 23, 4 }, { 31, 4 } },
                              BOS_CHANGED[] = { { 9, 16 } };
    struct pair p = begin();
    uint8_t config[48] = { 1, 0, 0, 44, 0, 0, 0, 0, 0x11, 0, 1, 36 };
    uint8_t element[8 + 36] = { 0x0a, 0, 0, 40, 0, 0, 0, 0, 0x16, 34, 0, 0, 1, 0, 0, 3 };
    uint8_t bos[25] = { 5, 0x0f, 25, 0, 1, 20, 0x10, 4, 0, 9, 8, 7, 6,
                        5, 4,    3,  2, 1, 2,  3,    4, 5, 6, 7, 8 };

    (void)state;
    put_be64(config + 12, 0x500304800000a03f);
    memcpy(config + 20, "LSI     SAS3x28         0601", 28);
    put_be64(element + 16 + 4, 0x500304800000a03e);
    put_be64(element + 16 + 12, PORT);
    put_command(&p, "\x1c\x01\x01\x10\0\0", 6, config, sizeof(config));
    put_command(&p, "\x1c\x01\x0a\x10\0\0", 6, element, sizeof(element));
    put_bytes(&p, "/sys/u", "bos_descriptors", (struct bytes){ bos, sizeof(bos) });
    scrub(&p);
    check_page((struct bytes){ config, sizeof(config) }, answer(&p, 0), CONFIG_CHANGED, 1);
    check_page((struct bytes){ element, sizeof(element) }, answer(&p, 1), ELEMENT_CHANGED, 2);
    check_page((struct bytes){ bos, sizeof(bos) },
               (struct bytes){ (const uint8_t *)got(&p, "/sys/u/bos_descriptors"), sizeof(bos) },
               BOS_CHANGED, 1);
    end(&p);
}

/* Known identities in a page that no finder knows, at any place. */
static void unknown_pages(void **state)
{
    static const struct field CHANGED[] = { { 4, 4 }, { 20, 8 }, { 36, 4 } };
    struct pair p = begin();
    uint8_t page[48] = { 0, 0x85, 0, 44 };

    (void)state;
    put(&p, "/sys/a", "sas_address", "0x5000c500a1b2c301\n");
    put(&p, "/sys/a", "serial", "ZA1LSB77\n");
    put_be64(page + 1, DISK);
    memcpy(page + 20, "ZA1LSB77", 8);
    put_be64(page + 33, 0x5000c500a1b2ff00); /* not known, but its OUI is */
    put_command(&p, "\x12\x01\x85\0\xfc\0", 6, page, sizeof(page));
    scrub(&p);
    check_page((struct bytes){ page, sizeof(page) }, answer(&p, 0), CHANGED, 3);
    expect_be64(answer(&p, 0).data + 1, scrub_wwn(&KEY, DISK));
    end(&p);
}

static void standard_inquiry(void **state)
{
    static const struct field CHANGED[] = { { 36, 8 } };
    struct pair p = begin();
    uint8_t data[96] = { 0, 0, 6, 0x12, 91, 0, 0x10, 2 };
    char *serial = serial_of("ZA1LSB77");

    (void)state;
    memcpy(data + 8, "SEAGATE ST8000NM0075    E004ZA1LSB77", 36);
    put_command(&p, "\x12\0\0\0\x60\0", 6, data, sizeof(data));
    put_bytes(&p, "/sys/a", "inquiry", (struct bytes){ data, sizeof(data) });
    scrub(&p);
    check_page((struct bytes){ data, sizeof(data) }, answer(&p, 0), CHANGED, 1);
    assert_memory_equal(answer(&p, 0).data + 36, serial, 8);
    assert_memory_equal(got(&p, "/sys/a/inquiry"), answer(&p, 0).data, 96);
    free(serial);
    end(&p);
}

/* Broken off at every byte, and with every length wrong: nothing is read that is not there (the
 * sanitizers see to that), and the length stays. */
static void broken_pages(void **state)
{
    static const char *const CDBS[] = { "\x12\x01\x80\0\xfc\0", "\x12\x01\x83\0\xfc\0",
                                        "\x12\x01\x89\0\xfc\0", "\x12\0\0\0\xfc\0",
                                        "\x1a\0\x19\x01\xfc\0", "\x5a\0\x19\x01\0\0",
                                        "\x4d\0\x58\0\0\0",     "\x1c\x01\x01\0\0\0",
                                        "\x1c\x01\x0a\0\0\0" };
    static const uint8_t FIRST[] = { 0, 0, 0, 0, 0, 0, 0x18, 1, 0x0a };

    (void)state;
    for (size_t c = 0; c < sizeof(CDBS) / sizeof(CDBS[0]); c++) {
        struct pair p = begin();
        size_t n = 0;

        for (size_t len = 0; len < 100; len += 3)
            for (unsigned fill = 0; fill < 256; fill += 17, n++) {
                uint8_t *data = malloc(len + 1);

                memset(data, (int)fill, len + 1);
                data[0] = FIRST[c];
                if (len > 1 && (CDBS[c][1] & 1))
                    data[1] = (uint8_t)CDBS[c][2];
                put_command(&p, CDBS[c], 6, data, len);
                free(data);
            }
        scrub(&p);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(store_command_at(p.in, i).data.len, answer(&p, i).len);
        end(&p);
    }
}

static void data_of_reads_is_dropped(void **state)
{
    struct pair p = begin();

    (void)state;
    put_command(&p, "\x28\0\0\0\0\0\0\0\x01\0", 10, "secret data", 11);
    put_command(&p, "\x88\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0", 16, "secret data", 11);
    put_command(&p, "\x3c\x02\0\0\0\0\0\x10\0\0", 10, "secret data", 11);
    put_command(&p, "\x3c\x03\0\0\0\0\0\0\x04\0", 10, "\x09\0\x80\0", 4);
    scrub(&p);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(answer(&p, i).len, 0);
    assert_int_equal(answer(&p, 3).len, 4);
    end(&p);
}

static void procfs_and_configuration(void **state)
{
    struct pair p = begin();
    char *serial = serial_of("R12345");

    (void)state;
    put(&p, "/proc", "cmdline", "root=/dev/sda1 rd.iscsi.password=x libata.force=3.0 quiet\n");
    put(&p, "/etc/modprobe.d", "local.conf",
        "options mptspi mpt_saf_te=1\noptions wifi key=geheim\n");
    put(&p, "/proc/scsi/qla2xxx", "0",
        "QLogic PCI to Fibre Channel Host Adapter for QLA2340:\nSerial# R12345\nscsi-qla0-adapter-node=200000e08b0a1b2c;\n"
        "Request Queue = 0x1fa80000, Response Queue = 0x1fa40000\nNo Serial EEPROM\n");
    scrub(&p);
    expect_text(got(&p, "/proc/cmdline"), "libata.force=3.0\n");
    expect_text(got(&p, "/etc/modprobe.d/local.conf"), "options mptspi mpt_saf_te=1\n");
    expect_text(
        got(&p, "/proc/scsi/qla2xxx/0"),
        "QLogic PCI to Fibre Channel Host Adapter for QLA2340:\nSerial# %s\nscsi-qla0-adapter-node=%" PRIx64
        ";\n"
        "Request Queue = 0x1fa80000, Response Queue = 0x1fa40000\nNo Serial EEPROM\n",
        serial, scrub_wwn(&KEY, 0x200000e08b0a1b2c));
    free(serial);
    end(&p);
}

/* What becomes of one identity must not be taken for another one and replaced again. */
static void replacements_are_not_replaced(void **state)
{
    struct pair p = begin();
    uint64_t next = scrub_wwn(&KEY, DISK);
    char line[64];

    (void)state;
    put(&p, "/sys/a", "sas_address", "0x5000c500a1b2c301\n");
    snprintf(line, sizeof(line), "0x%" PRIx64 "\n", next);
    put(&p, "/sys/b", "sas_address", line);
    put(&p, "/sys/c", "both", "5000c500a1b2c301\n");
    scrub(&p);
    expect_text(got(&p, "/sys/a/sas_address"), "0x%" PRIx64 "\n", next);
    expect_text(got(&p, "/sys/b/sas_address"), "0x%" PRIx64 "\n", scrub_wwn(&KEY, next));
    expect_text(got(&p, "/sys/c/both"), "%" PRIx64 "\n", next);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_in_sysfs),
        cmocka_unit_test(serial_numbers_everywhere),
        cmocka_unit_test(names_of_hosts),
        cmocka_unit_test(a_host_name_breaks_nothing),
        cmocka_unit_test(names_and_passwords_of_iscsi),
        cmocka_unit_test(addresses_stay_in_their_networks),
        cmocka_unit_test(hardware_addresses_of_interfaces),
        cmocka_unit_test(paths_and_links_keep_leading_where_they_led),
        cmocka_unit_test(vpd_83),
        cmocka_unit_test(vpd_83_names_and_unknown_kinds),
        cmocka_unit_test(identify_data),
        cmocka_unit_test(phy_pages),
        cmocka_unit_test(enclosure_pages),
        cmocka_unit_test(unknown_pages),
        cmocka_unit_test(standard_inquiry),
        cmocka_unit_test(broken_pages),
        cmocka_unit_test(data_of_reads_is_dropped),
        cmocka_unit_test(procfs_and_configuration),
        cmocka_unit_test(replacements_are_not_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
