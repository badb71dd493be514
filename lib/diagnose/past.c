/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The past of a report's machine (past.h).
 */
#include "diagnose/past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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

/* What listing the directory is refused with, whatever is in it: 0, a positive errno, or a negative one. */
static int refusal_of(struct source *source, const char *dir)
{
    struct names names;
    int r = source_list(source, dir, "/", &names); /* no name has that in it */

    if (r == 0) {
        r = names.error;
        names_done(&names);
    }
    return r;
}

/* The same of the lists of a class. A class that no transport lists in a directory of its own has none. */
static int refusal_of_class(struct source *source, const char *class_name)
{
    int r = 0;

    for (size_t i = 0; r == 0 && TRANSPORTS[i]; i++)
        for (const struct object_class *c = TRANSPORTS[i]->classes; r == 0 && c && c->name; c++)
            if (strcmp(c->name, class_name) == 0)
                r = refusal_of(source, c->dir);
    return r;
}

struct look {
    struct source *source;
    struct model *model;
    const struct snapshot *then;
    bool has_no_hosts; /* their list cannot be read */
    const char *class_name;
    int class_refusal; /* of that class */
};

/* Something that was up, and that the model lacks. */
struct missed {
    const char *id, *path, *class_name, *host_id;
};

static const struct host *host_with(const struct model *m, const char *id)
{
    for (size_t i = 0; id && i < m->hosts.n; i++)
        if (strcmp(m->hosts.v[i]->id, id) == 0)
            return m->hosts.v[i];
    return NULL;
}

/* The length of the host's number, and where it is, in the first name of a path: in "host0", "phy-0:1" and "0:0:2:0"
 * there is one. 0 where there is none. */
static size_t host_number(const char *name, size_t *ret_at)
{
    size_t at = strcspn(name, "0123456789/"), n = strspn(name + at, "0123456789");

    *ret_at = at;
    return strchr(":/", name[at + n]) ? n : 0; /* strchr() finds the end, too */
}

/* The place of something below a host, whose number may be another one since a reboot. NULL without memory. */
static const char *place_now(struct arena *arena, const struct host *h, const char *path)
{
    size_t dir = strlen(h->subject->path) - strlen(h->kernel_name), at, n;
    const char *now, *old, *name = path + dir;
    size_t old_n;

    if (strncmp(path, h->subject->path, dir) != 0 || !text_starts_with(name, "host"))
        return path;
    old_n = host_number(name, &at);
    old = name + at;
    now = arena_strndup(arena, path, dir);
    for (; now && *name; name += strspn(name, "/")) {
        size_t end = strcspn(name, "/");
        const char *slash = name[end] ? "/" : "";

        n = host_number(name, &at);
        if (n && n == old_n && memcmp(name + at, old, n) == 0)
            now = arena_printf(arena, "%s%.*s%s%.*s%s", now, (int)at, name,
                               h->kernel_name + strlen("host"), (int)(end - at - n), name + at + n,
                               slash);
        else
            now = arena_printf(arena, "%s%.*s%s", now, (int)end, name, slash);
        name += end;
    }
    return now;
}

/* Is in that place what was known otherwise then, or known to be without anything? */
static bool is_replaced(const struct look *k, const char *path)
{
    const struct model *m = k->model;

    for (size_t i = 0; i < m->links.n; i++)
        if (strcmp(m->links.v[i]->subject->path, path) == 0)
            return snapshot_link(k->then, m->links.v[i]->id) ||
                   m->links.v[i]->state == LINK_EMPTY || m->links.v[i]->state == LINK_DOWN;
    for (size_t i = 0; i < m->remotes.n; i++)
        if (strcmp(m->remotes.v[i].subject->path, path) == 0)
            return snapshot_remote(k->then, m->remotes.v[i].id);
    return false;
}

/* Returns 1 where what the model lacks is not gone for that, 0, or a negative errno. */
static int is_unseen(struct look *k, const struct missed *x)
{
    const struct host *h = host_with(k->model, x->host_id);
    const char *path = h ? place_now(k->model->arena, h, x->path) : x->path;
    int r;

    if (!path)
        return -ENOMEM;
    if (k->has_no_hosts)
        return 1;
    if (h) {
        if (!k->class_name || strcmp(k->class_name, x->class_name) != 0) {
            k->class_refusal = refusal_of_class(k->source, x->class_name);
            k->class_name = x->class_name;
        }
        if (k->class_refusal)
            return k->class_refusal < 0 ? k->class_refusal : 1;
    }
    r = refusal_of(k->source, path);
    return r < 0 ? r : r != ENOENT && (r || !is_replaced(k, path));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The ids of the model's links and remote ports, sorted, to look into. */
static int ids_of(const struct model *m, const char ***ret, size_t *ret_n)
{
    size_t n = 0;
    const char **ids = arena_new_array(m->arena, const char *, m->links.n + m->remotes.n);

    if (!ids)
        return -ENOMEM;
    for (size_t i = 0; i < m->links.n; i++)
        ids[n++] = m->links.v[i]->id;
    for (size_t i = 0; i < m->remotes.n; i++)
        ids[n++] = m->remotes.v[i].id;
    qsort(ids, n, sizeof(*ids), by_text);
    *ret = ids;
    *ret_n = n;
    return 0;
}

static int note_missed(struct look *k, const struct missed *x)
{
    int r = is_unseen(k, x);
    const char *copy = r > 0 ? arena_strdup(k->model->arena, x->id) : NULL;

    if (r <= 0)
        return r;
    return copy ? vec_push(&k->model->unseen, copy) : -ENOMEM;
}

/* Looks for those that were up in the snapshot and whose ids are not among the model's. */
static int look_through(struct look *k, const char *const *ids, size_t n)
{
    const struct snapshot *s = k->then;
    int r = 0;

    for (size_t i = 0; r == 0 && i < s->n_links; i++) {
        const struct sample *x = s->links[i];

        if (x->state == LINK_UP && !x->may_go && !bsearch(&x->id, ids, n, sizeof(*ids), by_text))
            r = note_missed(k, &(struct missed){ x->id, x->path, x->class_name, x->host_id });
    }
    for (size_t i = 0; r == 0 && i < s->n_remotes; i++) {
        const struct past *x = s->remotes[i];
        const struct sample *l = snapshot_link(s, x->link_id);

        if (x->is_up && !bsearch(&x->id, ids, n, sizeof(*ids), by_text))
            r = note_missed(
                k, &(struct missed){ x->id, x->path, x->class_name, l ? l->host_id : NULL });
    }
    return r;
}

/* What listing the hosts is refused with, as refusal_of(). A kernel into which nothing has loaded the SCSI middle layer
 * has no such class, and no host: as long as that is no tree without sysfs, in which the block devices are not listed
 * either (block/genhd.c: each kernel with disks has that class). */
static int refusal_of_hosts(struct source *source)
{
    int r = refusal_of(source, "/sys/class/scsi_host");
    int of_blocks = r == ENOENT ? refusal_of(source, "/sys/class/block") : r;

    return of_blocks == 0 || of_blocks < 0 ? of_blocks : r;
}

static int find_unseen(struct source *source, const struct history *past, struct model *m)
{
    struct look look = { .source = source, .model = m };
    const char **ids;
    size_t n;
    int r = refusal_of_hosts(source);

    if (r < 0)
        return r;
    look.has_no_hosts = r > 0;
    r = ids_of(m, &ids, &n);
    for (size_t i = 0; r == 0 && i < past->snapshots.n; i++) {
        look.then = &past->snapshots.v[i];
        r = look_through(&look, ids, n);
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
