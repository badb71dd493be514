/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys that more than one layer or transport speaks of. A transport's own keys are in its file.
 */
#pragma once

#include "facts/fact.h"

/* Of a host (class scsi_host). */
extern const struct fact_key KEY_PROC_NAME; /* the driver by its own word */
extern const struct fact_key KEY_DRIVER;    /* the driver bound to what the host is directly on */
extern const struct fact_key KEY_STATE;     /* "running", "recovery", "offline", "blocked", … */
extern const struct fact_key KEY_CAN_QUEUE; /* commands the host takes at once */
extern const struct fact_key KEY_CMD_PER_LUN, KEY_SG_TABLESIZE,
    KEY_HW_QUEUES; /* its other limits */
extern const struct fact_key KEY_UNIQUE_ID;
extern const struct fact_key KEY_MODEL; /* host: the chip or card; device: INQUIRY */
extern const struct fact_key KEY_BOARD;
extern const struct fact_key KEY_FIRMWARE;
extern const struct fact_key KEY_BIOS;
extern const struct fact_key KEY_DRIVER_VERSION;
extern const struct fact_key KEY_SERIAL;
extern const struct fact_key
    KEY_RESET_COUNT; /* of the adapter by its driver, since it was loaded */

/* Of a device (class scsi_device). */
extern const struct fact_key KEY_DEVICE_TYPE; /* peripheral device type, SPC-4 table 142 */
extern const struct fact_key KEY_SCSI_LEVEL;  /* the kernel's number: 5 is SPC-2 */
extern const struct fact_key KEY_VENDOR;
extern const struct fact_key KEY_REVISION;
extern const struct fact_key KEY_WWID;
extern const struct fact_key KEY_INQUIRY;   /* standard INQUIRY data */
extern const struct fact_key KEY_VPD_PAGES; /* page codes of VPD page 00h */
extern const struct fact_key KEY_VPD_80, KEY_VPD_83, KEY_VPD_89, KEY_VPD_B1; /* whole pages */
extern const struct fact_key KEY_NODE;  /* "sda", "sg0": one fact each */
extern const struct fact_key KEY_BY_ID; /* names below /dev/disk/by-id, one fact each */
extern const struct fact_key KEY_QUEUE_DEPTH;
extern const struct fact_key KEY_TIMEOUT_S;
extern const struct fact_key KEY_ACCESS_STATE;
extern const struct fact_key KEY_IOERR, KEY_IOTMO, KEY_IODONE;
extern const struct fact_key KEY_REMOVABLE;
extern const struct fact_key KEY_ROTATIONAL; /* 0 or 1 */
extern const struct fact_key KEY_STANDBY;    /* it said that it sleeps */

extern const struct fact_key KEY_TIER; /* the word of the udev property HBAD_TIER */

/* Of anything with power management. */
extern const struct fact_key KEY_RUNTIME_STATUS; /* "active", "suspended", "unsupported", … */

/* Of a PCI function (class pci). */
extern const struct fact_key KEY_PCI_VENDOR, KEY_PCI_DEVICE, KEY_PCI_CLASS, KEY_PCI_DRIVER;
extern const struct fact_key KEY_PCI_SUBVENDOR, KEY_PCI_SUBDEVICE;

/* Of a kernel module (class module). */
extern const struct fact_key KEY_MODULE_VERSION;
extern const struct fact_key KEY_BUILT_IN; /* 1: no initstate and no refcnt file */
extern const struct fact_key
    KEY_PARAMETER; /* "name=value", one fact each; origin says where from */

/* Reading limits, in bytes. */
enum { ATTRIBUTE_BYTES = 4096, PAGE_BYTES = 65536 };
