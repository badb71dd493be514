/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Links over networks: no interface, speed or state is made up where a fact is missing.
 */
#include "small_machine.h"

#define PLATFORM   "/sys/devices/platform"
#define HOST1      PLATFORM "/host1"
#define ISCSI_HOST HOST1 "/iscsi_host/host1"
#define SESSION    HOST1 "/session1"
#define CONNECTION SESSION "/connection1:0"
#define NET(n)     "/sys/devices/pci0000:00/0000:00:02." #n "/net/eth" #n
#define VIRTUAL    "/sys/devices/virtual/net/"

static void interface(struct store *s, const char *dir, const char *speed)
{
    put(s, "/sys/class/net", strrchr(dir, '/') + 1, STORE_LINK, dir);
    put_line(s, dir, "type", "1");
    put_line(s, dir, "speed", speed);
}

/* An interface over others. */
static void over(struct store *s, const char *dir, const char *lower)
{
    char name[32];

    snprintf(name, sizeof(name), "lower_%s", strrchr(lower, '/') + 1);
    put(s, dir, name, STORE_LINK, lower);
}

/* A session of software iSCSI to 10.0.1.9, in the network of eth1. */
static struct store *iscsi(void)
{
    struct store *s = store_new();
    char dir[512];

    assert_non_null(s);
    object(s, dir, "scsi_host", "host1", PLATFORM);
    put_line(s, dir, "proc_name", "iscsi_tcp");
    object(s, dir, "iscsi_host", "host1", PLATFORM);
    put_line(s, dir, "netdev", "(null)");
    put_line(s, dir, "hwaddress", "(null)");
    put_line(s, dir, "ipaddress", "10.0.1.1");
    object(s, dir, "iscsi_session", "session1", HOST1);
    put_line(s, dir, "targetname", "iqn.2026-01.example:t1");
    put_line(s, dir, "state", "LOGGED_IN");
    object(s, dir, "iscsi_connection", "connection1:0", SESSION);
    put_line(s, dir, "address", "10.0.1.9");
    interface(s, NET(0), "1000");
    interface(s, NET(1), "10000");
    put(s, "/proc/net", "route", STORE_FILE,
        "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
        "eth0\t0000000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
        "eth1\t0001000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n");
    return s;
}

static void session_whose_facts_are_missing(void **state)
{
    static const struct {
        const char *dir, *file, *value; /* NULL: reading it fails */
        enum link_state state;
        const char *actual;
    } CASES[] = {
        { ISCSI_HOST, "initiatorname", NULL, LINK_UP, "10 Gb/s Ethernet" },
        { ISCSI_HOST, "ipaddress", "(null)", LINK_UP, "10 Gb/s Ethernet" },
        { ISCSI_HOST, "netdev", "eth0", LINK_UP, "1 Gb/s Ethernet" },
        { ISCSI_HOST, "netdev", NULL, LINK_UP, NULL },
        { ISCSI_HOST, "netdev", "", LINK_UP, NULL },
        { ISCSI_HOST, "hwaddress", NULL, LINK_UP, NULL },
        { ISCSI_HOST, "hwaddress", "02:00:00:00:00:09", LINK_UP, NULL },
        { ISCSI_HOST, "ipaddress", NULL, LINK_UP, NULL },
        { ISCSI_HOST, "ipaddress", "garbage", LINK_UP, NULL },
        { ISCSI_HOST, "ipaddress", "10.0.0.1", LINK_UP, NULL },
        { CONNECTION "/iscsi_connection/connection1:0", "address", NULL, LINK_UP, NULL },
        { CONNECTION "/iscsi_connection/connection1:0", "address", "garbage", LINK_UP, NULL },
        { NET(1), "type", NULL, LINK_UP, NULL },
        { SESSION "/iscsi_session/session1", "state", NULL, LINK_UNKNOWN, NULL },
        { SESSION "/iscsi_session/session1", "state", "garbage", LINK_UNKNOWN, NULL },
        { SESSION "/iscsi_session/session1", "state", "FREE", LINK_EMPTY, NULL },
        { ISCSI_HOST, "port_state", "LINK DOWN", LINK_DOWN, NULL },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct store *s = iscsi();
        struct report *r;

        if (CASES[i].value)
            put_line(s, CASES[i].dir, CASES[i].file, CASES[i].value);
        else
            refuse(s, CASES[i].dir, CASES[i].file, EIO);
        r = judged(s);
        expect_link(r, "host1", CASES[i].state,
                    CASES[i].state == LINK_EMPTY ? VERDICT_NONE : VERDICT_UNKNOWN, CASES[i].actual,
                    NULL);
        report_free(r);
    }
}

/* An interface over two ports of one speed, by what it is; and where one of them is not listed, or the bond
 * tells of more than are seen. */
static void ports_below_an_interface(void **state)
{
    static const struct {
        const char *mode, *speed; /* of the bond; no mode: a bridge */
        bool both, listed;
        const char *actual;
    } CASES[] = {
        { "802.3ad 4", "20000", true, true, "10 Gb/s Ethernet" },
        { "802.3ad 4", "20000", true, false, NULL },
        { "802.3ad 4", "20000", false, true, NULL },
        { "802.3ad 4", "10000", false, true, "10 Gb/s Ethernet" },
        { "balance-rr 0", "20000", true, true, NULL },
        { "garbage", "20000", true, true, NULL },
        { NULL, "10000", false, true, "10 Gb/s Ethernet" },
        { NULL, "10000", false, false, NULL },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct store *s = iscsi();
        struct report *r;

        put_line(s, ISCSI_HOST, "netdev", "above0");
        interface(s, VIRTUAL "above0", CASES[i].speed);
        if (CASES[i].mode)
            put_line(s, VIRTUAL "above0/bonding", "mode", CASES[i].mode);
        over(s, VIRTUAL "above0", NET(1));
        if (CASES[i].both) {
            interface(s, NET(2), "10000");
            over(s, VIRTUAL "above0", NET(2));
        }
        if (!CASES[i].listed)
            refuse(s, "/sys/class/net", "eth1", EACCES);
        r = judged(s);
        expect_link(r, "host1", LINK_UP, VERDICT_UNKNOWN, CASES[i].actual, NULL);
        report_free(r);
    }
}

/* Software has no speed of its own. */
static void interface_over_nothing(void **state)
{
    struct store *s = iscsi();
    struct report *r;

    (void)state;
    put_line(s, ISCSI_HOST, "netdev", "br0");
    interface(s, VIRTUAL "br0", "10000");
    r = judged(s);
    expect_link(r, "host1", LINK_UP, VERDICT_UNKNOWN, NULL, NULL);
    report_free(r);
}

#define HCA  "/sys/devices/pci0000:00/0000:00:03.0"
#define PORT HCA "/infiniband/mlx5_0/ports/1"

/* A port whose link layer is not read has no rate: InfiniBand and Ethernet take different codes off. And a word
 * for the target's end that is none of the kernel's is no loss. */
static void infiniband_or_ethernet(void **state)
{
    static const struct {
        const char *layer, *actual;
    } CASES[] = {
        { "InfiniBand", "10 Gb/sec (1X QDR)" },
        { "Ethernet", "10 Gb/s Ethernet" },
        { "garbage", NULL },
        { NULL, NULL },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct store *s = store_new();
        struct report *r;
        char dir[512];

        assert_non_null(s);
        object(s, dir, "scsi_host", "host0", HCA);
        put_line(s, dir, "proc_name", "ib_srp");
        put_line(s, dir, "local_ib_device", "mlx5_0");
        put_line(s, dir, "local_ib_port", "1");
        object(s, dir, "srp_host", "host0", HCA);
        object(s, dir, "srp_remote_ports", "port-0:1", HCA "/host0");
        put_line(s, dir, "state", i ? "garbage" : "running");
        put(s, "/sys/class/infiniband", "mlx5_0", STORE_LINK, HCA "/infiniband/mlx5_0");
        put_line(s, PORT, "rate", "10 Gb/sec (1X QDR)");
        put_line(s, PORT, "state", "4: ACTIVE");
        if (CASES[i].layer)
            put_line(s, PORT, "link_layer", CASES[i].layer);
        r = judged(s);
        expect_link(r, "host0", LINK_UP, VERDICT_UNKNOWN, CASES[i].actual, NULL);
        assert_int_equal(r->findings.n, 0);
        report_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session_whose_facts_are_missing),
        cmocka_unit_test(ports_below_an_interface),
        cmocka_unit_test(interface_over_nothing),
        cmocka_unit_test(infiniband_or_ethernet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
