/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is asked of a bench, as arguments of hbad-collect.
 */
#pragma once

#include "ctl/ctl.h"

enum { BENCH_ARGUMENTS = 8 };

struct bench_arguments {
    char *v[BENCH_ARGUMENTS + 1]; /* NULL at the end */
    size_t n;
    uint64_t cell_us; /* how long one line of the table takes; a guess where only bytes are given */
};

/* Looks the words over and fills in what was not said; `random`: for reads at random places of the medium. Says what is wrong.
 * Returns 0, -EINVAL or -ENOMEM; the arguments are to be released in either case. */
int bench_arguments(const struct request *request, bool random, struct bench_arguments *ret);
void bench_arguments_done(struct bench_arguments *a);
