/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The past of a report's machine (past.h).
 */
#include "diagnose/past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "transport/transport.h"

static const char *why_unfit(int why, const struct report *report)
{
    if (why == -EXDEV)
        return "is of another machine";
    if (why == -EINVAL)
        return "was taken later";
    return report->wall_us ? "does not say when it was taken"
                           : "may be later: the newest does not say when it was taken";
}

static int note_unfit(struct report *report, const struct snapshot *s, int why)
{
    const char *text = arena_printf(report->model->arena, "%s %s: not used as history",
                                    s->name ? s->name : "an earlier capture",
                                    why_unfit(why, report));

    return text ? vec_push(&report->notes, text) : -ENOMEM;
}

/* ---- what is not in the model, and not gone ---- */

/* Can the directory be listed, whatever is in it? Returns 1, 0, or a negative errno. */
static int can_list(struct source *source, const char *dir)
{
    struct names names;
    int r = source_list(source, dir, "/", &names); /* no name has that in it */

    if (r < 0)
        return r;
    r = names.error == 0;
    names_done(&names);
    return r;
}

/* Can all lists of a class be read? A class that no transport lists in a directory of its own has none. */
static int can_list_class(struct source *source, const char *class_name)
{
    int r = 1;

    for (size_t i = 0; r == 1 && TRANSPORTS[i]; i++)
        for (const struct object_class *c = TRANSPORTS[i]->classes; r == 1 && c && c->name; c++)
            if (strcmp(c->name, class_name) == 0)
                r = can_list(source, c->dir);
    return r;
}

struct look {
    struct source *source;
    const struct model *model;
    bool has_hosts; /* the list of hosts can be read */
    const char *class_name;
    int has_class; /* and the one of that class */
};

static bool has_host(const struct model *m, const char *id)
{
    for (size_t i = 0; i < m->hosts.n; i++)
        if (id && strcmp(m->hosts.v[i]->id, id) == 0)
            return true;
    return false;
}

/* Is something that is known otherwise, or nothing at all, where the link was? */
static bool is_replaced(const struct model *m, const struct snapshot *s, const struct sample *x)
{
    const struct link *l = model_link_named(m, x->kernel_name);

    return l && strcmp(l->subject->path, x->path) == 0 &&
           (snapshot_link(s, l->id) || l->state == LINK_EMPTY || l->state == LINK_DOWN);
}

/* Returns 1 where a link that the model lacks is not gone for that, 0, or a negative errno. */
static int is_unseen(struct look *k, const struct snapshot *s, const struct sample *x)
{
    int r;

    if (!k->has_hosts)
        return 1;
    if (has_host(k->model, x->host_id)) {
        if (!k->class_name || strcmp(k->class_name, x->class_name) != 0) {
            k->has_class = can_list_class(k->source, x->class_name);
            k->class_name = x->class_name;
        }
        if (k->has_class <= 0)
            return k->has_class < 0 ? k->has_class : 1;
    }
    r = can_list(k->source, x->path);
    return r <= 0 ? r : !is_replaced(k->model, s, x);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The ids of the model's links, sorted, to look into. */
static int ids_of(const struct model *m, const char ***ret)
{
    const char **ids = arena_new_array(m->arena, const char *, m->links.n);

    if (!ids)
        return -ENOMEM;
    for (size_t i = 0; i < m->links.n; i++)
        ids[i] = m->links.v[i]->id;
    qsort(ids, m->links.n, sizeof(*ids), by_text);
    *ret = ids;
    return 0;
}

static int add_unseen(struct model *m, const char *id)
{
    const char *copy = arena_strdup(m->arena, id);

    return copy ? vec_push(&m->unseen, copy) : -ENOMEM;
}

static int find_unseen(struct source *source, const struct history *past, struct model *m)
{
    struct look look = { .source = source, .model = m };
    const char **ids;
    int r = can_list(source, "/sys/class/scsi_host");

    if (r < 0)
        return r;
    look.has_hosts = r > 0;
    r = ids_of(m, &ids);
    for (size_t i = 0; r == 0 && i < past->snapshots.n; i++) {
        const struct snapshot *s = &past->snapshots.v[i];

        for (size_t k = 0; r == 0 && k < s->n_links; k++) {
            const struct sample *x = &s->links[k];

            if (x->state != LINK_UP || x->may_go ||
                bsearch(&x->id, ids, m->links.n, sizeof(*ids), by_text))
                continue;
            r = is_unseen(&look, s, x);
            if (r > 0)
                r = add_unseen(m, x->id);
        }
    }
    if (r == 0 && m->unseen.n)
        qsort(m->unseen.v, m->unseen.n, sizeof(*m->unseen.v), by_text);
    return r;
}

int past_take(struct source *source, const struct history *history, struct report *report,
              struct history **ret)
{
    _cleanup_(history_freep) struct history *past = NULL;
    int r = history_of(history, report->model, report->wall_us, &past);

    for (size_t i = 0; r == 0 && i < history->snapshots.n; i++) {
        const struct snapshot *s = &history->snapshots.v[i];
        int why = history_fits(s, report->model, report->wall_us);

        if (why < 0)
            r = note_unfit(report, s, why);
    }
    if (r == 0)
        r = find_unseen(source, past, report->model);
    if (r < 0)
        return r;
    history_apply(past, report->model);
    *ret = TAKE_PTR(past);
    return 0;
}
