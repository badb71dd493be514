/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "diagnose/wishes.h"

#include <errno.h>

#include "base/text.h"

/* The mode that the rule wants; not known where it wants none, or one that is not. */
static int mode_of(struct report *report, const struct link *l, const struct config_link *rule,
                   struct mode *ret)
{
    struct arena *arena = report->model->arena;
    struct rate rate = { .lanes = 1, .lane_kb_per_s = rule->expect.kb_per_s };
    const char *note;
    int r;

    if (!rule->expect.label && !rule->expect.kb_per_s)
        return 0;
    if (!rule->expect.label) {
        *ret = (struct mode){ .known = true, .rate = rate };
        return 0;
    }
    r = l->describe ? rate_of_label(l->describe, rule->expect.label, &rate) : -ENOENT;
    if (r == 0)
        return l->describe(arena, rate, ret);
    if (r != -ENOENT)
        return r;
    note = arena_printf(arena, "%s:%u: no mode of a link like %s is called %s", rule->place.file,
                        rule->place.line, l->kernel_name, rule->expect.label);
    return note ? vec_push(&report->notes, note) : -ENOMEM;
}

static int take(struct report *report, struct link *l, const struct config_link *rule)
{
    struct arena *arena = report->model->arena;

    l->wish = (struct wish){
        .from = arena_printf(arena, "%s:%u", rule->place.file, rule->place.line),
        .ignore = rule->ignore == CONFIG_YES,
        .reason = rule->reason ? arena_strdup(arena, rule->reason) : NULL,
    };
    if (!l->wish.from || (rule->reason && !l->wish.reason))
        return -ENOMEM;
    return mode_of(report, l, rule, &l->wish.expect);
}

/* By which a link can be called: its own names, its host's, the device's. */
enum { NAMES_MAX = 12 };

static void name_link(const struct link *l, const struct device *d, const char *ret[NAMES_MAX])
{
    const struct host *h = l->host;
    const char *const names[NAMES_MAX] = {
        l->id,
        l->kernel_name,
        l->near,
        l->far,
        l->far_id,
        h ? h->id : NULL,
        h ? h->kernel_name : NULL,
        h ? h->pci_address : NULL,
        h ? h->model : NULL,
        d ? d->wwid : NULL,
        d ? d->serial : NULL,
        d ? d->model : NULL,
    };

    for (size_t i = 0; i < NAMES_MAX; i++)
        ret[i] = names[i];
}

/* The first device on a link; NULL where there is none. */
static const struct device *first_on(const struct model *m, const struct link *l)
{
    for (size_t i = 0; i < m->devices.n; i++)
        if (m->devices.v[i]->link == l)
            return m->devices.v[i];
    return NULL;
}

int wishes_take(const struct config *config, struct report *report)
{
    const struct model *m = report->model;
    int r = 0;

    for (size_t i = 0; r == 0 && config->links.n && i < m->links.n; i++) {
        struct link *l = m->links.v[i];
        const char *names[NAMES_MAX];
        struct config_link rule;

        name_link(l, first_on(m, l), names);
        rule = config_link_rule(config, names, NAMES_MAX, report->wall_us);
        if (rule.given)
            r = take(report, l, &rule);
    }
    return r;
}
