/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What hangs where (tree.h).
 */
#include "output/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/words.h"

enum {
    FOLD_FROM_LINKS = 24, /* machines up to this size are shown whole */
    FOLD_FROM_ALIKE = 3,
};

static int compare_nodes(const void *a, const void *b)
{
    const struct tree_node *x = a, *y = b;

    if (x->up != y->up)
        return (uintptr_t)x->up < (uintptr_t)y->up ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* A link's place in the tree: lanes hang below their bundle, what hangs at a slot below its host. */
static const struct link *place_of(const struct link *l)
{
    if (l->bundle)
        return l->bundle;
    return l->host && l->up == l->host->slot ? NULL : l->up;
}

/* Lanes that are like their bundle have nothing to say. */
static bool is_quiet_lane(const struct link *l)
{
    return l->bundle && l->state == LINK_UP && l->verdict != VERDICT_BELOW &&
           (!l->actual.known || !l->bundle->actual.known ||
            l->actual.rate.lane_kb_per_s == l->bundle->actual.rate.lane_kb_per_s);
}

/* Sorts the devices by their links. */
static int add_devices(struct tree *t)
{
    const struct model *m = t->report->model;
    size_t n = 0;

    t->devices = calloc(m->devices.n + 1, sizeof(struct device *));
    t->first_device = calloc(m->links.n + 2, sizeof(*t->first_device));
    if (!t->devices || !t->first_device)
        return -ENOMEM;
    for (size_t i = 0; i < m->devices.n; i++)
        if (m->devices.v[i]->link)
            t->first_device[m->devices.v[i]->link->index + 2]++;
    for (size_t i = 2; i < m->links.n + 2; i++)
        n = t->first_device[i] += n;
    for (size_t i = 0; i < m->devices.n; i++) {
        const struct device *d = m->devices.v[i];

        if (d->link)
            t->devices[t->first_device[d->link->index + 1]++] = d;
    }
    return 0;
}

const struct device *const *tree_devices_on(const struct tree *t, const struct link *l,
                                            size_t *ret_n)
{
    *ret_n = t->first_device[l->index + 1] - t->first_device[l->index];
    return t->devices + t->first_device[l->index];
}

int tree_init(const struct report *report, struct tree *ret)
{
    const struct model *m = report->model;

    *ret = (struct tree){ .report = report, .fold = m->links.n > FOLD_FROM_LINKS };
    ret->v = calloc(m->links.n + 1, sizeof(*ret->v));
    if (!ret->v)
        return -ENOMEM;
    for (size_t i = 0; i < m->links.n; i++) {
        const struct link *l = m->links.v[i];

        if ((l->host && l == l->host->slot) || is_quiet_lane(l))
            continue;
        ret->v[ret->n++] = (struct tree_node){ place_of(l), l, i };
    }
    qsort(ret->v, ret->n, sizeof(*ret->v), compare_nodes);
    return add_devices(ret);
}

void tree_done(struct tree *t)
{
    free(t->v);
    free(t->devices);
    free(t->first_device);
}

struct tree_node *tree_below(const struct tree *t, const struct link *up, size_t *ret_n)
{
    size_t low = 0, high = t->n, end;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if ((uintptr_t)t->v[mid].up < (uintptr_t)up)
            low = mid + 1;
        else
            high = mid;
    }
    for (end = low; end < t->n && t->v[end].up == up; end++)
        ;
    *ret_n = end - low;
    return t->v + low;
}

static bool is_empty(const struct link *l)
{
    return l->state == LINK_EMPTY;
}

static const struct finding *worse(const struct finding *a, const struct finding *b)
{
    return !a || (b && b->severity > a->severity) ? b : a;
}

const struct finding *tree_worst(const struct tree *t, const struct link *l)
{
    const struct device *const *devices;
    const struct finding *worst = NULL;
    size_t n;

    for (size_t i = 0; i < l->findings.n; i++)
        worst = worse(worst, l->findings.v[i]);
    devices = tree_devices_on(t, l, &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < devices[i]->findings.n; k++)
            worst = worse(worst, devices[i]->findings.v[k]);
    return worst && worst->severity > SEVERITY_INFO ? worst : NULL;
}

const struct finding *tree_alarm(const struct tree *t, const struct link *l)
{
    const struct finding *worst = tree_worst(t, l);

    return worst && worst->severity == SEVERITY_CRITICAL ? worst : NULL;
}

/* Can the two stand in one row? */
static bool alike(const struct tree *t, const struct link *a, const struct link *b)
{
    size_t below;

    if (a->host != b->host || a->state != b->state)
        return false;
    if (is_empty(a))
        return true;
    if (!t->fold || a->verdict != b->verdict || !text_same(a->far, b->far) ||
        !text_same(a->actual.label, b->actual.label) ||
        rate_compare(a->actual.rate, b->actual.rate) != 0)
        return false;
    tree_below(t, b, &below);
    return below == 0 && tree_alarm(t, a) == tree_alarm(t, b);
}

/* Is a lane of a wide link at the same end counted between the two? It is not shown here, and must not be called
 * what they are. */
static bool lane_between(const struct tree *t, const struct tree_node *a, const struct tree_node *b)
{
    for (size_t i = a->order + 1; i < b->order; i++) {
        const struct link *l = t->report->model->links.v[i];

        if (l->bundle && text_same(l->near, a->link->near))
            return true;
    }
    return false;
}

size_t tree_run(const struct tree *t, const struct tree_node *c, size_t n)
{
    size_t run = 1, below;

    tree_below(t, c->link, &below);
    while (below == 0 && run < n && alike(t, c->link, c[run].link) &&
           !lane_between(t, &c[run - 1], &c[run]))
        run++;
    return run >= (is_empty(c->link) ? 2 : FOLD_FROM_ALIKE) ? run : 1;
}

/* Hosts that are ports of one function stand under one head. */
static bool same_adapter(const struct report *r, const struct host *a, const struct host *b)
{
    return !words_physical_port(r, b) && a->pci_address &&
           text_same(a->pci_address, b->pci_address) && text_same(a->driver, b->driver) &&
           !a->is_bus;
}

size_t tree_adapter_end(const struct report *r, size_t i)
{
    size_t end = i + 1;

    while (end < r->model->hosts.n && same_adapter(r, r->model->hosts.v[i], r->model->hosts.v[end]))
        end++;
    return end;
}

int tree_below_hosts(const struct tree *t, size_t first, size_t end, struct tree_nodes *ret)
{
    size_t n;
    struct tree_node *top = tree_below(t, NULL, &n);
    int r = 0;

    for (size_t h = first; h < end; h++)
        for (size_t i = 0; r == 0 && i < n; i++)
            if (top[i].link->host == t->report->model->hosts.v[h])
                r = vec_push(&ret->list, top[i]);
    return r;
}

/* ---- words ---- */

const char *tree_name(const struct tree_node *v, size_t n, bool utf8, char *buffer, size_t size)
{
    const char *first = v[0].link->kernel_name, *last = v[n - 1].link->kernel_name,
               *colon = strrchr(last, ':'), *dot = strrchr(last, '.'),
               *mark = colon && (!dot || dot < colon) ? colon : dot;

    if (mark && strncmp(first, last, (size_t)(mark + 1 - last)) == 0)
        last = mark + 1;
    if (n > 1)
        snprintf(buffer, size, "%s %s %s", first, utf8 ? "…" : "..", last);
    else
        snprintf(buffer, size, "%s", first);
    return buffer;
}

const char *tree_far(const struct tree *t, const struct tree_node *v, size_t n, bool utf8,
                     char *buffer, size_t size)
{
    const struct link *l = v[0].link;
    const char *times = utf8 ? "×" : "x", *far = l->far ? words_end(t->report, l->far) : "";
    size_t devices;

    tree_devices_on(t, l, &devices);
    if (n > 1 && *far)
        snprintf(buffer, size, "%zu %s %s", n, times, far);
    else if (devices > 1)
        snprintf(buffer, size, "%s%s%zu LUNs", far, *far ? ", " : "", devices);
    else
        snprintf(buffer, size, "%s", far);
    return buffer;
}

const char *tree_devices(const struct tree *t, const struct tree_node *v, size_t n, bool utf8,
                         char *buffer, size_t size)
{
    size_t n_first, n_last;
    const struct device *const *first = tree_devices_on(t, v[0].link, &n_first);
    const struct device *const *last = tree_devices_on(t, v[n - 1].link, &n_last);
    const struct device *from, *to;
    char a[64], b[64];

    *buffer = '\0';
    if (!n_first || !n_last)
        return buffer;
    from = first[0];
    to = last[n_last - 1];
    words_nodes(from, false, a, sizeof(a));
    words_nodes(to, false, b, sizeof(b));
    if (from == to || !*b)
        snprintf(buffer, size, "%s", a);
    else
        snprintf(buffer, size, "%s %s %s", a, utf8 ? "…" : "..", b);
    return buffer;
}

const char *tree_lack(const struct link *l, char *buffer, size_t size)
{
    char mode[64];

    *buffer = '\0';
    if (l->verdict == VERDICT_BELOW || l->verdict == VERDICT_CAPPED)
        snprintf(buffer, size, "%s %s", l->verdict == VERDICT_BELOW ? "expected" : "could do",
                 words_mode(&l->expected, mode, sizeof(mode)));
    return buffer;
}
