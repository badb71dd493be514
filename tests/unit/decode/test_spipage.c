/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../cmocka_all.h"

#include <errno.h>

#include "decode/protopage.h"
#include "decode/saspage.h"
#include "decode/spipage.h"
#include "exact.h"

static const uint8_t NEGOTIATED[14] = { 0xd9, 0x03, 0, 0x0a, 0,    0x01, 0x08,
                                        0,    0x7f, 1, 0xf7, 0x0a, 0,    0 };
static const uint8_t CAPABILITIES[14] = { 0x59, 0x04, 0, 0x0a, 0, 0x01, 0x08, 0, 0x40, 1, 0xc3 };
static const uint8_t MARGIN[22] = { 0x59, 0x01, 0, 0x12, 0, 0x01, 0, 0x70, 0x9f, 0x80 };
static const uint8_t SHORT[8] = { 0x19, 0x06, 0x01, 0, 0xff, 0xff };

static void reads_the_agreement(void **state)
{
    struct spi_negotiated n;

    (void)state;
    assert_int_equal(spipage_negotiated(BYTES(NEGOTIATED), &n), 0);
    assert_int_equal(n.period_factor, 8);
    assert_int_equal(n.offset, 127);
    assert_int_equal(n.width_exponent, 1);
    assert_int_equal(n.options, 0x77); /* seven bits of them */
    assert_int_equal(n.transceiver, SPI_TRANSCEIVER_LVD);
    assert_true(n.sent_pcomp);
    assert_false(n.received_pcomp);
}

static void reads_the_ability(void **state)
{
    struct spi_capabilities c;

    (void)state;
    assert_int_equal(spipage_capabilities(BYTES(CAPABILITIES), &c), 0);
    assert_int_equal(c.min_period_factor, 8);
    assert_int_equal(c.max_offset, 64);
    assert_int_equal(c.max_width_exponent, 1);
    assert_int_equal(c.options,
                     SPI_OPTION_PCOMP_EN | SPI_OPTION_RTI | SPI_OPTION_DT_REQ | SPI_OPTION_IU_REQ);
}

static void margins_are_signed(void **state)
{
    struct spi_margin m;

    (void)state;
    assert_int_equal(spipage_margin(BYTES(MARGIN), &m), 0);
    assert_int_equal(m.driver_strength, 7);
    assert_int_equal(m.driver_asymmetry, -7);
    assert_int_equal(m.driver_precompensation, -1);
    assert_int_equal(m.slew_rate, -8);
}

static void reads_the_timeout(void **state)
{
    uint16_t ms;

    (void)state;
    assert_int_equal(spipage_sync_timeout(BYTES(SHORT), &ms), 0);
    assert_int_equal(ms, 0xffff);
}

static void reads_training_values_in_order(void **state)
{
    uint8_t page[234] = { 0x59, 0x02, 0, 0xe6, 0, 0x01 };
    struct spi_training t;

    (void)state;
    page[13] = 1;
    page[10 + 4 * 15 + 3] = 15;
    page[74 + 3] = 16;
    page[114] = 0x80;
    assert_int_equal(spipage_training(BYTES(page), &t), 0);
    assert_int_equal(t.db[0], 1);
    assert_int_equal(t.db[15], 15);
    assert_int_equal(t.p_crca, 16);
    assert_int_equal(t.msg, 0x80000000);
    assert_int_equal(spipage_training((struct bytes){ page, 117 }, &t), -EBADMSG);
}

/* SAS has subpages of the same numbers: only the protocol identifier tells. */
static void other_protocols_are_refused_by_name(void **state)
{
    uint8_t sas[22], spi[22];
    struct saspage_phys phys;
    struct spi_margin m;

    (void)state;
    memcpy(sas, MARGIN, sizeof(sas));
    memcpy(spi, MARGIN, sizeof(spi));
    sas[5] = 0x16; /* the upper four bits are not the protocol's */
    assert_int_equal(spipage_margin(BYTES(sas), &m), -ENOTSUP);
    assert_int_equal(saspage_phys(BYTES(sas), &phys), 0);
    assert_int_equal(saspage_phys(BYTES(spi), &phys), -ENOTSUP);
}

static void other_pages_are_no_pages(void **state)
{
    uint8_t page[14];
    struct spi_negotiated n;

    (void)state;
    assert_int_equal(spipage_negotiated(BYTES(CAPABILITIES), &n), -EBADMSG);
    assert_int_equal(spipage_negotiated(BYTES(SHORT), &n), -EBADMSG);
    memcpy(page, NEGOTIATED, sizeof(page));
    page[0] = 0x58;
    assert_int_equal(spipage_negotiated(BYTES(page), &n), -EBADMSG);
    page[0] = 0x59;
    page[3] = 0x07; /* too short by its own word, whatever follows */
    assert_int_equal(spipage_negotiated(BYTES(page), &n), -EBADMSG);
    page[2] = 0xff; /* too long: what is there counts */
    assert_int_equal(spipage_negotiated(BYTES(page), &n), 0);
}

static void head_is_clipped(void **state)
{
    const uint8_t longest[] = { 0x59, 0x01, 0xff, 0xff, 0, 0xf6, 1, 2 };
    struct protopage p;

    (void)state;
    assert_int_equal(protopage_decode(BYTES(longest), &p), 0);
    assert_int_equal(p.subpage, 1);
    assert_int_equal(p.protocol, PROTOCOL_SAS);
    assert_int_equal(p.bytes.len, sizeof(longest));
    assert_true(p.cut);
    assert_int_equal(protopage_decode(BYTES(SHORT), &p), 0);
    assert_int_equal(p.subpage, 0);
    assert_false(p.cut);
    assert_int_equal(protopage_decode((struct bytes){ (const uint8_t[]){ 0x19, 0, 1 }, 3 }, &p),
                     -EBADMSG);
    assert_int_equal(protopage_decode((struct bytes){ 0 }, &p), -EBADMSG);
}

static void stands_any_length(void **state)
{
    (void)state;
    for (size_t len = 0; len <= 14; len++) {
        _cleanup_exact_ struct bytes agreement = exact(NEGOTIATED, len);
        _cleanup_exact_ struct bytes ability = exact(CAPABILITIES, len);
        _cleanup_exact_ struct bytes margin = exact(MARGIN, len);
        _cleanup_exact_ struct bytes timeout = exact(SHORT, len < 8 ? len : 8);
        struct spi_capabilities c;
        struct spi_negotiated n;
        struct spi_margin m;
        uint16_t ms;

        assert_int_equal(spipage_negotiated(agreement, &n), len < 12 ? -EBADMSG : 0);
        assert_int_equal(spipage_capabilities(ability, &c), len < 11 ? -EBADMSG : 0);
        assert_int_equal(spipage_margin(margin, &m), len < 10 ? -EBADMSG : 0);
        assert_int_equal(spipage_sync_timeout(timeout, &ms), len < 6 ? -EBADMSG : 0);
    }
}

static void periods_and_widths(void **state)
{
    (void)state;
    assert_int_equal(spi_period_ps(0x00), 0);
    assert_int_equal(spi_period_ps(0x06), 0);
    assert_int_equal(spi_period_ps(0x07), 3125);
    assert_int_equal(spi_period_ps(0x08), 6250);
    assert_int_equal(spi_period_ps(0x09), 12500);
    assert_int_equal(spi_period_ps(0x0a), 25000);
    assert_int_equal(spi_period_ps(0x0b), 30300);
    assert_int_equal(spi_period_ps(0x0c), 50000);
    assert_int_equal(spi_period_ps(0x0d), 52000);
    assert_int_equal(spi_period_ps(0x32), 200000);
    assert_int_equal(spi_period_ps(0xff), 1020000);
    assert_int_equal(spi_width_bits(0), 8);
    assert_int_equal(spi_width_bits(1), 16);
    assert_int_equal(spi_width_bits(2), 32);
    assert_int_equal(spi_width_bits(3), 0);
    assert_int_equal(spi_width_bits(255), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_agreement),
        cmocka_unit_test(reads_the_ability),
        cmocka_unit_test(margins_are_signed),
        cmocka_unit_test(reads_the_timeout),
        cmocka_unit_test(reads_training_values_in_order),
        cmocka_unit_test(other_protocols_are_refused_by_name),
        cmocka_unit_test(other_pages_are_no_pages),
        cmocka_unit_test(head_is_clipped),
        cmocka_unit_test(stands_any_length),
        cmocka_unit_test(periods_and_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
