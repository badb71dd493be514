/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the daemon asks of a collector at a socket: one call in Varlink's form,
 *
 *   {"method": "io.hbad.collect.Adapter", "parameters": {"below": "/sys/devices/…/", "after": "0:0:2:0", "unasked": true}}
 *
 * with its NUL; and the answer is not Varlink's but a capture stream, until the connection ends. The collector has rights
 * that the daemon has not, so what it takes is small, fixed, and read strictly.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/bytes.h"

/* Longest request, without its NUL: a path, and a little around it. */
enum { COLLECT_REQUEST_MAX = 8192 };

struct collect_request {
    const char *below; /* directory of the adapter, with '/' at its end */
    const char *after; /* H:C:T:L: devices up to this one are left out; NULL: none */
    bool unasked;      /* no device is sent a command */
};

/* Writes it with its NUL. */
void collect_request_write(const struct collect_request *request, FILE *out);

/* Reads it, without its NUL. Texts are in the arena. Returns 0, -ENOMEM, or -EBADMSG: `*ret_why` says in a few words what is
 * wrong. */
int collect_request_parse(struct bytes text, struct arena *arena, struct collect_request *ret,
                          const char **ret_why);
