/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A writer of the text format in which Prometheus, and all that reads after it, takes metrics: version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats). No time stamps: node_exporter's textfile collector passes over a file
 * that has any.
 *
 * A family is everything of one name. Its samples are written in the order of their labels, whatever order they were given
 * in, and of several with the same labels the one that was given last counts: a reader would refuse all of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"

enum prometheus_type { PROMETHEUS_GAUGE, PROMETHEUS_COUNTER };

struct prometheus_label {
    const char *name,
        *value; /* without a value it is left out, which says the same as an empty one */
};

/* Labels of a sample, in place. */
#define PROMETHEUS_LABELS(...)        \
    (const struct prometheus_label[]) \
    {                                 \
        __VA_ARGS__,                  \
        {                             \
            .name = NULL              \
        }                             \
    }

struct prometheus {
    FILE *out;        /* borrowed */
    const char *name; /* of the family that is being written */
    const char *help;
    enum prometheus_type type;
    VEC(char) lines;    /* its samples so far, unsorted, each with a NUL behind it */
    VEC(size_t) starts; /* where in that each begins */
    bool failed;        /* no memory: what follows is not written */
};

/* A writer to a stream. */
struct prometheus prometheus(FILE *out);

/* Begins a family; `name` and `help` live until its end. Without a sample it is not written at all. */
void prometheus_begin(struct prometheus *p, const char *name, enum prometheus_type type,
                      const char *help);

/* A sample with labels (the last one has no name; NULL: none): value / 10^digits. Bytes of a label that are no UTF-8, and
 * control characters but newline, become '?'. */
void prometheus_sample(struct prometheus *p, const struct prometheus_label *labels, uint64_t value,
                       unsigned digits);

void prometheus_end(struct prometheus *p);

/* A family of one sample without labels. */
void prometheus_single(struct prometheus *p, const char *name, enum prometheus_type type,
                       const char *help, uint64_t value, unsigned digits);

/* Releases what the writer has. Returns 0, or -ENOMEM where something is missing. */
int prometheus_done(struct prometheus *p);
