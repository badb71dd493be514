/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the daemon asks of a collector at a socket: one call in Varlink's form,
 *
 *   {"method": "io.hbad.collect.Adapter", "parameters": {"below": "/sys/devices/…/", "after": "0:0:2:0", "unasked": true}}
 *
 * or, for reads that time links,

 *   {"method": "io.hbad.collect.Probe", "parameters": {"below": "/sys/devices/…/", "devices": ["0:0:2:0"], "named": [],
 *   "await": 60, "forced": false}}
 *
 * with its NUL; and the answer is not Varlink's but a capture stream, until the connection ends. The collector has rights
 * that the daemon has not, so what it takes is small, fixed, and read strictly.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "wire/varlink.h"

enum {
    COLLECT_REQUEST_MAX =
        32768, /* bytes without the NUL: a path, and as many devices as may be named in their longest form */
    COLLECT_PROBED_MAX = 256, /* devices of one probe */
    COLLECT_AWAIT_MAX_S =
        90, /* below what plan.h allows between a use of a disk and a read of it */
};

struct collect_request {
    const char *below; /* directory of the adapter, with '/' at its end */
    /* To look at the adapter: */
    const char *after; /* H:C:T:L: devices up to this one are left out; NULL: none */
    bool unasked;      /* no device is sent a command */
    /* To probe, instead: */
    bool probes;
    struct varlink_strings devices; /* H:C:T:L, each once; of both lists together at least one */
    struct varlink_strings named;   /* the same, of those that somebody has named */
    int64_t await_s;                /* to wait for a use of disks that may sleep */
    bool forced;                    /* those named may be woken up, and disturbed */
};

/* Is it a directory of devices, as sysfs has it without links, with '/' at its end? */
bool request_is_directory(const char *path);

/* Writes it with its NUL. */
void collect_request_write(const struct collect_request *request, FILE *out);

/* Reads it, without its NUL. Texts are in the arena. Returns 0, -ENOMEM, or -EBADMSG: `*ret_why` says in a few words what is
 * wrong. */
int collect_request_parse(struct bytes text, struct arena *arena, struct collect_request *ret,
                          const char **ret_why);
