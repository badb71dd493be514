/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every description of a SAS phy has in common (sasphy.h).
 */
#include "decode/sasphy.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/names.h"

/* From code 8h on, and from generation 1 on. */
static const uint32_t RATES_MBPS[] = { 1500, 3000, 6000, 12000, 22500 };

enum { FIRST_RATE_CODE = 8 };

uint32_t sas_rate_mbps(uint8_t rate_code)
{
    unsigned code = rate_code & 0x0fu;

    if (code < FIRST_RATE_CODE || code - FIRST_RATE_CODE >= ELEMENTS(RATES_MBPS))
        return 0;
    return RATES_MBPS[code - FIRST_RATE_CODE];
}

enum sas_state sas_state_of(uint8_t rate_code)
{
    unsigned code = rate_code & 0x0fu;

    if (code < SAS_STATE_RESERVED)
        return (enum sas_state)code;
    return sas_rate_mbps(rate_code) ? SAS_STATE_UP : SAS_STATE_RESERVED;
}

static const char *const STATES[SAS_STATE_MAX] = {
    [SAS_STATE_UNKNOWN] = "unknown",
    [SAS_STATE_DISABLED] = "disabled",
    [SAS_STATE_RESET_PROBLEM] = "reset problem",
    [SAS_STATE_SPINUP_HOLD] = "spinup hold",
    [SAS_STATE_PORT_SELECTOR] = "port selector",
    [SAS_STATE_RESETTING] = "resetting",
    [SAS_STATE_UNSUPPORTED] = "unsupported",
    [SAS_STATE_RESERVED] = "reserved",
    [SAS_STATE_UP] = "up",
};

DEFINE_NAMES(enum sas_state, sas_state, STATES)

int sas_phy_decode(struct bytes descriptor, struct sas_phy *ret)
{
    struct cursor c = cursor_over(descriptor);
    struct sas_phy phy = { 0 };
    uint8_t byte;

    cursor_skip(&c, 1);
    phy.phy = cursor_u8(&c);
    cursor_skip(&c, 2);
    byte = cursor_u8(&c);
    phy.attached_type = byte >> 4 & 0x07;
    phy.attached_reason = byte & 0x0f;
    byte = cursor_u8(&c);
    phy.reason = byte >> 4;
    phy.logical_rate = byte & 0x0f;
    phy.attached_initiator = cursor_u8(&c);
    phy.attached_target = cursor_u8(&c);
    phy.address = cursor_be64(&c);
    phy.attached_address = cursor_be64(&c);
    phy.attached_phy = cursor_u8(&c);
    if (c.failed)
        return -EBADMSG;
    *ret = phy;
    return 0;
}

uint32_t sas_capabilities_max_mbps(uint32_t capabilities)
{
    /* Bits 23 and 22 are generation 1 without and with spread spectrum clocking, and so on down. */
    for (unsigned generation = ELEMENTS(RATES_MBPS); generation > 0; generation--)
        if (capabilities >> (24 - 2 * generation) & 0x3)
            return RATES_MBPS[generation - 1];
    return 0;
}
