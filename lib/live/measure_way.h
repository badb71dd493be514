/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ways of a timed read (source/measure.h): one row each, with what it opens, how it gets ready and how
 * it reads one block. The few system calls that they make are behind a small table, so that all but these
 * calls runs without hardware.
 *
 * Only data-in: SCSI commands are READ(10), READ(16), READ BUFFER modes 02h and 03h and READ CAPACITY, and
 * each passes command_allowed() right before it is sent.
 */
#pragma once

#include <scsi/sg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/node.h"
#include "source/command.h"
#include "source/measure.h"

/* What the system is asked for. All return 0 (or what is said) or a negative errno. */
struct measure_system {
    /* Opens the node by which that way reaches the device. A descriptor. `direct`: O_DIRECT. */
    int (*open)(void *user, const char *hctl, enum node_kind node, bool direct);
    /* ioctl(2): SG_IO, SG_SET_RESERVED_SIZE, SG_GET_RESERVED_SIZE. */
    int (*control)(void *user, int fd, unsigned long request, void *argument);
    /* pread(2): how many bytes came. */
    ssize_t (*read_at)(void *user, int fd, void *buffer, size_t size, uint64_t offset);
    /* Bytes of a block device (or file), and of what its reads must be multiples of. */
    int (*size)(void *user, int fd, uint64_t *ret_bytes, uint32_t *ret_sector);
    /* Drops what the page cache holds of that range. */
    int (*forget)(void *user, int fd, uint64_t offset, uint64_t size);
    /* mmap(2) of the driver's buffer, to read; NULL with errno. */
    void *(*map)(void *user, int fd, size_t size);
    void (*unmap)(void *user, void *address, size_t size);
    void (*close)(void *user, int fd);
};

/* What is known of a device's data, after way_size(). */
struct way_extent {
    uint64_t bytes;  /* of the medium, or of the buffer that READ BUFFER reads */
    uint32_t sector; /* reads must be multiples of it */
};

/* How one command ended. */
struct way_outcome {
    int error; /* 0, or a positive errno: it could not be sent, or the read failed */
    uint8_t status;
    uint16_t host_status, driver_status;
    size_t came;     /* bytes */
    bool was_direct; /* `info` says that nothing was copied */
    size_t sense_len;
};

/* One descriptor with what belongs to it: a thread's. */
struct way_io {
    const struct way *way;
    const struct measure_system *system;
    void *user;
    int fd; /* -1: not open */
    enum measure_what what;
    unsigned timeout_ms; /* of a command */
    size_t block;
    struct way_extent extent;
    uint8_t *
        buffers; /* `rotation` bytes, a multiple of the block; the caller's; of WAY_SG_MMAP the driver's */
    size_t rotation;
    size_t at; /* in it, of the next read */
    size_t mapped;
    unsigned asked; /* commands sent by way_size() so far */
    uint8_t cdb[CDB_MAX];
    size_t cdb_len;
    uint8_t fixed[CDB_MAX];  /* 0 where the CDB holds the place */
    uint8_t passed[CDB_MAX]; /* the CDB that command_allowed() has let through last */
    size_t passed_len;       /* 0: none */
    uint8_t sense[SENSE_MAX];
};

struct way {
    enum node_kind node;
    bool is_block;    /* reads by offset, not by commands */
    bool direct;      /* O_DIRECT */
    bool is_buffered; /* through the page cache */
    unsigned flags;   /* of the command that reads a block */
    /* Sends io->cdb for `size` bytes to `data`. NULL where is_block. */
    void (*send)(struct way_io *io, unsigned flags, void *data, size_t size,
                 struct way_outcome *ret);
    /* Gets ready to read blocks; 0 or a negative errno. May be NULL. */
    int (*prepare)(struct way_io *io);
};

/* The row of each way. */
const struct way *way_of(enum measure_way way);

/* Opens the node. Returns 0 or a negative errno: then nothing is open. */
int way_open(struct way_io *io, const char *hctl);
void way_close(struct way_io *io);

/* Asks how much there is to read: READ CAPACITY(10), (16) behind 2 TiB, READ BUFFER mode 03h, or the block
 * layer. Returns 0; 1 where the answer was no good answer (see *ret_outcome, may be a unit attention: ask
 * again); -EOPNOTSUPP where the device has no such buffer, or none of that size; another negative errno. */
int way_size(struct way_io *io, struct way_extent *ret, struct way_outcome *ret_outcome);

/* After way_size(), with block, extent and buffers set: gets ready to read blocks. Returns 0 or a negative
 * errno: -EMSGSIZE where the driver has no buffer of that size. */
int way_prepare(struct way_io *io);

/* Reads the block at that byte of the medium (of READ BUFFER, always the first). The first bytes of the
 * CDB that a read begins with are there after way_prepare(). */
void way_read(struct way_io *io, uint64_t place, struct way_outcome *ret);
