/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the SAS transport share: its facts, a host's tree of phys, ports and expanders,
 * and what the ends of a link say of its rates.
 *
 *   sas.c         which facts, which hosts, the row
 *   sas_tree.c    facts → tree
 *   sas_rate.c    what each end of a link runs at and can do
 *   sas_relate.c  tree → links
 */
#pragma once

#include "transport/relation.h"

/* Of a phy (class sas_phy). Rates are in Mb/s. */
extern const struct fact_key SAS_KEY_PORT;       /* name of the port it is a member of */
extern const struct fact_key SAS_KEY_NEGOTIATED; /* negotiated_linkrate */
extern const struct fact_key SAS_KEY_STATE;      /* what stands in its place: "Phy disabled", … */
extern const struct fact_key SAS_KEY_MAXIMUM;    /* maximum_linkrate: the programmed limit */
extern const struct fact_key SAS_KEY_HARDWARE;   /* maximum_linkrate_hw: the silicon's */
extern const struct fact_key SAS_KEY_ENABLE;
extern const struct fact_key SAS_KEY_INVALID_DWORD, SAS_KEY_DISPARITY, SAS_KEY_LOSS_OF_SYNC,
    SAS_KEY_RESET_PROBLEM;

/* Of a port (class sas_port). */
extern const struct fact_key SAS_KEY_N_PHYS; /* how many phys the kernel counts in it */

/* Of an end device or expander (classes sas_device and sas_expander). */
extern const struct fact_key SAS_KEY_ADDRESS;
extern const struct fact_key SAS_KEY_PROTOCOLS; /* as a target: SAS_PROTOCOL_… */
extern const struct fact_key SAS_KEY_ENCLOSURE; /* 0: none */
extern const struct fact_key SAS_KEY_BAY;

/* Of a device (class scsi_device): pages from their byte 0 on. */
extern const struct fact_key SAS_KEY_PAGE_PHYS;     /* mode page 19h/01h */
extern const struct fact_key SAS_KEY_PAGE_ENHANCED; /* mode page 19h/03h */
extern const struct fact_key SAS_KEY_PAGE_LOG;      /* log page 18h */

enum {
    SAS_GROUP =
        4 /* lanes of a connector (SFF-8643, SFF-8087 and their kin); of an HBA phys 4k … 4k+3 */
};

struct sas_port;
struct sas_expander;

struct sas_lane {
    const struct subject *subject; /* sas_phy */
    unsigned number;
    struct sas_expander *expander;          /* whose phy it is; NULL: the host's */
    struct sas_port *port;                  /* it is a member of; NULL: of none */
    uint64_t negotiated, maximum, hardware; /* Mb/s; 0: not known */
    bool is_told;     /* the driver tells its rate, or that it has none: it could be read */
    bool enabled;     /* as far as is known */
    bool is_spare;    /* it is known to be enabled, in no port and at no rate */
    bool is_virtual;  /* inside a chip: no cable */
    bool faces_up;    /* the expander's end of the link towards its host */
    bool is_doubtful; /* it shows, or may show, a rate and is in no port: left over, or towards
                       * another host, or of a port of which more phys are counted than seen */
    struct link *link;
    struct sas_lane *next_of_port, *next_of_expander;
};

struct sas_port {
    const struct subject *subject; /* sas_port */
    struct sas_expander *expander; /* whose port it is; NULL: the host's */
    struct sas_lane *lanes;        /* by number */
    unsigned n_lanes;
    unsigned n_phys; /* as the kernel counts them; n_lanes where it does not tell */
    const struct subject *end_device; /* at the far end; NULL: none */
    struct sas_expander *below;       /* at the far end; NULL: none */
    const struct subject *device;     /* the first SCSI device of the end device; NULL: none */
    const struct subject *witness;    /* the first that told something of its phys; NULL: none */
    bool only_enclosure;              /* all its SCSI devices are enclosure services (type 0Dh) */
    struct link *link;                /* its own, or that of its only lane; NULL: no lanes */
};

struct sas_expander {
    const struct subject *subject; /* sas_device; without facts where the kernel lists none */
    const char *id;                /* of its phys' and ports' ids the first part */
    const char *name;              /* for people: "expander-0:0 LSI SAS2X36" */
    const char *model;             /* "LSI SAS2X36"; NULL where not known */
    uint64_t address;              /* 0: not known */
    struct sas_port *above;        /* that leads to it; NULL: not seen */
    struct sas_lane *lanes;
};

/* All of one host; in an arena that is freed after it was related. */
struct sas_tree {
    struct relation *relation;
    struct host *host;
    struct arena *arena;
    struct sas_lane *lanes;
    struct sas_port *ports;
    struct sas_expander *expanders;
    size_t n_lanes, n_ports, n_expanders; /* each array is in the order of names as people count */
    bool has_loose_devices; /* SCSI devices below no end device: volumes of RAID firmware */
};

/* What a phy can do for certain, in Mb/s; 0: not known. Where the silicon's limit is not, the programmed
 * one is no less than what the phy does when asked, unless it runs at just that. */
uint64_t sas_lane_able(const struct sas_lane *lane);

/* What a phy is programmed to where that is, or may be, below what its silicon does; else 0. */
uint64_t sas_lane_limit(const struct sas_lane *lane);

/* The driver tells what its silicon does, and not what it is programmed to. */
bool sas_lane_limit_unknown(const struct sas_lane *lane);

/* Writes the name of the port that a device is behind, by its path: the last "port-…" in it. Returns
 * false where none is. */
bool sas_port_name(const char *path, char name[static 64]);

/* Builds the tree of the host. Returns 0 or -ENOMEM. */
int sas_tree_build(struct sas_tree *t);

/* The rate of so many lanes at so many Mb/s; 0 lane_kb_per_s for a number that is no SAS rate. */
struct rate sas_rate(unsigned lanes, uint64_t mbps);

/* A rate_describe: "6.0 Gb/s", "4 x 12.0 Gb/s". */
int sas_describe(struct arena *arena, struct rate rate, struct mode *ret);

/* The mode of that rate; not known where mbps is 0. */
struct mode sas_mode(struct relation *r, unsigned lanes, uint64_t mbps);

/* Somebody's word: nobody's where mbps is 0. */
struct sas_word {
    const char *via;
    uint64_t mbps;
    bool at_most;
};

/* What the far end of a lane says, and what lies between the host and it. */
struct sas_far {
    struct sas_word runs[2]; /* what it runs at */
    struct sas_word able;    /* what it can do */
    struct sas_word allowed; /* what it is programmed to */
    struct sas_word near;    /* what it heard that the near end can do */
    struct sas_word pathway; /* what a SATA device behind expanders can be reached with */
    bool limit_unknown;      /* what it is programmed to cannot be read */
    const char *unread;      /* what else would have to be known of it; NULL: nothing */
};

/* Asks the far end of a lane of a port, or of a lane that faces up. Returns 0 or -ENOMEM. */
int sas_far_of(const struct sas_tree *t, const struct sas_lane *lane, struct sas_far *ret);

/* Adds the links of the host. Returns 0 or -ENOMEM. */
int sas_relate(struct relation *r, struct host *host);
