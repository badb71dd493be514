/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Known drivers: what their hosts show in sysfs besides the common attributes, which modules and
 * parameters bear on their links, and those that have or show no links.
 */
#pragma once

#include "transport/gathering.h"

struct driver {
    const char *name;                   /* of the module; proc_name and PCI driver lead to it */
    const char *also;                   /* another name it goes by; NULL if none */
    const struct attribute *attributes; /* of its scsi_host; may be NULL */
    const char *const *modules;         /* others it consists of, NULL at the end; may be NULL */
    const char *const *parameters;      /* of the modules, that bear on links; may be NULL */
    const char *is_virtual;             /* why it has no physical link; NULL where it has */
    const char *hides;                  /* why its links cannot be seen; NULL where they can */
    const char *transport; /* the row its hosts belong to where no class tells; NULL elsewhere */
    bool over_ethernet;    /* its Fibre Channel runs over Ethernet */
    /* Puts further facts of a host on the open subject (of class driver_host). May be NULL. */
    int (*more)(struct gathering *g, const struct subject *host);
};

/* Of class driver_host, for the transport that understands it. */
extern const struct fact_key DRIVER_FORCED_GBIT; /* lpfc_link_speed: 0 is automatic */
extern const struct fact_key DRIVER_PROTOCOL;    /* "fc", "fcoe" */
extern const struct fact_key DRIVER_LINK_STATE;  /* "Link Down - User disabled", … */

/* The row of a host (class scsi_host), by proc_name, else by the PCI function's driver; NULL where the
 * driver is not in the table. */
const struct driver *driver_of(const struct fact_set *set, const struct subject *host);

/* Does the host of such a driver (may be NULL) have an attribute of that key? Where it is missing, it
 * could not be read. */
bool driver_tells(const struct driver *d, const struct fact_key *key);

/* The name of the host's driver for people and for /sys/module: the table's, else the PCI function's
 * driver's, else proc_name; NULL where nobody says. */
const char *driver_name(const struct fact_set *set, const struct subject *host);

/* Reads what the table names of a host whose common attributes were read: its own attributes (as a
 * subject of class "driver_host"), its modules (class "module") and their parameters. */
int gather_driver(struct gathering *g, struct subject *host);

/* The module of that name (either spelling), as gather_driver() left it; NULL where it was not seen. */
const struct subject *driver_module(const struct fact_set *set, const char *name);

/* Adds to host->parameters what was given to the driver's modules: on the command line and in modprobe.d
 * (subject "parameters" of class "kernel"), and what sysfs shows to be in force, which counts more; and
 * what it shows for the host itself most.
 * Names are "force" for the driver's own module, "libata.force" for others. Returns 0 or -ENOMEM. */
int driver_parameters(const struct fact_set *set, struct arena *arena, struct host *host);

/* The PCI function that a host is on: the last one in its path; NULL off PCI. */
const struct subject *pci_of(const struct fact_set *set, const struct subject *host);
