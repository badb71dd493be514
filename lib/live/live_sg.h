/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of the live source that sends SCSI commands, through libsgutils2. Only data-in: this file's
 * .c never gives the library anything to send but the CDB, and it holds the allow-list once more.
 */
#pragma once

#include "base/arena.h"
#include "source/source.h"

struct sg_pt_base;

/* A node stays open for the next command, because a device is asked several times in a row. It is closed
 * when another device is asked, and with the source. (An open node keeps a device from being suspended.) */
struct live_sg {
    int fd; /* -1: none is open */
    char hctl[48];
    struct sg_pt_base *pt;
};

void live_sg_init(struct live_sg *g);
void live_sg_done(struct live_sg *g);

/* Sends the command: what an operation `command` of a source does. `s` says which node to open (node.h).
 * answer.error: EPERM for what is not allowed, EINVAL for a bad H:C:T:L, EMSGSIZE for more than 1 MiB of
 * room, ENODEV where the device has no node that may be used, what open() said (EACCES, EBUSY, …), or
 * what SG_IO said. Data is there only after GOOD, or after CHECK CONDITION that reports success
 * (recovered error, no sense): after others the buffer's content means nothing. */
int live_sg_command(struct live_sg *g, struct source *s, struct arena *arena,
                    const struct command_target *target, const struct command *command,
                    struct answer *ret);

/* What the pass-through said of a command that was sent. */
struct live_sg_outcome {
    int status, host_status;
    bool driver_failed; /* the driver's status is bad: libsgutils2 does not say how */
    int residual;       /* as claimed */
    struct bytes sense;
};

/* The answer of a command with that outcome, of which `room` is the buffer it had. A residual that cannot
 * be is brought into the room. */
struct answer live_sg_answer(const struct live_sg_outcome *outcome, struct bytes room);
