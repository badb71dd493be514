/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about what is gone (judge.h): links that were up, ports of targets while the link to them is up.
 *
 * Things that went at one time below one host, or that are ports of one target, share a finding. What hangs
 * below something lost is explained by that; a lane of a wide link that lives on is missing, not lost.
 */
#include "finding/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- link-lost ---- */

enum { DEVICES_NAMED = 8 }; /* of those that went with a link */

/* A link that was up, and is not now. */
struct loss {
    const char *id, *kernel_name, *label, *far, *far_id;
    const char *up_id, *bundle_id, *host_id, *wire;
    size_t last; /* the snapshot in which it was up last; SIZE_MAX: in none */
    bool judged_above;
    bool
        is_unseen; /* nothing is known of it now: not reported, nor what hung below it or is a lane of it */
    bool is_done;
    const struct finding *finding; /* that reports it; NULL: none does, or not yet */
};

struct losses {
    VEC(struct loss) v; /* sorted by id */
};

static int by_id(const void *a, const void *b)
{
    return strverscmp(((const struct loss *)a)->id, ((const struct loss *)b)->id);
}

static const struct loss *loss_with(const struct losses *all, const char *id)
{
    struct loss key = { .id = id };

    return id && all->v.n ? bsearch(&key, all->v.v, all->v.n, sizeof(key), by_id) : NULL;
}

static struct loss loss_of(const struct sample *s, size_t last)
{
    return (struct loss){ .id = s->id,
                          .kernel_name = s->kernel_name,
                          .label = s->label,
                          .far = s->far,
                          .far_id = s->far_id,
                          .up_id = s->up_id,
                          .bundle_id = s->bundle_id,
                          .host_id = s->host_id,
                          .wire = s->wire,
                          .last = last,
                          .judged_above = s->judged_above };
}

/* A link of the model that is down: by its past, or by its driver's own word. */
static struct loss loss_of_link(const struct judging *j, const struct link *l)
{
    for (size_t i = j->history->snapshots.n; i; i--) {
        const struct sample *s = snapshot_link(&j->history->snapshots.v[i - 1], l->id);

        if (s && s->state == LINK_UP)
            return loss_of(s, i - 1);
    }
    return (struct loss){ .id = l->id,
                          .kernel_name = l->kernel_name,
                          .far = l->far,
                          .up_id = l->up ? l->up->id : NULL,
                          .bundle_id = l->bundle ? l->bundle->id : NULL,
                          .host_id = l->host ? l->host->id : NULL,
                          .wire = l->far_is_network ? l->near : NULL,
                          .last = SIZE_MAX };
}

static bool was_seen_later(const struct judging *j, size_t snapshot, const char *id)
{
    for (size_t i = snapshot + 1; i < j->history->snapshots.n; i++)
        if (snapshot_link(&j->history->snapshots.v[i], id))
            return true;
    return false;
}

/* Does a lane of the wide link still lead to the same end, now as a link of its own? `*ret_is_replaced`: one
 * leads to another end now. */
static bool lives_on(const struct judging *j, const struct snapshot *s, const struct sample *wide,
                     bool *ret_is_replaced)
{
    *ret_is_replaced = false;
    for (size_t i = 0; i < s->n_links; i++) {
        const struct link *l = text_same_known(s->links[i]->bundle_id, wide->id)
                                   ? judge_link(j, s->links[i]->id)
                                   : NULL;

        if (!l || l->state != LINK_UP || l->judged_above)
            continue;
        if (!wide->far_id || text_same_known(l->far_id, wide->far_id))
            return true;
        *ret_is_replaced = true;
    }
    return false;
}

/* Did the link lead to something else, or nowhere, when the lost one was up last? */
static bool was_elsewhere(const struct judging *j, const struct loss *x, const char *id)
{
    const struct sample *then = snapshot_link(&j->history->snapshots.v[x->last], id);

    return !then || then->state != LINK_UP || !text_same_known(then->far_id, x->far_id);
}

/* Was what is at the far end moved: is it on another link now, or was since, where it was not then? */
static bool was_moved(const struct judging *j, const struct loss *x)
{
    if (!x->far_id || x->last == SIZE_MAX || x->wire)
        return false;
    for (size_t i = 0; i < j->model->links.n; i++) {
        const struct link *l = j->model->links.v[i];

        if (l->state == LINK_UP && text_same_known(l->far_id, x->far_id) &&
            was_elsewhere(j, x, l->id))
            return true;
    }
    for (size_t i = x->last + 1; i < j->history->snapshots.n; i++) {
        const struct snapshot *s = &j->history->snapshots.v[i];

        for (size_t k = 0; k < s->n_links; k++)
            if (s->links[k]->state == LINK_UP && text_same_known(s->links[k]->far_id, x->far_id) &&
                was_elsewhere(j, x, s->links[k]->id))
                return true;
    }
    return false;
}

/* Can this kernel just not show it? The adapter is there, and an older kernel shows no link between it and its
 * slot; or its driver hides its links now. */
static bool is_hidden(const struct judging *j, const struct sample *s)
{
    for (size_t i = 0; i < j->model->hosts.n; i++) {
        const struct host *h = j->model->hosts.v[i];

        if (text_same_known(h->id, s->host_id))
            return s->is_slot || h->reason;
    }
    return false;
}

static int to_text(const void *id, const void *element)
{
    return strcmp(id, *(const char *const *)element);
}

/* Is nothing known of it, rather than that it is gone? */
static bool is_unseen(const struct judging *j, const char *id)
{
    const struct model *m = j->model;

    return m->unseen.n && bsearch(id, m->unseen.v, m->unseen.n, sizeof(*m->unseen.v), to_text);
}

static int find_gone(struct judging *j, size_t snapshot, struct losses *ret)
{
    const struct snapshot *s = &j->history->snapshots.v[snapshot];
    int r = 0;

    for (size_t i = 0; r == 0 && i < s->n_links; i++) {
        const struct sample *x = s->links[i];
        struct loss loss = loss_of(x, snapshot);

        if (x->state != LINK_UP || x->may_go || judge_link(j, x->id) ||
            was_seen_later(j, snapshot, x->id) || lives_on(j, s, x, &loss.is_done) ||
            is_hidden(j, x))
            continue;
        /* Something else in its place: nothing to report of it, nor of what hung below it. */
        loss.is_unseen = is_unseen(j, x->id);
        loss.is_done |= loss.is_unseen;
        r = vec_push(&ret->v, loss);
    }
    return r;
}

static int find_lost(struct judging *j, struct losses *ret)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->links.n; i++)
        if (j->model->links.v[i]->state == LINK_DOWN && !j->model->links.v[i]->has_no_link)
            r = vec_push(&ret->v, loss_of_link(j, j->model->links.v[i]));
    for (size_t i = 0; r == 0 && i < j->history->snapshots.n; i++)
        r = find_gone(j, i, ret);
    if (ret->v.n)
        qsort(ret->v.v, ret->v.n, sizeof(*ret->v.v), by_id);
    return r;
}

/* Is it explained: by what it hung below, by the near end of its cable, by a wide link that lives on, or was it
 * moved? */
static bool is_explained(const struct judging *j, const struct losses *all, const struct loss *x)
{
    const struct loss *bundle = loss_with(all, x->bundle_id);

    return x->judged_above || loss_with(all, x->up_id) ||
           (x->bundle_id && (!bundle || bundle->is_unseen)) || was_moved(j, x);
}

/* When the lost one was up last; NULL where that is not known. */
static const char *last_up(struct judging *j, const struct loss *x)
{
    return x->last == SIZE_MAX ? NULL : judge_time(j, j->history->snapshots.v[x->last].wall_us);
}

static int add_loss(struct judging *j, struct finding *f, const struct loss *x)
{
    int r = judge_subject(f, x->id, x->kernel_name);

    return r < 0 ? r
                 : judge_evidence(f, x->kernel_name,
                                  x->label ? arena_printf(j->arena, "was up at %s", x->label)
                                  : x->last == SIZE_MAX ? "down"
                                                        : "was up",
                                  x->far);
}

/* What is down is there and leads nowhere; what is gone is not there any more. */
static int say_lost(struct judging *j, struct finding *f, const struct loss *x, size_t down)
{
    const char *when = last_up(j, x), *far = x->far ? x->far : "", *what;
    size_t gone = f->subjects.n - down;
    int r = judge_evidence(f, "last seen up", when, "an earlier look");

    if (r < 0)
        return r;
    if (f->subjects.n == 1)
        return judge_say(j, f, "%s%s%s%s is %s%s%s%s%s", x->kernel_name, *far ? ", to " : "", far,
                         *far ? "," : "", down ? "down" : "gone", x->label ? "; it was up at " : "",
                         x->label ? x->label : "",
                         !when      ? ""
                         : x->label ? ", last seen so "
                                    : "; last seen up ",
                         when ? when : "");
    what = !gone  ? arena_printf(j->arena, "%zu links are down", down)
           : down ? arena_printf(j->arena, "%zu links are down and %zu gone", down, gone)
                  : arena_printf(j->arena, "%zu links are gone", gone);
    if (!what)
        return -ENOMEM;
    return judge_say(j, f, "%s, the first %s%s%s%s%s", what, x->kernel_name, *far ? ", to " : "",
                     far, when ? "; last seen up " : "", when ? when : "");
}

/* The finding that reports the loss of the link of that id, or of what it hung below. */
static const struct finding *finding_of(const struct losses *all, const char *id)
{
    const struct loss *x = loss_with(all, id);

    for (size_t depth = 0; x && !x->finding && depth < all->v.n; depth++)
        x = loss_with(all, x->bundle_id && loss_with(all, x->bundle_id) ? x->bundle_id : x->up_id);
    return x ? x->finding : NULL;
}

static bool is_there(const struct model *m, const char *device_id)
{
    for (size_t i = 0; i < m->devices.n; i++)
        if (m->devices.v[i]->id && strcmp(m->devices.v[i]->id, device_id) == 0)
            return true;
    return false;
}

/* The devices that went with what is lost. */
static int add_devices(struct judging *j, struct finding *f, const struct losses *all,
                       const struct snapshot *last)
{
    const char *names = NULL;
    size_t n = 0;

    for (size_t i = 0; i < last->n_devices; i++) {
        const struct past *d = last->devices[i];

        if (!d->link_id || finding_of(all, d->link_id) != f || is_there(j->model, d->id))
            continue;
        if (n < DEVICES_NAMED)
            names = n ? arena_printf(j->arena, "%s, %s", names, d->kernel_name) : d->kernel_name;
        n++;
    }
    if (!n)
        return 0;
    names = arena_printf(j->arena, "%s%s", names,
                         judge_more(j, n > DEVICES_NAMED ? n - DEVICES_NAMED : 0));
    return judge_evidence(f, "devices gone with it", names, "an earlier look");
}

/* All that were lost below one host, or with one wire, since one look. */
static int add_lost(struct judging *j, struct losses *all, size_t first)
{
    const struct loss *x = &all->v.v[first];
    const struct link *l = judge_link(j, x->id);
    struct finding *f = judge_add(j, "link-lost");
    int r = !f ? -ENOMEM : l ? judge_situation(j, f, judge_situation_of(l)) : 0;
    size_t down = 0;

    for (size_t i = first; r == 0 && i < all->v.n; i++) {
        struct loss *other = &all->v.v[i];

        if (other->is_done || other->last != x->last ||
            (i != first && !text_same_known(other->host_id, x->host_id) &&
             !text_same_known(other->wire, x->wire)) ||
            is_explained(j, all, other))
            continue;
        other->is_done = true;
        other->finding = f;
        down += judge_link(j, other->id) != NULL;
        r = add_loss(j, f, other);
    }
    if (r == 0)
        r = say_lost(j, f, x, down);
    return r < 0 || x->last == SIZE_MAX ? r
                                        : add_devices(j, f, all, &j->history->snapshots.v[x->last]);
}

int judge_lost(struct judging *j)
{
    struct losses all = { 0 };
    int r = find_lost(j, &all);

    for (size_t i = 0; r == 0 && i < all.v.n; i++)
        if (!all.v.v[i].is_done && !is_explained(j, &all, &all.v.v[i]))
            r = add_lost(j, &all, i);
    free(all.v.v);
    return r;
}

/* ---- path-lost ---- */

/* Whether there is another path: the least first. */
enum other { OTHER_NONE, OTHER_UNCLEAR, OTHER_UP };

/* A port of a target that is gone. */
struct path {
    const char *id, *kernel_name, *node, *state;
    const struct link *link;
    enum other other; /* of its finding */
    bool is_done;
};

struct paths {
    VEC(struct path) v;
};

static const struct remote *remote_of(const struct judging *j, const char *id)
{
    for (size_t i = 0; i < j->model->remotes.n; i++)
        if (strcmp(j->model->remotes.v[i].id, id) == 0)
            return &j->model->remotes.v[i];
    return NULL;
}

static bool remote_was_seen_later(const struct judging *j, size_t snapshot, const char *id)
{
    for (size_t i = snapshot + 1; i < j->history->snapshots.n; i++)
        if (snapshot_remote(&j->history->snapshots.v[i], id))
            return true;
    return false;
}

/* Ports that the kernel has forgotten, on a link that still leads to the same network. */
static int find_forgotten(struct judging *j, size_t snapshot, struct paths *ret)
{
    const struct snapshot *s = &j->history->snapshots.v[snapshot];
    int r = 0;

    for (size_t i = 0; r == 0 && i < s->n_remotes; i++) {
        const struct past *p = s->remotes[i];
        const struct link *l = p->is_up ? judge_link(j, p->link_id) : NULL;
        const struct sample *then = l ? snapshot_link(s, l->id) : NULL;

        if (!then || l->state != LINK_UP || !sample_is_of(then, l) || remote_of(j, p->id) ||
            remote_was_seen_later(j, snapshot, p->id) || is_unseen(j, p->id))
            continue;
        r = vec_push(&ret->v,
                     (struct path){ p->id, p->kernel_name, p->node, "gone", l, OTHER_UP, false });
    }
    return r;
}

static int find_paths(struct judging *j, struct paths *ret)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < j->model->remotes.n; i++) {
        const struct remote *p = &j->model->remotes.v[i];

        if (!p->is_up && !p->is_unclear && p->link->state == LINK_UP)
            r = vec_push(&ret->v, (struct path){ p->id, p->kernel_name, p->node, p->state, p->link,
                                                 OTHER_UP, false });
    }
    for (size_t i = 0; r == 0 && i < j->history->snapshots.n; i++)
        r = find_forgotten(j, i, ret);
    return r;
}

static enum other better(enum other a, enum other b)
{
    return a > b ? a : b;
}

/* Can the logical unit be reached in another way? */
static enum other find_twin(const struct judging *j, const struct device *d)
{
    enum other found = OTHER_NONE;

    for (size_t i = 0; i < j->model->devices.n; i++) {
        const struct device *other = j->model->devices.v[i];
        const struct remote *way = other->remote ? remote_of(j, other->remote) : NULL;

        if (other == d || !text_same_known(other->wwid, d->wwid) || !other->link)
            continue;
        if ((!other->remote || (way && way->is_up)) && other->link->state == LINK_UP)
            return OTHER_UP;
        if ((!way || way->is_up || way->is_unclear) &&
            (other->link->state == LINK_UP || other->link->state == LINK_UNKNOWN))
            found = OTHER_UNCLEAR;
    }
    return found;
}

/* May the remote port be of the lost one's target, and a way to it? */
static enum other is_other_port(const struct remote *p, const struct path *x)
{
    bool is_same = text_same_known(p->node, x->node);

    if (text_same_known(p->id, x->id) || (!is_same && p->node && x->node))
        return OTHER_NONE;
    if (p->is_up && p->link->state == LINK_UP)
        return is_same ? OTHER_UP : OTHER_UNCLEAR;
    return (p->is_up || p->is_unclear) &&
                   (p->link->state == LINK_UP || p->link->state == LINK_UNKNOWN)
               ? OTHER_UNCLEAR
               : OTHER_NONE;
}

/* Is the target reached by another of its ports, or each of the units behind the lost one by another path? */
static enum other find_other_path(const struct judging *j, const struct path *x)
{
    enum other port = OTHER_NONE, units = OTHER_UP;
    size_t n = 0;

    for (size_t i = 0; i < j->model->remotes.n; i++)
        port = better(port, is_other_port(&j->model->remotes.v[i], x));
    for (size_t i = 0; i < j->model->devices.n; i++) {
        const struct device *d = j->model->devices.v[i];
        enum other twin;

        if (!text_same_known(d->remote, x->id))
            continue;
        twin = find_twin(j, d);
        units = twin < units ? twin : units;
        n++;
    }
    return n ? better(port, units) : port;
}

static bool has_subject(const struct finding *f, const char *id)
{
    for (size_t i = 0; i < f->subjects.n; i++)
        if (strcmp(f->subjects.v[i], id) == 0)
            return true;
    return false;
}

static int add_path(struct judging *j, struct finding *f, struct path *x)
{
    int r = judge_subject(f, x->id, x->kernel_name);

    x->is_done = true;
    if (r == 0 && !has_subject(f, x->link->id))
        r = judge_subject_link(j, f, x->link);
    if (r == 0)
        r = judge_evidence(f, "port state", x->state, x->kernel_name);
    x->other = find_other_path(j, x);
    return r;
}

/* What is said of other paths, at worst. */
static const char *words_of(enum other other, bool of_ports)
{
    switch (other) {
    case OTHER_NONE:
        return of_ports ? ", and no other is up" : ", and no other path to its target is up";
    case OTHER_UNCLEAR:
        return "; whether another path is up cannot be told";
    case OTHER_UP:
        return of_ports ? "; another is up" : "; another path to its target is up";
    }
    return "";
}

/* One finding a target. */
static int add_target(struct judging *j, struct paths *all, size_t first)
{
    const struct path *x = &all->v.v[first];
    struct finding *f = judge_add(j, "path-lost");
    int r = f ? add_path(j, f, &all->v.v[first]) : -ENOMEM;
    enum other other = x->other;
    size_t n = 1;

    for (size_t i = first + 1; r == 0 && i < all->v.n; i++) {
        if (all->v.v[i].is_done || !text_same_known(all->v.v[i].node, x->node))
            continue;
        r = add_path(j, f, &all->v.v[i]);
        other = all->v.v[i].other < other ? all->v.v[i].other : other;
        n++;
    }
    if (r < 0)
        return r;
    if (other == OTHER_NONE)
        f->severity = SEVERITY_CRITICAL;
    if (n > 1)
        return judge_say(j, f, "%zu ports of target %s are lost, the first %s behind %s%s", n,
                         x->node, x->kernel_name, x->link->kernel_name, words_of(other, true));
    return judge_say(j, f, "%s behind %s is %s%s", x->kernel_name, x->link->kernel_name, x->state,
                     words_of(other, false));
}

int judge_paths(struct judging *j)
{
    struct paths all = { 0 };
    int r = find_paths(j, &all);

    for (size_t i = 0; r == 0 && i < all.v.n; i++)
        if (!all.v.v[i].is_done)
            r = add_target(j, &all, i);
    free(all.v.v);
    return r;
}
