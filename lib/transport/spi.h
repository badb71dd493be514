/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the parallel SCSI transport share: its rates, and procfs texts of its drivers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link/rate.h"

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
