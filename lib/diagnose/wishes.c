/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "diagnose/wishes.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "facts/key.h"
#include "probe/plan.h"

/* The names that something goes by; some may be NULL. */
struct names {
    VEC(const char *) v;
};

/* What a line says of modes, and what came of it. */
struct said {
    struct config_place place;
    const char *label;          /* NULL: a number */
    bool is_taken;              /* a mode of some link is called so */
    const struct link *unnamed; /* the first link without such a mode */
    rate_describe unnamed_by;   /* whose names were looked through last, in vain */
    const char *refuted;        /* why it is not used, by the first link that runs faster */
    size_t n_refuted;
};

/* One look at all links. */
struct taking {
    struct report *report;
    const struct config *config;
    struct names *names; /* of the links, by their index */
    VEC(struct said) said;
};

static int add_note(struct taking *t, const char *note)
{
    return note ? vec_push(&t->report->notes, note) : -ENOMEM;
}

/* "/etc/hbad/hbad.conf:12"; NULL where nothing was said. */
static int text_of_place(struct arena *arena, const struct config_place *place, const char **ret)
{
    *ret = place->file ? arena_printf(arena, "%s:%u", place->file, place->line) : NULL;
    return place->file && !*ret ? -ENOMEM : 0;
}

/* ---- modes ---- */

/* What is known of that line, whose section may be about many links; NULL without memory. */
static struct said *said_at(struct taking *t, const struct config_place *place,
                            const struct config_mode *mode)
{
    for (size_t i = 0; i < t->said.n; i++)
        if (t->said.v[i].place.file == place->file && t->said.v[i].place.line == place->line)
            return &t->said.v[i];
    return vec_push(&t->said, (struct said){ .place = *place, .label = mode->label }) == 0
               ? &t->said.v[t->said.n - 1]
               : NULL;
}

/* The mode that was said; not known where it is not a link's like this. */
static int mode_of(struct taking *t, const struct link *l, const struct config_mode *mode,
                   struct said *said, struct mode *ret)
{
    struct rate rate = { .lanes = 1, .lane_kb_per_s = mode->kb_per_s };
    int r = -ENOENT;

    if (!mode->label) {
        *ret = (struct mode){ .known = true, .rate = rate };
        return 0;
    }
    if (l->describe && l->describe != said->unnamed_by)
        r = rate_of_label(l->describe, mode->label, l->actual.known ? l->actual.rate.lanes : 0,
                          &rate);
    if (r == -ENOENT) {
        said->unnamed = said->unnamed ? said->unnamed : l;
        said->unnamed_by = l->describe;
        return 0;
    }
    said->is_taken = true;
    return r < 0 ? r : l->describe(t->report->model->arena, rate, ret);
}

static int take_expectation(struct taking *t, struct link *l, const struct config_link *rule)
{
    const struct config_place *place = config_link_place(rule, CONFIG_LINK_EXPECT);
    struct said *said;
    int r;

    if (!(rule->given & CONFIG_LINK_EXPECT))
        return 0;
    said = said_at(t, place, &rule->expect);
    r = said ? mode_of(t, l, &rule->expect, said, &l->wish.expect) : -ENOMEM;
    return r < 0 ? r : text_of_place(t->report->model->arena, place, &l->wish.expect_from);
}

/* Does the link run faster than that, by more than the 1 % within which rates are the same (link/rate.h)? */
static bool is_faster(const struct link *l, const struct mode *mode)
{
    return l->state == LINK_UP && l->actual.known &&
           rate_kb_per_s(l->actual.rate) * 99 > rate_kb_per_s(mode->rate) * 100;
}

/* A mode for people, with what runs at it. */
static const char *runs_at(struct arena *arena, const struct link *l)
{
    return l->actual.label ? arena_printf(arena, "%s runs at %s", l->kernel_name, l->actual.label)
                           : arena_printf(arena, "%s runs at %" PRIu64 " MB/s", l->kernel_name,
                                          rate_kb_per_s(l->actual.rate) / 1000);
}

/* What runs faster than its best is proof that the best is another. */
static int refute(struct taking *t, const struct link *l, struct said *said)
{
    if (!said->n_refuted++)
        said->refuted = runs_at(t->report->model->arena, l);
    return said->refuted ? 0 : -ENOMEM;
}

/* How many lanes the link has, or should have by that end's own word. */
static uint32_t lanes_of(const struct link *l, enum who who)
{
    uint32_t lanes = l->actual.known ? l->actual.rate.lanes : 0;

    for (size_t i = 0; l->lanes_vary && i < l->able.n; i++)
        if (l->able.v[i].who == who && l->able.v[i].mode.rate.lanes > lanes)
            lanes = l->able.v[i].mode.rate.lanes;
    return lanes;
}

/* What was said of an end stands for all that the end, and what is known of it, says. */
static int take_ability(struct taking *t, struct link *l, enum who who,
                        const struct config_mode *best, const struct config_place *place)
{
    uint32_t lanes = lanes_of(l, who);
    struct said *said = said_at(t, place, best);
    struct mode mode = { 0 };
    const char *from = NULL;
    size_t n = 0;
    int r = said ? mode_of(t, l, best, said, &mode) : -ENOMEM;

    if (r < 0 || !mode.known)
        return r;
    if (!best->label && lanes) /* of all lanes that it has */
        mode.rate = (struct rate){ .lanes = lanes, .lane_kb_per_s = best->kb_per_s / lanes };
    else if (l->lanes_vary && lanes > mode.rate.lanes) /* of a lane, and it has so many */
        mode.rate.lanes = lanes;
    if (is_faster(l, &mode))
        return refute(t, l, said);
    if (l->describe)
        r = l->describe(t->report->model->arena, mode.rate, &mode);
    for (size_t i = 0; i < l->able.n; i++)
        if (l->able.v[i].who != who)
            l->able.v[n++] = l->able.v[i];
    l->able.n = n;
    if (r == 0)
        r = text_of_place(t->report->model->arena, place, &from);
    return r < 0 ? r : link_add_able(l, who, from, mode, false);
}

/* What could not be used of that line. */
static int note_said(struct taking *t, const struct said *said)
{
    struct arena *arena = t->report->model->arena;
    int r = 0;

    if (said->unnamed && !said->is_taken)
        r = add_note(t, arena_printf(arena, "%s:%u: no mode of a link like %s is called %s",
                                     said->place.file, said->place.line, said->unnamed->kernel_name,
                                     said->label));
    if (r == 0 && said->n_refuted == 1)
        r = add_note(t, arena_printf(arena, "%s:%u: not used: %s, which is more", said->place.file,
                                     said->place.line, said->refuted));
    else if (r == 0 && said->n_refuted)
        r = add_note(t, arena_printf(arena, "%s:%u: not used for %zu links: %s, which is more",
                                     said->place.file, said->place.line, said->n_refuted,
                                     said->refuted));
    return r;
}

/* ---- what is said of a link ---- */

static int take_rule(struct taking *t, struct link *l, const struct config_link *rule)
{
    struct arena *arena = t->report->model->arena;
    int r = 0;

    if (rule->ignore == CONFIG_YES)
        r = text_of_place(arena, config_link_place(rule, CONFIG_LINK_IGNORE), &l->wish.ignore_from);
    if (r == 0 && rule->reason) {
        l->wish.reason = arena_strdup(arena, rule->reason);
        r = l->wish.reason ? 0 : -ENOMEM;
    }
    if (r == 0)
        r = take_expectation(t, l, rule);
    if (r == 0 && rule->given & CONFIG_LINK_NEAR_BEST)
        r = take_ability(t, l, WHO_INITIATOR, &rule->near_best,
                         config_link_place(rule, CONFIG_LINK_NEAR_BEST));
    if (r == 0 && rule->given & CONFIG_LINK_FAR_BEST)
        r = take_ability(t, l, WHO_TARGET, &rule->far_best,
                         config_link_place(rule, CONFIG_LINK_FAR_BEST));
    return r;
}

/* ---- names ---- */

static int add_names(struct names *names, const char *const *v, size_t n)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++)
        r = v[i] ? vec_push(&names->v, v[i]) : 0;
    return r;
}

/* The link's own names and its host's. */
static int name_link(struct taking *t, const struct link *l)
{
    const struct host *h = l->host && l != l->host->slot ? l->host : NULL;
    const char *const v[] = {
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
    };

    return add_names(&t->names[l->index], v, ELEMENTS(v));
}

/* A link goes by the names of each device on it. */
static int name_device(struct taking *t, const struct device *d)
{
    const char *const v[] = { d->id, d->hctl, d->wwid, d->serial, d->model };
    struct names *names = &t->names[d->link->index];
    int r = add_names(names, v, ELEMENTS(v));

    for (uint32_t i = 0; r == 0 && i < d->subject->n_facts; i++) {
        const struct fact *f = &d->subject->facts[i];
        const char *file;

        if (f->key != &KEY_NODE || f->quality != QUALITY_OK)
            continue;
        file = arena_printf(t->report->model->arena, "/dev/%s", f->text);
        r = file ? vec_push(&names->v, f->text) : -ENOMEM;
        if (r == 0)
            r = vec_push(&names->v, file);
    }
    return r;
}

static int name_all(struct taking *t)
{
    const struct model *m = t->report->model;
    int r = 0;

    t->names = arena_new_array(m->arena, struct names, m->links.n);
    if (!t->names)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < m->links.n; i++)
        r = name_link(t, m->links.v[i]);
    for (size_t i = 0; r == 0 && i < m->devices.n; i++)
        r = m->devices.v[i]->link ? name_device(t, m->devices.v[i]) : 0;
    return r;
}

static void taking_done(struct taking *t)
{
    for (size_t i = 0; t->names && i < t->report->model->links.n; i++)
        free(t->names[i].v.v);
    free(t->said.v);
}

/* ---- sections about nothing ---- */

enum { HOST_NAMES = 4 };

static void name_host(const struct host *h, const char *ret[HOST_NAMES])
{
    ret[0] = h->id;
    ret[1] = h->kernel_name;
    ret[2] = h->pci_address;
    ret[3] = h->model;
}

static bool is_about_a_host(const struct model *m, const char *glob)
{
    const char *names[HOST_NAMES];

    for (size_t i = 0; i < m->hosts.n; i++) {
        name_host(m->hosts.v[i], names);
        if (config_glob_matches(glob, names, HOST_NAMES))
            return true;
    }
    return false;
}

static bool is_about_a_link(const struct taking *t, const char *glob)
{
    for (size_t i = 0; i < t->report->model->links.n; i++)
        if (config_glob_matches(glob, t->names[i].v.v, t->names[i].v.n))
            return true;
    return false;
}

/* By any of the names that tiers go by? 1: it is, 0: it is not, or -ENOMEM. */
static int is_about_a_device(const struct model *m, const char *glob)
{
    const char *names[PLAN_NAMES];

    for (size_t i = 0; i < m->devices.n; i++) {
        int r = plan_names(m->arena, m->devices.v[i], names);

        if (r < 0)
            return r;
        if (config_glob_matches(glob, names, PLAN_NAMES))
            return 1;
    }
    return 0;
}

static int note_idle(struct taking *t, const struct config_place *place, const char *section,
                     const char *glob)
{
    return add_note(t, arena_printf(t->report->model->arena,
                                    "%s:%u: [%s \"%s\"] is about nothing here", place->file,
                                    place->line, section, glob));
}

/* What is meant to be left alone, and is not for a slip of the pen, is asked and read. */
static int note_idle_devices(struct taking *t)
{
    const struct config *c = t->config;
    int r = 0;

    for (size_t i = 0; r == 0 && i < c->devices.n; i++) {
        const struct config_device *d = &c->devices.v[i];

        if (!d->given)
            continue;
        r = is_about_a_device(t->report->model, d->glob);
        r = r == 0 ? note_idle(t, &d->place, "device", d->glob) : r < 0 ? r : 0;
    }
    return r;
}

/* A name with a slip of the pen in it is one that nothing goes by. A section whose day is over says nothing. */
static int note_idle_sections(struct taking *t)
{
    const struct config *c = t->config;
    int r = 0;

    for (size_t i = 0; r == 0 && i < c->hosts.n; i++) {
        const struct config_host *h = &c->hosts.v[i];

        if (h->given && !is_about_a_host(t->report->model, h->glob))
            r = note_idle(t, &h->place, "host", h->glob);
    }
    for (size_t i = 0; r == 0 && i < c->links.n; i++) {
        const struct config_link *l = &c->links.v[i];

        if (config_link_counts(l, t->report->wall_us) && !is_about_a_link(t, l->glob))
            r = note_idle(t, &l->place, "link", l->glob);
    }
    return r < 0 ? r : note_idle_devices(t);
}

int wishes_take_hosts(const struct config *config, struct model *m)
{
    for (size_t i = 0; i < m->hosts.n; i++) {
        struct host *h = m->hosts.v[i];
        const char *names[HOST_NAMES];
        struct config_place place;

        name_host(h, names);
        switch (config_host_physical(config, names, HOST_NAMES, &place)) {
        case CONFIG_UNSAID:
            break;
        case CONFIG_YES:
            h->physical = true;
            break;
        case CONFIG_NO:
            h->emulated = arena_printf(m->arena, "%s:%u says that there is no physical link",
                                       place.file, place.line);
            if (!h->emulated)
                return -ENOMEM;
            break;
        }
    }
    return 0;
}

int wishes_take(const struct config *config, struct report *report)
{
    struct taking t = { .report = report, .config = config };
    const struct model *m = report->model;
    int r = config->links.n ? name_all(&t) : 0;

    for (size_t i = 0; r == 0 && config->links.n && i < m->links.n; i++) {
        struct config_link rule = config_link_rule(config, t.names[i].v.v, t.names[i].v.n,
                                                   report->wall_us);

        if (rule.given)
            r = take_rule(&t, m->links.v[i], &rule);
    }
    for (size_t i = 0; r == 0 && i < t.said.n; i++)
        r = note_said(&t, &t.said.v[i]);
    if (r == 0)
        r = note_idle_sections(&t);
    taking_done(&t);
    return r;
}
