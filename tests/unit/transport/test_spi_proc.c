/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What parallel SCSI drivers say in procfs, as rates.
 */
#include "../cmocka_all.h"

#include <errno.h>

#include "transport/spi.h"

static const char AIC79XX[] =
    "Adaptec AIC79xx driver version: 3.0\n"
    "Adaptec 39320 Ultra320 SCSI adapter\n"
    "aic7902: Ultra320 Wide Channel A, SCSI Id=7, PCI-X 101-133MHz, 512 SCBs\n"
    "Allocated SCBs: 4, SG List Length: 128\n"
    "\n"
    "Target 0 Negotiation Settings\n"
    "\tUser: 320.000MB/s transfers (160.000MHz RDSTRM|DT|IU|RTI|QAS, 16bit)\n"
    "\tGoal: 320.000MB/s transfers (160.000MHz RDSTRM|DT|IU|RTI|QAS, 16bit)\n"
    "\tCurr: 160.000MB/s transfers (80.000MHz DT, 16bit)\n"
    "\tChannel A Target 0 Lun 0 Settings\n"
    "\t\tCommands Queued 6130\n"
    "Target 1 Negotiation Settings\n"
    "\tUser: 320.000MB/s transfers (160.000MHz RDSTRM|DT|IU|RTI|QAS, 16bit)\n"
    "Target 10 Negotiation Settings\n"
    "\tUser: 80.000MB/s transfers (40.000MHz, offset 127, 16bit)\n"
    "\tCurr: 6.600MB/s transfers (16bit)\n"
    "Target 11 Negotiation Settings\n"
    "\tUser: 10.000MB/s transfers (10.000MHz, offset 15)\n"
    "\tCurr: Renegotiation Pending\n"
    "Target 12 Negotiation Settings\n"
    "\tUser: what is this\n";

static const char TWIN[] = "Channel A Target 3 Negotiation Settings\n"
                           "\tUser: 20.000MB/s transfers (20.000MHz, offset 15)\n"
                           "Channel B Target 3 Negotiation Settings\n"
                           "\tUser: 10.000MB/s transfers (10.000MHz, offset 8)\n";

static void assert_rate(struct rate r, uint32_t lanes, uint64_t lane_kb_per_s, uint32_t options)
{
    assert_int_equal(r.lanes, lanes);
    assert_int_equal(r.lane_kb_per_s, lane_kb_per_s);
    assert_int_equal(r.options, options);
}

static void a_target_is_found_by_its_number(void **state)
{
    struct spi_proc_target t;

    (void)state;
    assert_int_equal(spi_proc_find(AIC79XX, 0, 0, &t), 0);
    assert_true(t.has_user && t.has_curr);
    assert_rate(t.user, 2, 160000, SPI_DT | SPI_IU | SPI_QAS);
    assert_rate(t.curr, 2, 80000, SPI_DT);
    assert_int_equal(spi_proc_find(AIC79XX, 0, 1, &t), 0);
    assert_true(t.has_user && !t.has_curr);
    assert_int_equal(spi_proc_find(AIC79XX, 0, 2, &t), -ENOENT);
    assert_int_equal(spi_proc_find(AIC79XX, 1, 0, &t), -ENOENT);
    assert_int_equal(spi_proc_find("", 0, 0, &t), -ENOENT);
}

static void asynchronous_is_spelled_by_a_rate_alone(void **state)
{
    struct spi_proc_target t;

    (void)state;
    assert_int_equal(spi_proc_find(AIC79XX, 0, 10, &t), 0);
    assert_rate(t.curr, 2, 0, 0);
    assert_rate(t.user, 2, 40000, 0);
}

static void what_is_pending_or_not_understood_is_not_known(void **state)
{
    struct spi_proc_target t;

    (void)state;
    assert_int_equal(spi_proc_find(AIC79XX, 0, 11, &t), 0);
    assert_false(t.has_curr);
    assert_rate(t.user, 1, 10000, 0);
    assert_int_equal(spi_proc_find(AIC79XX, 0, 12, &t), -EBADMSG);
}

static void two_channels_are_told_apart(void **state)
{
    struct spi_proc_target t;

    (void)state;
    assert_int_equal(spi_proc_find(TWIN, 0, 3, &t), 0);
    assert_rate(t.user, 1, 20000, 0);
    assert_int_equal(spi_proc_find(TWIN, 1, 3, &t), 0);
    assert_rate(t.user, 1, 10000, 0);
    assert_int_equal(spi_proc_find(TWIN, 2, 3, &t), -ENOENT);
    assert_int_equal(spi_proc_find(TWIN, 1000, 3, &t), -ENOENT);
}

static void the_head_names_the_chip(void **state)
{
    struct rate r;

    (void)state;
    assert_int_equal(spi_proc_chip(AIC79XX, &r), 0);
    assert_rate(r, 2, 160000, SPI_DT | SPI_IU | SPI_QAS);
    assert_int_equal(
        spi_proc_chip("Chip sym53c875, device id 0xf\nMin. period factor 12, Wide SCSI BUS\n", &r),
        0);
    assert_rate(r, 2, 20000, 0);
    assert_int_equal(spi_proc_chip("Min. period factor 9, Wide SCSI BUS, DT capable\n", &r), 0);
    assert_rate(r, 2, 80000, SPI_DT);
    assert_int_equal(spi_proc_chip("Min. period factor 25, Narrow SCSI BUS\n", &r), 0);
    assert_rate(r, 1, 10000, 0);
    assert_int_equal(spi_proc_chip("ioc0: LSI53C1030, FwRev=01031710h, Ports=1, MaxQ=222\n", &r),
                     -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_is_found_by_its_number),
        cmocka_unit_test(asynchronous_is_spelled_by_a_rate_alone),
        cmocka_unit_test(what_is_pending_or_not_understood_is_not_known),
        cmocka_unit_test(two_channels_are_told_apart),
        cmocka_unit_test(the_head_names_the_chip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
