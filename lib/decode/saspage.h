/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mode page 19h of SAS devices (SPL-4 9.2.7, protocol identifier 6): the device's view of all its
 * phys, of both its ports: which one is ours, the SAS address tells.
 *
 * All of these functions take the page from its byte 0 on (see protopage.h) and return 0;
 * -EBADMSG where it is not that subpage or ends too early; -ENOTSUP where it belongs to another
 * protocol (SPI has subpages 01h to 03h, too).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "decode/sasphy.h"

enum {
    SASPAGE_SHORT = 0x00,
    SASPAGE_PHYS = 0x01,     /* phy control and discover */
    SASPAGE_SHARED = 0x02,   /* shared port control */
    SASPAGE_ENHANCED = 0x03, /* enhanced phy control */
};

/* The short page. */
struct saspage_timers {
    bool ready_led_meaning;
    uint16_t nexus_loss_ms;         /* I_T NEXUS LOSS TIME: 0 vendor specific, FFFFh never */
    uint16_t initiator_response_ms; /* INITIATOR RESPONSE TIMEOUT: 0 disabled */
};
int saspage_timers(struct bytes page, struct saspage_timers *ret);

/* Subpage 01h, one descriptor. */
struct saspage_phy {
    struct sas_phy phy;
    /* Physical rates, codes for sas_rate_mbps(). */
    uint8_t programmed_min, programmed_max; /* 0 not programmed */
    uint8_t hardware_min, hardware_max;
};

/* Subpage 01h. */
struct saspage_phys {
    uint8_t generation; /* GENERATION CODE: changes when the page does; 0 not reported */
    uint8_t n_phys;     /* NUMBER OF PHYS as the device says */
    bool cut;           /* the page ends before the phys that are announced do */
    unsigned left;      /* for saspage_phys_next() */
    struct cursor rest;
};
int saspage_phys(struct bytes page, struct saspage_phys *ret);

/* The next phy: true and *ret set, or false behind the last one. NUMBER OF PHYS is an upper bound:
 * a descriptor that is not there in full is not given, and `cut` set then. */
bool saspage_phys_next(struct saspage_phys *phys, struct saspage_phy *ret);

/* Subpage 02h. */
struct saspage_shared {
    uint16_t power_loss_ms;            /* POWER LOSS TIMEOUT */
    uint8_t power_grant_s;             /* POWER GRANT TIMEOUT, SPL-3 and later */
    bool has_port_mode;                /* the page reaches byte 10: SPL-5 and later */
    bool one_phy, two_phys, four_phys; /* how the phys of a multi-phy device form ports */
};
int saspage_shared(struct bytes page, struct saspage_shared *ret);

/* Subpage 03h, one descriptor. */
struct saspage_enhanced_phy {
    uint8_t phy;                      /* PHY IDENTIFIER */
    uint32_t programmed_capabilities; /* PHY CAPABILITIES, for sas_capabilities_max_mbps() */
    uint32_t current_capabilities;
    uint32_t attached_capabilities;
    bool optical;          /* OPTICAL MODE ENABLED */
    bool ssc;              /* NEGOTIATED SSC */
    uint8_t physical_rate; /* NEGOTIATED PHYSICAL LINK RATE: sas_state_of(), sas_rate_mbps() */
};

/* Subpage 03h. The fields are those of struct saspage_phys. */
struct saspage_enhanced {
    uint8_t generation;
    uint8_t n_phys;
    bool cut;
    unsigned left;
    struct cursor rest;
};
int saspage_enhanced(struct bytes page, struct saspage_enhanced *ret);

/* The next phy, as saspage_phys_next(); descriptors have a length of their own here. One that is
 * too short for its fields ends the walk and sets `cut`. */
bool saspage_enhanced_next(struct saspage_enhanced *enhanced, struct saspage_enhanced_phy *ret);
