/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A command that was sent beside what is measured: it belongs into the record of what a device received.
 */
#include <errno.h>
#include <stdio.h>

#include "daemon/collect.h"
#include "source/capture.h"
#include "source/store.h"

int collect_sent(const char *hctl, const struct command *command, const struct answer *answer)
{
    _cleanup_(store_freep) struct store *store = NULL;
    struct store_command sent = {
        .hctl = hctl,
        .cdb = { command->cdb, command->cdb_len },
        .error = answer->error,
        .status = answer->status,
        .host_status = answer->host_status,
        .driver_status = answer->driver_status,
        .data = answer->data,
        .sense = answer->sense,
        .duration_us = answer->duration_us,
    };
    int r;

    if (answer->refused)
        return 0;
    store = store_new();
    r = store ? store_put_command(store, &sent) : -ENOMEM;
    if (r == 0)
        r = capture_write_chunk(store, stdout);
    return r == 0 && fflush(stdout) != 0 ? -errno : r;
}
