/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a timed read proves of the link that leads to the device.
 */
#pragma once

#include "link/model.h"
#include "source/measure.h"

enum meaning_kind {
    MEANING_LOWER_BOUND,   /* the link carries at least that much */
    MEANING_CONSISTENT,    /* so much that the mode it claims is taken for proven */
    MEANING_CONTRADICTING, /* more than that mode can carry: it is wrong */
    MEANING_TOO_WEAK,      /* it says nothing */
    _MEANING_MAX,
};

/* "lower bound", "consistent", "contradicting", "too weak"; NULL outside the enum. */
const char *meaning_to_string(enum meaning_kind k);

struct meaning {
    enum meaning_kind kind;
    const char *why; /* a sentence without its full stop */
};

/* From so many per cent of the payload on a read proves the mode: below that, overhead of commands alone does not
 * explain it, and something else may limit (facts of READ BUFFER and of caches: firmware, interleave, medium). */
enum { MEANING_PROOF_PERCENT = 60 };

/* What the read says of the link (NULL: none is seen). Above `clock_percent` of the payload by a way past the page cache it
 * contradicts (expect_clock_contradicts()). A READ BUFFER that is slow proves nothing, for firmware may be what is
 * slow. `why` is in the arena or constant. Returns 0 or -ENOMEM. */
int meaning_of(struct arena *a, const struct link *l, const struct measurement *x,
               unsigned clock_percent, struct meaning *ret);

/* Do reads of one device say together that its link carries less than its mode claims? Only where what comes from the
 * device's buffer and what comes from its cache each end at a rate that neither larger blocks nor more reads at a time
 * raise (the two largest differ by at most 5 %), both end at the same one (within 10 %), and that is below
 * MEANING_PROOF_PERCENT of the payload: then not the medium, nor commands, nor one part of the firmware limits.
 * `*ret` is the sentence, in the arena, or NULL. Never a verdict. Returns 0 or -ENOMEM. */
int meaning_of_plateau(struct arena *a, const struct link *l, const struct measurement *const *v,
                       size_t n, const char **ret);
