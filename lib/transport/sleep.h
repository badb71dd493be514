/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks whose sleep cannot be asked for: somebody in between answers for them.
 */
#pragma once

#include "facts/fact.h"

/* Does something between the kernel and this disk translate SCSI commands to ATA ones? libata answers REQUEST SENSE
 * and TEST UNIT READY without asking the disk (drivers/ata/libata-scsi.c, ata_scsi_simulate()), and firmware of
 * adapters may. Told by the vendor that SAT-4 7.2.2 has them give ("ATA"), or by VPD page 89h. */
bool sleep_is_hidden(const struct subject *device);
