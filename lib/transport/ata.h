/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the ATA transport share: transfer modes of parallel ATA, libata.force, and the facts
 * that both kinds of link are made from.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/identify.h"
#include "transport/controllers.h"
#include "transport/relation.h"

/* Options of a parallel rate: the families of modes that an end speaks. Who speaks UDMA speaks the
 * other two as well, so that what two ends have in common names itself. */
enum { ATA_PIO = 1 << 0, ATA_MWDMA = 1 << 1, ATA_UDMA = 1 << 2 };

/* The rate of a mode: family (the highest of its bits) and number. Rate 0 where no such mode is known. */
struct rate ata_mode_rate(uint32_t family, int number);

/* The fastest mode that is slower than no other one of its family above the given rate: the step that
 * libata came down from. The rate itself at the top. */
struct rate ata_mode_above(struct rate rate);

/* Names a parallel rate: "UDMA/66", "MWDMA2", "PIO4". */
int ata_describe_parallel(struct arena *arena, struct rate rate, struct mode *ret);

/* The text of ata_device/…/xfer_mode as the mode's code (SET FEATURES 03h; XFER_… in include/linux/ata.h).
 * Older kernels print a comma list of all modes whose code shares a bit with the code in force, newer ones
 * the one mode (drivers/ata/libata-transport.c, ata_xfer_names). Returns 0; -ENODATA for an empty text;
 * -EBADMSG for one that no mode prints. */
int ata_parse_xfer_mode(const char *text, unsigned *ret_code);

/* The rate of a code; rate 0 for those without one (PIO_SLOW, single-word DMA) and for unknown ones. */
struct rate ata_code_rate(uint64_t code);

/* What libata.force says of one link or device. */
struct ata_force {
    unsigned sata_mbit_per_s; /* the speed limit, 1500 or 3000; 0: none */
    bool has_mode;
    struct rate mode; /* the only transfer mode allowed */
    bool forty_wires; /* "40c": the cable is taken for one of 40 conductors */
};

/* Reads the value of the parameter ("3:3.0Gbps,4:udma/66") for a port (the number in ataN) and for the
 * numbers that its link or device answers to, as drivers/ata/libata-core.c counts them: `device`, and
 * `alias` (-1: none). Entries that cannot be understood say nothing. */
struct ata_force ata_force_find(const char *text, unsigned port, int device, int alias);

/* The row of the host's controller in the table, where its ports are of that kind; NULL otherwise. */
const struct controller *ata_controller(const struct relation *r, const struct host *host,
                                        bool is_parallel);

/* Facts of an ata_device: the code of the mode in force, how often libata lowered it, the 512 bytes. */
extern const struct fact_key ATA_XFER_MODE, ATA_SPDN_COUNT, ATA_IDENTIFY, ATA_CLASS;

/* Facts of an ata_link: Mb/s; none where the kernel says "<unknown>": no link, or no limit. */
extern const struct fact_key ATA_SPEED, ATA_LIMIT, ATA_HW_LIMIT;

/* Fact of an ahci_host (by the name of its scsi_host): the CAP register. */
extern const struct fact_key ATA_AHCI_CAPS;

/* The port a host belongs to: "…/ata3/host2" gives 3, and where in the path the name begins. False where
 * the host is no child of a port. */
bool ata_port_of(const struct subject *host, unsigned *ret_port, size_t *ret_at);

/* Does the fact say, in the kernel's own words, that there is nothing: no device, no limit? False for one that is
 * missing or refused. */
bool ata_says_none(const struct fact *f);

/* Is anything there? By the class of the device (NULL: none is shown); where no file of its modes was read, by its
 * IDENTIFY data, which may outlive it. */
enum ata_presence {
    ATA_PRESENT,
    ATA_ABSENT,
    ATA_UNTOLD, /* its class cannot be read */
};
enum ata_presence ata_presence(const struct subject *device);

/* The reason of a link whose device's class cannot be read. */
#define ATA_UNTOLD_REASON "whether anything is attached cannot be read"

/* The IDENTIFY data of a device (class ata_device, may be NULL); false where there are none. */
bool ata_identify(const struct subject *device, struct identify *ret);

/* The model in IDENTIFY data, for people; NULL where that is blank, or without memory. */
const char *ata_model(struct relation *r, const struct identify *id);

/* Adds a link of the transport, its id the host's with the suffix. NULL without memory. */
struct link *ata_add_link(struct relation *r, struct host *host, const struct subject *subject,
                          const char *transport, const char *suffix);

/* One SATA link. What ata_relate_sata() fills in is 0 and NULL before. */
struct sata_wire {
    const struct subject *subject; /* of class ata_link; the device where its wire is in no class */
    unsigned port;
    int pmp; /* port of the multiplier it is behind; -1: the port's own link */
    uint64_t speed, limit, hw_limit; /* Mb/s; 0: not known, no limit */
    bool limits_told;                /* 0 is no limit */
    struct link *link;
};

/* Adds the link of a wire and of the device at its end (NULL: none). Returns 0 or -ENOMEM. */
int ata_relate_sata(struct relation *r, struct host *host, struct sata_wire *w,
                    const struct subject *device);

/* Adds the link of one device on a parallel channel; `number` is 0 or 1. */
int ata_relate_parallel(struct relation *r, struct host *host, const struct subject *device,
                        unsigned port, unsigned number);
