/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks that are not there, under the ways of live/measure_way.h: they answer the commands of a timed read
 * after a while, with the faults that a test gives them, and keep a ledger.
 */
#pragma once

#include "../cmocka_all.h"

#include <errno.h>
#include <linux/bsg.h>
#include <pthread.h>
#include <scsi/sg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live/measure_way.h"

enum { FAKES_MAX = 4, FDS_EACH = 64, FD_FIRST = 1000, PLACES_MAX = 4096, SECTOR = 512 };

/* What happens at a read (from 0, by its number), and once; -1: never. */
struct fault {
    int at;
    int error;           /* of the system */
    uint8_t status, key; /* of the device, with sense of that key */
    uint16_t host_status;
    uint32_t driver_status;
    size_t residual;
    int times; /* it happens at so many reads in a row; 0: one */
};

struct fake {
    const char *hctl;
    uint64_t bytes;        /* of the medium */
    uint32_t buffer_bytes; /* of READ BUFFER; 0: it has none */
    unsigned latency_us;
    bool direct;    /* the driver does direct I/O */
    int reserved;   /* the largest buffer of the driver */
    int hangs_at;   /* the read that does not come back; -2: READ CAPACITY; -1: none */
    int attentions; /* before the first command is done */
    struct fault fault;
    int opens_fail; /* errno */

    /* The ledger. */
    atomic_int reads, sizings, opened, closed, mapped, forgets;
    atomic_int asked_to_reserve; /* the size of the driver's buffer that was asked for last */
    _Atomic uint64_t forgotten;
    atomic_uchar seen[PLACES_MAX];     /* how often each block was read */
    _Atomic uintptr_t lowest, highest; /* buffers that were read into */
    atomic_uchar opcode, opcode_length;
};

struct fakes {
    struct fake v[FAKES_MAX];
    size_t n;
    size_t block; /* of reads: for `seen` */
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    bool released; /* what hangs comes back */
};

static inline void fake_release(struct fakes *f)
{
    pthread_mutex_lock(&f->mutex);
    f->released = true;
    pthread_cond_broadcast(&f->cond);
    pthread_mutex_unlock(&f->mutex);
}

static inline void fake_hang(struct fakes *f)
{
    pthread_mutex_lock(&f->mutex);
    while (!f->released)
        pthread_cond_wait(&f->cond, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
}

static inline struct fake *fake_of(struct fakes *f, int fd)
{
    return &f->v[(fd - FD_FIRST) / FDS_EACH];
}

static inline int fake_open(void *user, const char *hctl, enum node_kind node, bool direct)
{
    struct fakes *f = user;

    (void)node;
    (void)direct;
    for (size_t i = 0; i < f->n; i++) {
        if (strcmp(f->v[i].hctl, hctl) != 0)
            continue;
        if (f->v[i].opens_fail)
            return -f->v[i].opens_fail;
        return FD_FIRST + (int)i * FDS_EACH + atomic_fetch_add(&f->v[i].opened, 1) % FDS_EACH;
    }
    return -ENODEV;
}

static inline void fake_close(void *user, int fd)
{
    atomic_fetch_add(&fake_of(user, fd)->closed, 1);
}

/* One command as either interface has it. */
struct fake_command {
    const uint8_t *cdb;
    size_t cdb_len;
    uint8_t *data, *sense;
    size_t size;
    unsigned timeout_ms;
    uint8_t status;
    uint16_t host_status;
    uint32_t driver_status;
    size_t sense_len, residual;
};

static inline uint64_t fake_be(const uint8_t *p, size_t n)
{
    uint64_t x = 0;

    for (size_t i = 0; i < n; i++)
        x = x << 8 | p[i];
    return x;
}

static inline void fake_put(uint8_t *p, size_t n, uint64_t x)
{
    for (; n; n--, x >>= 8)
        p[n - 1] = (uint8_t)x;
}

static inline void fake_check(struct fake_command *c, uint8_t key, uint8_t asc)
{
    static const size_t LENGTH = 18;

    c->status = 0x02;
    memset(c->sense, 0, LENGTH);
    c->sense[0] = 0x70;
    c->sense[2] = key;
    c->sense[7] = 10;
    c->sense[12] = asc;
    c->sense_len = LENGTH;
}

static inline void fake_touch(struct fakes *f, struct fake *d, const uint8_t *at, uint64_t place)
{
    uintptr_t p = (uintptr_t)at, old = atomic_load(&d->lowest);

    while ((!old || p < old) && !atomic_compare_exchange_weak(&d->lowest, &old, p))
        ;
    old = atomic_load(&d->highest);
    while (p > old && !atomic_compare_exchange_weak(&d->highest, &old, p))
        ;
    if (place / f->block < PLACES_MAX)
        atomic_fetch_add(&d->seen[place / f->block], 1);
}

/* A read of a block: after its time, with its fault. Returns a negative errno of the system. */
static inline int fake_read(struct fakes *f, struct fake *d, struct fake_command *c, uint64_t place)
{
    int number = atomic_fetch_add(&d->reads, 1), times = d->fault.times ? d->fault.times : 1;
    bool faulty = d->fault.at >= 0 && number >= d->fault.at && number < d->fault.at + times;

    if (d->latency_us)
        nanosleep(&(struct timespec){ .tv_nsec = (long)d->latency_us * 1000 }, NULL);
    if (number == d->hangs_at)
        fake_hang(f);
    if (c->data)
        fake_touch(f, d, c->data, place);
    if (!faulty)
        return 0;
    if (d->fault.status == 0x02)
        fake_check(c, d->fault.key, 0x11);
    else
        c->status = d->fault.status;
    c->host_status = d->fault.host_status;
    c->driver_status = d->fault.driver_status;
    c->residual = d->fault.residual;
    return -d->fault.error;
}

static inline void fake_capacity(struct fake *d, struct fake_command *c)
{
    uint64_t last = d->bytes / SECTOR - 1;
    bool is_10 = c->cdb[0] == OP_READ_CAPACITY_10;

    assert_int_equal(c->size, is_10 ? 8 : 32);
    fake_put(c->data, is_10 ? 4 : 8, is_10 && last > UINT32_MAX ? UINT32_MAX : last);
    fake_put(c->data + (is_10 ? 4 : 8), 4, SECTOR);
}

static inline int fake_command(struct fakes *f, struct fake *d, struct fake_command *c)
{
    assert_null(command_allowed((struct bytes){ c->cdb, c->cdb_len }));
    assert_true(c->timeout_ms >= 60000);
    if (d->attentions > 0) {
        d->attentions--;
        fake_check(c, 0x06, 0x29);
        return 0;
    }
    switch (c->cdb[0]) {
    case OP_READ_CAPACITY_10:
    case OP_SERVICE_ACTION_IN_16:
        atomic_fetch_add(&d->sizings, 1);
        if (d->hangs_at == -2)
            fake_hang(f);
        fake_capacity(d, c);
        return 0;
    case OP_READ_BUFFER_10:
        if (!d->buffer_bytes) {
            fake_check(c, 0x05, 0x20);
            return 0;
        }
        if (c->cdb[1] == 0x03) {
            atomic_fetch_add(&d->sizings, 1);
            fake_put(c->data, 4, d->buffer_bytes);
            return 0;
        }
        assert_int_equal(c->cdb[1], 0x02);
        assert_int_equal(fake_be(c->cdb + 6, 3), c->size);
        assert_true(c->size <= d->buffer_bytes);
        break;
    case OP_READ_10:
        assert_int_equal(fake_be(c->cdb + 7, 2) * SECTOR, c->size);
        break;
    case OP_READ_16:
        assert_int_equal(fake_be(c->cdb + 10, 4) * SECTOR, c->size);
        break;
    default:
        fail();
    }
    atomic_store(&d->opcode, c->cdb[0]);
    return fake_read(f, d, c,
                     c->cdb[0] == OP_READ_10   ? fake_be(c->cdb + 2, 4) * SECTOR
                     : c->cdb[0] == OP_READ_16 ? fake_be(c->cdb + 2, 8) * SECTOR
                                               : 0);
}

static inline int fake_sg(struct fakes *f, struct fake *d, struct sg_io_hdr *h)
{
    struct fake_command c = { .cdb = h->cmdp,
                              .cdb_len = h->cmd_len,
                              .data = h->dxferp,
                              .sense = h->sbp,
                              .size = h->dxfer_len,
                              .timeout_ms = h->timeout };
    int r;

    assert_int_equal(h->dxfer_direction, SG_DXFER_FROM_DEV);
    assert_int_equal(h->flags & 0x10, 0x10); /* at the tail */
    assert_int_equal(!h->dxferp, h->flags & 0x04 ? 1 : 0);
    r = fake_command(f, d, &c);
    h->status = c.status;
    h->host_status = c.host_status;
    h->driver_status = (unsigned short)c.driver_status;
    h->sb_len_wr = (unsigned char)c.sense_len;
    h->resid = (int)c.residual;
    h->info = h->flags & SG_FLAG_DIRECT_IO && d->direct ? SG_INFO_DIRECT_IO : 0;
    return r;
}

static inline int fake_bsg(struct fakes *f, struct fake *d, struct sg_io_v4 *v)
{
    struct fake_command c = { .cdb = (const uint8_t *)(uintptr_t)v->request,
                              .cdb_len = v->request_len,
                              .data = (uint8_t *)(uintptr_t)v->din_xferp,
                              .sense = (uint8_t *)(uintptr_t)v->response,
                              .size = v->din_xfer_len,
                              .timeout_ms = v->timeout };
    int r;

    assert_int_equal(v->dout_xfer_len, 0);
    r = fake_command(f, d, &c);
    v->device_status = c.status;
    v->transport_status = c.host_status;
    v->driver_status = c.driver_status;
    v->response_len = (uint32_t)c.sense_len;
    v->din_resid = (int32_t)c.residual;
    return r;
}

static inline int fake_control(void *user, int fd, unsigned long request, void *argument)
{
    struct fakes *f = user;
    struct fake *d = fake_of(f, fd);

    switch (request) {
    case SG_SET_RESERVED_SIZE:
        atomic_store(&d->asked_to_reserve, *(int *)argument);
        return 0;
    case SG_GET_RESERVED_SIZE:
        *(int *)argument = d->reserved;
        return 0;
    case SG_IO:
        return *(int *)argument == 'S' ? fake_sg(f, d, argument) : fake_bsg(f, d, argument);
    default:
        fail();
        return -EINVAL;
    }
}

static inline ssize_t fake_read_at(void *user, int fd, void *buffer, size_t size, uint64_t offset)
{
    struct fakes *f = user;
    struct fake *d = fake_of(f, fd);
    struct fake_command c = { .data = buffer, .size = size };
    int r;

    assert_int_equal((uintptr_t)buffer % SECTOR, 0);
    assert_true(offset + size <= d->bytes);
    r = fake_read(f, d, &c, offset);
    return r < 0 ? r : (ssize_t)(size - c.residual);
}

static inline int fake_size(void *user, int fd, uint64_t *ret_bytes, uint32_t *ret_sector)
{
    *ret_bytes = fake_of(user, fd)->bytes;
    *ret_sector = SECTOR;
    return 0;
}

static inline int fake_forget(void *user, int fd, uint64_t offset, uint64_t size)
{
    struct fake *d = fake_of(user, fd);

    (void)offset;
    atomic_fetch_add(&d->forgets, 1);
    atomic_fetch_add(&d->forgotten, size);
    return 0;
}

static inline void *fake_map(void *user, int fd, size_t size)
{
    atomic_fetch_add(&fake_of(user, fd)->mapped, 1);
    return calloc(1, size);
}

static inline void fake_unmap(void *user, void *address, size_t size)
{
    (void)user;
    (void)size;
    free(address);
}

static const struct measure_system FAKE_SYSTEM = {
    .open = fake_open,
    .control = fake_control,
    .read_at = fake_read_at,
    .size = fake_size,
    .forget = fake_forget,
    .map = fake_map,
    .unmap = fake_unmap,
    .close = fake_close,
};
