/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What mode page 19h/01h, log page 18h and SMP DISCOVER say in the same way about one SAS phy, and
 * the codes they say it in (SPL-4 9.2.7, 9.2.8 and 9.4.3).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* What the NEGOTIATED … LINK RATE code says: 8h and above are rates, the rest are states. */
enum sas_state {
    SAS_STATE_UNKNOWN = 0,  /* enabled, rate not known (a free phy, or one that does not tell) */
    SAS_STATE_DISABLED = 1, /* PHY ENABLED, no: disabled by an administrator */
    SAS_STATE_RESET_PROBLEM = 2, /* speed negotiation failed */
    SAS_STATE_SPINUP_HOLD = 3,   /* SATA, waits for permission to spin up */
    SAS_STATE_PORT_SELECTOR = 4, /* SATA port selector attached */
    SAS_STATE_RESETTING = 5,
    SAS_STATE_UNSUPPORTED = 6, /* an unsupported phy is attached */
    SAS_STATE_RESERVED = 7,    /* a code that no standard defines yet */
    SAS_STATE_UP = 8,          /* the code is a rate: see sas_rate_mbps() */
    SAS_STATE_MAX,
};

/* The state that a rate code stands for; only the low four bits count. */
enum sas_state sas_state_of(uint8_t rate_code);

/* "unknown", "disabled", "reset problem", "spinup hold", "port selector", "resetting",
 * "unsupported", "reserved", "up"; NULL outside the enum. */
const char *sas_state_to_string(enum sas_state state);

/* The rate that a code stands for in Mb/s: 1500, 3000, 6000, 12000, 22500; 0 for a state, for a
 * reserved code, and for 0, which among programmed rates means "not programmed". Only the low four
 * bits count. */
uint32_t sas_rate_mbps(uint8_t rate_code);

/* ATTACHED SAS DEVICE TYPE. */
enum {
    SAS_ATTACHED_NONE = 0,
    SAS_ATTACHED_END_DEVICE = 1,
    SAS_ATTACHED_EXPANDER = 2,
    SAS_ATTACHED_FANOUT = 3, /* fanout expander, obsolete since SAS-2 */
};

/* REASON and ATTACHED REASON: why the last link reset sequence was started, by either end. */
enum {
    SAS_REASON_UNKNOWN = 0,
    SAS_REASON_POWER_ON = 1,
    SAS_REASON_HARD_RESET = 2,
    SAS_REASON_SMP_PHY_CONTROL = 3,
    SAS_REASON_LOSS_OF_SYNC = 4,
    SAS_REASON_MUX_MIX_UP = 5,
    SAS_REASON_NEXUS_LOSS = 6,
    SAS_REASON_BREAK_TIMEOUT = 7,
    SAS_REASON_TEST_STOPPED = 8,
    SAS_REASON_REDUCED_FUNCTIONALITY = 9,
};

/* Bits of attached_initiator and attached_target. */
enum {
    SAS_PROTOCOL_SATA = 0x01, /* SMP DISCOVER only */
    SAS_PROTOCOL_SMP = 0x02,
    SAS_PROTOCOL_STP = 0x04,
    SAS_PROTOCOL_SSP = 0x08,
    SAS_PROTOCOL_BUFFER_TOO_SMALL = 0x10, /* SMP DISCOVER, attached_target: STP buffer too small */
    SAS_PROTOCOL_SATA_PORT_SELECTOR = 0x80, /* SMP DISCOVER, attached_target */
};

struct sas_phy {
    uint8_t phy;                /* PHY IDENTIFIER */
    uint8_t attached_type;      /* SAS_ATTACHED_… */
    uint8_t attached_reason;    /* SAS_REASON_… */
    uint8_t reason;             /* SAS_REASON_… (SMP DISCOVER has it elsewhere: smp.h) */
    uint8_t logical_rate;       /* NEGOTIATED LOGICAL LINK RATE: sas_state_of(), sas_rate_mbps() */
    uint8_t attached_initiator; /* SAS_PROTOCOL_… that the other end can do as an initiator, */
    uint8_t attached_target;    /* and as a target */
    uint64_t address;           /* SAS address of the phy's own port */
    uint64_t attached_address;  /* 0 where nothing is attached or the device does not tell */
    uint8_t attached_phy;       /* PHY IDENTIFIER at the other end */
};

enum { SAS_PHY_SIZE = 25 };

/* Reads the part of a phy descriptor that all three have: 25 bytes, of which byte 1 is the PHY
 * IDENTIFIER. Returns 0; -EBADMSG for fewer bytes. */
int sas_phy_decode(struct bytes descriptor, struct sas_phy *ret);

/* The highest rate among PHY CAPABILITIES (the 32 bits that phys exchange since SAS-2), in Mb/s:
 * what the phy can do. 0 where no rate is set: not reported. */
uint32_t sas_capabilities_max_mbps(uint32_t capabilities);
