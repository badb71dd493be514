/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Responses of SAS expanders to SMP functions (SPL-4 9.4.3): REPORT GENERAL, DISCOVER and REPORT
 * PHY ERROR LOG.
 *
 * "response" is everywhere the SMP response frame from its byte 0 (frame type 41h) on; the CRC
 * behind it may be there or not. Each decoder returns 0; -EBADMSG where it is not a response to
 * that function or ends before the fields that every SAS version has; -ENODATA where the function
 * result is not 0: the expander refused, smp_result() says why.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "decode/sasphy.h"

enum smp_function {
    SMP_REPORT_GENERAL = 0x00,
    SMP_DISCOVER = 0x10,
    SMP_REPORT_PHY_ERROR_LOG = 0x11,
};

/* FUNCTION RESULT values that say something about the phy that was asked for. */
enum {
    SMP_RESULT_ACCEPTED = 0x00,
    SMP_RESULT_UNKNOWN_FUNCTION = 0x01,
    SMP_RESULT_NO_PHY = 0x10,
    SMP_RESULT_PHY_VACANT = 0x16,
};

/* FUNCTION RESULT of a response to `function`, 0 or more (SMP_RESULT_…); -EBADMSG where it is no
 * response to it. */
int smp_result(struct bytes response, enum smp_function function);

struct smp_general {
    uint16_t change_count; /* EXPANDER CHANGE COUNT */
    uint8_t n_phys;        /* NUMBER OF PHYS */
    bool table_to_table;   /* TABLE TO TABLE SUPPORTED (SAS-2 and later) */
    bool configuring;      /* the expander is at it: what it says may change at any moment */
    bool has_enclosure_id; /* it is not 0 */
    uint64_t enclosure_id; /* ENCLOSURE LOGICAL IDENTIFIER */
};
int smp_general(struct bytes response, struct smp_general *ret);

/* ROUTING ATTRIBUTE. */
enum {
    SMP_ROUTING_DIRECT = 0,
    SMP_ROUTING_SUBTRACTIVE = 1,
    SMP_ROUTING_TABLE = 2,
};

struct smp_discover {
    struct sas_phy
        phy; /* `reason` is byte 94's (0 where the response ends before), not byte 13's */
    uint8_t programmed_min,
        programmed_max; /* physical rates, for sas_rate_mbps(); 0 not programmed */
    uint8_t hardware_min, hardware_max;
    uint8_t change_count; /* PHY CHANGE COUNT */
    bool virtual_phy;     /* inside the expander: no cable, no link */
    uint8_t routing;      /* SMP_ROUTING_… */
    uint8_t connector_type, connector_element, connector_link; /* 0 not reported (SAS-1: always) */

    bool has_capabilities; /* SAS-2: bytes 76 to 87 are there */
    uint32_t programmed_capabilities, current_capabilities, attached_capabilities;
    bool has_physical_rate; /* SAS-2: bytes 94 and 95 are there */
    uint8_t physical_rate;  /* NEGOTIATED PHYSICAL LINK RATE: sas_state_of(), sas_rate_mbps() */
    bool optical, ssc;      /* OPTICAL MODE ENABLED, NEGOTIATED SSC */
};
int smp_discover(struct bytes response, struct smp_discover *ret);

struct smp_errors {
    uint8_t phy;
    uint32_t invalid_dword; /* the four counters of log page 18h: see saslog.h */
    uint32_t running_disparity;
    uint32_t loss_of_sync;
    uint32_t reset_problem;
};
int smp_phy_error_log(struct bytes response, struct smp_errors *ret);
