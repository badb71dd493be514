/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "diagnose/users.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "diagnose/holders.h"

enum { CHAIN_BYTES = 512, DEPTH_MAX = 16, USERS_MAX = 64 };

/* "md127 (raid1)", "vg-root (LVM)": a block device as people know it. */
static void name_block(const struct subject *b, char *ret, size_t size)
{
    static const struct {
        const char *before, *what;
    } UUIDS[] = { { "LVM-", " (LVM)" },
                  { "mpath-", " (multipath)" },
                  { "CRYPT-", " (crypt)" },
                  { "DMRAID-", " (dmraid)" } };
    const char *name = fact_text(b, &HOLDERS_DM_NAME), *uuid = fact_text(b, &HOLDERS_DM_UUID);
    const char *level = fact_text(b, &HOLDERS_MD_LEVEL), *what = "";

    for (size_t i = 0; uuid && i < ELEMENTS(UUIDS); i++)
        if (text_starts_with(uuid, UUIDS[i].before))
            what = UUIDS[i].what;
    if (level)
        snprintf(ret, size, "%s (%s)", b->name, level);
    else
        snprintf(ret, size, "%s%s", name ? name : b->name, what);
}

struct chain {
    const struct subject
        *on[DEPTH_MAX]; /* what it leads through: a map that holds itself ends it */
    const struct fact_set *facts;
    struct model *model;
    struct device *device;
    char text[CHAIN_BYTES];
};

static int add_user(struct chain *c, const char *where)
{
    const char *how = !where ? "" : strcmp(where, "swap") == 0 ? ", " : ", mounted on ";
    char *user = arena_printf(c->model->arena, "%s%s%s", c->text, how, where ? where : "");

    return user ? vec_push(&c->device->users, user) : -ENOMEM;
}

/* Adds what is mounted of a block device, then goes on with what is built on it. A chain that ends without
 * a mount is a user as well, but for the bare disk. */
static int follow(struct chain *c, const char *name, unsigned depth)
{
    const struct subject *b = fact_set_find(c->facts, "block", name);
    size_t len = strlen(c->text), before = c->device->users.n;
    char own[128];
    int r = 0;

    if (!b || depth >= DEPTH_MAX || c->device->users.n >= USERS_MAX)
        return 0;
    for (unsigned i = 0; i < depth; i++)
        if (c->on[i] == b)
            return 0;
    c->on[depth] = b;
    name_block(b, own, sizeof(own));
    snprintf(c->text + len, sizeof(c->text) - len, "%s%s", len ? " > " : "", own);
    for (uint32_t i = 0; r == 0 && i < b->n_facts; i++) {
        const struct fact *f = &b->facts[i];

        if (f->key == &HOLDERS_MOUNT)
            r = add_user(c, f->text);
        else if (f->key == &HOLDERS_PART || f->key == &HOLDERS_HOLDER)
            r = follow(c, f->text, depth + 1);
    }
    if (r == 0 && len && c->device->users.n == before)
        r = add_user(c, NULL);
    c->text[len] = '\0';
    return r;
}

int users_relate(const struct fact_set *facts, struct model *m)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < m->devices.n; i++) {
        struct chain c = { .facts = facts, .model = m, .device = m->devices.v[i] };
        const struct subject *s = c.device->subject;

        for (uint32_t k = 0; r == 0 && k < s->n_facts; k++)
            if (s->facts[k].key == &KEY_NODE && s->facts[k].quality == QUALITY_OK &&
                strcmp(s->facts[k].origin, "block") == 0)
                r = follow(&c, s->facts[k].text, 0);
    }
    return r;
}

static bool names(const struct finding *f, const char *id)
{
    for (size_t i = 0; i < f->subjects.n; i++)
        if (strcmp(f->subjects.v[i], id) == 0)
            return true;
    return false;
}

static bool is_among(struct finding *const *v, size_t n, const struct finding *f)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] == f)
            return true;
    return false;
}

/* Is the device hit by it through a link nearer to the device than that one? */
static bool is_hit_below(const struct device *d, const struct link *above, const struct finding *f)
{
    for (const struct link *l = d->link; l && l != above; l = l->up)
        if (is_among(l->findings.v, l->findings.n, f))
            return true;
    return false;
}

static int hit(struct finding *f, const struct device *d)
{
    int r = 0;

    if (f->is_of_devices && !names(f, d->id))
        return 0;
    for (size_t i = 0; r == 0 && i < d->users.n && f->users.n < USERS_MAX; i++)
        r = vec_push(&f->users, d->users.v[i]);
    return r;
}

/* All findings that name the device's host, its link, or a hop above that. */
static int hit_by_all(const struct device *d)
{
    int r = 0;

    for (struct link *l = d->link; r == 0 && l; l = l->up)
        for (size_t i = 0; r == 0 && i < l->findings.n; i++)
            if (!is_hit_below(d, l, l->findings.v[i]))
                r = hit(l->findings.v[i], d);
    for (size_t i = 0; r == 0 && d->host && i < d->host->findings.n; i++)
        if (!is_hit_below(d, NULL, d->host->findings.v[i]))
            r = hit(d->host->findings.v[i], d);
    return r;
}

int users_hit(struct report *report)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < report->model->devices.n; i++)
        if (report->model->devices.v[i]->users.n)
            r = hit_by_all(report->model->devices.v[i]);
    return r;
}
