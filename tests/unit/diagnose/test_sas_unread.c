/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SAS: what cannot be read is not known; nothing is slow, narrow or gone for that.
 */
#include "sas_machine.h"

#define HOST_PHY(n)        HOST0 "/phy-0:" #n "/sas_phy/phy-0:" #n
#define PHY_OF_EXPANDER(n) EXPANDER "/phy-0:0:" #n "/sas_phy/phy-0:0:" #n

/* A phy programmed to 6.0 with a disk of 12.0: capped; unknown where one of its two limits, or what kind of
 * device it is, is not read. */
static void limits_that_cannot_be_read(void **state)
{
    static const struct descriptor PAGE = { CODE_6, CODE_12, CODE_12, 0, 0x5000c50000000000 };
    static const struct {
        const char *file, *value;
        enum verdict verdict;
    } CASES[] = {
        { "enable", "1", VERDICT_CAPPED },
        { "maximum_linkrate", "?", VERDICT_UNKNOWN },
        { "maximum_linkrate_hw", "?", VERDICT_UNKNOWN },
        { "maximum_linkrate", G12, VERDICT_BELOW },
    };

    (void)state;
    for (size_t i = 0; i < ELEMENTS(CASES); i++) {
        struct store *s = machine("mpt3sas");
        struct report *r;

        disk(s, 0, G6, G12, "ssp");
        page_phys(s, "0:0:0:0", &PAGE, 1);
        put_line(s, HOST_PHY(0), "maximum_linkrate", G6);
        put_line(s, HOST_PHY(0), CASES[i].file, CASES[i].value);
        r = judged(s);
        expect_link(r, "phy-0:0", LINK_UP, CASES[i].verdict, "6.0 Gb/s",
                    CASES[i].verdict == VERDICT_UNKNOWN ? NULL : G12_LABEL);
        report_free(r);
    }
}

/* Of a limit that cannot be read nothing is known; it does not matter where nothing is slow. */
static void limits_that_do_not_matter(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    disk(s, 0, G12, G12, "ssp");
    put_line(s, HOST_PHY(0), "maximum_linkrate", "?");
    r = judged(s);
    expect_link(r, "phy-0:0", LINK_UP, VERDICT_OK, G12_LABEL, G12_LABEL);
    report_free(r);
}

static void rate_that_cannot_be_read(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    disk(s, 0, "?", G12, "ssp");
    phy(s, HOST0, "phy-0:1", NULL, "?", G12, G12);
    r = judged(s);
    expect_link(r, "phy-0:0", LINK_UP, VERDICT_UNKNOWN, NULL, NULL);
    expect_link(r, "phy-0:1", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL);
    report_free(r);
}

/* A port of which the kernel counts more phys than are seen has no width; the phy that may be the other one
 * is not free. */
static void port_that_is_seen_in_part(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    shelf(s, 0, 2, G12, 4, G12);
    port(s, HOST0, "port-0:0", 4);
    phy(s, HOST0, "phy-0:3", NULL, G12, G12, G12);
    r = judged(s);
    expect_link(r, "port-0:0", LINK_UP, VERDICT_UNKNOWN, NULL, NULL);
    expect_link(r, "phy-0:3", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL);
    report_free(r);
}

/* Beside the three lanes of a port: a phy that does not tell whether it is free, or is not listed. */
static void width_that_cannot_be_told(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct store *s = machine("mpt3sas");
        struct report *r;

        shelf(s, 0, 2, G12, 4, G12);
        if (i < 2) {
            phy(s, HOST0, "phy-0:3", NULL, i ? "?" : "Unknown", G12, G12);
            put_line(s, HOST_PHY(3), "enable", i ? "1" : "?");
        }
        r = judged(s);
        expect_link(r, "port-0:0", LINK_UP, VERDICT_UNKNOWN, "3 x 12.0 Gb/s", NULL);
        report_free(r);
    }
}

/* One of four lanes to the expander lacks a rate at the other end: phy 9, with one, is no lane for that. */
static void lane_that_cannot_be_read(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct store *s = machine("mpt3sas");
        struct report *r;

        shelf(s, 0, 3, G12, 9, G12);
        phy(s, EXPANDER, "phy-0:0:9", NULL, G12, G12, G12);
        put_line(s, PHY_OF_EXPANDER(1), "negotiated_linkrate", i ? "Unknown" : "?");
        r = judged(s);
        expect_link(r, "phy-0:0:9", LINK_UNKNOWN, VERDICT_UNKNOWN, NULL, NULL);
        expect_link(r, "port-0:0", LINK_UP, VERDICT_OK, "4 x 12.0 Gb/s", "4 x 12.0 Gb/s");
        report_free(r);
    }
}

/* What is below an expander that the kernel does not list is not the host's. */
static void expander_that_is_not_listed(void **state)
{
    struct store *s = machine("mpt3sas");
    struct report *r;

    (void)state;
    shelf(s, 0, 3, G12, 12, G12);
    refuse(s, "/sys/class/sas_device", "expander-0:0", EACCES);
    r = judged(s);
    expect_link(r, "port-0:0", LINK_UP, VERDICT_OK, "4 x 12.0 Gb/s", "4 x 12.0 Gb/s");
    assert_string_equal(model_link_named(r->model, "phy-0:0:5")->near, "expander-0:0 LSI SAS3x40");
    report_free(r);
}

/* A SATA disk behind an expander at the rate of the way to it, which its phy is programmed to: that is no
 * limit of its own. Where the kind of device, or the way, is not seen, it may be. */
static void pathway_that_is_not_seen(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct store *s = machine("mpt3sas");
        struct report *r;

        shelf(s, 0, 0, G3, 1, G6);
        phy(s, HOST0, "phy-0:1", NULL, "Phy disabled", G12, G12);
        phy(s, EXPANDER, "phy-0:0:8", "port-0:0:2", G3, G3, G6);
        port(s, EXPANDER, "port-0:0:2", 1);
        end_device(s, EXPANDER "/port-0:0:2", "end_device-0:0:2", "0x500304800000b000",
                   i == 1 ? "?" : "sata");
        device(s, EXPANDER "/port-0:0:2/end_device-0:0:2", "0:0:0:0", "0", "SATA");
        if (i == 2)
            put_line(s, HOST_PHY(0), "negotiated_linkrate", "?");
        if (i == 3)
            refuse(s, "/sys/class/sas_device", "end_device-0:0:2", EACCES);
        r = judged(s);
        expect_link(r, "phy-0:0:8", LINK_UP, i ? VERDICT_UNKNOWN : VERDICT_OK, G3_LABEL,
                    i ? NULL : G3_LABEL);
        assert_null(model_link_named(r->model, "host0"));
        report_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_that_cannot_be_read),  cmocka_unit_test(limits_that_do_not_matter),
        cmocka_unit_test(rate_that_cannot_be_read),    cmocka_unit_test(port_that_is_seen_in_part),
        cmocka_unit_test(width_that_cannot_be_told),   cmocka_unit_test(lane_that_cannot_be_read),
        cmocka_unit_test(expander_that_is_not_listed), cmocka_unit_test(pathway_that_is_not_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
