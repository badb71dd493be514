/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One finding: what, about which objects, and why we say so.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "finding/catalog.h"

struct evidence {
    const char *what, *value;
    const char *from; /* "spi_transport/target0:0:2", "MODE SENSE 19h/04h" */
};

struct texts {
    const char **v;
    size_t n, cap;
};

struct acknowledgement; /* life.h */

struct finding {
    struct arena *arena; /* where its texts are: the model's */
    const struct catalog_entry *entry;
    enum severity severity;
    const char *summary;   /* one sentence with names and values */
    struct texts subjects; /* ids; the highest thing that explains all first */
    struct texts names;    /* what people call them today */
    VEC(struct evidence) evidence;
    struct texts users; /* what rides on its subjects, as struct device has it */
    bool is_of_devices; /* it is about devices, not about all that their links lead to */
    uint64_t since_us;  /* since when it is known to hold */
    const struct acknowledgement *known; /* somebody has said that he knows; NULL: nobody */
};

/* Frees what the finding owns besides its arena. */
void finding_done(struct finding *f);
