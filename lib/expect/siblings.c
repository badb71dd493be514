/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which links can be compared with each other (expect.h).
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "expect/expect.h"

/* The model at the far end; where that is a network, the adapter's own. */
static const char *model_of(const struct link *l)
{
    return l->far_is_network ? l->host->model : l->far_model ? l->far_model : l->far;
}

/* Functions of one PCI device differ in the digit behind the dot. */
bool expect_same_card(const struct host *a, const struct host *b)
{
    const char *dot = a->pci_address ? strchr(a->pci_address, '.') : NULL;

    return a == b ||
           (dot && b->pci_address &&
            strncmp(a->pci_address, b->pci_address, (size_t)(dot - a->pci_address) + 1) == 0);
}

static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_pointers(const void *a, const void *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_cards(const struct host *a, const struct host *b)
{
    int r = expect_same_card(a, b) ? 0 : compare_texts(a->pci_address, b->pci_address);

    return r || expect_same_card(a, b) ? r : compare_pointers(a, b);
}

/* Links that can be compared are equal. */
static int compare(const void *a, const void *b)
{
    const struct link *x = *(struct link *const *)a, *y = *(struct link *const *)b;
    int r = compare_cards(x->host, y->host);

    if (r == 0)
        r = compare_texts(x->transport, y->transport);
    if (r == 0)
        r = compare_pointers(x->up, y->up);
    if (r == 0)
        r = (x->bundle != NULL) - (y->bundle != NULL);
    if (r == 0)
        r = x->far_is_network - y->far_is_network;
    return r ? r : compare_texts(model_of(x), model_of(y));
}

/* The same, equal ones in the order of the model's list. */
static int compare_in_order(const void *a, const void *b)
{
    const struct link *x = *(struct link *const *)a, *y = *(struct link *const *)b;
    int r = compare(a, b);

    return r ? r : (x->index > y->index) - (x->index < y->index);
}

static bool speaks_for_others(const struct link *l)
{
    const struct claim *a, *b;

    return l->state == LINK_UP && l->actual.known && !l->has_no_link &&
           !expect_disagreement(l, &a, &b);
}

/* Makes siblings of `n` links that can be compared. */
static int group(struct model *m, struct link **v, size_t n)
{
    struct siblings *s = arena_alloc(m->arena, sizeof(*s));

    if (s)
        s->v = arena_alloc(m->arena, n * sizeof(*s->v));
    if (!s || !s->v)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        v[i]->siblings = s;
        if (!speaks_for_others(v[i]))
            continue;
        if (!s->n || rate_compare(v[i]->actual.rate, s->fastest) > 0)
            s->fastest = v[i]->actual.rate;
        if (v[i]->actual.rate.lanes > s->most_lanes)
            s->most_lanes = v[i]->actual.rate.lanes;
        s->v[s->n++] = v[i];
    }
    return 0;
}

int expect_find_siblings(struct model *m)
{
    _cleanup_free_ struct link **v = calloc(m->links.n + 1, sizeof(struct link *));
    size_t n = 0, end;
    int r = v ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < m->links.n; i++) {
        struct link *l = m->links.v[i];

        l->siblings = NULL;
        if (l->host && l->transport && model_of(l))
            v[n++] = l;
    }
    if (r == 0 && n)
        qsort(v, n, sizeof(struct link *), compare_in_order);
    for (size_t i = 0; r == 0 && i < n; i = end) {
        for (end = i + 1; end < n && compare(&v[i], &v[end]) == 0; end++)
            ;
        if (end > i + 1)
            r = group(m, v + i, end - i);
    }
    return r;
}

void expect_better_siblings(const struct link *l,
                            bool (*each)(void *userdata, const struct link *sibling),
                            void *userdata)
{
    const struct siblings *s = l->siblings;
    struct rate own = l->actual.rate;

    if (!s || (rate_compare(own, s->fastest) >= 0 && own.lanes >= s->most_lanes))
        return;
    for (size_t i = 0; i < s->n; i++)
        if (rate_compare(s->v[i]->actual.rate, own) > 0 || s->v[i]->actual.rate.lanes > own.lanes)
            if (!each(userdata, s->v[i]))
                return;
}
