/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mode page 19h of parallel SCSI devices (SPI-4, mode parameters; protocol identifier 1): what it
 * says it negotiated with us, and what it can do.
 *
 * All of these functions take the page from its byte 0 on (see protopage.h) and return 0;
 * -EBADMSG where it is not that subpage or ends too early; -ENOTSUP where it belongs to another
 * protocol (SAS has a subpage 01h, too).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum {
    SPIPAGE_SHORT = 0x00,
    SPIPAGE_MARGIN = 0x01,
    SPIPAGE_TRAINING = 0x02,
    SPIPAGE_NEGOTIATED = 0x03,
    SPIPAGE_CAPABILITIES = 0x04,
};

/* Bits of the protocol options, the same as in byte 7 of a PPR message (SPI-4;
 * drivers/scsi/aic7xxx/scsi_message.h). */
enum {
    SPI_OPTION_IU_REQ = 0x01,   /* information units */
    SPI_OPTION_DT_REQ = 0x02,   /* double transition */
    SPI_OPTION_QAS_REQ = 0x04,  /* quick arbitration and selection */
    SPI_OPTION_HOLD_MCS = 0x08, /* hold margin control settings */
    SPI_OPTION_WR_FLOW = 0x10,  /* write flow control */
    SPI_OPTION_RD_STRM = 0x20,  /* read streaming and read flow control */
    SPI_OPTION_RTI = 0x40,      /* retain training information */
    SPI_OPTION_PCOMP_EN = 0x80, /* precompensation; not among the negotiated options, see below */
};

/* TRANSCEIVER MODE: the electrical mode of the bus segment that the device sits on. */
enum spi_transceiver {
    SPI_TRANSCEIVER_UNKNOWN = 0, /* not reported */
    SPI_TRANSCEIVER_SE = 1,
    SPI_TRANSCEIVER_LVD = 2,
    SPI_TRANSCEIVER_HVD = 3,
};

/* Subpage 03h: the agreement in force between the device and the initiator that asked. */
struct spi_negotiated {
    uint8_t period_factor;  /* see spi_period_ps(); without meaning where offset is 0 */
    uint8_t offset;         /* REQ/ACK offset; 0 is asynchronous */
    uint8_t width_exponent; /* see spi_width_bits() */
    uint8_t options;        /* SPI_OPTION_…, bits 6:0 */
    enum spi_transceiver transceiver;
    bool sent_pcomp; /* PCOMP_EN as the device sent it, and as it got it */
    bool received_pcomp;
};
int spipage_negotiated(struct bytes page, struct spi_negotiated *ret);

/* Subpage 04h: what the device can do. */
struct spi_capabilities {
    uint8_t min_period_factor;
    uint8_t max_offset;
    uint8_t max_width_exponent;
    uint8_t options; /* SPI_OPTION_…, all eight bits */
};
int spipage_capabilities(struct bytes page, struct spi_capabilities *ret);

/* Subpage 01h: how the device drives the bus. Each from -8 to 7, 0 is the default. */
struct spi_margin {
    int8_t driver_strength;
    int8_t driver_asymmetry;
    int8_t driver_precompensation;
    int8_t slew_rate;
};
int spipage_margin(struct bytes page, struct spi_margin *ret);

/* Subpage 02h: what training found, one value per signal; only for Fast-160 with saved training.
 * What a value means is the vendor's affair. */
struct spi_training {
    uint32_t db[16];
    uint32_t p_crca, p1, bsy, sel, rst, req, ack, atn, c_d, i_o, msg;
};
int spipage_training(struct bytes page, struct spi_training *ret);

/* The short page: SYNCHRONOUS TRANSFER TIMEOUT in ms; 0 disabled, FFFFh unlimited. */
int spipage_sync_timeout(struct bytes page, uint16_t *ret_ms);

/* What a TRANSFER PERIOD FACTOR stands for, in picoseconds per transfer (in DT mode both edges
 * count, so MB/s = bytes of width * 1e6 / ps always). 0 for the reserved factors 00h to 06h.
 * drivers/scsi/scsi_transport_spi.c, ppr_to_ps. */
uint32_t spi_period_ps(uint8_t factor);

/* What a TRANSFER WIDTH EXPONENT stands for: 8, 16 or 32 bits (32 is obsolete since SPI-3); 0 for a
 * reserved one. */
unsigned spi_width_bits(uint8_t exponent);
