/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mode page 19h of parallel SCSI devices (spipage.h).
 */
#include "decode/spipage.h"

#include <errno.h>

#include "base/cleanup.h"
#include "decode/protopage.h"

int spipage_negotiated(struct bytes page, struct spi_negotiated *ret)
{
    struct protopage p;
    int r = protopage_expect(page, PROTOCOL_SPI, SPIPAGE_NEGOTIATED, 12, &p);

    if (r < 0)
        return r;
    *ret = (struct spi_negotiated){
        .period_factor = p.bytes.data[6],
        .offset = p.bytes.data[8],
        .width_exponent = p.bytes.data[9],
        .options = p.bytes.data[10] & 0x7f,
        .transceiver = (enum spi_transceiver)(p.bytes.data[11] >> 2 & 0x03),
        .sent_pcomp = p.bytes.data[11] & 0x02,
        .received_pcomp = p.bytes.data[11] & 0x01,
    };
    return 0;
}

int spipage_capabilities(struct bytes page, struct spi_capabilities *ret)
{
    struct protopage p;
    int r = protopage_expect(page, PROTOCOL_SPI, SPIPAGE_CAPABILITIES, 11, &p);

    if (r < 0)
        return r;
    *ret = (struct spi_capabilities){
        .min_period_factor = p.bytes.data[6],
        .max_offset = p.bytes.data[8],
        .max_width_exponent = p.bytes.data[9],
        .options = p.bytes.data[10],
    };
    return 0;
}

/* Four bits as a two's complement number. */
static int8_t signed_nibble(uint8_t nibble)
{
    return (int8_t)((nibble & 0x0f) < 8 ? nibble & 0x0f : (nibble & 0x0f) - 16);
}

int spipage_margin(struct bytes page, struct spi_margin *ret)
{
    struct protopage p;
    int r = protopage_expect(page, PROTOCOL_SPI, SPIPAGE_MARGIN, 10, &p);

    if (r < 0)
        return r;
    *ret = (struct spi_margin){
        .driver_strength = signed_nibble(p.bytes.data[7] >> 4),
        .driver_asymmetry = signed_nibble(p.bytes.data[8] >> 4),
        .driver_precompensation = signed_nibble(p.bytes.data[8]),
        .slew_rate = signed_nibble(p.bytes.data[9] >> 4),
    };
    return 0;
}

int spipage_training(struct bytes page, struct spi_training *ret)
{
    struct spi_training t = { 0 };
    uint32_t *const controls[] = { &t.p_crca, &t.p1,  &t.bsy, &t.sel, &t.rst, &t.req,
                                   &t.ack,    &t.atn, &t.c_d, &t.i_o, &t.msg };
    struct protopage p;
    struct cursor c;
    int r = protopage_expect(page, PROTOCOL_SPI, SPIPAGE_TRAINING, 118, &p);

    if (r < 0)
        return r;
    c = cursor_over(p.bytes);
    cursor_seek(&c, 10);
    for (size_t i = 0; i < ELEMENTS(t.db); i++)
        t.db[i] = cursor_be32(&c);
    for (size_t i = 0; i < ELEMENTS(controls); i++)
        *controls[i] = cursor_be32(&c);
    *ret = t;
    return 0;
}

int spipage_sync_timeout(struct bytes page, uint16_t *ret_ms)
{
    struct protopage p;
    int r = protopage_expect(page, PROTOCOL_SPI, SPIPAGE_SHORT, 6, &p);

    if (r < 0)
        return r;
    *ret_ms = (uint16_t)(p.bytes.data[4] << 8 | p.bytes.data[5]);
    return 0;
}

uint32_t spi_period_ps(uint8_t factor)
{
    /* From 07h (Fast-320) to 0Ch (Fast-20); slower ones count in steps of 4 ns. */
    static const uint32_t FAST[] = { 3125, 6250, 12500, 25000, 30300, 50000 };

    if (factor < 0x07)
        return 0;
    if (factor <= 0x0c)
        return FAST[factor - 0x07];
    return factor * 4000u;
}

unsigned spi_width_bits(uint8_t exponent)
{
    return exponent <= 2 ? 8u << exponent : 0;
}
