/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What timed reads prove of a link (meaning.h).
 */
#include "probe/meaning.h"

#include <errno.h>
#include <inttypes.h>

#include "base/names.h"
#include "base/text.h"
#include "expect/expect.h"
#include "probe/cell.h"

enum {
    SMALL_BLOCK = 32 * 1024, /* below it, commands take more of the time than their data */
    SHORT_US = 5000,         /* a timing below it is one of the scheduler */
    SAME_PERCENT = 5,        /* of a plateau: its two largest cells */
    AGREE_PERCENT = 10,      /* of two plateaus */
};

static const char *const KINDS[] = {
    [MEANING_LOWER_BOUND] = "lower bound",
    [MEANING_CONSISTENT] = "consistent",
    [MEANING_CONTRADICTING] = "contradicting",
    [MEANING_TOO_WEAK] = "too weak",
};
DEFINE_NAMES(enum meaning_kind, meaning, KINDS)

/* Is it nothing that a link could be judged by? In words why; NULL: it can. */
static const char *weakness(const struct measurement *x)
{
    if (x->error)
        return "it failed";
    if (x->disturbed)
        return x->disturbed;
    if (text_ends_with(x->method, "/block-buffered"))
        return "the page cache is faster than any link";
    if (x->random)
        return "at random places the medium is timed, not the link";
    if (x->together > 1)
        return "several devices were read at a time, and this is the share of one";
    return x->us < SHORT_US || !x->bytes ? "it was too short to be timed" : NULL;
}

/* A rate that is well below the payload. */
static const char *weakness_of_slow(const struct measurement *x, enum measure_what what)
{
    if (x->block_bytes < SMALL_BLOCK)
        return "blocks are so small that commands take the time, not their data";
    if (what == MEASURE_READ_BUFFER)
        return "READ BUFFER is slow on many devices for their firmware";
    return NULL;
}

int meaning_of(struct arena *a, const struct link *l, const struct measurement *x,
               unsigned clock_percent, struct meaning *ret)
{
    const struct measure_method *method = measure_method_named(x->method);
    uint64_t rate = cell_kb_per_s(x), payload = link_payload_kb_per_s(l);
    struct meaning m = { MEANING_TOO_WEAK, weakness(x) };

    if (!m.why && payload && rate * 100 < payload * MEANING_PROOF_PERCENT)
        m.why = weakness_of_slow(x, method ? method->what : MEASURE_READ_MEDIA);
    if (m.why) {
        *ret = m;
        return 0;
    }
    if (payload && expect_clock_contradicts(l, x->method, rate, clock_percent)) {
        m.kind = MEANING_CONTRADICTING;
        m.why = arena_printf(
            a, TENTHS " MB/s is more than the " TENTHS " MB/s that its mode can carry",
            TENTHS_OF(rate), TENTHS_OF(payload));
    } else if (payload && rate * 100 >= payload * MEANING_PROOF_PERCENT) {
        m.kind = MEANING_CONSISTENT;
        m.why = arena_printf(a, TENTHS " of the " TENTHS " MB/s of its mode", TENTHS_OF(rate),
                             TENTHS_OF(payload));
    } else {
        m.kind = MEANING_LOWER_BOUND;
        m.why = arena_printf(a, "the link carries at least " TENTHS " MB/s", TENTHS_OF(rate));
    }
    if (!m.why)
        return -ENOMEM;
    *ret = m;
    return 0;
}

static bool within(uint64_t a, uint64_t b, unsigned percent)
{
    uint64_t less = a < b ? a : b, more = a < b ? b : a;

    return more * (100 - percent) <= less * 100;
}

/* Are both of one row of a table: the same but for the block, or but for the depth? */
static bool is_row(const struct measurement *a, const struct measurement *b)
{
    return (a->block_bytes == b->block_bytes) != (a->depth == b->depth) && a->cold == b->cold &&
           text_same(a->method, b->method);
}

/* Is there a cell in the same row that asks for more at a time than `x`, other than `but`? */
static bool is_exceeded(const struct measurement *const *v, size_t n, const struct measurement *x,
                        const struct measurement *but)
{
    for (size_t i = 0; i < n; i++)
        if ((v[i]->block_bytes > x->block_bytes || v[i]->depth > x->depth) &&
            v[i]->block_bytes >= x->block_bytes && v[i]->depth >= x->depth && v[i] != x &&
            v[i] != but && v[i]->cold == x->cold && text_same(v[i]->method, x->method) &&
            !weakness(v[i]))
            return true;
    return false;
}

/* The rate at which reads of that kind end, 0 where none is known. */
static uint64_t plateau(const struct measurement *const *v, size_t n, enum measure_what what)
{
    uint64_t best = 0;

    for (size_t i = 0; i < n; i++) {
        const struct measure_method *method = measure_method_named(v[i]->method);

        if (!method || method->what != what || weakness(v[i]) || cell_is_bound_by_cpu(v[i]) ||
            is_exceeded(v, n, v[i], v[i]))
            continue;
        for (size_t k = 0; k < n; k++) /* the next smaller one of a row */
            if (k != i && is_row(v[i], v[k]) && !weakness(v[k]) && cell_kb_per_s(v[i]) > best &&
                within(cell_kb_per_s(v[i]), cell_kb_per_s(v[k]), SAME_PERCENT) &&
                !is_exceeded(v, n, v[k], v[i]))
                best = cell_kb_per_s(v[i]);
    }
    return best;
}

/* No read of any kind was faster than the plateau by more than what two cells of it differ by. */
static bool is_topped(const struct measurement *const *v, size_t n, uint64_t rate)
{
    for (size_t i = 0; i < n; i++)
        if (!weakness(v[i]) && cell_kb_per_s(v[i]) > rate &&
            !within(cell_kb_per_s(v[i]), rate, AGREE_PERCENT))
            return true;
    return false;
}

int meaning_of_plateau(struct arena *a, const struct link *l, const struct measurement *const *v,
                       size_t n, const char **ret)
{
    uint64_t payload = link_payload_kb_per_s(l), rate;
    uint64_t buffer = plateau(v, n, MEASURE_READ_BUFFER),
             cached = plateau(v, n, MEASURE_READ_CACHED);

    rate = buffer > cached ? buffer : cached;
    *ret = NULL;
    if (!payload || !buffer || !cached || !within(buffer, cached, AGREE_PERCENT) ||
        rate * 100 >= payload * MEANING_PROOF_PERCENT || is_topped(v, n, rate))
        return 0;
    *ret = arena_printf(a,
                        "reads end at " TENTHS
                        " MB/s, from the device's buffer as from its cache, in blocks of any size: "
                        "the link seems to carry less than the " TENTHS " MB/s that it claims",
                        TENTHS_OF(rate), TENTHS_OF(payload));
    return *ret ? 0 : -ENOMEM;
}
