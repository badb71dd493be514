/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a transport is made of: one row, in one file, in the table of table.c.
 *
 * A row says which sysfs classes and attributes hold its facts, what may be asked of its devices, which
 * hosts are its own, and how its facts become links. All of it is const data but for a few small
 * functions. There is no enum of transports, and no transport's name stands outside this folder.
 *
 * To add a transport: write its file, add its row to table.c, add captures to tests/golden.
 */
#pragma once

#include "facts/fact.h"
#include "facts/key.h"
#include "link/model.h"
#include "source/source.h"

/* How much is gathered. A level reads no more than it needs. */
enum level {
    LEVEL_IDENTITY, /* what lists need: names, models, how things hang together */
    LEVEL_MODES,    /* states, rates, abilities */
    LEVEL_ALL,      /* counters, parameters, everything else the tables name */
};

/* Turns the bytes of a file (a NUL behind them) into facts on the open subject. Returns 0, -ENODATA
 * where the text is well formed and says nothing, -EBADMSG where it is not of its form, -ENOMEM. */
typedef int (*fact_parser)(struct fact_set *set, const struct fact_key *key, const char *origin,
                           struct bytes raw);

enum {
    ATTR_IN_DEVICE = 1 << 0, /* the file is in the device's directory, not in its class directory */
    ATTR_IS_LINK = 1 << 1,   /* a symbolic link: the fact is the last component of its target */
    ATTR_WAKES = 1 << 2,     /* reading it powers the hardware up: not read while that sleeps */
    ATTR_BINARY = 1 << 3,    /* up to 64 KiB of bytes, else 4 KiB of text */
};

/* Whether a file is read again between collections, to see that a link has changed, and what each such read costs. It is
 * the dearest of the drivers that have the file. */
enum reread {
    REREAD_NOT, /* stays as it is, or nobody is told when it changes */
    REREAD_RARELY, /* moves all the time and says nothing of how well a link does: with a collection only */
    REREAD_FREE, /* the kernel or the driver has it in memory: a microsecond or two */
    REREAD_CONFIG, /* reads PCI configuration space: some microseconds, and a resume where the function sleeps */
    /* Asks the adapter's firmware or an expander, and waits: a mailbox command (statistics of drivers/scsi/lpfc and
     * qla2xxx, counters of drivers/infiniband/hw/mlx5), a configuration page (message/fusion/mptspi.c,
     * mpt3sas_transport.c), SMP REPORT PHY ERROR LOG (libsas, mpt3sas), a register of a network card */
    REREAD_ASKS,
    REREAD_PAUSES, /* stops the adapter for a moment (aic7xxx, aic79xx: ahc_pause()): with a collection only */
};

/* One file of an object. */
struct attribute {
    const char *file; /* may hold directories: "statistics/tx_frames" */
    const struct fact_key *key;
    fact_parser parse; /* NULL: text */
    enum level level;
    unsigned flags;
    enum reread reread;
};

/* Is it read again between collections? */
static inline bool attribute_is_watched(const struct attribute *a)
{
    return a->reread == REREAD_FREE || a->reread == REREAD_CONFIG || a->reread == REREAD_ASKS;
}

/* Does reading it again cost more than a look into memory? */
static inline bool attribute_is_costly(const struct attribute *a)
{
    return a->reread == REREAD_CONFIG || a->reread == REREAD_ASKS;
}

/* Objects the kernel lists in one directory, each a link to its place below /sys/devices. */
struct object_class {
    const char *name; /* of the subjects, and of the directory component before the object's name */
    const char *dir;  /* "/sys/class/sas_phy" */
    bool is_bus;      /* the link leads to the device itself, not to DEVICE/name/object */
    bool anywhere;    /* objects need not lie below a SCSI host, nor near one */
    bool above_host;  /* objects lie between an adapter and its SCSI host, or beside that */
    const char *prefix; /* names looked at begin with this; NULL: all */
    enum level level;
    const struct attribute *attributes; /* ends with a row without a file */
};

/* One command asked of a SCSI device. */
struct query {
    const char *via;            /* "MODE SENSE 19h/03h" */
    const struct fact_key *key; /* what a refusal is put under; the decoder may put others */
    struct command (*build)(const struct query *q);
    uint8_t page, subpage;
    uint16_t room;
    enum level level;
    /* Is it worth asking this device? NULL: always. */
    bool (*wanted)(const struct fact_set *set, const struct subject *device);
    fact_parser decode; /* of the data of a good answer */
};

/* Common builders of queries. */
struct command query_mode_sense(const struct query *q);
struct command query_log_sense(const struct query *q);
struct command query_vpd(const struct query *q);

struct gathering;
struct relation;

/* A rate at which reads typically end for a reason that is known: a hint to it, and no proof. */
struct fingerprint {
    uint64_t from_kb_per_s, to_kb_per_s;
    const char *what;
};

/* Of what adapters of all transports are plugged into. */
extern const struct fingerprint SLOT_FINGERPRINTS[];

struct transport {
    const char *name;    /* "spi": in ids and reports */
    const char *counted; /* what has the counters of its links, in names of metrics; NULL: "link" */
    const struct object_class *classes;        /* ends with a row without a name; may be NULL */
    const struct attribute *host_attributes;   /* of scsi_host, besides the common ones */
    const struct attribute *device_attributes; /* of a SCSI device, besides the common ones */
    const struct query *queries;               /* ends with a row without a via; may be NULL */
    const struct fingerprint *fingerprints;    /* ends with a row without `what`; may be NULL */
    bool sysfs_only;                           /* its devices are never sent commands */
    bool arrays; /* its LUNs are of arrays: reads need an active path */

    /* Gathers what tables cannot say. Called once, after the classes. May be NULL. */
    int (*gather)(struct gathering *g);

    /* Is this scsi_host its own? The first row of the table that says so has it. NULL: none is. */
    bool (*claims)(const struct fact_set *set, const struct subject *host);

    /* The host's id, that survives a reboot, where its PCI function, or its path, is not enough to tell it
     * from others. In the model's arena; NULL without memory. May be NULL. */
    const char *(*host_id)(struct relation *r, const struct subject *host);

    /* Adds links that belong to no single host, before the hosts are related. May be NULL. */
    int (*relate_machine)(struct relation *r);

    /* Adds the host's links to the model. */
    int (*relate)(struct relation *r, struct host *host);

    /* The link that leads to a device of its hosts; NULL where none does. */
    struct link *(*link_of)(struct relation *r, struct host *host, const struct subject *device);

    /* Says more of a device of its hosts, whose link is set: enclosure, bay. May be NULL. */
    int (*complete)(struct relation *r, struct device *d);

    /* What tells a device from others with the same LUN on its link: a part of its id, such as the WWN of
     * the target. NULL, or a NULL returned: nothing has to. */
    const char *(*device_mark)(struct relation *r, const struct host *host,
                               const struct subject *device);
};

/* All rows, in the order in which they are asked for their hosts; NULL at the end. */
extern const struct transport *const TRANSPORTS[];

/* The row of that name; NULL where there is none, and for NULL. */
const struct transport *transport_named(const char *name);

/* The row that claims the host: always one, the last row takes what is left. */
const struct transport *transport_of(const struct fact_set *set, const struct subject *host);
