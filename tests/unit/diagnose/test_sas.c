/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SAS: one small machine a trap.
 */
#include "sas_machine.h"

/* ---- states ---- */

static void stale_rate_without_a_port(void **state)
{
    struct store *s = machine("isci");
    struct report *r;

    (void)state;
    disk(s, 0, G6, G6, "ssp");
    phy(s, HOST0, "phy-0:1", NULL, G6, G6, G6);
    phy(s, HOST0, "phy-0:2", NULL, "Phy disabled", G6, G6);
    phy(s, HOST0, "phy-0:3", NULL, "Link Rate failed", G6, G6);
    phy(s, HOST0, "phy-0:4", NULL, "Spin-up hold", G6, G6);
    phy(s, HOST0, "phy-0:5", NULL, "", G6, G6);
    r = judged(s);
    expect_link(r, "phy-0:0", LINK_UP, VERDICT_OK, "6.0 Gb/s", "6.0 Gb/s");
    expect_link(r, "phy-0:1", LINK_EMPTY, VERDICT_NONE, NULL, NULL);
    expect_link(r, "phy-0:2", LINK_DISABLED, VERDICT_NONE, NULL, NULL);
    expect_link(r, "phy-0:3", LINK_EMPTY, VERDICT_NONE, NULL, NULL);
    expect_link(r, "phy-0:4", LINK_EMPTY, VERDICT_NONE, NULL, NULL);
    expect_link(r, "phy-0:5", LINK_EMPTY, VERDICT_NONE, NULL, NULL);
    assert_int_equal(r->gaps.n, 0);
    report_free(r);
}

/* A disk whose SCSI device was deleted is about to be pulled. */
static void deleted_on_purpose(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    disk(s, 0, G6, G6, "ssp");
    phy(s, HOST0, "phy-0:1", "port-0:1", G6, G6, G6);
    port(s, HOST0, "port-0:1", 1);
    end_device(s, HOST0 "/port-0:1", "end_device-0:1", "0x5000c50000000100", "ssp");
    r = judged(s);
    assert_false(expect_link(r, "phy-0:0", LINK_UP, VERDICT_OK, "6.0 Gb/s", "6.0 Gb/s")->may_go);
    assert_true(expect_link(r, "phy-0:1", LINK_UP, VERDICT_OK, "6.0 Gb/s", "6.0 Gb/s")->may_go);
    report_free(r);
}

static void member_of_a_port_is_up_whatever_the_rate(void **state)
{
    static const char *const TEXTS[] = { "Unknown", "", "Link Rate failed" };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(TEXTS); i++) {
        struct store *s = machine("mpt3sas");
        struct report *r;
        const struct link *l;

        disk(s, 0, TEXTS[i], G12, "ssp");
        r = judged(s);
        l = expect_link(r, "phy-0:0", LINK_UP, VERDICT_UNKNOWN, NULL, NULL);
        assert_int_equal(l->counters.n, 1);
        assert_int_equal(l->counters.v[0]->number, 7);
        report_free(r);
    }
}

/* 22.5 Gb/s was "Unknown" to mpt3sas for long, and to its limits: the device's word is shown, no
 * more. */
static void device_word_where_the_driver_has_none(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    disk(s, 0, "Unknown", "Unknown", "ssp");
    page_phys(s, "0:0:0:0", &(struct descriptor){ 0xc, 0xc, 0xc, 0, 0x5000c50000000000 }, 1);
    r = judged(s);
    expect_link(r, "phy-0:0", LINK_UP, VERDICT_UNKNOWN, "22.5 Gb/s", NULL);
    report_free(r);
}

/* ---- who is asked ---- */

#define PORT0 HOST0 "/port-0:0"
#define DISK0 PORT0 "/end_device-0:0/target0:0:0"

/* Does a disk tell its mode, as a live one that is asked, where these directories have this runtime status? */
static bool is_asked(const char *port_status, const char *host_status, const char *pci_status)
{
    static const char *const DIRS[] = { DISK0,
                                        DISK0 "/0:0:0:0",
                                        PORT0 "/end_device-0:0",
                                        PORT0,
                                        HOST0,
                                        "/sys/devices/pci0000:00/0000:01:00.0" };
    const char *const status[] = { "active",    "active",    port_status,
                                   port_status, host_status, pci_status };
    struct store *s = machine("mpt3sas");
    struct source *source;
    struct report *r = NULL;
    bool is_told;

    disk(s, 0, G12, G12, "ssp");
    put_line(s, DISK0 "/0:0:0:0", "scsi_level", "7");
    for (size_t i = 0; i < ELEMENTS(DIRS); i++)
        put_line(s, P(DIRS[i], "power"), "runtime_status", status[i]);
    page_phys(s, "0:0:0:0",
              &(struct descriptor){ CODE_12, CODE_12, CODE_12, 0, 0x5000c50000000000 }, 1);
    source = replay_new(s);
    assert_non_null(source);
    source->asking_costs = true;
    assert_int_equal(diagnose(source, &(struct diagnose_options){ .level = LEVEL_ALL }, &r), 0);
    is_told = model_link_named(r->model, "phy-0:0")->witnesses.n == 2;
    report_free(r);
    source_close(source);
    store_free(s);
    return is_told;
}

/* Ports have no part in runtime power management, so that the host above them is always suspended. */
static void suspended_host_above_ports(void **state)
{
    (void)state;
    assert_true(is_asked("unsupported", "suspended", "active"));
    assert_true(is_asked("unsupported", "active", "unsupported"));
    assert_false(is_asked("unsupported", "suspended", "suspended"));
    assert_false(is_asked("active", "suspended", "active"));
    assert_false(is_asked("suspended", "active", "active"));
}

/* ---- rates ---- */

static void proof_from_both_ends(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        disk(s, i, i == 3 ? G12 : G6, G12, "ssp");
    /* 0: a 12G disk at 6.0; 1: a 6G disk; 2: tells nothing; 3: names another rate; 4: was
     * limited */
    page_phys(s, "0:0:0:0", &(struct descriptor){ CODE_6, CODE_12, CODE_12, 0, 0x5000c50000000000 },
              1);
    page_phys(s, "0:0:1:0", &(struct descriptor){ CODE_6, CODE_6, CODE_6, 1, 0x5000c50000000001 },
              1);
    page_phys(s, "0:0:3:0", &(struct descriptor){ CODE_6, CODE_12, CODE_12, 3, 0x5000c50000000003 },
              1);
    page_phys(s, "0:0:4:0", &(struct descriptor){ CODE_6, CODE_6, CODE_12, 4, 0x5000c50000000004 },
              1);
    r = judged(s);
    expect_link(r, "phy-0:0", LINK_UP, VERDICT_BELOW, "6.0 Gb/s", "12.0 Gb/s");
    expect_link(r, "phy-0:1", LINK_UP, VERDICT_OK, "6.0 Gb/s", "6.0 Gb/s");
    expect_link(r, "phy-0:2", LINK_UP, VERDICT_UNKNOWN, "6.0 Gb/s", NULL);
    expect_link(r, "phy-0:3", LINK_UP, VERDICT_UNKNOWN, "12.0 Gb/s", NULL);
    expect_link(r, "phy-0:4", LINK_UP, VERDICT_CAPPED, "6.0 Gb/s", "12.0 Gb/s");
    report_free(r);
}

/* The page has a descriptor for each phy of the device: the other port's is not ours, and of two
 * in one port each lane has its own. */
static void descriptor_that_is_ours(void **state)
{
    static const struct descriptor OTHER_PORT[] = {
        { CODE_3, CODE_12, CODE_12, 9, 0x5000c500000000f0 },
        { CODE_12, CODE_12, CODE_12, 0, 0x5000c50000000000 },
    };
    static const struct descriptor WIDE[] = {
        { CODE_12, CODE_12, CODE_12, 4, 0x5000c50000000004 },
        { CODE_6, CODE_12, CODE_12, 5, 0x5000c50000000004 },
    };
    struct store *s = machine("mpt3sas");
    struct report *r;
    const struct link *l;

    (void)state;
    disk(s, 0, G12, G12, "ssp");
    page_phys(s, "0:0:0:0", OTHER_PORT, 2);
    disk(s, 4, G12, G12, "ssp");
    phy(s, HOST0, "phy-0:5", "port-0:4", G6, G12, G12);
    put_line(s, HOST0 "/port-0:4/sas_port/port-0:4", "num_phys", "2");
    page_phys(s, "0:0:4:0", WIDE, 2);
    r = judged(s);
    expect_link(r, "phy-0:0", LINK_UP, VERDICT_OK, "12.0 Gb/s", "12.0 Gb/s");
    expect_link(r, "phy-0:4", LINK_UP, VERDICT_OK, "12.0 Gb/s", "12.0 Gb/s");
    expect_link(r, "phy-0:5", LINK_UP, VERDICT_BELOW, "6.0 Gb/s", "12.0 Gb/s");
    l = expect_link(r, "port-0:4", LINK_UP, VERDICT_BELOW, "2 x 6.0 Gb/s", "2 x 12.0 Gb/s");
    assert_non_null(strstr(l->actual.detail, "12.0 Gb/s"));
    assert_ptr_equal(model_link_named(r->model, "phy-0:5")->bundle, l);
    assert_ptr_equal(r->model->devices.v[1]->link, l);
    report_free(r);
}

/* Word 77 is as old as the page: that it names another rate proves nothing, but where mpt3sas
 * shows 1.5 for a rate it does not know. */
static void sata_word_77(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        disk(s, i, i == 2 ? "1.5 Gbit" : i == 0 ? G6 : G3, G12, "sata");
    page_identify(s, "0:0:0:0", 0x000e, 0x0006);
    page_identify(s, "0:0:1:0", 0x000e, 0x0006);
    page_identify(s, "0:0:2:0", 0x000e, 0x0006);
    r = judged(s);
    expect_link(r, "phy-0:0", LINK_UP, VERDICT_OK, "6.0 Gb/s", "6.0 Gb/s");
    expect_link(r, "phy-0:1", LINK_UP, VERDICT_BELOW, "3.0 Gb/s", "6.0 Gb/s");
    expect_link(r, "phy-0:2", LINK_UP, VERDICT_UNKNOWN, "1.5 Gb/s", NULL);
    /* One of the same model runs at the best that is possible. */
    expect_link(r, "phy-0:3", LINK_UP, VERDICT_BELOW, "3.0 Gb/s", "6.0 Gb/s");
    report_free(r);
}

/* ---- expanders ---- */

static void phys_of_an_expander(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;
    const struct link *l;

    (void)state;
    shelf(s, 0, 3, G12, 8, G12);
    port(s, EXPANDER, "port-0:0:0", 1);
    phy(s, EXPANDER, "phy-0:0:8", "port-0:0:0", G12, G12, G12);
    end_device(s, EXPANDER "/port-0:0:0", "end_device-0:0:0", "0x500304800000a07e", "ssp");
    device(s, EXPANDER "/port-0:0:0/end_device-0:0:0", "0:0:0:0", "13", "SES");
    port(s, EXPANDER, "port-0:0:1", 1);
    phy(s, EXPANDER, "phy-0:0:9", "port-0:0:1", G3, G12, G12);
    end_device(s, EXPANDER "/port-0:0:1", "end_device-0:0:1", "0x5001c50000000001", "ssp");
    device(s, EXPANDER "/port-0:0:1/end_device-0:0:1", "0:0:1:0", "13", "SEP");
    r = judged(s);
    l = expect_link(r, "port-0:0", LINK_UP, VERDICT_OK, "4 x 12.0 Gb/s", "4 x 12.0 Gb/s");
    assert_string_equal(l->id, "pci-0000:01:00.0-sas-port-500304800000a07f");
    expect_link(r, "phy-0:0:0", LINK_UP, VERDICT_OK, "12.0 Gb/s", "12.0 Gb/s");
    expect_link(r, "phy-0:0:4", LINK_EMPTY, VERDICT_NONE, NULL, NULL);
    /* The expander's own enclosure services have no cable; those of another chip have. */
    expect_link(r, "phy-0:0:8", LINK_UP, VERDICT_NONE, "12.0 Gb/s", NULL);
    expect_link(r, "phy-0:0:9", LINK_UP, VERDICT_UNKNOWN, "3.0 Gb/s", NULL);
    assert_ptr_equal(model_link_named(r->model, "phy-0:0:9")->up, l);
    report_free(r);
}

/* A slow cable to an expander is judged once, from above. */
static void slow_uplink(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    shelf(s, 0, 3, G6, 8, G12);
    r = judged(s);
    expect_link(r, "port-0:0", LINK_UP, VERDICT_BELOW, "4 x 6.0 Gb/s", "4 x 12.0 Gb/s");
    expect_link(r, "phy-0:0", LINK_UP, VERDICT_BELOW, "6.0 Gb/s", "12.0 Gb/s");
    expect_link(r, "phy-0:0:0", LINK_UP, VERDICT_UNKNOWN, "6.0 Gb/s", NULL);
    report_free(r);
}

/* More phys with a rate and without a port than the uplink has lanes: a second host, or
 * leftovers. */
static void strays(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    shelf(s, 0, 1, G12, 4, G12);
    phy(s, HOST0, "phy-0:2", NULL, "Phy disabled", G12, G12);
    phy(s, EXPANDER, "phy-0:0:7", NULL, G3, G12, G12);
    r = judged(s);
    expect_link(r, "phy-0:0:0", LINK_UP, VERDICT_OK, "12.0 Gb/s", "12.0 Gb/s");
    expect_link(r, "phy-0:0:1", LINK_UP, VERDICT_OK, "12.0 Gb/s", "12.0 Gb/s");
    expect_link(r, "phy-0:0:7", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL);
    expect_link(r, "port-0:0", LINK_UP, VERDICT_OK, "2 x 12.0 Gb/s", "2 x 12.0 Gb/s");
    report_free(r);
}

/* libsas puts the phys that face up in a port with a link back; one with a rate in no port is
 * free. */
static void port_that_faces_up(void **state)
{
    struct store *s = machine("mvsas");
    struct report *r;

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        char name[32];

        snprintf(name, sizeof(name), "phy-0:%u", i);
        phy(s, HOST0, name, "port-0:0", G6, G6, G6);
        snprintf(name, sizeof(name), "phy-0:0:%u", i);
        phy(s, EXPANDER, name, "port-0:0:0", G6, G6, G6);
    }
    port(s, HOST0, "port-0:0", 4);
    expander(s, HOST0 "/port-0:0", "expander-0:0", "0x500304800000a07f", "SAS2X16");
    port(s, EXPANDER, "port-0:0:0", 4);
    phy(s, EXPANDER, "phy-0:0:9", NULL, G6, G6, G6);
    r = judged(s);
    expect_link(r, "port-0:0", LINK_UP, VERDICT_OK, "4 x 6.0 Gb/s", "4 x 6.0 Gb/s");
    expect_link(r, "phy-0:0:0", LINK_UP, VERDICT_OK, "6.0 Gb/s", "6.0 Gb/s");
    expect_link(r, "phy-0:0:9", LINK_EMPTY, VERDICT_NONE, NULL, NULL);
    assert_null(model_link_named(r->model, "port-0:0:0"));
    report_free(r);
}

/* Two expanders deep, the upper link at 3.0: it holds SATA down, not SAS; and the path shows it. */
static void pathway_of_sata(void **state)
{
#define DEEP EXPANDER "/port-0:0:2/expander-0:1"
    struct store *s = machine("mpt3sas");
    const struct link *l;
    struct report *r;
    struct link *hop;

    (void)state;
    shelf(s, 0, 0, G3, 2, G6);
    phy(s, HOST0, "phy-0:1", NULL, "Phy disabled", G12, G12);
    port(s, EXPANDER, "port-0:0:2", 2);
    phy(s, EXPANDER, "phy-0:0:8", "port-0:0:2", G6, G6, G6);
    phy(s, EXPANDER, "phy-0:0:9", "port-0:0:2", G6, G6, G6);
    expander(s, EXPANDER "/port-0:0:2", "expander-0:1", "0x500304800000b07f", "SAS2X16");
    phy(s, DEEP, "phy-0:1:5", NULL, G6, G6, G6);
    phy(s, DEEP, "phy-0:1:6", NULL, G6, G6, G6);
    phy(s, DEEP, "phy-0:1:0", "port-0:1:0", G3, G3, G6);
    port(s, DEEP, "port-0:1:0", 1);
    end_device(s, DEEP "/port-0:1:0", "end_device-0:1:0", "0x500304800000b000", "sata");
    device(s, DEEP "/port-0:1:0/end_device-0:1:0", "0:0:0:0", "0", "SATA");
    page_identify(s, "0:0:0:0", 0x000e, 0x0004);
    phy(s, DEEP, "phy-0:1:1", "port-0:1:1", G6, G6, G6);
    port(s, DEEP, "port-0:1:1", 1);
    end_device(s, DEEP "/port-0:1:1", "end_device-0:1:1", "0x5000c50000000001", "ssp");
    device(s, DEEP "/port-0:1:1/end_device-0:1:1", "0:0:1:0", "0", "SAS");
    r = judged(s);
    expect_link(r, "phy-0:1:0", LINK_UP, VERDICT_OK, "3.0 Gb/s", "3.0 Gb/s");
    expect_link(r, "phy-0:1:1", LINK_UP, VERDICT_OK, "6.0 Gb/s", "6.0 Gb/s");
    expect_link(r, "port-0:0:2", LINK_UP, VERDICT_OK, "2 x 6.0 Gb/s", "2 x 6.0 Gb/s");
    l = expect_link(r, "phy-0:1:5", LINK_UP, VERDICT_OK, "6.0 Gb/s", "6.0 Gb/s");
    assert_string_equal(l->near, "expander-0:1 LSI SAS2X16");
    assert_string_equal(l->far, "expander-0:0 LSI SAS3x40");
    assert_int_equal(device_path_kb_per_s(r->model->devices.v[1], &hop), 300000);
    assert_string_equal(hop->kernel_name, "phy-0:0");
    report_free(r);
}

/* ---- width ---- */

static void whole_groups(void **state)
{
    static const struct {
        unsigned first, last;
        const char *rest; /* what the other phys of the first four show */
        enum verdict verdict;
        const char *link, *actual, *expected;
    } CASES[] = {
        { 0, 2, "Unknown", VERDICT_BELOW, "port-0:0", "3 x 12.0 Gb/s", "4 x 12.0 Gb/s" },
        { 0, 0, "Unknown", VERDICT_BELOW, "port-0:0", "12.0 Gb/s", "4 x 12.0 Gb/s" },
        { 0, 2, "Phy disabled", VERDICT_OK, "port-0:0", "3 x 12.0 Gb/s", "3 x 12.0 Gb/s" },
        { 0, 0, "Phy disabled", VERDICT_OK, "phy-0:0", "12.0 Gb/s", "12.0 Gb/s" },
        { 0, 6, "Unknown", VERDICT_BELOW, "port-0:0", "7 x 12.0 Gb/s", "8 x 12.0 Gb/s" },
        { 0, 3, "Unknown", VERDICT_OK, "port-0:0", "4 x 12.0 Gb/s", "4 x 12.0 Gb/s" },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct store *s = machine("mpt3sas");
        struct report *r;

        shelf(s, CASES[i].first, CASES[i].last, G12, 12, G12);
        for (unsigned n = CASES[i].last + 1; n < 8; n++) {
            char name[32];

            snprintf(name, sizeof(name), "phy-0:%u", n);
            phy(s, HOST0, name, NULL, CASES[i].rest, G12, G12);
        }
        r = judged(s);
        expect_link(r, CASES[i].link, LINK_UP, CASES[i].verdict, CASES[i].actual,
                    CASES[i].expected);
        report_free(r);
    }
}

/* A phy of the group that leads elsewhere: the connector is split, and nothing is missing. */
static void split_group(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    shelf(s, 0, 1, G12, 12, G12);
    disk(s, 2, G12, G12, "ssp");
    phy(s, HOST0, "phy-0:3", NULL, "Unknown", G12, G12);
    r = judged(s);
    expect_link(r, "port-0:0", LINK_UP, VERDICT_OK, "2 x 12.0 Gb/s", "2 x 12.0 Gb/s");
    report_free(r);
}

/* ---- hosts ---- */

static void rates_decide_whose_the_host_is(void **state)
{
    struct store *s = machine("smartpqi");
    struct report *r;

    (void)state;
    phy(s, HOST0, "phy-0:0", NULL, "Unknown", "Unknown", "Unknown");
    r = judged(s);
    expect_link(r, "host0", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL);
    assert_null(model_link_named(r->model, "phy-0:0"));
    report_free(r);

    s = machine("mpi3mr");
    disk(s, 0, G12, G12, "ssp");
    r = judged(s);
    expect_link(r, "phy-0:0", LINK_UP, VERDICT_OK, "12.0 Gb/s", "12.0 Gb/s");
    assert_null(model_link_named(r->model, "host0"));
    report_free(r);
}

static void volumes_and_virtual_enclosure(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    disk(s, 0, G12, G12, "ssp");
    device(s, HOST0, "0:1:0:0", "0", "Logical Volume");
    port(s, HOST0, "port-0:9", 1);
    phy(s, HOST0, "phy-0:16", "port-0:9", G12, G12, G12);
    end_device(s, HOST0 "/port-0:9", "end_device-0:9", "0x300605b000000000", "ssp");
    device(s, HOST0 "/port-0:9/end_device-0:9", "0:0:9:0", "13", "VirtualSES");
    r = judged(s);
    expect_link(r, "phy-0:0", LINK_UP, VERDICT_OK, "12.0 Gb/s", "12.0 Gb/s");
    expect_link(r, "phy-0:16", LINK_UP, VERDICT_NONE, "12.0 Gb/s", NULL);
    expect_link(r, "host0", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL);
    assert_string_equal(r->model->devices.v[2]->hctl, "0:1:0:0");
    assert_string_equal(r->model->devices.v[2]->link->kernel_name, "host0");
    report_free(r);
}

/* Names that the kernel would not give, links that lead nowhere, objects without their kin. */
static void broken_machines(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    phy(s, HOST0, "phy-", "port-0:7", G12, "", "faster than light");
    phy(s, HOST0, "phy-0", NULL, G12, "-1 Gbit", "0 Gbit");
    port(s, HOST0 "/expander-0:3", "port-0:3:1", 1);
    phy(s, HOST0 "/expander-0:3", "phy-0:3:1", "port-0:3:1", G6, G6, G6);
    expander(s, HOST0, "expander-0:4", "0x", "");
    phy(s, HOST0 "/expander-0:4", "phy-0:4:0", NULL, G6, G6, G6);
    device(s, HOST0 "/port-0:8/end_device-0:8", "0:0:8:0", "0", "DISK");
    r = judged(s);
    expect_link(r, "phy-", LINK_UP, VERDICT_UNKNOWN, "12.0 Gb/s", NULL);
    expect_link(r, "phy-0", LINK_EMPTY, VERDICT_NONE, NULL, NULL);
    expect_link(r, "phy-0:3:1", LINK_UP, VERDICT_OK, "6.0 Gb/s", "6.0 Gb/s");
    assert_true(r->gaps.n > 0);
    report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stale_rate_without_a_port),
        cmocka_unit_test(deleted_on_purpose),
        cmocka_unit_test(member_of_a_port_is_up_whatever_the_rate),
        cmocka_unit_test(device_word_where_the_driver_has_none),
        cmocka_unit_test(proof_from_both_ends),
        cmocka_unit_test(descriptor_that_is_ours),
        cmocka_unit_test(sata_word_77),
        cmocka_unit_test(phys_of_an_expander),
        cmocka_unit_test(slow_uplink),
        cmocka_unit_test(strays),
        cmocka_unit_test(port_that_faces_up),
        cmocka_unit_test(pathway_of_sata),
        cmocka_unit_test(whole_groups),
        cmocka_unit_test(split_group),
        cmocka_unit_test(rates_decide_whose_the_host_is),
        cmocka_unit_test(volumes_and_virtual_enclosure),
        cmocka_unit_test(suspended_host_above_ports),
        cmocka_unit_test(broken_machines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
