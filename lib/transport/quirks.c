/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of known devices (quirks.h).
 *
 * A row: the transport; vendor and model, letter by letter; the best mode that is left; what says so. Each
 * row's source stands above it. Sorted by transport, vendor, model.
 */
#include "transport/quirks.h"

#include <string.h>

#include "transport/ata.h"
#include "transport/spi.h"

const struct quirk QUIRKS[] = {
    /* drivers/ata/libata-core.c, the entries of its device table with 1_5_GBPS */
    { "ata",
      NULL,
      "Seagate FreeAgent GoFlex",
      { 1, 0, 150000 },
      "libata's list of devices held at 1.5 Gb/s" },
    { "ata", NULL, "WD My Book", { 1, 0, 150000 }, "libata's list of devices held at 1.5 Gb/s" },
    /* drivers/scsi/scsi_transport_spi.c, spi_static_device_list: no information units, so Fast-80 at most */
    { "spi",
      "HP",
      "Ultrium 3-SCSI",
      { 2, SPI_DT | SPI_QAS, 80000 },
      "the kernel's list of devices without information units" },
    { "spi",
      "IBM",
      "ULTRIUM-TD3",
      { 2, SPI_DT | SPI_QAS, 80000 },
      "the kernel's list of devices without information units" },
    { 0 },
};

const struct quirk *quirk_of(const char *transport, const char *vendor, const char *model)
{
    for (const struct quirk *q = QUIRKS; model && q->transport; q++)
        if (strcmp(q->transport, transport) == 0 && strcmp(q->model, model) == 0 &&
            (!q->vendor || (vendor && strcmp(q->vendor, vendor) == 0)))
            return q;
    return NULL;
}
