/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Procfs text of parallel SCSI drivers, any bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "transport/spi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct spi_proc_target t;
    struct rate rate;

    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    for (unsigned channel = 0; channel < 3; channel++)
        for (unsigned target = 0; target < 16; target++)
            if (spi_proc_find(text, channel, target, &t) == 0 && !t.has_user && !t.has_curr)
                abort();
    if (spi_proc_chip(text, &rate) == 0 &&
        (rate.lanes < 1 || rate.lanes > 2 || !rate.lane_kb_per_s))
        abort();
    free(text);
    return 0;
}
