/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What hangs where, as trees and maps show it: adapters, below them links, below these more links. Equal neighbours stand in one
 * row on large machines, and the odd one is seen.
 */
#pragma once

#include "base/vec.h"
#include "finding/report.h"

/* A link and the one above it. Lanes that are like their bundle have nothing to say, and are in no tree; nor are slots. */
struct tree_node {
    const struct link *up; /* NULL: directly below its host */
    const struct link *link;
    size_t order;
};

struct tree {
    const struct report *report;
    struct tree_node *v; /* sorted, so that children are found as a run */
    size_t n;
    bool fold; /* the machine is so large that links that are alike stand in one row */
    const struct device **devices; /* by link, in the report's order */
    size_t *first_device;          /* of each link, by its index, and the end of the last one's */
};

/* The tree of a report, which must outlive it; tree_done() in either case. Returns 0 or -ENOMEM. */
int tree_init(const struct report *report, struct tree *ret);
void tree_done(struct tree *t);

/* What hangs below a link; NULL: directly below hosts. The first of `*ret_n`. */
struct tree_node *tree_below(const struct tree *t, const struct link *up, size_t *ret_n);

/* The devices on a link: the first of `*ret_n`. */
const struct device *const *tree_devices_on(const struct tree *t, const struct link *l,
                                            size_t *ret_n);

/* How many of them stand in one row with the first, which is there: n > 0. */
size_t tree_run(const struct tree *t, const struct tree_node *v, size_t n);

/* The worst finding that names the link or a device on it, the link's own first; NULL: none but info. */
const struct finding *tree_worst(const struct tree *t, const struct link *l);

/* The same where it is critical; else NULL. */
const struct finding *tree_alarm(const struct tree *t, const struct link *l);

/* The hosts from the i-th on that stand under one head, as ports of one function do: the index behind the last. */
size_t tree_adapter_end(const struct report *r, size_t i);

struct tree_nodes {
    VEC(struct tree_node) list;
};

/* What hangs directly below the hosts from the first to before the end. Returns 0 or -ENOMEM. The list is to be freed. */
int tree_below_hosts(const struct tree *t, size_t first, size_t end, struct tree_nodes *ret);

/* ---- the words of a row of `n` links that are alike ---- each into a buffer that is returned */

/* "phy-0:4", "phy-0:4 … 7": what both names begin with is not said twice, up to where their last number begins. */
const char *tree_name(const struct tree_node *v, size_t n, bool utf8, char *buffer, size_t size);

/* What they lead to: the far end, and how many logical units where there are several. */
const char *tree_far(const struct tree *t, const struct tree_node *v, size_t n, bool utf8,
                     char *buffer, size_t size);

/* Nodes of the devices from the first to the last: "sda", "sda … sdx". */
const char *tree_devices(const struct tree *t, const struct tree_node *v, size_t n, bool utf8,
                         char *buffer, size_t size);

/* "expected Ultra320", "could do 6.0 Gb/s"; "" of what is neither below nor held down. */
const char *tree_lack(const struct link *l, char *buffer, size_t size);
