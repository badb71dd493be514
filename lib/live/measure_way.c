/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows of measure_way.h, and the commands that they send.
 */
#include "live/measure_way.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <linux/bsg.h>
#include <string.h>
#include <unistd.h>

#include "decode/readbuffer.h"

enum {
    /* Flags that the C library's scsi/sg.h lacks: include/scsi/sg.h of the kernel. */
    Q_AT_TAIL = 0x10, /* SG_FLAG_Q_AT_TAIL: behind the commands of those who use the device */
    MMAP_IO = 0x04,   /* SG_FLAG_MMAP_IO */
    PLACE_AT = 2,     /* the first block's address in READ(10) and READ(16): SBC-3 5.11, 5.13 */
};

static void put_be(uint8_t *at, size_t n, uint64_t value)
{
    for (; n; n--, value >>= 8)
        at[n - 1] = (uint8_t)value;
}

/* ---- sending a command ---- */

/* Is the CDB the one that passed last, but for the place to read from? Any place may be read. */
static bool has_passed(const struct way_io *io)
{
    uint64_t now[2], then[2], fixed[2];

    static_assert(CDB_MAX == sizeof(now), "two numbers hold a CDB");
    memcpy(now, io->cdb, sizeof(now));
    memcpy(then, io->passed, sizeof(then));
    memcpy(fixed, io->fixed, sizeof(fixed));
    return io->cdb_len == io->passed_len &&
           !(((now[0] ^ then[0]) & fixed[0]) | ((now[1] ^ then[1]) & fixed[1]));
}

/* NULL, or why it is not sent: the last line in front of the hardware. It is asked of every command, and the whole
 * table is gone through only where more than the place has changed: that alone took as long as all else of a read here. */
static const char *not_allowed(struct way_io *io)
{
    const char *why = NULL;

    if (!has_passed(io)) {
        why = command_allowed((struct bytes){ io->cdb, io->cdb_len });
        io->passed_len = why ? 0 : io->cdb_len;
        memcpy(io->passed, io->cdb, sizeof(io->passed));
    }
    return why;
}

static size_t came_of(size_t size, int64_t residual)
{
    if (residual <= 0)
        return size;
    return (uint64_t)residual < size ? size - (size_t)residual : 0;
}

static void send_sg(struct way_io *io, unsigned flags, void *data, size_t size,
                    struct way_outcome *ret)
{
    struct sg_io_hdr h = {
        .interface_id = 'S',
        .dxfer_direction = SG_DXFER_FROM_DEV,
        .cmd_len = (unsigned char)io->cdb_len,
        .mx_sb_len = sizeof(io->sense),
        .dxfer_len = (unsigned)size,
        .dxferp = flags & MMAP_IO ? NULL : data,
        .cmdp = io->cdb,
        .sbp = io->sense,
        .timeout = io->timeout_ms,
        .flags = Q_AT_TAIL | flags,
    };
    int r = not_allowed(io) ? -EPERM : io->system->control(io->user, io->fd, SG_IO, &h);

    *ret = (struct way_outcome){ .error = -r };
    if (r < 0)
        return;
    ret->status = h.status;
    ret->host_status = h.host_status;
    ret->driver_status = h.driver_status;
    ret->came = came_of(size, h.resid);
    ret->was_direct = (h.info & SG_INFO_DIRECT_IO_MASK) == SG_INFO_DIRECT_IO;
    ret->sense_len = h.sb_len_wr < sizeof(io->sense) ? h.sb_len_wr : sizeof(io->sense);
}

static void send_bsg(struct way_io *io, unsigned flags, void *data, size_t size,
                     struct way_outcome *ret)
{
    struct sg_io_v4 v = {
        .guard = 'Q',
        .protocol = BSG_PROTOCOL_SCSI,
        .subprotocol = BSG_SUB_PROTOCOL_SCSI_CMD,
        .request_len = (uint32_t)io->cdb_len,
        .request = (uintptr_t)io->cdb,
        .max_response_len = sizeof(io->sense),
        .response = (uintptr_t)io->sense,
        .din_xfer_len = (uint32_t)size,
        .din_xferp = (uintptr_t)data,
        .timeout = io->timeout_ms,
        .flags = BSG_FLAG_Q_AT_TAIL | flags,
    };
    int r = not_allowed(io) ? -EPERM : io->system->control(io->user, io->fd, SG_IO, &v);

    *ret = (struct way_outcome){ .error = -r };
    if (r < 0)
        return;
    ret->status = (uint8_t)v.device_status;
    ret->host_status = (uint16_t)v.transport_status;
    ret->driver_status = (uint16_t)v.driver_status;
    ret->came = came_of(size, v.din_resid);
    ret->sense_len = v.response_len < sizeof(io->sense) ? v.response_len : sizeof(io->sense);
}

/* ---- getting ready ---- */

/* A buffer of that size, which the driver keeps; without it, it makes one for each command. */
static int prepare_sg(struct way_io *io)
{
    int wanted = (int)io->block;

    io->system->control(io->user, io->fd, SG_SET_RESERVED_SIZE, &wanted);
    return 0;
}

/* The driver's buffer of that descriptor, of whole pages: what is mapped must lie in it
 * (drivers/scsi/sg.c, sg_mmap). */
static int prepare_mmap(struct way_io *io)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (io->block + page - 1) / page * page;
    int wanted = (int)size, got = 0;
    int r = io->system->control(io->user, io->fd, SG_SET_RESERVED_SIZE, &wanted);

    if (r == 0)
        r = io->system->control(io->user, io->fd, SG_GET_RESERVED_SIZE, &got);
    if (r < 0)
        return r;
    if (got < wanted)
        return -EMSGSIZE;
    io->buffers = io->system->map(io->user, io->fd, size);
    if (!io->buffers)
        return -errno;
    io->mapped = size;
    io->rotation = io->block;
    return 0;
}

static const struct way WAYS[] = {
    [WAY_SG] = { NODE_SG, .send = send_sg, .prepare = prepare_sg },
    [WAY_SG_DIRECT] = { NODE_SG, .flags = SG_FLAG_DIRECT_IO, .send = send_sg },
    [WAY_SG_MMAP] = { NODE_SG, .flags = MMAP_IO, .send = send_sg, .prepare = prepare_mmap },
    [WAY_BLOCK_DIRECT] = { NODE_BLOCK, .is_block = true, .direct = true },
    [WAY_BLOCK_BUFFERED] = { NODE_BLOCK, .is_block = true, .is_buffered = true },
    [WAY_BSG] = { NODE_BSG, .send = send_bsg },
};

const struct way *way_of(enum measure_way way)
{
    return &WAYS[way];
}

int way_open(struct way_io *io, const char *hctl)
{
    int fd = io->system->open(io->user, hctl, io->way->node, io->way->direct);

    io->fd = fd < 0 ? -1 : fd;
    return fd < 0 ? fd : 0;
}

void way_close(struct way_io *io)
{
    if (io->mapped)
        io->system->unmap(io->user, io->buffers, io->mapped);
    if (io->fd >= 0)
        io->system->close(io->user, io->fd);
    io->fd = -1;
    io->mapped = 0;
}

/* ---- how much there is ---- */

static void set_cdb(struct way_io *io, uint8_t opcode, size_t len)
{
    memset(io->cdb, 0, sizeof(io->cdb));
    memset(io->fixed, 0xff, sizeof(io->fixed));
    io->cdb[0] = opcode;
    io->cdb_len = len;
}

/* Sends what is in io->cdb; true with `size` good bytes. */
static bool asks_well(struct way_io *io, void *data, size_t size, struct way_outcome *ret)
{
    io->way->send(io, 0, data, size, ret);
    io->asked++;
    return !ret->error && !ret->status && !ret->host_status && ret->came >= size;
}

/* READ CAPACITY(10): last block, block length (SBC-3 5.15); all ones: ask for (16) (5.16). */
static int size_of_medium(struct way_io *io, struct way_extent *ret, struct way_outcome *outcome)
{
    enum { CAPACITY_16 = 0x10, ANSWER_10 = 8, ANSWER_16 = 32 };
    uint8_t data[ANSWER_16] = { 0 };
    struct cursor c = cursor_over((struct bytes){ data, sizeof(data) });
    uint64_t last;

    set_cdb(io, OP_READ_CAPACITY_10, 10);
    if (!asks_well(io, data, ANSWER_10, outcome))
        return 1;
    last = cursor_be32(&c);
    if (last == UINT32_MAX) {
        set_cdb(io, OP_SERVICE_ACTION_IN_16, 16);
        io->cdb[1] = CAPACITY_16;
        io->cdb[13] = ANSWER_16;
        if (!asks_well(io, data, ANSWER_16, outcome))
            return 1;
        cursor_seek(&c, 0);
        last = cursor_be64(&c);
    }
    ret->sector = cursor_be32(&c);
    if (!ret->sector || last >= UINT64_MAX / ret->sector)
        return -EOPNOTSUPP;
    ret->bytes = (last + 1) * ret->sector;
    return 0;
}

static int size_of_buffer(struct way_io *io, struct way_extent *ret, struct way_outcome *outcome)
{
    uint8_t data[4] = { 0 };
    struct readbuffer b;

    set_cdb(io, OP_READ_BUFFER_10, 10);
    io->cdb[1] = READBUFFER_MODE_DESCRIPTOR;
    io->cdb[8] = sizeof(data);
    if (!asks_well(io, data, sizeof(data), outcome))
        return 1;
    if (readbuffer_decode((struct bytes){ data, sizeof(data) }, &b) < 0)
        return -EOPNOTSUPP;
    *ret = (struct way_extent){ .bytes = b.capacity, .sector = 1 };
    return 0;
}

int way_size(struct way_io *io, struct way_extent *ret, struct way_outcome *ret_outcome)
{
    *ret_outcome = (struct way_outcome){ 0 };
    if (io->way->is_block)
        return io->system->size(io->user, io->fd, &ret->bytes, &ret->sector);
    return io->what == MEASURE_READ_BUFFER ? size_of_buffer(io, ret, ret_outcome)
                                           : size_of_medium(io, ret, ret_outcome);
}

/* ---- reading ---- */

/* The CDB but for the place; READ(10) as far as it reaches. */
static void prepare_cdb(struct way_io *io)
{
    uint64_t blocks = io->block / io->extent.sector;

    if (io->what == MEASURE_READ_BUFFER) {
        set_cdb(io, OP_READ_BUFFER_10, 10);
        io->cdb[1] = READBUFFER_MODE_DATA;
        put_be(io->cdb + 6, 3, io->block);
    } else if (io->extent.bytes / io->extent.sector - 1 <= UINT32_MAX && blocks <= UINT16_MAX) {
        set_cdb(io, OP_READ_10, 10);
        put_be(io->cdb + 7, 2, blocks);
        memset(io->fixed + PLACE_AT, 0, sizeof(uint32_t));
    } else {
        set_cdb(io, OP_READ_16, 16);
        put_be(io->cdb + 10, 4, blocks);
        memset(io->fixed + PLACE_AT, 0, sizeof(uint64_t));
    }
}

int way_prepare(struct way_io *io)
{
    if (!io->way->is_block)
        prepare_cdb(io);
    return io->way->prepare ? io->way->prepare(io) : 0;
}

static void read_block(struct way_io *io, uint64_t place, struct way_outcome *ret)
{
    ssize_t n = io->system->read_at(io->user, io->fd, io->buffers + io->at, io->block, place);

    *ret = (struct way_outcome){ 0 };
    if (n < 0)
        ret->error = (int)-n;
    else
        ret->came = (size_t)n;
}

static void put_place(struct way_io *io, uint64_t block)
{
    uint32_t short_be = htobe32((uint32_t)block);
    uint64_t long_be = htobe64(block);

    if (io->cdb[0] == OP_READ_10)
        memcpy(io->cdb + PLACE_AT, &short_be, sizeof(short_be));
    else if (io->cdb[0] == OP_READ_16)
        memcpy(io->cdb + PLACE_AT, &long_be, sizeof(long_be));
}

void way_read(struct way_io *io, uint64_t place, struct way_outcome *ret)
{
    if (io->way->is_block) {
        read_block(io, place, ret);
    } else {
        put_place(io, place / io->extent.sector);
        io->way->send(io, io->way->flags, io->buffers + io->at, io->block, ret);
    }
    io->at += io->block;
    if (io->at >= io->rotation)
        io->at = 0;
}
