/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "diagnose/wishes.h"

#include <errno.h>

#include "base/text.h"

/* "/etc/hbad/hbad.conf:12"; NULL where nothing was said. */
static int text_of_place(struct arena *arena, const struct config_place *place, const char **ret)
{
    *ret = place->file ? arena_printf(arena, "%s:%u", place->file, place->line) : NULL;
    return place->file && !*ret ? -ENOMEM : 0;
}

/* The mode that was said; not known where none was, or one that is not a link's like this. */
static int mode_of(struct report *report, const struct link *l, const struct config_mode *said,
                   const struct config_place *place, struct mode *ret)
{
    struct arena *arena = report->model->arena;
    struct rate rate = { .lanes = 1, .lane_kb_per_s = said->kb_per_s };
    const char *note;
    int r;

    if (!said->label && !said->kb_per_s)
        return 0;
    if (!said->label) {
        *ret = (struct mode){ .known = true, .rate = rate };
        return 0;
    }
    r = l->describe ? rate_of_label(l->describe, said->label, &rate) : -ENOENT;
    if (r == 0)
        return l->describe(arena, rate, ret);
    if (r != -ENOENT)
        return r;
    note = arena_printf(arena, "%s:%u: no mode of a link like %s is called %s", place->file,
                        place->line, l->kernel_name, said->label);
    return note ? vec_push(&report->notes, note) : -ENOMEM;
}

/* What was said of an end stands for all that the end, and what is known of it, says. */
static int take_ability(struct report *report, struct link *l, enum who who,
                        const struct config_mode *said, const struct config_place *place)
{
    uint32_t lanes = l->actual.known ? l->actual.rate.lanes : 0;
    struct mode mode = { 0 };
    const char *from = NULL;
    size_t n = 0;
    int r = mode_of(report, l, said, place, &mode);

    if (r < 0 || !mode.known)
        return r;
    if (!said->label && lanes) /* of all lanes that it has */
        mode.rate = (struct rate){ .lanes = lanes, .lane_kb_per_s = said->kb_per_s / lanes };
    else if (l->lanes_vary && lanes > mode.rate.lanes) /* of a lane, and it has so many */
        mode.rate.lanes = lanes;
    if (l->describe)
        r = l->describe(report->model->arena, mode.rate, &mode);
    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who != who)
            l->able.v[n++] = l->able.v[i];
    l->able.n = n;
    if (r == 0)
        r = text_of_place(report->model->arena, place, &from);
    return r < 0 ? r : link_add_able(l, who, from, mode, false);
}

static int take(struct report *report, struct link *l, const struct config_link *rule)
{
    const struct config_place *expect = config_link_place(rule, CONFIG_LINK_EXPECT);
    struct arena *arena = report->model->arena;
    int r;

    r = text_of_place(arena, expect, &l->wish.expect_from);
    if (r == 0 && rule->ignore == CONFIG_YES)
        r = text_of_place(arena, config_link_place(rule, CONFIG_LINK_IGNORE), &l->wish.ignore_from);
    if (r == 0 && rule->reason) {
        l->wish.reason = arena_strdup(arena, rule->reason);
        r = l->wish.reason ? 0 : -ENOMEM;
    }
    if (r == 0)
        r = mode_of(report, l, &rule->expect, expect, &l->wish.expect);
    if (r == 0)
        r = take_ability(report, l, WHO_INITIATOR, &rule->near_best,
                         config_link_place(rule, CONFIG_LINK_NEAR_BEST));
    return r < 0 ? r
                 : take_ability(report, l, WHO_TARGET, &rule->far_best,
                                config_link_place(rule, CONFIG_LINK_FAR_BEST));
}

/* By which a link can be called: its own names, its host's, the device's. */
enum { NAMES_MAX = 13 };

static void name_link(const struct link *l, const struct device *d, const char *ret[NAMES_MAX])
{
    const struct host *h = l->host && l != l->host->slot ? l->host : NULL;
    const char *const names[NAMES_MAX] = {
        l->id,
        l->kernel_name,
        l->near,
        l->far,
        l->far_id,
        h ? h->id : NULL,
        h ? h->kernel_name : NULL,
        h ? h->pci_address : NULL,
        h ? h->pci_id : NULL,
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
