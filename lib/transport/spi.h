/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the parallel SCSI transport share: its facts, its rates, and procfs texts of its drivers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/inquiry.h"
#include "transport/relation.h"

/* Options of a rate; a rate's lanes are bytes of width. */
enum { SPI_DT = 1 << 0, SPI_IU = 1 << 1, SPI_QAS = 1 << 2 };

/* Transfer periods with names, in ps: drivers/scsi/scsi_transport_spi.c, ppr_to_ps; SPI-4 table 40. */
enum {
    SPI_PS_FAST_5 = 200000,
    SPI_PS_FAST_10 = 100000,
    SPI_PS_FAST_20 = 50000,
    SPI_PS_FAST_40 = 25000,
    SPI_PS_FAST_80 = 12500,
    SPI_PS_FAST_160 = 6250,
    SPI_PS_FAST_320 = 3125,
};

/* The rate of a transfer period (0: asynchronous) over so many bytes of width. In DT mode the period
 * is that of one transfer, so MB/s = width * 1000 / period_ns always. */
struct rate spi_rate(uint64_t period_ps, unsigned width_bytes, uint32_t options);

/* What /proc/scsi/aic7xxx/N and aic79xx/N say of one target. */
struct spi_proc_target {
    bool has_user, has_curr;
    struct rate user, curr; /* the ceiling of the SEEPROM, and what is in force */
    unsigned curr_offset;   /* where the driver prints one; else 0 */
};

/* Finds a target in the text. Returns 0, -ENOENT where the text does not speak of it, -EBADMSG where
 * what it says cannot be understood. */
int spi_proc_find(const char *text, unsigned channel, unsigned target, struct spi_proc_target *ret);

/* The ability of the chip that the head of the text names: "Ultra320 Wide Channel A" (aic*),
 * "Min. period factor 9, Wide SCSI BUS, DT capable" (sym53c8xx). -ENOENT where it names none. */
int spi_proc_chip(const char *text, struct rate *ret);

/* Facts of a target in the class spi_transport: periods in ps; offset 0 is asynchronous; width 0 is 8 bit. */
extern const struct fact_key SPI_KEY_PERIOD_PS, SPI_KEY_MIN_PERIOD_PS, SPI_KEY_OFFSET,
    SPI_KEY_MAX_OFFSET, SPI_KEY_WIDTH, SPI_KEY_MAX_WIDTH, SPI_KEY_DT, SPI_KEY_IU, SPI_KEY_MAX_IU,
    SPI_KEY_QAS, SPI_KEY_MAX_QAS;

/* What the class says is in force, over bytes of width; `*ret_offset` goes with it, 0 where the agreement is
 * asynchronous. `q`: INQUIRY data of the target, NULL where nobody shows any. False where it says nothing: a file
 * that is missing or cannot be read is no word for asynchronous or narrow transfers, but that all files of a kind
 * are missing is, where the target does not claim what they are about. */
bool spi_class_rate(const struct subject *class, const struct inquiry *q, struct rate *ret,
                    uint64_t *ret_offset);

/* Did the target claim synchronous transfers, as the kernel saw it? Only then newer kernels have files about these
 * (scsi_transport_spi.c, target_attribute_is_visible()). Older ones have all files for all targets: that a kernel is
 * not one of them is known where it has no file about DT transfers. */
bool spi_class_claims_sync(const struct subject *class);

/* Can everything be read that may limit the target: max_offset, min_period, max_width? `q` as above. */
bool spi_class_limits_told(const struct subject *class, const struct inquiry *q);

/* Facts of a host in the class spi_host; text of the driver's procfs file (class scsi_proc). */
extern const struct fact_key SPI_KEY_SIGNALLING, SPI_KEY_HOST_WIDTH, SPI_KEY_HBA_ID,
    SPI_KEY_PROC_TEXT;

/* Facts of a device: its mode pages 19h/03h and 19h/04h, each from byte 0 on and known to be that. */
extern const struct fact_key SPI_KEY_PAGE_NEGOTIATED, SPI_KEY_PAGE_CAPABLE;

/* Adds the link of a target. Returns 0 or -ENOMEM. */
int spi_relate_target(struct relation *r, struct host *host, const struct subject *target,
                      unsigned channel, unsigned id);
