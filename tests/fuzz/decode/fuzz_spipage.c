/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <errno.h>

#include "decode/protopage.h"
#include "decode/spipage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = { data, size };
    struct spi_capabilities capabilities;
    struct spi_negotiated negotiated;
    struct spi_training training;
    struct spi_margin margin;
    struct protopage p;
    uint16_t ms;
    int head = protopage_decode(input, &p), results[5];

    CHECK(head == 0 || head == -EBADMSG);
    results[0] = spipage_sync_timeout(input, &ms);
    results[1] = spipage_margin(input, &margin);
    results[2] = spipage_training(input, &training);
    results[3] = spipage_negotiated(input, &negotiated);
    results[4] = spipage_capabilities(input, &capabilities);
    for (int i = 0; i < 5; i++) {
        CHECK(results[i] == 0 || results[i] == -EBADMSG || results[i] == -ENOTSUP);
        CHECK(results[i] < 0 || (head == 0 && p.subpage == i && p.protocol == PROTOCOL_SPI));
        CHECK((results[i] == -ENOTSUP) == (head == 0 && p.protocol != PROTOCOL_SPI));
    }
    if (head == 0)
        CHECK(is_inside(input, p.bytes) && p.protocol <= 0xf);
    if (results[1] == 0)
        CHECK(margin.slew_rate >= -8 && margin.slew_rate <= 7);
    if (results[3] == 0) {
        CHECK(negotiated.options <= 0x7f && negotiated.transceiver <= SPI_TRANSCEIVER_HVD);
        CHECK((spi_period_ps(negotiated.period_factor) == 0) == (negotiated.period_factor < 7));
        CHECK(spi_width_bits(negotiated.width_exponent) <= 32);
    }
    return 0;
}
