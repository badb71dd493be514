/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SCSI commands through the pass-through of libsgutils2.
 */
#include "live/live_sg.h"

#include <errno.h>
#include <fcntl.h>
#include <scsi/sg_pt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "live/node.h"
#include "source/errno_name.h"

enum {
    ROOM_MAX = 1024 * 1024,
    GOOD = 0x00, /* SAM-5 table 43 */
    CHECK_CONDITION = 0x02,
    NO_SENSE = 0x0, /* SPC-4 table 43 */
    RECOVERED_ERROR = 0x1,
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

/* Opens the node and makes sure that it is what sysfs says: the device may have gone meanwhile and
 * another have got its node. Returns a descriptor or a negative errno. */
static int open_node(struct source *s, const struct node *node)
{
    /* O_NONBLOCK: wait neither for a medium nor for a host in recovery, nor for an exclusive user. */
    _cleanup_close_ int fd = open(node->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    char number[24];
    struct stat st;
    int r;

    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    snprintf(number, sizeof(number), "%u:%u\n", major(st.st_rdev), minor(st.st_rdev));
    if (node->is_block ? !S_ISBLK(st.st_mode) : !S_ISCHR(st.st_mode))
        return -ENODEV;
    r = node_is_unchanged(s, node);
    if (r < 0)
        return r;
    if (!r || strcmp(number, node->device_number) != 0)
        return -ENODEV;
    return TAKE_FD(fd);
}

/* A descriptor of the first node that there is, or a negative errno. */
static int open_device(struct source *s, const char *hctl)
{
    for (enum node_kind kind = 0; kind < NODE_MAX; kind++) {
        struct node node;
        int r = node_find(s, hctl, kind, &node);

        if (r > 0)
            r = open_node(s, &node);
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
    uint8_t code = bytes_at(a->sense, 0) & 0x7f, key;

    if (a->host_status || a->driver_status)
        return false;
    if (a->status != CHECK_CONDITION || a->sense.len < 3)
        return a->status == GOOD;
    key = bytes_at(a->sense, code >= 0x72 ? 1 : 2) & 0x0f; /* SPC-4 4.5: descriptor, fixed */
    return key == NO_SENSE || key == RECOVERED_ERROR;
}

/* Reads the outcome of a command that was sent. */
static int take_answer(const struct live_sg *g, struct arena *arena, struct bytes data,
                       const uint8_t *sense, struct answer *a)
{
    int status = get_scsi_pt_status_response(g->pt), resid = get_scsi_pt_resid(g->pt);
    int sense_len = get_scsi_pt_sense_len(g->pt), host = get_scsi_pt_transport_err(g->pt);

    a->status = (uint8_t)status;
    a->host_status = (uint16_t)host;
    /* The library does not give the driver's status, only that there is a bad one. */
    if (get_scsi_pt_result_category(g->pt) == SCSI_PT_RESULT_TRANSPORT_ERR && !host)
        a->driver_status = DRIVER_ERROR;
    if (sense_len > 0)
        a->sense = arena_bytes(
            arena, (struct bytes){ sense, sense_len < SENSE_MAX ? (size_t)sense_len : SENSE_MAX });
    if (sense_len > 0 && !a->sense.data)
        return -ENOMEM;
    a->residual = resid < 0 ? 0 : (size_t)resid < data.len ? (size_t)resid : data.len;
    if (!data_is_good(a))
        a->residual = data.len;
    a->data = bytes_slice(data, 0, data.len - a->residual);
    return 0;
}

static int send_command(struct live_sg *g, struct arena *arena, const struct command_target *target,
                        const struct command *command, struct answer *ret)
{
    uint8_t sense[SENSE_MAX] = { 0 };
    uint8_t *room = arena_alloc(arena, command->transfer_bytes + 1);
    struct answer a = { 0 };
    uint64_t start;
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
    r = do_scsi_pt(g->pt, -1, (int)command_timeout_s(target), 0);
    a.duration_us = now_us() - start;
    if (r < 0)
        a.error = errno_name(-r) ? -r : EIO;
    else if (r > 0)
        a.error = r == SCSI_PT_DO_TIMEOUT ? ETIMEDOUT : EIO;
    r = a.error ? 0
                : take_answer(g, arena, (struct bytes){ room, command->transfer_bytes }, sense, &a);
    if (r == 0)
        *ret = a;
    return r;
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
