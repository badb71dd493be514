/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a machine was like before: a snapshot a capture, oldest first, found again by the ids that survive
 * a reboot. Time is data: nothing here looks at a clock.
 */
#pragma once

#include "link/model.h"

/* Its key is that of the model it was taken from, or, in a past that was read from somewhere, one of the same name and
 * kind: see sample_counter(). */
struct counter_sample {
    const struct fact_key *key;
    uint64_t value;
};

/* A link as it was. Texts live as long as the history. */
struct sample {
    const char *id, *kernel_name, *far, *far_id;
    const char *up_id, *bundle_id, *host_id; /* NULL where it had none */
    const char *wire; /* the near end of a link to a network, which others may share; else NULL */
    enum link_state state;
    bool known; /* rate and label are */
    struct rate rate;
    const char *label;
    bool may_go; /* that it is gone is no fault; nor is it of what has no physical link */
    bool judged_above;
    bool is_slot; /* the PCIe link of its host */
    rate_describe describe;
    const char *path, *class_name; /* of its subject: where it was in sysfs */
    struct counter_sample *counters;
    size_t n_counters;
};

/* A host's, remote port's or device's past. */
struct past {
    const char *id, *kernel_name;  /* of a device H:C:T:L */
    const char *pci_id;            /* of a host; NULL where not known */
    const char *link_id;           /* of a remote port or device; NULL where not known */
    const char *node;              /* of a remote port; NULL where not known */
    const char *path, *class_name; /* of a remote port: where it was in sysfs */
    uint64_t count; /* of a host its resets, of a device its commands that timed out */
    bool has_count;
    bool is_unread; /* of a host: what it and all behind it count is of an earlier look */
    bool is_up;     /* of a remote port */
};

/* A measurement of a device. */
struct past_measure {
    const char *device_id, *method;
    uint64_t block_bytes, kb_per_s;
    uint64_t median_us; /* of one read; 0: not known */
    uint64_t
        wall_us; /* when it began, as in struct measured; 0: when the snapshot was taken, or not known */
};

struct snapshot {
    const char *name;          /* what notes call it, such as its file; NULL where it has no name */
    const char *hostname;      /* NULL where not known */
    bool scrubbed;             /* its names were made up */
    uint64_t wall_us, mono_us; /* wall_us 0: not known */
    /* Sorted by id. What is the same as in another snapshot may be that one's object, or its whole list. */
    const struct sample **links;
    size_t n_links;
    const struct past **hosts, **remotes, **devices;
    size_t n_hosts, n_remotes, n_devices;
    struct past_measure *measures; /* sorted by device */
    size_t n_measures;
};

struct history {
    struct arena *arena;
    VEC(struct snapshot) snapshots; /* oldest first */
};

struct history *history_new(void);
struct history *history_free(struct history *h);
DEFINE_CLEANUP(struct history, history_free)

/* Adds a model as the newest snapshot. Returns 0 or -ENOMEM. */
int history_add(struct history *h, const struct model *m, uint64_t wall_us, uint64_t mono_us);

/* Names the newest snapshot. Returns 0 or -ENOMEM. */
int history_name(struct history *h, const char *name);

/* A copy of the history's list of snapshots with the model as the newest: a look at all of time. The
 * snapshots' contents are borrowed from `h`. Returns 0 or -ENOMEM. */
int history_with(const struct history *h, const struct model *m, uint64_t wall_us, uint64_t mono_us,
                 struct history **ret);

/* Can what the snapshot holds be taken for the past of a model that was made at `wall_us`? Returns 0 where it can,
 * -EXDEV where it is of another machine, -ENODATA where one of the two has no time (0), so that nobody knows which came
 * first, -EINVAL where it was taken later.
 * Names that differ are of different machines; the same name, not made up by scrubbing, is of the same. Else they must
 * have a host in common, unless one of them has none at all. */
int history_fits(const struct snapshot *s, const struct model *m, uint64_t wall_us);

/* A copy of the list of those snapshots that fit, oldest first. The snapshots' contents are borrowed from `h`. Returns 0
 * or -ENOMEM. */
int history_of(const struct history *h, const struct model *m, uint64_t wall_us,
               struct history **ret);

/* Can that snapshot be left out, and all that is asked of the past is answered as before? So it is where others show, of
 * each link that was up in it, a mode as good and as many lanes with the same far end, and where each link and remote port
 * that was up in it was so later, too. Not looked at is what changed when: whoever leaves out snapshots keeps those of
 * the last hours (thresholds of flapping and of growing errors). */
bool history_can_spare(const struct history *h, size_t i);

/* The link, host, remote port or device of that id in a snapshot; NULL where it was not. */
const struct sample *snapshot_link(const struct snapshot *s, const char *id);
const struct past *snapshot_host(const struct snapshot *s, const char *id);
const struct past *snapshot_remote(const struct snapshot *s, const char *id);
const struct past *snapshot_device(const struct snapshot *s, const char *id);

/* Is what the host, and all behind it, counted in a snapshot of an earlier look? NULL, and one that was not there: no. */
bool snapshot_unread(const struct snapshot *s, const char *host_id);

/* The measurements of the device in a snapshot: the first of `*ret_n`. NULL and 0 where there is none. */
const struct past_measure *snapshot_measures(const struct snapshot *s, const char *device_id,
                                             size_t *ret_n);

/* Were they taken without a reboot (or a sleep) in between? Between them both clocks went on alike, but for
 * corrections of up to a minute. What counts from the boot on can be compared then only. */
bool snapshot_same_boot(const struct snapshot *a, const struct snapshot *b);

/* Was it the same pair of ends? Another far end starts a new life; where either is not known, it is taken
 * for the same. */
bool sample_is_of(const struct sample *s, const struct link *l);

/* The value of the counter of that key, or of one of the same name and kind; false where the sample has none. */
bool sample_counter(const struct sample *s, const struct fact_key *key, uint64_t *ret);

/* Applies the history to a newer model: a link without anything attached that was up when something was last
 * seen on it is down, unless it might go. */
void history_apply(const struct history *h, struct model *m);

/* The best mode that the pair ran at in any snapshot; NULL where none is known. */
const struct sample *history_best(const struct history *h, const struct link *l);

/* The same for whatever was at the far end: what the near end has proven that it can do. */
const struct sample *history_best_near(const struct history *h, const struct link *l);

/* The sample of the pair with the most lanes. Where the link was a lane of a wide one to the same far end, known to
 * be the same, that one's counts: so a wide link that is down to one lane is found. NULL where none is known. */
const struct sample *history_widest(const struct history *h, const struct link *l);
