/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What of the past is used, and what is not seen any more but not gone.
 */
#include "sas_machine.h"

#include <errno.h>

#define SHELF HOST0 "/port-0:0/expander-0:0"

enum spoilt { NOTHING, NO_SHELF, NO_ADDRESS, NO_LIST, DENIED_LIST, NO_HOSTS, NO_SCSI, NO_NAME };

/* Phys that lead to an expander, at so many hours. */
static struct store *with_shelf(uint64_t hour, const char *hostname, enum spoilt spoilt)
{
    const struct taken taken = { .wall_us = hour * 3600000000u,
                                 .mono_us = hour * 3600000000u,
                                 .kernel = "6.1.0",
                                 .machine = "x86_64",
                                 .hostname = hostname };
    struct store *s = machine("mpt3sas"), *without;
    store_node node;

    assert_int_equal(store_set_taken(s, &taken), 0);
    if (spoilt != NO_SHELF) {
        phy(s, HOST0, "phy-0:0", "port-0:0", "6.0 Gbit", "6.0 Gbit", "6.0 Gbit");
        phy(s, HOST0, "phy-0:1", "port-0:0", "6.0 Gbit", "6.0 Gbit", "6.0 Gbit");
        port(s, HOST0, "port-0:0", 2);
        expander(s, HOST0 "/port-0:0", "expander-0:0",
                 spoilt == NO_ADDRESS ? "garbage" : "0x500304800000a07f", "SAS3x40");
        phy(s, SHELF, "phy-0:0:4", "port-0:0:4", "6.0 Gbit", "6.0 Gbit", "6.0 Gbit");
        port(s, SHELF, "port-0:0:4", 1);
    } else {
        assert_int_equal(store_dir(s, text("/sys/class/sas_phy"), &node), 0);
        assert_int_equal(store_dir(s, text("/sys/class/sas_port"), &node), 0);
    }
    if (spoilt == NO_NAME)
        put_line(s, HOST0 "/scsi_host/host0", "proc_name", "");
    if (spoilt == NOTHING || spoilt == NO_SHELF || spoilt == NO_ADDRESS || spoilt == NO_NAME)
        return s;
    without = store_new();
    assert_non_null(without);
    assert_int_equal(store_set_taken(without, &taken), 0);
    store_free(s);
    if (spoilt == NO_SCSI)
        assert_int_equal(store_dir(without, text("/sys/class/block"), &node), 0);
    if (spoilt == NO_HOSTS || spoilt == NO_SCSI)
        return without;
    /* The phys are not even looked at where their list is missing or denied. */
    object(without, (char[512]){ 0 }, "scsi_host", "host0", "/sys/devices/pci0000:00/0000:01:00.0");
    put_line(without, HOST0 "/scsi_host/host0", "proc_name", "mpt3sas");
    object(without, (char[512]){ 0 }, "sas_host", "host0", "/sys/devices/pci0000:00/0000:01:00.0");
    if (spoilt == DENIED_LIST) {
        assert_int_equal(store_dir(without, text("/sys/class"), &node), 0);
        assert_int_equal(
            store_put(without, node, text("sas_phy"), STORE_ERRNO, text(""), EACCES, NULL), 0);
    }
    return without;
}

static void remember(struct history *h, struct store *s, const char *name)
{
    _cleanup_(source_closep) struct source *source = replay_new(s);

    assert_non_null(source);
    assert_int_equal(diagnose_remember(source, name, h), 0);
}

static struct report *report_of(struct history *h, struct store *s)
{
    const struct diagnose_options options = { .level = LEVEL_ALL, .history = h };
    _cleanup_(source_closep) struct source *source = replay_new(s);
    struct report *r;

    assert_non_null(source);
    assert_int_equal(diagnose(source, &options, &r), 0);
    return r;
}

static size_t count(const struct report *r, const char *code)
{
    size_t n = 0;

    for (size_t i = 0; i < r->findings.n; i++)
        n += strcmp(r->findings.v[i]->entry->code, code) == 0;
    return n;
}

/* Gone is what is not there any more, not what cannot be made out, or of which nothing is said. */
static void gone_or_not_seen(void **state)
{
    static const struct {
        enum spoilt spoilt;
        size_t lost;
    } CASES[] = {
        { NOTHING, 0 },     { NO_SHELF, 1 }, { NO_ADDRESS, 0 }, { NO_LIST, 0 },
        { DENIED_LIST, 0 }, { NO_HOSTS, 0 }, { NO_SCSI, 1 },    { NO_NAME, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct history *h = history_new();
        struct store *then = with_shelf(1, "a", NOTHING),
                     *now = with_shelf(2, "a", CASES[i].spoilt);
        struct report *r;

        assert_non_null(h);
        remember(h, then, "1.json");
        r = report_of(h, now);
        if (count(r, "link-lost") != CASES[i].lost)
            fail_msg("case %zu: %zu lost", i, count(r, "link-lost"));
        assert_int_equal(r->notes.n, 0);
        report_free(r);
        history_free(h);
        store_free(then);
        store_free(now);
    }
}

enum unread {
    ALL_READ,
    RENUMBERED,
    NO_PORT,
    NO_ROLES,
    NO_STATE,
    NO_PORT_NAME,
    NO_PORTS,
    DENIED_BELOW
};

/* An FC port and a target that it sees. */
static struct store *fabric(uint64_t hour, enum unread unread)
{
    static const char DEVICE[] = "/sys/devices/pci0000:00/0000:01:00.0";
    const struct taken taken = { .wall_us = hour * 3600000000u, .hostname = "a" };
    struct store *s = store_new();
    const bool is_other = unread == RENUMBERED;
    const char *host = is_other ? "host7" : "host0",
               *port = is_other ? "rport-7:0-0" : "rport-0:0-0";
    char dir[512];
    store_node node;

    assert_non_null(s);
    assert_int_equal(store_set_taken(s, &taken), 0);
    put_line(s, object(s, dir, "scsi_host", host, DEVICE), "proc_name", "lpfc");
    object(s, dir, "fc_host", host, DEVICE);
    put_line(s, dir, "port_name", is_other ? "" : "0x10000090fac00001");
    put_line(s, dir, "port_state", "Online");
    put_line(s, dir, "speed", "16 Gbit");
    if (unread != NO_PORTS)
        assert_int_equal(store_dir(s, text("/sys/class/fc_remote_ports"), &node), 0);
    if (unread == NO_PORT || unread == NO_PORTS)
        return s;
    object(s, dir, "fc_remote_ports", port,
           is_other ? "/sys/devices/pci0000:00/0000:01:00.0/host7" : HOST0);
    if (unread == DENIED_BELOW) {
        assert_int_equal(store_dir(s, text(HOST0), &node), 0);
        assert_int_equal(
            store_put(s, node, text("rport-0:0-0"), STORE_ERRNO, text(""), EACCES, NULL), 0);
        return s;
    }
    put_line(s, dir, "roles", unread == NO_ROLES ? "unknown" : "FCP Target");
    put_line(s, dir, "port_name", unread == NO_PORT_NAME ? "garbage" : "0x50060e8014a3c101");
    put_line(s, dir, "port_state", unread == NO_STATE ? "" : "Online");
    return s;
}

static void port_gone_or_not_seen(void **state)
{
    static const struct {
        enum unread unread;
        size_t lost;
    } CASES[] = {
        { ALL_READ, 0 }, { RENUMBERED, 0 },   { NO_PORT, 1 },  { NO_ROLES, 0 },
        { NO_STATE, 0 }, { NO_PORT_NAME, 0 }, { NO_PORTS, 0 }, { DENIED_BELOW, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct history *h = history_new();
        struct store *then = fabric(1, ALL_READ), *now = fabric(2, CASES[i].unread);
        struct report *r;

        assert_non_null(h);
        remember(h, then, "1.json");
        r = report_of(h, now);
        if (count(r, "path-lost") != CASES[i].lost)
            fail_msg("case %zu: %zu lost", i, count(r, "path-lost"));
        assert_int_equal(count(r, "link-lost"), 0);
        report_free(r);
        history_free(h);
        store_free(then);
        store_free(now);
    }
}

/* Of another machine, or later: a note says so, and nothing is lost. */
static void not_of_this_past(void **state)
{
    static const struct {
        uint64_t hour;
        const char *hostname, *note;
    } CASES[] = {
        { 1, "b", "1.json is of another machine: not used as history" },
        { 3, "a", "1.json was taken later: not used as history" },
        { 0, "a", "1.json does not say when it was taken: not used as history" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct history *h = history_new();
        struct store *then = with_shelf(CASES[i].hour, CASES[i].hostname, NOTHING),
                     *now = with_shelf(2, "a", NO_SHELF);
        struct report *r;

        assert_non_null(h);
        remember(h, then, "1.json");
        r = report_of(h, now);
        assert_int_equal(count(r, "link-lost"), 0);
        assert_int_equal(r->notes.n, 1);
        assert_string_equal(r->notes.v[0], CASES[i].note);
        report_free(r);
        history_free(h);
        store_free(then);
        store_free(now);
    }
}

/* Given in any order, they are taken in that of their times. */
static void in_order_of_time(void **state)
{
    struct history *h = history_new();
    struct store *first = with_shelf(1, "a", NO_SHELF), *second = with_shelf(2, "a", NOTHING),
                 *now = with_shelf(3, "a", NO_SHELF);
    struct report *r;

    (void)state;
    assert_non_null(h);
    remember(h, second, "2.json");
    remember(h, first, "1.json");
    r = report_of(h, now);
    assert_int_equal(count(r, "link-lost"), 1);
    report_free(r);
    history_free(h);
    store_free(first);
    store_free(second);
    store_free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gone_or_not_seen),
        cmocka_unit_test(port_gone_or_not_seen),
        cmocka_unit_test(not_of_this_past),
        cmocka_unit_test(in_order_of_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
