/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fibre Channel: what is said of a port where one of its facts is missing or is no word of the kernel's.
 */
#include "small_machine.h"

#define PCI        "/sys/devices/pci0000:00/0000:01:00.0"
#define FC_HOST0   HOST0 "/fc_host/host0"
#define SCSI_HOST0 HOST0 "/scsi_host/host0"
#define RPORT0     HOST0 "/rport-0:0-0"

/* host0 of lpfc, up at 8 of 16 Gbit/s as it is told, in one fabric; a target behind it. */
static struct store *lpfc(void)
{
    struct store *s = store_new();
    char dir[512];

    assert_non_null(s);
    put_line(s, PCI, "vendor", "0x10df");
    put_line(s, PCI, "device", "0xe200");
    object(s, dir, "scsi_host", "host0", PCI);
    put_line(s, dir, "proc_name", "lpfc");
    put_line(s, dir, "lpfc_link_speed", "8");
    object(s, dir, "fc_host", "host0", PCI);
    put_line(s, dir, "port_name", "0x10000090fa000001");
    put_line(s, dir, "port_type", "NPort (fabric via point-to-point)");
    put_line(s, dir, "port_state", "Online");
    put_line(s, dir, "port_id", "0x010100");
    put_line(s, dir, "speed", "8 Gbit");
    put_line(s, dir, "supported_speeds", "4 Gbit, 8 Gbit, 16 Gbit");
    put_line(s, dir, "fabric_name", "0x10000027f8000001");
    object(s, dir, "fc_remote_ports", "rport-0:0-0", HOST0);
    put_line(s, dir, "port_name", "0x5000000000000001");
    put_line(s, dir, "node_name", "0x5000000000000000");
    put_line(s, dir, "port_state", "Online");
    put_line(s, dir, "roles", "FCP Target");
    device(s, RPORT0, "0:0:0:0", "0", "DISK");
    return s;
}

static const struct {
    const char *dir, *file, *value; /* NULL: reading it fails */
    enum link_state state;
    enum verdict verdict;
    const char *actual, *expected;
} CASES[] = {
    { PCI, "class", "0x0c0400", LINK_UP, VERDICT_CAPPED, "8GFC", "16GFC" },
    { FC_HOST0, "port_state", NULL, LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL },
    { FC_HOST0, "port_state", "Unknown", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL },
    { FC_HOST0, "port_state", "garbage", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL },
    { FC_HOST0, "port_state", "Linkdown", LINK_DOWN, VERDICT_UNKNOWN, NULL, NULL },
    { FC_HOST0, "supported_speeds", NULL, LINK_UP, VERDICT_UNKNOWN, "8GFC", NULL },
    { FC_HOST0, "supported_speeds", "8 Gbit", LINK_UP, VERDICT_OK, "8GFC", "8GFC" },
    { SCSI_HOST0, "lpfc_link_speed", NULL, LINK_UP, VERDICT_UNKNOWN, "8GFC", NULL },
    { SCSI_HOST0, "protocol", "garbage", LINK_UP, VERDICT_CAPPED, "8GFC", "16GFC" },
    { RPORT0 "/fc_remote_ports/rport-0:0-0", "port_state", NULL, LINK_UP, VERDICT_CAPPED, "8GFC",
      "16GFC" },
    { RPORT0 "/fc_remote_ports/rport-0:0-0", "port_state", "garbage", LINK_UP, VERDICT_CAPPED,
      "8GFC", "16GFC" },
};

static void facts_that_are_missing(void **state)
{
    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct store *s = lpfc();
        struct report *r;

        if (CASES[i].value)
            put_line(s, CASES[i].dir, CASES[i].file, CASES[i].value);
        else
            refuse(s, CASES[i].dir, CASES[i].file, EIO);
        r = judged(s);
        expect_link(r, "host0", CASES[i].state, CASES[i].verdict, CASES[i].actual,
                    CASES[i].expected);
        for (size_t f = 0; CASES[i].state != LINK_DOWN && f < r->findings.n; f++)
            assert_int_equal(r->findings.v[f]->severity, SEVERITY_INFO);
        report_free(r);
    }
}

/* A port that is down had something where a device is left of it, whatever its remote port says. */
static void down_by_what_is_left(void **state)
{
    struct store *s = lpfc();
    struct report *r;

    (void)state;
    put_line(s, FC_HOST0, "port_state", "Linkdown");
    refuse(s, RPORT0 "/fc_remote_ports/rport-0:0-0", "roles", EIO);
    r = judged(s);
    expect_link(r, "host0", LINK_DOWN, VERDICT_UNKNOWN, NULL, NULL);
    report_free(r);
}

/* 10 Gbit/s is a speed of both: the chip tells, where the driver does not. */
static void kind_of_wire(void **state)
{
    static const struct {
        const char *device, *protocol, *actual;
    } WIRES[] = {
        { "0x0720", "garbage", "10 Gb/s Ethernet" },
        { "0xe200", "garbage", "10GFC" },
        { "?", "fcoe", "10 Gb/s Ethernet" },
        { "?", "fc", "10GFC" },
        { "?", "garbage", NULL },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(WIRES); i++) {
        struct store *s = lpfc();
        struct report *r;

        put_line(s, PCI, "device", WIRES[i].device);
        put_line(s, SCSI_HOST0, "protocol", WIRES[i].protocol);
        put_line(s, SCSI_HOST0, "lpfc_link_speed", "0");
        put_line(s, FC_HOST0, "speed", "10 Gbit");
        refuse(s, FC_HOST0, "supported_speeds", EIO);
        r = judged(s);
        expect_link(r, "host0", LINK_UP, VERDICT_UNKNOWN, WIRES[i].actual, NULL);
        report_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_that_are_missing),
        cmocka_unit_test(down_by_what_is_left),
        cmocka_unit_test(kind_of_wire),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
