/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices that are measured together (together.h).
 */
#include "probe/together.h"

#include <errno.h>
#include <stdio.h>

#include "base/names.h"
#include "probe/cell.h"

enum {
    LINK_PERCENT = 85,
    LINK_MOST = 105,    /* of the payload, as for one device: sweep.c */
    ALONE_PERCENT = 95, /* of what devices give alone: noise of short measurements */
    IDLE_PERMILLE = 50,
};

static const char *const LIMITS[] = {
    [TOGETHER_UNKNOWN] = "unknown",
    [TOGETHER_NOTHING] = "nothing",
    [TOGETHER_HOP] = "hop",
    [TOGETHER_CPU] = "cpu",
};
DEFINE_NAMES(enum together_limit, together_limit, LIMITS)

/* ---- what they share ---- */

static void take_narrower(struct shared_hop *hop, const char *name, bool is_bus, uint64_t kb_per_s)
{
    if (kb_per_s && (!hop->name || kb_per_s < hop->kb_per_s))
        *hop = (struct shared_hop){ name, is_bus, kb_per_s };
}

struct shared_hop sweep_shared_hop(const struct model *m, struct device *const *devices, size_t n)
{
    struct shared_hop hop = { 0 };
    bool on_one_bus = n && devices[0]->host && devices[0]->host->is_bus;

    for (size_t i = 1; i < n; i++)
        on_one_bus &= devices[i]->host == devices[0]->host;
    for (const struct link *l = n ? devices[0]->link : NULL; l; l = l->up) {
        bool shared = true;

        for (size_t i = 1; i < n; i++)
            shared &= device_is_behind(devices[i], l);
        if (on_one_bus && l == devices[0]->host->slot) {
            take_narrower(&hop, devices[0]->host->kernel_name, true,
                          model_bus_kb_per_s(m, devices[0]->host));
            on_one_bus = false;
        }
        if (shared)
            take_narrower(&hop, l->kernel_name, false, link_payload_kb_per_s(l));
    }
    if (on_one_bus) /* no slot is seen */
        take_narrower(&hop, devices[0]->host->kernel_name, true,
                      model_bus_kb_per_s(m, devices[0]->host));
    return hop;
}

/* ---- what they give ---- */

struct judging {
    const struct shared_hop *hop;
    uint64_t least_idle; /* permille; 0: not known */
    struct arena *arena;
    struct together *ret;
};

static void add_up(const struct measurement *const *cells, const struct measurement *const *alone,
                   size_t n, struct judging *j)
{
    bool all_alone = true;

    for (size_t i = 0; i < n; i++) {
        uint64_t rate = cell_kb_per_s(cells[i]), idle = cells[i]->idle_permille;

        if (!measurement_counts(cells[i]) || !rate)
            continue;
        j->ret->n++;
        j->ret->kb_per_s += rate;
        if (alone[i] && measurement_counts(alone[i]))
            j->ret->alone_kb_per_s += cell_kb_per_s(alone[i]);
        else
            all_alone = false;
        if (idle && (!j->least_idle || idle < j->least_idle))
            j->least_idle = idle;
    }
    if (!all_alone)
        j->ret->alone_kb_per_s = 0;
}

/* "the bus of host0", "port-0:0" */
static const char *kind_of(const struct judging *j)
{
    return j->hop->is_bus ? "the bus of " : "";
}

enum { CLAUSE = 400 }; /* bytes of a part of a sentence: a name of the kernel's and numbers */

/* What they could deliver; "" where that is not known. */
static const char *could(const struct judging *j, char *buffer)
{
    if (!j->ret->alone_kb_per_s)
        return "";
    snprintf(buffer, CLAUSE, "; %zu devices could deliver " TENTHS, j->ret->n,
             TENTHS_OF(j->ret->alone_kb_per_s));
    return buffer;
}

static const char *carried(const struct judging *j, char *buffer)
{
    if (!j->hop->name)
        return "";
    snprintf(buffer, CLAUSE, ", of " TENTHS " MB/s that %s%s can carry",
             TENTHS_OF(j->hop->kb_per_s), kind_of(j), j->hop->name);
    return buffer;
}

/* More than the hop can carry by what is known of it: then nothing that is said of it can be right. */
static bool is_beyond(const struct judging *j)
{
    return j->hop->name && j->ret->kb_per_s * 100 > j->hop->kb_per_s * LINK_MOST;
}

static const char *say(const struct judging *j)
{
    const struct together *t = j->ret;
    char a[CLAUSE], b[CLAUSE];

    switch (t->limit) {
    case TOGETHER_HOP:
        return arena_printf(j->arena, "%s%s carries " TENTHS " of " TENTHS " MB/s%s", kind_of(j),
                            j->hop->name, TENTHS_OF(t->kb_per_s), TENTHS_OF(j->hop->kb_per_s),
                            could(j, a));
    case TOGETHER_NOTHING:
        return arena_printf(j->arena,
                            "nothing that they share limits them: " TENTHS
                            " MB/s together, each alone " TENTHS " in all%s",
                            TENTHS_OF(t->kb_per_s), TENTHS_OF(t->alone_kb_per_s), carried(j, a));
    case TOGETHER_CPU:
        return arena_printf(j->arena,
                            "the processors limit: they are idle for " TENTHS
                            " %% of the time at " TENTHS " MB/s%s",
                            TENTHS_OF(j->least_idle * 100), TENTHS_OF(t->kb_per_s), could(j, a));
    case TOGETHER_UNKNOWN:
    case _TOGETHER_LIMIT_MAX:
        break;
    }
    if (is_beyond(j))
        return arena_printf(j->arena,
                            TENTHS " MB/s are more than the " TENTHS
                                   " MB/s that %s%s is said to carry: its mode is another one, or "
                                   "the data came from elsewhere",
                            TENTHS_OF(t->kb_per_s), TENTHS_OF(j->hop->kb_per_s), kind_of(j),
                            j->hop->name);
    return arena_printf(j->arena, "what limits them together is not seen: " TENTHS " MB/s%s%s",
                        TENTHS_OF(t->kb_per_s), carried(j, a), could(j, b));
}

static enum together_limit limit_of(const struct judging *j)
{
    const struct together *t = j->ret;
    uint64_t payload = j->hop->name ? j->hop->kb_per_s : 0;

    if (is_beyond(j))
        return TOGETHER_UNKNOWN;
    if (payload && t->kb_per_s * 100 >= payload * LINK_PERCENT)
        return TOGETHER_HOP;
    if (t->alone_kb_per_s && t->kb_per_s * 100 >= t->alone_kb_per_s * ALONE_PERCENT)
        return TOGETHER_NOTHING;
    return j->least_idle && j->least_idle < IDLE_PERMILLE ? TOGETHER_CPU : TOGETHER_UNKNOWN;
}

int sweep_together(const struct measurement *const *cells, const struct measurement *const *alone,
                   size_t n, const struct shared_hop *hop, struct arena *arena,
                   struct together *ret)
{
    struct judging j = { .hop = hop, .arena = arena, .ret = ret };

    *ret = (struct together){ 0 };
    add_up(cells, alone, n, &j);
    if (ret->n < 2) {
        ret->sentence = "not two of them were measured together";
        return 0;
    }
    ret->limit = limit_of(&j);
    ret->sentence = say(&j);
    return ret->sentence ? 0 : -ENOMEM;
}
