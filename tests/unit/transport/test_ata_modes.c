/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Transfer modes of parallel ATA as old and new kernels print them, and libata.force.
 */
#include "../cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "transport/ata.h"

static const struct {
    const char *name;
    unsigned code;
} NAMES[] = {
    { "XFER_UDMA_7", 0x47 },   { "XFER_UDMA_6", 0x46 },   { "XFER_UDMA_5", 0x45 },
    { "XFER_UDMA_4", 0x44 },   { "XFER_UDMA_3", 0x43 },   { "XFER_UDMA_2", 0x42 },
    { "XFER_UDMA_1", 0x41 },   { "XFER_UDMA_0", 0x40 },   { "XFER_MW_DMA_4", 0x24 },
    { "XFER_MW_DMA_3", 0x23 }, { "XFER_MW_DMA_2", 0x22 }, { "XFER_MW_DMA_1", 0x21 },
    { "XFER_MW_DMA_0", 0x20 }, { "XFER_SW_DMA_2", 0x12 }, { "XFER_SW_DMA_1", 0x11 },
    { "XFER_SW_DMA_0", 0x10 }, { "XFER_PIO_6", 0x0e },    { "XFER_PIO_5", 0x0d },
    { "XFER_PIO_4", 0x0c },    { "XFER_PIO_3", 0x0b },    { "XFER_PIO_2", 0x0a },
    { "XFER_PIO_1", 0x09 },    { "XFER_PIO_0", 0x08 },    { "XFER_PIO_SLOW", 0x00 },
};

/* What a kernel that matches bits prints for each code it can hold: the code must come back. */
static void test_old_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i + 1 < ELEMENTS(NAMES); i++) {
        char text[512] = "";
        unsigned code = 0;

        for (size_t j = 0; j < ELEMENTS(NAMES); j++)
            if (NAMES[j].code & NAMES[i].code)
                sprintf(text + strlen(text), "%s%s", *text ? ", " : "", NAMES[j].name);
        strcat(text, "\n");
        assert_int_equal(ata_parse_xfer_mode(text, &code), 0);
        assert_int_equal(code, NAMES[i].code);
    }
}

static void test_new_kernels(void **state)
{
    unsigned code = 0;

    (void)state;
    assert_int_equal(ata_parse_xfer_mode("XFER_UDMA_5\n", &code), 0);
    assert_int_equal(code, 0x45);
    assert_int_equal(ata_parse_xfer_mode("XFER_PIO_4", &code), 0);
    assert_int_equal(code, 0x0c);
    assert_int_equal(ata_parse_xfer_mode("\n", &code), -ENODATA);
    assert_int_equal(ata_parse_xfer_mode("XFER_UDMA_9\n", &code), -EBADMSG);
    assert_int_equal(ata_parse_xfer_mode("XFER_UDMA_6, XFER_PIO_0\n", &code), -EBADMSG);
    assert_int_equal(ata_parse_xfer_mode("XFER_UDMA_6XFER\n", &code), -EBADMSG);
}

static const char *label(struct rate rate)
{
    static struct arena *arena;
    struct mode mode;

    if (!arena)
        arena = arena_new();
    assert_int_equal(ata_describe_parallel(arena, rate, &mode), 0);
    return mode.label;
}

static void test_labels(void **state)
{
    struct rate udma5 = ata_mode_rate(ATA_UDMA, 5), mwdma2 = ata_mode_rate(ATA_MWDMA, 2);
    struct rate pio4 = ata_mode_rate(ATA_PIO, 4);

    (void)state;
    assert_string_equal(label(udma5), "UDMA/100");
    assert_int_equal(rate_kb_per_s(udma5), 100000);
    /* three modes of one speed keep their names */
    assert_string_equal(label(ata_mode_rate(ATA_UDMA, 0)), "UDMA/16");
    assert_string_equal(label(mwdma2), "MWDMA2");
    assert_string_equal(label(pio4), "PIO4");
    /* what two ends have in common names itself */
    assert_string_equal(label(rate_common(udma5, mwdma2)), "MWDMA2");
    assert_string_equal(label(rate_common(udma5, pio4)), "PIO4");
    assert_int_equal(ata_mode_rate(ATA_UDMA, -1).lane_kb_per_s, 0);
    assert_int_equal(ata_mode_rate(ATA_UDMA, 8).lane_kb_per_s, 0);
    assert_string_equal(label(ata_mode_above(ata_mode_rate(ATA_UDMA, 2))), "UDMA/44");
    assert_string_equal(label(ata_mode_above(ata_mode_rate(ATA_UDMA, 7))), "UDMA7");
    assert_string_equal(label(ata_mode_above(ata_mode_rate(ATA_MWDMA, 4))), "MWDMA4");
}

static void test_force_speed(void **state)
{
    static const char TEXT[] = "3:3.0Gbps,4:1.5,5.2:3.0";

    (void)state;
    assert_int_equal(ata_force_find(TEXT, 3, 15, -1).sata_mbit_per_s, 3000);
    assert_int_equal(ata_force_find(TEXT, 4, 15, -1).sata_mbit_per_s, 1500);
    assert_int_equal(ata_force_find(TEXT, 1, 15, -1).sata_mbit_per_s, 0);
    /* behind the multiplier at port 5 only link 2 */
    assert_int_equal(ata_force_find(TEXT, 5, 15, -1).sata_mbit_per_s, 0);
    assert_int_equal(ata_force_find(TEXT, 5, 2, -1).sata_mbit_per_s, 3000);
    /* without an id: all; after one: the same again */
    assert_int_equal(ata_force_find("3.0", 7, 15, -1).sata_mbit_per_s, 3000);
    assert_int_equal(ata_force_find("2:noncq,1.5Gbps", 7, 15, -1).sata_mbit_per_s, 0);
    assert_int_equal(ata_force_find("2:noncq,1.5Gbps", 2, 15, -1).sata_mbit_per_s, 1500);
    /* nonsense says nothing */
    assert_int_equal(ata_force_find("x:3.0,,:,1:,1:3.0Gbpsx", 1, 15, -1).sata_mbit_per_s, 0);
}

static void test_force_mode(void **state)
{
    struct ata_force f = ata_force_find("1.00:udma/66,1.01:pio4", 1, 0, 15);

    (void)state;
    assert_true(f.has_mode);
    assert_string_equal(label(f.mode), "UDMA/66");
    assert_string_equal(label(ata_force_find("1:UDMA4", 1, 0, 15).mode), "UDMA/66");
    assert_string_equal(label(ata_force_find("1:udma66", 1, 0, 15).mode), "UDMA/66");
    assert_string_equal(label(ata_force_find("1.15:mwdma2", 1, 0, 15).mode), "MWDMA2");
    assert_string_equal(label(ata_force_find("1.00:udma/66,1.01:pio4", 1, 1, 16).mode), "PIO4");
    assert_false(ata_force_find("udma6 6", 1, 0, 15).has_mode);
    assert_true(ata_force_find("1:40c", 1, 0, 15).forty_wires);
    assert_false(ata_force_find("1:40c,80c", 1, 0, 15).forty_wires);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_kernels), cmocka_unit_test(test_new_kernels),
        cmocka_unit_test(test_labels),      cmocka_unit_test(test_force_speed),
        cmocka_unit_test(test_force_mode),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
