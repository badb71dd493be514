/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The configuration (manager.h): read whole, or not used at all.
 */
#include <errno.h>
#include <string.h>
#include <systemd/sd-id128.h>

#include "daemon/manager.h"
#include "live/config_files.h"

int settings_read(const struct options *options, struct config *ret,
                  struct config_messages *messages)
{
    int r = config_init(ret);

    if (r == 0)
        r = config_files_load(options->config, ret, messages);
    if (r != -ENOMEM && (r < 0 || messages->n_errors))
        r = -EBADMSG;
    return r;
}

/* Where in the interval this machine has its rounds: a number of its own, so that the machines of a rack, and those behind
 * one expander, do not all look at the same time. */
static uint64_t phase(uint64_t interval_us)
{
    /* Any 128 bits, so that the machine's id is not given away: sd_id128_get_machine_app_specific(3). */
    static const sd_id128_t PURPOSE = SD_ID128_MAKE(3f, 0d, 7a, 51, c2, 9e, 4e, 0b, 8a, 36, 6d, 14,
                                                    e8, 75, 2b, 90);
    sd_id128_t id;

    return sd_id128_get_machine_app_specific(PURPOSE, &id) < 0 ? 0 : id.qwords[0] % interval_us;
}

struct schedule_times settings_times(const struct config *config)
{
    const struct config_daemon *d = &config->daemon;

    return (struct schedule_times){
        .interval_us = d->interval_us,
        .settle_us = d->settle_us,
        .quarantine_us = d->quarantine_us,
        .phase_us = phase(d->interval_us),
    };
}
