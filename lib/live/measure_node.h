/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system under the ways of measure_way.h: device nodes of this machine, and what its processors are.
 */
#pragma once

#include "live/measure_way.h"
#include "source/source.h"

/* Its `user` is the live source, which says which nodes may be opened (live/node.h). */
extern const struct measure_system MEASURE_SYSTEM;

/* Bytes of the largest cache of a processor, as the C library or sysfs has it; 0: not known. */
size_t measure_cache_bytes(struct source *s);

/* What all processors together have been doing since the machine started, in ticks: all of it, and idle
 * (waiting for I/O too). Both 0 where it is not known. */
struct measure_load {
    uint64_t total, idle;
};
struct measure_load measure_load_now(struct source *s);

/* Thousandths of all time between the two that they were idle, 1 at least: 0 says that it is not known. */
uint64_t measure_idle_permille(struct measure_load from, struct measure_load to);

/* Bytes of memory that programs can have without anything being swapped out: MemAvailable of /proc/meminfo (proc(5)); 0: not
 * known. */
uint64_t measure_memory_available(struct source *s);
