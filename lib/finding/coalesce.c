/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many findings as one word (coalesce.h).
 */
#include "finding/coalesce.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* An event, and what it is put together by. */
struct placed {
    const struct track_event *event;
    const struct host *host; /* NULL: not known */
    bool is_link;
    size_t group; /* the place in the events of the first one of its group */
};

/* ---- whose each is ---- */

static void place(struct placed *p, const struct model *m)
{
    const char *id = p->event->tracked->subject;

    for (size_t i = 0; i < m->links.n; i++)
        if (strcmp(m->links.v[i]->id, id) == 0) {
            p->host = m->links.v[i]->host;
            p->is_link = true;
            return;
        }
    for (size_t i = 0; i < m->devices.n && !p->host; i++)
        if (strcmp(m->devices.v[i]->id, id) == 0)
            p->host = m->devices.v[i]->host;
    /* What is gone is not in the model; its id begins with that of the host that it was of. */
    for (size_t i = 0; i < m->hosts.n && !p->host; i++) {
        const char *host = m->hosts.v[i]->id;
        size_t n = strlen(host);

        if (strncmp(host, id, n) == 0 && (id[n] == '-' || !id[n]))
            p->host = m->hosts.v[i];
    }
}

/* ---- groups ---- */

static bool is_alike(const struct track_event *a, const struct track_event *b)
{
    return a->change == b->change && a->tracked->entry == b->tracked->entry;
}

static bool is_together(const struct placed *a, const struct placed *b, bool by_host)
{
    return is_alike(a->event, b->event) && (!by_host || (a->host && a->host == b->host));
}

static const size_t ALONE = SIZE_MAX;

/* Makes groups of those that are in none yet, where they are enough. */
static void group(struct placed *placed, size_t n, bool by_host)
{
    for (size_t i = 0; i < n; i++) {
        size_t members = 0;

        for (size_t k = i; k < n && placed[i].group == ALONE; k++)
            members += placed[k].group == ALONE && is_together(&placed[i], &placed[k], by_host);
        for (size_t k = n; members >= COALESCE_FROM && k-- > i;)
            if (placed[k].group == ALONE && is_together(&placed[i], &placed[k], by_host))
                placed[k].group = i;
    }
}

static struct coalesced coalesced_of(const struct placed *placed, size_t n, size_t first,
                                     const struct track_event **room)
{
    const struct host *host = placed[first].host;
    struct coalesced c = { .events = room, .are_links = true };
    bool is_of_one = host != NULL;

    for (size_t k = first; k < n; k++) {
        if (k != first && (placed[first].group == ALONE || placed[k].group != placed[first].group))
            continue;
        room[c.n++] = placed[k].event;
        is_of_one &= placed[k].host == host;
        c.are_links &= placed[k].is_link;
        if (placed[k].event->tracked->severity > c.severity)
            c.severity = placed[k].event->tracked->severity;
    }
    c.host = is_of_one ? host->kernel_name : NULL;
    return c;
}

int coalesce(const struct track_events *events, const struct report *report,
             struct coalescence *ret)
{
    size_t n = events->list.n, used = 0;
    _cleanup_free_ struct placed *placed = calloc(n + 1, sizeof(*placed));
    const struct track_event **all = calloc(n + 1, sizeof(*all));
    int r = placed && all ? 0 : -ENOMEM;

    *ret = (struct coalescence){ .events = all };
    for (size_t i = 0; r == 0 && i < n; i++) {
        placed[i] = (struct placed){ .event = &events->list.v[i], .group = ALONE };
        if (n >= COALESCE_FROM)
            place(&placed[i], report->model);
    }
    if (r == 0) {
        group(placed, n, true);
        group(placed, n, false);
    }
    for (size_t i = 0; r == 0 && i < n; i++)
        if (placed[i].group == ALONE || placed[i].group == i) {
            struct coalesced c = coalesced_of(placed, n, i, ret->events + used);

            used += c.n;
            r = vec_push(&ret->list, c);
        }
    if (r < 0)
        coalescence_done(ret);
    return r;
}

void coalescence_done(struct coalescence *c)
{
    free(c->list.v);
    free(c->events);
    *c = (struct coalescence){ 0 };
}

/* ---- what is said ---- */

static void put_names(const struct coalesced *c, FILE *out)
{
    for (size_t i = 0; i < c->n && i < COALESCE_NAMES; i++) {
        const struct tracked *t = c->events[i]->tracked;

        fprintf(out, "%s%s", i ? ", " : ": ", t->names.n ? t->names.v[0] : t->subject);
    }
    if (c->n > COALESCE_NAMES)
        fprintf(out, " and %zu more", c->n - COALESCE_NAMES);
}

char *coalesced_message(const struct coalesced *c)
{
    const struct track_event *first = c->events[0];
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    if (first->change == TRACK_CLEARED)
        fputs("over: ", out);
    if (c->n == 1) {
        fputs(first->tracked->summary, out);
    } else {
        fprintf(out, "%zu %s%s%s at once: %s", c->n, c->are_links ? "links" : "findings",
                c->host ? " of " : "", c->host ? c->host : "", first->tracked->entry->title);
        put_names(c, out);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
