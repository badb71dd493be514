/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The machine as people think of it: hosts, links and devices, and how they hang together.
 *
 * The transports build it from facts (their `relate`), expectations and verdicts are added to it, and
 * reports are written from it. Everything in it lives in one arena; texts may also be those of the
 * fact set, which must live as long.
 */
#pragma once

#include "base/vec.h"
#include "facts/fact.h"
#include "link/rate.h"

enum link_state {
    LINK_UP,
    LINK_DOWN,     /* something should be there: it was, by an earlier capture */
    LINK_EMPTY,    /* nothing is attached */
    LINK_DISABLED, /* switched off by an administrator */
    LINK_UNKNOWN,  /* it cannot be told */
    _LINK_STATE_MAX,
};
const char *link_state_to_string(enum link_state s);

enum verdict {
    VERDICT_OK,
    VERDICT_BELOW,
    VERDICT_CAPPED,
    VERDICT_UNKNOWN,
    VERDICT_NONE, /* no physical link at all */
    _VERDICT_MAX,
};
const char *verdict_to_string(enum verdict v);

enum who {
    WHO_INITIATOR, /* the HBA and its driver */
    WHO_TARGET,    /* the device */
    WHO_HOP,       /* what lies between: bus, cable, slot, expander */
    WHO_CLOCK,     /* a measurement */
    WHO_SIBLING,   /* other links of the same kind with the same model */
    WHO_HISTORY,   /* the link itself, earlier */
    WHO_ADMINISTRATOR,
    _WHO_MAX,
};
const char *who_to_string(enum who w);

/* Somebody's word about a mode: what a link runs at (witness), could run at (able), or was told to run
 * at (allowed). */
struct claim {
    enum who who;
    const char *via; /* "spi_transport", "MODE SENSE 19h/04h" */
    struct mode mode;
    bool at_most; /* able: an upper bound, no proof that it can do that much */
};

/* What a driver was told. */
struct parameter {
    const char *name, *value;
    const char *from; /* "/sys/module/libata/parameters", "/proc/cmdline", … */
};

struct finding; /* of a layer above: only passed on */

struct host {
    const char *id;          /* survives a reboot: "pci-0000:01:01.0" */
    const char *kernel_name; /* "host0" */
    const char *transport;   /* name of the row that claims it */
    const char *driver, *driver_version, *model, *firmware, *bios, *board;
    const char *pci_address; /* "0000:01:01.0"; NULL off PCI */
    const char *pci_id;      /* "1000:0030"; NULL off PCI */
    const char *state;       /* as the kernel says it */
    const char *reason;      /* why its links cannot be seen; NULL where they can */
    const struct subject *subject;
    const struct subject *own;    /* attributes of its driver; NULL where it has none */
    const struct subject *module; /* of its driver; NULL where not seen */
    VEC(struct parameter) parameters;
    bool physical;                  /* somebody's word: real hardware, whatever it says of itself */
    const char *emulated;           /* why it is no real hardware; NULL where it is */
    VEC(struct finding *) findings; /* those that name it, each once */
    struct link *slot;              /* its PCIe link; NULL where it has none */
    bool is_bus;                    /* the host's links share one bus (parallel SCSI) */
    bool is_unread; /* what it and all behind it count was read long before the rest */
};

/* Something that is wrong with what a link hangs on, seen by its transport. */
struct impairment {
    const char *code;                /* of a finding; NULL: nothing is */
    const char *what, *value, *from; /* evidence */
};

/* What the administrator says of a link. */
struct wish {
    struct mode expect;      /* that it should run at, whatever else is known */
    const char *expect_from; /* where that is said: "/etc/hbad/hbad.conf:12" */
    const char
        *ignore_from;   /* where it is said that its mode is known to be wrong; NULL: nowhere */
    const char *reason; /* why; may be NULL */
};

/* Links that can be compared with each other (expect/expect.h), those of them that speak for the others. */
struct siblings {
    struct link **v;
    size_t n;
    struct rate fastest; /* of them */
    uint32_t most_lanes;
};

struct link {
    size_t index; /* its place in the model's list */
    const char *id;
    const char *kernel_name;
    const char *transport;
    struct host *host;
    const char *near, *far; /* ends, for people: ids or "VENDOR MODEL"; NULL where not known */
    const char
        *far_model; /* by what siblings are told where `far` names one thing; NULL: by `far` */
    const char *
        far_id; /* what tells the far end from another: WWN, serial number, fabric; NULL where not known */
    const struct subject *subject;
    struct link *up;     /* the hop towards the slot; NULL at the top */
    struct link *bundle; /* the wide link that this lane is part of; NULL where it is none */
    const struct siblings *siblings; /* NULL: none */
    enum link_state state;
    struct mode actual, expected;
    VEC(struct claim) witnesses;
    VEC(struct claim) able;          /* hardware and bus */
    VEC(struct claim) allowed;       /* limits somebody configured */
    VEC(struct claim) expected_from; /* those that set the expectation */
    enum verdict verdict;
    const char *reason; /* of a verdict `unknown` or `none`; NULL otherwise */
    bool has_no_link;   /* virtual or emulated: nothing physical to judge */
    bool peers_prove; /* what a link of the same kind with the same far model does, this one can */
    bool
        limit_unknown; /* whether it is told or held to run slower cannot be read: that it does proves nothing */
    bool
        lanes_vary; /* how many lanes belong to it is a matter of cabling: its ends claim as many as it
                       * has, siblings and the past may know of more */
    uint32_t
        lanes_off; /* of those that belong to it, as far as is seen, somebody switched so many off */
    bool
        judged_above; /* the far end of a cable that is judged from its near one: no cause of its own */
    bool far_is_network; /* the far end is a fabric or network, not a device with a model */
    bool
        may_go; /* that nothing is attached any more is no fault: USB, removable, sessions that log out */
    struct impairment impaired;
    struct wish wish;
    rate_describe describe;
    VEC(const struct fact *) counters;
    VEC(struct finding *) findings; /* those that name it, each once */
};

struct device {
    const char *id;
    const char *hctl;
    const char *type; /* "disk", "tape", … */
    const char *vendor, *model, *revision, *serial, *wwid;
    const char *enclosure, *bay;    /* NULL where not known */
    VEC(const char *) users;        /* what rides on it: "sda2 > vg-root (LVM), mounted on /" */
    VEC(struct finding *) findings; /* those that name it, each once */
    const struct subject *subject;
    struct host *host;
    struct link *link; /* NULL where no link leads to it */
    const char
        *remote; /* id of the remote port it is behind, which may not be seen; NULL where it is
                         * behind none */
};

/* A port at the far side of a link that leads to several: a target on a fabric. */
struct remote {
    const char *id, *kernel_name;
    const char *node;  /* of which target it is a port; NULL where not known */
    const char *state; /* as the kernel says it */
    bool is_up;
    bool is_unclear; /* whether it is up cannot be told */
    struct link *link;
    const struct subject *subject;
};

struct measurement; /* of source/measure.h: only passed on */

/* A timed read as it was recorded, whatever became of it. */
struct timed {
    struct device *device;
    const struct measurement *read;
    const char *proves; /* of the link: "lower bound", "consistent", …; NULL: nothing is said */
    const char *why;    /* then: in a sentence */
};

/* A timed read of a device that is evidence: undisturbed, alone, of blocks in sequence. */
struct measured {
    struct device *device;
    const char *method; /* "read-buffer", "read-media/block-direct", … */
    uint64_t block_bytes, kb_per_s;
    uint64_t median_us; /* of one read; 0: not known */
    uint64_t wall_us;   /* when it began, which tells two reads apart; 0: not known */
    const char *
        hint; /* what often ends at that rate, on a hop of its path: no proof; NULL: nothing known */
};

/* A name and the link it leads to. */
struct link_name {
    const char *name; /* NULL: free */
    struct link *link;
};

struct model {
    struct arena *arena;
    const char *hostname; /* of the machine; NULL where not known */
    bool scrubbed;        /* names and serial numbers were made up */
    VEC(struct host *) hosts;
    VEC(struct link *) links;
    VEC(struct device *) devices;
    VEC(struct remote) remotes;
    VEC(struct timed) timed; /* all, in the order of recording */
    VEC(struct measured) measures;
    VEC(const char *)
    unseen; /* ids, sorted, of links and remote ports that were up earlier, and are not gone for not being in it */
    struct link_name *names; /* a hash table, for model_link_named() */
    size_t n_names, n_name_slots;
};

/* A new, empty model, or NULL without memory. */
struct model *model_new(void);
struct model *model_free(struct model *m);
DEFINE_CLEANUP(struct model, model_free)

/* Adds one, zeroed but for what is given. NULL without memory. */
struct host *model_add_host(struct model *m, const struct subject *subject);
struct link *model_add_link(struct model *m, struct host *host, const struct subject *subject,
                            const char *kernel_name);
struct device *model_add_device(struct model *m, struct host *host, const struct subject *subject);

/* Makes the link known by another name of the kernel's as well ("port-0:3", whose only phy it is),
 * which must live as long as the model. Where the name leads to a link already, it stays so. Returns
 * 0 or -ENOMEM. */
int model_name_link(struct model *m, const char *name, struct link *link);

/* The one of that kernel name; NULL where there is none. Hosts: a linear look. Links: the first that
 * was added with that name, or named so. */
struct host *model_host_named(const struct model *m, const char *kernel_name);
struct link *model_link_named(const struct model *m, const char *kernel_name);

/* Adds a claim. A mode that is not known is not added. Return 0 or -ENOMEM. */
int link_add_witness(struct link *l, enum who who, const char *via, struct mode mode);
int link_add_able(struct link *l, enum who who, const char *via, struct mode mode, bool at_most);
int link_add_allowed(struct link *l, enum who who, const char *via, struct mode mode);

/* Adds the subject's fact of that key as a counter where it is a number that was seen. */
int link_add_counter(struct link *l, const struct subject *s, const struct fact_key *key);

/* What the link carries now, in kB/s; 0 where it is not up, its mode is not known, or it is no physical
 * link; for NULL. */
uint64_t link_payload_kb_per_s(const struct link *l);

/* What a host that is a bus carries: the fastest mode agreed on it. 0 where none is known. */
uint64_t model_bus_kb_per_s(const struct model *m, const struct host *bus);

/* Does the link lead to the device? */
bool device_is_behind(const struct device *d, const struct link *hop);

/* The narrowest hop from the slot to the device, in kB/s; `*ret_hop` (may be NULL) is that link, the
 * nearest to the device among equals. 0 and NULL where the rate of the device's own link is not known:
 * the other hops alone say nothing. */
uint64_t device_path_kb_per_s(const struct device *d, struct link **ret_hop);
