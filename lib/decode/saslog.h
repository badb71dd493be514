/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log page 18h (protocol specific port) of SAS devices (SPL-4 9.2.8): one parameter per target
 * port, in it one descriptor per phy, with the error counters of that phy.
 *
 *   struct saslog log;
 *   struct saslog_port port;
 *   struct saslog_phy phy;
 *
 *   r = saslog_decode(data, &log);
 *   while (r == 0 && saslog_next_port(&log, &port))
 *       while (saslog_next_phy(&port, &phy))
 *           …
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "decode/logpage.h"
#include "decode/sasphy.h"

enum { SASLOG_PAGE = 0x18 };

struct saslog {
    bool cut; /* data ended before the page did: there may be more than the walk gives */
    struct logpage_walk walk;
};

/* Takes LOG SENSE data. Returns 0; -EBADMSG where it is not page 18h, subpage 00h; -ENODATA where
 * no parameter holds a protocol identifier; -ENOTSUP where there are ports, but none of them SAS
 * (the page has another layout on FC). */
int saslog_decode(struct bytes data, struct saslog *ret);

struct saslog_port {
    uint16_t relative_id; /* RELATIVE TARGET PORT IDENTIFIER, the parameter code */
    uint8_t generation;   /* GENERATION CODE; 0 not reported */
    uint8_t n_phys;       /* NUMBER OF PHYS as the device says */
    bool cut;             /* the parameter ends before the phys that are announced do */
    unsigned left;        /* for saslog_next_phy() */
    struct cursor rest;
};

/* The next SAS port: true and *ret set, or false behind the last one. Ports of other protocols, and
 * parameters too short for a head (4 bytes), are skipped. */
bool saslog_next_port(struct saslog *log, struct saslog_port *ret);

struct saslog_phy {
    struct sas_phy phy;
    /* Counters since they were last reset; they stop at FFFFFFFFh. */
    uint32_t invalid_dword;
    uint32_t running_disparity;
    uint32_t loss_of_sync; /* LOSS OF DWORD SYNCHRONIZATION */
    uint32_t reset_problem;
    /* Phy event descriptors (SAS-2 and later), for saslog_next_event(). */
    uint8_t n_events; /* as the device says */
    unsigned events_left;
    struct cursor events;
};

/* The next phy of the port: true and *ret set, or false behind the last one. NUMBER OF PHYS is an
 * upper bound; a descriptor that is not there in full is not given, and `cut` set then. Descriptors
 * with a length below 44 (SAS-1 devices leave it 0) count as 48 bytes long. */
bool saslog_next_phy(struct saslog_port *port, struct saslog_phy *ret);

struct saslog_event {
    uint8_t source; /* PHY EVENT SOURCE: 07h, 08h invalid SPL packets and loss of their sync … */
    uint32_t value;
    uint32_t threshold; /* peak value detectors only */
};

/* The next phy event: true and *ret set, or false behind the last one that is there in full. */
bool saslog_next_event(struct saslog_phy *phy, struct saslog_event *ret);
