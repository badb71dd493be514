/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * History of links (history.h): the last sample of each, found by id in a search tree.
 */
#include "link/history.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct sample {
    char *id;
    enum link_state state; /* LINK_UP once it was ever up */
    uint64_t wall_us;      /* when it was last up */
};

struct history {
    void *samples; /* a tsearch() tree of struct sample, by id */
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct sample *)a)->id, ((const struct sample *)b)->id);
}

static void sample_free(void *p)
{
    struct sample *s = p;

    free(s->id);
    free(s);
}

struct history *history_new(void)
{
    return calloc(1, sizeof(struct history));
}

struct history *history_free(struct history *h)
{
    if (!h)
        return NULL;
    tdestroy(h->samples, sample_free);
    free(h);
    return NULL;
}

static struct sample *find(const struct history *h, const char *id)
{
    struct sample key = { .id = (char *)(uintptr_t)id };
    void *found = tfind(&key, (void *const *)&h->samples, compare);

    return found ? *(struct sample **)found : NULL;
}

static int remember(struct history *h, const struct link *l, uint64_t wall_us)
{
    struct sample *s = find(h, l->id);

    if (l->state != LINK_UP)
        return 0;
    if (!s) {
        s = calloc(1, sizeof(*s));
        if (s)
            s->id = strdup(l->id);
        if (!s || !s->id || !tsearch(s, &h->samples, compare)) {
            if (s)
                sample_free(s);
            return -ENOMEM;
        }
    }
    s->state = LINK_UP;
    s->wall_us = wall_us;
    return 0;
}

int history_add(struct history *h, const struct model *m, uint64_t wall_us)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < m->links.n; i++)
        r = remember(h, m->links.v[i], wall_us);
    return r;
}

void history_apply(const struct history *h, struct model *m)
{
    for (size_t i = 0; i < m->links.n; i++) {
        struct link *l = m->links.v[i];

        if (l->state == LINK_EMPTY && find(h, l->id))
            l->state = LINK_DOWN;
    }
}
