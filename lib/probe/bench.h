/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The timed reads of a report as people ask for them: a table a device, measured alone, and one of those that were measured
 * at the same time; each judged.
 */
#pragma once

#include "link/model.h"
#include "probe/sweep.h"
#include "probe/together.h"

/* One device, alone. */
struct bench_device {
    struct device *device;
    VEC(const struct timed *) cells; /* in the order of recording */
    struct sweep_path path;
    struct sweep sweep;
    const char
        *plateau; /* that its link seems to carry less than it claims (meaning.h); NULL: no */
};

/* One cell of several devices at a time. */
struct bench_cell {
    VEC(const struct timed *) reads;
    const struct measurement *
        *alone; /* of each: the same cell by itself; NULL: it was not measured */
    struct shared_hop hop;
    struct together together;
};

struct bench {
    struct arena *arena;
    VEC(struct bench_device) devices;
    VEC(struct bench_cell) cells;
    const struct bench_cell *best; /* the fastest of them; NULL: none counts */
};

/* Of these devices (n 0: of all that were read). A device that was not read is there without cells where it is named;
 * what was read together with others that are not asked for is left out.
 * Everything in it lives as long as the model. Returns 0 or -ENOMEM. */
int bench_new(const struct model *m, struct device *const *devices, size_t n, struct bench **ret);

/* The same of these reads, instead of those of the model: they must live as long as the bench. */
int bench_of(const struct model *m, const struct timed *reads, size_t n_reads,
             struct device *const *devices, size_t n, struct bench **ret);
struct bench *bench_free(struct bench *b);
DEFINE_CLEANUP(struct bench, bench_free)
