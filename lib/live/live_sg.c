/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SCSI commands through the pass-through of libsgutils2.
 */
#include "live/live_sg.h"

#include <errno.h>
#include <limits.h>
#include <scsi/sg_pt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decode/sense.h"
#include "live/node.h"
#include "source/errno_name.h"

enum {
    ROOM_MAX = 1024 * 1024,
    GOOD = 0x00, /* SAM-5 table 43 */
    CHECK_CONDITION = 0x02,
    DRIVER_ERROR = 0x04, /* include/scsi/scsi_status.h before 5.14 */
};

void live_sg_init(struct live_sg *g)
{
    *g = (struct live_sg){ .fd = -1 };
}

void live_sg_done(struct live_sg *g)
{
    if (g->pt)
        destruct_scsi_pt_obj(g->pt);
    if (g->fd >= 0)
        close(g->fd);
    live_sg_init(g);
}

/* A descriptor of the first node that there is, or a negative errno. */
static int open_device(struct source *s, const char *hctl)
{
    for (enum node_kind kind = 0; kind < NODE_MAX; kind++) {
        struct node node;
        int r = node_find(s, hctl, kind, &node);

        if (r > 0)
            r = node_open(s, &node, 0);
        else if (r == 0)
            continue;
        /* Only a node that is missing sends to the next: a refusal is an answer. */
        if (r != -ENOENT)
            return r;
    }
    return -ENODEV;
}

/* Makes the device's node the open one. */
static int have_device(struct live_sg *g, struct source *s, const char *hctl)
{
    int fd, r;

    if (g->fd >= 0 && strcmp(g->hctl, hctl) == 0)
        return 0;
    live_sg_done(g);
    fd = open_device(s, hctl);
    if (fd < 0)
        return fd;
    g->fd = fd;
    snprintf(g->hctl, sizeof(g->hctl), "%s", hctl);
    g->pt = construct_scsi_pt_obj_with_fd(fd, 0);
    r = g->pt ? get_scsi_pt_os_err(g->pt) : ENOMEM;
    if (r)
        live_sg_done(g);
    return -r;
}

static uint64_t now_us(void)
{
    struct timespec t = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* Does the answer's status say that the data is good? */
static bool data_is_good(const struct answer *a)
{
    struct sense sense;

    if (a->host_status || a->driver_status)
        return false;
    if (a->status != CHECK_CONDITION)
        return a->status == GOOD;
    return sense_decode(a->sense, &sense) == 0 &&
           (sense.key == SENSE_NO_SENSE || sense.key == SENSE_RECOVERED_ERROR);
}

struct answer live_sg_answer(const struct live_sg_outcome *o, struct bytes room)
{
    struct answer a = {
        .status = (uint8_t)o->status,
        .host_status = (uint16_t)o->host_status,
        .driver_status = o->driver_failed ? DRIVER_ERROR : 0,
        .sense = o->sense,
    };

    if (!data_is_good(&a) || (o->residual > 0 && (size_t)o->residual > room.len))
        a.residual = room.len;
    else if (o->residual > 0)
        a.residual = (size_t)o->residual;
    a.data = bytes_slice(room, 0, room.len - a.residual);
    return a;
}

/* Reads the outcome of a command that was sent. */
static int take_outcome(const struct live_sg *g, struct arena *arena, const uint8_t *sense,
                        struct live_sg_outcome *ret)
{
    int sense_len = get_scsi_pt_sense_len(g->pt);
    struct live_sg_outcome o = {
        .status = get_scsi_pt_status_response(g->pt),
        .host_status = get_scsi_pt_transport_err(g->pt),
        .residual = get_scsi_pt_resid(g->pt),
    };

    o.driver_failed = !o.host_status &&
                      get_scsi_pt_result_category(g->pt) == SCSI_PT_RESULT_TRANSPORT_ERR;
    if (sense_len > 0) {
        o.sense = arena_bytes(
            arena, (struct bytes){ sense, sense_len < SENSE_MAX ? (size_t)sense_len : SENSE_MAX });
        if (!o.sense.data)
            return -ENOMEM;
    }
    *ret = o;
    return 0;
}

/* The library counts milliseconds in an int; 24 days are limit enough. */
static int limit_s(const struct command_target *target)
{
    unsigned s = command_timeout_s(target);

    return s < INT_MAX / 1000 ? (int)s : INT_MAX / 1000;
}

static int send_command(struct live_sg *g, struct arena *arena, const struct command_target *target,
                        const struct command *command, struct answer *ret)
{
    uint8_t sense[SENSE_MAX] = { 0 };
    uint8_t *room = arena_alloc(arena, command->transfer_bytes + 1);
    struct live_sg_outcome outcome;
    uint64_t start, took;
    int r;

    if (!room)
        return -ENOMEM;
    clear_scsi_pt_obj(g->pt);
    set_scsi_pt_cdb(g->pt, command->cdb, (int)command->cdb_len);
    set_scsi_pt_sense(g->pt, sense, sizeof(sense));
    if (command->transfer_bytes)
        set_scsi_pt_data_in(g->pt, room, (int)command->transfer_bytes);
    /* Behind the commands of those who use the device, not before them. */
    set_scsi_pt_flags(g->pt, SCSI_PT_FLAGS_QUEUE_AT_TAIL);
    start = now_us();
    r = do_scsi_pt(g->pt, -1, limit_s(target), 0);
    took = now_us() - start;
    if (r != 0) {
        int error = r > 0 ? (r == SCSI_PT_DO_TIMEOUT ? ETIMEDOUT : EIO) : -r;

        *ret = (struct answer){ .error = errno_name(error) ? error : EIO, .duration_us = took };
        return 0;
    }
    r = take_outcome(g, arena, sense, &outcome);
    if (r < 0)
        return r;
    *ret = live_sg_answer(&outcome, (struct bytes){ room, command->transfer_bytes });
    ret->duration_us = took;
    return 0;
}

int live_sg_command(struct live_sg *g, struct source *s, struct arena *arena,
                    const struct command_target *target, const struct command *command,
                    struct answer *ret)
{
    const char *why = command_allowed((struct bytes){ command->cdb, command->cdb_len });
    int r;

    /* source_command() asked the same. It stands here again because this is the last line in front of
     * the hardware. */
    if (why) {
        *ret = (struct answer){ .error = EPERM, .refused = why };
        return 0;
    }
    if (command->transfer_bytes > ROOM_MAX) {
        *ret = (struct answer){ .error = EMSGSIZE };
        return 0;
    }
    r = have_device(g, s, target->hctl);
    if (r == -ENOMEM)
        return r;
    if (r < 0) {
        *ret = (struct answer){ .error = errno_name(-r) ? -r : EIO };
        return 0;
    }
    r = send_command(g, arena, target, command, ret);
    if (r == 0 && ret->error)
        live_sg_done(g); /* the device may be gone: look anew the next time */
    return r;
}
