/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What hbad-collect can be told to do, each in a file of its own, and what they share.
 */
#pragma once

#include "diagnose/gather.h"
#include "diagnose/tiers.h"
#include "live/live.h"
#include "live/measure_engine.h"
#include "probe/plan.h"

/* What the command line says of measuring. */
struct measuring {
    const struct measure_method *methods[32];
    uint64_t blocks[32];
    uint64_t depths[32];
    const char *devices[256]; /* H:C:T:L */
    size_t n_methods, n_blocks, n_depths, n_devices;
    uint64_t bytes;      /* of a device and cell; 0: only the time counts */
    uint64_t longest_us; /* of a cell; 0: only the bytes count */
    uint64_t
        patience_s; /* a device that says nothing for so long is given up, and the others go on */
    bool cold, random, alone, forced;
    uint64_t seed;
};

enum {
    PROBED_MAX = 4096
}; /* devices that one probe is told of: more than an adapter's are not at a time */

/* What the command line says of probing. */
struct probing {
    bool wanted;
    const char *devices[PROBED_MAX]; /* H:C:T:L of those that are named */
    size_t n_devices;
    const char *selected[PROBED_MAX]; /* of others that it is about; none of both: all below */
    size_t n_selected;
    const char *below; /* canonical directory with a '/' at its end; NULL: the whole machine */
    struct plan_seen seen[PROBED_MAX]; /* who was seen to be used, how long ago */
    size_t n_seen;
    /* So long a use by somebody else is waited for, of disks whose sleep is hidden and who were not seen; 0: those are not
     * read from. */
    uint64_t await_us;
    bool forced;
};

struct collect_options {
    struct gather_options gather;
    struct live_options live;
    const char *config;         /* file of what is forbidden; NULL: this machine's */
    struct measuring measuring; /* n_methods 0: nothing is measured */
    struct probing probing;
    bool serves;  /* the rest is told at a socket: collect_serve() */
    bool watches; /* collect_watch() */
};

/* Reads the command line. Returns -1, or the exit status of a program that has said all it has to: 0 after help,
 * 64 after words that it does not know. */
int collect_parse(int argc, char **argv, struct collect_options *ret);

/* Takes a request (wire/request.h) from standard input, and does what it says to the options; its texts are in the arena.
 * Returns 0 or a negative errno. */
int collect_serve(struct arena *arena, struct collect_options *options);

/* Watches what is asked for at standard input (wire/watch.h), until that ends, and writes what differs. Returns 0 or a negative
 * errno. */
int collect_watch(const struct live_options *live);

/* How far the administrator lets this program go with each device (of a copied tree only where a file says it);
 * tiers_done() in either case. Returns 0 or a negative errno. */
int collect_tiers(struct source *live, const char *config_file, const char *only_below,
                  struct tiers *ret);

/* Reads an adapter and writes what it saw. Returns 0 or a negative errno. */
int collect_adapter(struct source *live, const struct gather_options *options);

/* Writes a command that was sent beside what is measured, where it was sent, with its answer. Returns 0 or a negative
 * errno. */
int collect_sent(const char *hctl, const struct command *command, const struct answer *answer);

/* Measures devices, and writes what is under way and what came out. Returns 0 or a negative errno. */
int collect_measures(struct source *live, const struct measuring *m, const struct tiers *tiers);

/* Probes links, and writes what is under way and what came out. `config_file` as for collect_tiers(). Returns 0 or a
 * negative errno. */
int collect_probe(struct source *live, const struct probing *asked, const char *config_file,
                  const struct tiers *tiers);
