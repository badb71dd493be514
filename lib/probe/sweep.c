/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The judgement of tables (sweep.h). What is tried first wins: a medium that is slower than what lies before it, a link that
 * is full, the processor, finding places, the command rate, copying.
 */
#include "probe/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/names.h"
#include "probe/cell.h"

enum {
    LINK_PERCENT =
        85, /* of the payload: what is left for commands and arbitration on every transport */
    LINK_MOST = 105, /* of the payload: more contradicts the mode (DESIGN.md rule 9) */
    MEDIUM_PERCENT =
        80, /* of buffer or cache: read-ahead gives all of it where the medium is no limit */
    COMMANDS_PERCENT =
        85,            /* of the commands a second at half the block: time a command hardly grows */
    COPY_PERCENT = 90, /* of what is read without copying */
    COPY_COST_PERCENT = 150, /* processor time a MB, of that without copying */
    COPY_COST_PERMILLE = 50, /* but of less than so much of a processor nothing is said */
};

static const char *const LIMITS[] = {
    [SWEEP_UNKNOWN] = "unknown", [SWEEP_LINK] = "link",         [SWEEP_MEDIUM] = "medium",
    [SWEEP_CPU] = "cpu",         [SWEEP_COMMANDS] = "commands", [SWEEP_COPYING] = "copying",
};
DEFINE_NAMES(enum sweep_limit, sweep_limit, LIMITS)

/* ---- cells ---- */

static const struct measure_method *method_of(const struct measurement *m)
{
    return measure_method_named(m->method);
}

static bool reads_media(const struct measurement *m)
{
    const struct measure_method *x = method_of(m);

    return x && x->what == MEASURE_READ_MEDIA;
}

static bool uses_page_cache(const struct measurement *m)
{
    const struct measure_method *x = method_of(m);

    return x && x->way == WAY_BLOCK_BUFFERED;
}

static bool is_usable(const struct measurement *m)
{
    return measurement_counts(m) && cell_kb_per_s(m) && method_of(m);
}

/* Everything the same but the block. */
static bool is_same_series(const struct measurement *a, const struct measurement *b)
{
    return strcmp(a->method, b->method) == 0 && a->depth == b->depth && a->random == b->random &&
           a->cold == b->cold;
}

struct judging {
    const struct measurement *const *cells;
    size_t n;
    const struct sweep_path *path;
    struct arena *arena;
    struct sweep *ret;
};

static bool is_beyond(const struct judging *j, uint64_t kb_per_s)
{
    return j->path->kb_per_s && kb_per_s * 100 > j->path->kb_per_s * LINK_MOST;
}

/* The fastest of those that are wanted; NULL: none is. */
static const struct measurement *fastest(const struct judging *j,
                                         bool (*wanted)(const struct measurement *))
{
    const struct measurement *best = NULL;

    for (size_t i = 0; i < j->n; i++) {
        const struct measurement *m = j->cells[i];
        uint64_t rate = cell_kb_per_s(m);

        if (!is_usable(m) || (wanted && !wanted(m)) || (uses_page_cache(m) && is_beyond(j, rate)))
            continue;
        if (!best || rate > cell_kb_per_s(best))
            best = m;
    }
    return best;
}

static bool is_sequential_media(const struct measurement *m)
{
    return reads_media(m) && !m->random;
}

__attribute__((format(printf, 3, 4))) static int found(const struct judging *j,
                                                       enum sweep_limit limit, const char *format,
                                                       ...)
{
    va_list args;

    va_start(args, format);
    j->ret->limit = limit;
    j->ret->sentence = arena_vprintf(j->arena, format, args);
    va_end(args);
    return j->ret->sentence ? 1 : -ENOMEM;
}

/* ---- what limits ---- each returns 1 where it is that, 0 where not, or -ENOMEM */

static const char *hop_of(const struct judging *j)
{
    return j->path->hop ? j->path->hop : "the link";
}

/* The fastest of what comes out of the device's memory the same way, with the same block and depth. */
static const struct measurement *memory_like(const struct judging *j,
                                             const struct measurement *media)
{
    const struct measurement *best = NULL;

    for (size_t i = 0; i < j->n; i++) {
        const struct measurement *m = j->cells[i];

        if (is_usable(m) && !reads_media(m) && method_of(m)->way == method_of(media)->way &&
            m->block_bytes == media->block_bytes && m->depth == media->depth &&
            (!best || cell_kb_per_s(m) > cell_kb_per_s(best)))
            best = m;
    }
    return best;
}

static int try_medium(const struct judging *j)
{
    const struct measurement *media = fastest(j, is_sequential_media),
                             *memory = media ? memory_like(j, media) : NULL;

    if (memory && cell_kb_per_s(media) * 100 < cell_kb_per_s(memory) * MEDIUM_PERCENT)
        return found(
            j, SWEEP_MEDIUM,
            "The medium limits: it gives " TENTHS " MB/s, the device's memory " TENTHS " MB/s (%s)",
            TENTHS_OF(cell_kb_per_s(media)), TENTHS_OF(cell_kb_per_s(memory)), memory->method);
    return 0;
}

static int try_link(const struct judging *j)
{
    uint64_t rate = cell_kb_per_s(j->ret->best), payload = j->path->kb_per_s;

    if (!payload || rate * 100 < payload * LINK_PERCENT)
        return 0;
    if (is_beyond(j, rate))
        return found(j, SWEEP_UNKNOWN,
                     TENTHS " MB/s are more than the " TENTHS
                            " MB/s that %s is said to carry: its mode is "
                            "another one, or the data came from elsewhere",
                     TENTHS_OF(rate), TENTHS_OF(payload), hop_of(j));
    return found(j, SWEEP_LINK,
                 "The link limits: " TENTHS " MB/s are %" PRIu64 " %% of the " TENTHS
                 " MB/s that %s carries",
                 TENTHS_OF(rate), cell_ratio(rate, 100, payload), TENTHS_OF(payload), hop_of(j));
}

static int try_cpu(const struct judging *j)
{
    const struct measurement *m = j->ret->best;
    uint64_t share = cell_cpu_permille(m) / (m->depth ? m->depth : 1);

    if (!cell_is_bound_by_cpu(m))
        return 0;
    return found(j, SWEEP_CPU,
                 "The processor limits: each thread keeps %" PRIu64 " %% of one busy, " TENTHS
                 " ms for a MB",
                 (share + 5) / 10, TENTHS_OF((cell_cpu_ns_per_mb(m) + 500) / 1000));
}

static int try_places(const struct judging *j)
{
    const struct measurement *best = j->ret->best;

    if (!best->random)
        return 0;
    return found(j, SWEEP_MEDIUM,
                 "Finding the place limits: " TENTHS " reads a second at random places, " TENTHS
                 " ms for one",
                 TENTHS_OF(cell_commands_per_1000s(best)), TENTHS_OF(cell_latency_us(best)));
}

/* Of the series of the best cell: the one with the largest block up to half of its own; NULL where the best is not the
 * largest block, or the only one. */
static const struct measurement *half_of(const struct judging *j)
{
    const struct measurement *best = j->ret->best, *half = NULL;

    for (size_t i = 0; i < j->n; i++) {
        const struct measurement *m = j->cells[i];

        if (!is_usable(m) || !is_same_series(m, best))
            continue;
        if (m->block_bytes > best->block_bytes)
            return NULL;
        if (m->block_bytes <= best->block_bytes / 2 &&
            (!half || m->block_bytes > half->block_bytes))
            half = m;
    }
    return half;
}

static int try_commands(const struct judging *j)
{
    const struct measurement *best = j->ret->best, *half = half_of(j);
    uint64_t now = cell_commands_per_1000s(best), before = half ? cell_commands_per_1000s(half) : 0;

    if (!half || now * 100 < before * COMMANDS_PERCENT)
        return 0;
    return found(j, SWEEP_COMMANDS,
                 "The command rate limits: " TENTHS " commands/s with blocks of %" PRIu64
                 " bytes, " TENTHS " with %" PRIu64 "; larger blocks give more",
                 TENTHS_OF(now), best->block_bytes, TENTHS_OF(before), half->block_bytes);
}

/* Nothing was found: does a larger block still help? */
static int say_unknown(const struct judging *j)
{
    const struct measurement *best = j->ret->best, *half = half_of(j);
    bool levels = half && cell_kb_per_s(best) * 100 < cell_kb_per_s(half) * LINK_MOST;
    const struct measurement *media = fastest(j, is_sequential_media);
    bool both = media && memory_like(j, media);

    if (!j->path->kb_per_s)
        return found(j, SWEEP_UNKNOWN,
                     "What limits is not seen: what the link carries is not known");
    return found(j, SWEEP_UNKNOWN,
                 "What limits is not seen: " TENTHS " of the " TENTHS " MB/s that %s carries%s%s",
                 TENTHS_OF(cell_kb_per_s(best)), TENTHS_OF(j->path->kb_per_s), hop_of(j),
                 levels ? ", and larger blocks give no more" : "",
                 both ? ""
                      : "; reads of the buffer and of the medium, side by side, would tell more");
}

/* ---- copying ---- */

/* Were the data handed over without a copy? */
static bool goes_direct(const struct measurement *m)
{
    switch (method_of(m)->way) {
    case WAY_SG_MMAP:
    case WAY_BLOCK_DIRECT:
        return true;
    case WAY_SG_DIRECT:
        return m->direct * 2 > m->commands;
    case WAY_SG:
    case WAY_BSG:
    case WAY_BLOCK_BUFFERED:
    case _MEASURE_WAY_MAX:
        break;
    }
    return false;
}

static bool copies(const struct measurement *m)
{
    return method_of(m)->way == WAY_SG || uses_page_cache(m);
}

/* Is it the same cell by a way without copies: through the same node? */
static bool is_counterpart(const struct measurement *copied, const struct measurement *direct)
{
    const struct measure_method *a, *b;

    if (copied->block_bytes != direct->block_bytes || copied->depth != direct->depth ||
        copied->random != direct->random || copied->cold != direct->cold || !is_usable(direct) ||
        !goes_direct(direct))
        return false;
    a = method_of(copied);
    b = method_of(direct);
    return a->what == b->what && (a->way == WAY_BLOCK_BUFFERED) == (b->way == WAY_BLOCK_DIRECT);
}

static bool is_slower(const struct measurement *copied, const struct measurement *direct)
{
    return cell_kb_per_s(copied) * 100 < cell_kb_per_s(direct) * COPY_PERCENT;
}

static bool is_costlier(const struct measurement *copied, const struct measurement *direct)
{
    return cell_cpu_permille(copied) >= COPY_COST_PERMILLE &&
           cell_cpu_ns_per_mb(copied) * 100 >= cell_cpu_ns_per_mb(direct) * COPY_COST_PERCENT;
}

/* The pair of the largest block that shows what copying costs, the fastest way without it. */
static bool find_copying(const struct judging *j, const struct measurement **ret_copied,
                         const struct measurement **ret_direct)
{
    const struct measurement *a = NULL, *b = NULL;

    for (size_t i = 0; i < j->n; i++) {
        const struct measurement *x = j->cells[i];

        for (size_t k = is_usable(x) && copies(x) ? 0 : j->n; k < j->n; k++) {
            const struct measurement *y = j->cells[k];

            if (!is_counterpart(x, y) || !(is_slower(x, y) || is_costlier(x, y)))
                continue;
            if (a && (x->block_bytes < a->block_bytes ||
                      (x->block_bytes == a->block_bytes && cell_kb_per_s(y) <= cell_kb_per_s(b))))
                continue;
            a = x;
            b = y;
        }
    }
    *ret_copied = a;
    *ret_direct = b;
    return a != NULL;
}

static int judge_copying(const struct judging *j)
{
    const struct measurement *copied, *direct;

    if (!find_copying(j, &copied, &direct))
        return 0;
    j->ret->copying = arena_printf(
        j->arena,
        "Copying costs: %s gives " TENTHS " MB/s for " TENTHS
        " ms of processor time a MB, %s " TENTHS " MB/s for " TENTHS " ms",
        copied->method, TENTHS_OF(cell_kb_per_s(copied)),
        TENTHS_OF((cell_cpu_ns_per_mb(copied) + 500) / 1000), direct->method,
        TENTHS_OF(cell_kb_per_s(direct)), TENTHS_OF((cell_cpu_ns_per_mb(direct) + 500) / 1000));
    if (!j->ret->copying)
        return -ENOMEM;
    return is_slower(copied, direct);
}

int sweep_judge(const struct measurement *const *cells, size_t n, const struct sweep_path *path,
                struct arena *arena, struct sweep *ret)
{
    static int (*const TRY[])(const struct judging *) = { try_medium, try_link, try_cpu, try_places,
                                                          try_commands };
    struct judging j = { cells, n, path, arena, ret };
    int r = 0, copying;

    *ret = (struct sweep){ 0 };
    ret->best = fastest(&j, NULL);
    if (!ret->best)
        return found(&j, SWEEP_UNKNOWN, "Nothing was measured that counts") < 0 ? -ENOMEM : 0;
    copying = judge_copying(&j);
    if (copying < 0)
        return copying;
    for (size_t i = 0; r == 0 && i < ELEMENTS(TRY); i++)
        r = TRY[i](&j);
    if (r == 0 && copying)
        r = found(&j, SWEEP_COPYING, "Copying limits where the data are copied");
    if (r == 0)
        r = say_unknown(&j);
    return r < 0 ? r : 0;
}
